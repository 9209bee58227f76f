#include "views/merge_model.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

#define RECORD "merged/claude-settings.json"

static const struct at_change *find_example(const struct at_collected *collected)
{
	for (size_t i = 0; i < collected->plan.count; i++) {
		const struct at_change *change = &collected->plan.changes[i];
		const char *slash = strrchr(change->path, '/');

		if (slash && strcmp(slash + 1, "settings.hooks.example.json") == 0)
			return change;
	}
	return NULL;
}

static const struct at_change *need_example(const struct at_collected *collected,
	struct at_error *err)
{
	const struct at_change *example;

	if (!collected->is_planned) {
		*err = collected->plan_error;
		return NULL;
	}
	example = find_example(collected);
	if (!example) {
		at_fail(err, AT_EREFUSED, "this framework has no settings file to merge into");
		return NULL;
	}
	if (example->kind == AT_SAME)
		return example;
	at_fail(err, AT_ESTALE,
		example->kind == AT_CREATE ? "nothing is emitted yet: %s is not there"
					   : "%s is not what this version emits: edited, or older",
		example->path);
	at_error_path(err, example->path);
	at_error_hint(err, "Run atconsole --update first.");
	return NULL;
}

static bool is_record(const struct at_file *file, struct at_error *err)
{
	struct at_json doc;
	bool ok;

	if (!at_json_read(&doc, at_buf_bytes(&file->bytes), &at_json_settings_limits, 0, err))
		return false;
	ok = at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT);
	at_json_free(&doc);
	return ok || at_fail(err, AT_EINVALID, "the record of the last merge holds no JSON object");
}

/* What is wrong with our own record is not to be mended in the operator's file. */
static bool read_record(struct at_merge_model *model, struct at_file *out, struct at_error *err)
{
	const struct at_state *state = &model->session->state;
	char path[PATH_MAX + sizeof(RECORD)];

	memset(out, 0, sizeof(*out));
	if (state->fd < 0)
		return true;
	if (at_file_read(out, state->fd, RECORD, AT_SETTINGS_CAP, AT_FILE_MAY_BE_ABSENT, err)
		&& (!out->exists || is_record(out, err)))
		return true;
	at_file_free(out);
	snprintf(path, sizeof(path), "%s/" RECORD, state->path);
	at_error_path(err, path);
	at_error_hint(err,
		"It is the record of the last merge. Move it away: the next merge then compares "
		"two ways and takes nothing out.");
	return false;
}

/* Of all that a merge is made from but the live file's bytes: those are many, and compared. */
static struct at_digest digest_of_inputs(const struct at_merge_model *model,
	const struct at_merge_input *in)
{
	struct at_digest of[] = { at_digest_of(in->ours), model->record.digest,
		at_digest_of(in->optional),
		at_digest_of(at_bytes_of(in->hook_fault ? in->hook_fault : "")) };
	struct at_buf all = { 0 };
	struct at_digest digest;

	for (size_t i = 0; i < AT_LEN(of); i++)
		at_buf_put(&all, &of[i], sizeof(of[i]));
	at_buf_printf(&all, "%d%d%d %s", in->live_exists, in->has_base, (int)model->live.place,
		model->live.path);
	digest = at_digest_of(at_buf_bytes(&all));
	at_buf_free(&all);
	return digest;
}

static struct at_merge_input input_of(const struct at_merge_model *model,
	const struct at_change *example, const struct at_collected *collected)
{
	const struct at_session *session = model->session;
	const char *optional = at_frameworks[session->manifest.framework]->optional;

	return (struct at_merge_input){
		.live = at_buf_bytes(&model->live.file.bytes),
		.live_exists = model->live.file.exists,
		.ours = example->bytes,
		.base = at_buf_bytes(&model->record.bytes),
		.has_base = model->record.exists,
		.optional = at_bytes_of(optional ? optional : ""),
		.hook_fault = at_collected_gate_fault(collected, session),
		.place = { session->path, session->host.home, session->host.platform },
		.roots = session->manifest.roots,
		.root_count = session->manifest.root_count,
	};
}

