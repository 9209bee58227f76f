#include "support/support.h"

#include <string.h>

#include "core/advisory.h"
#include "core/decide.h"
#include "core/launch_line.h"
#include "core/tokens.h"

static struct at_arena *arena;

static int set_up(void **state)
{
	arena = at_arena_new();
	return 0;
}

static int tear_down(void **state)
{
	at_arena_free(arena);
	return 0;
}

static struct at_request request_of(enum at_profile profile, bool is_explicit)
{
	struct at_request request;

	at_request_default(&request, "demo", arena);
	request.profile = profile;
	request.profile_is_explicit = is_explicit;
	return request;
}

static bool decide(struct at_manifest *out, const struct at_request *request,
	enum at_framework_id framework, enum at_platform platform, const char *tokens)
{
	struct at_decide_options options = { framework, platform, tokens, false, false };
	struct at_error err;

	return at_decide(out, request, &options, arena, &err);
}

static const char *joined(const struct at_texts *texts)
{
	static char out[1024];

	out[0] = '\0';
	for (size_t i = 0; i < texts->count; i++) {
		if (i)
			strcat(out, " ");
		strcat(out, texts->items[i]);
	}
	return out;
}

/* DEC-1: the whole matrix. */
static void dec_1_capability_matrix(void **state)
{
	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		enum at_framework_id id = (enum at_framework_id)f, back;

		assert_row(f, at_is_sandbox_capable(id, AT_LINUX));
		assert_row(f, at_is_sandbox_capable(id, AT_DARWIN));
		assert_row(f, at_is_sandbox_capable(id, AT_WINDOWS) == (id == AT_CLAUDE));
		assert_row(f, at_is_sandbox_capable(id, AT_OTHER) == (id == AT_CLAUDE));
		assert_row(f, at_framework_parse(&back, at_framework_name(id)) && back == id);
	}
	assert_false(at_framework_parse(&(enum at_framework_id){ 0 }, "Claude"));
	assert_false(at_framework_parse(&(enum at_framework_id){ 0 }, ""));
}

