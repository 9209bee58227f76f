#include "gate/tables.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static bool is_wanted(const char *expect, const char *tolerate, enum gate_decision got)
{
	return !strcmp(expect, gate_words[got]) || strstr(tolerate, gate_words[got]);
}

struct rates {
	const char *what;
	size_t rows, fitting, passed, asked_idly;
};

static void count(struct rates *rates, const char *expect, const char *tolerate,
	enum gate_decision got, const char *json)
{
	bool fits = is_wanted(expect, tolerate, got);
	bool may_pass = !strcmp(expect, "pass") || strstr(tolerate, "pass");

	rates->rows++;
	rates->fitting += fits;
	rates->passed += got == GATE_PASS && !may_pass;
	rates->asked_idly += got != GATE_PASS && !strcmp(expect, "pass") && !fits;
	if (!fits)
		print_message("%s: %s, not %s: %s\n", rates->what, gate_words[got], expect, json);
}

static void print_rates(const struct rates *rates)
{
	print_message("%-22s %3zu rows, %3zu as wanted (%.1f %%), %zu passed wrongly, "
		      "%zu asked idly\n",
		rates->what, rates->rows, rates->fitting,
		rates->rows ? 100.0 * (double)rates->fitting / (double)rates->rows : 0.0,
		rates->passed, rates->asked_idly);
}

/* GATE-2, GATE-3: what must not pass does not, what is harmless is not asked about. */
static void gate_2_commands_from_the_field(void **state)
{
	struct gate_rows table = gate_table_open("gate/commands.tsv");
	struct rates rates = { .what = "commands" };
	char *row[GATE_FIELDS];

	(void)state;
	while (gate_table_row(&table, row))
		count(&rates, row[2], row[3], gate_judge_json(row[4], &gate_in_project).decision,
			row[4]);
	print_rates(&rates);
	at_buf_free(&table.text);
	assert_true(rates.rows > 100);
	assert_int_equal(rates.passed, 0);
	assert_int_equal(rates.asked_idly, 0);
	/* C044, mkfs: why it is an ask stands in docs/gate.md. */
	assert_int_equal(rates.fitting + 1, rates.rows);
}

/* GATE-8: disguises that the text shows, and those that show only that something is hidden. */
static void gate_8_evasions(void **state)
{
	struct gate_rows table = gate_table_open("gate/evasions.tsv");
	struct rates seen = { .what = "evasions, static" };
	struct rates opaque = { .what = "evasions, opaque" };
	struct rates out_of_reach = { .what = "evasions, out of reach" };
	char *row[GATE_FIELDS];

	(void)state;
	while (gate_table_row(&table, row)) {
		struct rates *rates = !strcmp(row[2], "static") ? &seen
			: !strcmp(row[2], "opaque")             ? &opaque
								: &out_of_reach;

		count(rates, row[3], strcmp(row[2], "opaque") ? row[4] : "",
			gate_judge_json(row[5], &gate_in_project).decision, row[5]);
	}
	print_rates(&seen);
	print_rates(&opaque);
	print_rates(&out_of_reach);
	at_buf_free(&table.text);
	assert_true(seen.rows > 50);
	assert_true(seen.fitting * 100 >= seen.rows * 97);
	assert_int_equal(opaque.fitting, opaque.rows);
}

/* GATE-2: the decision of every row that is no judgement call. */
static void gate_2_battery(void **state)
{
	struct gate_rows table = gate_table_open("gate/battery.tsv");
	struct rates rates = { .what = "battery" };
	char *row[GATE_FIELDS];

	(void)state;
	while (gate_table_row(&table, row))
		if (strcmp(row[1], "open"))
			count(&rates, row[1], "",
				gate_judge_json(row[0], &gate_in_project).decision, row[0]);
	print_rates(&rates);
	at_buf_free(&table.text);
	assert_true(rates.rows > 250);
	assert_int_equal(rates.fitting, rates.rows);
}

/* Every judgement call is decided, argued and kept. */
static void gate_2_open_rows_are_argued(void **state)
{
	struct gate_rows table = gate_table_open("gate/battery.tsv");
	struct at_buf argued = test_read(NULL, "gate/open.tsv");
	char line[512];
	char *row[GATE_FIELDS];
	size_t missing = 0;

	(void)state;
	while (gate_table_row(&table, row)) {
		if (strcmp(row[1], "open"))
			continue;
		snprintf(line, sizeof(line), "\n%s\t%s\t", row[0],
			gate_words[gate_judge_json(row[0], &gate_in_project).decision]);
		if (!strstr(argued.data, line)) {
			print_message("not argued: %s\n", line + 1);
			missing++;
		}
	}
	at_buf_free(&table.text);
	at_buf_free(&argued);
	assert_int_equal(missing, 0);
}

