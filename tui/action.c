#include "tui/action.h"

#include <stdio.h>
#include <string.h>

#include "core/bytes.h"
#include "core/mem.h"
#include "tui/keymap.h"

static const struct at_action_info table[] = {
	{ "nothing", "Nothing", "", "", AT_DANGER_NONE, 0 },
#define AT_ACTION(id, name, help, keys, danger, contexts, footer)                                  \
	{ name, help, keys, footer, danger, contexts },
#include "tui/actions.def"
#undef AT_ACTION
};

static const struct {
	enum at_context context;
	const char *name;
} contexts[] = {
	{ AT_IN_GLOBAL, "global" },
	{ AT_IN_LIST, "list" },
	{ AT_IN_PAGER, "pager" },
	{ AT_IN_MERGE, "merge" },
	{ AT_IN_PROMPT, "prompt" },
	{ AT_IN_CONFIRM, "confirm" },
	{ AT_IN_HELP, "help" },
	{ AT_IN_EMIT, "emit" },
	{ AT_IN_ADVISORIES, "advisories" },
	{ AT_IN_PANES, "panes" },
	{ AT_IN_SETUP, "setup" },
	{ AT_IN_WIRING, "wiring" },
	{ AT_IN_RUNNER, "runner" },
	{ AT_IN_DIFF, "diff" },
	{ AT_IN_GRANTS, "grants" },
	{ AT_IN_SIGN, "sign" },
	{ AT_IN_PROPOSALS, "proposals" },
};

const struct at_action_info *at_action_info(enum at_action action)
{
	return &table[action < AT_ACTION_COUNT ? action : AT_DO_NOTHING];
}

bool at_action_parse(enum at_action *out, const char *name)
{
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		if (strcmp(table[i].name, name) == 0) {
			*out = (enum at_action)i;
			return true;
		}
	}
	return false;
}

const char *at_context_name(enum at_context context)
{
	for (size_t i = 0; i < AT_LEN(contexts); i++) {
		if (contexts[i].context == context)
			return contexts[i].name;
	}
	return "";
}

bool at_context_parse(enum at_context *out, const char *name)
{
	for (size_t i = 0; i < AT_LEN(contexts); i++) {
		if (strcmp(contexts[i].name, name) == 0) {
			*out = contexts[i].context;
			return true;
		}
	}
	return false;
}

static void put_contexts(struct at_buf *out, unsigned set)
{
	bool first = true;

	for (size_t i = 0; i < AT_LEN(contexts); i++) {
		if (!(set & contexts[i].context))
			continue;
		at_buf_printf(out, "%s%s", first ? "" : ",", contexts[i].name);
		first = false;
	}
}

void at_action_print(struct at_buf *out, const struct at_keymap *map)
{
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		char keys[96];
		size_t start = out->len;

		snprintf(keys, sizeof(keys), "%s", table[i].keys);
		if (map)
			at_keymap_keys(map, (enum at_action)i, keys, sizeof(keys));

		put_contexts(out, table[i].contexts);
		at_buf_pad(out, ' ', out->len - start < 18 ? 18 - (out->len - start) : 1);
		at_buf_printf(out, "%-18s %-20s %s\n", table[i].name, *keys ? keys : "none",
			table[i].help);
	}
}

/* A backslash starts a request in a man page, a hyphen must stay an ASCII one. */
static void put_man(struct at_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			at_buf_puts(out, "\\e");
		else if (*text == '-')
			at_buf_puts(out, "\\-");
		else
			at_buf_putc(out, *text);
	}
}

void at_action_print_man(struct at_buf *out)
{
	for (size_t c = 0; c < AT_LEN(contexts); c++) {
		at_buf_printf(out, ".SS %s\n", contexts[c].name);
		for (int i = 1; i < AT_ACTION_COUNT; i++) {
			if (!(table[i].contexts & contexts[c].context))
				continue;
			at_buf_puts(out, ".TP\n.B ");
			put_man(out, table[i].keys);
			at_buf_puts(out, "\n");
			put_man(out, table[i].help);
			at_buf_puts(out, ".\n");
		}
	}
}
