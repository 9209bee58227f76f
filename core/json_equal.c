#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_keys.h"
#include "core/json_read.h"
#include "core/json_text.h"
#include "core/mem.h"

/* Both functions call themselves once a level: as deep as the reader's limit. */

/* Read in the C locale: the decimal point is a point whatever the terminal speaks. */
static double number_of(const struct at_json *doc, uint32_t node)
{
	static locale_t c_locale;
	struct at_bytes raw = at_json_raw(doc, node);
	char few[64], *digits = raw.len < sizeof(few) ? few : at_alloc(raw.len + 1);
	double value;

	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	memcpy(digits, raw.data, raw.len);
	digits[raw.len] = '\0';
	value = strtod_l(digits, NULL, c_locale);
	if (digits != few)
		free(digits);
	return value;
}

static bool numbers_equal(
	const struct at_json *a, uint32_t in_a, const struct at_json *b, uint32_t in_b)
{
	double x, y;

	if (at_bytes_equal(at_json_raw(a, in_a), at_json_raw(b, in_b)))
		return true;
	x = number_of(a, in_a);
	y = number_of(b, in_b);
	return !(x < y) && !(x > y);
}

static bool arrays_equal(
	const struct at_json *a, uint32_t in_a, const struct at_json *b, uint32_t in_b)
{
	uint32_t j = at_json_first(b, in_b);

	if (a->nodes[in_a].count != b->nodes[in_b].count)
		return false;
	at_json_each(a, i, in_a) {
		if (!at_json_equal(a, i, b, j))
			return false;
		j = b->nodes[j].next;
	}
	return true;
}

/* Keys alone, so that values are compared once whichever way the answer goes. */
static bool keys_in_step(
	const struct at_json *a, uint32_t in_a, const struct at_json *b, uint32_t in_b)
{
	uint32_t j = at_json_first(b, in_b);

	if (a->duplicates || b->duplicates || a->nodes[in_a].count != b->nodes[in_b].count)
		return false;
	at_json_each(a, i, in_a) {
		if (!at_json_text_equal(at_json_key_text(a, i), at_json_key_text(b, j)))
			return false;
		j = b->nodes[j].next;
	}
	return true;
}

static bool objects_equal(
	const struct at_json *a, uint32_t in_a, const struct at_json *b, uint32_t in_b)
{
	struct at_json_keys x, y;
	bool equal;

	if (keys_in_step(a, in_a, b, in_b))
		return arrays_equal(a, in_a, b, in_b);
	at_json_keys_of(&x, a, in_a);
	at_json_keys_of(&y, b, in_b);
	at_json_keys_last(&x);
	at_json_keys_last(&y);
	equal = x.count == y.count;
	for (size_t i = 0; equal && i < x.count; i++)
		equal = at_json_key_equal(&x.key[i], &y.key[i]);
	for (size_t i = 0; equal && i < x.count; i++)
		equal = at_json_equal(a, x.key[i].node, b, y.key[i].node);
	at_json_keys_free(&x);
	at_json_keys_free(&y);
	return equal;
}

bool at_json_equal(const struct at_json *a, uint32_t in_a, const struct at_json *b, uint32_t in_b)
{
	if (in_a >= a->count || in_b >= b->count)
		return in_a >= a->count && in_b >= b->count;
	if (a->nodes[in_a].kind != b->nodes[in_b].kind)
		return false;
	switch (a->nodes[in_a].kind) {
	case AT_JSON_NUMBER:
		return numbers_equal(a, in_a, b, in_b);
	case AT_JSON_STRING:
		return at_json_text_equal(
			at_json_string_text(a, in_a), at_json_string_text(b, in_b));
	case AT_JSON_ARRAY:
		return arrays_equal(a, in_a, b, in_b);
	case AT_JSON_OBJECT:
		return objects_equal(a, in_a, b, in_b);
	default:
		return true;
	}
}

static uint64_t member_hash(const struct at_json *doc, uint32_t node, uint64_t key_hash)
{
	return at_json_mix(at_json_mix(AT_JSON_OBJECT, key_hash), at_json_hash(doc, node));
}

/* A sum: the order of members is no part of the value. */
static uint64_t object_hash(const struct at_json *doc, uint32_t object)
{
	struct at_json_keys keys;
	uint64_t sum = 0;

	if (!doc->duplicates) {
		at_json_each(doc, i, object)
			sum += member_hash(doc, i, at_json_text_hash(at_json_key_text(doc, i)));
		return at_json_mix(AT_JSON_OBJECT, sum);
	}
	at_json_keys_of(&keys, doc, object);
	at_json_keys_last(&keys);
	for (size_t i = 0; i < keys.count; i++)
		sum += member_hash(doc, keys.key[i].node, keys.key[i].hash);
	at_json_keys_free(&keys);
	return at_json_mix(AT_JSON_OBJECT, sum);
}

static uint64_t array_hash(const struct at_json *doc, uint32_t array)
{
	uint64_t hash = at_json_mix(0, AT_JSON_ARRAY);

	at_json_each(doc, i, array)
		hash = at_json_mix(hash, at_json_hash(doc, i));
	return hash;
}

static uint64_t number_hash(const struct at_json *doc, uint32_t node)
{
	double value = number_of(doc, node) + 0.0; /* -0 equals 0 */
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return at_json_mix(AT_JSON_NUMBER, bits);
}

uint64_t at_json_hash(const struct at_json *doc, uint32_t node)
{
	if (node >= doc->count)
		return 0;
	switch (doc->nodes[node].kind) {
	case AT_JSON_NUMBER:
		return number_hash(doc, node);
	case AT_JSON_STRING:
		return at_json_mix(
			AT_JSON_STRING, at_json_text_hash(at_json_string_text(doc, node)));
	case AT_JSON_ARRAY:
		return array_hash(doc, node);
	case AT_JSON_OBJECT:
		return object_hash(doc, node);
	default:
		return at_json_mix(0x51ed270b, doc->nodes[node].kind);
	}
}
