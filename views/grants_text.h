/* grants_text.h - the words for grants and their ledger, for screens, lines and JSON alike.
 *
 * Texts may quote what stands in the ledger: whoever shows one passes it through core/safetext.
 */
#ifndef AT_GRANTS_TEXT_H
#define AT_GRANTS_TEXT_H

#include "core/json_write.h"
#include "views/grants_list.h"

/* Whether rows count: "3 grants, all valid; 1 widens this team", "CHAIN BROKEN …". Appended. */
void at_grants_summary(struct at_buf *out, const struct at_grants_list *list);
/* True while the ledger itself is fit: not read yet, absent or good. */
bool at_grants_are_fit(const struct at_grants_list *list);

/* "valid", "expired", "unsigned" …: one word for a list. */
const char *at_grant_line_word(const struct at_grants_list *list, const struct at_grant_line *line);

/* A row of the list without its mark: days left, target, operations, holder. Appended. */
void at_grant_line_text(struct at_buf *out, const struct at_grants_list *list, size_t i);

/* The checklist and all fields of one row, several lines. Appended. */
void at_grant_detail(struct at_buf *out, const struct at_grants_list *list, size_t i,
	const struct at_grant_shown *shown);

/* The whole report: members ledger, grants, notes. */
void at_grants_to_json(struct at_json_value *out, const struct at_grants_list *list);
void at_grants_print(struct at_buf *out, const struct at_grants_list *list);

#endif
