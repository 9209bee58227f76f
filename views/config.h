/* config.h - the operator's configuration: settings and keys, with every fault of the file.
 *
 * A file of lines: `set NAME VALUE`, `bind CONTEXT ACTION KEY…` (`none` unbinds), `#` starts a
 * comment line. A faulty line is left out and reported, the rest holds. It cannot weaken what
 * protects the operator: the judge of tui/keymap and the bounds of settings.def see to that.
 */
#ifndef AT_CONFIG_H
#define AT_CONFIG_H

#include <limits.h>

#include "core/bytes.h"
#include "core/error.h"
#include "tui/keymap.h"
#include "views/options.h"

#define AT_CONFIG_CAP ((size_t)64 << 10)

struct at_settings {
#define AT_SETTING(field, name, words, standard, least, most, help) int field;
#include "views/settings.def"
#undef AT_SETTING
};

/* The table, for the man page and tests. */
struct at_setting_info {
	const char *name, *words, *help; /* words: NULL for a number */
	int standard, least, most;
};
const struct at_setting_info *at_setting_table(size_t *count);

/* Word number `value` of `words`, copied to `out`. */
const char *at_setting_word(const char *words, int value, char out[32]);

struct at_config {
	struct at_settings settings;
	struct at_keymap keymap;
	char path[PATH_MAX]; /* of the file that was or would be read; "" for none */
	bool exists;
	struct at_error *faults; /* in the order of their lines; path and line are set */
	size_t fault_count, cap;
};

/* What holds without a file. */
extern const struct at_settings at_settings_default;

/* The file of `--config` (`given`), else atconsole/config below XDG_CONFIG_HOME, else below
 * ~/.config. Never fails: a file that may not be read is a fault, and the defaults hold. An
 * absent file is no fault unless it was given. Links are followed, since dotfiles are often
 * linked; a special file, one of another user, or one that anybody may write is refused. */
void at_config_read(struct at_config *out, const char *given);

/* As the options say: --config FILE, --no-config, or the usual place. */
void at_config_open(struct at_config *out, const struct at_options *options);

/* The same from text, with `path` for messages. */
void at_config_parse(struct at_config *out, const char *path, struct at_bytes text);
/* The defaults alone (--no-config). */
void at_config_default(struct at_config *out);
void at_config_free(struct at_config *config);

/* Adds a fault; `line` 0 for the file as a whole. */
void at_config_fault(struct at_config *config, const struct at_error *fault, unsigned line);

/* The keys of a configuration in place of those in `map`. */
void at_config_keymap(const struct at_config *config, struct at_keymap *map);

/* "PATH:LINE: message" and the hint, one fault after the other; untrusted text. */
void at_config_print_faults(const struct at_config *config, struct at_buf *out);

#endif
