/* The plan as text for a terminal or a pipe, and as JSON: the same rows. */
#include "core/plan.h"

#include <stdio.h>

#include "core/json_write.h"
#include "core/safetext.h"

static mode_t shown_mode(const struct at_change *change)
{
	return at_change_mode(change, change->old_mode) & 07777;
}

void at_plan_print(const struct at_plan *plan, struct at_buf *out)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct at_change *c = &plan->changes[i];

		at_buf_printf(out, "%-8s ", at_change_word(c->kind));
		if (c->place != AT_IN_PROJECT)
			at_buf_puts(out, c->place == AT_IN_STATE ? "(state) " : "/");
		at_safe_text(out, at_bytes_of(c->path), false);
		if (*c->reason) {
			at_buf_puts(out, "  ");
			at_safe_text(out, at_bytes_of(c->reason), false);
		}
		at_buf_putc(out, '\n');
	}
}

static void add_digest(struct at_json_value *to, const char *key, const struct at_digest *digest)
{
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, digest);
	at_json_add_text(to, key, hex);
}

static void add_mode(struct at_json_value *to, const struct at_change *change)
{
	char text[8];

	snprintf(text, sizeof(text), "%04o", (unsigned)shown_mode(change));
	at_json_add_text(to, "mode", text);
}

void at_plan_to_json(const struct at_plan *plan, struct at_json_value *array)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct at_change *c = &plan->changes[i];
		struct at_json_value *row = at_json_add_object(array, NULL);
		bool was_read = c->kind == AT_REPLACE || c->kind == AT_SAME;
		struct at_digest now = at_digest_of(c->bytes);

		at_json_add_text(row, "path", c->path);
		at_json_add_text(row, "place",
			c->place == AT_IN_STATE          ? "state"
				: c->place == AT_ON_HOST ? "host"
							 : "project");
		at_json_add_text(row, "kind", at_change_word(c->kind));
		at_json_add_text(row, "reason", c->reason);
		if (was_read)
			add_digest(row, "old", &c->old);
		else
			at_json_add_null(row, "old");
		if (c->kind == AT_KEPT)
			continue;
		at_json_add_number(row, "size", (long long)c->bytes.len);
		add_mode(row, c);
		add_digest(row, "new", &now);
	}
}
