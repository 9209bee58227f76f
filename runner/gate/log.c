#include "runner/gate/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/digest.h"
#include "core/file.h"
#include "core/json_text.h"
#include "runner/gate/log_place.h"

#define TAIL 65536 /* our lines are far shorter */
#define KEY_CAP 4096
#define LISTED 16 /* findings of which a line tells category and place */

static bool notice(const char *why)
{
	fprintf(stderr, "agentteams gate: the log line was not written: %s\n", why);
	return false;
}

static const char *fault_of_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return "it is no regular file";
	if (st.st_nlink != 1)
		return "the file has a second name";
	if ((st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & 022)
		return "others can write the file";
	return NULL;
}

static int open_log(const char *path, const char **why)
{
	const int flags =
		O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	const char *name;
	int dir = -1, root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (root >= 0)
		dir = at_file_open_parent(root, path + 1, &name, NULL);
	if (dir >= 0)
		fd = openat(dir, name, flags, 0600);
	*why = fd < 0 ? "it cannot be opened, or its path leads through a link" : fault_of_file(fd);
	if (dir >= 0)
		close(dir);
	if (root >= 0)
		close(root);
	if (fd >= 0 && *why) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Half a line, closed by a later writer, is no whole one. */
static bool is_whole(const char *line, size_t len)
{
	static const char begin[] = "{\"tool_use_id\":", end[] = "\"}";

	return len > sizeof(begin) + sizeof(end) && !memcmp(line, begin, sizeof(begin) - 1)
		&& !memcmp(line + len - 2, end, 2);
}

/* The digest of the last whole line; says whether the file ends inside one. */
static bool read_tail(char prev[AT_DIGEST_HEX], bool *is_torn, int fd)
{
	static char tail[TAIL];
	struct stat st;
	ssize_t got;
	size_t end;

	memset(prev, '0', AT_DIGEST_HEX - 1);
	prev[AT_DIGEST_HEX - 1] = '\0';
	*is_torn = false;
	if (fstat(fd, &st) != 0)
		return false;
	got = pread(fd, tail, TAIL, st.st_size > TAIL ? st.st_size - TAIL : 0);
	if (got < 0)
		return false;
	end = (size_t)got;
	*is_torn = end && tail[end - 1] != '\n';
	while (end && tail[end - 1] != '\n')
		end--;
	while (end) {
		size_t start = end - 1;

		while (start && tail[start - 1] != '\n')
			start--;
		if (is_whole(tail + start, end - 1 - start)) {
			struct at_digest digest =
				at_digest_of((struct at_bytes){ tail + start, end - 1 - start });

			at_digest_hex(prev, &digest);
			return true;
		}
		end = start;
	}
	return true;
}

static struct at_bytes cut(struct at_bytes text)
{
	if (text.len > GATE_LOG_TEXT)
		text.len = GATE_LOG_TEXT;
	return text;
}

static void put_text(struct at_buf *out, const char *key, struct at_bytes text)
{
	at_buf_printf(out, "%s\"%s\":", out->len ? "," : "{", key);
	at_json_text_quote(out, text, true);
}

static void put_found(struct at_buf *out, const struct scan_result *found)
{
	size_t count = !found ? 0 : found->count < LISTED ? found->count : LISTED;

	at_buf_puts(out, ",\"categories\":[");
	for (size_t i = 0; i < count; i++)
		at_buf_printf(out, "%s\"%s\"", i ? "," : "", found->findings[i].category);
	at_buf_puts(out, "],\"lines\":[");
	for (size_t i = 0; i < count; i++)
		at_buf_printf(out, "%s%zu", i ? "," : "", found->findings[i].line);
	at_buf_putc(out, ']');
}

/* An environment is read by whoever runs as the same user: a key is better in a file. */
static bool read_key(struct at_buf *out, const char *key)
{
	struct at_file file;
	int root;
	bool ok;

	if (*key != '/') {
		at_buf_puts(out, key);
		return true;
	}
	root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = root >= 0 && at_file_read(&file, root, key + 1, KEY_CAP, AT_FILE_NO_DIGEST, NULL);
	if (root >= 0)
		close(root);
	if (!ok)
		return false;
	while (file.bytes.len && strchr("\r\n", file.bytes.data[file.bytes.len - 1]))
		file.bytes.len--;
	at_buf_put(out, at_buf_text(&file.bytes), file.bytes.len);
	at_file_free(&file);
	return true;
}

static void put_hmac(struct at_buf *out, const char *key, struct at_bytes input)
{
	char hex[AT_DIGEST_HEX];
	struct at_digest digest;
	struct at_buf secret = { 0 };

	if (read_key(&secret, key) && secret.len) {
		digest = at_digest_keyed(at_buf_bytes(&secret), input);
		at_digest_hex(hex, &digest);
		put_text(out, "input_hmac", at_bytes_of(hex));
	} else {
		fputs("agentteams gate: the log's key cannot be read: no input_hmac\n", stderr);
	}
	if (secret.data)
		explicit_bzero(secret.data, secret.cap);
	at_buf_free(&secret);
}

static void compose(
	struct at_buf *out, const struct gate_log_line *line, const char *prev, const char *key)
{
	put_text(out, "tool_use_id", cut(line->id));
	put_text(out, "tool", cut(line->tool));
	put_text(out, "decision", at_bytes_of(line->decision));
	put_text(out, "reason_id", at_bytes_of(line->reason_id));
	put_found(out, line->found);
	put_text(out, "checked", at_bytes_of(line->checked));
	put_text(out, "hook_hash", at_bytes_of(line->hook_hash));
	put_text(out, "prev_sha", at_bytes_of(prev));
	if (key && *key)
		put_hmac(out, key, line->input);
	at_buf_puts(out, "}\n");
}

/* The lock is held from the look at the tail to the append. */
static bool append(int fd, const char *key, const struct gate_log_line *line)
{
	struct at_buf text = { 0 }, whole = { 0 };
	char prev[AT_DIGEST_HEX];
	bool is_torn, ok;

	while (flock(fd, LOCK_EX) != 0)
		if (errno != EINTR)
			return notice("it cannot be locked");
	if (!read_tail(prev, &is_torn, fd))
		return notice("its end cannot be read");
	compose(&text, line, prev, key);
	if (is_torn)
		at_buf_putc(&whole, '\n');
	at_buf_put(&whole, text.data, text.len);
	ok = write(fd, whole.data, whole.len) == (ssize_t)whole.len;
	at_buf_free(&text);
	at_buf_free(&whole);
	return ok || notice("the disk took only a part, or nothing");
}

bool gate_log_write(
	const char *path, const char *key, const char *project, const struct gate_log_line *line)
{
	const char *why = gate_log_place_fault(path, project);
	bool ok;
	int fd;

	if (why)
		return notice(why);
	fd = open_log(path, &why);
	if (fd < 0)
		return notice(why);
	ok = append(fd, key, line);
	close(fd);
	return ok;
}
