#include "views/view_reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/settings_file.h"
#include "emit/live.h"
#include "views/acts.h"

#define LARGE ((off_t)512 << 10)

static off_t size_of(int root, const char *path)
{
	struct stat st;

	return fstatat(root, path, &st, 0) == 0 ? st.st_size : 0;
}

bool at_reading_takes_long(const struct at_session *session)
{
	int root = session->project.fd;
	char own[PATH_MAX + sizeof("/" AT_SETTINGS)];

	snprintf(own, sizeof(own), "%s/" AT_SETTINGS, session->host.home);
	return size_of(root, AT_SETTINGS) + size_of(root, AT_LIVE_LOCAL) + size_of(AT_FDCWD, own)
		>= LARGE;
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	(void)view;
	at_canvas_text(canvas, 1, 1, "Reading the settings…", AT_STYLE_TITLE);
	at_canvas_text(canvas, 1, 3, "Nothing of this project is known yet.", AT_STYLE_NORMAL);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	(void)view;
	if (what->kind != AT_EVENT_IDLE)
		return AT_PASS;
	at_fx_do(fx, AT_ACT_BEGIN, NULL);
	return AT_TAKEN;
}

const struct at_view_class at_view_reading = {
	.name = "reading",
	.title = "Reading",
	.blurb = "The settings are large: they are read before anything is shown.",
	.min = { 40, 10 },
	.paint = paint,
	.event = event,
};
