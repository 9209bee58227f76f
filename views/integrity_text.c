#include "views/integrity_text.h"

#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"

#define SHORT 12 /* digits of a digest that a line shows */

static const char *const ceiling_ids[] = { "CEIL-7", "CEIL-2" };

const struct at_ceiling *at_integrity_ceiling(size_t i)
{
	for (size_t k = 0; i < AT_LEN(ceiling_ids) && k < at_ceiling_count; k++)
		if (strcmp(at_ceilings[k].id, ceiling_ids[i]) == 0)
			return &at_ceilings[k];
	return NULL;
}

/* What is not as it was comes first: a narrow row is cut at its end. */
static const enum at_integrity_state order[] = { AT_STILL_EDITED, AT_STILL_MISSING,
	AT_STILL_MANIFEST_MISSING, AT_STILL_UNMANIFESTED, AT_STILL_UNREADABLE, AT_STILL_OLDER,
	AT_STILL_OTHER, AT_STILL_PENDING, AT_STILL_SAME, AT_STILL_KEPT, AT_STILL_ABSENT,
	AT_STILL_UNKNOWN };

bool at_integrity_summary(struct at_buf *out, const struct at_integrity *in,
	enum at_integrity_part part)
{
	size_t counts[AT_STILL_COUNT] = { 0 };
	const char *gap = "";
	bool fails = false;

	for (size_t i = 0; i < in->count; i++) {
		if (in->items[i].part != part)
			continue;
		counts[in->items[i].state]++;
		fails |= in->items[i].level == AT_FAIL;
	}
	for (size_t i = 0; i < AT_LEN(order); i++) {
		struct at_integrity_item one = { .part = part, .state = order[i] };

		if (!counts[order[i]])
			continue;
		at_buf_printf(out, "%s%zu %s", gap, counts[order[i]],
			order[i] == AT_STILL_PENDING ? "to compare" : at_integrity_word(&one));
		gap = ", ";
	}
	return fails;
}

static void put_digests(struct at_buf *out, const struct at_integrity_item *item, int digits)
{
	at_buf_printf(out, "(expected %.*s, got %.*s)", digits,
		*item->expected ? item->expected : "-", digits, *item->got ? item->got : "-");
}

void at_integrity_detail(struct at_buf *out, const struct at_integrity_item *item)
{
	at_buf_printf(out, "%s: %s\n\n%s\n", item->path, at_integrity_word(item),
		item->state == AT_STILL_PENDING ? "It is still to be compared." : item->text);
	if (*item->remedy)
		at_buf_printf(out, "%s\n", item->remedy);
	if (*item->expected)
		at_buf_printf(out, "\nexpected  %s\n", item->expected);
	if (*item->got)
		at_buf_printf(out, "%sfound     %s\n", *item->expected ? "" : "\n", item->got);
}

static bool any_same(const struct at_integrity *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->items[i].state == AT_STILL_SAME && in->items[i].part != AT_PART_BUILD)
			return true;
	return false;
}

const char *at_integrity_verdict(const struct at_integrity *in)
{
	switch (at_integrity_worst(in)) {
	case AT_FAIL:
		return "NOT VERIFIED: something is not what it was";
	case AT_WARN:
		return "nothing that was compared fails; see what differs";
	default:
		return any_same(in) ? "everything that was compared is as it was"
				    : "cannot verify: nothing is pinned or emitted here";
	}
}

void at_integrity_print(const struct at_integrity *in, struct at_buf *out)
{
	for (int part = 0; part < AT_PARTS; part++) {
		struct at_buf summary = { 0 };

		at_integrity_summary(&summary, in, (enum at_integrity_part)part);
		if (summary.len)
			at_buf_printf(out, "%s: %s\n",
				at_integrity_part_name((enum at_integrity_part)part),
				at_buf_text(&summary));
		at_buf_free(&summary);
		for (size_t i = 0; i < in->count; i++) {
			const struct at_integrity_item *item = &in->items[i];

			if ((int)item->part != part || item->level == AT_OKAY)
				continue;
			at_buf_printf(out, "  %-4s %s: %s", at_level_name(item->level), item->path,
				at_integrity_word(item));
			if (*item->expected || *item->got) {
				at_buf_putc(out, ' ');
				put_digests(out, item, SHORT);
			}
			at_buf_printf(out, "\n       %s\n", item->text);
			if (*item->remedy)
				at_buf_printf(out, "       %s\n", item->remedy);
		}
	}
	at_buf_printf(out, "%s\n", at_integrity_verdict(in));
	for (size_t i = 0; at_integrity_ceiling(i); i++)
		at_buf_printf(out, "%s  %s\n", at_integrity_ceiling(i)->id,
			at_integrity_ceiling(i)->text);
}

static void item_to_json(const struct at_integrity_item *item, struct at_json_value *list)
{
	static const char *const parts[] = {
		[AT_PART_ARTEFACTS] = "artefacts",
		[AT_PART_PINS] = "pins",
		[AT_PART_RECORDS] = "records",
		[AT_PART_BUILD] = "build",
	};
	struct at_json_value *out = at_json_add_object(list, NULL);

	at_json_add_text(out, "part", parts[item->part]);
	at_json_add_text(out, "path", item->path);
	at_json_add_text(out, "state", at_integrity_word(item));
	at_json_add_text(out, "level", at_level_name(item->level));
	at_json_add_text(out, "expected", *item->expected ? item->expected : NULL);
	at_json_add_text(out, "found", *item->got ? item->got : NULL);
	at_json_add_text(out, "text", item->text);
	at_json_add_text(out, "remedy", *item->remedy ? item->remedy : NULL);
}

void at_integrity_to_json(const struct at_integrity *in, struct at_json_value *out)
{
	struct at_json_value *list;

	at_json_add_text(out, "worst", at_level_name(at_integrity_worst(in)));
	at_json_add_text(out, "verdict", at_integrity_verdict(in));
	list = at_json_add_array(out, "items");
	for (size_t i = 0; i < in->count; i++)
		item_to_json(&in->items[i], list);
	list = at_json_add_array(out, "ceilings");
	for (size_t i = 0; at_integrity_ceiling(i); i++) {
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_text(one, "id", at_integrity_ceiling(i)->id);
		at_json_add_text(one, "text", at_integrity_ceiling(i)->text);
	}
}
