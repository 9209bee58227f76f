#include "views/plain.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "core/mem.h"
#include "views/text_view.h"

#define WIDTH 200 /* as if on a wide screen: every pane is there to be told */
#define HEIGHT 60
#define LINE_CAP 1024
#define JOB_MS 2000 /* a job is waited for that long; later it is told with the next command */

struct plain {
	struct at_run *run;
	struct at_app *app;
	const struct at_pipeline *pipeline;
	const struct at_view *shown; /* whose rows were printed last */
	char truth[sizeof(((struct at_pipeline *)NULL)->sentence)]; /* as it was told last */
	bool said;                   /* something was printed since the last line was read */
	bool ended;                  /* no more lines come */
};

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

/* Own symbols in ASCII; whatever else is not ASCII is told by its number. */
static void put_ascii(const char *text, size_t len)
{
	static const struct {
		int32_t code;
		const char *as;
	} rows[] = {
		{ 0x2192, "->" },
		{ 0x2026, "..." },
		{ 0x00b7, "-" },
		{ 0x2014, "-" },
		{ 0x2013, "-" },
	};
	struct at_bytes bytes = { text, len };
	int32_t code;

	for (size_t at = 0, used, i; (used = at_utf8_next(bytes, at, &code)) > 0; at += used) {
		for (i = 0; i < AT_LEN(rows) && rows[i].code != code; i++)
			;
		if (i < AT_LEN(rows))
			fputs(rows[i].as, stdout);
		else if (code == '\t')
			fputs("    ", stdout);
		else if (code >= 0 && code < 0x80)
			putchar((char)code);
		else
			printf("<U+%04X>", (unsigned)code);
	}
}

static void say(struct plain *p, struct at_bytes text)
{
	struct at_buf safe = { 0 };

	at_safe_text(&safe, text, true);
	put_ascii(at_buf_text(&safe), safe.len);
	if (safe.len && safe.data[safe.len - 1] != '\n')
		putchar('\n');
	at_buf_free(&safe);
	p->said = true;
}

