/* The pins of a source tree, ours or another's. (INT-1, INT-4) */
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "emit/claude_gate.h"
#include "emit/integrity_impl.h"

#define REPIN \
	"After an intended change: atconsole --write-integrity-manifest. Else find out who " \
	"changed it; git shows how."

/* One recorded file, which the table may know no more. */
static void list_pin(struct at_integrity *in, const struct at_pin *pin, bool is_known)
{
	struct at_integrity_item *item = at_integrity_add(in, AT_PART_PINS,
		at_arena_strdup(in->arena, pin->path), is_known ? AT_HOW_PIN : AT_HOW_DONE);

	memcpy(item->expected, pin->sha256, sizeof(item->expected));
	if (!is_known)
		at_integrity_tell(item, AT_STILL_MISSING, AT_FAIL,
			"A manifest pins it, and it is no source that the table pins.", REPIN);
}

static void list_source(struct at_integrity *in, const struct at_pins *recorded, const char *path)
{
	const struct at_pin_rule *rule = at_pin_rule_of(path);
	const struct at_pin *pin = at_pins_find(recorded, path);
	struct at_integrity_item *item;

	if (rule && rule->is_pinned && pin) {
		list_pin(in, pin, true);
		return;
	}
	if (rule && !rule->is_pinned)
		return;
	item = at_integrity_add(
		in, AT_PART_PINS, at_arena_strdup(in->arena, path), AT_HOW_DONE);
	at_integrity_tell(item, AT_STILL_UNMANIFESTED, AT_FAIL,
		rule ? "It is to be pinned, and the manifest does not."
		     : "It is neither pinned nor exempt.",
		rule ? REPIN : "Give it a row in core/integrity.def.");
}

/* Of our own tree the table says what has to be there: an entry taken out is found. */
static void list_own(struct at_integrity *in, const struct at_pins *recorded)
{
	struct at_pins sources;
	struct at_error err;

	at_pins_init(&sources);
	if (!at_pins_list_sources(&sources, in->ground.project->fd, &err))
		at_integrity_tell(at_integrity_add(in, AT_PART_PINS, AT_INTEGRITY_MANIFEST,
					  AT_HOW_DONE),
			AT_STILL_UNREADABLE, AT_FAIL, at_arena_strdup(in->arena, err.message), "");
	for (size_t i = 0; i < sources.count; i++)
		list_source(in, recorded, sources.items[i].path);
	for (size_t i = 0; i < recorded->count; i++) {
		const struct at_pin *pin = &recorded->items[i];
		const struct at_pin_rule *rule = at_pin_rule_of(pin->path);

		if (!at_pins_find(&sources, pin->path) || (rule && !rule->is_pinned))
			list_pin(in, pin, false);
	}
	at_pins_free(&sources);
}

static void list_recorded(struct at_integrity *in, const struct at_file *file, const char *place,
	bool is_own)
{
	struct at_pins recorded;
	struct at_error err;

	at_pins_init(&recorded);
	if (!at_pins_read(&recorded, at_buf_bytes(&file->bytes), &err))
		at_integrity_tell(at_integrity_add(in, AT_PART_PINS, place, AT_HOW_DONE),
			AT_STILL_UNREADABLE, AT_FAIL,
			err.line ? at_arena_printf(in->arena, "line %u, column %u: %s", err.line,
					   err.column, err.message)
				 : at_arena_strdup(in->arena, err.message),
			"Restore it from your version control, or write it anew.");
	else if (is_own)
		list_own(in, &recorded);
	else
		for (size_t i = 0; i < recorded.count; i++)
			list_pin(in, &recorded.items[i], true);
	at_pins_free(&recorded);
}

/* False when there is nothing, and nothing was expected. */
static bool list_manifest(struct at_integrity *in, const char *place, bool is_own,
	bool is_expected)
{
	struct at_file file;
	struct at_error err;

	if (!at_file_read(&file, in->ground.project->fd, place, AT_FILE_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, &err)) {
		at_integrity_tell(at_integrity_add(in, AT_PART_PINS, place, AT_HOW_DONE),
			AT_STILL_UNREADABLE, AT_FAIL, at_arena_strdup(in->arena, err.message),
			"Restore it from your version control.");
		return true;
	}
	if (file.exists)
		list_recorded(in, &file, place, is_own);
	else if (is_own || is_expected)
		at_integrity_tell(at_integrity_add(in, AT_PART_PINS, place, AT_HOW_DONE),
			AT_STILL_MANIFEST_MISSING, AT_FAIL,
			"An integrity manifest is expected here and is not there.",
			"Restore it from your version control.");
	is_expected |= file.exists || is_own;
	at_file_free(&file);
	return is_expected;
}

void at_integrity_list_pins(struct at_integrity *in)
{
	const struct at_project *project = in->ground.project;
	const char *of_team = at_arena_printf(
		in->arena, "%s/" AT_INTEGRITY_MANIFEST, project->team_dir);
	struct at_gate_pin pin;
	const char *expected;
	bool any;

	at_gate_pin(&pin, project);
	expected = at_gate_manifest(project, &pin, in->arena);
	any = list_manifest(in, AT_INTEGRITY_MANIFEST, at_integrity_is_own_tree(project->fd),
		strcmp(expected, AT_INTEGRITY_MANIFEST) == 0);
	any |= list_manifest(in, of_team, false, strcmp(expected, of_team) == 0);
	if (!any)
		at_integrity_tell(at_integrity_add(in, AT_PART_PINS, AT_INTEGRITY_MANIFEST,
					  AT_HOW_DONE),
			AT_STILL_UNKNOWN, AT_NOTE,
			"There is no integrity manifest, and none is expected: git tracks none, "
			"and this is no source tree of atconsole.", "");
}

void at_integrity_check_pin(struct at_integrity *in, struct at_integrity_item *item)
{
	enum at_integrity_state state = at_integrity_hold(
		in, item, in->ground.project->fd, item->path, AT_FILE_CAP);

	if (state == AT_STILL_SAME)
		at_integrity_tell(item, state, AT_OKAY, "It is as it was pinned.", "");
	else if (state == AT_STILL_UNREADABLE)
		at_integrity_tell(item, state, AT_FAIL, item->text, REPIN);
	else
		at_integrity_tell(item, state, AT_FAIL,
			state == AT_STILL_MISSING ? "It is pinned and is not there."
						  : "It is not what was pinned.", REPIN);
}
