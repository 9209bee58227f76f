#include <string.h>

#include "core/mem.h"
#include "runner/gate/scan_parts.h"

#define USER_MOST 128
#define PASSWORD_MOST 256
/* Three segments of a JSON Web Token, "eyJ" in the first counted. */
static const size_t jwt_least[] = { 0, 13, 10, 6 };

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
		|| c == '_';
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static void report(struct scan_walk *walk, enum scan_rule rule, size_t line)
{
	const struct scan_rule_row *row = &scan_rules[rule];
	struct scan_result *out = walk->out;

	if (walk->last_line[rule] == line
		|| ((row->needs & SCAN_PHRASE) && walk->last_phrase == line))
		return;
	walk->last_line[rule] = line;
	if (row->needs & SCAN_PHRASE)
		walk->last_phrase = line;
	if (out->count == SCAN_FINDINGS) {
		out->more++;
		return;
	}
	out->findings[out->count++] = (struct scan_finding){ row->category, row->id, row->message,
		row->severity, line };
}

/* What stands for a value without being one: "${NAME}", "{{ name }}", "<name>"; and what follows
 * the end of a string: prompt='Password: ', */
static bool is_reference(const char *value)
{
	static const char *const starts[] = { "${", "$(", "{{", "#{", "%(" };

	for (size_t i = 0; i < AT_LEN(starts); i++)
		if (strncmp(value, starts[i], strlen(starts[i])) == 0)
			return true;
	return is_one_of(value[0], ",);") || (value[0] == '<' && is_word(value[1]));
}

static bool is_path(const char *value)
{
	return is_one_of(value[0], "/~.$") || (value[1] == ':' && is_one_of(value[2], "\\/"));
}

/* user:password@, of which neither part holds a slash: so what was looked at for one address is
 * not looked at again for the next. */
static bool has_userinfo(const char *at)
{
	const char *password = at;

	while (password - at < USER_MOST && *password && !is_one_of(*password, " \n/:@\"'<>`\x7f"))
		password++;
	if (*password++ != ':' || is_one_of(*password, "${<%*@"))
		return false;
	at = password;
	while (at - password < PASSWORD_MOST && *at && !is_one_of(*at, " \n/@\"'<>`\x7f"))
		at++;
	return *at == '@';
}

/* The "user:password@host" of a manual, at the start of a web address. */
static bool is_example(const char *at)
{
	static const char *const shown[] = { "user:pass@", "user:password@", "username:password@" };

	for (size_t i = 0; i < AT_LEN(shown); i++)
		if (strncmp(at, shown[i], strlen(shown[i])) == 0)
			return true;
	return false;
}

/* A path begins here, and is none of a URL or below a folder: "host/home/page". After the letter
 * of an option it does: "-I/home/NAME". */
static bool begins_path(const struct scan_walk *walk)
{
	char before = walk->before[0];

	if (walk->in_url)
		return false;
	if (is_word(before))
		return walk->before[1] == '-';
	return !is_one_of(before, ".~-$})%");
}

/* The folders beside those of the users. */
static bool is_common(const char *at, size_t len)
{
	static const char *const names[] = { "Shared", "Public" };

	for (size_t i = 0; i < AT_LEN(names); i++) {
		size_t size = strlen(names[i]);

		/* The match ends after two letters of the name. */
		if (strncmp(at + len - 2, names[i], size) == 0
			&& !is_word(at[len - 2 + size]) && !is_one_of(at[len - 2 + size], ".-"))
			return true;
	}
	return false;
}

static bool holds(const struct scan_walk *walk, enum scan_rule rule, const char *at, size_t len)
{
	unsigned needs = scan_rules[rule].needs;

	if ((needs & SCAN_WORD_START) && is_word(walk->before[0]))
		return false;
	if ((needs & SCAN_LITERAL) && is_reference(at + len - 4))
		return false;
	if ((needs & SCAN_NO_PATH) && is_path(at + len - 4))
		return false;
	if ((needs & SCAN_USERINFO) && !has_userinfo(at + len))
		return false;
	if ((needs & SCAN_PATH_START) && !begins_path(walk))
		return false;
	if ((needs & SCAN_NAME) && is_common(at, len))
		return false;
	if ((needs & SCAN_NOT_IN_FRONT) && walk->line <= walk->front)
		return false;
	/* "${NAME}" is a variable of a shell, "$ENV{NAME}" an index. */
	return !((needs & SCAN_PROSE)
		&& (walk->no_prose || walk->before[0] == '$' || is_word(walk->before[0])));
}

/* Inside a code span that may excuse it a match is held until the span is closed, or the line
 * ends without that. */
