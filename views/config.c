#include "views/config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"

#define WORDS 20 /* of a line */
#define LINE_CAP 1024

static const struct at_setting_info table[] = {
#define AT_SETTING(field, name, words, standard, least, most, help)                                \
	{ name, words, help, standard, least, most },
#include "views/settings.def"
#undef AT_SETTING
};

static const size_t offsets[] = {
#define AT_SETTING(field, name, words, standard, least, most, help)                                \
	offsetof(struct at_settings, field),
#include "views/settings.def"
#undef AT_SETTING
};

const struct at_settings at_settings_default = {
#define AT_SETTING(field, name, words, standard, least, most, help) .field = standard,
#include "views/settings.def"
#undef AT_SETTING
};

const struct at_setting_info *at_setting_table(size_t *count)
{
	*count = AT_LEN(table);
	return table;
}

const char *at_setting_word(const char *words, int value, char out[32])
{
	while (value-- > 0) {
		words += strcspn(words, " ");
		words += strspn(words, " ");
	}
	snprintf(out, 32, "%.*s", (int)strcspn(words, " "), words);
	return out;
}

/* One `bind` line, kept until all are known: two lines that swap keys are no conflict. */
struct bind_line {
	unsigned line;
	enum at_context context;
	enum at_action action;
	struct at_key keys[WORDS];
	size_t count;
	bool dropped;
};

struct reader {
	struct at_config *config;
	unsigned line;
	struct bind_line *binds;
	size_t count, cap;
};

void at_config_fault(struct at_config *config, const struct at_error *fault, unsigned line)
{
	struct at_error *at;

	config->faults =
		at_grow(config->faults, &config->cap, config->fault_count, sizeof(*config->faults));
	at = &config->faults[config->fault_count++];
	*at = *fault;
	at->line = line;
	if (!*at->path)
		at_error_path(at, config->path);
}

static bool pick_word(const char *words, const char *value, int *out)
{
	size_t len = strlen(value);

	for (int i = 0; *words; i++) {
		size_t word = strcspn(words, " ");

		if (word == len && memcmp(words, value, len) == 0) {
			*out = i;
			return true;
		}
		words += word + strspn(words + word, " ");
	}
	return false;
}

static bool pick_number(const char *value, int *out)
{
	char *end;
	long number = strtol(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || strlen(value) > 6)
		return false;
	*out = (int)number;
	return true;
}

static bool set_value(struct at_settings *settings, size_t row, const char *value,
	struct at_error *err)
{
	const struct at_setting_info *info = &table[row];
	int *field = (int *)(void *)((char *)settings + offsets[row]);
	int number;

	if (info->words) {
		if (pick_word(info->words, value, field))
			return true;
		at_fail(err, AT_EINVALID, "%s cannot be %s", info->name, value);
		at_error_hint(err, "It is one of: %s.", info->words);
		return false;
	}
	if (pick_number(value, &number) && number >= info->least && number <= info->most) {
		*field = number;
		return true;
	}
	at_fail(err, AT_EINVALID, "%s cannot be %s", info->name, value);
	at_error_hint(err, "It is a whole number from %d to %d.", info->least, info->most);
	return false;
}

static bool read_set(struct reader *r, char **words, size_t count, struct at_error *err)
{
	if (count != 3) {
		at_fail(err, AT_EINVALID, "set takes a name and one value");
		at_error_hint(err, "As in: set theme light");
		return false;
	}
	for (size_t i = 0; i < AT_LEN(table); i++) {
		if (strcmp(table[i].name, words[1]) == 0)
			return set_value(&r->config->settings, i, words[2], err);
	}
	at_fail(err, AT_EINVALID, "there is no setting %s", words[1]);
	at_error_hint(err, "atconsole-config(5) lists them; names are in lower case.");
	return false;
}

