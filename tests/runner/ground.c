#include "runner/ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fault.h"

void ground_open(struct ground *g)
{
	*g = (struct ground){ .dir = test_tree_new() };
	test_write(g->dir, "project/brief.json", "{}");
	test_write(g->dir, "state/.keep", "");
	snprintf(g->project, sizeof(g->project), "%s", test_path(g->dir, "project"));
	g->site.root = open(g->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g->site.state = -1;
	g->site.key = at_bytes_of(GROUND_KEY);
	assert_true(g->site.root >= 0);
	at_fault_set("no-sync");
}

void ground_close(struct ground *g)
{
	at_fault_set(NULL);
	if (g->site.state >= 0)
		close(g->site.state);
	close(g->site.root);
	test_tree_remove(g->dir);
}

struct at_time ground_time(const char *text)
{
	struct at_time time;

	assert_true(at_time_read(&time, at_bytes_of(text), NULL));
	return time;
}

struct at_time ground_then(void)
{
	return ground_time("2026-10-01T00:00:00+00:00");
}

void ground_vector(struct ground *g, const char *vector, const char *name)
{
	char from[128], to[128];
	struct at_buf text;

	snprintf(from, sizeof(from), "vectors/derived/%s", vector);
	snprintf(to, sizeof(to), ".agentteams/%s", name);
	text = test_read(NULL, from);
	test_write_bytes(g->project, to, text.data, text.len);
	at_buf_free(&text);
}

void ground_vectors(struct ground *g)
{
	ground_vector(g, "proposal-ledger.jsonl", "proposal-ledger.jsonl");
	ground_vector(g, "proposal-ledger.head", "proposal-ledger.head");
	ground_vector(g, "dispatches.jsonl", "dispatches.jsonl");
}

bool ground_append(struct ground *g, struct at_proposal_ledger *ledger, const char *action)
{
	struct at_canonical_object row = { 0 }, *rows[] = { &row };
	bool done;

	at_canonical_set_text(&row, "action", at_bytes_of(action));
	at_canonical_set_text(&row, "agent", at_bytes_of("tester"));
	done = at_proposal_ledger_append(ledger, rows, 1, ground_then(), &g->err);
	at_canonical_object_free(&row);
	return done;
}

bool ground_row(struct ground *g, const char *action)
{
	struct at_proposal_ledger *ledger;
	bool done;

	if (!at_proposal_ledger_open(&ledger, &g->site, NULL, NULL, &g->err))
		return false;
	done = ground_append(g, ledger, action);
	at_proposal_ledger_close(ledger);
	return done;
}

struct at_proposal_state ground_verify(struct ground *g)
{
	struct at_proposal_state state;

	if (!at_proposal_ledger_verify(&state, &g->site, NULL, NULL, &g->err))
		fail_msg("%s", g->err.message);
	return state;
}

struct at_json ground_json(const char *text)
{
	struct at_json doc;
	struct at_error err;

	if (!at_json_read(&doc, at_bytes_of(text), &at_json_settings_limits,
		    AT_JSON_ALLOW_DUPLICATES, &err))
		fail_msg("%s: %s", text, err.message);
	return doc;
}
