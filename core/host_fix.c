#include "core/host_fix.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

static const struct {
	const char *family, *command;
	const char *ids[12]; /* of ID and ID_LIKE */
} families[] = {
	{ "debian", "apt-get install -y",
		{ "debian", "ubuntu", "linuxmint", "pop", "raspbian", "kali", "devuan" } },
	{ "fedora", "dnf install -y",
		{ "fedora", "rhel", "centos", "rocky", "almalinux", "amzn", "ol", "azurelinux" } },
	{ "arch", "pacman -S --needed",
		{ "arch", "archlinux", "manjaro", "endeavouros", "artix" } },
	{ "suse", "zypper install -y",
		{ "suse", "opensuse", "sles", "opensuse-leap", "opensuse-tumbleweed", "sled" } },
	{ "alpine", "apk add", { "alpine", "postmarketos" } },
};

/* KEY=value or KEY="value" on a line of its own; without what a shell would undo further. */
static bool value_of(char *out, size_t size, const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const char *value = text + len + 1;
		size_t end;

		if (strncmp(text, key, len) != 0 || text[len] != '=')
			continue;
		if (*value == '"' || *value == '\'') {
			char quotes[3] = { *value, '\n', '\0' };

			end = strcspn(++value, quotes);
		} else {
			end = strcspn(value, "\n");
		}
		snprintf(out, size, "%.*s", (int)(end < size ? end : size - 1), value);
		return true;
	}
	return false;
}

static const char *family_of(const char *word, size_t len)
{
	for (size_t i = 0; i < AT_LEN(families); i++)
		for (const char *const *id = families[i].ids; *id; id++)
			if (strlen(*id) == len && memcmp(*id, word, len) == 0)
				return families[i].family;
	return NULL;
}

void at_host_family(
	char *family, size_t family_size, char *name, size_t name_size, const char *os_release)
{
	static const char *const keys[] = { "ID", "ID_LIKE" };
	char words[128];

	*family = *name = '\0';
	value_of(name, name_size, os_release, "PRETTY_NAME");
	for (size_t i = 0; i < AT_LEN(keys) && !*family; i++) {
		if (!value_of(words, sizeof(words), os_release, keys[i]))
			continue;
		for (const char *p = words; *p && !*family;) {
			size_t len = strcspn(p, " ");
			const char *found = family_of(p, len);

			if (found)
				snprintf(family, family_size, "%s", found);
			p += len;
			p += strspn(p, " ");
		}
	}
}

void at_host_install(struct at_buf *out, const char *family, const char *package, bool as_root)
{
	for (size_t i = 0; i < AT_LEN(families); i++)
		if (strcmp(families[i].family, family) == 0)
			at_buf_printf(out, "%s%s %s", as_root ? "" : "sudo ", families[i].command,
				package);
}
