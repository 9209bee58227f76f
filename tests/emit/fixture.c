#include "emit/fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

static const char *const no_places[] = { "/nonexistent/agentteams-gate", NULL };

void fixture_begin(struct fixture *f, const char *brief)
{
	*f = (struct fixture){ .top = test_tree_new(), .arena = at_arena_new() };
	f->project_path = at_strdup(test_path(f->top, "home/project"));
	test_write(f->top, "home/.keep", "");
	assert_int_equal(mkdir(f->project_path, 0755), 0);
	f->host.platform = AT_LINUX;
	snprintf(f->host.home, sizeof(f->host.home), "%s", test_path(f->top, "home"));
	f->project.path = f->project_path;
	f->project.fd = open(f->project_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->project.fd >= 0);
	f->project.team_dir = ".claude/agents";
	f->project.host = &f->host;
	f->project.accepted_roots = f->accepted;
	f->project.gate_places = no_places;
	f->options.framework = AT_CLAUDE;
	f->options.platform = AT_LINUX;
	assert_true(at_state_find(&f->state, f->project_path, f->host.home, NULL, &f->err));
	fixture_brief(f, brief);
}

static void forget_plan(struct fixture *f)
{
	if (f->plan.arena)
		at_plan_free(&f->plan);
	if (f->notices.arena)
		at_notices_free(&f->notices);
	f->plan = (struct at_plan){ 0 };
	f->notices = (struct at_notices){ 0 };
}

void fixture_end(struct fixture *f)
{
	forget_plan(f);
	at_state_close(&f->state);
	close(f->project.fd);
	at_arena_free(f->arena);
	free(f->project_path);
	test_tree_remove(f->top);
}

void fixture_brief(struct fixture *f, const char *brief)
{
	/* The request may point into the text. */
	if (!at_request_read(&f->request, at_bytes_of(at_arena_strdup(f->arena, brief)), "project",
		    f->arena, &f->err))
		fail_msg("brief: %s", f->err.message);
}

bool fixture_plan(struct fixture *f)
{
	forget_plan(f);
	at_plan_init(&f->plan);
	at_notices_init(&f->notices);
	for (f->project.accepted_root_count = 0; f->accepted[f->project.accepted_root_count];)
		f->project.accepted_root_count++;
	if (!at_decide(&f->manifest, &f->request, &f->options, f->arena, &f->err))
		fail_msg("decide: %s", f->err.message);
	return at_emit_plan(&f->plan, &f->notices, &f->manifest, &f->project, &f->err);
}

void fixture_must_plan(struct fixture *f)
{
	if (!fixture_plan(f))
		fail_msg("plan: %s", f->err.message);
}

void fixture_update(struct fixture *f)
{
	struct at_applied applied;

	fixture_must_plan(f);
	if (!at_plan_apply(&f->plan, f->project.fd, &f->state, "update", &applied, &f->err))
		fail_msg("apply: %s", f->err.message);
	fixture_must_plan(f);
	for (size_t i = 0; i < f->plan.count; i++)
		if (f->plan.changes[i].kind == AT_CREATE || f->plan.changes[i].kind == AT_REPLACE)
			fail_msg("the second run writes %s", f->plan.changes[i].path);
	assert_int_equal(at_plan_pending(&f->plan), 0);
}

void fixture_gate(struct fixture *f, const char *body)
{
	static const char good[] =
		"case $(cat) in\n"
		"*'push --force'*) echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "
		"\"permissionDecision\": \"ask\", \"permissionDecisionReason\": \"history\"}}' ;;\n"
		"esac\n";
	struct at_buf text = { 0 };

	at_buf_printf(&text, "#!/bin/sh\n%s", body ? body : good);
	test_write(f->top, "libexec/agentteams-gate", at_buf_text(&text));
	at_buf_free(&text);
	f->places[0] = at_arena_strdup(f->arena, test_path(f->top, "libexec/agentteams-gate"));
	assert_int_equal(chmod(f->places[0], 0755), 0);
	f->project.gate_places = f->places;
}

void fixture_write(struct fixture *f, const char *path, const char *text)
{
	test_write(f->project_path, path, text);
}

struct at_buf fixture_read(struct fixture *f, const char *path)
{
	return test_read(f->project_path, path);
}

const struct at_change *fixture_change(const struct fixture *f, const char *path)
{
	for (size_t i = 0; i < f->plan.count; i++)
		if (strcmp(f->plan.changes[i].path, path) == 0)
			return &f->plan.changes[i];
	return NULL;
}

const char *fixture_notice(const struct fixture *f, const char *id)
{
	for (size_t i = 0; i < f->notices.count; i++)
		if (strcmp(f->notices.items[i].id, id) == 0)
			return f->notices.items[i].text;
	return NULL;
}

size_t fixture_notice_count(const struct fixture *f, const char *id)
{
	size_t count = 0;

	for (size_t i = 0; i < f->notices.count; i++)
		count += strcmp(f->notices.items[i].id, id) == 0;
	return count;
}

struct at_json fixture_example(const struct fixture *f)
{
	const struct at_change *change = fixture_change(f, EXAMPLE);
	struct at_json doc;
	struct at_error err;

	assert_non_null(change);
	if (!at_json_read(&doc, change->bytes, &at_json_settings_limits, 0, &err))
		fail_msg("the example is no JSON: %s", err.message);
	return doc;
}

void fixture_assert_list(const struct fixture *f, const char *dotted, const char *const *want)
{
	struct at_json doc = fixture_example(f);
	struct at_text_list got = { 0 };
	size_t count = 0;

	at_text_list_of_json(&got, &doc, dotted, f->arena);
	while (want[count])
		count++;
	for (size_t i = 0; i < count || i < got.count; i++)
		if (i >= count || i >= got.count || strcmp(got.items[i], want[i]) != 0)
			fail_msg("%s[%zu]: got %s, want %s", dotted, i,
				i < got.count ? got.items[i] : "(nothing)",
				i < count ? want[i] : "(nothing)");
	at_text_list_free(&got);
	at_json_free(&doc);
}
