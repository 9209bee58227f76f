/* agent_note.h - the translation section: what a format has no word for.
 *
 * Three lines of comments at the head of a body, JSON in the middle one. It grants
 * nothing and no harness reads it. One that begins as ours and does not read is an error:
 * passing it over would lose a limit without a word. (EMIT-18; reference-later 5.4)
 */
#ifndef AT_AGENT_NOTE_H
#define AT_AGENT_NOTE_H

#include "emit/framework.h"

struct at_agent_note {
	const char *name, *description; /* NULL: as the file has them */
	bool has_tools_said; /* `tools` says something: a list, or that none is declared */
	bool has_tools;
	struct at_texts tools;
	bool adds_title; /* the heading after it is not of the body */
	bool adds_end;   /* nor is the newline at the end */
};

/* Writes the section of `harness` ("codex"), nothing when the note says nothing. */
void at_agent_note_put(struct at_buf *out, const char *harness, const struct at_agent_note *note);

/* Takes the section off the head of `*body`. True without one, too. Texts are in `arena`. */
bool at_agent_note_take(struct at_agent_note *out, struct at_bytes *body, const char *harness,
	struct at_arena *arena, struct at_error *err);

#endif
