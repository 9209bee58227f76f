#include "support/support.h"

#include <stdio.h>
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

struct given {
	const char *base, *live, *ours; /* base, live: NULL for none */
	const char *hook_fault;
};

static struct at_merge *open_offering(const struct given *given, const char *offer,
	struct at_error *err)
{
	char *base = given->base ? json(given->base) : NULL;
	char *live = given->live ? json(given->live) : NULL;
	char *ours = json(given->ours), *optional = json(offer ? offer : "");
	struct at_merge_input in = {
		.live = at_bytes_of(live ? live : ""),
		.live_exists = live != NULL,
		.ours = at_bytes_of(ours),
		.optional = at_bytes_of(optional),
		.base = at_bytes_of(base ? base : ""),
		.has_base = base != NULL,
		.hook_fault = given->hook_fault,
		.place = { "/srv/shop", "/home/op", AT_LINUX },
	};
	struct at_merge *merge = NULL;

	at_merge_open(&merge, &in, err);
	free(base);
	free(live);
	free(ours);
	free(optional);
	return merge;
}

static struct at_merge *open_merge(const struct given *given, struct at_error *err)
{
	return open_offering(given, NULL, err);
}

static struct at_merge *must_offer(const struct given *given, const char *offer)
{
	struct at_error err;
	struct at_merge *merge = open_offering(given, offer, &err);

	if (!merge)
		fail_msg("%s", err.message);
	return merge;
}

static struct at_merge *must_open(const struct given *given)
{
	struct at_error err;
	struct at_merge *merge = open_merge(given, &err);

	if (!merge)
		fail_msg("%s", err.message);
	return merge;
}

static void assert_result(struct at_merge *merge, const char *want)
{
	struct at_bytes out;
	struct at_error err;
	char *text = json(want);

	if (!at_merge_result(merge, &out, &err))
		fail_msg("%s", err.message);
	assert_string_equal(out.data, text);
	free(text);
}

static void select_all(struct at_merge *merge)
{
	for (size_t i = 0; i < at_merge_count(merge); i++) {
		if (!at_merge_item(merge, i)->blocked)
			assert_true(at_merge_select(merge, i, true, NULL));
	}
}