static void report_or_hold(struct scan_walk *walk, enum scan_rule rule)
{
	unsigned needs = scan_rules[rule].needs;
	bool excused = (needs & SCAN_PROSE) || ((needs & SCAN_PHRASE) && walk->quotes_phrases);

	if (walk->in_span && excused)
		walk->held[rule] = walk->line;
	else
		report(walk, rule, walk->line);
}

/* A token that is open, or begins before the match is over, is no second finding. */
static void cover(struct scan_walk *walk, size_t len)
{
	if (walk->place + len > walk->covered)
		walk->covered = walk->place + len;
	walk->wide.covered |= walk->wide.len > 0;
	walk->narrow.covered |= walk->narrow.len > 0;
}

static void see_finding(struct scan_walk *walk, enum scan_rule rule, const char *at, size_t len)
{
	if (!holds(walk, rule, at, len))
		return;
	report_or_hold(walk, rule);
	cover(walk, len);
}

static void see(struct scan_walk *walk, enum scan_rule rule, const char *at, size_t len)
{
	switch ((int)rule) {
	case SCAN_NOTHING:
		return;
	case SCAN_URL:
		walk->in_url = true;
		if (has_userinfo(at + len) && !is_example(at + len))
			report(walk, SCAN_CONNECTION, walk->line);
		return;
	case SCAN_PUBLIC:
		walk->digest_word = true;
		cover(walk, len + 1);
		return;
	case SCAN_SECRET_WORD:
		walk->secret_word |= !is_word(walk->before[0]) && !is_word(at[len]);
		return;
	case SCAN_DIGEST_WORD:
		walk->digest_word = true;
		return;
	case SCAN_COMMENT:
		walk->no_prose = true;
		return;
	case SCAN_FENCE:
		walk->no_prose |= walk->line_start;
		return;
	case SCAN_PASSWORD:
	case SCAN_BEARER:
		walk->secret_word |= !is_word(walk->before[0]);
		break;
	default:
		break;
	}
	see_finding(walk, rule, at, len);
}

static void see_phrase(struct scan_walk *walk, enum scan_rule rule, const char *at, size_t len)
{
	size_t breaks = 0;

	if (rule == SCAN_NOTHING || !holds(walk, rule, at, len))
		return;
	for (size_t i = 0; i < len && rule != SCAN_IDENTITY; i++)
		breaks += at[i] == '\n';
	if (breaks == 0)
		report_or_hold(walk, rule);
	else if (breaks == 1)
		report(walk, SCAN_SPLIT, walk->line + 1);
}

/* The run that ends before `at`, where the walk stands. */
static void end_run(struct scan_walk *walk, struct scan_run *run, const char *at)
{
	bool wide = run == &walk->wide;
	enum scan_token_kind kind = SCAN_TOKEN_DULL;

	if (!run->covered && run->len >= SCAN_TOKEN_LEAST) {
		if (walk->token_end != walk->place || walk->token.len != run->len) {
			scan_token_read(&walk->token, at - run->len, run->len);
			walk->token_end = walk->place;
			walk->work += run->len;
		}
		kind = scan_token_judge(&walk->token, wide);
	}
	if (wide) {
		walk->saw_wide_hex |= kind == SCAN_TOKEN_HEX;
		walk->saw_wide |= kind == SCAN_TOKEN_SOME || kind == SCAN_TOKEN_HIGH;
	} else {
		walk->saw_high |= kind == SCAN_TOKEN_HIGH;
		walk->saw_some |= kind == SCAN_TOKEN_SOME;
	}
	*run = (struct scan_run){ 0 };
}

static void step_run(struct scan_walk *walk, struct scan_run *run, const char *at, bool takes)
{
	bool covered = run->covered;

	if (!takes) {
		if (run->len)
			end_run(walk, run, at);
		return;
	}
	if (run->len == SCAN_TOKEN_MOST) {
		end_run(walk, run, at);
		run->covered = covered;
	}
	if (!run->len)
		run->covered |= walk->in_url || walk->place < walk->covered;
	run->len++;
}

static void step_jwt(struct scan_walk *walk, const char *at)
{
	if (is_word(*at) || *at == '-') {
		walk->jwt_len++;
		if (walk->jwt == 3 && walk->jwt_len == jwt_least[3])
			report(walk, SCAN_JWT, walk->line);
		return;
	}
	if (*at == '.' && walk->jwt < 3 && walk->jwt_len >= jwt_least[walk->jwt])
		walk->jwt++;
	else
		walk->jwt = 0;
	walk->jwt_len = 0;
}

static void step_span(struct scan_walk *walk)
{
	if (walk->no_prose || (!walk->in_span && walk->before[0] == '\\'))
		return;
	walk->in_span = !walk->in_span;
	if (!walk->in_span)
		memset(walk->held, 0, sizeof(walk->held));
}

