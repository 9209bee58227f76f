/* host_fix.h - how this distribution installs programs.
 *
 * Reads the text of /etc/os-release and knows five package managers. It runs nothing.
 * (WIRE-7)
 */
#ifndef AT_HOST_FIX_H
#define AT_HOST_FIX_H

#include "core/bytes.h"

/* The first word of ID, then of ID_LIKE, that is known: "debian" (apt), "fedora" (dnf),
 * "arch" (pacman), "suse" (zypper), "alpine" (apk); "" when none is. `name`: PRETTY_NAME. */
void at_host_family(char *family, size_t family_size, char *name, size_t name_size,
	const char *os_release);

/* "sudo apt-get install -y bubblewrap"; "" for a family that is not known. `as_root`: without
 * sudo. */
void at_host_install(struct at_buf *out, const char *family, const char *package, bool as_root);

#endif