/* REQ-9: the grammar, each row what comes out or what the error must name. */
static void req_9_token_grammar(void **state)
{
	static const struct {
		const char *csv, *want, *error;
	} rows[] = {
		{ NULL, "", NULL },
		{ "", "", NULL },
		{ " , ,,", "", NULL },
		{ "claude:hooks, claude:subagents,claude:hooks", "claude:hooks claude:subagents", NULL },
		{ "goose:sandbox", "goose:sandbox", NULL },
		{ "codex:sandbox,codex:mcp", "codex:sandbox codex:mcp", NULL },
		{ "claude:sandbox", "claude:sandbox", NULL },
		{ "copilot-vscode:chat-modes", "copilot-vscode:chat-modes", NULL },
		{ "copilot-cli:manifest-routing", "copilot-cli:manifest-routing", NULL },
		{ "bridge:copilot-vscode-to-claude:mcp", "bridge:copilot-vscode-to-claude:mcp", NULL },
		{ "bridge:claude-to-goose:subagents", "bridge:claude-to-goose:subagents", NULL },
		{ "sandbox", NULL, "namespace:feature" },
		{ ":sandbox", NULL, "namespace:feature" },
		{ "claude:", NULL, "namespace:feature" },
		{ "bogus:hooks", NULL, "bridge:claude-to-goose" },
		{ "agents-md:sandbox", NULL, "is no namespace" },
		{ "Claude:sandbox", NULL, "is no namespace" },
		{ "claude:nope", NULL, "todo-projection" },
		{ "claude:sandbox x", NULL, "has no feature" },
		{ "copilot-vscode:sandbox", NULL, "chat-modes" },
		{ "copilot-cli:sandbox", NULL, "manifest-routing" },
		{ "bridge:copilot-vscode-to-claude:sandbox", NULL, "has no feature `sandbox`" },
		{ "bridge:copilot-cli-to-claude:sandbox", NULL, "has no feature `sandbox`" },
		{ "bridge:copilot-cli-to-goose:sandbox", NULL, "has no feature `sandbox`" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_texts tokens = { 0 };
		struct at_error err = { 0 };
		bool ok = at_tokens_parse(&tokens, rows[i].csv, arena, &err);

		assert_row(i, ok == (rows[i].error == NULL));
		if (ok) {
			assert_row(i, strcmp(joined(&tokens), rows[i].want) == 0);
			continue;
		}
		assert_row(i, err.code == AT_EUSAGE && strstr(err.message, rows[i].error));
	}
}

/* REQ-9: only where an emitter exists may a namespace have :sandbox. */
static void req_9_no_sandbox_without_emitter(void **state)
{
	size_t with = 0;

	for (size_t i = 0; i < at_token_space_count; i++)
		for (const char *const *f = at_token_spaces[i].features; *f; f++)
			with += strcmp(*f, "sandbox") == 0;
	assert_int_equal(with, 3); /* claude, goose, codex */
}

/* REQ-9, REQ-10: expansion, union in order, and what asks for a boundary. */
static void req_9_req_10_union_and_request(void **state)
{
	static const struct {
		enum at_profile profile;
		enum at_framework_id framework;
		const char *tokens, *want;
		bool requested;
	} rows[] = {
		{ AT_CONFINED, AT_CLAUDE, NULL, "claude:sandbox", true },
		{ AT_EXCLUSIVE, AT_CLAUDE, NULL, "claude:sandbox", true },
		{ AT_CONFINED, AT_GOOSE, NULL, "goose:sandbox", true },
		{ AT_CONFINED, AT_CODEX, NULL, "claude:sandbox", true },
		{ AT_CONFINED, AT_COPILOT_VSCODE, NULL, "claude:sandbox", true },
		{ AT_CONFINED, AT_COPILOT_CLI, NULL, "claude:sandbox", true },
		{ AT_CONFINED, AT_AGENTS_MD, NULL, "claude:sandbox", true },
		{ AT_COOPERATIVE, AT_CLAUDE, NULL, "", false },
		{ AT_COOPERATIVE, AT_CLAUDE, "claude:hooks", "claude:hooks", false },
		{ AT_COOPERATIVE, AT_CLAUDE, "claude:sandbox", "claude:sandbox", true },
		{ AT_COOPERATIVE, AT_CODEX, "codex:sandbox", "codex:sandbox", true },
		{ AT_COOPERATIVE, AT_CODEX, "goose:sandbox", "goose:sandbox", true },
		{ AT_CONFINED, AT_CLAUDE, "claude:mcp,claude:hooks",
			"claude:mcp claude:hooks claude:sandbox", true },
		{ AT_CONFINED, AT_CLAUDE, "claude:sandbox,claude:mcp", "claude:sandbox claude:mcp",
			true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_request request = request_of(rows[i].profile, false);
		struct at_manifest m;

		assert_row(i, decide(&m, &request, rows[i].framework, AT_LINUX, rows[i].tokens));
		assert_row(i, strcmp(joined(&m.features), rows[i].want) == 0);
		assert_row(i, m.confinement_is_requested == rows[i].requested);
		assert_row(i, m.boundary_is_emitted == rows[i].requested);
	}
}

/* EMIT-12's input: only an explicit confined or exclusive closes the gate. */
static void req_1_gate_needs_an_explicit_profile(void **state)
{
	static const struct {
		enum at_profile profile;
		bool is_explicit, opt_out, want;
	} rows[] = {
		{ AT_CONFINED, true, false, true },    { AT_EXCLUSIVE, true, false, true },
		{ AT_CONFINED, false, false, false },  { AT_EXCLUSIVE, true, true, false },
		{ AT_CONFINED, true, true, false },    { AT_COOPERATIVE, true, false, false },
		{ AT_COOPERATIVE, false, false, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_request request = request_of(rows[i].profile, rows[i].is_explicit);
		struct at_decide_options options = { AT_CLAUDE, AT_LINUX, "claude:sandbox", false,
			rows[i].opt_out };
		struct at_manifest m;

		assert_row(i, at_decide(&m, &request, &options, arena, NULL));
		assert_row(i, m.gate_fails_closed == rows[i].want);
		assert_row(i, m.request->profile_is_explicit == rows[i].is_explicit);
	}
}

#define UNENFORCED "privilege-profile-unenforced-host"
#define LINUX_WIRE "privilege-profile-linux-launcher-manual-wire"
#define MACOS_WIRE "privilege-profile-macos-launcher-manual-wire"
#define INBOUND "privilege-profile-exclusive-inbound-hardening"

/* DEC-2 to DEC-6: the exact codes for every framework on every platform. */
static void dec_2_to_6_advisory_codes(void **state)
{
	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		for (int p = AT_LINUX; p <= AT_OTHER; p++) {
			struct at_request request = request_of(AT_EXCLUSIVE, true);
			bool claude = f == AT_CLAUDE, goose = f == AT_GOOSE;
			const char *want = p == AT_LINUX  ? (claude ? NULL : LINUX_WIRE)
				: p == AT_DARWIN	  ? (claude || goose ? NULL : MACOS_WIRE)
				: claude		  ? NULL
							  : UNENFORCED;
			struct at_manifest m;
			size_t row = (size_t)f * 10 + (size_t)p;

			assert_true(decide(&m, &request, (enum at_framework_id)f,
				(enum at_platform)p, NULL));
			assert_row(row, m.advisory_count == (want ? 2 : 1));
			if (want)
				assert_row(row, strcmp(m.advisories[0].code, want) == 0);
			assert_row(row, strcmp(m.advisories[m.advisory_count - 1].code, INBOUND) == 0);
			assert_row(row, (at_manifest_fatal(&m) != NULL) ==
				(want && strcmp(want, UNENFORCED) == 0));
			request.profile = AT_CONFINED;
			assert_true(decide(&m, &request, (enum at_framework_id)f,
				(enum at_platform)p, NULL));
			assert_row(row, m.advisory_count == (want ? 1 : 0));
			request.profile = AT_COOPERATIVE;
			assert_true(decide(&m, &request, (enum at_framework_id)f,
				(enum at_platform)p, NULL));
			assert_row(row, m.advisory_count == 0 && !at_manifest_fatal(&m));
		}
	}
}

/* DEC-2: the override keeps the advisory as a warning and emits no boundary; it does nothing
 * where it is not needed. */
static void dec_2_override(void **state)
{
	struct at_request request = request_of(AT_CONFINED, true);
	struct at_decide_options options = { AT_CODEX, AT_WINDOWS, NULL, true, false };
	struct at_manifest m;

	assert_true(at_decide(&m, &request, &options, arena, NULL));
	assert_null(at_manifest_fatal(&m));
	assert_true(m.unenforced_is_allowed);
	assert_false(m.boundary_is_emitted);
	assert_true(m.confinement_is_requested);
	assert_string_equal(m.advisories[0].code, UNENFORCED);
	assert_false(m.advisories[0].fatal);
	assert_non_null(strstr(m.advisories[0].message, "--allow-unenforced-confinement"));

	options.platform = AT_LINUX;
	assert_true(at_decide(&m, &request, &options, arena, NULL));
	assert_false(m.unenforced_is_allowed);
	assert_true(m.boundary_is_emitted);
}

static bool message_has(const struct at_manifest *m, const char *word)
{
	const struct at_advisory *a = &m->advisories[0];

	return strstr(a->message, word) || strstr(a->residuals, word) || strstr(a->action, word);
}

/* DEC-2, DEC-3, DEC-4: the facts each one carries. */
static void dec_2_3_4_facts(void **state)
{
	static const struct {
		enum at_framework_id framework;
		enum at_platform platform;
		const char *words[16];
	} rows[] = {
		{ AT_CODEX, AT_WINDOWS, { "`confined`", "codex", "windows", "ADVISORY ONLY", "container",
			"seccomp", "Landlock", "egress filter", "--allow-unenforced-confinement" } },
		{ AT_GOOSE, AT_LINUX, { "sandbox/confine-run.sh", "NOT", "MUST wrap", "nothing is confined",
			"--scratch \"$PWD\"", "--egress deny", "-- goose", "model",
			".goose/confined-run.example.sh" } },
		{ AT_CODEX, AT_DARWIN, { "sandbox/confine-run.sh", "UNCAPPED", "system calls",
			"no-new-privileges", "loopback", "NON-EXHAUSTIVE", "PF", "ENFORCEMENT-UNVERIFIED",
			"mac-escape-tests.sh", "not nested", ".codex/confined-run.example.sh",
			"instructions to the model" } },
		{ AT_CODEX, AT_LINUX, { ".codex/confined-run.example.sh", "`host`" } },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_request request = request_of(AT_CONFINED, true);
		struct at_manifest m;

		assert_true(decide(&m, &request, rows[i].framework, rows[i].platform, NULL));
		for (size_t w = 0; rows[i].words[w]; w++)
			if (!message_has(&m, rows[i].words[w]))
				fail_msg("row %zu: the advisory does not say %s", i, rows[i].words[w]);
	}
}

/* DEC-2: says how the boundary was asked for, a token beside cooperative included. */
static void dec_2_names_the_token(void **state)
{
	struct at_request request = request_of(AT_COOPERATIVE, true);
	struct at_manifest m;

	assert_true(decide(&m, &request, AT_GOOSE, AT_OTHER, "claude:sandbox"));
	assert_non_null(at_manifest_fatal(&m));
	assert_true(message_has(&m, "`:sandbox` host feature"));
}

static bool has_note(const struct at_manifest *m, const char *word)
{
	for (size_t i = 0; i < at_note_count; i++)
		if (at_note_applies(&at_notes[i], m) && strstr(at_notes[i].text, word))
			return true;
	return false;
}

/* DEC-5: no advisory is not full coverage; who decides egress; claude's preconditions. */
static void dec_5_notes(void **state)
{
	struct at_request request = request_of(AT_CONFINED, true);
	struct at_manifest m;

	assert_true(decide(&m, &request, AT_CLAUDE, AT_LINUX, NULL));
	assert_int_equal(m.advisory_count, 0);
	assert_true(has_note(&m, "No advisory does not mean"));
	assert_true(has_note(&m, "AppArmor"));
	assert_true(has_note(&m, "product's own default"));
	assert_false(has_note(&m, "Seatbelt"));
	assert_true(decide(&m, &request, AT_CLAUDE, AT_WINDOWS, NULL));
	assert_null(at_manifest_fatal(&m));
	assert_true(m.boundary_is_emitted);
	assert_true(has_note(&m, "advisory only"));
	assert_false(has_note(&m, "AppArmor"));
	assert_true(decide(&m, &request, AT_GOOSE, AT_DARWIN, NULL));
	assert_int_equal(m.advisory_count, 0);
	assert_true(has_note(&m, "cannot reach its model"));
	/* every framework that can be confined somewhere has its word on egress there */
	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++)
		for (int p = AT_LINUX; p <= AT_DARWIN; p++) {
			assert_true(decide(&m, &request, (enum at_framework_id)f,
				(enum at_platform)p, NULL));
			assert_row(f * 10 + p, has_note(&m, "Egress"));
		}
}

/* REQ-4's sources: default, brief and coordination, none said twice. */
static void req_11_roots_have_sources(void **state)
{
	struct at_request request = request_of(AT_CONFINED, false);
	struct at_manifest m;

	assert_true(decide(&m, &request, AT_CLAUDE, AT_LINUX, NULL));
	assert_int_equal(m.root_count, 1);
	assert_string_equal(m.roots[0].path, ".");
	assert_int_equal(m.roots[0].source, AT_ROOT_DEFAULT);

	request.write_roots = (struct at_texts){ (const char *[]){ "src", "./docs", "src" }, 3 };
	request.write_roots_are_given = true;
	request.coordination_write_roots = (struct at_texts){ (const char *[]){ "../hub", "src" }, 2 };
	assert_true(decide(&m, &request, AT_CLAUDE, AT_LINUX, NULL));
	assert_int_equal(m.root_count, 4); /* the brief's own list as it is spelled */
	assert_int_equal(m.roots[0].source, AT_ROOT_BRIEF);
	assert_string_equal(m.roots[3].path, "../hub");
	assert_int_equal(m.roots[3].source, AT_ROOT_COORDINATION);
	assert_false(m.roots[3].accepted);
}

/* DEC-9: three facts, tiers A, B, C, none about system calls. */
static void dec_9_resource_caps(void **state)
{
	static const char *const keys[] = { "cpu_max", "nproc_max", "mem_max" };

	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(at_resource_caps[i].key, keys[i]);
		assert_int_equal(at_resource_caps[i].tier[0], "ABC"[i]);
		assert_null(strstr(at_resource_caps[i].mechanism, "call"));
	}
}

