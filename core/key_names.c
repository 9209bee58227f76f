#include "core/key_names.h"

#include <string.h>
#include <strings.h>

#include "core/mem.h"

/* Whole words between underscores, so that MAX_THINKING_TOKENS is no token. */
bool at_name_is_key_like(struct at_bytes name)
{
	static const char *const words[] = {
		"APIKEY", "CREDENTIAL", "CREDENTIALS", "KEY", "KEYFILE", "KEYS", "PASS",
		"PASSPHRASE", "PASSWD", "PASSWORD", "SECRET", "SECRETS", "TOKEN",
	};

	for (size_t from = 0, to; from <= name.len; from = to + 1) {
		for (to = from; to < name.len && name.data[to] != '_';)
			to++;
		for (size_t i = 0; i < AT_LEN(words); i++) {
			size_t len = strlen(words[i]);

			if (to - from != len)
				continue;
			if (strncasecmp(name.data + from, words[i], len) == 0)
				return true;
		}
	}
	return false;
}

/* WIRE-16: keys that sign grants and decisions. */
bool at_name_is_signing_key(struct at_bytes name)
{
	static const char start[] = "AGENTTEAMS_";

	return name.len > sizeof(start) && memcmp(name.data, start, sizeof(start) - 1) == 0 &&
		memmem(name.data, name.len, "KEY", 3) != NULL;
}
