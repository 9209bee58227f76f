/* openssl.h - the openssl program, for tests that hold our keys against its. */
#ifndef AT_TEST_OPENSSL_H
#define AT_TEST_OPENSSL_H

#include <stdbool.h>

#include "core/bytes.h"

/* Runs `sh -c` with the formatted line in `dir`, its messages unheard; true for status 0. */
bool run_shell(const char *dir, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False, after one printed line, where the program is not installed. */
bool have_openssl(void);

/* Secret memory with these bytes; fails the test without it. */
struct at_secret;
void secret_of(struct at_secret *out, struct at_bytes bytes);

#endif