/* WIRE-2, WIRE-3: three sides, what starts selected, the exact resulting text. */
static void wire_2_three_way_results(void **state)
{
	static const struct {
		struct given given;
		size_t items;
		const char *want; /* with what starts selected */
	} rows[] = {
		/* the base is what was merged, not what was shipped since */
		{ { "{'deny':['a']}", "{'deny':['a','x']}", "{'deny':['a','b','c']}", NULL }, 2,
			"{'deny':['a','x','b','c']}" },
		/* neighbours do not collide; the operator's own change stays */
		{ { "{'c':['u','v'],'d':true}", "{'c':['u','v'],'d':false}", "{'c':['u','v','w'],'d':true}",
			  NULL }, 2, "{'c':['u','v','w'],'d':false}" },
		/* an empty list of ours is no wish to delete; a widening waits */
		{ { NULL, "{'permissions':{'allow':['Bash(make *)']},'hooks':{'Stop':[{'hooks':[]}]}}",
			  "{'permissions':{'allow':['Bash(make *)','Bash(git fetch *)']},'hooks':{'Stop':[]}}",
			  NULL }, 1, "{'permissions':{'allow':['Bash(make *)']},'hooks':{'Stop':[{'hooks':[]}]}}" },
		/* only order differs: nothing to do */
		{ { NULL, "{'b':1,'a':{'y':[1,2],'x':true}}", "{'a':{'x':true,'y':[1,2]},'b':1}", NULL }, 0,
			"{'b':1,'a':{'y':[1,2],'x':true}}" },
		/* what the operator took out since stays out, and can be had again */
		{ { "{'permissions':{'deny':['Read(./x)']}}", "{'permissions':{'deny':[]}}",
			  "{'permissions':{'deny':['Read(./x)']}}", NULL }, 1, "{'permissions':{'deny':[]}}" },
		/* the generator alone changed a value: that is taken */
		{ { "{'sandbox':{'failIfUnavailable':false}}", "{'sandbox':{'failIfUnavailable':false}}",
			  "{'sandbox':{'failIfUnavailable':true}}", NULL }, 1,
			"{'sandbox':{'failIfUnavailable':true}}" },
		/* comments of the example never travel; deep places are made */
		{ { NULL, "{'z':1}", "{'_comment':['x'],'permissions':{'deny':['Edit(/a)']}}", NULL }, 1,
			"{'z':1, 'permissions':{'deny':['Edit(/a)']}}" },
		/* a rule given twice by us is one item */
		{ { NULL, "{'permissions':{'deny':[]}}", "{'permissions':{'deny':['Edit(/a)','Edit(/a)']}}",
			  NULL }, 1, "{'permissions':{'deny':['Edit(/a)']}}" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_merge *merge = must_open(&rows[i].given);

		assert_row(i, at_merge_count(merge) == rows[i].items);
		assert_result(merge, rows[i].want);
		at_merge_free(merge);
	}
}

/* WIRE-4: granted stays, withdrawn is asked for, a new deny needs no question. */
static void wire_4_lists_merge_as_sets(void **state)
{
	static const struct given given = {
		"{'permissions':{'allow':['Bash(a *)','Bash(old *)'],'deny':['Read(./x)']}}",
		"{'permissions':{'allow':['Bash(a *)','Bash(old *)','Bash(granted *)'],"
		"'deny':['Read(./x)','Read(./mine)']}}",
		"{'permissions':{'allow':['Bash(a *)'],'deny':['Read(./x)','Read(./y)']}}", NULL,
	};
	struct at_merge *merge = must_open(&given);
	size_t asked = 0;

	for (size_t i = 0; i < at_merge_count(merge); i++) {
		const struct at_merge_item *item = at_merge_item(merge, i);

		assert_int_equal(item->effect, AT_TIGHTENS);
		assert_int_equal(item->selected, item->op == AT_ADDED);
		asked += item->op == AT_REMOVED;
	}
	assert_int_equal(asked, 1);
	assert_result(merge, "{'permissions':{'allow':['Bash(a *)','Bash(old *)','Bash(granted *)'],"
			     "'deny':['Read(./x)','Read(./mine)','Read(./y)']}}");
	select_all(merge);
	assert_result(merge, "{'permissions':{'allow':['Bash(a *)','Bash(granted *)'],"
			     "'deny':['Read(./x)','Read(./mine)','Read(./y)']}}");
	at_merge_free(merge);
}

/* WIRE-3: only the bytes of the empty list change. */
static void wire_3_bytes_outside_the_span_stay(void **state)
{
	static const struct given given = { NULL,
		"{\n\t'zeta': {'n': 1e3, 'big': 9007199254740993, 'u': 'caf\\u00e9 \\/ ok'},\n"
		"\t'permissions': {'allow': ['Read', 'Grep'],'deny':[]},\n\t'alpha': true\n}",
		"{'permissions':{'deny':['Read(~/.config/agentteams/keys/**)']}}", NULL };
	struct at_merge *merge = must_open(&given);

	assert_result(merge,
		"{\n\t'zeta': {'n': 1e3, 'big': 9007199254740993, 'u': 'caf\\u00e9 \\/ ok'},\n"
		"\t'permissions': {'allow': ['Read', 'Grep'],'deny':['Read(~/.config/agentteams/keys/**)']},\n"
		"\t'alpha': true\n}");
	at_merge_free(merge);
}

static const char gate_group[] =
	"{'matcher':'Bash','hooks':[{'type':'command','command':'\\'$CLAUDE_PROJECT_DIR\\'/.claude/hooks/"
	"constitutional-gate.sh','timeout':10}]}";

/* WIRE-4: the hook waits until it was judged; foreign hooks stay first and untouched. */
static void wire_4_hook_waits_for_its_judge(void **state)
{
	char ours[512], want[1024];
	struct given given = { NULL,
		"{'hooks':{'PreToolUse':[{'matcher':'Edit','hooks':[]},{'matcher':'Bash','hooks':[]}],"
		"'Stop':[]}}", ours, "no gate here" };
	struct at_merge *merge;
	struct at_error err;
	char *text;

	/* Inside the row's text \" stands for a quote in the command. */
	snprintf(ours, sizeof(ours), "{'hooks':{'PreToolUse':[%s]}}", gate_group);
	for (char *p = ours; (p = strstr(p, "\\'")); p++)
		memcpy(p, "\\\"", 2);
	merge = must_open(&given);
	assert_int_equal(at_merge_count(merge), 1);
	assert_string_equal(at_merge_item(merge, 0)->blocked, "no gate here");
	assert_false(at_merge_item(merge, 0)->selected);
	assert_false(at_merge_select(merge, 0, true, &err));
	assert_int_equal(err.code, AT_EREFUSED);
	at_merge_free(merge);

	given.hook_fault = NULL;
	merge = must_open(&given);
	assert_true(at_merge_item(merge, 0)->selected);
	text = json(ours);
	snprintf(want, sizeof(want),
		"{'hooks':{'PreToolUse':[{'matcher':'Edit','hooks':[]},{'matcher':'Bash','hooks':[]},%.*s],"
		"'Stop':[]}}", (int)strlen(text) - (int)strlen("{'hooks':{'PreToolUse':[]}}"),
		text + strlen("{'hooks':{'PreToolUse':["));
	assert_result(merge, want);
	free(text);
	at_merge_free(merge);
}

/* WIRE-4: a file without a sandbox gets the block as one item, each outside root its own,
 * and allowRead travels with the root. */
static void wire_4_block_is_one_item(void **state)
{
	static const struct given given = { NULL, "{'model':'x'}",
		"{'sandbox':{'enabled':true,'filesystem':{'allowRead':['.','/srv/data'],"
		"'allowWrite':['.','/srv/data'],'denyRead':['~/.ssh']}}}", NULL };
	struct at_merge *merge = must_open(&given);
	const struct at_merge_item *block, *root;

	assert_int_equal(at_merge_count(merge), 2);
	block = at_merge_item(merge, 0);
	root = at_merge_item(merge, 1);
	assert_string_equal(block->path, "sandbox");
	assert_int_equal(block->effect, AT_TIGHTENS);
	assert_true(block->selected);
	assert_int_equal(root->effect, AT_WIDENS);
	assert_true(root->external);
	assert_false(root->selected);
	assert_result(merge, "{'model':'x', 'sandbox':{'enabled':true, 'filesystem':{'allowRead':['.'], "
			     "'allowWrite':['.'], 'denyRead':['~/.ssh']}}}");
	/* The root alone makes no sense: it brings its block, and goes with it. */
	at_merge_select_none(merge);
	assert_true(at_merge_select(merge, 1, true, NULL));
	assert_true(block->selected);
	assert_result(merge, "{'model':'x', 'sandbox':{'enabled':true, 'filesystem':{'allowRead':['.', "
			     "'/srv/data'], 'allowWrite':['.', '/srv/data'], 'denyRead':['~/.ssh']}}}");
	assert_true(at_merge_select(merge, 0, false, NULL));
	assert_false(root->selected);
	at_merge_free(merge);
}

/* WIRE-4: allowRead of a root travels with the denyRead it comes with. */
static void wire_4_allow_read_travels(void **state)
{
	static const struct given given = { NULL, "{'sandbox':{'filesystem':{}}}",
		"{'sandbox':{'filesystem':{'allowRead':['src'],'allowWrite':['src'],'denyRead':['~/.ssh',"
		"'~/.aws']}}}", NULL };
	struct at_merge *merge = must_open(&given);

	assert_int_equal(at_merge_count(merge), 3); /* one root, two denyRead, no allowRead */
	at_merge_select_none(merge);
	assert_true(at_merge_select(merge, at_merge_find(merge, at_merge_item(merge, 1)->id), true, NULL));
	assert_result(merge, "{'sandbox':{'filesystem':{'allowRead':['src'], 'denyRead':['~/.ssh']}}}");
	at_merge_free(merge);
}

/* WIRE-2: what is recorded is what is in force, and what was taken out again. */
static void wire_2_record_follows_the_selection(void **state)
{
	static const struct {
		struct given given;
		bool all; /* select everything, else nothing */
		const char *want;
	} rows[] = {
		{ { NULL, "{'deny':['m']}", "{'deny':['a','b']}", NULL }, true, "{'deny':['a','b']}" },
		{ { NULL, "{'deny':['a']}", "{'deny':['a','b']}", NULL }, false, "{'deny':['a']}" },
		/* not accepted: not recorded, so it is offered as new again */
		{ { "{'deny':['a']}", "{'deny':['a']}", "{'deny':['a','b']}", NULL }, false, "{'deny':['a']}" },
		/* taken out by the operator: stays on record as such */
		{ { "{'deny':['a','b']}", "{'deny':['a']}", "{'deny':['a','b']}", NULL }, false,
			"{'deny':['a','b']}" },
		/* a removal not accepted is offered again, an accepted one is forgotten */
		{ { "{'deny':['a','b']}", "{'deny':['a','b']}", "{'deny':['a']}", NULL }, false,
			"{'deny':['a','b']}" },
		{ { "{'deny':['a','b']}", "{'deny':['a','b']}", "{'deny':['a']}", NULL }, true, "{'deny':['a']}" },
		/* gone on both sides: no longer ours to speak of */
		{ { "{'deny':['a','b'],'x':1}", "{'deny':['a']}", "{'deny':['a']}", NULL }, true,
			"{'deny':['a']}" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_merge *merge = must_open(&rows[i].given);
		struct at_buf record = { 0 };
		struct at_json want_doc, got_doc;
		char *want = json(rows[i].want);

		if (rows[i].all)
			select_all(merge);
		else
			at_merge_select_none(merge);
		assert_row(i, at_merge_new_base(merge, &record, NULL));
		assert_row(i, at_json_read(&want_doc, at_bytes_of(want), &at_json_settings_limits, 0, NULL));
		assert_row(i, at_json_read(&got_doc, at_buf_bytes(&record), &at_json_settings_limits, 0, NULL));
		assert_row(i, at_json_equal(&want_doc, AT_JSON_ROOT, &got_doc, AT_JSON_ROOT));
		at_json_free(&want_doc);
		at_json_free(&got_doc);
		at_buf_free(&record);
		at_merge_free(merge);
		free(want);
	}
}

/* WIRE-3: after everything was taken a second merge has nothing left, with and without
 * the record. */
static void wire_3_second_run_changes_nothing(void **state)
{
	static const struct given given = { NULL, "{\n  'permissions': {\n    'deny': []\n  }\n}\n",
		"{'permissions':{'deny':['Edit(/a)'],'ask':['Bash']},'sandbox':{'enabled':true,"
		"'filesystem':{'allowWrite':['.']}}}", NULL };
	struct at_merge *merge = must_open(&given);
	struct at_buf result = { 0 }, record = { 0 };
	struct at_bytes bytes;

	select_all(merge);
	assert_true(at_merge_result(merge, &bytes, NULL));
	at_buf_put(&result, bytes.data, bytes.len);
	assert_true(at_merge_new_base(merge, &record, NULL));
	at_merge_free(merge);
	for (int with_record = 0; with_record < 2; with_record++) {
		struct given again = { with_record ? at_buf_text(&record) : NULL, at_buf_text(&result),
			given.ours, NULL };

		merge = must_open(&again);
		assert_int_equal(at_merge_count(merge), 0);
		assert_result(merge, at_buf_text(&result));
		at_merge_free(merge);
	}
	at_buf_free(&result);
	at_buf_free(&record);
}

/* WIRE-3: a path across a key given twice, or where a value has the wrong type, cannot
 * be chosen. */
static void wire_3_blocked_paths(void **state)
{
	static const struct {
		const char *live, *fragment;
	} rows[] = {
		{ "{'permissions':{'deny':[]},'permissions':{'deny':[]}}", "twice" },
		{ "{'permissions':{'deny':[],'d\\u0065ny':[]}}", "twice" },
		{ "{'permissions':{'deny':'Edit(/a)'}}", "a text where a list belongs" },
		{ "{'permissions':[]}", "a list where an object belongs" },
		{ "{'permissions':null}", "null where an object belongs" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct given given = { NULL, rows[i].live, "{'permissions':{'deny':['Edit(/a)']}}", NULL };
		struct at_merge *merge = must_open(&given);

		assert_row(i, at_merge_count(merge) == 1);
		assert_row(i, at_merge_item(merge, 0)->blocked
			&& strstr(at_merge_item(merge, 0)->blocked, rows[i].fragment));
		assert_row(i, !at_merge_select(merge, 0, true, NULL));
		assert_result(merge, rows[i].live);
		at_merge_free(merge);
	}
}

/* WIRE-3: what does not parse is refused with its place, and never "reset". */
static void wire_3_refuses_what_does_not_parse(void **state)
{
	static const struct {
		const char *live, *id;
		unsigned line, column;
	} rows[] = {
		{ "{\n  // house rules\n  'a': 1\n}\n", "json-comment", 2, 3 },
		{ "{\n  'ask': [\n    'Write',\n    'Edit',\n  ]\n}\n", "json-trailing-comma", 4, 11 },
		{ "{'hooks': {'Stop': [}}", "json-syntax", 1, 21 },
		{ "", "json-empty", 1, 1 },
		{ "[]", "settings-not-an-object", 1, 1 },
		{ "{'a': NaN}", "json-number", 1, 7 },
		{ "{'a': 1} {}", "json-trailing-text", 1, 10 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct given given = { NULL, rows[i].live, "{'a':1}", NULL };
		struct at_error err;

		assert_row(i, !open_merge(&given, &err));
		assert_row(i, strcmp(err.id, rows[i].id) == 0);
		assert_row(i, err.line == rows[i].line && err.column == rows[i].column);
	}
}

/* WIRE-2: an edited value is what is written, judged anew and asked for again. */
static void wire_2_edit_an_item(void **state)
{
	static const struct given given = { NULL, "{'sandbox':{'filesystem':{'allowWrite':['src']}}}",
		"{'sandbox':{'filesystem':{'allowWrite':['src/a']}}}", NULL };
	struct at_merge *merge = must_open(&given);
	struct at_error err;

	assert_int_equal(at_merge_item(merge, 0)->effect, AT_NEUTRAL);
	assert_false(at_merge_edit(merge, 0, "5", &err));
	assert_false(at_merge_edit(merge, 0, "\"x", &err));
	assert_true(at_merge_edit(merge, 0, "\"/srv/other\"", &err));
	assert_int_equal(at_merge_item(merge, 0)->effect, AT_WIDENS);
	assert_false(at_merge_item(merge, 0)->selected);
	assert_true(at_merge_select(merge, 0, true, &err));
	assert_result(merge, "{'sandbox':{'filesystem':{'allowWrite':['src', '/srv/other']}}}");
	at_merge_free(merge);
}

/* WIRE-17: the review's digest is bound to the live bytes and to the selection. */
static void wire_17_review_is_bound(void **state)
{
	static const struct given one = { NULL, "{'deny':[]}", "{'deny':['a','b']}", NULL };
	static const struct given other = { NULL, "{'deny': []}", "{'deny':['a','b']}", NULL };
	struct at_merge *merge = must_open(&one), *second = must_open(&other);
	struct at_digest a, b, c;

	at_merge_review(merge, &a);
	at_merge_review(second, &b);
	assert_true(at_merge_select(merge, 0, false, NULL));
	at_merge_review(merge, &c);
	assert_false(at_digest_equal(&a, &b));
	assert_false(at_digest_equal(&a, &c));
	at_merge_free(merge);
	at_merge_free(second);
}

/* WIRE-17: --accept-safe takes what tightens and nothing else. */
static void wire_17_safe_takes_tightens_only(void **state)
{
	static const struct given given = {
		"{'permissions':{'allow':['Bash(x)']}}", "{'permissions':{'allow':['Bash(x)']},'model':'m'}",
		"{'permissions':{'allow':['Bash(y)'],'deny':['Edit(/a)']},'theme':'t'}", NULL };
	struct at_merge *merge = must_open(&given);

	at_merge_select_safe(merge);
	assert_result(merge, "{'permissions':{'allow':['Bash(x)'],'deny':['Edit(/a)']},'model':'m'}");
	at_merge_free(merge);
}

/* Ids are the same in every run and name one item each. */
static void ids_are_stable_and_unique(void **state)
{
	static const struct given given = { NULL, "{}", "{'permissions':{'deny':['a','b'],'allow':['a']}}",
		NULL };
	struct at_merge *merge = must_open(&given), *again = must_open(&given);

	for (size_t i = 0; i < at_merge_count(merge); i++) {
		assert_string_equal(at_merge_item(merge, i)->id, at_merge_item(again, i)->id);
		assert_int_equal(at_merge_find(merge, at_merge_item(merge, i)->id), i);
	}
	assert_int_equal(at_merge_find(merge, "deny-nonesuch"), at_merge_count(merge));
	at_merge_free(merge);
	at_merge_free(again);
}

/* A file that is not there is made with just what was chosen. */
static void a_new_file_is_made(void **state)
{
	static const struct given given = { NULL, NULL, "{'permissions':{'deny':['a']}}", NULL };
	struct at_merge *merge = must_open(&given);

	assert_result(merge, "{\n  'permissions': {\n    'deny': [\n      'a'\n    ]\n  }\n}\n");
	at_merge_free(merge);
}

#define OFFER "{'permissions':{'lock':'disable','deny':['a','x','y']}}"

/* WIRE-11: an optional item never starts selected, is not safe to take unasked, and stands
 * in a group of its own; what is emitted or live already is not offered. */
static void wire_11_optional_is_only_offered(void **state)
{
	static const struct given given = { NULL, "{'permissions':{'deny':['y']}}",
		"{'permissions':{'deny':['a','b']}}", NULL };
	struct at_merge *merge = must_offer(&given, OFFER);
	struct at_merge_totals totals;

	at_merge_count_up(&totals, merge);
	assert_int_equal(totals.items, 4); /* a and b; on offer x and lock */
	assert_int_equal(totals.optional, 2);
	for (size_t i = 0; i < 4; i++) {
		const struct at_merge_item *item = at_merge_item(merge, i);

		assert_row(i, (item->origin == AT_FROM_OPTIONAL) == (i >= 2));
		assert_row(i, (item->group == AT_GROUP_OPTIONAL) == (i >= 2));
		assert_row(i, item->selected == (i < 2));
	}
	assert_result(merge, "{'permissions':{'deny':['y', 'a', 'b']}}");
	at_merge_select_safe(merge);
	assert_result(merge, "{'permissions':{'deny':['y', 'a', 'b']}}");
	select_all(merge);
	assert_result(merge, "{'permissions':{'deny':['y', 'a', 'b', 'x'], 'lock':'disable'}}");
	at_merge_free(merge);
}

/* WIRE-11: taken, it is there and not offered again; taken out again, it is an offer again and
 * nothing that somebody changed. */
static void wire_11_optional_after_a_merge(void **state)
{
	static const struct {
		struct given given;
		size_t items, optional;
	} rows[] = {
		{ { "{'permissions':{'deny':['a','x'],'lock':'disable'}}",
			  "{'permissions':{'deny':['a','x','y'],'lock':'disable'}}",
			  "{'permissions':{'deny':['a']}}", NULL }, 0, 0 },
		{ { "{'permissions':{'deny':['a','x'],'lock':'disable'}}",
			  "{'permissions':{'deny':['a']}}", "{'permissions':{'deny':['a']}}", NULL },
			3, 3 },
		{ { NULL, NULL, "{}", NULL }, 4, 4 },
		{ { NULL, "{'permissions':{'lock':'other'}}", "{}", NULL }, 4, 4 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_merge *merge = must_offer(&rows[i].given, OFFER);
		struct at_merge_totals totals;

		at_merge_count_up(&totals, merge);
		assert_row(i, totals.items == rows[i].items && totals.optional == rows[i].optional);
		assert_row(i, totals.selected == 0);
		at_merge_free(merge);
	}
}

/* WIRE-11: an offer does not make equal settings different. */
static void wire_11_same_but_order_as_before(void **state)
{
	static const struct given given = { NULL, "{'b':1,'a':2}", "{'a':2,'b':1}", NULL };
	struct at_merge *merge = must_offer(&given, OFFER);

	assert_true(at_merge_is_same_but_order(merge));
	at_merge_free(merge);
}

int test_merge(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_2_three_way_results),
		cmocka_unit_test(wire_4_lists_merge_as_sets),
		cmocka_unit_test(wire_3_bytes_outside_the_span_stay),
		cmocka_unit_test(wire_4_hook_waits_for_its_judge),
		cmocka_unit_test(wire_4_block_is_one_item),
		cmocka_unit_test(wire_4_allow_read_travels),
		cmocka_unit_test(wire_2_record_follows_the_selection),
		cmocka_unit_test(wire_3_second_run_changes_nothing),
		cmocka_unit_test(wire_3_blocked_paths),
		cmocka_unit_test(wire_3_refuses_what_does_not_parse),
		cmocka_unit_test(wire_2_edit_an_item),
		cmocka_unit_test(wire_17_review_is_bound),
		cmocka_unit_test(wire_17_safe_takes_tightens_only),
		cmocka_unit_test(ids_are_stable_and_unique),
		cmocka_unit_test(a_new_file_is_made),
		cmocka_unit_test(wire_11_optional_is_only_offered),
		cmocka_unit_test(wire_11_optional_after_a_merge),
		cmocka_unit_test(wire_11_same_but_order_as_before),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
