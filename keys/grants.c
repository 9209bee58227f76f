#include "keys/grants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uthash.h>

#include "core/file.h"
#include "core/mem.h"
#include "keys/field.h"
#include "keys/grant_spec.h"

struct judge {
	struct at_grants *out;
	const char *writer;
	struct at_grant_ground ground;
	at_grants_visit *visit;
	void *context;
};

static bool judge_row(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	struct judge *j = context;
	struct at_grant_verdict verdict;

	if (j->writer
		&& (!at_grant_is_for(row->cells, j->writer)
			|| !at_grant_has_op(row->cells[AT_GRANT_OPS], "write")))
		return true;
	at_grant_check(&verdict, &j->ground, row);
	*(verdict.is_valid ? &j->out->valid : &j->out->bad) += 1;
	j->out->widening += verdict.widens;
	return !j->visit || j->visit(j->context, row, &verdict, err);
}

static bool is_same_directory(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_ino == other.st_ino
		&& one.st_dev == other.st_dev;
}

/* KEY-6: a roster where the reference once looked names nobody now. */
void at_grants_warn(struct at_grants *out, const struct at_grants_site *site)
{
	out->warning[0] = '\0';
	if (at_file_type(site->ledger_root, AT_APPROVERS) == AT_FILE_ABSENT
		|| at_file_type(site->ledger_root, AT_APPROVERS) == AT_FILE_BLOCKED
		|| (site->team_dir >= 0 && is_same_directory(site->ledger_root, site->team_dir)))
		return;
	snprintf(out->warning, sizeof(out->warning),
		"WARNING: %s in the project root is not read: approvers of grants are those of the "
		"team directory. Move its names to %.200s/%s.",
		AT_APPROVERS, site->team_dir_path ? site->team_dir_path : "<team dir>",
		AT_APPROVERS);
}

/* Readies what rows are held against; the roster is in `arena`. */
static bool ready(struct judge *j, struct at_grants *out, const struct at_grants_site *site,
	struct at_roster *roster, struct at_arena *arena, struct at_error *err)
{
	*out = (struct at_grants){ 0 };
	*roster = (struct at_roster){ 0 };
	j->out = out;
	j->writer = site->writer;
	j->ground.hmac_key = site->hmac_key;
	j->ground.keys = site->keys;
	j->ground.roster = roster;
	j->ground.now = site->now;
	return site->team_dir < 0
		|| at_roster_load(roster, arena, site->team_dir, AT_APPROVERS, err);
}

bool at_grants_walk(struct at_grants *out, const struct at_grants_site *site,
	enum at_grant_mode mode, at_grants_visit *visit, void *context, struct at_error *err)
{
	struct judge j = { .ground = { .mode = mode }, .visit = visit, .context = context };
	struct at_arena *arena = at_arena_new();
	struct at_roster roster;
	bool done = ready(&j, out, site, &roster, arena, err);

	at_grants_warn(out, site);
	done = done
		&& at_ledger_walk(&out->ledger, &at_grant_kind, site->ledger_root, AT_GRANTS_PATH,
			site->keys, judge_row, &j, err);
	at_grant_ground_free(&j.ground);
	at_arena_free(arena);
	return done;
}

bool at_grants_page(const struct at_grants_site *site, struct at_ledger_mark from, size_t count,
	at_grants_visit *visit, void *context, struct at_error *err)
{
	struct judge j = { .visit = visit, .context = context };
	struct at_arena *arena = at_arena_new();
	struct at_roster roster;
	struct at_grants ignored;
	bool done = ready(&j, &ignored, site, &roster, arena, err)
		&& at_ledger_page(&at_grant_kind, site->ledger_root, AT_GRANTS_PATH, from, count,
			judge_row, &j, err);

	at_grant_ground_free(&j.ground);
	at_arena_free(arena);
	return done;
}

struct report {
	struct at_buf *problems;
	size_t cap, count;
};

static bool report_row(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct report *r = context;

	(void)row;
	(void)err;
	if (!verdict->is_valid && r->count++ < r->cap)
		at_buf_printf(r->problems, "  [BAD] %s\n", verdict->fault.message);
	return true;
}

static void put_place(struct at_buf *out, const char *what, const struct at_grants_site *site)
{
	at_buf_printf(out, "%s at %s/%s\n", what, site->ledger_root_path, AT_GRANTS_PATH);
}

bool at_grants_report(struct at_buf *out, struct at_buf *problems, int *status,
	const struct at_grants_site *site, size_t cap, struct at_error *err)
{
	struct at_buf rows = { 0 };
	struct report r = { &rows, cap, 0 };
	struct at_grants grants;
	bool done = at_grants_walk(&grants, site, AT_GRANT_FULL, report_row, &r, err);

	*status = 1;
	if (done && *grants.warning)
		at_buf_printf(problems, "  %s\n", grants.warning);
	if (done && grants.ledger.verdict == AT_LEDGER_ABSENT) {
		*status = 0;
		put_place(out, "No capability grants found", site);
	} else if (done && grants.ledger.verdict != AT_LEDGER_GOOD) {
		at_buf_printf(problems, "  [BAD] %s\n\n1 invalid capability grant(s).\n",
			grants.ledger.fault.message);
	} else if (done && grants.bad == 0) {
		*status = 0;
		put_place(out, "All capability grants valid", site);
	} else if (done) {
		at_buf_put(problems, at_buf_text(&rows), rows.len);
		if (r.count > r.cap)
			at_buf_printf(problems, "  … and %zu more\n", r.count - r.cap);
		at_buf_printf(problems, "\n%zu invalid capability grant(s).\n", grants.bad);
	}
	/* What stdout says is the reference's; that a tail could be missing is said beside it. */
	if (done && grants.ledger.verdict == AT_LEDGER_GOOD && grants.ledger.size
		&& (grants.ledger.head != AT_HEAD_ANCHORED || grants.ledger.torn
			|| grants.ledger.ragged)) {
		at_buf_puts(problems, "  NOTE: ");
		at_ledger_describe(problems, &grants.ledger);
		at_buf_putc(problems, '\n');
	}
	at_buf_free(&rows);
	return done;
}

