/* proof_json.c - a proof as JSON, and back.
 *
 *	{
 *	"sha256": "<digest of the bytes of the member below>",
 *	"proof": { "schema": …, "date": …, "host": {…}, …, "runs": […], "cases": […] }
 *	}
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "core/proof.h"
#include "core/utf8.h"

#define RUNS_MOST 16
#define CASES_MOST 4096
#define MECHANISMS_MOST 32

/* Where each fact stands. */
static const struct {
	const char *part, *name;
} places[AT_PROOF_FACT_COUNT] = {
	[AT_PROOF_HOST] = { "host", "name" },
	[AT_PROOF_HOST_ID] = { "host", "id" },
	[AT_PROOF_KERNEL] = { "host", "kernel" },
	[AT_PROOF_DISTRO] = { "host", "distro" },
	[AT_PROOF_MACHINE] = { "host", "machine" },
	[AT_PROOF_LAUNCHER] = { "launcher", "sha256" },
	[AT_PROOF_LAUNCHER_FROM] = { "launcher", "from" },
	[AT_PROOF_BWRAP] = { "bwrap", "sha256" },
	[AT_PROOF_BWRAP_VERSION] = { "bwrap", "version" },
	[AT_PROOF_BWRAP_PATH] = { "bwrap", "path" },
	[AT_PROOF_HARDEN] = { "harden", "sha256" },
	[AT_PROOF_HARDEN_PATH] = { "harden", "path" },
	[AT_PROOF_LAYERS] = { "harden", "layers" },
	[AT_PROOF_BATTERY] = { "battery", "sha256" },
};
static const char *const parts[] = { "host", "launcher", "bwrap", "harden", "battery" };

static const char *mode_name(bool harden)
{
	return harden ? "harden" : "default";
}

static void put_totals(struct at_json_value *to, const struct at_proof *proof, size_t run)
{
	unsigned totals[AT_CASE_COUNT];

	at_proof_totals(proof, run, totals);
	for (int w = 0; w < AT_CASE_COUNT; w++)
		at_json_add_number(to, at_case_word_name((enum at_case_word)w), totals[w]);
}

static void put_run(struct at_json_value *to, const struct at_proof *proof, size_t index)
{
	const struct at_proof_run *run = &proof->runs[index];
	struct at_json_value *mechanisms;

	at_json_add_number(to, "caller", run->caller);
	at_json_add_text(to, "mode", mode_name(run->harden));
	at_json_add_number(to, "milliseconds", run->milliseconds);
	mechanisms = at_json_add_array(to, "mechanisms");
	for (size_t i = 0; i < run->mechanism_count; i++) {
		struct at_json_value *one = at_json_add_object(mechanisms, NULL);

		at_json_add_text(one, "name", run->mechanisms[i].name);
		at_json_add_text(one, "value", run->mechanisms[i].value);
	}
	put_totals(at_json_add_object(to, "totals"), proof, index);
}

static void put_case(
	struct at_json_value *to, const struct at_proof *proof, const struct at_proof_case *one)
{
	const struct at_proof_run *run = &proof->runs[one->run];

	at_json_add_text(to, "id", one->id);
	at_json_add_text(to, "group", one->group);
	at_json_add_text(to, "what", one->what);
	at_json_add_number(to, "run", one->run);
	at_json_add_number(to, "caller", run->caller);
	at_json_add_text(to, "mode", mode_name(run->harden));
	at_json_add_text(to, "policy", at_proof_need_name(one->need));
	at_json_add_text(to, "why", one->why);
	at_json_add_text(to, "control", one->control);
	at_json_add_text(to, "verdict", at_case_word_name(one->word));
	at_json_add_text(to, "evidence", one->evidence);
}

void at_proof_to_json(const struct at_proof *proof, struct at_json_value *out)
{
	struct at_json_value *list;
	char date[16];

	at_proof_date(date, proof->time);
	at_json_add_text(out, "schema", AT_PROOF_SCHEMA);
	at_json_add_text(out, "date", date);
	at_json_add_number(out, "time", proof->time);
	for (size_t p = 0; p < AT_LEN(parts); p++) {
		struct at_json_value *part = at_json_add_object(out, parts[p]);

		for (int i = 0; i < AT_PROOF_FACT_COUNT; i++)
			if (strcmp(places[i].part, parts[p]) == 0)
				at_json_add_text(part, places[i].name, proof->facts[i]);
	}
	list = at_json_add_array(out, "runs");
	for (size_t i = 0; i < proof->run_count; i++)
		put_run(at_json_add_object(list, NULL), proof, i);
	list = at_json_add_array(out, "cases");
	for (size_t i = 0; i < proof->case_count; i++)
		put_case(at_json_add_object(list, NULL), proof, &proof->cases[i]);
	put_totals(at_json_add_object(out, "totals"), proof, SIZE_MAX);
}

