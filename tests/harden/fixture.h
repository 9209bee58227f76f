/* fixture.h - runs the program and its probe for real, as root and as a plain user.
 *
 * Everything lies in one directory below /var/tmp, since a sandbox has a /tmp of its own and a
 * write there would prove nothing. Scripts see $H (the program), $P (the probe), $D (the
 * directory), $V (bwrap with a /proc and a /dev of its own) and $L (the launcher).
 */
#ifndef HARDEN_FIXTURE_H
#define HARDEN_FIXTURE_H

#include <stdbool.h>

#include "core/child.h"

enum who { CALLER, PLAIN, WHO_COUNT };
#define PLAIN_UID 4243 /* who PLAIN is when the caller is root; else the caller */

int harden_setup(void **state);
int harden_teardown(void **state);

/* The directory. */
const char *harden_dir(void);

/* Runs a script of sh in it; fails the test when it took too long. */
struct at_child_end harden_sh(enum who who, const char *script);

/* The same, and fails unless it ends with `status`; the texts are good until the next call. */
const char *harden_out(enum who who, int status, const char *script);
const char *harden_err(void);

/* The result the probe printed for an act, or fails. Good until the next call. */
const char *harden_result(const char *out, const char *act);

/* Skip the test, with the reason, where bwrap cannot make a sandbox or a layer is missing. */
void harden_need_bwrap(enum who who);
void harden_need_layer(const char *name);

#endif
