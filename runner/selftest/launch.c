#include "runner/selftest/launch.h"

#include <stdio.h>
#include <string.h>

#include "runner/selftest/probe_text.h"

void at_words_add(struct at_words *words, const char *word)
{
	if (words->count + 1 < AT_LAUNCH_WORDS)
		words->items[words->count++] = word;
	words->items[words->count] = NULL;
}

void at_words_add_all(struct at_words *words, const char *const *list)
{
	for (; list && *list; list++)
		at_words_add(words, *list);
}

/* The mode --harden is tested with everything that can be asked for beside it. */
static void add_mode(
	struct at_words *out, const struct at_launcher *launcher, const struct at_fixture *f)
{
	at_words_add(out, "--harden=require");
	at_words_add(out, "--harden-helper");
	at_words_add(out, launcher->harden);
	at_words_add(out, "--mask-toolchain");
	at_words_add(out, "--protect-prompt-roots");
	at_words_add(out, "--protect");
	at_words_add(out, at_arena_printf(f->arena, "%s/.claude", f->scratch));
	at_words_add(out, "--exclude");
	at_words_add(out, f->sibling);
}

void at_launch_words(struct at_words *out, const struct at_launcher *launcher,
	const struct at_fixture *f, enum at_selftest_mode mode)
{
	out->count = 0;
	at_words_add(out, "/bin/sh");
	at_words_add(out, launcher->script);
	at_words_add(out, "--scratch");
	at_words_add(out, f->scratch);
	if (launcher->is_root)
		at_words_add(out, "--allow-root");
	if (mode == AT_MODE_HARDEN)
		add_mode(out, launcher, f);
}

bool at_launch_run(struct at_child_end *out, const struct at_launcher *launcher,
	const struct at_fixture *f, const char *const *words, const char *const *env,
	struct at_error *err)
{
	const struct at_child_call call = { .argv = words,
		.env = env ? env : f->env,
		.cwd = f->scratch,
		.timeout_ms = AT_LAUNCH_MS,
		.cap = AT_PROBE_TEXT_CAP,
		.keep = f->keep,
		.terminal = f->terminal,
		.go_on = launcher->go_on,
		.user = launcher->user };

	return at_child_run(out, &call, err);
}

/* What is in force is read where it is in force. */
static const char facts_script[] =
	"helper=$1; shift\n"
	"for name in user mnt pid net ipc uts cgroup; do\n"
	"    printf 'mechanism\\t%s\\t%s\\n' \"$name\" \"$(readlink /proc/self/ns/$name)\"\n"
	"done\n"
	"while read -r key value; do\n"
	"    case $key in\n"
	"    NoNewPrivs: | Seccomp: | Seccomp_filters: | CapEff: | CapBnd:)\n"
	"        printf 'mechanism\\t%s\\t%s\\n' \"${key%:}\" \"$value\" ;;\n"
	"    esac\n"
	"done </proc/self/status\n"
	"[ -z \"$helper\" ] || printf 'mechanism\\treport\\t%s\\n' \"$(\"$helper\" report)\"\n"
	"exec \"$@\"\n";

void at_launch_probe_words(struct at_words *out, const struct at_launcher *launcher,
	const struct at_fixture *f, bool inside, const char *const *ids)
{
	if (inside) {
		at_words_add(out, "--");
		at_words_add(out, "/bin/sh");
		at_words_add(out, "-c");
		at_words_add(out, facts_script);
		at_words_add(out, "facts");
		at_words_add(out, launcher->harden);
	}
	at_words_add(out, at_arena_printf(f->arena, "%s/agentteams-probe", f->scratch));
	at_words_add(out, f->facts);
	at_words_add(out, inside ? "inside" : "outside");
	at_words_add_all(out, ids);
}
