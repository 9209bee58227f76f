/* serve.h - the loop: lines in, lines out, one child a call.
 *
 * A call runs in a child with limits of time and memory, so that it can be stopped, and so that
 * no pattern and no file can hold or end the server. It ends with its input, with whoever
 * started it, or when nobody reads its output. (WP-5)
 */
#ifndef AT_READFS_SERVE_H
#define AT_READFS_SERVE_H

#include "runner/readfs/place.h"

#define AT_READFS_CALLS 8 /* at the same time; further ones wait */
#define AT_READFS_CALL_MS 10000 /* one call */
#define AT_READFS_LINGER_MS 500 /* calls that run when the input ends */
#define AT_READFS_CALL_MEMORY ((size_t)512 << 20)

/* Serves descriptors 0 and 1 until the end. Returns the exit status. */
int at_readfs_serve(const struct at_readfs_root *root);

#endif
