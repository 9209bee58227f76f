#include "views/setup_roots.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "core/write_root.h"

static struct at_root_place place_of(const struct at_session *session)
{
	return (struct at_root_place){ session->path, session->host.home,
		session->manifest.platform };
}

static bool is_root_list(const struct at_field *field)
{
	return strcmp(field->name, "workspace_write_roots") == 0
		|| strcmp(field->name, "coordination_write_roots") == 0;
}

static bool has(const struct at_texts *texts, const char *path)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (strcmp(texts->items[i], path) == 0)
			return true;
	}
	return false;
}

static bool is_saved(const struct at_session *session, const char *path)
{
	return session->request_ok
		&& (has(&session->request.write_roots, path)
			|| has(&session->request.coordination_write_roots, path));
}

static void add_list(
	struct at_setup_roots *out, const struct at_setup_model *model, const char *name)
{
	const struct at_field *field = at_request_field(name);
	const struct at_texts *texts = at_setup_texts(model, field);
	struct at_root_place place = place_of(model->session);
	char why[256];

	for (size_t i = 0; i < texts->count; i++) {
		struct at_setup_root *root = &out->items[out->count++];
		const char *ban = at_write_root_ban(why, sizeof(why), texts->items[i], &place);

		*root = (struct at_setup_root){
			.path = at_arena_strdup(out->arena, texts->items[i]),
			.field = field,
			.ban = ban ? at_arena_strdup(out->arena, ban) : NULL,
			.external = at_write_root_is_external(texts->items[i], &place),
			.is_new = !is_saved(model->session, texts->items[i]),
		};
	}
}

/* The notices stand in the order of the roots. */
static void take_notices(struct at_setup_roots *out, struct at_setup_root *const *asked,
	size_t count, const struct at_notices *notices)
{
	char quoted[PATH_MAX + 4];
	size_t at = 0;

	for (size_t i = 0; i < count && at < notices->count; i++) {
		snprintf(quoted, sizeof(quoted), "'%s'", asked[i]->path);
		if (!strstr(notices->items[at].text, quoted))
			continue; /* nothing is to say about this one */
		if (strcmp(notices->items[at].id, "sandbox-widening") == 0)
			asked[i]->notice = at_arena_strdup(out->arena, notices->items[at].text);
		at++;
	}
}

/* Acceptance is emit's to tell: once for all of them, as it reads the live settings. */
static void ask_about(struct at_setup_roots *out, const struct at_setup_model *model)
{
	const struct at_session *session = model->session;
	struct at_root *roots = at_arena_alloc(out->arena, (out->count + 1) * sizeof(*roots));
	struct at_setup_root **asked =
		at_arena_alloc(out->arena, (out->count + 1) * sizeof(*asked));
	struct at_manifest manifest = { .request = &model->request,
		.framework = session->manifest.framework,
		.platform = session->manifest.platform,
		.boundary_is_emitted = true,
		.roots = roots };
	struct at_notices notices;

	for (size_t i = 0; i < out->count; i++) {
		bool is_own = strcmp(out->items[i].field->name, "workspace_write_roots") == 0;

		if (out->items[i].ban)
			continue;
		asked[manifest.root_count] = &out->items[i];
		roots[manifest.root_count++] = (struct at_root){ .path = out->items[i].path,
			.source = is_own ? AT_ROOT_BRIEF : AT_ROOT_COORDINATION };
	}
	at_notices_init(&notices);
	at_roots_resolve(&manifest, &notices, &session->project, NULL);
	for (size_t i = 0; i < manifest.root_count; i++)
		asked[i]->accepted = roots[i].accepted;
	take_notices(out, asked, manifest.root_count, &notices);
	at_notices_free(&notices);
}

void at_setup_roots_make(struct at_setup_roots *out, const struct at_setup_model *model)
{
	size_t room =
		model->request.write_roots.count + model->request.coordination_write_roots.count;

	memset(out, 0, sizeof(*out));
	out->arena = at_arena_new();
	out->items = at_arena_alloc(out->arena, (room + 1) * sizeof(*out->items));
	add_list(out, model, "workspace_write_roots");
	add_list(out, model, "coordination_write_roots");
	ask_about(out, model);
}

void at_setup_roots_free(struct at_setup_roots *roots)
{
	at_arena_free(roots->arena);
	*roots = (struct at_setup_roots){ 0 };
}

const struct at_setup_root *at_setup_root_find(const struct at_setup_roots *roots,
	const struct at_field *field, const char *path)
{
	for (size_t i = 0; i < roots->count; i++) {
		if (roots->items[i].field == field && strcmp(roots->items[i].path, path) == 0)
			return &roots->items[i];
	}
	return NULL;
}

static bool refuse(const struct at_setup_root *root, struct at_error *err)
{
	char word[PATH_MAX];

	if (root->ban) {
		at_fail(err, AT_EREFUSED, "`%.300s` may not be a write root: %s", root->path,
			root->ban);
		at_error_name(err, "root-banned");
		at_error_hint(err, "Name a directory inside the project.");
	} else {
		at_path_shell_quote(word, sizeof(word), root->path);
		at_fail(err, AT_EREFUSED, "`%.300s` is outside the project, and nobody accepted it",
			root->path);
		at_error_name(err, "root-not-accepted");
		at_error_hint(err, "Give --accept-write-root %s if you want it.", word);
	}
	at_error_field(err, root->field->name);
	return false;
}

bool at_setup_check_roots(const struct at_setup_model *model, const struct at_field *field,
	struct at_buf *unaccepted, struct at_error *err)
{
	struct at_setup_roots roots;
	bool ok = true;

	if (!model->request_ok || (field && !is_root_list(field)))
		return true;
	at_setup_roots_make(&roots, model);
	for (size_t i = 0; i < roots.count && ok; i++) {
		const struct at_setup_root *root = &roots.items[i];

		if (!root->is_new || (!root->ban && (!root->external || root->accepted)))
			continue;
		ok = refuse(root, err);
		if (unaccepted) {
			unaccepted->len = 0;
			at_buf_puts(unaccepted, root->path);
		}
	}
	at_setup_roots_free(&roots);
	return ok;
}

const char *at_setup_root_word(const struct at_session *session, const char *path,
	struct at_arena *arena)
{
	struct at_root_place place = place_of(session);
	char form[PATH_MAX];
	const char *slash;

	if (!at_write_root_compare_form(form, path, &place))
		return "accept";
	slash = strrchr(form, '/');
	return at_arena_strdup(arena, slash && slash[1] ? slash + 1 : form);
}
