/* host_impl.h - the parts of the host check's judge, shared by core/host_*.c alone.
 *
 * Items are added one by one; each file judges some of them and holds what they mean for each
 * mechanism beside it. (WIRE-7)
 */
#ifndef AT_HOST_IMPL_H
#define AT_HOST_IMPL_H

#include "core/host_check.h"

#define AT_HOST_DEPS "scripts/install-sandbox-deps.sh"
#define AT_HOST_APPARMOR "scripts/test-sandbox-apparmor-userns.sh"

#define STOPS(text) { AT_HOST_STOPS, text }
#define HIDES(text) { AT_HOST_HIDES, text }
#define WEAKENS(text) { AT_HOST_WEAKENS, text }
#define SAYS(text) { AT_HOST_FINE, text }
#define NOTHING { AT_HOST_FINE, NULL }

/* A column a mechanism: on Linux claude, the launcher, the launcher with --harden; on macOS
 * claude, the launcher, goose. */
typedef const struct at_host_meaning meanings[AT_HOST_MECHANISMS];

/* The text is formatted. What is returned is good until the next is added. */
struct at_host_item *at_host_add(struct at_host_report *r, const char *id,
	enum at_host_state state, const struct at_host_meaning *means, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
extern meanings at_host_means_nothing;

void at_host_fix(struct at_host_item *item, const char *command, const char *advice);
void at_host_fix_install(struct at_host_report *r, struct at_host_item *item,
	const char *package);
const char *at_host_sudo(const struct at_host_report *r, const char *command);
const char *at_host_why_not_run(const struct at_host_seen *seen);

/* The words of a program that failed, or how it ended. */
const char *at_host_ending(struct at_host_report *r, const struct at_try *t);

/* host_needs.c: what a sandbox cannot be without. */
void at_host_judge_needs(struct at_host_report *r);
/* host_layers.c: what makes one harder to leave, and the side doors beside it. */
void at_host_judge_layers(struct at_host_report *r);
void at_host_judge_wsl2(struct at_host_report *r);

#endif
