/* claude_effective.c - the files of all scopes laid over each other, as measured.
 *
 * Single values: managed, then the command line, local, project, user. Lists are unions; a
 * deny beats an allow wherever it stands, an allowRead takes its denyRead back. Hooks add up.
 * A file that the client drops has no part in any of it.
 */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "emit/claude.h"
#include "emit/claude_host.h"
#include "emit/effective.h"
#include "emit/notices.h"
#include "emit/scopes.h"
#include "emit/texts.h"

#define MEMBERS_MAX 256  /* of one object; more is counted */
#define ELEMENTS_MAX 4096 /* of one list */
#define VALUE_MAX 2000   /* bytes of one value */

/* A list whose entries another list takes back. */
static const struct {
	const char *loser, *winner;
	bool is_path;
	const char *remark;
} beaten[] = {
	{ "permissions.allow", "permissions.deny", false, "a deny rule says otherwise" },
	{ "permissions.allow", "permissions.ask", false, "an ask rule says otherwise" },
	{ "sandbox.filesystem.allowWrite", "sandbox.filesystem.denyWrite", true,
		"denyWrite names it too" },
	{ "sandbox.filesystem.denyRead", "sandbox.filesystem.allowRead", true,
		"allowRead opens it again" },
};

struct walk {
	struct at_effective *out;
	const struct at_project *project;
	const struct at_scopes *scopes;
	const struct at_scope_file *file;
	const struct at_json *doc;
	struct at_set *winners; /* AT_LEN(beaten) for each file */
	bool is_trusted;
};

static struct at_set *winners_of(const struct walk *w, size_t file)
{
	return w->winners + file * AT_LEN(beaten);
}

static bool place_of(char out[PATH_MAX], const char *text, size_t row, const struct walk *w)
{
	if (beaten[row].is_path)
		return at_notice_place(out, text, w->project);
	if (strlen(text) >= PATH_MAX)
		return false;
	strcpy(out, text); /* fits: checked above */
	return true;
}

static void collect_winners(struct walk *w)
{
	char place[PATH_MAX];

	w->winners = at_arena_alloc(w->out->arena,
		(w->scopes->count + 1) * AT_LEN(beaten) * sizeof(*w->winners));
	for (size_t f = 0; f < w->scopes->count; f++) {
		for (size_t row = 0; row < AT_LEN(beaten); row++) {
			struct at_text_list list = { 0 };

			if (!w->scopes->files[f].loads)
				continue;
			at_text_list_of_json(&list, &w->scopes->files[f].live.doc,
				beaten[row].winner, w->out->arena);
			for (size_t i = 0; i < list.count; i++)
				if (place_of(place, list.items[i], row, w))
					at_set_add(&winners_of(w, f)[row], place);
			at_text_list_free(&list);
		}
	}
}

