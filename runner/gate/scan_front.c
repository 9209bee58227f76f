#include "runner/gate/scan_parts.h"

/* What one line of front matter looks like so far. */
struct front_line {
	size_t len, dashes, dots;
	char first, last;
	bool key_over; /* the colon of a key stood, or the line cannot have one */
	bool is_yaml;
};

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
		|| c == '_' || c == '-' || c == '.' || c == '"' || c == '\'';
}

/* A key with its colon, an item, a comment, a bracket or the indented rest of a value: what only
 * stands between two rules of dashes is no front matter. */
static void add_char(struct front_line *line, char c)
{
	if (!line->len)
		line->first = c;
	if (line->len == 0 && (c == ' ' || c == '#' || c == ']' || c == '}'))
		line->is_yaml = line->key_over = true;
	if (line->len == 1 && line->first == '-' && c == ' ')
		line->is_yaml = line->key_over = true;
	if (!line->key_over && line->last == ':')
		line->is_yaml = c == ' ';
	if (line->last == ':')
		line->key_over = true;
	if (!line->key_over && c != ':' && !is_key(c))
		line->key_over = true;
	line->dashes += c == '-';
	line->dots += c == '.';
	line->last = c;
	line->len++;
}

static bool is_rule(const struct front_line *line, size_t marks)
{
	size_t len = line->len - (line->len && line->last == ' ');

	return len == 3 && marks == 3;
}

static bool is_yaml_line(const struct front_line *line)
{
	return !line->len || line->is_yaml || (!line->key_over && line->last == ':');
}

static bool read_line(struct scan_fold *fold, struct front_line *line)
{
	int c;

	*line = (struct front_line){ 0 };
	while ((c = scan_fold_next(fold)) != SCAN_END && c != '\n')
		add_char(line, (char)c);
	return c == '\n' || line->len;
}

size_t scan_front_matter(struct at_bytes text)
{
	struct scan_fold fold = { .at = text.data, .end = text.data + text.len };
	struct front_line line;

	/* Cheap for every other text: the first line of one is not read to its end. */
	if (scan_fold_next(&fold) != '-' || scan_fold_next(&fold) != '-'
		|| scan_fold_next(&fold) != '-' || !read_line(&fold, &line)
		|| line.len > (line.last == ' '))
		return 0;
	for (size_t number = 2; read_line(&fold, &line); number++) {
		if (is_rule(&line, line.dashes) || is_rule(&line, line.dots))
			return number;
		if (!is_yaml_line(&line))
			return 0;
	}
	return 0;
}
