#include "views/host_rows.h"

/* The index of a row: first the mechanisms, then the items, then all that is well. */
static size_t items_from(const struct at_host_report *r)
{
	return r->mechanism_count;
}

static size_t well_at(const struct at_host_report *r)
{
	return r->mechanism_count + r->count;
}

static const char *why_unknown(const struct at_session *session)
{
	if (session->host_is_running)
		return "it is being tried just now";
	if (session->options->no_probes)
		return "--no-probes: nothing was tried; --host-check tries it";
	return "it was not tried; --host-check tries it";
}

void at_host_rows_look(struct at_wiring_rows *r)
{
	if (r->host.arena)
		at_host_report_free(&r->host);
	if (r->session->host_is_known)
		at_host_judge(&r->host, &r->session->host_seen);
}

void at_host_rows_add(struct at_wiring_rows *r)
{
	const struct at_host_report *host = &r->host;
	size_t well = 0;

	at_wiring_rows_put(r, AT_ROW_HEADING, 0, "Whether a sandbox can start on this host");
	if (!host->arena) {
		at_wiring_rows_put(r, AT_ROW_REMARK, 0, why_unknown(r->session));
		return;
	}
	for (size_t i = 0; i < host->mechanism_count; i++)
		at_wiring_rows_put(r, AT_ROW_HOST, i, NULL);
	for (size_t i = 0; i < host->count; i++) {
		if (host->items[i].state == AT_HOST_OK)
			well++;
		else
			at_wiring_rows_put(r, AT_ROW_HOST, items_from(host) + i, NULL);
	}
	if (well)
		at_wiring_rows_put(r, AT_ROW_HOST, well_at(host), NULL);
}

static size_t count_well(const struct at_host_report *host)
{
	size_t well = 0;

	for (size_t i = 0; i < host->count; i++)
		well += host->items[i].state == AT_HOST_OK;
	return well;
}

static enum at_style start_style(enum at_host_start start)
{
	static const enum at_style styles[] = { [AT_CAN_START] = AT_STYLE_TIGHTENS,
		[AT_STARTS_WEAKER] = AT_STYLE_RELAXES,
		[AT_START_UNKNOWN] = AT_STYLE_NEUTRAL,
		[AT_CANNOT_START] = AT_STYLE_WIDENS };

	return styles[start];
}

static enum at_style state_style(enum at_host_state state)
{
	return state == AT_HOST_UNKNOWN ? AT_STYLE_NEUTRAL
		: state == AT_HOST_OPEN ? AT_STYLE_RELAXES
					: AT_STYLE_WIDENS;
}

void at_host_row_line(const struct at_wiring_rows *r, size_t index, struct at_line *out)
{
	const struct at_host_report *host = &r->host;
	const struct at_host_item *item;

	if (index < items_from(host)) {
		const struct at_host_mechanism *m = &host->mechanisms[index];
		bool is_own = m->is != AT_NO_MECHANISM && m->is == r->collected->pipeline.mechanism;

		at_line_textf(out, start_style(m->start), "%-12s ", at_host_start_name(m->start));
		at_line_textf(out, AT_STYLE_NORMAL, "%s", m->name);
		at_line_text(out, AT_STYLE_DIM, is_own ? " (this team's)" : "");
		at_line_textf(out, AT_STYLE_DIM, "%s%s", *m->why ? "  " : "", m->why);
	} else if (index < well_at(host)) {
		item = &host->items[index - items_from(host)];
		at_line_textf(
			out, state_style(item->state), "%-10s ", at_host_state_name(item->state));
		at_line_text(out, AT_STYLE_NORMAL, item->text);
	} else {
		at_line_text(out, AT_STYLE_TIGHTENS, "ok         ");
		at_line_textf(out, AT_STYLE_DIM, "%zu more looked at", count_well(host));
	}
}

static void put_item(const struct at_host_report *host, const struct at_host_item *item, int width,
	struct at_buf *out)
{
	at_buf_printf(out, "%s  %s\n\n", at_host_state_name(item->state), item->id);
	at_wiring_wrap(out, item->text, width, "");
	for (size_t i = 0; i < host->mechanism_count; i++) {
		if (!item->means[i].text)
			continue;
		at_buf_printf(out, "\n%s:\n", host->mechanisms[i].name);
		at_wiring_wrap(out, item->means[i].text, width, "");
	}
	if (*item->command || *item->advice)
		at_buf_puts(out, "\nTo do:\n");
	if (*item->command)
		at_buf_printf(out, "%s\n", item->command);
	if (*item->advice)
		at_wiring_wrap(out, item->advice, width, "");
}

void at_host_row_text(const struct at_wiring_rows *r, size_t index, int width, struct at_buf *out)
{
	const struct at_host_report *host = &r->host;

	if (index < items_from(host)) {
		const struct at_host_mechanism *m = &host->mechanisms[index];

		at_buf_printf(out, "%s  %s\n\n", at_host_start_name(m->start), m->name);
		if (*m->why) {
			at_wiring_wrap(out, m->why, width, "");
			at_buf_putc(out, '\n');
		}
		at_wiring_wrap(out, at_host_limits(), width, "");
	} else if (index < well_at(host)) {
		put_item(host, &host->items[index - items_from(host)], width, out);
	} else {
		for (size_t i = 0; i < host->count; i++)
			if (host->items[i].state == AT_HOST_OK)
				at_wiring_wrap(out, host->items[i].text, width, "");
	}
}