/* Keys that have a name but that no terminal sends under it. */
static bool is_sent(struct at_key key, struct at_error *err, const char *name)
{
	static const struct {
		char letter;
		const char *as;
	} twins[] = { { 'i', "Tab" }, { 'm', "Enter" }, { '[', "Esc" } };

	for (size_t i = 0; i < AT_LEN(twins); i++) {
		if (key.code == (uint32_t)twins[i].letter && key.modifiers == AT_MOD_CTRL)
			return at_fail(
				err, AT_EINVALID, "a terminal sends %s as %s", name, twins[i].as);
	}
	if (key.code < AT_KEY_NONE && (key.modifiers & AT_MOD_SHIFT))
		return at_fail(err, AT_EINVALID,
			"a terminal does not send %s: write the upper case letter", name);
	if (key.code >= 'A' && key.code <= 'Z' && (key.modifiers & AT_MOD_CTRL))
		return at_fail(err, AT_EINVALID,
			"a terminal does not send %s: write it in lower case", name);
	return true;
}

static bool read_keys(struct bind_line *bind, char **words, size_t count, struct at_error *err)
{
	if (count == 1 && strcmp(words[0], "none") == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		struct at_key *key = &bind->keys[bind->count];

		if (!at_key_parse(key, words[i])) {
			at_fail(err, AT_EINVALID, "%s is no key", words[i]);
			at_error_hint(
				err, "As in: x, X, C-x, M-x, F2, PgDn, Space; none alone unbinds.");
			return false;
		}
		if (!is_sent(*key, err, words[i]))
			return false;
		bind->count++;
	}
	return true;
}

static bool read_bind(struct reader *r, char **words, size_t count, struct at_error *err)
{
	struct bind_line bind = { .line = r->line };

	if (count < 4) {
		at_fail(err, AT_EINVALID, "bind takes a context, an action and keys");
		at_error_hint(err, "As in: bind merge accept a Insert");
		return false;
	}
	if (!at_context_parse(&bind.context, words[1])) {
		at_fail(err, AT_EINVALID, "there is no context %s", words[1]);
		at_error_hint(err, "atconsole --list-keys shows contexts and actions.");
		return false;
	}
	if (!at_action_parse(&bind.action, words[2])) {
		at_fail(err, AT_EINVALID, "there is no action %s", words[2]);
		at_error_hint(err, "atconsole --list-keys shows contexts and actions.");
		return false;
	}
	if (!(at_action_info(bind.action)->contexts & (unsigned)bind.context)) {
		at_fail(err, AT_EINVALID, "%s does not exist in the context %s", words[2],
			words[1]);
		at_error_hint(err, "atconsole --list-keys shows where it does.");
		return false;
	}
	if (!read_keys(&bind, words + 3, count - 3, err))
		return false;
	r->binds = at_grow(r->binds, &r->cap, r->count, sizeof(*r->binds));
	r->binds[r->count++] = bind;
	return true;
}

