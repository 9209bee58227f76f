/* Any bytes as a command line: the reader ends, stays within its caps, and what it tells is whole
 * and lies in the text. (GATE-8) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static const struct shell_caps caps = { 4096, 512, 4096, 16 };

struct seen {
	size_t commands, words, size;
};

static void check_word(struct seen *seen, const struct shell_word *word)
{
	bool has_unknown = word->text.len
		&& memchr(word->text.data, SHELL_UNKNOWN, word->text.len);

	CHECK(word->text.data && word->text.data[word->text.len] == '\0');
	CHECK(has_unknown == ((word->flags & SHELL_HAS_UNKNOWN) != 0));
	CHECK(word->text.len <= 2 * caps.text);
	seen->words++;
}

static bool told(void *user, const struct shell_command *command)
{
	struct seen *seen = user;

	for (size_t i = 0; i < command->count; i++)
		check_word(seen, &command->words[i]);
	for (size_t i = 0; i < command->assigned_count; i++)
		check_word(seen, &command->assigned[i]);
	for (size_t i = 0; i < command->redirect_count; i++)
		check_word(seen, &command->redirects[i].word);
	CHECK(command->offset <= seen->size && command->len <= seen->size - command->offset);
	CHECK(command->depth <= caps.depth + 1);
	CHECK(command->from != command);
	seen->commands++;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_arena *arena = at_arena_new();
	struct shell_reading reading;
	struct seen seen = { .size = size };

	shell_read((struct at_bytes){ (const char *)data, size }, NULL, &caps, arena, told, &seen,
		&reading);
	CHECK(seen.commands <= caps.commands && seen.words <= caps.words);
	at_arena_free(arena);
	return 0;
}