/* WIRE-15: roots, excludes and prompt roots come from the manifest, quoted. */
static void wire_15_launch_line(void **state)
{
	static const struct {
		enum at_framework_id framework;
		const char *roots[4], *want;
		bool is_exclusive;
	} rows[] = {
		{ AT_GOOSE, { "." }, "--scratch \"$PWD\" --egress deny -- goose session", false },
		{ AT_GOOSE, { "src", "/srv/x", "~/y z" }, "--scratch \"$PWD\"/src --writable /srv/x "
			"--writable \"$HOME\"'/y z' --egress deny -- goose session", false },
		{ AT_CLAUDE, { "src" }, "--scratch \"$PWD\" --writable \"$PWD\"/src --protect "
			"\"$PWD\"/.claude --egress deny -- claude", false },
		{ AT_CLAUDE, { ".", "../hub" }, "--scratch \"$PWD\" --writable \"$PWD\"/../hub --protect "
			"\"$PWD\"/.claude --egress deny -- claude", false },
		{ AT_COPILOT_CLI, { "." }, "--scratch \"$PWD\" --exclude \"$HOME\"/private --exclude "
			"\"$PWD\"/'it'\\''s' --protect-prompt-roots --egress deny -- copilot", true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_request request =
			request_of(rows[i].is_exclusive ? AT_EXCLUSIVE : AT_CONFINED, true);
		struct at_buf line = { 0 };
		struct at_manifest m;
		size_t count = 0;

		while (rows[i].roots[count])
			count++;
		request.write_roots.items = (const char **)(uintptr_t)rows[i].roots;
		request.write_roots.count = count;
		request.protected_read_paths =
			(struct at_texts){ (const char *[]){ "~/private", "it's" }, 2 };
		request.protect_prompt_roots = rows[i].is_exclusive;
		assert_true(decide(&m, &request, rows[i].framework, AT_LINUX, NULL));
		assert_true(at_launch_line(&line, &m, NULL));
		if (!strstr(at_buf_text(&line), rows[i].want) ||
			strlen(at_buf_text(&line)) != strlen(rows[i].want) + strlen(AT_LAUNCHER " "))
			fail_msg("row %zu: %s", i, at_buf_text(&line));
		at_buf_free(&line);
	}
}

int test_decide(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dec_1_capability_matrix),
		cmocka_unit_test(req_9_token_grammar),
		cmocka_unit_test(req_9_no_sandbox_without_emitter),
		cmocka_unit_test(req_9_req_10_union_and_request),
		cmocka_unit_test(req_1_gate_needs_an_explicit_profile),
		cmocka_unit_test(dec_2_to_6_advisory_codes),
		cmocka_unit_test(dec_2_override),
		cmocka_unit_test(dec_2_3_4_facts),
		cmocka_unit_test(dec_2_names_the_token),
		cmocka_unit_test(dec_5_notes),
		cmocka_unit_test(req_11_roots_have_sources),
		cmocka_unit_test(dec_9_resource_caps),
		cmocka_unit_test(wire_15_launch_line),
	};

	return cmocka_run_group_tests_name("decide", tests, set_up, tear_down);
}
