/* The env block is named, never shown: a value may be a key. The same goes for plugin
 * sources. (WIRE-5, WIRE-16) */
#include "core/settings_parts.h"

#include <string.h>

#include "core/key_names.h"
#include "core/mem.h"
#include "core/steering.h"

#define INHERITS "Every command, hook and MCP server of the session inherits it."

static void check_name(struct at_settings *s, uint32_t node, struct at_bytes name)
{
	const char *shown = at_settings_quote(s, name);
	const char *does;

	if (at_name_is_signing_key(name)) {
		at_settings_say(s, AT_SF_ENV_SIGNING_KEY, node, NULL,
			"%s is set here: a signing key must never be in an environment. " INHERITS,
			shown);
		return;
	}
	if (at_name_is_key_like(name))
		at_settings_say(s, AT_SF_ENV_KEY, node, NULL,
			"%s looks like a key or a password. " INHERITS, shown);
	does = at_steering_of(name);
	if (does)
		at_settings_say(s, AT_SF_ENV_STEERS, node, NULL, "%s %s. " INHERITS, shown, does);
}

static void check_marketplaces(struct at_settings *s)
{
	uint32_t sources = at_json_at(s->doc, "extraKnownMarketplaces");
	uint32_t plugins = at_json_at(s->doc, "enabledPlugins");
	uint32_t on = 0;

	if (at_json_is(s->doc, sources, AT_JSON_OBJECT))
		at_json_each(s->doc, i, sources) {
			uint32_t update = at_json_member(s->doc, i, "autoUpdate");

			if (at_json_is(s->doc, update, AT_JSON_TRUE))
				at_settings_say(s, AT_SF_MARKETPLACE, update, NULL,
					"A plugin source updates itself: its hooks and servers may "
					"change unseen.");
		}
	if (!at_json_is(s->doc, plugins, AT_JSON_OBJECT))
		return;
	at_json_each(s->doc, i, plugins)
		on += at_json_is(s->doc, i, AT_JSON_TRUE) && !at_settings_is_dead(s, i);
	if (on > 0)
		at_settings_say(s, AT_SF_PLUGINS, plugins, NULL,
			"%u plugin%s on: a plugin brings hooks and MCP servers that this file does "
			"not show.",
			on, on == 1 ? " is" : "s are");
}

void at_settings_env(struct at_settings *s)
{
	uint32_t env = at_json_at(s->doc, "env");

	if (at_json_is(s->doc, env, AT_JSON_OBJECT))
		at_json_each(s->doc, i, env)
			if (!at_settings_is_dead(s, i))
				check_name(s, i, at_json_key(s->doc, i, s->arena));
	check_marketplaces(s);
}
