/* The Wiring view's sections about this host and about the launch line. */
#include "support/support.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/json_write.h"
#include "views/fixture.h"
#include "views/host_job.h"
#include "views/launch_rows.h"
#include "views/view_wiring.h"
#include "views/wiring_rows.h"

/* An Ubuntu as it comes: AppArmor restricts, socat is not there. */
static void put_host(struct at_session *session)
{
	struct at_host_seen *seen = &session->host_seen;

	*seen = (struct at_host_seen){ .platform = AT_LINUX, .tools_were_looked_for = true,
		.distro = "Ubuntu 24.04.3 LTS", .family = "debian", .landlock = 4,
		.max_user_namespaces = 63000, .userns_clone = 1, .apparmor_userns = 1,
		.legacy_tiocsti = 1,
		.bwrap = { .path = "/usr/bin/bwrap" },
		.bwrap_claude = { .result = AT_TRIED_FAILED, .status = 1,
			.said = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted" },
		.bwrap_launcher = { .result = AT_TRIED_FAILED, .status = 1 },
		.userns = { .result = AT_TRIED_FAILED, .sys = EPERM, .step = "loopback" },
		.seccomp = { .result = AT_TRIED_WELL } };
	session->host_is_known = true;
}

static void tell(struct fixture *f)
{
	const struct at_event changed = { .kind = AT_EVENT_CHANGED };
	struct at_view *view = at_app_top(&f->app);
	struct at_fx fx = { 0 };

	view->class->event(view, &changed, &fx);
	at_fx_free(&fx);
	f->app.dirty = true;
}

/* As the wiring check of a launcher team will say it: the launcher is genuine. */
static void be_launcher_team(struct fixture *f)
{
	struct at_error err;

	assert_true(at_session_choose_framework(&f->session, AT_GOOSE, &err));
	at_collected_free(&f->collected);
	at_collect(&f->collected, &f->session);
	test_write(f->options.project, AT_LAUNCHER, "#!/bin/sh\n");
	f->collected.is_checked = true;
	f->collected.evidence.is_configured = true;
	f->collected.evidence.artefacts_ok = true;
	at_pipeline_judge(&f->collected.pipeline, &f->collected.evidence);
	tell(f);
}

static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
static const struct fixture_plan emitted = { .is_emitted = true };

static void golden(struct fixture *f, const char *scene, size_t size)
{
	char name[96];

	snprintf(name, sizeof(name), "wiring-%s-%dx%d", scene, sizes[size][0], sizes[size][1]);
	screen_golden(&f->app, AT_THEME_DARK, name);
}

/* WIRE-7: the host's section at every size, and a row of it in full. */
static void wire_7_host_rows(void **state)
{
	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		struct fixture f;

		fixture_begin(&f, &emitted, &at_view_wiring, 5, sizes[s][0], sizes[s][1]);
		put_host(&f.session);
		tell(&f);
		screen_keys(&f.app, "/");
		screen_keys(&f.app, "c a n n o t Enter");
		golden(&f, "host", s);
		screen_keys(&f.app, "j j j Enter");
		golden(&f, "host-open", s);
		fixture_end(&f);
	}
}

/* WIRE-15: the launch line, whole at every size. */
static void wire_15_launch_rows(void **state)
{
	for (size_t s = 0; s < AT_LEN(sizes); s++) {
		struct fixture f;

		fixture_begin(&f, &emitted, &at_view_wiring, 5, sizes[s][0], sizes[s][1]);
		be_launcher_team(&f);
		screen_text(&f.app);
		golden(&f, "launch", s);
		screen_keys(&f.app, "/");
		screen_keys(&f.app, "c o n f i n e - r u n Enter");
		golden(&f, "launch-line", s);
		screen_keys(&f.app, "Enter");
		golden(&f, "launch-open", s);
		fixture_end(&f);
	}
}

