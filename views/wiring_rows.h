/* wiring_rows.h - what is wired, as rows: values in force, findings, hooks, files, the host.
 *
 * One model for the Wiring view and for the plain report, made from the collected evidence.
 * The first question, whether the client would load the file at all, stands apart. It
 * changes nothing. (WIRE-8, WIRE-9)
 */
#ifndef AT_WIRING_ROWS_H
#define AT_WIRING_ROWS_H

#include "core/host_check.h"
#include "core/launch_check.h"
#include "tui/line.h"
#include "views/collect.h"

enum at_wiring_row_kind {
	AT_ROW_HEADING,
	AT_ROW_REMARK,
	AT_ROW_VALUE,   /* `index`: the first of a run of values of one key and file */
	AT_ROW_FINDING, /* `index`: of the finding */
	AT_ROW_OKAYS,   /* all findings that are well */
	AT_ROW_HOOK,
	AT_ROW_FILE,
	AT_ROW_FACT,
	AT_ROW_NAMES,
	AT_ROW_CEILING,
	AT_ROW_HOST,        /* views/host_rows */
	AT_ROW_LAUNCH,      /* views/launch_rows */
	AT_ROW_LAUNCH_NOTE, /* `text`; `index` 1: of something that is not ready */
	AT_ROW_PROOF,       /* views/proof_rows: the state of the launcher's proof */
	AT_ROW_PROOF_CASE,  /* `index`: of a case that failed */
	AT_ROW_PROOF_GROUP, /* `index`: of the first case of a group */
	AT_ROW_TEAM,        /* views/teams: `index` of one, where several live here */
};

struct at_wiring_row {
	enum at_wiring_row_kind kind;
	size_t index;
	const char *text; /* of a heading or remark */
};

struct at_wiring_rows {
	const struct at_session *session;     /* borrowed */
	const struct at_collected *collected; /* borrowed, of the last make */
	struct at_wiring_row *rows;
	size_t count, cap;
	struct at_host_report host; /* what AT_ROW_HOST rows are about */
	struct at_launch launch;    /* the same of AT_ROW_LAUNCH */
	int width; /* cells for a row; columns are dropped in a narrow one; 0: no limit */
};

/* Made anew after every change of the evidence; `width` stays. */
void at_wiring_rows_make(struct at_wiring_rows *rows, const struct at_session *session,
	const struct at_collected *collected);
/* For another width; nothing is looked at again. */
void at_wiring_rows_wrap(struct at_wiring_rows *rows, int width);
void at_wiring_rows_free(struct at_wiring_rows *rows);
void at_wiring_row_line(const struct at_wiring_rows *rows, size_t row, struct at_line *out);

/* The row in full, as lines of `width` cells. */
void at_wiring_row_text(const struct at_wiring_rows *rows, size_t row, int width,
	struct at_buf *out);

/* For the files that add a section: a row at the end; `text` is borrowed. */
void at_wiring_rows_put(struct at_wiring_rows *rows, enum at_wiring_row_kind kind, size_t index,
	const char *text);
/* Broken at spaces in `width` cells, each line after `indent`; a word that is longer stays
 * whole. */
void at_wiring_wrap(struct at_buf *out, const char *text, int width, const char *indent);

/* The first question, its answer and why: would the client load the live file ("YES", "NO",
 * "NO FILE"), or, where no settings file is, is the launcher genuine? */
struct at_wiring_answer {
	const char *question, *narrow; /* the same in few cells */
	const char *word;
	enum at_style style;
	char why[600];
};
void at_wiring_answer(struct at_wiring_answer *out, const struct at_collected *collected);
void at_wiring_launcher_answer(struct at_wiring_answer *out, const struct at_collected *collected);

/* "genuine", "missing", "edited", …; NULL where none is emitted. */
const char *at_wiring_launcher_word(const struct at_collected *collected);

/* The first finding of that id, or NULL. */
const struct at_finding *at_wiring_find(const struct at_wiring *wiring, const char *id);

/* "2 fail, 1 warn, 14 well" and how the gate's hook did. */
void at_wiring_tally(const struct at_collected *collected, const struct at_session *session,
	struct at_buf *out);

#endif
