/* image_program KEY [PASSPHRASE FILE]: loads the key, signs, and stops itself twice: while the
 * key is there, and once it is gone. What the tests look for in its memory. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keys/keystore.h"

static bool from_file(void *context, struct at_secret *out, const char *path, struct at_error *err)
{
	int fd = open(context, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	(void)path;
	if (!at_secret_new(out, 256, err))
		return false;
	got = read(fd, out->bytes, out->len);
	close(fd);
	out->len = got > 0 ? (size_t)got : 0;
	return got > 0;
}

int main(int argc, char **argv)
{
	const struct at_custody_place place = { 0 };
	struct at_signature signature;
	struct at_key_pair pair;
	struct at_error err = { 0 };
	bool done;

	if (argc < 2)
		return 2;
	if (!at_key_load(&pair, argv[1], &place, argc > 2 ? from_file : NULL,
		    argc > 2 ? argv[2] : NULL, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	done = at_ed25519_sign(&signature, &pair.seed, at_bytes_of("message"), &err);
	raise(SIGSTOP);
	at_key_close(&pair);
	raise(SIGSTOP);
	return done ? 0 : 1;
}
