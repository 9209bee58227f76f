/* socket.h - the operator's way to a runner in another process: a socket in the state directory,
 * which lies outside the project and is 0700. (STG-4)
 *
 * One request a connection, its end shut for writing; one result comes back. Nobody but the same
 * user is listened to.
 */
#ifndef AT_SERVE_SOCKET_H
#define AT_SERVE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"

#define AT_SOCKET_NAME "runner.sock"

/* A connected, or with `listens` a listening, socket by that name in the directory `state`; -1 with
 * errno. */
int at_socket_make(int state, bool listens);
/* Reads to the other's end, at most `most` bytes and `ms` milliseconds. */
bool at_socket_read(struct at_buf *out, int fd, size_t most, int ms);
bool at_socket_write(int fd, struct at_bytes bytes, int ms);

#endif