/* What a row grants, whoever signed it: a row that is signed anew grants the same. */
struct granted {
	char *what;
	UT_hash_handle hh;
};

struct migrating {
	struct at_arena *arena;
	struct at_grant_migration *items;
	const char **whats; /* of each item */
	size_t count, cap, what_cap;
	struct granted *resigned;
};

static const unsigned char same[] = { AT_GRANT_ISSUER, AT_GRANT_HOLDER, AT_GRANT_TARGET,
	AT_GRANT_OPS, AT_GRANT_EXPIRES, AT_GRANT_ISSUER_ROOT };

static char *what_of(struct at_arena *arena, const struct at_bytes *cells)
{
	struct at_bytes values[AT_LEN(same)];
	struct at_buf text = { 0 };
	char *out;

	for (size_t i = 0; i < AT_LEN(same); i++)
		values[i] = cells[same[i]];
	at_field_join(&text, values, AT_LEN(same));
	out = at_arena_strndup(arena, at_buf_text(&text), text.len);
	at_buf_free(&text);
	return out;
}

static struct at_bytes keep(struct at_arena *arena, struct at_bytes value)
{
	value = at_field_strip(value);
	return (struct at_bytes){ at_arena_strndup(arena, value.data, value.len), value.len };
}

static const struct at_grant_spec *spec_of(struct at_arena *arena, const struct at_bytes *cells)
{
	struct at_grant_spec *spec = at_arena_alloc(arena, sizeof(*spec));
	struct at_bytes root = at_field_strip(cells[AT_GRANT_ISSUER_ROOT]);

	spec->issuer_team = keep(arena, cells[AT_GRANT_ISSUER]);
	spec->holder_team = keep(arena, cells[AT_GRANT_HOLDER]);
	spec->target_path = keep(arena, cells[AT_GRANT_TARGET]);
	spec->permitted_ops = keep(arena, cells[AT_GRANT_OPS]);
	spec->expires_at = keep(arena, cells[AT_GRANT_EXPIRES]);
	spec->approver = keep(arena, cells[AT_GRANT_APPROVER]);
	spec->ticket_id = keep(arena, cells[AT_GRANT_TICKET]);
	spec->reason_code = keep(arena, cells[AT_GRANT_REASON]);
	spec->max_uses = strtoll(keep(arena, cells[AT_GRANT_MAX_USES]).data, NULL, 10);
	if (root.len)
		spec->issuer_root = keep(arena, root);
	return spec;
}

static bool migrate_row(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct migrating *m = context;
	struct at_grant_migration *item;

	(void)err;
	if (!verdict->writes || verdict->scheme == AT_GRANT_UNKNOWN)
		return true;
	if (verdict->scheme == AT_GRANT_ED25519) {
		struct granted *granted, *old;

		if (!verdict->is_valid)
			return true;
		granted = at_arena_alloc(m->arena, sizeof(*granted));
		granted->what = what_of(m->arena, row->cells);
		HASH_FIND_STR(m->resigned, granted->what, old);
		if (!old)
			HASH_ADD_KEYPTR(
				hh, m->resigned, granted->what, strlen(granted->what), granted);
		return true;
	}
	m->items = at_grow(m->items, &m->cap, m->count, sizeof(*m->items));
	m->whats = at_grow(m->whats, &m->what_cap, m->count, sizeof(*m->whats));
	m->whats[m->count] = what_of(m->arena, row->cells);
	item = &m->items[m->count++];
	*item = (struct at_grant_migration){ .spec = spec_of(m->arena, row->cells),
		.grant_id = keep(m->arena, row->cells[AT_GRANT_ID]).data };
	/* A forged row is not made good by being signed anew. */
	if (!verdict->is_valid)
		item->why_not = at_arena_strdup(m->arena, verdict->fault.message);
	return true;
}

bool at_grants_migrations(struct at_grant_migration **out, size_t *count, struct at_arena *arena,
	const struct at_grants_site *site, struct at_error *err)
{
	struct migrating m = { .arena = arena };
	struct at_grants grants;
	bool done = at_grants_walk(&grants, site, AT_GRANT_MIGRATION, migrate_row, &m, err);

	*out = NULL;
	*count = 0;
	if (done && grants.ledger.verdict != AT_LEDGER_GOOD
		&& grants.ledger.verdict != AT_LEDGER_ABSENT)
		done = at_fail(err, AT_EREFUSED, "%s", grants.ledger.fault.message);
	for (size_t i = 0; i < m.count && done; i++) {
		struct granted *granted;

		HASH_FIND_STR(m.resigned, m.whats[i], granted);
		m.items[i].is_done = granted != NULL;
	}
	if (done && m.count) {
		*out = at_arena_alloc(arena, m.count * sizeof(**out));
		memcpy(*out, m.items, m.count * sizeof(**out));
		*count = m.count;
	}
	HASH_CLEAR(hh, m.resigned);
	free(m.items);
	free(m.whats);
	return done;
}