static void sayf(struct plain *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void sayf(struct plain *p, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say(p, at_bytes_of(text));
}

static void end(struct plain *p)
{
	struct at_event quit = { .kind = AT_EVENT_QUIT, .signal = caught };

	p->ended = true;
	if (caught)
		at_app_step(p->app, &quit);
	p->app->done = true;
}

/* One line, without its end. False when none comes any more, or a signal came. */
static bool read_line(struct plain *p, char out[LINE_CAP])
{
	size_t len = 0;
	char c = '\0';

	fflush(stdout);
	while (!caught && c != '\n') {
		ssize_t got = read(0, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (c != '\n' && len + 1 < LINE_CAP)
			out[len++] = c;
	}
	out[len] = '\0';
	if (!caught && c == '\n')
		return true;
	putchar('\n');
	end(p);
	return false;
}

/* ---- rows ---- */

static bool row_text(const struct at_view *view, size_t row, struct at_spans *out)
{
	at_spans_clear(out);
	return view->class->row(view, row, out);
}

static void say_row(struct plain *p, size_t number, const struct at_spans *spans)
{
	struct at_buf text = { 0 };

	if (number)
		at_buf_printf(&text, "%zu. ", number);
	at_buf_put(&text, at_buf_text(&spans->text), spans->text.len);
	say(p, at_buf_bytes(&text));
	at_buf_free(&text);
}

/* The rows that can be named, counted from 1; `row` of number `wanted`, or false. */
static bool find_row(const struct at_view *view, size_t wanted, size_t *row)
{
	struct at_spans spans = { 0 };
	size_t number = 0;
	bool found = false;

	for (size_t i = 0; view->class->rows && !found && i < view->class->rows(view); i++) {
		number += row_text(view, i, &spans);
		found = number == wanted && number > 0;
		*row = i;
	}
	at_spans_free(&spans);
	return found;
}

static void say_number(struct plain *p, size_t number)
{
	const struct at_view *view = at_app_top(p->app);
	struct at_spans spans = { 0 };
	size_t row;

	if (find_row(view, number, &row) && row_text(view, row, &spans))
		say_row(p, number, &spans);
	at_spans_free(&spans);
}

static void say_rows(struct plain *p)
{
	const struct at_view *view = at_app_top(p->app);
	bool is_text = view->class == &at_view_text;
	struct at_spans spans = { 0 };
	size_t number = 0;

	for (size_t i = 0; view->class->rows && i < view->class->rows(view); i++) {
		bool named = row_text(view, i, &spans) && !is_text;

		number += named;
		say_row(p, named ? number : 0, &spans);
	}
	at_spans_free(&spans);
}

static void say_more(struct plain *p)
{
	const struct at_view *view = at_app_top(p->app);
	struct at_buf text = { 0 };
	struct at_error err = { 0 };

	if (!view->class->more)
		sayf(p, "There is no diff here.");
	else if (!view->class->more(view, &text, &err))
		sayf(p, "%s\n%s", err.message, err.hint);
	else if (!text.len)
		sayf(p, "No difference.");
	else
		say(p, at_buf_bytes(&text));
	at_buf_free(&text);
}

static void say_view(struct plain *p)
{
	const struct at_view *view = at_app_top(p->app);

	p->shown = view;
	sayf(p, "%s", view->class->title);
	if (view->class->rows && view->class->rows(view))
		say_rows(p);
	else
		say_more(p);
}

/* When it is news. */
static void say_truth(struct plain *p)
{
	struct at_buf text = { 0 };

	if (strcmp(p->truth, p->pipeline->sentence) == 0)
		return;
	snprintf(p->truth, sizeof(p->truth), "%s", p->pipeline->sentence);
	at_pipeline_print(p->pipeline, &text);
	say(p, at_buf_bytes(&text));
	at_buf_free(&text);
}

/* ---- questions ---- */

/* What was typed before a question was there does not answer it. */
static void ask(struct plain *p)
{
	const struct at_ask *ask = &p->app->ask;
	const char *word = ask->danger == AT_DANGER_WORD && ask->word ? ask->word : "yes";
	char line[LINE_CAP];
	bool yes;

	sayf(p, "Question: %s", ask->title ? ask->title : "Are you sure?");
	for (size_t i = 0; i < ask->line_count; i++)
		sayf(p, "  %s", ask->lines[i]);
	tcflush(0, TCIFLUSH);
	printf("Type %s to ", word);
	put_ascii(ask->yes ? ask->yes : "do it", strlen(ask->yes ? ask->yes : "do it"));
	fputs("; anything else leaves things as they are: ", stdout);
	if (!read_line(p, line))
		return;
	yes = strcmp(line, word) == 0;
	if (!yes)
		sayf(p, "No: things stay as they are.");
	at_app_answer(p->app, yes, at_bytes_of(""));
}

static void ask_text(struct plain *p)
{
	const struct at_ask *ask = &p->app->ask;
	char line[LINE_CAP];

	if (ask->value && *ask->value)
		sayf(p, "It is now: %s", ask->value);
	put_ascii(ask->title ? ask->title : "", strlen(ask->title ? ask->title : ""));
	fputs("(an empty line leaves it) ", stdout);
	if (read_line(p, line))
		at_app_answer(p->app, *line != '\0', at_bytes_of(line));
}

/* No line appears while somebody types: what a job brings is told between two commands. */
static void wait_for_job(struct plain *p)
{
	static const struct at_event wake = { .kind = AT_EVENT_WAKE };
	struct pollfd job = { .fd = p->run->wake_fd, .events = POLLIN };

	if (job.fd < 0 || p->app->modal != AT_MODAL_NONE)
		return;
	while (p->run->wake_fd >= 0 && !caught && poll(&job, 1, JOB_MS) > 0) {
		at_app_step(p->app, &wake);
		job.fd = p->run->wake_fd; /* another may have been waiting */
	}
	if (p->run->wake_fd < 0)
		sayf(p, "What was being tried is known now; l tells what stands here.");
}

/* Tells what came of the last act, and asks what it asks. */
static void settle(struct plain *p)
{
	struct at_app *app = p->app;

	wait_for_job(p);

	while (!app->done) {
		while (!app->done && at_app_idle(app) && app->idle_due)
			; /* whatever is done in slices is done before the next line is read */
		say_truth(p);
		if (app->message.len) {
			say(p, at_buf_bytes(&app->message));
			app->message.len = 0;
		}
		if (app->modal == AT_MODAL_CONFIRM)
			ask(p);
		else if (app->modal == AT_MODAL_PROMPT)
			ask_text(p);
		else if (at_app_top(app)->class == &at_view_text && app->depth > 1) {
			say_rows(p); /* a text is told once and closed: there is nothing to do in it */
			at_app_do(app, AT_DO_BACK);
		} else if (at_app_top(app) != p->shown) {
			say_view(p);
		} else if (!app->message.len) {
			return;
		}
	}
}

/* ---- commands ---- */

/* These are about a screen; movement is too. */
static const enum at_action screen_only[] = {
	AT_DO_SWITCH_PANE,
	AT_DO_ZOOM,
	AT_DO_WRAP,
	AT_DO_NEXT_HUNK,
	AT_DO_PREV_HUNK,
	AT_DO_SEARCH,
	AT_DO_SEARCH_NEXT,
	AT_DO_SEARCH_PREV,
	AT_DO_NEXT_UNDECIDED,
	AT_DO_REDRAW,
	AT_DO_SUSPEND,
	AT_DO_CANCEL,
	AT_DO_FOLD,
	AT_DO_SPACE,
	AT_DO_SIDE_BY_SIDE,
	AT_DO_NEXT_FILE,
	AT_DO_PREV_FILE,
	AT_DO_NEXT_WARNING,
	AT_DO_FILTER,
	AT_DO_MOUSE,
	AT_DO_HELP,
	AT_DO_OPEN,
	AT_DO_BACK,
	AT_DO_QUIT,
};

/* Where rows come by the thousand a filter is more than a look of the screen. */
static bool is_here(const struct plain *p, enum at_action action)
{
	const struct at_action_info *info = at_action_info(action);

	if (action == AT_DO_FILTER && at_app_top(p->app)->class->contexts & AT_IN_RUNNER)
		return true;
	for (size_t i = 0; i < AT_LEN(screen_only); i++) {
		if (screen_only[i] == action)
			return false;
	}
	return action && info->danger != AT_DANGER_MOVES && !(info->contexts & AT_IN_MODAL)
		&& !(action >= AT_DO_VIEW_1 && action <= AT_DO_VIEW_9);
}

/* The table's help says so: such an act is about one row, and here it has to be named. */
static bool needs_row(enum at_action action)
{
	return strstr(at_action_info(action)->help, "cursor") != NULL;
}

/* The first key of the action that can be typed as a word, else its name. */
static void word_of(const struct plain *p, enum at_action action, char out[24])
{
	at_keymap_key(&p->app->keymap, action, out);
	if (strlen(out) != 1 || strchr("dlvq?", *out))
		snprintf(out, 24, "%s", at_action_info(action)->name);
}

/* "Accept the item at the cursor" is about the row that was named. */
static void say_action(struct plain *p, const char *word, enum at_action action)
{
	static const char here[] = " at the cursor";
	const char *help = at_action_info(action)->help, *cut = strstr(help, here);
	int len = cut ? (int)(cut - help) : (int)strlen(help);

	sayf(p, "%s%s: %.*s%s", word, needs_row(action) ? " NUMBER" : "", len, help,
		cut ? cut + sizeof(here) - 1 : "");
}

static void say_help(struct plain *p)
{
	sayf(p, "%s", at_app_top(p->app)->class->blurb ? at_app_top(p->app)->class->blurb : "");
	sayf(p, "NUMBER: open that row");
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		enum at_action action = (enum at_action)i;
		char why[256], word[24];
		bool can = at_app_can(p->app, action, why, sizeof(why));

		if (!is_here(p, action) || (!can && !*why))
			continue;
		word_of(p, action, word);
		/* Without a row a reason would be about whatever row was named last. */
		if (can || needs_row(action))
			say_action(p, word, action);
		else
			sayf(p, "%s: %s (off: %s)", word, at_action_info(action)->help, why);
	}
	sayf(p, "d: the diff\nl: the list again\nv NUMBER: go to view NUMBER\n?: this help\n"
		"q: back, or leave");
}

static bool go(struct plain *p, size_t number)
{
	struct at_event event = { .kind = AT_EVENT_GO };
	struct at_view *view = at_app_top(p->app);
	struct at_fx fx = { 0 };
	bool there;

	there = find_row(view, number, &event.row) && view->class->event
		&& view->class->event(view, &event, &fx) == AT_TAKEN;
	at_fx_free(&fx);
	if (!there)
		sayf(p, "There is no row %zu.", number);
	return there;
}

static enum at_action action_of(const struct plain *p, const char *word)
{
	enum at_action action = AT_DO_NOTHING;
	struct at_key key;

	if (at_action_parse(&action, word))
		return action;
	if (at_key_parse(&key, word))
		action = at_keymap_find(&p->app->keymap, at_app_top(p->app)->class->contexts, key);
	return action;
}

static void act(struct plain *p, const char *word, size_t number)
{
	const struct at_view *view = at_app_top(p->app);
	enum at_action action = action_of(p, word);

	if (!is_here(p, action)) {
		sayf(p, "%s does nothing here. ? tells what can be done.", word);
		return;
	}
	if (needs_row(action) && !number) {
		sayf(p, "Say which row: %s NUMBER.", word);
		return;
	}
	if (number && !go(p, number))
		return;
	at_app_do(p->app, action);
	settle(p);
	if (number && !p->ended && at_app_top(p->app) == view)
		say_number(p, number);
}

/* Tells the row in full; where opening is a choice, what became of it. */
static void open_row(struct plain *p, size_t number)
{
	const struct at_view *view = at_app_top(p->app);

	if (!go(p, number))
		return;
	at_app_do(p->app, AT_DO_OPEN);
	settle(p);
	if (!p->said && !p->ended && at_app_top(p->app) == view)
		say_number(p, number);
}

static void command(struct plain *p, char *line)
{
	char *word = strtok(line, " \t"), *rest = strtok(NULL, " \t"), *end_of;
	size_t number = 0;

	if (!word)
		return;
	if (rest && (strtok(NULL, " \t") || (number = strtoul(rest, &end_of, 10)) == 0 || *end_of
			    || number > 999999)) {
		sayf(p, "A command is one word, or a word and a number.");
		return;
	}
	if (strcmp(word, "?") == 0) {
		say_help(p);
	} else if (strcmp(word, "l") == 0) {
		say_view(p);
	} else if (strcmp(word, "d") == 0) {
		say_more(p);
	} else if (strcmp(word, "q") == 0) {
		at_app_do(p->app, p->app->depth > 1 ? AT_DO_BACK : AT_DO_QUIT);
	} else if (strcmp(word, "v") == 0 && number >= 1 && number <= 9) {
		at_app_do(p->app, (enum at_action)(AT_DO_VIEW_1 + (int)number - 1));
	} else if (strspn(word, "0123456789") == strlen(word) && !rest) {
		open_row(p, strtoul(word, NULL, 10));
	} else {
		act(p, word, number);
	}
}

/* "Merge: number, a N, r N, w, =, d (diff), l (list), ? (help), q (leave)> " */
static void prompt(struct plain *p)
{
	const struct at_view *view = at_app_top(p->app);
	char why[256], word[24];

	printf("%s: number", view->class->title);
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		enum at_action action = (enum at_action)i;

		if (!is_here(p, action) || !*at_action_info(action)->footer)
			continue;
		if (!needs_row(action) && !at_app_can(p->app, action, why, sizeof(why)))
			continue;
		if (!(at_action_info(action)->contexts & view->class->contexts))
			continue;
		word_of(p, action, word);
		printf(", %s%s", word, needs_row(action) ? " N" : "");
	}
	printf("%s, l (list), ? (help), q (%s)> ", view->class->more ? ", d (diff)" : "",
		p->app->depth > 1 ? "back" : "leave");
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

bool at_plain_run(struct at_run *run, const struct at_pipeline *pipeline, struct at_error *err)
{
	struct at_app *app = run->app;
	struct at_event size = { .kind = AT_EVENT_RESIZE, .width = WIDTH, .height = HEIGHT };
	struct sigaction action = { .sa_handler = on_signal }, before[AT_LEN(signals)];
	struct plain p = { .run = run, .app = app, .pipeline = pipeline };
	char line[LINE_CAP];

	(void)err;
	/* Without SA_RESTART: a signal ends the wait for a line. */
	for (size_t i = 0; i < AT_LEN(signals); i++)
		sigaction(signals[i], &action, &before[i]);
	at_app_step(app, &size);
	settle(&p);
	while (!app->done) {
		prompt(&p);
		p.said = false;
		if (!read_line(&p, line))
			break;
		command(&p, line);
		settle(&p);
		if (!p.said && !app->done)
			sayf(&p, "Done.");
	}
	if (p.ended && !caught && *at_app_unsaved(app))
		say(&p, at_bytes_of(at_app_unsaved(app)));
	tcflush(0, TCIFLUSH);
	for (size_t i = 0; i < AT_LEN(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	return true;
}
