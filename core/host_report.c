/* host_report.c - the host check as text and as JSON. */
#include <string.h>

#include "core/bytes.h"
#include "core/host_check.h"
#include "core/json_write.h"

const char *at_host_limits(void)
{
	return "\"Can start\" is what was tried here and no more: that a boundary holds is for the "
	       "self-test to show. Nothing was changed.";
}

static void print_mechanisms(
	const struct at_host_report *r, enum at_mechanism own, struct at_buf *out)
{
	at_buf_puts(out, "Mechanisms\n");
	for (size_t i = 0; i < r->mechanism_count; i++) {
		const struct at_host_mechanism *m = &r->mechanisms[i];

		at_buf_printf(out, "  %-12s  %s%s%s%s\n", at_host_start_name(m->start), m->name,
			own != AT_NO_MECHANISM && m->is == own ? " (this team's)" : "",
			*m->why ? ": " : "", m->why);
	}
	if (!r->mechanism_count)
		at_buf_puts(out, "  none on this platform\n");
}

/* What several mechanisms have in common is said once. */
static void print_means(
	const struct at_host_report *r, const struct at_host_item *item, struct at_buf *out)
{
	for (size_t i = 0; i < r->mechanism_count; i++) {
		const char *text = item->means[i].text;
		bool more = i + 1 < r->mechanism_count && text && item->means[i + 1].text
			&& strcmp(text, item->means[i + 1].text) == 0;
		bool before = i > 0 && text && item->means[i - 1].text
			&& strcmp(text, item->means[i - 1].text) == 0;

		if (!text)
			continue;
		at_buf_printf(out, "%s%s", before ? "" : "              ", r->mechanisms[i].name);
		if (more)
			at_buf_puts(out, ", ");
		else
			at_buf_printf(out, ": %s\n", text);
	}
}

static void print_item(
	const struct at_host_report *r, const struct at_host_item *item, struct at_buf *out)
{
	at_buf_printf(
		out, "  %-10s  %s: %s\n", at_host_state_name(item->state), item->id, item->text);
	print_means(r, item, out);
	if (*item->command)
		at_buf_printf(out, "              run: %s\n", item->command);
	if (*item->advice)
		at_buf_printf(out, "              %s\n", item->advice);
}

void at_host_print(const struct at_host_report *r, enum at_mechanism own, struct at_buf *out)
{
	at_buf_printf(out, "Host: %s%s%s%s, looked at as %s\n", at_platform_name(r->seen->platform),
		r->seen->wsl ? r->seen->wsl == 1 ? " (WSL1)" : " (WSL2)" : "",
		r->seen->distro[0] ? ", " : "", r->seen->distro,
		r->seen->is_root ? "root" : "an ordinary user");
	print_mechanisms(r, own, out);
	at_buf_puts(out, "What was looked at\n");
	for (size_t i = 0; i < r->count; i++)
		print_item(r, &r->items[i], out);
	at_buf_printf(out, "%s\n", at_host_limits());
}

static const char *const effect_names[] = { "none", "weakens", "hides", "stops" };

static void item_to_json(
	const struct at_host_report *r, const struct at_host_item *item, struct at_json_value *out)
{
	struct at_json_value *means;

	at_json_add_text(out, "id", item->id);
	at_json_add_text(out, "state", at_host_state_name(item->state));
	at_json_add_text(out, "text", item->text);
	at_json_add_text(out, "command", *item->command ? item->command : NULL);
	at_json_add_text(out, "advice", item->advice);
	means = at_json_add_array(out, "means");
	for (size_t i = 0; i < r->mechanism_count; i++) {
		struct at_json_value *one;

		if (!item->means[i].text)
			continue;
		one = at_json_add_object(means, NULL);
		at_json_add_text(one, "mechanism", r->mechanisms[i].name);
		at_json_add_text(one, "effect", effect_names[item->means[i].effect]);
		at_json_add_text(one, "text", item->means[i].text);
	}
}

void at_host_to_json(
	const struct at_host_report *r, enum at_mechanism own, struct at_json_value *out)
{
	struct at_json_value *list;

	at_json_add_text(out, "platform", at_platform_name(r->seen->platform));
	at_json_add_number(out, "wsl", r->seen->wsl);
	at_json_add_text(out, "distribution", r->seen->distro);
	at_json_add_bool(out, "is_root", r->seen->is_root);
	at_json_add_text(out, "own", own == AT_NO_MECHANISM ? NULL : at_mechanism_name(own));
	at_json_add_bool(out, "passes", at_host_passes(r, own));
	list = at_json_add_array(out, "mechanisms");
	for (size_t i = 0; i < r->mechanism_count; i++) {
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_text(one, "name", r->mechanisms[i].name);
		at_json_add_text(one, "start", at_host_start_name(r->mechanisms[i].start));
		at_json_add_text(one, "why", r->mechanisms[i].why);
	}
	list = at_json_add_array(out, "items");
	for (size_t i = 0; i < r->count; i++)
		item_to_json(r, &r->items[i], at_json_add_object(list, NULL));
	at_json_add_text(out, "limits", at_host_limits());
}
