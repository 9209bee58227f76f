/* GATE-2, GATE-8: no row of rules.def or wrappers.def is without a command of our own tables that
 * something is found in by that row. */
#include "gate/tables.h"

#include <string.h>

#include "core/mem.h"

static const struct {
	const char *programs, *pattern;
} rules[] = {
#define VALUED(programs, options)
#define RULE(id, flags, programs, pattern, what) { programs, pattern },
#include "runner/gate/rules.def"
#undef VALUED
#undef RULE
};

static const struct {
	const char *programs, *sub;
} wrappers[] = {
#define WRAP(names, sub, valued, operands, text, flags) { names, sub },
#include "runner/gate/wrappers.def"
#undef WRAP
};

static size_t rule_hits[AT_LEN(rules)], wrapper_hits[AT_LEN(wrappers)];

static void note(void *user, enum gate_table table, size_t row)
{
	size_t *hits = table == GATE_RULES ? rule_hits : wrapper_hits;

	(void)user;
	assert_true(row < (table == GATE_RULES ? AT_LEN(rules) : AT_LEN(wrappers)));
	hits[row]++;
}

static void judge_all(const char *path, size_t column)
{
	struct gate_rows table = gate_table_open(path);
	struct gate_context context = gate_in_project;
	char *row[GATE_FIELDS];

	context.fired = note;
	while (gate_table_row(&table, row))
		gate_judge_json(row[column], &context);
	at_buf_free(&table.text);
}

static void gate_2_every_row_of_the_tables_finds_something(void **state)
{
	static const struct {
		const char *path;
		size_t column;
	} tables[] = {
		{ "gate/battery.tsv", 0 },
		{ "gate/commands.tsv", 4 },
		{ "gate/evasions.tsv", 5 },
		{ "gate/own.tsv", 2 },
		{ "gate/rows.tsv", 2 },
	};
	size_t missing = 0;

	(void)state;
	for (size_t i = 0; i < AT_LEN(tables); i++)
		judge_all(tables[i].path, tables[i].column);
	for (size_t i = 0; i < AT_LEN(rules); i++)
		if (!rule_hits[i]) {
			print_message("rules.def, row %zu finds nothing: %s: %s\n", i,
				rules[i].programs, rules[i].pattern);
			missing++;
		}
	for (size_t i = 0; i < AT_LEN(wrappers); i++)
		if (!wrapper_hits[i]) {
			print_message("wrappers.def, row %zu finds nothing: %s: %s\n", i,
				wrappers[i].programs, wrappers[i].sub);
			missing++;
		}
	assert_int_equal(missing, 0);
}

int test_rows(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_2_every_row_of_the_tables_finds_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
