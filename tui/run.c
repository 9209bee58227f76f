#include "tui/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "tui/tty.h"

#define BATCH 4096

int64_t at_run_now_ms(void *unused)
{
	struct timespec now;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct loop {
	struct at_run *run;
	struct at_input input;
	struct at_grid grid;
	bool gone; /* the terminal hung up */
	bool mouse; /* its reports are on */
};

static void step(void *user, const struct at_event *event)
{
	struct loop *loop = user;

	if (!loop->run->app->done)
		at_app_step(loop->run->app, event);
}

static void resize(struct loop *loop)
{
	struct at_event event = { .kind = AT_EVENT_RESIZE };

	at_tty_size(&event.width, &event.height);
	step(loop, &event);
}

static void paint(struct loop *loop)
{
	struct at_app *app = loop->run->app;
	bool whole = app->repaint;

	if (!app->dirty && !whole)
		return;
	app->repaint = false;
	at_app_paint(app, &loop->grid);
	if (!loop->run->backend->show(loop->run->backend, &loop->grid, whole))
		loop->gone = true;
	at_app_painted(app);
}

static void set_mouse(struct loop *loop)
{
	const struct at_backend *backend = loop->run->backend;
	struct at_app *app = loop->run->app;

	if (app->mouse == loop->mouse)
		return;
	if (app->mouse && !*backend->mouse_on) {
		app->mouse = false;
		at_app_message(app, false, "This terminal is not known to report a mouse.");
		return;
	}
	loop->mouse = app->mouse;
	at_tty_extra(loop->mouse ? backend->mouse_on : "", backend->mouse_off);
}

static void take_signals(struct loop *loop)
{
	struct at_tty_signals came;
	struct at_event event;

	at_tty_signals(&came);
	if (came.quit) {
		event = (struct at_event){ .kind = AT_EVENT_QUIT, .signal = came.quit };
		step(loop, &event);
		return;
	}
	if (came.stop)
		loop->run->app->suspend = true;
	if (came.resized)
		resize(loop);
	if (came.resumed) {
		event = (struct at_event){ .kind = AT_EVENT_RESUME };
		step(loop, &event);
	}
}

static void take_bytes(struct loop *loop)
{
	char bytes[BATCH];
	ssize_t got = read(loop->run->in, bytes, sizeof(bytes));

	if (got > 0)
		at_input_feed(&loop->input, bytes, (size_t)got, step, loop);
	else if (got == 0 || (errno != EINTR && errno != EAGAIN))
		loop->gone = true;
}

/* How long nothing may happen before the view on top looks up; -1: for ever. */
static int tick_of(const struct at_app *app)
{
	const struct at_view *view = at_app_top(app);

	return app->modal == AT_MODAL_NONE && view && view->class->tick_ms ? view->class->tick_ms
									   : -1;
}

/* `now`: only takes what is there, because something is going on. */
static void wait_for_more(struct loop *loop, bool now)
{
	static const struct at_event tick = { .kind = AT_EVENT_TICK };
	struct pollfd fds[3] = {
		{ .fd = loop->run->in, .events = POLLIN },
		{ .fd = at_tty_signal_fd(), .events = POLLIN },
		/* What a question is about does not change under it: the job waits. */
		{ .fd = loop->run->app->modal == AT_MODAL_NONE ? loop->run->wake_fd : -1,
			.events = POLLIN },
	};
	int patience = at_input_patience(&loop->input,
		loop->run->escape_ms > 0 ? loop->run->escape_ms : 50);
	int ready = poll(fds, 3, now ? 0 : patience >= 0 ? patience : tick_of(loop->run->app));

	if (ready < 0)
		return; /* a signal: its byte is in the pipe for the next turn */
	if (ready == 0 && !now && patience >= 0)
		at_input_flush(&loop->input, step, loop);
	else if (ready == 0 && !now)
		step(loop, &tick);
	if (fds[1].revents)
		take_signals(loop);
	if (fds[0].revents)
		take_bytes(loop);
	if (loop->run->wake_fd >= 0 && fds[2].revents) {
		const struct at_event event = { .kind = AT_EVENT_WAKE };

		step(loop, &event);
	}
}

bool at_run(struct at_run *run, struct at_error *err)
{
	struct loop loop = { .run = run };
	struct at_app *app = run->app;

	if (!at_tty_open(run->in, run->out, run->backend->enter, run->backend->leave, err))
		return false;
	resize(&loop);
	app->repaint = true;
	while (!app->done && !loop.gone) {
		set_mouse(&loop);
		paint(&loop);
		/* A view that works through many idle events still gets its keys between two. */
		wait_for_more(&loop, at_app_idle(app));
		if (app->suspend) {
			app->suspend = false;
			at_tty_suspend();
		}
	}
	if (loop.gone && !app->done) { /* views may want to keep something */
		const struct at_event event = { .kind = AT_EVENT_QUIT, .signal = SIGHUP };

		step(&loop, &event);
	}
	at_tty_close();
	at_input_free(&loop.input);
	at_grid_free(&loop.grid);
	return true;
}
