#include "runner/serve_ground.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fault.h"
#include "runner/proposals/ledger.h"

void serve_open(struct serve_ground *g, const char *brief)
{
	static char home[600];

	*g = (struct serve_ground){ .dir = test_tree_new() };
	at_fault_set("no-sync");
	snprintf(g->project, sizeof(g->project), "%s/project", g->dir);
	snprintf(g->home, sizeof(g->home), "%s/home", g->dir);
	test_write(g->project, "brief.json", brief ? brief : SERVE_BRIEF);
	test_write(g->project, "docs/a.md", "one\n");
	test_write(g->home, ".config/agentteams/keys/proposal-ledger.key", SERVE_KEY "\n");
	assert_int_equal(chmod(test_path(g->home, ".config/agentteams/keys/proposal-ledger.key"),
		0600), 0);
	snprintf(g->brief, sizeof(g->brief), "%s/brief.json", g->project);
	snprintf(home, sizeof(home), "HOME=%s", g->home);
	g->environment[0] = home;
	g->agents[0] = g->project;
	assert_true(at_state_find(&g->state, g->project, g->home, NULL, &g->err));
	g->setup = (struct at_runner_setup){ .project = g->project,
		.root = open(g->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .state = &g->state,
		.home = g->home, .environment = g->environment, .brief = g->brief,
		.brief_place = "brief.json", .place = { g->agents, 1 } };
	assert_true(g->setup.root >= 0);
}

void serve_close(struct serve_ground *g)
{
	serve_stop(g);
	at_state_close(&g->state);
	close(g->setup.root);
	test_tree_remove(g->dir);
	at_fault_set(NULL);
}

bool serve_start(struct serve_ground *g)
{
	return at_runner_open(&g->runner, &g->setup, &g->err);
}

void serve_must_start(struct serve_ground *g)
{
	if (!serve_start(g))
		fail_msg("%s (%s)", g->err.message, g->err.id);
}

void serve_stop(struct serve_ground *g)
{
	at_runner_close(g->runner);
	g->runner = NULL;
}

size_t serve_turn(struct serve_ground *g)
{
	size_t served;

	if (!at_runner_turn(g->runner, 0, &served, &g->err))
		fail_msg("%s (%s)", g->err.message, g->err.id);
	return served;
}

static void fill(char out[AT_QUEUE_ID], char id)
{
	memset(out, id, AT_QUEUE_ID - 1);
	out[AT_QUEUE_ID - 1] = '\0';
}

void serve_put(struct serve_ground *g, const char *dir, char id, const char *text)
{
	char name[AT_QUEUE_ID], temp[128], path[128], from[700], to[700];

	fill(name, id);
	snprintf(temp, sizeof(temp), "%s/.new.tmp", dir);
	snprintf(path, sizeof(path), "%s/%s.json", dir, name);
	test_write(g->project, temp, text);
	snprintf(from, sizeof(from), "%s/%s", g->project, temp);
	snprintf(to, sizeof(to), "%s/%s", g->project, path);
	assert_int_equal(rename(from, to), 0);
}

void serve_stage(struct serve_ground *g, char id, const char *path, const char *base,
	const char *content)
{
	char text[4096];

	snprintf(text, sizeof(text),
		"{\"kind\": \"stage-proposal\", \"via_agent\": \"writer\", \"artifact\": "
		"{\"kind\": \"%s\", \"dispatch\": \"%s\", \"path\": \"%s\", \"base_sha256\": "
		"\"%s\", %s%s%s\"rationale\": \"because\"}}",
		content ? "change-proposal" : "delete-proposal", g->nonce, path, base,
		content ? "\"content\": \"" : "", content ? content : "", content ? "\", " : "");
	serve_put(g, AT_QUEUE_MCP, id, text);
}

const char *serve_result(struct serve_ground *g, char id)
{
	static struct at_buf text;
	char name[AT_QUEUE_ID], path[128];

	fill(name, id);
	snprintf(path, sizeof(path), AT_QUEUE_RESULTS "/%s.json", name);
	at_buf_free(&text);
	if (!test_exists(g->project, path))
		return "";
	text = test_read(g->project, path);
	return at_buf_text(&text);
}

const char *serve_ask(struct serve_ground *g, const char *request)
{
	static struct at_buf text;

	at_buf_free(&text);
	if (!at_runner_ask(g->runner, at_bytes_of(request), &text, &g->err))
		fail_msg("%s (%s)", g->err.message, g->err.id);
	return at_buf_text(&text);
}

const char *serve_text(const char *result, const char *key)
{
	static char ring[4][512];
	static unsigned next;
	char *out = ring[next++ % 4], mark[80];
	const char *at;

	*out = '\0';
	snprintf(mark, sizeof(mark), "\"%s\": \"", key);
	at = strstr(result, mark);
	if (at)
		snprintf(out, 512, "%.*s", (int)strcspn(at + strlen(mark), "\""),
			at + strlen(mark));
	return out;
}

void serve_dispatch(struct serve_ground *g)
{
	const char *result = serve_ask(g, "{\"kind\": \"issue-dispatch\", \"agent\": \"writer\"}");

	snprintf(g->nonce, sizeof(g->nonce), "%s", serve_text(result, "nonce"));
	if (strlen(g->nonce) != 32)
		fail_msg("no nonce: %s", result);
}

struct tally {
	const char *action;
	size_t count, taken_back;
};

static bool tick(void *context, const struct at_json *row, size_t number, struct at_error *err)
{
	struct tally *tally = context;

	(void)number;
	(void)err;
	if (tally->action
		&& !at_json_string_is(
			row, at_json_member(row, AT_JSON_ROOT, "action"), tally->action))
		return true;
	tally->count++;
	tally->taken_back += at_json_member(row, AT_JSON_ROOT, "path") != AT_JSON_NONE
		|| at_json_member(row, AT_JSON_ROOT, "sid") != AT_JSON_NONE;
	return true;
}

static struct tally count(struct serve_ground *g, const char *action)
{
	const struct at_proposal_site site = { .root = g->setup.root,
		.key = at_bytes_of(SERVE_KEY), .state = -1 };
	struct tally tally = { action, 0, 0 };
	struct at_proposal_state state;

	if (!at_proposal_ledger_verify(&state, &site, tick, &tally, &g->err))
		fail_msg("%s", g->err.message);
	if (state.problem_count && state.head != AT_PROPOSAL_HEAD_BEHIND)
		fail_msg("the ledger: %s", at_buf_text(&state.problems));
	at_proposal_state_free(&state);
	return tally;
}

size_t serve_count(struct serve_ground *g, const char *action)
{
	return count(g, action).count;
}

size_t serve_taken_back(struct serve_ground *g, const char *action)
{
	char refused[64];

	snprintf(refused, sizeof(refused), "%s-refused", action);
	return count(g, refused).taken_back;
}

size_t serve_rows(struct serve_ground *g)
{
	return serve_count(g, NULL);
}

void serve_says(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("no '%s' in\n%s", word, text);
}
