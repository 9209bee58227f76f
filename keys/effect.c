#include "keys/effect.h"

#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "core/utf8.h"
#include "keys/field.h"

/* Parts of their names, in the spelling that fold() gives. */
static const char *const trust_roots[] = {
	"verify-key",
	"security-approver",
	"authorized-manager",
	"enforcement-integrity",
	"agent-privilege",
	"signing-governed",
	"management-directive",
	"security-decision",
	"claude-md",
	"copilot-instructions",
	"instruction-authority",
	"signing-key",
	"waiver",
};

static bool is_divider(int32_t code)
{
	return code <= 0x20 || code == 0x7f || code == 0x85 || code == 0xa0 || code == 0x3000
		|| (code >= 0x2000 && code <= 0x200a)
		|| (code < 0x80 && strchr("\\/_.%-", (char)code));
}

/* One spelling for many: lower case, a hyphen for every divider and before an inner capital, the
 * wide forms of ASCII as ASCII. Other letters stay. */
static void fold(struct at_buf *out, struct at_bytes text)
{
	bool was_small = false;
	int32_t code;

	for (size_t i = 0, len; (len = at_utf8_next(text, i, &code)); i += len) {
		char one[4];
		bool is_capital;

		if (code >= 0xff01 && code <= 0xff5e)
			code -= 0xfee0;
		if (code < 0)
			code = '?';
		is_capital = code >= 'A' && code <= 'Z';
		if ((is_divider(code) || (is_capital && was_small)) && out->len
			&& out->data[out->len - 1] != '-')
			at_buf_putc(out, '-');
		was_small = (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9');
		if (!is_divider(code))
			at_buf_put(out, one,
				at_utf8_encode(one, (uint32_t)(is_capital ? code | 0x20 : code)));
	}
}

bool at_names_trust_root(struct at_bytes text)
{
	struct at_buf folded = { 0 };
	bool found = false;

	fold(&folded, text);
	for (size_t i = 0; i < AT_LEN(trust_roots) && !found; i++)
		found = strstr(at_buf_text(&folded), trust_roots[i]) != NULL;
	at_buf_free(&folded);
	return found;
}

static bool is_word(struct at_bytes text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

/* A flag that is set, or whose word is not known: nobody writes one to say no in a new way. */
static bool is_set(const struct at_decision *row, enum at_extension flag)
{
	static const char *const no[] = { "", "0", "no", "n", "false", "off" };

	for (size_t i = 0; i < AT_LEN(no); i++)
		if (is_word(row->extension[flag], no[i]))
			return false;
	return true;
}

static const struct {
	enum at_extension place; /* AT_EXT_COUNT: the action */
	const char *does;
} places[] = {
	{ AT_EXT_TARGETS, "writes to" },
	{ AT_EXT_GRANTS, "grants" },
	{ AT_EXT_SCOPE, "has in its scope" },
	{ AT_EXT_COUNT, "names as its action" },
};

static bool touches_trust_root(
	const struct at_decision *row, struct at_arena *arena, const char **why)
{
	for (size_t i = 0; i < AT_LEN(places); i++) {
		struct at_bytes text = places[i].place == AT_EXT_COUNT
			? row->action
			: row->extension[places[i].place];

		if (!at_names_trust_root(text))
			continue;
		*why = at_arena_printf(arena, "%s a root of trust ('%.*s')", places[i].does,
			(int)text.len, text.data);
		return true;
	}
	return false;
}

enum at_effect at_decision_effect(
	const struct at_decision *row, struct at_arena *arena, const char **why)
{
	struct at_bytes says = row->extension[AT_EXT_CLASS];
	bool destroys = is_set(row, AT_EXT_DESTRUCTIVE);
	bool crosses = is_set(row, AT_EXT_CROSS_REPO), bulk = is_set(row, AT_EXT_BULK);
	bool opens = row->extension[AT_EXT_GRANTS].len || row->extension[AT_EXT_RELAXES].len
		|| crosses || bulk;

	*why = "";
	if (touches_trust_root(row, arena, why))
		return AT_EFFECT_INELIGIBLE;
	if (crosses && destroys && bulk) {
		*why = "destroys in bulk and across repositories at once";
		return AT_EFFECT_INELIGIBLE;
	}
	if (is_word(says, "non-relaxing") && (opens || destroys)) {
		*why = "calls itself non-relaxing and has effects that relax";
		return AT_EFFECT_DENIED;
	}
	if (opens) {
		*why = "grants, relaxes, or reaches across repositories or in bulk";
		return AT_EFFECT_ELEVATED;
	}
	if (says.len && !is_word(says, "non-relaxing")) {
		*why = "calls itself relaxing";
		return AT_EFFECT_ELEVATED;
	}
	return AT_EFFECT_ORDINARY;
}
