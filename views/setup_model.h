/* setup_model.h - a brief in the making: what is on disk, what was changed, what comes out.
 *
 * The draft is a list of changed fields; the text that a save would write is made from it and
 * from the brief as it is on disk, so that a brief which changes meanwhile loses nothing.
 * The Setup view and the command line share it. It writes no file and plans nothing.
 * (REQ-1 to REQ-8, REQ-14)
 */
#ifndef AT_SETUP_MODEL_H
#define AT_SETUP_MODEL_H

#include "views/session.h"

struct at_setup_edit {
	const struct at_field *field;
	bool is_made;     /* else the field is as on disk: only the way back holds such */
	char *value;      /* JSON; NULL: taken out */
	char *was;        /* on disk, when the change was made; NULL: not there */
};

/* What was changed and not saved. A zeroed one is empty; it outlives views and models. */
struct at_setup_draft {
	struct at_setup_edit *edits, *past; /* past: how each was before, newest last */
	size_t count, cap, past_count, past_cap;
	bool is_begun; /* a missing brief was given its first field */
};
void at_setup_draft_free(struct at_setup_draft *draft);

struct at_setup_model {
	struct at_session *session;   /* borrowed */
	struct at_setup_draft *draft; /* borrowed */
	bool can_edit;         /* else `error` says why */
	bool request_ok;       /* the draft is a brief; else `error`, which may name its field */
	struct at_error error;
	struct at_buf text;    /* what a save would write */
	struct at_json doc;    /* of `text`, unless it cannot be edited */
	struct at_arena *arena;
	struct at_request request; /* of the draft; the defaults where it is none */
	struct at_buf unaccepted;  /* the root that the last refusal was about */
};

/* Never fails: what is wrong is in the model. A missing brief is drafted with the default
 * profile, said explicitly. Released by at_setup_close(), which leaves the draft alone. */
void at_setup_open(struct at_setup_model *out, struct at_session *session,
	struct at_setup_draft *draft);
void at_setup_close(struct at_setup_model *model);
/* After the session was read again. */
void at_setup_reopen(struct at_setup_model *model);

/* Changes one field of the draft. Refused, nothing changed, when a brief may not hold the
 * value, or when it adds a write root that is banned (REQ-3) or outside the project and not
 * accepted: `err` has the id root-not-accepted then, `unaccepted` is the root (REQ-4). */
bool at_setup_set(struct at_setup_model *model, const struct at_field *field, struct at_bytes value,
	struct at_error *err);
bool at_setup_unset(
	struct at_setup_model *model, const struct at_field *field, struct at_error *err);

/* Takes the newest change back; false when there is none. */
bool at_setup_undo(struct at_setup_model *model);
/* Forgets all changes: they were saved. */
void at_setup_forget(struct at_setup_model *model);

bool at_setup_is_changed(const struct at_setup_model *model); /* a save would write something */
bool at_setup_field_is_changed(const struct at_setup_model *model, const struct at_field *field);
/* The field is another on disk now than when it was changed here. */
bool at_setup_field_is_stale(const struct at_setup_model *model, const struct at_field *field);

/* The field's value in the draft as it is spelled; no bytes when it is not there. */
struct at_bytes at_setup_raw(const struct at_setup_model *model, const struct at_field *field);
/* The same for a reader: texts without quotes, the default where it is not there. Appended. */
void at_setup_show(const struct at_setup_model *model, const struct at_field *field,
	struct at_buf *out);
/* JSON on one line, for reading. Appended. */
void at_setup_one_line(struct at_buf *out, struct at_bytes raw);
/* The texts of a list as they will be read, the default where there is none. */
const struct at_texts *at_setup_texts(const struct at_setup_model *model,
	const struct at_field *field);
bool at_setup_flag(const struct at_setup_model *model, const struct at_field *field);

/* The list with one text more (`index` its length), another, or (NULL) one less, as JSON. */
void at_setup_list_value(struct at_buf *out, const struct at_texts *texts, size_t index,
	const char *text);

#endif
