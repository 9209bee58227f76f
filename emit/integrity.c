#include "emit/integrity.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "emit/integrity_impl.h"

#define PROGRAM_CAP ((size_t)64 << 20)

static const char *const words[] = {
	[AT_STILL_PENDING] = "...",
	[AT_STILL_SAME] = "same",
	[AT_STILL_OLDER] = "older release",
	[AT_STILL_EDITED] = "edited",
	[AT_STILL_MISSING] = "missing",
	[AT_STILL_UNMANIFESTED] = "unmanifested",
	[AT_STILL_UNREADABLE] = "unreadable",
	[AT_STILL_MANIFEST_MISSING] = "manifest-missing",
	[AT_STILL_OTHER] = "other build",
	[AT_STILL_ABSENT] = "not installed",
	[AT_STILL_KEPT] = "yours",
	[AT_STILL_UNKNOWN] = "cannot verify",
};

const char *at_integrity_word(const struct at_integrity_item *item)
{
	return item->state == AT_STILL_EDITED && item->part == AT_PART_PINS ? "modified"
									     : words[item->state];
}

const char *at_integrity_part_name(enum at_integrity_part part)
{
	static const char *const names[] = {
		[AT_PART_ARTEFACTS] = "Emitted here",
		[AT_PART_PINS] = "Pinned source",
		[AT_PART_RECORDS] = "Recorded here",
		[AT_PART_BUILD] = "This build",
	};

	return names[part];
}

struct at_integrity_item *at_integrity_add(struct at_integrity *in, enum at_integrity_part part,
	const char *path, enum at_integrity_how how)
{
	in->items = at_grow(in->items, &in->cap, in->count, sizeof(*in->items));
	in->items[in->count] = (struct at_integrity_item){
		.part = part, .path = path, .text = "", .remedy = "", .change = AT_NO_CHANGE,
		.how = how
	};
	return &in->items[in->count++];
}

void at_integrity_tell(struct at_integrity_item *item, enum at_integrity_state state,
	enum at_level level, const char *text, const char *remedy)
{
	item->state = state;
	item->level = level;
	item->text = text;
	item->remedy = remedy;
}

enum at_integrity_state at_integrity_hold(struct at_integrity *in, struct at_integrity_item *item,
	int root, const char *path, size_t cap)
{
	struct at_file file;
	struct at_error err;
	bool exists;

	if (!at_file_read(&file, root, path, cap, AT_FILE_MAY_BE_ABSENT, &err)) {
		item->text = at_arena_strdup(in->arena, err.message);
		return AT_STILL_UNREADABLE;
	}
	exists = file.exists;
	in->hashed += file.bytes.len;
	if (exists)
		at_digest_hex(item->got, &file.digest);
	at_file_free(&file);
	if (!exists)
		return AT_STILL_MISSING;
	return *item->expected
			&& strncmp(item->expected, item->got, strlen(item->expected)) == 0
		? AT_STILL_SAME : AT_STILL_EDITED;
}

/* --- this build ----------------------------------------------------------------------- */

static void list_build(struct at_integrity *in)
{
	for (size_t i = 0; i < in->ground.program_count; i++)
		at_integrity_add(in, AT_PART_BUILD, in->ground.programs[i].name, AT_HOW_PROGRAM)
			->change = i;
	for (size_t i = 0; i < at_built_in_count; i++)
		at_integrity_add(in, AT_PART_BUILD,
			at_arena_printf(in->arena, "built in: %s", at_built_in[i].file),
			AT_HOW_BUILT_IN)->change = i;
}

