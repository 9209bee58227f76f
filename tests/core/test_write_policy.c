#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "core/write_policy.h"

/* WP-1: each refusal by its cause, in this order, and who is left out is none. */
static void wp_1_refusals_in_their_order(void **state)
{
	static const struct {
		const char *brief;
		enum at_framework_id framework;
		enum at_platform platform;
		bool goose_is_allowed;
		enum at_write_policy want;
		const char *id; /* refused with this, or NULL */
	} rows[] = {
#define ASKED "\"write_policy\": \"orchestrator-only\""
#define CONFINED "\"privilege_profile\": \"confined\""
		{ "{" CONFINED "}", AT_CLAUDE, AT_LINUX, false, AT_POLICY_OFF, NULL },
		{ "{" ASKED "," CONFINED "}", AT_CLAUDE, AT_LINUX, false, AT_POLICY_ON, NULL },
		{ "{" ASKED ",\"privilege_profile\": \"exclusive\"}", AT_CLAUDE, AT_OTHER, false,
			AT_POLICY_ON, NULL },
		{ "{" ASKED "," CONFINED "}", AT_CODEX, AT_LINUX, false, AT_POLICY_ON, NULL },
		{ "{" ASKED "," CONFINED "}", AT_CODEX, AT_DARWIN, false, AT_POLICY_ON, NULL },
		{ "{" ASKED "," CONFINED "}", AT_CODEX, AT_WINDOWS, false, 0,
			"write-policy-platform" },
		{ "{" ASKED "," CONFINED "}", AT_COPILOT_CLI, AT_LINUX, false, 0,
			"write-policy-framework" },
		{ "{" ASKED "}", AT_AGENTS_MD, AT_LINUX, false, 0, "write-policy-framework" },
		{ "{" ASKED "," CONFINED "}", AT_GOOSE, AT_LINUX, false, 0, "write-policy-goose" },
		{ "{" ASKED "}", AT_GOOSE, AT_LINUX, false, 0, "write-policy-goose" },
		{ "{" ASKED "," CONFINED "}", AT_GOOSE, AT_LINUX, true, AT_POLICY_UNENFORCED, NULL },
		{ "{" ASKED "}", AT_GOOSE, AT_LINUX, true, 0, "write-policy-defaulted" },
		{ "{" ASKED ",\"privilege_profile\": \"cooperative\"}", AT_CLAUDE, AT_LINUX, false, 0,
			"write-policy-cooperative" },
		{ "{" ASKED "}", AT_CLAUDE, AT_LINUX, false, 0, "write-policy-defaulted" },
		{ "{" ASKED ",\"privilege_profile\": null}", AT_CLAUDE, AT_LINUX, false, 0,
			"write-policy-defaulted" },
		{ "{" ASKED ",\"write_policy_frameworks\": [\"codex\"]}", AT_CLAUDE, AT_LINUX, false,
			AT_POLICY_ELSEWHERE, NULL },
		{ "{" ASKED ",\"write_policy_frameworks\": [\"codex\"]}", AT_COPILOT_CLI, AT_LINUX,
			false, AT_POLICY_ELSEWHERE, NULL },
		{ "{" ASKED "," CONFINED ",\"write_policy_frameworks\": [\"claude\", \"goose\"]}",
			AT_GOOSE, AT_LINUX, false, 0, "write-policy-goose" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		struct at_decide_options options = { .framework = rows[i].framework,
			.platform = rows[i].platform };
		enum at_write_policy policy = AT_POLICY_OFF;
		struct at_manifest manifest;
		struct at_request request;
		struct at_error err = { 0 };
		bool done;

		if (!at_request_read(&request, at_bytes_of(rows[i].brief), "p", arena, &err)
			|| !at_decide(&manifest, &request, &options, arena, &err))
			fail_msg("row %zu: %s", i, err.message);
		done = at_write_policy_resolve(&policy, &manifest, rows[i].goose_is_allowed, &err);
		assert_row(i, done == !rows[i].id);
		if (done)
			assert_row(i, policy == rows[i].want);
		else
			assert_row(i, strcmp(err.id, rows[i].id) == 0 && *err.field && *err.hint);
		at_arena_free(arena);
	}
}

/* WP-1: one spelling of the variable, for one process. */
static void wp_1_the_variable(void **state)
{
	static const struct {
		const char *entry;
		bool is_allowed;
	} rows[] = {
		{ AT_GOOSE_SWITCH_ENV "=1", true }, { AT_GOOSE_SWITCH_ENV "=0", false },
		{ AT_GOOSE_SWITCH_ENV "=", false }, { AT_GOOSE_SWITCH_ENV "=11", false },
		{ AT_GOOSE_SWITCH_ENV "X=1", false }, { "=1", false },
	};

	(void)state;
	assert_false(at_goose_switch_is_allowed(NULL));
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char text[96];
		char *environment[] = { text, NULL };

		snprintf(text, sizeof(text), "%s", rows[i].entry);
		assert_row(i, at_goose_switch_is_allowed(environment) == rows[i].is_allowed);
	}
}

int test_write_policy(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp_1_refusals_in_their_order),
		cmocka_unit_test(wp_1_the_variable),
	};

	return cmocka_run_group_tests_name("write_policy", tests, NULL, NULL);
}
