/* harden.h - what the verbs of agentteams-harden share.
 *
 * The program stands between the launcher, bwrap and the command: it sets up what a shell
 * cannot, and becomes what it was asked to start. It knows libc, libseccomp and core/error, so
 * that it links statically and starts in a millisecond. (LAU-9)
 */
#ifndef AT_HARDEN_H
#define AT_HARDEN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

#define AT_LENGTH(table) (sizeof(table) / sizeof((table)[0]))

/* A verb gets the words after its name and returns the exit status. */
int at_harden_layers(int argc, char **argv);
int at_harden_close(int argc, char **argv);
int at_harden_start(int argc, char **argv);
int at_harden_inside(int argc, char **argv);
int at_harden_report(int argc, char **argv);

/* One line on standard error, behind the program's name. What is not plain ASCII, of a path or
 * a word of the caller's, becomes '?': it may be going to a terminal. */
void at_harden_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong and returns 2: nothing was run. */
int at_harden_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int at_harden_refuse(const struct at_error *err);

/* Becomes the command, found in PATH as a shell does; returns only when it cannot: 127 when it
 * is not there, 126 when it cannot be started. */
int at_harden_become(char **command);

/* A fresh session keyring without a name, so that the caller's keys are out of reach (F8). */
bool at_harden_keyring(struct at_error *err);

#endif