/* What the line's words make of the tokens that no pattern knows. */
static void report_tokens(struct scan_walk *walk)
{
	bool hex = walk->saw_wide_hex && !walk->digest_word;

	/* The segments of a web token are random too. */
	if (walk->last_line[SCAN_JWT] == walk->line)
		return;
	if (walk->secret_word && (walk->saw_wide || hex))
		report(walk, SCAN_SECRET_LIKE, walk->line);
	else if (walk->saw_high)
		report(walk, SCAN_ENTROPY, walk->line);
	else if (walk->saw_some)
		report(walk, SCAN_ENTROPY_SOME, walk->line);
}

static void end_line(struct scan_walk *walk)
{
	for (size_t i = 0; i < SCAN_RULES && walk->in_span; i++)
		if (walk->held[i] == walk->line)
			report(walk, (enum scan_rule)i, walk->line);
	report_tokens(walk);
	walk->line++;
	walk->in_url = walk->in_span = walk->no_prose = false;
	walk->secret_word = walk->digest_word = false;
	walk->saw_wide = walk->saw_wide_hex = walk->saw_high = walk->saw_some = false;
	walk->jwt = 0;
	walk->line_start = true;
}

void scan_walk_start(struct scan_walk *walk, struct scan_result *out, bool quotes_phrases)
{
	memset(walk, 0, sizeof(*walk));
	walk->out = out;
	walk->quotes_phrases = quotes_phrases;
	walk->line = 1;
	walk->line_start = true;
}

/* What the lexers know to begin at a place. */
struct sight {
	enum scan_rule rule, phrase;
	size_t len, phrase_len;
};

/* Two characters that nothing known begins with. The lexers tell it by where they stop, so each
 * pair is tried once: a property of the patterns alone, nothing of a text is kept. Most places of
 * any text are settled by it. */
static unsigned char hopeless[128][128];

static bool is_hopeless(const char *at)
{
	return hopeless[at[0] & 0x7f][at[1] & 0x7f];
}

static bool starts_jwt(const char *at)
{
	return at[0] == 'e' && at[1] == 'y' && at[2] == 'J';
}

/* What is known begins here; else nothing of the walk changes but what is learned. */
static bool match(struct scan_walk *walk, const char *at, struct sight *sight)
{
	size_t before = walk->work;

	sight->rule = scan_match(at, &sight->len, &walk->work);
	sight->phrase = scan_match_phrase(at, &sight->phrase_len, &walk->work);
	if (walk->work - before == 2 && !(at[0] == 'e' && at[1] == 'y')) /* took no second one */
		hopeless[at[0] & 0x7f][at[1] & 0x7f] = true;
	return sight->rule != SCAN_NOTHING || sight->phrase != SCAN_NOTHING || starts_jwt(at);
}

static void see_all(struct scan_walk *walk, const char *at)
{
	struct sight sight;

	if (!match(walk, at, &sight))
		return;
	see(walk, sight.rule, at, sight.len);
	see_phrase(walk, sight.phrase, at, sight.phrase_len);
	if (!walk->jwt && starts_jwt(at)) {
		walk->jwt = 1;
		walk->jwt_len = 0;
	}
}

void scan_walk_step(struct scan_walk *walk, const char *at)
{
	unsigned class = scan_classes[*at & 0x7f];

	if (!is_hopeless(at))
		see_all(walk, at);
	if (walk->in_url && is_one_of(*at, " \"'<>`?#\x7f"))
		walk->in_url = false;
	if (walk->jwt)
		step_jwt(walk, at);
	step_run(walk, &walk->wide, at, class != 0);
	step_run(walk, &walk->narrow, at, (class & (SCAN_ALNUM | SCAN_SIGN)) != 0);
	if (*at == '`')
		step_span(walk);
	walk->line_start &= *at == ' ';
	walk->place++;
	walk->before[1] = walk->before[0];
	walk->before[0] = *at;
	if (*at == '\n')
		end_line(walk);
}

size_t scan_walk_skip(struct scan_walk *walk, const char *at, size_t most)
{
	size_t longer = walk->wide.len > walk->narrow.len ? walk->wide.len : walk->narrow.len;
	struct sight sight;
	size_t n = 0;

	/* A letter opens, cuts, or counts for a web token in scan_walk_step() alone. */
	if (!walk->wide.len || !walk->narrow.len || walk->jwt)
		return 0;
	if (most > SCAN_TOKEN_MOST - longer)
		most = SCAN_TOKEN_MOST - longer;
	while (n < most && (scan_classes[at[n] & 0x7f] & SCAN_ALNUM)
		&& (is_hopeless(at + n) || !match(walk, at + n, &sight)))
		n++;
	if (!n)
		return 0;
	walk->wide.len += n;
	walk->narrow.len += n;
	walk->place += n;
	walk->before[1] = n > 1 ? at[n - 2] : walk->before[0];
	walk->before[0] = at[n - 1];
	return n;
}
