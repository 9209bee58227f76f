/* probe.h - the acts that the tests of the layers try, inside and outside.
 *
 * harden_probe ACT... runs each act in a child of its own and prints "ACT<tab>RESULT", where
 * RESULT is 0, the name of an errno or of a signal. An act is a call made so that it can do no
 * harm where it is let through: it fails then by its arguments, or changes the child alone.
 * It knows no layer and judges nothing.
 */
#ifndef HARDEN_PROBE_H
#define HARDEN_PROBE_H

struct harden_act {
	const char *name;
	int (*run)(void); /* 0 or an errno */
};

/* Files, sockets and attacks: what takes a word of the caller's, "ACT:WORD". */
struct harden_act_on {
	const char *name;
	int (*run)(const char *word);
};
extern const struct harden_act_on harden_acts_on[];

#endif