/* The bytes without the blanks that lay them out. */
static const char *compact(struct at_arena *arena, struct at_bytes raw)
{
	char *text = at_arena_alloc(arena, (raw.len < VALUE_MAX ? raw.len : VALUE_MAX) + 8);
	bool in_string = false;
	size_t len = 0, i = 0;

	for (; i < raw.len && len < VALUE_MAX; i++) {
		char c = raw.data[i];

		if (!in_string && strchr(" \t\r\n", c) && c)
			continue;
		text[len++] = c;
		if (in_string && c == '\\' && i + 1 < raw.len)
			text[len++] = raw.data[++i];
		else if (c == '"')
			in_string = !in_string;
	}
	if (i < raw.len) {
		/* Not in the middle of a character. */
		while (len > 0 && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
			len--;
		if (len > 0 && (unsigned char)text[len - 1] >= 0xc0)
			len--;
		memcpy(text + len, " …", strlen(" …") + 1);
	}
	return text;
}

static const char *hooks_are_off(const struct walk *w)
{
	const struct at_scope_file *off = at_scopes_winner(w->scopes, "disableAllHooks");
	const struct at_scope_file *managed = at_scopes_winner(w->scopes, "allowManagedHooksOnly");

	if (off && at_live_is_true(&off->live, "disableAllHooks"))
		return off->name;
	if (managed && managed->scope == AT_SCOPE_MANAGED && w->file->scope != AT_SCOPE_MANAGED &&
		at_live_is_true(&managed->live, "allowManagedHooksOnly"))
		return managed->name;
	return NULL;
}

static void judge_element(const struct walk *w, struct at_effective_value *value,
	const char *list, uint32_t node)
{
	char place[PATH_MAX];
	const char *text = at_json_is(w->doc, node, AT_JSON_STRING)
		? at_json_string(w->doc, node, w->out->arena).data : NULL;

	if (strncmp(list, "hooks", 5) == 0) {
		value->overridden_by = hooks_are_off(w);
		return;
	}
	if (!w->is_trusted && w->file->scope == AT_SCOPE_PROJECT &&
		(strcmp(list, "permissions.allow") == 0 ||
			strcmp(list, "permissions.additionalDirectories") == 0))
		value->remark = "not honoured before you trust this directory";
	for (size_t row = 0; text && row < AT_LEN(beaten); row++) {
		if (strcmp(beaten[row].loser, list) != 0 || !place_of(place, text, row, w))
			continue;
		for (size_t f = 0; f < w->scopes->count && !value->overridden_by; f++) {
			if (!at_set_has(&winners_of(w, f)[row], place))
				continue;
			value->overridden_by = w->scopes->files[f].name;
			value->remark = beaten[row].remark;
		}
	}
}

static struct at_effective_value start(const struct walk *w, const char *key, const char *value)
{
	return (struct at_effective_value){ .key = key, .value = value, .scope = w->file->scope,
		.origin = w->file->name };
}

static void say_rest(const struct walk *w, const char *key, size_t more)
{
	struct at_effective_value value = start(w, key,
		at_arena_printf(w->out->arena, "… %zu more, not listed", more));

	at_effective_add(w->out, &value);
}

static void walk_list(const struct walk *w, const char *list, uint32_t array)
{
	const char *key = at_arena_printf(w->out->arena, "%s[]", list);
	size_t count = 0;

	at_json_each(w->doc, i, array) {
		struct at_effective_value value;

		if (count++ == ELEMENTS_MAX) {
			say_rest(w, key, w->doc->nodes[array].count - ELEMENTS_MAX);
			return;
		}
		value = start(w, key, compact(w->out->arena, at_json_raw(w->doc, i)));
		judge_element(w, &value, list, i);
		at_effective_add(w->out, &value);
	}
}

static void add_scalar(const struct walk *w, const char *key, uint32_t node)
{
	struct at_effective_value value =
		start(w, key, compact(w->out->arena, at_json_raw(w->doc, node)));
	const struct at_scope_file *winner = at_scopes_winner(w->scopes, key);

	if (winner && winner != w->file)
		value.overridden_by = winner->name;
	at_effective_add(w->out, &value);
}

static void walk_value(const struct walk *w, const char *key, uint32_t node)
{
	size_t count = 0;

	if (at_json_is(w->doc, node, AT_JSON_ARRAY)) {
		walk_list(w, key, node);
		return;
	}
	if (!at_json_is(w->doc, node, AT_JSON_OBJECT)) {
		add_scalar(w, key, node);
		return;
	}
	at_json_each(w->doc, i, node) {
		const char *name = at_json_key(w->doc, i, w->out->arena).data;

		if (count++ == MEMBERS_MAX) {
			say_rest(w, key, w->doc->nodes[node].count - MEMBERS_MAX);
			return;
		}
		if (at_json_member(w->doc, node, name) == i) /* the last of a repeated key counts */
			walk_value(w, at_arena_printf(w->out->arena, "%s.%s", key, name), i);
	}
}

static void add_names(const struct walk *w, const char *parent, uint32_t object)
{
	size_t count = 0;

	at_json_each(w->doc, i, object) {
		const char *name = at_json_key(w->doc, i, w->out->arena).data;

		if (count++ == MEMBERS_MAX)
			return;
		at_effective_add_name(w->out, at_arena_printf(w->out->arena, "%s%s", parent, name),
			w->file->name);
	}
}

static void walk_file(const struct walk *w)
{
	static const char *const shown[] = { "sandbox", "permissions", "hooks", "disableAllHooks",
		"allowManagedHooksOnly" };
	size_t count = 0;

	at_json_each(w->doc, i, AT_JSON_ROOT) {
		const char *name = at_json_key(w->doc, i, w->out->arena).data;
		bool is_shown = false;

		for (size_t k = 0; k < AT_LEN(shown); k++)
			is_shown |= strcmp(shown[k], name) == 0;
		if (count++ == MEMBERS_MAX)
			return;
		if (at_json_member(w->doc, AT_JSON_ROOT, name) != i)
			continue;
		if (is_shown)
			walk_value(w, name, i);
		else if (strcmp(name, "env") == 0 && at_json_is(w->doc, i, AT_JSON_OBJECT))
			add_names(w, "env.", i);
		else
			at_effective_add_name(w->out, name, w->file->name);
	}
}

static void add_files(struct at_effective *out, const struct at_scopes *scopes)
{
	bool command_line_is_said = false;

	for (size_t i = 0; i < scopes->count; i++) {
		const struct at_scope_file *f = &scopes->files[i];
		struct at_effective_file file = { f->name, f->scope, f->live.exists, f->loads,
			!f->live.exists ? "not there"
			: f->loads	? "read by the client"
			: f->live.is_read ? "DROPPED WHOLE by the client: nothing in it counts"
					  : "cannot be read here" };

		if (f->scope > AT_SCOPE_COMMAND_LINE && !command_line_is_said) {
			at_effective_add_file(out, &(struct at_effective_file){
				"--settings, --setting-sources, --add-dir", AT_SCOPE_COMMAND_LINE,
				false, false, "not known here: it beats the files below" });
			command_line_is_said = true;
		}
		at_effective_add_file(out, &file);
	}
}

void at_claude_effective(struct at_effective *out, const struct at_project *project)
{
	struct at_scopes own;
	const struct at_scopes *scopes = at_scopes_of(&own, project, false);
	struct walk w = { .out = out, .project = project, .scopes = scopes };

	w.is_trusted = at_claude_trust(project) == AT_TRUST_YES;
	add_files(out, scopes);
	collect_winners(&w);
	for (size_t i = 0; i < scopes->count; i++) {
		w.file = &scopes->files[i];
		w.doc = &scopes->files[i].live.doc;
		if (w.file->loads)
			walk_file(&w);
	}
	at_claude_host_facts(out, project, scopes);
	for (size_t i = 0; i < scopes->count * AT_LEN(beaten); i++)
		at_set_free(&w.winners[i]);
	at_scopes_free(&own);
}