bool at_merge_model_open(struct at_merge_model *out, struct at_session *session,
	const struct at_collected *collected, const char *agreed, struct at_error *err)
{
	const struct at_change *example;
	struct at_merge_input in;

	memset(out, 0, sizeof(*out));
	out->session = session;
	if (!at_session_need_request(session, err))
		return false;
	example = need_example(collected, err);
	if (!example
		|| !at_settings_file_read(
			&out->live, session->project.fd, session->path, agreed, err))
		return false;
	if (!read_record(out, &out->record, err)) {
		at_settings_file_free(&out->live);
		return false;
	}
	in = input_of(out, example, collected);
	out->inputs = digest_of_inputs(out, &in);
	if (at_merge_open(&out->merge, &in, err))
		return true;
	if (!*err->path)
		at_error_path(err, out->live.path);
	if (!*err->hint)
		at_error_hint(err,
			"The client would load nothing of this file. Mend it by hand; it "
			"stays untouched until it parses.");
	at_settings_file_free(&out->live);
	at_file_free(&out->record);
	return false;
}

bool at_merge_model_is_still(struct at_merge_model *model, const struct at_collected *collected,
	const char *agreed)
{
	const struct at_session *session = model->session;
	const struct at_change *example;
	struct at_merge_input in;
	struct at_digest inputs;
	struct at_error err;

	example = at_session_need_request(session, &err) ? need_example(collected, &err) : NULL;
	if (!example)
		return false;
	in = input_of(model, example, collected);
	inputs = digest_of_inputs(model, &in);
	return at_digest_equal(&inputs, &model->inputs)
		&& (session->state.fd < 0
				? !model->record.exists
				: at_file_is_still(&model->record, session->state.fd, RECORD))
		&& at_settings_file_is_still(
			&model->live, session->project.fd, session->path, agreed);
}

/* The bytes stay where they are: a diff and a result may point into them. */
static void renew(struct at_file *file, const struct at_file *now)
{
	struct at_buf bytes = file->bytes;

	*file = *now;
	file->bytes = bytes;
}

bool at_merge_model_take_over(struct at_merge_model *model, struct at_merge_model *again)
{
	struct at_file live = again->live.file, record = again->record;

	if (!at_digest_equal(&model->inputs, &again->inputs)
		|| !at_bytes_equal(at_buf_bytes(&model->live.file.bytes),
			at_buf_bytes(&live.bytes)))
		return false;
	at_merge_model_close(again);
	renew(&model->live.file, &live);
	renew(&model->record, &record);
	return true;
}

void at_merge_model_close(struct at_merge_model *model)
{
	at_merge_free(model->merge);
	at_settings_file_free(&model->live);
	at_file_free(&model->record);
}

/* What at_plan_add() saw now must be what the operator saw then. */
static bool is_still(const struct at_merge_model *model, const struct at_change *change,
	struct at_error *err)
{
	const struct at_file *file = &model->live.file;

	if (change->kind == AT_CREATE
			? !file->exists
			: file->exists
				&& at_digest_equal(
					&change->old, at_merge_live_digest(model->merge)))
		return true;
	at_fail(err, AT_ESTALE, "%s changed while you were deciding: nothing is written",
		change->path);
	at_error_path(err, change->path);
	at_error_hint(err, "Read it again (F5, or run the command again) and look once more.");
	return false;
}

static bool make_plan(
	const struct at_merge_model *model, struct at_plan *plan, struct at_error *err)
{
	struct at_session *session = model->session;
	struct at_buf record = { 0 };
	struct at_bytes result;
	bool on_host = model->live.place == AT_ON_HOST;
	int root = on_host ? open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : session->project.fd;
	bool ok = at_merge_result(model->merge, &result, err)
		&& at_merge_new_base(model->merge, &record, err)
		&& at_plan_add(plan, root, model->live.place, model->live.path, result, 0644,
			AT_PLAN_WRITE, "the merged settings", err)
		&& at_plan_add(plan, session->state.fd, AT_IN_STATE, RECORD, at_buf_bytes(&record),
			0600, AT_PLAN_WRITE, "the record of this merge", err)
		&& (plan->changes[0].kind == AT_SAME || is_still(model, &plan->changes[0], err));

	if (on_host && root >= 0)
		close(root);
	at_buf_free(&record);
	return ok;
}

bool at_merge_model_write(
	struct at_merge_model *model, struct at_applied *out, struct at_error *err)
{
	struct at_session *session = model->session;
	struct at_merge_totals totals;
	struct at_plan plan;
	bool ok;

	memset(out, 0, sizeof(*out));
	at_merge_count_up(&totals, model->merge);
	if (totals.selected == 0)
		return true;
	if (!at_session_may_write_live(session, err))
		return false;
	at_plan_init(&plan);
	ok = make_plan(model, &plan, err);
	if (ok)
		ok = at_plan_apply(&plan, session->project.fd, &session->state, "merge", out, err);
	at_plan_free(&plan);
	return ok;
}
