/* mode_sign_decision.c - --sign-decision SPEC: shown, confirmed, signed, appended.
 * (reference-ledgers 1.10; WIRE-16, WIRE-17) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "keys/decision_sign.h"
#include "views/decision_ground.h"
#include "views/modes.h"
#include "views/operator_key.h"
#include "views/out.h"

struct signing {
	struct at_session *session;
	struct at_arena *arena;
	struct at_clearance_ground ground;
	struct at_decision_spec spec;
	struct at_decision_signed shown, done;
	char review[AT_DIGEST_HEX];
	bool is_done;
};

/* The operator names the file; its directory may be anywhere, the file is read with every care. */
static bool read_spec(struct signing *in, struct at_error *err)
{
	const char *path = in->session->options->sign_decision, *slash = strrchr(path, '/');
	char *parent = slash ? at_arena_strndup(in->arena, path, (size_t)(slash - path)) : NULL;
	char *directory = realpath(!slash ? "." : *parent ? parent : "/", NULL);
	struct at_file file;
	bool done;
	int dir;

	if (!directory)
		return at_fail(err, AT_ENOENT, "there is no directory of `%s`", path);
	dir = at_file_open_dir(-1, directory, err);
	free(directory);
	if (dir < 0)
		return false;
	done = at_file_read(
		&file, dir, slash ? slash + 1 : path, AT_DECISION_SPEC_CAP, AT_FILE_NO_DIGEST, err);
	close(dir);
	if (!done)
		return false;
	done = at_decision_spec_read(&in->spec, in->arena, at_buf_bytes(&file.bytes), err);
	at_file_free(&file);
	if (!done)
		at_error_path(err, path);
	return done;
}

static const char *opens(const struct at_decision_spec *spec)
{
	struct at_bytes verdict = spec->field[AT_SPEC_VERDICT];

	if (at_bytes_equal_text(verdict, "HALT"))
		return "stops the action until a HALT-RETRACTED row says why it no longer has to";
	if (at_bytes_equal_text(verdict, "HALT-RETRACTED"))
		return "closes every open HALT of the action; it clears nothing by itself";
	return "clears the action once, for whoever asks first";
}

static void show(const struct signing *in)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text,
		"row %zu of %s/" AT_DECISIONS "\nsigned are these bytes:\n  %s\n"
		"it %s\nreview %s\n",
		in->shown.row, in->ground.team_path, in->shown.payload, opens(&in->spec),
		in->review);
	at_out_text(&text);
	at_buf_free(&text);
}

static bool is_terminal(const struct at_session *session)
{
	return isatty(0) && isatty(1) && !session->options->batch && !session->options->json;
}

static bool confirm(const struct signing *in, struct at_error *err)
{
	const char *given = in->session->options->confirm_review;
	char answer[16];

	if (given && strcmp(given, in->review) == 0)
		return true;
	if (given) {
		at_fail(err, AT_ESTALE, "the review named is not of this decision; it is %s now",
			in->review);
		return false;
	}
	if (!is_terminal(in->session)) {
		at_fail(err, AT_EREFUSED, "nothing is signed unseen: name the review");
		at_error_hint(err,
			"Look at it with --dry-run, then add --confirm-review-sha256 %s.",
			in->review);
		return false;
	}
	printf("Sign this payload? [y/N] ");
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	return at_fail(err, AT_EREFUSED, "not confirmed: nothing was signed");
}

static bool sign(struct signing *in, struct at_error *err)
{
	struct at_key_pair key;

	if (!at_operator_key_load(&key, in->session, in->spec.field[AT_SPEC_KEY_ID], err))
		return false;
	in->is_done = at_decision_sign(
		&in->done, in->arena, &in->ground, &in->spec, &in->shown, &key.seed, err);
	at_key_close(&key);
	return in->is_done;
}

static void report_json(const struct signing *in)
{
	struct at_json_value *json = at_json_object();

	at_json_add_number(json, "row", (long long)in->shown.row);
	at_json_add_text(json, "payload", in->shown.payload);
	at_json_add_text(json, "review", in->review);
	at_json_add_text(json, "opens", opens(&in->spec));
	at_json_add_bool(json, "written", in->is_done);
	if (in->is_done)
		at_json_add_bool(json, "anchored", in->done.appended.head == AT_HEAD_ANCHORED);
	at_out_json(json);
}

static void report(const struct signing *in)
{
	if (in->session->options->json) {
		report_json(in);
		return;
	}
	if (!in->is_done) {
		printf("nothing was signed\n");
		return;
	}
	printf("Signed security decision: row %zu (ed25519)\n", in->done.row);
	if (in->done.appended.head != AT_HEAD_ANCHORED)
		at_out_note("the row stands, but not anchored: %s",
			in->done.appended.head_fault.message);
	if (in->done.appended.torn)
		at_out_note("%zu bytes of a torn last line were moved to " AT_DECISIONS ".torn",
			in->done.appended.torn);
}

static bool run(struct signing *in, struct at_error *err)
{
	const struct at_options *options = in->session->options;
	struct at_digest review;

	if (!options->dry_run
		&& !(at_session_may_use_keys(in->session, err)
			&& at_environment_has_no_key(in->session, err)))
		return false;
	if (!read_spec(in, err) || !at_decision_ground_open(&in->ground, in->session, err)
		|| !at_decision_preview(
			&in->shown, in->arena, &in->ground, &in->spec, at_time_now(), err))
		return false;
	review = at_decision_review(&in->spec, in->ground.team_path);
	at_digest_hex(in->review, &review);
	if (!options->json)
		show(in);
	if (!options->dry_run && !(confirm(in, err) && sign(in, err)))
		return false;
	report(in);
	return true;
}

int at_mode_sign_decision(struct at_session *session)
{
	struct signing in = { .session = session, .arena = at_arena_new(), .ground.team = -1 };
	struct at_error err;
	int status = run(&in, &err) ? 0 : at_out_error(&err);

	at_decision_ground_close(&in.ground);
	at_arena_free(in.arena);
	return status;
}
