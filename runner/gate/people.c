#include "runner/gate/people.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/json_read.h"
#include "core/json_text.h"
#include "core/mem.h"
#include "core/safetext.h"
#include "runner/gate/scan.h"

#define FILE_CAP ((size_t)64 << 20)

static const char *const names[] = { "pass", "ask", "deny" };

static bool read_all(struct at_buf *out, const char *path)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && out->len <= FILE_CAP) {
		at_buf_reserve(out, 65536);
		n = read(fd, out->data + out->len, 65536);
		if (n > 0)
			out->len += (size_t)n;
	}
	if (n < 0)
		fprintf(stderr, "agentteams-gate: %s cannot be read: %s\n", path, strerror(errno));
	else if (n > 0)
		fprintf(stderr, "agentteams-gate: %s is larger than 64 MiB\n", path);
	else if (out->data)
		out->data[out->len] = '\0';
	if (fd > STDIN_FILENO)
		close(fd);
	return n == 0;
}

static void print_safe(struct at_bytes text)
{
	struct at_buf safe = { 0 };

	at_safe_text(&safe, text, true);
	fwrite(at_buf_text(&safe), 1, safe.len, stdout);
	at_buf_free(&safe);
}

int gate_people_explain(const char *command, const struct gate_context *context)
{
	struct at_buf told = { 0 };
	struct gate_verdict verdict = { .reason_id = "", .class = "" };

	gate_explain_command(&verdict, at_bytes_of(command), context, &told);
	if (told.len) {
		print_safe(at_buf_bytes(&told));
		if (told.data[told.len - 1] != '\n')
			putchar('\n');
	}
	printf("%s%s%s\n", names[verdict.decision], *verdict.reason_id ? ": " : "",
		verdict.reason_id);
	if (*verdict.reason) {
		print_safe(at_bytes_of(verdict.reason));
		putchar('\n');
	}
	at_buf_free(&told);
	return 0;
}

/* Which column holds what; a column that a table lacks is -1. */
enum { ID, EXPECT, TOLERATE, COMMAND, COLUMNS };
static const char *const columns[COLUMNS] = { "#id", "expect", "tolerate", "command_json" };

struct table {
	int at[COLUMNS];
	size_t rows, failed, asked, must_stop, benign, needless;
};

static struct at_bytes field(struct at_bytes row, int column)
{
	const char *p = row.data, *end = p + row.len;

	for (; column > 0 && p < end; column--) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));

		p = tab ? tab + 1 : end;
	}
	if (column != 0)
		return (struct at_bytes){ "", 0 };
	for (const char *q = p;; q++)
		if (q == end || *q == '\t')
			return (struct at_bytes){ p, (size_t)(q - p) };
}

static bool read_header(struct table *table, struct at_bytes row)
{
	for (int c = 0; c < COLUMNS; c++) {
		table->at[c] = -1;
		for (int i = 0; i < 32; i++)
			if (at_bytes_equal_text(field(row, i), columns[c]))
				table->at[c] = i;
	}
	return table->at[ID] >= 0 && table->at[EXPECT] >= 0 && table->at[COMMAND] >= 0;
}

/* A list by commas, blanks or bars. */
static bool names_it(struct at_bytes list, const char *word)
{
	size_t len = strlen(word), start = 0;

	for (size_t i = 0; i <= list.len; i++) {
		if (i < list.len && !strchr(",| ", list.data[i]))
			continue;
		if (i - start == len && memcmp(list.data + start, word, len) == 0)
			return true;
		start = i + 1;
	}
	return false;
}

static void judge(struct table *table, const char *id, struct at_bytes want, struct at_bytes also,
	struct at_bytes command, struct at_bytes shown, const struct gate_context *context)
{
	struct gate_verdict got = { .reason_id = "", .class = "" };
	const char *name;

	gate_judge_command(&got, command, context);
	name = names[got.decision];
	table->rows++;
	if (names_it(want, "pass")) {
		table->benign++;
		table->needless += got.decision != GATE_PASS;
	} else {
		table->must_stop++;
		table->asked += got.decision != GATE_PASS;
	}
	if (!names_it(want, name) && !names_it(also, name)) {
		table->failed++;
		printf("FAIL ");
		print_safe(at_bytes_of(id));
		printf(": wants ");
		print_safe(want);
		printf(", got %s%s%s: ", name, *got.reason_id ? " " : "", got.reason_id);
		print_safe(shown);
		putchar('\n');
	}
}

