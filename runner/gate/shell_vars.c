/* Variables, as far as the text sets them; changes are kept so that they can be taken back. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

/* The shell sets these itself: whatever a text assigns, what they hold is not known. */
static const char *const volatile_names[] = { "_", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "PWD",
	"OLDPWD", "REPLY", "MAPFILE", "OPTARG", "OPTIND", "COPROC", "PIPESTATUS", "BASH_REMATCH",
	"BASHPID", "BASH_COMMAND", "BASH_SUBSHELL", "FUNCNAME", "BASH_SOURCE", "BASH_LINENO",
	"DIRSTACK", "GROUPS", "UID", "EUID", "PPID", "HISTCMD", "EPOCHSECONDS", "EPOCHREALTIME" };

static bool is_volatile(struct at_bytes name)
{
	for (size_t i = 0; i < AT_LEN(volatile_names); i++)
		if (at_bytes_equal_text(name, volatile_names[i]))
			return true;
	return false;
}

unsigned sh_hash(struct at_bytes name)
{
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
	return hash % SH_BUCKETS;
}

struct sh_var *sh_var(struct sh *sh, struct at_bytes name, bool make)
{
	unsigned hash = sh_hash(name);
	struct sh_var *var;

	for (var = sh->vars[hash]; var; var = var->next) {
		sh_charge(sh, 1);
		if (at_bytes_equal(var->name, name))
			return var;
	}
	if (!make)
		return NULL;
	var = at_arena_alloc(sh->arena, sizeof(*var));
	var->name = sh_keep(sh, name);
	var->is_volatile = is_volatile(name);
	var->value = (struct sh_value){ .state = SH_UNKNOWN, .text = sh_unknown };
	if (at_bytes_equal_text(name, "IFS"))
		var->value = (struct sh_value){ .state = SH_KNOWN, .text = at_bytes_of(" \t\n") };
	var->next = sh->vars[hash];
	sh->vars[hash] = var;
	return var;
}

static struct sh_value current(const struct sh *sh, const struct sh_var *var)
{
	if (var->value.gen >= sh->forgot)
		return var->value;
	return (struct sh_value){ .state = SH_UNKNOWN, .text = sh_unknown };
}

struct sh_value sh_get(struct sh *sh, struct at_bytes name)
{
	const struct sh_var *var = sh_var(sh, name, at_bytes_equal_text(name, "IFS"));

	if (!var)
		return (struct sh_value){ .state = SH_UNKNOWN, .text = sh_unknown };
	return current(sh, var);
}

static bool is_same(struct sh *sh, const struct sh_value *a, const struct sh_value *b)
{
	sh_charge(sh, a->text.len + a->count);
	if (a->state != b->state || a->count != b->count || a->gen < sh->forgot
		|| b->gen < sh->forgot)
		return false;
	if (a->state == SH_LIST)
		return a->items == b->items;
	return a->state != SH_KNOWN || at_bytes_equal(a->text, b->text);
}

static void change(struct sh *sh, struct sh_var *var, struct sh_value value)
{
	sh->changes = at_grow(sh->changes, &sh->change_cap, sh->change_count, sizeof(*sh->changes));
	sh->changes[sh->change_count++] = (struct sh_change){ var, var->value };
	var->value = value;
}

void sh_set(struct sh *sh, struct at_bytes name, struct sh_value value)
{
	struct sh_var *var = sh_var(sh, name, true);
	struct sh_value old = current(sh, var);

	value.gen = sh->forgot;
	/* What may not be reached, or be refused, leaves either value. */
	if (var->is_volatile || ((sh->maybe || var->is_fixed) && !is_same(sh, &old, &value)))
		value = (struct sh_value){
			.state = SH_UNKNOWN, .text = sh_unknown, .gen = sh->forgot
		};
	change(sh, var, value);
}

void sh_set_text(struct sh *sh, struct at_bytes name, struct at_bytes text)
{
	sh_set(sh, name, (struct sh_value){ .state = SH_KNOWN, .text = text });
}

void sh_set_unknown(struct sh *sh, struct at_bytes name)
{
	sh_set(sh, name, (struct sh_value){ .state = SH_UNKNOWN, .text = sh_unknown });
}

void sh_forget(struct sh *sh)
{
	sh->forgot = ++sh->last_gen;
	sh->args.is_known = false;
}

struct sh_mark sh_mark(const struct sh *sh)
{
	return (struct sh_mark){ sh->change_count, sh->forgot, sh->args };
}

void sh_undo(struct sh *sh, struct sh_mark mark)
{
	while (sh->change_count > mark.changes) {
		const struct sh_change *last = &sh->changes[--sh->change_count];

		last->var->value = last->old;
	}
	sh->forgot = mark.forgot;
	sh->args = mark.args;
}

bool sh_merge(struct sh *sh, struct sh_mark mark)
{
	struct sh_value unknown = { .state = SH_UNKNOWN, .text = sh_unknown, .gen = sh->forgot };
	size_t count = sh->change_count;
	bool changed = sh->forgot != mark.forgot;

	for (size_t i = count; i-- > mark.changes && sh_charge(sh, 1);) {
		struct sh_change was = sh->changes[i];

		if (was.var->value.state == SH_UNKNOWN || is_same(sh, &was.var->value, &was.old))
			continue;
		changed |= was.old.state != SH_UNKNOWN;
		change(sh, was.var, unknown);
	}
	if (sh->args.items != mark.args.items || sh->args.count != mark.args.count
		|| sh->args.is_known != mark.args.is_known) {
		changed |= mark.args.is_known;
		sh->args = (struct sh_args){ 0 };
	}
	return changed;
}

/* The function that began at `mark` returns: its own variables are those around it again. */
void sh_end_locals(struct sh *sh, struct sh_mark mark)
{
	struct sh_value unknown = { .state = SH_UNKNOWN, .text = sh_unknown, .gen = sh->forgot };
	size_t count = sh->change_count;

	for (size_t i = mark.changes; i < count && sh_charge(sh, 1); i++) {
		struct sh_var *var = sh->changes[i].var;

		if (!var->is_local)
			continue;
		var->is_local = false;
		change(sh, var, unknown);
	}
}
