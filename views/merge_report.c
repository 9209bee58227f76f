#include "views/merge_report.h"

#include <string.h>

#include "core/diff.h"

void at_merge_report_remarks(const struct at_merge_model *model, struct at_buf *out)
{
	const struct at_merge *merge = model->merge;
	uint32_t twice = at_merge_live_duplicates(merge);
	struct at_merge_totals totals;

	at_merge_count_up(&totals, merge);
	if (model->live.is_link)
		at_buf_printf(out,
			"%s is a link: %s is written beside its target, the link stays.\n",
			AT_SETTINGS, model->live.path);
	if (!model->live.file.exists)
		at_buf_printf(out, "There is no %s yet: it will be made.\n", AT_SETTINGS);
	if (at_merge_is_same_but_order(merge))
		at_buf_puts(out, "The same settings in a different order: nothing to merge.\n");
	else if (at_merge_is_two_way(merge) && model->live.file.exists)
		at_buf_puts(out,
			"No merge is on record: a two-way comparison, nothing is taken out.\n");
	else if (totals.items && totals.items == totals.optional)
		at_buf_puts(out,
			"The live settings hold everything that is emitted; the rest is on offer.\n");
	if (at_merge_live_has_bom(merge))
		at_buf_puts(out,
			"Your file starts with a byte order mark (U+FEFF): this client reads it, "
			"other readers may not; it stays.\n");
	if (twice)
		at_buf_printf(out, "Your file gives %u key%s twice: the client takes the last.\n",
			twice, twice == 1 ? "" : "s");
}

void at_merge_report_summary(const struct at_merge_model *model, struct at_buf *out)
{
	struct at_merge_totals totals;

	at_merge_count_up(&totals, model->merge);
	at_buf_printf(out, "%zu of %zu chosen", totals.selected, totals.items);
	for (int e = AT_WIDENS; e <= AT_RELAXES; e++) {
		if (totals.effect[e])
			at_buf_printf(out, " · %zu %s", totals.effect[e],
				at_effect_word((enum at_effect)e));
	}
	if (totals.blocked)
		at_buf_printf(out, " · %zu cannot be chosen", totals.blocked);
	if (totals.optional)
		at_buf_printf(out, " · %zu optional", totals.optional);
}

static void print_item(const struct at_merge_item *item, struct at_buf *out)
{
	at_buf_printf(out, "  [%c] %-8s %s %s\n", item->blocked ? '-' : item->selected ? 'x' : ' ',
		at_effect_word(item->effect), at_op_word(item->op), item->label);
	at_buf_printf(
		out, "      %s · %s · %s\n", item->id, at_origin_word(item->origin), item->why);
	if (item->before)
		at_buf_printf(out, "      yours: %s\n", item->before);
	if (item->blocked)
		at_buf_printf(out, "      cannot be chosen: %s\n", item->blocked);
}

bool at_merge_report_diff(const struct at_merge_model *model, struct at_buf *out,
	struct at_error *err)
{
	struct at_bytes result;
	struct at_diff diff = { 0 };
	bool ok = at_merge_result(model->merge, &result, err)
		&& at_diff_make(&diff, at_buf_bytes(&model->live.file.bytes), result, 3, err);

	if (ok)
		at_diff_print(&diff, model->live.file.exists ? "yours on disk" : NULL,
			"with the chosen items", AT_DIFF_RAW, out);
	at_diff_free(&diff);
	return ok;
}

bool at_merge_report_print(const struct at_merge_model *model, struct at_buf *out,
	struct at_error *err)
{
	struct at_merge *merge = model->merge;
	char hex[AT_DIGEST_HEX];
	struct at_digest review;
	int group = -1;

	at_merge_report_remarks(model, out);
	for (size_t i = 0; i < at_merge_count(merge); i++) {
		const struct at_merge_item *item = at_merge_item(merge, i);

		if ((int)item->group != group)
			at_buf_printf(out, "%s\n", at_group_title(item->group));
		group = (int)item->group;
		print_item(item, out);
	}
	at_merge_report_summary(model, out);
	at_buf_putc(out, '\n');
	if (!at_merge_report_diff(model, out, err))
		return false;
	at_merge_review(model->merge, &review);
	at_digest_hex(hex, &review);
	at_buf_printf(out, "review sha256: %s\n", hex);
	return true;
}

static void item_to_json(const struct at_merge_item *item, struct at_json_value *array)
{
	struct at_json_value *one = at_json_add_object(array, NULL);

	at_json_add_text(one, "id", item->id);
	at_json_add_text(one, "path", item->path);
	at_json_add_text(one, "op", at_op_word(item->op));
	at_json_add_text(one, "value", item->value);
	if (item->before)
		at_json_add_text(one, "before", item->before);
	at_json_add_text(one, "effect", at_effect_word(item->effect));
	at_json_add_text(one, "why", item->why);
	at_json_add_text(one, "origin", at_origin_word(item->origin));
	at_json_add_text(one, "group", at_group_title(item->group));
	at_json_add_bool(one, "external", item->external);
	at_json_add_bool(one, "selected", item->selected);
	at_json_add_text(one, "blocked", item->blocked);
}

void at_merge_report_json(const struct at_merge_model *model, struct at_json_value *out)
{
	const struct at_merge *merge = model->merge;
	struct at_json_value *items = at_json_add_array(out, "items");
	struct at_merge_totals totals;
	struct at_buf remarks = { 0 };
	char hex[AT_DIGEST_HEX];
	struct at_digest review;

	for (size_t i = 0; i < at_merge_count(merge); i++)
		item_to_json(at_merge_item(merge, i), items);
	at_merge_count_up(&totals, merge);
	at_json_add_number(out, "selected", (long long)totals.selected);
	at_json_add_number(out, "widening", (long long)totals.effect[AT_WIDENS]);
	at_json_add_number(out, "relaxing", (long long)totals.effect[AT_RELAXES]);
	at_json_add_number(out, "removed", (long long)totals.removed);
	at_json_add_bool(out, "two_way", at_merge_is_two_way(merge));
	at_json_add_text(out, "file", model->live.path);
	at_merge_report_remarks(model, &remarks);
	at_json_add_bytes(out, "remarks", at_buf_bytes(&remarks));
	at_buf_free(&remarks);
	at_merge_review(model->merge, &review);
	at_digest_hex(hex, &review);
	at_json_add_text(out, "review_sha256", hex);
}