static void check_program(struct at_integrity *in, struct at_integrity_item *item)
{
	const struct at_integrity_program *program = &in->ground.programs[item->change];
	enum at_integrity_state state = AT_STILL_MISSING;
	enum at_level bad = program->is_installed ? AT_FAIL : AT_WARN;
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	item->change = AT_NO_CHANGE;
	if (*program->path == '/' && root >= 0) {
		memcpy(item->expected, program->sha256, strlen(program->sha256) + 1);
		item->path = at_arena_strdup(in->arena, program->path);
		state = at_integrity_hold(in, item, root, program->path + 1, PROGRAM_CAP);
	}
	if (root >= 0)
		close(root);
	if (state == AT_STILL_SAME)
		at_integrity_tell(item, state, AT_OKAY, "It is the program of this build.", "");
	else if (state == AT_STILL_UNREADABLE)
		at_integrity_tell(item, state, bad, item->text, "Install it again.");
	else if (state == AT_STILL_EDITED && !program->is_installed)
		at_integrity_tell(item, AT_STILL_OTHER, bad,
			"It is not the program that was built with this atconsole, nor of its "
			"installation.", "Install both from one build to have them compared.");
	else if (state == AT_STILL_EDITED)
		at_integrity_tell(item, state, bad,
			"It is not the program that was built and installed with this atconsole.",
			"Install it again, unstripped: stripping changes its bytes. If nobody "
			"did that, find out who replaced it.");
	else if (program->is_installed)
		at_integrity_tell(item, state, bad, "It was installed and is not there.",
			"Install it again.");
	else
		at_integrity_tell(item, AT_STILL_ABSENT, AT_NOTE,
			"It is not installed here, so there is nothing to compare.", "");
}

static void check_built_in(struct at_integrity_item *item)
{
	const struct at_built_in *asset = &at_built_in[item->change];
	struct at_digest digest = at_digest_of(*asset->bytes);

	item->change = AT_NO_CHANGE;
	memcpy(item->expected, asset->sha256, strlen(asset->sha256) + 1);
	at_digest_hex(item->got, &digest);
	if (strcmp(item->expected, item->got) == 0)
		at_integrity_tell(item, AT_STILL_SAME, AT_OKAY,
			"What is emitted from it is what was compiled in.", "");
	else
		at_integrity_tell(item, AT_STILL_EDITED, AT_FAIL,
			"The bytes in this program are not those it was built from.",
			"Install atconsole again, and find out who changed it.");
}

/* --- the walk ------------------------------------------------------------------------- */

void at_integrity_begin(struct at_integrity *out, const struct at_integrity_ground *ground)
{
	*out = (struct at_integrity){ .arena = at_arena_new(), .ground = *ground };
	at_integrity_list_artefacts(out);
	at_integrity_list_pins(out);
	list_build(out);
}

static void check(struct at_integrity *in, struct at_integrity_item *item)
{
	switch ((enum at_integrity_how)item->how) {
	case AT_HOW_PIN:
		at_integrity_check_pin(in, item);
		break;
	case AT_HOW_PROGRAM:
		check_program(in, item);
		break;
	case AT_HOW_BUILT_IN:
		check_built_in(item);
		break;
	case AT_HOW_ARTEFACT:
		at_integrity_check_artefact(in, item);
		break;
	case AT_HOW_RECORD:
		at_integrity_check_record(in, item);
		break;
	case AT_HOW_DONE:
		break;
	}
	item->how = AT_HOW_DONE;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

bool at_integrity_is_done(const struct at_integrity *in)
{
	return in->next == in->count && in->team == AT_INTEGRITY_TEAMS;
}

bool at_integrity_work(struct at_integrity *in, int ms)
{
	long end = now_ms() + ms;

	while (!at_integrity_is_done(in)) {
		if (in->next < in->count) {
			check(in, &in->items[in->next++]);
		} else {
			at_integrity_list_records(in);
			in->team++;
		}
		if (ms >= 0 && now_ms() >= end)
			break;
	}
	return !at_integrity_is_done(in);
}

void at_integrity_free(struct at_integrity *in)
{
	free(in->items);
	at_arena_free(in->arena);
	*in = (struct at_integrity){ 0 };
}

enum at_level at_integrity_worst(const struct at_integrity *in)
{
	enum at_level worst = AT_OKAY;

	for (size_t i = 0; i < in->count; i++)
		if (in->items[i].level > worst)
			worst = in->items[i].level;
	return worst;
}
