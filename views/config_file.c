/* config_file.c - where the configuration lies, and reading it safely. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/host.h"
#include "views/config.h"

static bool find(char out[PATH_MAX], const char *given, struct at_error *err)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	struct at_host host;
	int len;

	if (given)
		len = snprintf(out, PATH_MAX, "%s", given);
	else if (xdg && *xdg == '/')
		len = snprintf(out, PATH_MAX, "%s/atconsole/config", xdg);
	else if (at_host_read(&host, err))
		len = snprintf(out, PATH_MAX, "%s/.config/atconsole/config", host.home);
	else
		return false;
	if (len < PATH_MAX)
		return true;
	out[0] = '\0';
	return at_fail(
		err, AT_ELIMIT, "the path of the configuration is longer than a path may be");
}

/* Who else can write it can give keys another meaning. */
static bool is_own(const struct at_file *file, struct at_error *err)
{
	if (file->owner != getuid() && file->owner != 0) {
		at_fail(err, AT_EUNSAFE, "the configuration belongs to user %u: it is not read",
			(unsigned)file->owner);
		at_error_hint(err, "Copy it to a file of your own.");
		return false;
	}
	if (file->mode & 02) {
		at_fail(err, AT_EUNSAFE, "anybody may write the configuration: it is not read");
		at_error_hint(err, "Run chmod o-w on it.");
		return false;
	}
	return true;
}

/* At its physical place, so that links are followed once and none appears in between. */
static bool read_at(struct at_file *out, const char *path, bool must_exist, struct at_error *err)
{
	char physical[PATH_MAX], *slash;
	bool ok;
	int dir;

	memset(out, 0, sizeof(*out));
	if (!realpath(path, physical)) {
		if ((errno == ENOENT || errno == ENOTDIR) && !must_exist)
			return true;
		return at_fail_sys(err, errno, "the configuration cannot be read");
	}
	slash = strrchr(physical, '/');
	*slash = '\0';
	dir = at_file_open_dir(-1, *physical ? physical : "/", err);
	if (dir < 0)
		return false;
	ok = at_file_read(out, dir, slash + 1, AT_CONFIG_CAP, AT_FILE_NO_DIGEST, err);
	close(dir);
	if (ok && !is_own(out, err)) {
		at_file_free(out);
		return false;
	}
	return ok;
}

void at_config_read(struct at_config *out, const char *given)
{
	char path[PATH_MAX] = "";
	struct at_file file = { 0 };
	struct at_error err = { 0 };

	if (!find(path, given, &err) || !read_at(&file, path, given != NULL, &err)) {
		at_config_default(out);
		at_error_path(&err, path);
		at_config_fault(out, &err, 0);
	} else if (file.exists) {
		at_config_parse(out, path, at_buf_bytes(&file.bytes));
	} else {
		at_config_default(out);
	}
	snprintf(out->path, sizeof(out->path), "%s", path);
	at_file_free(&file);
}

void at_config_open(struct at_config *out, const struct at_options *options)
{
	if (options->no_config)
		at_config_default(out);
	else
		at_config_read(out, options->config);
}
