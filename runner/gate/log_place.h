/* log_place.h - where the gate's log may be.
 *
 * The gate asks before it writes a line, the console before it says that lines are written there.
 * It looks at names and at what they stand for, and opens nothing. (GATE-7)
 */
#ifndef AT_GATE_LOG_PLACE_H
#define AT_GATE_LOG_PLACE_H

/* Why the gate writes no line to this path, as a clause, or NULL. `project` may be "". */
const char *gate_log_place_fault(const char *path, const char *project);

#endif
