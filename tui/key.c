#include "tui/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/safetext.h"

static const struct {
	const char *name;
	uint32_t code;
} names[] = {
	{ "Up", AT_KEY_UP },         { "Down", AT_KEY_DOWN },           { "Left", AT_KEY_LEFT },
	{ "Right", AT_KEY_RIGHT },   { "Home", AT_KEY_HOME },           { "End", AT_KEY_END },
	{ "PgUp", AT_KEY_PAGE_UP },  { "PgDn", AT_KEY_PAGE_DOWN },      { "Insert", AT_KEY_INSERT },
	{ "Delete", AT_KEY_DELETE }, { "Backspace", AT_KEY_BACKSPACE }, { "Enter", AT_KEY_ENTER },
	{ "Tab", AT_KEY_TAB },       { "Esc", AT_KEY_ESCAPE },          { "Space", ' ' },
};

static const struct {
	char letter;
	enum at_modifier modifier;
} modifiers[] = { { 'C', AT_MOD_CTRL }, { 'M', AT_MOD_ALT }, { 'S', AT_MOD_SHIFT } };

static bool parse_function_key(struct at_key *out, const char *name)
{
	char *end;
	long number;

	if (name[0] != 'F' || name[1] < '1' || name[1] > '9')
		return false;
	number = strtol(name + 1, &end, 10);
	if (*end || number > 20)
		return false;
	out->code = AT_KEY_F1 + (uint32_t)number - 1;
	return true;
}

bool at_key_parse(struct at_key *out, const char *name)
{
	struct at_bytes text;
	int32_t code;

	*out = (struct at_key){ 0 };
	while (name[0] && name[1] == '-' && name[2]) {
		size_t i;

		for (i = 0; i < AT_LEN(modifiers) && modifiers[i].letter != name[0]; i++)
			;
		if (i == AT_LEN(modifiers))
			return false;
		out->modifiers |= modifiers[i].modifier;
		name += 2;
	}
	for (size_t i = 0; i < AT_LEN(names); i++) {
		if (strcmp(names[i].name, name) == 0) {
			out->code = names[i].code;
			return true;
		}
	}
	if (parse_function_key(out, name))
		return true;
	text = at_bytes_of(name);
	if (!text.len || at_utf8_next(text, 0, &code) != text.len || code <= 0x20)
		return false;
	out->code = (uint32_t)code;
	return true;
}

void at_key_name(char out[24], struct at_key key)
{
	size_t len = 0;

	for (size_t i = 0; i < AT_LEN(modifiers); i++) {
		if (key.modifiers & modifiers[i].modifier) {
			out[len++] = modifiers[i].letter;
			out[len++] = '-';
		}
	}
	for (size_t i = 0; i < AT_LEN(names); i++) {
		if (names[i].code == key.code) {
			snprintf(out + len, 24 - len, "%s", names[i].name);
			return;
		}
	}
	if (key.code >= AT_KEY_F1 && key.code <= AT_KEY_F20)
		snprintf(out + len, 24 - len, "F%u", (unsigned)(key.code - AT_KEY_F1 + 1));
	else if (key.code < 0x80)
		snprintf(out + len, 24 - len, "%c", (char)key.code);
	else
		snprintf(out + len, 24 - len, "U+%04X", (unsigned)key.code);
}

bool at_key_equal(struct at_key a, struct at_key b)
{
	return a.code == b.code && a.modifiers == b.modifiers;
}