void at_proof_write(const struct at_proof *proof, struct at_buf *out)
{
	struct at_json_value *json = at_json_object();
	struct at_buf text = { 0 };
	struct at_digest digest;
	char hex[AT_DIGEST_HEX];

	at_proof_to_json(proof, json);
	at_json_print(&text, json, AT_JSON_PRETTY);
	at_json_value_free(json);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	digest = at_digest_of(at_buf_bytes(&text));
	at_digest_hex(hex, &digest);
	at_buf_printf(out, "{\n\"sha256\": \"%s\",\n\"proof\": ", hex);
	at_buf_put(out, text.data, text.len);
	at_buf_puts(out, "\n}\n");
	at_buf_free(&text);
}

/* ---- reading ---- */

struct reading {
	const struct at_json *doc;
	struct at_proof *proof;
	struct at_error *err;
	bool ok;
};

static bool refuse(struct reading *r, uint32_t node, const char *what)
{
	unsigned line = 0, column = 0;

	if (!r->ok)
		return false;
	r->ok = false;
	at_fail(r->err, AT_EINVALID, "the stored proof is not as this program writes it: %s", what);
	at_error_name(r->err, "bad-proof");
	at_error_hint(r->err, "Run atconsole --self-test anew.");
	if (node != AT_JSON_NONE && node < r->doc->count) {
		at_json_position(r->doc->text, r->doc->nodes[node].start, &line, &column);
		at_error_at(r->err, line, column);
	}
	return false;
}

static uint32_t member(struct reading *r, uint32_t object, const char *key, enum at_json_kind kind)
{
	uint32_t node = at_json_member(r->doc, object, key);

	if (!at_json_is(r->doc, node, kind)) {
		refuse(r, node == AT_JSON_NONE ? object : node, key);
		return AT_JSON_NONE;
	}
	return node;
}

/* Short, one line, no control character: else "". */
static const char *text(struct reading *r, uint32_t object, const char *key)
{
	uint32_t node = member(r, object, key, AT_JSON_STRING);
	struct at_bytes bytes;

	if (node == AT_JSON_NONE)
		return "";
	bytes = at_json_string(r->doc, node, r->proof->arena);
	if (bytes.len > AT_PROOF_TEXT) {
		refuse(r, node, "a text is too long");
		return "";
	}
	for (size_t i = 0; i < bytes.len; i++) {
		if ((unsigned char)bytes.data[i] < 0x20 || bytes.data[i] == 0x7f) {
			refuse(r, node, "a text holds a control character");
			return "";
		}
	}
	return bytes.data ? bytes.data : "";
}

/* A whole number without sign, fraction or exponent, at most `most`. */
static uint64_t number(struct reading *r, uint32_t object, const char *key, uint64_t most)
{
	uint32_t node = member(r, object, key, AT_JSON_NUMBER);
	struct at_bytes raw;
	uint64_t value = 0;

	if (node == AT_JSON_NONE)
		return 0;
	raw = at_json_raw(r->doc, node);
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] < '0' || raw.data[i] > '9' || i > 15)
			return refuse(r, node, key);
		value = value * 10 + (uint64_t)(raw.data[i] - '0');
	}
	if (value > most)
		return refuse(r, node, key);
	return value;
}

static bool has_count(struct reading *r, uint32_t node, uint32_t count)
{
	return r->doc->nodes[node].count == count || refuse(r, node, "a member is one too many");
}

static void read_facts(struct reading *r, uint32_t root)
{
	for (size_t p = 0; p < AT_LEN(parts) && r->ok; p++) {
		uint32_t part = member(r, root, parts[p], AT_JSON_OBJECT), count = 0;

		for (int i = 0; i < AT_PROOF_FACT_COUNT && r->ok; i++) {
			if (strcmp(places[i].part, parts[p]) != 0)
				continue;
			count++;
			r->proof->facts[i] = text(r, part, places[i].name);
		}
		if (r->ok)
			has_count(r, part, count);
	}
}

static bool read_mode(struct reading *r, uint32_t object)
{
	const char *word = text(r, object, "mode");

	if (r->ok && strcmp(word, "harden") != 0 && strcmp(word, "default") != 0)
		refuse(r, object, "mode");
	return strcmp(word, "harden") == 0;
}

/* They are counted anew and must be the same. */
static void check_totals(struct reading *r, uint32_t object, size_t run)
{
	uint32_t node = member(r, object, "totals", AT_JSON_OBJECT);
	unsigned totals[AT_CASE_COUNT];

	at_proof_totals(r->proof, run, totals);
	for (int w = 0; w < AT_CASE_COUNT && r->ok; w++)
		if (number(r, node, at_case_word_name((enum at_case_word)w), CASES_MOST)
			!= totals[w])
			refuse(r, node, "the totals are not those of the cases");
	if (r->ok)
		has_count(r, node, AT_CASE_COUNT);
}