static size_t count_wrong(const char *path)
{
	struct gate_rows table = gate_table_open(path);
	char *row[GATE_FIELDS];
	size_t rows = 0;
	size_t wrong = 0;

	while (gate_table_row(&table, row)) {
		struct gate_verdict got = gate_judge_json(row[2], &gate_in_project);

		rows++;
		if (strcmp(row[0], gate_words[got.decision])
			|| (*row[1] && strcmp(row[1], got.reason_id))) {
			print_message("%s: %s %s, not %s %s: %s\n", path, gate_words[got.decision],
				got.reason_id, row[0], row[1], row[2]);
			wrong++;
		}
	}
	print_message("%s: %zu rows, %zu wrong\n", path, rows, wrong);
	at_buf_free(&table.text);
	return wrong;
}

/* Our own rows: each kind of rule, and its harmless twin. */
static void gate_2_rules_and_their_twins(void **state)
{
	(void)state;
	assert_int_equal(count_wrong("gate/own.tsv"), 0);
	assert_int_equal(count_wrong("gate/rows.tsv"), 0);
}

/* GATE-2, GATE-3: a day's work. How often it asks though neither wants it is the figure of
 * docs/gate.md. */
static void gate_2_daily_work(void **state)
{
	struct gate_rows table = gate_table_open("gate/daily.tsv");
	size_t rows = 0, harmless = 0, idle = 0, wrong = 0;
	char *row[GATE_FIELDS];

	(void)state;
	while (gate_table_row(&table, row)) {
		struct gate_verdict got = gate_judge_json(row[4], &gate_in_project);
		bool may_pass = !strcmp(row[1], "pass");

		rows++;
		harmless += may_pass;
		idle += may_pass && got.decision != GATE_PASS;
		if (strcmp(row[2], gate_words[got.decision]) || strcmp(row[3], got.reason_id)) {
			print_message("daily %s: %s %s, not %s %s: %s\n", row[0],
				gate_words[got.decision], got.reason_id, row[2], row[3], row[4]);
			wrong++;
		}
	}
	print_message("daily: %zu rows, %zu wrong; %zu harmless, %zu of them asked idly "
		      "(%.1f %%)\n",
		rows, wrong, harmless, idle,
		100.0 * (double)idle / (double)(harmless ? harmless : 1));
	at_buf_free(&table.text);
	assert_true(rows >= 400);
	assert_int_equal(wrong, 0);
}

/* Case 66, GATE-9: an ask that nobody would see becomes a deny, and quotes nothing. */
static void gate_9_bypass_mode_denies_what_nothing_brings_back(void **state)
{
	static const struct {
		bool bypass, closed;
		const char *command;
		enum gate_decision want;
	} rows[] = {
		{ true, true, "\"terraform destroy -target=zebra\"", GATE_DENY },
		{ true, false, "\"terraform destroy -target=zebra\"", GATE_ASK },
		{ false, true, "\"terraform destroy -target=zebra\"", GATE_ASK },
		{ true, true, "\"mkfs.ext4 /dev/zebra\"", GATE_DENY },
		{ false, true, "\"mkfs.ext4 /dev/zebra\"", GATE_ASK },
		{ true, true, "\"pip install zebra\"", GATE_ASK },
		{ true, true, "\"pip install zebra; rm zebra\"", GATE_DENY },
		{ false, false, "\"rm -rf / zebra\"", GATE_DENY },
		{ true, true, "\"ls zebra\"", GATE_PASS },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct gate_context context = gate_in_project;
		struct gate_verdict got;

		context.bypass = rows[i].bypass;
		context.closed = rows[i].closed;
		got = gate_judge_json(rows[i].command, &context);
		assert_row(i, got.decision == rows[i].want);
		if (got.decision == GATE_DENY)
			assert_row(i, !strstr(got.reason, "zebra"));
		if (got.decision == GATE_ASK)
			assert_row(i, strstr(got.reason, "zebra"));
	}
}

/* GATE-2: in a container the session is often root's. */
static void gate_2_root_has_a_home(void **state)
{
	static const struct {
		const char *command;
		enum gate_decision want;
	} rows[] = {
		{ "\"cp a ~/b\"", GATE_PASS },
		{ "\"echo x > /root/a.txt\"", GATE_PASS },
		{ "\"rm -rf ~\"", GATE_DENY },
		{ "\"echo x > ~/.bashrc\"", GATE_ASK },
		{ "\"echo x > ~/.ssh/authorized_keys\"", GATE_DENY },
		{ "\"cp a /etc/b\"", GATE_ASK },
	};
	struct gate_context context = gate_in_project;

	(void)state;
	context.home = "/root";
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, gate_judge_json(rows[i].command, &context).decision == rows[i].want);
	assert_int_equal(
		gate_judge_json("\"cp a /root/b\"", &gate_in_project).decision, GATE_ASK);
}

