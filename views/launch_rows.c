#include "views/launch_rows.h"

#include "core/mem.h"

void at_launch_rows_look(struct at_launch *out, const struct at_session *session,
	const struct at_collected *collected)
{
	struct at_launch_place place = { .root = session->project.fd,
		.project = session->path,
		.home = session->host.home,
		.is_genuine = collected->is_checked && collected->evidence.is_configured
			&& at_mechanism_is_launcher(collected->evidence.mechanism) };

	at_launch_look(out, &session->manifest, &place);
}

static void add_note(struct at_wiring_rows *r, bool is_bad, const char *text)
{
	at_wiring_rows_put(r, AT_ROW_LAUNCH_NOTE, is_bad, text);
}

/* A row for each piece; the index is where it begins, and odd when inside quotes. */
static void add_line(struct at_wiring_rows *r)
{
	struct at_buf piece = { 0 };
	size_t from = 0, next = 0;
	bool quoted = false, was = false;

	while (at_launch_wrap(&piece, r->launch.line, &next, &quoted, r->width - 4)) {
		at_wiring_rows_put(r, AT_ROW_LAUNCH, from * 2 + was, NULL);
		from = next;
		was = quoted;
		piece.len = 0;
	}
	at_buf_free(&piece);
}

void at_launch_rows_add(struct at_wiring_rows *r)
{
	struct at_launch *l = &r->launch;

	if (!l->arena)
		return;
	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "Launch line");
	if (*l->line)
		add_line(r);
	else
		add_note(r, true, l->why.message);
	add_note(r, l->launcher == AT_LAUNCHER_ABSENT, l->launcher_text);
	for (size_t i = 0; i < l->paths.count; i++)
		if (l->missing[i])
			add_note(
				r, true, at_arena_printf(l->arena, "NOT READY  %s", l->missing[i]));
	for (size_t i = 0; at_launch_egress(i); i++)
		add_note(r, false,
			at_arena_printf(l->arena, "--egress %s: %s", at_launch_egress(i)->mode,
				at_launch_egress(i)->means));
	add_note(r, l->own_sandbox != NULL, l->boundaries);
	add_note(r, false, at_launch_starts());
}

void at_launch_row_line(const struct at_wiring_rows *r, size_t index, struct at_line *out)
{
	struct at_buf piece = { 0 };
	size_t from = index / 2;
	bool quoted = index % 2;

	at_launch_wrap(&piece, r->launch.line, &from, &quoted, r->width - 4);
	at_line_text(out, AT_STYLE_NORMAL, at_buf_text(&piece));
	at_buf_free(&piece);
}

void at_launch_row_text(const struct at_wiring_rows *r, size_t index, int width, struct at_buf *out)
{
	size_t from = 0;
	bool quoted = false;

	(void)index;
	at_buf_puts(out, "Launch line, to be run in the project's directory\n\n");
	while (at_launch_wrap(out, r->launch.line, &from, &quoted, width))
		at_buf_putc(out, '\n');
	at_buf_putc(out, '\n');
	at_wiring_wrap(out, at_launch_starts(), width, "");
}
