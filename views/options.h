/* options.h - the command line, from one table.
 *
 * Parses argv into a struct and prints the help. It knows no mode's meaning.
 */
#ifndef AT_OPTIONS_H
#define AT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/error.h"

enum at_color { AT_COLOR_AUTO, AT_COLOR_ALWAYS, AT_COLOR_NEVER };

struct at_option_list {
	const char **items; /* borrowed from argv */
	size_t count;
};

/* One field an option: bool for MODE and FLAG, const char * for TEXT (NULL: not given),
 * struct at_option_list for LIST. */
struct at_options {
#define AT_FIELD_MODE bool
#define AT_FIELD_FLAG bool
#define AT_FIELD_TEXT const char *
#define AT_FIELD_LIST struct at_option_list
#define AT_OPTION(FIELD, name, kind, argument, help) AT_FIELD_##kind FIELD;
#include "views/options.def"
#undef AT_OPTION
#undef AT_FIELD_MODE
#undef AT_FIELD_FLAG
#undef AT_FIELD_TEXT
#undef AT_FIELD_LIST
	const char *mode; /* the mode's name, or NULL: the console */
};

/* `--name VALUE` or `--name=VALUE`, names in full. Fails with AT_EUSAGE, naming the word.
 * Texts are borrowed from argv; at_options_free() releases the lists. */
bool at_options_parse(struct at_options *out, int argc, char **argv, struct at_error *err);
void at_options_free(struct at_options *options);

void at_options_help(struct at_buf *out);

/* The table, for man page and completions. False past its end. */
struct at_option_info {
	const char *name, *argument, *help; /* argument: NULL for none */
	bool is_mode, is_list;
};
bool at_option_info(size_t i, struct at_option_info *out);

/* What an exit status means, in the words of the help; NULL past the last. */
const char *at_option_exit(size_t status);

#endif
