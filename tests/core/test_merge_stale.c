/* Places outside the project that nobody explains any more. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "core/merge.h"

/* Row texts use ' for ", so that they can be read. */
static char *json(const char *text)
{
	char *copy = at_strdup(text);

	for (char *p = copy; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return copy;
}

static struct at_merge *open_merge(const char *base, const char *live, const char *ours)
{
	char *texts[] = { json(base ? base : ""), json(live), json(ours) };
	struct at_merge_input in = {
		.base = at_bytes_of(texts[0]),
		.has_base = base != NULL,
		.live = at_bytes_of(texts[1]),
		.live_exists = true,
		.ours = at_bytes_of(texts[2]),
		.place = { "/srv/shop", "/home/op", AT_LINUX },
	};
	struct at_merge *merge = NULL;
	struct at_error err;

	if (!at_merge_open(&merge, &in, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < AT_LEN(texts); i++)
		free(texts[i]);
	return merge;
}

static bool gives(struct at_merge *merge, const char *want)
{
	char *text = json(want);
	struct at_bytes out;
	bool same = at_merge_result(merge, &out, NULL) && at_bytes_equal_text(out, text);

	free(text);
	return same;
}

/* KEY-13: what nobody explains can be taken out, and never goes by itself. */
static void key_13_stale_widening_is_offered(void **state)
{
	static const struct {
		const char *base, *live, *ours;
		const char *stale; /* the value offered for removal, or NULL */
		const char *result; /* with it taken */
	} rows[] = {
		{ NULL, "{'sandbox':{'filesystem':{'allowWrite':['.','/srv/old']}}}",
			"{'sandbox':{'filesystem':{'allowWrite':['.']}}}", "'/srv/old'",
			"{'sandbox':{'filesystem':{'allowWrite':['.']}}}" },
		{ NULL, "{'sandbox':{'filesystem':{'allowRead':['~/x'],'allowWrite':['.']}}}",
			"{'sandbox':{'filesystem':{'allowWrite':['.']}}}", "'~/x'",
			"{'sandbox':{'filesystem':{'allowRead':[],'allowWrite':['.']}}}" },
		/* inside the project, or emitted: nothing to say */
		{ NULL, "{'sandbox':{'filesystem':{'allowWrite':['.','src']}}}",
			"{'sandbox':{'filesystem':{'allowWrite':['.']}}}", NULL, NULL },
		{ NULL, "{'sandbox':{'filesystem':{'allowWrite':['.','/srv/x']}}}",
			"{'sandbox':{'filesystem':{'allowWrite':['.','/srv/x']}}}", NULL, NULL },
		/* merged once: the removal is there already, and but once */
		{ "{'sandbox':{'filesystem':{'allowWrite':['.','/srv/old']}}}",
			"{'sandbox':{'filesystem':{'allowWrite':['.','/srv/old']}}}",
			"{'sandbox':{'filesystem':{'allowWrite':['.']}}}", "'/srv/old'",
			"{'sandbox':{'filesystem':{'allowWrite':['.']}}}" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_merge *merge = open_merge(rows[i].base, rows[i].live, rows[i].ours);
		const struct at_merge_item *item = at_merge_item(merge, 0);

		assert_row(i, at_merge_count(merge) == (rows[i].stale != NULL));
		if (rows[i].stale) {
			char *value = json(rows[i].stale);

			assert_row(i, strcmp(item->value, value) == 0);
			assert_row(i, item->op == AT_REMOVED && item->effect == AT_TIGHTENS);
			assert_row(i, !item->selected);
			at_merge_select_safe(merge);
			assert_row(i, !item->selected);
			assert_row(i, at_merge_select(merge, 0, true, NULL));
			assert_row(i, gives(merge, rows[i].result));
			free(value);
		}
		at_merge_free(merge);
	}
}

/* KEY-8: an item that opens a granted place names the grant. */
static void key_8_names_the_grant(void **state)
{
	static const struct at_root roots[] = { { .path = ".", .source = AT_ROOT_DEFAULT },
		{ .path = "/srv/b", .source = AT_ROOT_BRIEF },
		{ .path = "/srv/g", .source = AT_ROOT_GRANT, .grant = "grant-12" } };
	char *live = json("{'sandbox':{'filesystem':{'allowWrite':['.']}}}");
	char *ours = json("{'sandbox':{'filesystem':{'allowWrite':['.','/srv/b','/srv/g']}}}");
	struct at_merge_input in = { .live = at_bytes_of(live), .live_exists = true,
		.ours = at_bytes_of(ours), .place = { "/srv/shop", "/home/op", AT_LINUX },
		.roots = roots, .root_count = AT_LEN(roots) };
	struct at_merge *merge;
	struct at_error err;

	(void)state;
	if (!at_merge_open(&merge, &in, &err))
		fail_msg("%s", err.message);
	assert_int_equal(at_merge_count(merge), 2);
	assert_non_null(strstr(at_merge_item(merge, 0)->why, "brief workspace_write_roots"));
	assert_non_null(strstr(at_merge_item(merge, 1)->why, "signed capability grant grant-12"));
	assert_int_equal(at_merge_item(merge, 1)->effect, AT_WIDENS);
	at_merge_free(merge);
	free(live);
	free(ours);
}

int test_merge_stale(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_13_stale_widening_is_offered),
		cmocka_unit_test(key_8_names_the_grant),
	};

	return cmocka_run_group_tests_name("merge_stale", tests, NULL, NULL);
}