/* A row of a table with a header; the command is a JSON string. */
static bool try_row(struct table *table, struct at_bytes row, const struct gate_context *context)
{
	struct at_bytes id = field(row, table->at[ID]), want = field(row, table->at[EXPECT]);
	struct at_bytes also = field(row, table->at[TOLERATE]);
	struct at_bytes text = field(row, table->at[COMMAND]);
	struct at_arena *arena;
	struct at_json doc;

	if (!at_json_read(&doc, text, &at_json_brief_limits, 0, NULL)) {
		fprintf(stderr, "agentteams-gate: row %.*s holds no JSON string\n", (int)id.len,
			id.data);
		return false;
	}
	arena = at_arena_new();
	judge(table, at_arena_strndup(arena, id.data, id.len), want, also,
		at_json_string(&doc, AT_JSON_ROOT, arena), text, context);
	at_arena_free(arena);
	at_json_free(&doc);
	return true;
}

static bool is_verdict(struct at_bytes list)
{
	for (size_t i = 0; i < AT_LEN(names); i++)
		if (names_it(list, names[i]))
			return true;
	return false;
}

/* A row of a table without one: a verdict, a tab, and the command as one types it. */
static bool try_plain(struct table *table, struct at_bytes row, size_t line,
	const struct gate_context *context)
{
	struct at_bytes want = field(row, 0), command = field(row, 1);
	const char *fault = NULL;
	char id[32];

	if (want.len == row.len)
		fault = "holds no tab";
	else if (!is_verdict(want))
		fault = "begins with no verdict (pass, ask or deny)";
	else if (want.len + 1 + command.len != row.len)
		fault = "has more than two columns";
	if (fault) {
		fprintf(stderr,
			"agentteams-gate: line %zu %s: without a header each line is a verdict, a "
			"tab and a command\n",
			line, fault);
		return false;
	}
	snprintf(id, sizeof(id), "line %zu", line);
	judge(table, id, want, (struct at_bytes){ "", 0 }, command, command, context);
	return true;
}

/* The first line that says something decides which table it is: one with a header begins with
 * #id; any other line with # is a remark. */
static bool try_rows(struct table *table, struct at_bytes text, const struct gate_context *context)
{
	bool has_header = false, is_plain = false, ok = true;
	size_t line_no = 0;

	for (size_t start = 0; start < text.len;) {
		const char *line = text.data + start, *end = memchr(line, '\n', text.len - start);
		struct at_bytes row = { line, end ? (size_t)(end - line) : text.len - start };

		start += row.len + 1;
		line_no++;
		if (row.len && row.data[row.len - 1] == '\r')
			row.len--;
		if (!row.len)
			continue;
		if (!has_header && !is_plain && at_bytes_equal_text(field(row, 0), "#id")) {
			has_header = read_header(table, row);
			if (!has_header)
				return false;
		} else if (*row.data != '#') {
			is_plain = !has_header;
			if (is_plain && !try_plain(table, row, line_no, context))
				return false;
			if (!is_plain)
				ok &= try_row(table, row, context);
		}
	}
	return ok && (has_header || is_plain);
}

int gate_people_test(const char *path, const struct gate_context *context)
{
	struct table table = { .rows = 0 };
	struct at_buf text = { 0 };
	bool ok = read_all(&text, path);

	if (ok && !try_rows(&table, at_buf_bytes(&text), context)) {
		fprintf(stderr,
			"agentteams-gate: %s is no table that --test reads: either its first line "
			"names the columns #id, expect and command_json, or each line is pass, ask "
			"or deny, a tab and a command\n",
			path);
		ok = false;
	}
	at_buf_free(&text);
	if (!ok)
		return 2;
	printf("%zu rows, %zu failed; %zu of %zu that must be stopped are; %zu of %zu harmless are "
	       "stopped\n",
		table.rows, table.failed, table.asked, table.must_stop, table.needless,
		table.benign);
	return table.failed ? 1 : 0;
}

int gate_people_scan(const char *path)
{
	static const char *const severities[] = { "low", "medium", "high" };
	static struct scan_result found;
	struct at_buf text = { 0 };
	bool high = false;

	if (!read_all(&text, path)) {
		at_buf_free(&text);
		return 2;
	}
	scan_text(&found, at_buf_bytes(&text), false);
	for (size_t i = 0; i < found.count; i++)
		high |= found.findings[i].severity == SCAN_HIGH;
	printf("{\"verdict\": \"%s\", \"findings\": [",
		high                  ? "HALT"
			: found.count ? "CONDITIONAL_PASS"
				      : "PASS");
	for (size_t i = 0; i < found.count; i++)
		printf("%s\n  {\"line\": %zu, \"severity\": \"%s\", \"category\": \"%s\", "
		       "\"id\": \"%s\", \"message\": \"%s\"}",
			i ? "," : "", found.findings[i].line,
			severities[found.findings[i].severity], found.findings[i].category,
			found.findings[i].id, found.findings[i].message);
	printf("%s], \"more\": %zu}\n", found.count ? "\n" : "", found.more);
	at_buf_free(&text);
	return high;
}
