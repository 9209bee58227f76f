#include "keys/secret.h"

#include <sodium.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* What worked on a secret leaves pieces of it on the stack below its caller: wide registers that
 * copied it are saved there whole when the loader binds the next function it calls. */
#define STACK_USED 32768u

/* Cores and tracing are off while a secret lives, and as they were before afterwards. */
static unsigned alive;
static struct rlimit core_before;
#ifdef __linux__
static int dumpable_before;
#endif

static void close_doors(void)
{
	const struct rlimit none = { 0, 0 };

	if (alive++)
		return;
	if (getrlimit(RLIMIT_CORE, &core_before) == 0) {
		struct rlimit soft = { 0, core_before.rlim_max };

		setrlimit(RLIMIT_CORE, core_before.rlim_max ? &soft : &none);
	}
#ifdef __linux__
	dumpable_before = prctl(PR_GET_DUMPABLE);
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

static void open_doors(void)
{
	if (--alive)
		return;
	setrlimit(RLIMIT_CORE, &core_before);
#ifdef __linux__
	if (dumpable_before == 1)
		prctl(PR_SET_DUMPABLE, 1);
#endif
}

void at_secret_copy(unsigned char *out, const char *bytes, size_t len)
{
	volatile unsigned char *to = out;

	for (size_t i = 0; i < len; i++)
		to[i] = (unsigned char)bytes[i];
}

bool at_secret_new(struct at_secret *out, size_t len, struct at_error *err)
{
	*out = (struct at_secret){ 0 };
	if (sodium_init() < 0)
		return at_fail(err, AT_EIO, "libsodium cannot start");
	close_doors();
	out->bytes = sodium_malloc(len ? len : 1);
	/* sodium_malloc() locks where it can and goes on where it cannot. */
	if (!out->bytes || sodium_mlock(out->bytes, len ? len : 1) != 0) {
		sodium_free(out->bytes);
		out->bytes = NULL;
		open_doors();
		at_fail(err, AT_ELIMIT, "no memory that cannot be swapped is to be had here");
		at_error_hint(err, "Raise the limit of locked memory (ulimit -l).");
		return false;
	}
	sodium_memzero(out->bytes, len ? len : 1);
	out->len = len;
	return true;
}

void at_secret_free(struct at_secret *secret)
{
	if (!secret->bytes)
		return;
	sodium_stackzero(STACK_USED);
	sodium_free(secret->bytes);
	*secret = (struct at_secret){ 0 };
	sodium_stackzero(STACK_USED);
	open_doors();
}

struct at_bytes at_secret_bytes(const struct at_secret *secret)
{
	return (struct at_bytes){ (const char *)secret->bytes, secret->len };
}
