/* probe_net.h - the sockets that several groups of the probe try. They never wait longer than
 * a third of a second. */
#ifndef AT_PROBE_NET_H
#define AT_PROBE_NET_H

#include "runner/selftest/probe_util.h"

/* A listener of its own on 127.0.0.1, and a connection to it; errno when it fails. */
bool own_listener(void);
/* The same on a pathname socket of the workspace. */
bool own_socket(const char *name);
/* Connects to a pathname socket of any length of name and says what it answers. */
void try_unix(struct trial *t, const char *path);
/* Reads what a connected socket answers: got:, or worked without a word. */
void say_answer(struct trial *t, const char *variant, int fd);

#endif
