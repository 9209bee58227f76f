#include "core/settings_check.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/settings_load.h"
#include "core/settings_parts.h"

/* Deep enough that "../.." still is an ancestor of the project, and no place of its own. */
#define SOMEWHERE "/@/@/@/@/@/@/@/@/project"
#define SOMEBODY "/@home"

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len >= tail && strcmp(text + len - tail, end) == 0;
}

static bool starts_with(struct at_bytes text, const char *start)
{
	size_t len = strlen(start);

	return text.len >= len && memcmp(text.data, start, len) == 0;
}

/* Nothing of the text is quoted: it may be an env value or a script with a secret. */
static void say_invalid(struct at_settings *s, struct at_bytes text, const struct at_error *err)
{
	size_t offset = SIZE_MAX;

	if (strcmp(err->id, "json-empty") == 0) {
		at_settings_say_at(s, AT_SF_EMPTY, SIZE_MAX,
			"The file is empty: the client goes on as if it were not there.");
		return;
	}
	if (err->line > 0 && err->line <= s->line_count)
		offset = s->lines[err->line - 1] + (err->column ? err->column - 1 : 0);
	at_settings_say_at(s, AT_SF_INVALID, offset,
		"This is no JSON that the client reads (%s).", *err->id ? err->id : "json-syntax");
	if (starts_with(text, "#!"))
		at_settings_say_at(s, AT_SF_OTHER_TOOL, 0,
			"The file is a script: some other tool makes the settings from it.");
}

/* The client stops at the first comment or trailing comma; the operator hears of both and
 * of what else there is, from a copy in which they are blanked. Returns that copy, to be
 * freed, when it parses. */
static char *read_relaxed(struct at_settings *s, struct at_json *doc, struct at_bytes text,
	const struct at_error *first)
{
	struct at_error err = *first;
	struct at_relaxed relaxed;
	char *copy = at_settings_relax(&relaxed, text);
	bool is_read = false;

	if (relaxed.comments || relaxed.commas)
		is_read = at_json_read(doc, (struct at_bytes){ copy, text.len },
			&at_json_settings_limits, AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES,
			&err);
	s->causes++;
	if (is_read && relaxed.comments)
		at_settings_say_at(s, AT_SF_COMMENT, relaxed.first_comment,
			"%zu comment%s: the client reads strict JSON and skips the whole file.",
			relaxed.comments, relaxed.comments == 1 ? "" : "s");
	if (is_read && relaxed.commas)
		at_settings_say_at(s, AT_SF_COMMA, relaxed.first_comma,
			"A comma before a closing bracket%s: the client skips the whole file.",
			relaxed.commas == 1 ? "" : " (the first of several)");
	if (is_read)
		return copy;
	free(copy);
	say_invalid(s, text, strcmp(err.id, "json-empty") == 0 ? first : &err);
	return NULL;
}

/* The causes are found first and summed up in front of them. */
static void sum_up(struct at_settings *s, size_t first)
{
	struct at_wiring *report = s->report;
	struct at_finding summary;

	if (s->causes == 0)
		return;
	at_settings_say_at(s, AT_SF_SKIPPED, SIZE_MAX,
		"The client would not load this file (%zu cause%s): nothing in it is in force, no "
		"sandbox, no hook, no rule, and the session runs on without a word.",
		s->causes, s->causes == 1 ? "" : "s");
	summary = report->findings[report->count - 1];
	memmove(report->findings + first + 1, report->findings + first,
		(report->count - 1 - first) * sizeof(summary));
	report->findings[first] = summary;
}

static void check_document(struct at_settings *s, size_t first)
{
	uint32_t root = AT_JSON_ROOT;

	if (!at_json_is(s->doc, root, AT_JSON_OBJECT)) {
		at_settings_drop(s, AT_SF_WRONG_TYPE, root, "",
			"The file must hold one object and holds %s.", at_settings_kind(s, root));
		sum_up(s, first);
		return;
	}
	s->dead = at_settings_dead(s->doc, s->arena);
	s->sandbox_is_on = at_settings_is_true(s, "sandbox.enabled");
	at_settings_keys_types(s);
	at_settings_hooks_shape(s);
	sum_up(s, first);
	if (s->place->load_only)
		return;
	at_settings_keys_repeated(s);
	at_settings_sandbox(s);
	at_settings_rules(s);
	at_settings_layers(s);
	at_settings_hooks(s);
	at_settings_keys_unknown(s);
	at_settings_env(s);
}

void at_settings_check(struct at_wiring *report, struct at_bytes text,
	const struct at_settings_place *place)
{
	bool is_placed = place->project && *place->project && place->project_fd >= 0;
	struct at_settings s = {
		.report = report, .place = place, .arena = at_arena_new(), .look = is_placed,
		.project = place->project && *place->project ? place->project : SOMEWHERE,
		.home = place->home && *place->home ? place->home : SOMEBODY,
		.is_main = !ends_with(place->name, "settings.local.json"),
		.is_managed = strstr(place->name, "managed-settings") != NULL,
	};
	bool name_is_read = !ends_with(place->name, ".jsonc");
	size_t first = report->count;
	struct at_error err = { 0 };
	struct at_json doc = { 0 };
	char *copy = NULL;
	bool is_read;

	s.lines = at_settings_lines(&s.line_count, text);
	if (!name_is_read) {
		s.causes++;
		at_settings_say_at(&s, AT_SF_NAME_UNREAD, SIZE_MAX,
			"The client reads no file of this name.");
	}
	is_read = place->doc || at_json_read(&doc, text, &at_json_settings_limits,
		AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, &err);
	if (!is_read) {
		copy = read_relaxed(&s, &doc, text, &err);
		is_read = copy != NULL;
	}
	if (is_read) {
		s.doc = place->doc ? place->doc : &doc;
		if (s.doc->bom)
			at_settings_say_at(&s, AT_SF_BOM, 0,
				"A byte order mark stands in front: this client reads past it, jq, "
				"Python's json and older readers stop there.");
		check_document(&s, first);
		at_settings_say_rest(&s);
		at_json_free(&doc);
	} else {
		sum_up(&s, first);
	}
	report->file_is_loaded = s.causes == 0;
	free(copy);
	free(s.lines);
	at_arena_free(s.arena);
}
