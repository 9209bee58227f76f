#include "keys/openssl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys/secret.h"
#include "support/support.h"

bool run_shell(const char *dir, const char *format, ...)
{
	char line[4096], whole[8192];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "cd '%s' && { %s; } 2>/dev/null", dir, line);
	return system(whole) == 0;
}

bool have_openssl(void)
{
	return run_shell("/", "command -v openssl >/dev/null");
}

void secret_of(struct at_secret *out, struct at_bytes bytes)
{
	struct at_error err = { 0 };

	if (!at_secret_new(out, bytes.len, &err))
		fail_msg("%s", err.message);
	memcpy(out->bytes, bytes.data, bytes.len);
}
