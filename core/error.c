#include "core/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void clear(struct at_error *err, enum at_code code)
{
	memset(err, 0, sizeof(*err));
	err->code = code;
}

bool at_fail(struct at_error *err, enum at_code code, const char *format, ...)
{
	va_list ap;

	if (!err)
		return false;
	clear(err, code);
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
	return false;
}

static enum at_code code_of(int sys)
{
	switch (sys) {
	case ENOENT:
	case ENOTDIR:
		return AT_ENOENT;
	case EEXIST:
		return AT_EEXIST;
	case ELOOP:
		return AT_EUNSAFE;
	default:
		return AT_EIO;
	}
}

bool at_fail_sys(struct at_error *err, int sys, const char *format, ...)
{
	va_list ap;
	size_t used;

	if (!err)
		return false;
	clear(err, code_of(sys));
	err->sys = sys;
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", strerror(sys));
	return false;
}

void at_error_at(struct at_error *err, unsigned line, unsigned column)
{
	if (!err)
		return;
	err->line = line;
	err->column = column;
}

void at_error_name(struct at_error *err, const char *id)
{
	if (err)
		snprintf(err->id, sizeof(err->id), "%s", id);
}

void at_error_path(struct at_error *err, const char *path)
{
	if (err)
		snprintf(err->path, sizeof(err->path), "%s", path);
}

void at_error_field(struct at_error *err, const char *name)
{
	if (err)
		snprintf(err->field, sizeof(err->field), "%s", name);
}

void at_error_hint(struct at_error *err, const char *format, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, format);
	vsnprintf(err->hint, sizeof(err->hint), format, ap);
	va_end(ap);
}

int at_exit_status(enum at_code code)
{
	switch (code) {
	case AT_OK:
		return 0;
	case AT_EDENIED:
	case AT_EUSAGE:
		return 2;
	default:
		return 1;
	}
}