/* Case 68: the person sees which pull request. */
static void gate_3_the_ask_names_the_pull_request(void **state)
{
	struct gate_verdict got =
		gate_judge_json("\"gh -R o/r pr merge 12 --squash\"", &gate_in_project);

	(void)state;
	assert_int_equal(got.decision, GATE_ASK);
	assert_string_equal(got.reason_id, "pr-merge");
	assert_non_null(strstr(got.reason, "12"));
	assert_non_null(strstr(got.reason, "o/r"));
}

/* Two steps: the script is opened, where it can be. */
static void gate_8_scripts_of_the_project_are_read(void **state)
{
	static const struct {
		const char *command;
		enum gate_decision want;
	} rows[] = {
		{ "\"sh tidy.sh\"", GATE_ASK },
		{ "\"chmod +x tidy.sh && ./tidy.sh\"", GATE_ASK },
		{ "\"bash -e ./calls.sh\"", GATE_ASK },
		{ "\". ./tidy.sh\"", GATE_ASK },
		{ "\"./tool\"", GATE_ASK },
		{ "\"./tool.py\"", GATE_PASS },
		{ "\"sh fine.sh\"", GATE_PASS },
		{ "\"sh loop.sh\"", GATE_ASK },
		{ "\"sh absent.sh\"", GATE_PASS },
		{ "\"cat tidy.sh | sh\"", GATE_ASK },
		{ "\"sh < tidy.sh\"", GATE_ASK },
	};
	struct gate_context blind = gate_in_project;

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i,
			gate_judge_json(rows[i].command, &gate_in_project).decision
				== rows[i].want);
	blind.read_script = NULL;
	assert_int_equal(gate_judge_json("\"sh tidy.sh\"", &blind).decision, GATE_PASS);
}

static void assert_quick(const char *what, struct at_buf *command, enum gate_decision want)
{
	struct timespec from, to;
	struct gate_verdict got;
	double took;

	clock_gettime(CLOCK_MONOTONIC, &from);
	gate_judge_command(&got, at_buf_bytes(command), &gate_in_project);
	clock_gettime(CLOCK_MONOTONIC, &to);
	took = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	print_message("%-22s %zu bytes, %.3f s, %s\n", what, command->len, took,
		gate_words[got.decision]);
	at_buf_free(command);
	assert_true(took < 3.0);
	assert_int_equal(got.decision, want);
}

/* Linear, and an ask where it is too deep. */
static void gate_8_bounds(void **state)
{
	struct at_buf command = { 0 };

	(void)state;
	for (int i = 0; i < 4000; i++)
		at_buf_puts(&command, "env ");
	at_buf_puts(&command, "ls");
	assert_quick("wrappers", &command, GATE_ASK);
	for (int i = 0; i < 500; i++)
		at_buf_printf(&command, "git status; ls -l file%d | grep x\n", i);
	assert_quick("many commands", &command, GATE_PASS);
	for (int i = 0; i < 10; i++)
		at_buf_puts(&command, "env ");
	at_buf_puts(&command, "rm x");
	assert_quick("ten wrappers", &command, GATE_ASK);
	at_buf_puts(&command, "echo ");
	at_buf_pad(&command, 'a', 60000);
	for (int i = 0; i < 60; i++)
		at_buf_puts(&command, " | cat");
	assert_quick("long pipe", &command, GATE_PASS);
}

/* --explain tells what was read, what came off and what fired. */
static void gate_8_explain(void **state)
{
	struct at_buf told = { 0 };
	struct gate_verdict got;

	(void)state;
	gate_explain_command(
		&got, at_bytes_of("sudo env A=b sh -c 'rm -r x'"), &gate_in_project, &told);
	assert_int_equal(got.decision, GATE_ASK);
	assert_non_null(strstr(told.data, "runs: sh -c rm -r x"));
	assert_non_null(strstr(told.data, "runs: rm -r x"));
	assert_non_null(strstr(told.data, "ask fs-delete"));
	at_buf_free(&told);
}

int test_rules(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_2_commands_from_the_field),
		cmocka_unit_test(gate_8_evasions),
		cmocka_unit_test(gate_2_battery),
		cmocka_unit_test(gate_2_open_rows_are_argued),
		cmocka_unit_test(gate_2_rules_and_their_twins),
		cmocka_unit_test(gate_2_daily_work),
		cmocka_unit_test(gate_9_bypass_mode_denies_what_nothing_brings_back),
		cmocka_unit_test(gate_2_root_has_a_home),
		cmocka_unit_test(gate_3_the_ask_names_the_pull_request),
		cmocka_unit_test(gate_8_scripts_of_the_project_are_read),
		cmocka_unit_test(gate_8_bounds),
		cmocka_unit_test(gate_8_explain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
