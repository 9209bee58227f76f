#include "keys/approvers.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

static const char *standard[] = { "security" };

bool at_approvers_load(
	struct at_approvers *out, struct at_arena *arena, int team, struct at_error *err)
{
	*out = (struct at_approvers){ 0 };
	if (team >= 0 && !at_roster_load(&out->roster, arena, team, AT_APPROVERS, err))
		return false;
	out->is_default = out->roster.count == 0;
	if (out->is_default) {
		out->roster.names = standard;
		out->roster.count = 1;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void at_approvers_print(struct at_buf *out, const struct at_approvers *approvers, bool both)
{
	size_t count = approvers->roster.count;
	const char **names = at_alloc((count + 1) * sizeof(*names));

	memcpy(names, approvers->roster.names, count * sizeof(*names));
	if (both && approvers->is_default)
		names[count++] = "@security";
	qsort(names, count, sizeof(*names), by_name);
	at_buf_putc(out, '[');
	for (size_t i = 0; i < count; i++)
		at_buf_printf(out, "%s'%s'", i ? ", " : "", names[i]);
	at_buf_putc(out, ']');
	free(names);
}
