/* json_verdicts FILE: reads records of "LENGTH\n" and so many bytes and prints a line
 * each: "yes", "yes-bom", "yes-duplicates" or the id of the fault. For ./differential. */
#include <stdio.h>
#include <stdlib.h>

#include "core/json_read.h"
#include "core/mem.h"

static void print_verdict(struct at_bytes text)
{
	struct at_error err;
	struct at_json doc;

	if (!at_json_read(&doc, text, &at_json_settings_limits,
		    AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, &err)) {
		puts(err.id);
		return;
	}
	puts(doc.bom ? "yes-bom" : doc.duplicates ? "yes-duplicates" : "yes");
	at_json_free(&doc);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t len;

	if (!file)
		return 2;
	while (fscanf(file, "%zu", &len) == 1 && fgetc(file) == '\n') {
		char *bytes = at_alloc(len);

		if (fread(bytes, 1, len, file) != len)
			return 2;
		print_verdict((struct at_bytes){ bytes, len });
		free(bytes);
	}
	fclose(file);
	return 0;
}