/* WIRE-15: the rows hold the whole line, and in a report it is one; nothing says "done". */
static void wire_15_line_is_whole(void **state)
{
	struct at_json_value *json = at_json_object();
	struct at_buf text = { 0 }, printed = { 0 };
	struct at_launch launch;
	struct fixture f;

	fixture_begin(&f, &emitted, &at_view_wiring, 5, 80, 24);
	be_launcher_team(&f);
	at_launch_rows_look(&launch, &f.session, &f.collected);
	at_wiring_report_print(&f.session, &f.collected, &text);
	assert_non_null(strstr(at_buf_text(&text), launch.line));
	assert_non_null(strstr(at_buf_text(&text), "launcher present and genuine; whether your agent "
						  "runs inside it cannot be seen from here"));
	assert_null(strstr(at_buf_text(&text), "done"));
	at_wiring_report_json(&f.session, &f.collected, json);
	at_json_print(&printed, json, AT_JSON_PRETTY);
	assert_non_null(strstr(at_buf_text(&printed), "\"launcher\": \"genuine\""));
	assert_int_not_equal(f.collected.pipeline.stages[AT_WIRE], AT_DONE);
	at_json_value_free(json);
	at_launch_free(&launch);
	at_buf_free(&text);
	at_buf_free(&printed);
	fixture_end(&f);
}

/* WIRE-15: a claude team has no launch section; its own question stays the first. */
static void wire_15_claude_has_none(void **state)
{
	struct at_buf text = { 0 };
	struct fixture f;

	fixture_begin(&f, &emitted, &at_view_wiring, 5, 80, 24);
	at_wiring_report_print(&f.session, &f.collected, &text);
	assert_null(strstr(at_buf_text(&text), "Launch line"));
	assert_non_null(strstr(at_buf_text(&text), "Would claude load"));
	at_buf_free(&text);
	fixture_end(&f);
}

/* WIRE-7: what is not known yet says why, and nothing is said to be able to start. */
static void wire_7_unknown_says_why(void **state)
{
	static const char *const says[] = { "being tried just now", "--no-probes", "was not tried" };

	for (size_t i = 0; i < AT_LEN(says); i++) {
		struct at_buf text = { 0 };
		struct fixture f;

		fixture_begin(&f, &emitted, &at_view_wiring, 5, 80, 24);
		f.session.host_is_running = i == 0;
		f.options.no_probes = i == 1;
		at_wiring_report_print(&f.session, &f.collected, &text);
		assert_row(i, strstr(at_buf_text(&text), says[i]));
		assert_row(i, !strstr(at_buf_text(&text), "\n  can start"));
		at_buf_free(&text);
		fixture_end(&f);
	}
}

/* WIRE-7: the job beside the screen sees the same. */
static void wire_7_job_brings_what_was_seen(void **state)
{
	struct at_host_place place = { .platform = AT_LINUX, .root = "/nonexistent", .search_path =
		"/nonexistent", .caller = 1, .run = false };
	struct at_host_seen seen, want;
	struct at_job job;
	struct at_error err;
	bool known = false;

	at_host_look(&want, &place);
	if (!at_host_job_start(&job, &place, &err))
		fail_msg("%s", err.message);
	for (bool done = false; !done;) {
		struct pollfd fd = { .fd = job.fd, .events = POLLIN };

		assert_true(poll(&fd, 1, 20000) > 0);
		done = at_host_job_read(&job, &seen, &known);
	}
	assert_true(known);
	assert_int_equal(job.fd, -1);
	assert_memory_equal(&seen, &want, sizeof(seen));
}

int test_view_host(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_7_host_rows),
		cmocka_unit_test(wire_15_launch_rows),
		cmocka_unit_test(wire_15_line_is_whole),
		cmocka_unit_test(wire_15_claude_has_none),
		cmocka_unit_test(wire_7_unknown_says_why),
		cmocka_unit_test(wire_7_job_brings_what_was_seen),
	};

	return cmocka_run_group_tests_name("view_host", tests, NULL, NULL);
}
