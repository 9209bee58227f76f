/* mode_config.c - --list-keys and --check-config. */
#include <stdio.h>

#include "views/config.h"
#include "views/modes.h"
#include "views/out.h"

int at_mode_list_keys(const struct at_options *options)
{
	struct at_config config;
	struct at_buf text = { 0 }, faults = { 0 };

	at_config_open(&config, options);
	at_config_print_faults(&config, &faults);
	at_action_print(&text, &config.keymap);
	at_out_text(&text);
	at_out_notes(&faults);
	at_buf_free(&text);
	at_buf_free(&faults);
	at_config_free(&config);
	return 0;
}

static void report(const struct at_config *config)
{
	struct at_buf text = { 0 };

	at_config_print_faults(config, &text);
	if (!config->fault_count)
		at_buf_printf(&text, "%s: %s\n", *config->path ? config->path : "no configuration",
			config->exists ? "no faults" : "it is not there; the defaults hold");
	at_out_text(&text);
	at_buf_free(&text);
}

static void add_setting(struct at_json_value *json, const char *name, const char *words, int value)
{
	char word[32];

	if (words)
		at_json_add_text(json, name, at_setting_word(words, value, word));
	else
		at_json_add_number(json, name, value);
}

static void report_json(const struct at_config *config)
{
	struct at_json_value *json = at_json_object();
	struct at_json_value *settings = at_json_add_object(json, "settings");
	struct at_json_value *faults = at_json_add_array(json, "faults");

	at_json_add_text(json, "path", *config->path ? config->path : NULL);
	at_json_add_bool(json, "exists", config->exists);
#define AT_SETTING(field, name, words, standard, least, most, help)                                \
	add_setting(settings, name, words, config->settings.field);
#include "views/settings.def"
#undef AT_SETTING
	for (size_t i = 0; i < config->fault_count; i++) {
		struct at_json_value *one = at_json_add_object(faults, NULL);

		at_json_add_number(one, "line", config->faults[i].line);
		at_json_add_text(one, "message", config->faults[i].message);
		at_json_add_text(one, "hint", config->faults[i].hint);
	}
	at_out_json(json);
}

int at_mode_check_config(const struct at_options *options)
{
	struct at_config config;
	int status;

	at_config_open(&config, options);
	if (options->json)
		report_json(&config);
	else
		report(&config);
	status = config.fault_count ? 1 : 0;
	at_config_free(&config);
	return status;
}