static void read_run(struct reading *r, uint32_t object)
{
	struct at_proof_mechanism mechanisms[MECHANISMS_MOST];
	struct at_proof_run run = { .mechanisms = mechanisms };
	uint32_t list;

	if (!at_json_is(r->doc, object, AT_JSON_OBJECT)) {
		refuse(r, object, "runs");
		return;
	}
	has_count(r, object, 5);
	run.caller = (uint32_t)number(r, object, "caller", UINT32_MAX);
	run.harden = read_mode(r, object);
	run.milliseconds = (uint32_t)number(r, object, "milliseconds", UINT32_MAX);
	list = member(r, object, "mechanisms", AT_JSON_ARRAY);
	at_json_each(r->doc, i, list) {
		if (run.mechanism_count == MECHANISMS_MOST)
			refuse(r, i, "too many mechanisms");
		if (!r->ok)
			return;
		mechanisms[run.mechanism_count++] =
			(struct at_proof_mechanism){ text(r, i, "name"), text(r, i, "value") };
		if (r->ok)
			has_count(r, i, 2);
	}
	if (r->ok)
		at_proof_add_run(r->proof, &run);
}

static int word_of(const char *word, int count, const char *(*name)(int))
{
	for (int i = 0; i < count; i++)
		if (strcmp(word, name(i)) == 0)
			return i;
	return -1;
}

static const char *need_name(int i)
{
	return at_proof_need_name((enum at_proof_need)i);
}

static const char *verdict_name(int i)
{
	return at_case_word_name((enum at_case_word)i);
}

static void read_case(struct reading *r, uint32_t object)
{
	struct at_proof_case one = { 0 };
	int need, word;

	if (!at_json_is(r->doc, object, AT_JSON_OBJECT)) {
		refuse(r, object, "cases");
		return;
	}
	has_count(r, object, 11);
	one.id = text(r, object, "id");
	one.group = text(r, object, "group");
	one.what = text(r, object, "what");
	one.why = text(r, object, "why");
	one.control = text(r, object, "control");
	one.evidence = text(r, object, "evidence");
	one.run = (uint32_t)number(r, object, "run", RUNS_MOST);
	need = word_of(text(r, object, "policy"), AT_NEED_COUNT, need_name);
	word = word_of(text(r, object, "verdict"), AT_CASE_COUNT, verdict_name);
	if (r->ok && (need < 0 || word < 0 || one.run >= r->proof->run_count || !*one.id))
		refuse(r, object, "a case");
	if (!r->ok)
		return;
	if (number(r, object, "caller", UINT32_MAX) != r->proof->runs[one.run].caller
		|| read_mode(r, object) != r->proof->runs[one.run].harden)
		refuse(r, object, "a case is of no run");
	one.need = (enum at_proof_need)need;
	one.word = (enum at_case_word)word;
	if (r->ok)
		at_proof_add_case(r->proof, &one);
}

static void read_proof(struct reading *r, uint32_t root)
{
	char date[16];
	uint32_t list;
	size_t run = 0;

	if (strcmp(text(r, root, "schema"), AT_PROOF_SCHEMA) != 0)
		refuse(r, root, "its schema is another one");
	r->proof->time = (int64_t)number(r, root, "time", 253402300799u);
	at_proof_date(date, r->proof->time);
	if (strcmp(text(r, root, "date"), date) != 0)
		refuse(r, root, "its date");
	read_facts(r, root);
	list = member(r, root, "runs", AT_JSON_ARRAY);
	if (r->ok && r->doc->nodes[list].count > RUNS_MOST)
		refuse(r, list, "too many runs");
	at_json_each(r->doc, i, list)
		if (r->ok)
			read_run(r, i);
	if (!r->ok)
		return;
	list = member(r, root, "cases", AT_JSON_ARRAY);
	if (r->ok && r->doc->nodes[list].count > CASES_MOST)
		refuse(r, list, "too many cases");
	at_json_each(r->doc, i, list)
		if (r->ok)
			read_case(r, i);
	check_totals(r, root, SIZE_MAX);
	list = at_json_member(r->doc, root, "runs");
	at_json_each(r->doc, i, list)
		if (r->ok)
			check_totals(r, i, run++);
	if (r->ok)
		has_count(r, root, 6 + (uint32_t)AT_LEN(parts));
}

static void check_digest(struct reading *r, uint32_t proof)
{
	const char *said = text(r, AT_JSON_ROOT, "sha256");
	struct at_digest is, wanted;

	if (!r->ok)
		return;
	is = at_digest_of(at_json_raw(r->doc, proof));
	if (!at_digest_from_hex(&wanted, said) || !at_digest_equal(&is, &wanted))
		refuse(r, proof, "its digest does not fit");
}

bool at_proof_read(struct at_proof *out, struct at_bytes bytes, struct at_error *err)
{
	static const struct at_json_limits limits = { AT_PROOF_CAP, 8 };
	struct at_json doc;
	struct reading r = { .doc = &doc, .proof = out, .err = err, .ok = true };
	uint32_t proof;

	at_proof_init(out);
	if (!at_json_read(&doc, bytes, &limits, 0, err))
		return false;
	if (!at_json_is(&doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		refuse(&r, AT_JSON_ROOT, "it is no object");
	if (r.ok)
		has_count(&r, AT_JSON_ROOT, 2);
	proof = r.ok ? member(&r, AT_JSON_ROOT, "proof", AT_JSON_OBJECT) : AT_JSON_NONE;
	if (r.ok)
		check_digest(&r, proof);
	if (r.ok)
		read_proof(&r, proof);
	at_json_free(&doc);
	if (r.ok)
		return true;
	at_proof_free(out);
	at_proof_init(out);
	return false;
}