static bool read_words(struct reader *r, char *line, struct at_error *err)
{
	char *words[WORDS + 1], *word;
	size_t count = 0;

	while ((word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (count == WORDS)
			return at_fail(err, AT_ELIMIT, "the line has more than %d words", WORDS);
		words[count++] = word;
	}
	if (!count || words[0][0] == '#')
		return true;
	if (strcmp(words[0], "set") == 0)
		return read_set(r, words, count, err);
	if (strcmp(words[0], "bind") == 0)
		return read_bind(r, words, count, err);
	at_fail(err, AT_EINVALID, "a line starts with set, bind or #, not with %s", words[0]);
	return false;
}

/* Text alone: a control byte in a configuration is damage, or a trick. */
static bool is_text(struct at_bytes line, struct at_error *err)
{
	int32_t code;

	if (line.len > LINE_CAP)
		return at_fail(err, AT_ELIMIT, "the line is longer than %d bytes", LINE_CAP);
	for (size_t at = 0, used; (used = at_utf8_next(line, at, &code)) > 0; at += used) {
		if (code < 0 || (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0))
			return at_fail(err, AT_EINVALID, "the line holds a byte that is no text");
	}
	return true;
}

static void read_line(struct reader *r, struct at_bytes line)
{
	struct at_error err = { 0 };
	char copy[LINE_CAP + 1];

	if (line.len && line.data[line.len - 1] == '\r')
		line.len--;
	if (is_text(line, &err)) {
		memcpy(copy, line.data, line.len);
		copy[line.len] = '\0';
		if (read_words(r, copy, &err))
			return;
	}
	at_config_fault(r->config, &err, r->line);
}

static void make_keymap(const struct reader *r, struct at_keymap *map)
{
	at_keymap_free(map);
	at_keymap_init(map);
	for (size_t i = 0; i < r->count; i++) {
		const struct bind_line *bind = &r->binds[i];

		if (!bind->dropped)
			at_keymap_bind(map, bind->context, bind->action, bind->keys, bind->count,
				bind->line);
	}
}

/* The line to blame: the one named, the last that touched the action, or the newest. */
static struct bind_line *blamed(const struct reader *r, const struct at_keymap_fault *fault)
{
	struct bind_line *newest = NULL;

	for (size_t i = r->count; i-- > 0;) {
		struct bind_line *bind = &r->binds[i];

		if (bind->dropped)
			continue;
		if (fault->origin ? bind->line == fault->origin : bind->action == fault->action)
			return bind;
		newest = newest ? newest : bind;
	}
	return newest;
}

/* Leaves lines out until what is left may be used: in the end the defaults, which may. */
static void judge(struct reader *r)
{
	struct at_keymap_fault fault;
	struct bind_line *bind;
	struct at_error err;

	make_keymap(r, &r->config->keymap);
	while (at_keymap_judge(&r->config->keymap, &fault) && (bind = blamed(r, &fault))) {
		bind->dropped = true;
		at_fail(&err, AT_EINVALID, "%s", fault.why);
		at_error_hint(&err, "This line is left out.");
		at_config_fault(r->config, &err, bind->line);
		make_keymap(r, &r->config->keymap);
	}
}

static int by_line(const void *a, const void *b)
{
	unsigned x = ((const struct at_error *)a)->line, y = ((const struct at_error *)b)->line;

	return x < y ? -1 : x > y;
}

void at_config_default(struct at_config *out)
{
	*out = (struct at_config){ .settings = at_settings_default };
	at_keymap_init(&out->keymap);
}

void at_config_parse(struct at_config *out, const char *path, struct at_bytes text)
{
	struct reader r = { .config = out };
	size_t at = 0;

	at_config_default(out);
	snprintf(out->path, sizeof(out->path), "%s", path);
	out->exists = true;
	if (text.len >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	while (at < text.len) {
		const char *start = text.data + at, *end = memchr(start, '\n', text.len - at);
		size_t len = end ? (size_t)(end - start) : text.len - at;

		r.line++;
		read_line(&r, (struct at_bytes){ start, len });
		at += len + 1;
	}
	judge(&r);
	free(r.binds);
	if (out->fault_count)
		qsort(out->faults, out->fault_count, sizeof(*out->faults), by_line);
}

void at_config_free(struct at_config *config)
{
	at_keymap_free(&config->keymap);
	free(config->faults);
	*config = (struct at_config){ 0 };
}

void at_config_keymap(const struct at_config *config, struct at_keymap *map)
{
	at_keymap_free(map);
	for (size_t i = 0; i < config->keymap.count; i++) {
		map->bindings =
			at_grow(map->bindings, &map->cap, map->count, sizeof(*map->bindings));
		map->bindings[map->count++] = config->keymap.bindings[i];
	}
}

void at_config_print_faults(const struct at_config *config, struct at_buf *out)
{
	for (size_t i = 0; i < config->fault_count; i++) {
		const struct at_error *fault = &config->faults[i];

		at_buf_puts(out, fault->path);
		if (fault->line)
			at_buf_printf(out, ":%u", fault->line);
		at_buf_printf(out, ": %s\n", fault->message);
		if (*fault->hint)
			at_buf_printf(out, "  %s\n", fault->hint);
	}
}
