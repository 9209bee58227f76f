/* read_file, list_dir and stat. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/utf8.h"
#include "runner/readfs/deny.h"
#include "runner/readfs/tools.h"
#include "runner/readfs/walk.h"

/* Up to `want` bytes at `offset`. */
static bool read_at(struct at_buf *out, int fd, off_t offset, size_t want)
{
	at_buf_reserve(out, want + 1);
	while (out->len < want) {
		ssize_t got =
			pread(fd, out->data + out->len, want - out->len, offset + (off_t)out->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (got == 0)
			break;
		out->len += (size_t)got;
	}
	out->data[out->len] = '\0';
	return true;
}

/* A character that was cut at the end is left to the next piece. */
static bool trim_to_text(struct at_buf *text, bool more)
{
	size_t bad;

	if (at_utf8_is_valid(at_buf_bytes(text), &bad))
		return true;
	if (!more || text->len - bad > 3 || !bad)
		return false;
	text->len = bad;
	text->data[bad] = '\0';
	return true;
}

static void read_piece(struct at_readfs_result *out, int fd, long long offset, size_t want)
{
	struct stat st;
	bool more;

	if (fstat(fd, &st) != 0 || !read_at(&out->text, fd, (off_t)offset, want)) {
		at_readfs_refuse(out, "The file cannot be read.");
		return;
	}
	more = (long long)st.st_size > offset + (long long)out->text.len;
	if ((out->text.len && memchr(out->text.data, '\0', out->text.len))
		|| !trim_to_text(&out->text, more)) {
		at_readfs_refuse(out, "The file is no UTF-8 text%s.",
			offset ? ", or the offset is within a character" : "");
		return;
	}
	if (more)
		at_buf_printf(&out->note,
			"Cut: bytes %lld to %lld of %lld. Go on with offset %lld.", offset,
			offset + (long long)out->text.len, (long long)st.st_size,
			offset + (long long)out->text.len);
}

static bool find(struct at_readfs_node *node, struct at_readfs_result *out,
	const struct at_readfs_root *root, const struct at_readfs_args *args)
{
	struct at_error err;

	if (at_readfs_find(node, root, args->path, &err))
		return true;
	at_readfs_refuse(out, "Refused: %s.", err.message);
	return false;
}

void at_readfs_read_file(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args)
{
	size_t want = AT_READFS_READ_CAP;
	struct at_readfs_node node;
	int fd;

	if (args->length >= 0 && (unsigned long long)args->length < want)
		want = (size_t)args->length;
	if (!find(&node, out, root, args))
		return;
	fd = at_readfs_open(&node, 0);
	if (fd >= 0)
		read_piece(out, fd, args->offset < 0 ? 0 : args->offset, want);
	else if (errno == EINVAL)
		at_readfs_refuse(out, "Refused: the path is no regular file, but a %s.",
			at_readfs_kind(node.st.st_mode));
	else
		at_readfs_refuse(out, "The file cannot be opened: %s.", strerror(errno));
	if (fd >= 0)
		close(fd);
	at_readfs_node_close(&node);
}

static void put_entry(struct at_readfs_result *out, int dir, const char *name)
{
	struct at_readfs_node node;

	if (!at_readfs_look(&node, dir, name))
		return;
	at_buf_printf(&out->text, "%-9s %12lld  ", at_readfs_kind(node.st.st_mode),
		S_ISREG(node.st.st_mode) ? (long long)node.st.st_size : 0LL);
	at_readfs_put_name(&out->text, name);
	at_buf_putc(&out->text, '\n');
	at_readfs_node_close(&node);
}

static void list(struct at_readfs_result *out, int dir)
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool cut = false, full = false;
	unsigned denied = 0;
	char **names = NULL;
	size_t count = again < 0 ? 0 : at_readfs_names(&names, again, AT_READFS_LIST, &cut);

	for (size_t i = 0; i < count; i++) {
		full |= out->text.len > AT_READFS_TEXT_CAP;
		if (at_readfs_is_denied(names[i]))
			denied++;
		else if (!full)
			put_entry(out, dir, names[i]);
		free(names[i]);
	}
	free(names);
	if (cut || full)
		at_buf_puts(&out->note, "Cut: the directory has more entries. ");
	if (denied)
		at_buf_printf(
			&out->note, "Not shown: %u on the list of what is never read.", denied);
}

void at_readfs_list_dir(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args)
{
	struct at_readfs_node node;
	int dir;

	if (!find(&node, out, root, args))
		return;
	dir = at_readfs_open(&node, O_DIRECTORY);
	if (dir >= 0)
		list(out, dir);
	else if (errno == EINVAL)
		at_readfs_refuse(out, "Refused: the path is no directory, but a %s.",
			at_readfs_kind(node.st.st_mode));
	else
		at_readfs_refuse(out, "The directory cannot be opened: %s.", strerror(errno));
	if (dir >= 0)
		close(dir);
	at_readfs_node_close(&node);
}

void at_readfs_stat(struct at_readfs_result *out, const struct at_readfs_root *root,
	const struct at_readfs_args *args)
{
	struct at_readfs_node node;
	char when[32] = "?";
	struct tm tm;

	if (!find(&node, out, root, args))
		return;
	if (gmtime_r(&node.st.st_mtime, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	at_buf_puts(&out->text, "path      ");
	at_readfs_put_name(&out->text, node.path);
	at_buf_printf(&out->text, "\nkind      %s\nsize      %lld\nmode      %04o\nmodified  %s\n",
		at_readfs_kind(node.st.st_mode), (long long)node.st.st_size,
		(unsigned)node.st.st_mode & 07777, when);
	at_readfs_node_close(&node);
}
