/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What names a machine or a person is taken out of texts before they are stored. */
#include <string.h>
#include <unistd.h>

#include "harness/base/environment.h"

typedef struct {
	const char *pattern, *replacement;
	gboolean document; /* also done in domain XML and command lines */
} Rule;

/*
 * Done in this order. Addresses keep nothing, options keep their name. A UUID of a domain says nothing of the host, and a QEMU
 * without its own would be another one: documents keep them.
 */
static const Rule rules[] = {
	/* clang-format off */
	{"(/dev/disk/by-id/|/dev/disk/by-path/)[^\\s,'\"<]+", "\\1(id)", TRUE},
	{"(/(?:home|Users)/)[^/\\s,:'\"<]+", "\\1(user)", TRUE},
	{"\\b(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}\\b", "(mac)", TRUE},
	/* Eight groups, or some with a gap; the two colons of a PCI address are neither. */
	{"(?<![0-9a-zA-Z:.])(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}(?![0-9a-zA-Z:])", "(address)", TRUE},
	{"(?<![0-9a-zA-Z:.])(?:[0-9a-fA-F]{1,4}:){1,6}(?::[0-9a-fA-F]{1,4}){1,6}(?![0-9a-zA-Z:])", "(address)", TRUE},
	{"(?<![0-9a-zA-Z:.])::(?:[0-9a-fA-F]{1,4}:){0,5}[0-9a-fA-F]{1,4}(?![0-9a-zA-Z:])", "(address)", TRUE},
	{"(?<![0-9.])(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?![0-9.])", "(address)", TRUE},
	{"\\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\\b", "(uuid)", FALSE},
	{"\\b(?:naa\\.|eui\\.|wwn-0x|t10\\.)[^\\s,]+", "(wwn)", FALSE},
	{"(?<![^\\s,])((?:systemd\\.|kernel\\.)?hostname|host|username|user|domain|credentials|password|pass|BOOTIF|ifname|netdev|serial|"
		"systemd\\.machine_id|rd\\.luks\\.name|iscsi_[a-z_]+|rd\\.iscsi\\.[a-z_]+|nfsroot|addr|clientaddr|mountaddr)=[^\\s,]+",
		"\\1=(left out)", FALSE},
	/* SERVER:/export and //server/share, as sources of network file systems. */
	{"(?<![^\\s=,])[^\\s=,:/]+@?[^\\s=,:/]*:(?=/)(?!//)", "(server):", FALSE},
	{"(?<![^\\s=,])//[^\\s/,]+/", "//(server)/", FALSE},
	/* USER@HOST, as in the build of a kernel. */
	{"\\b[A-Za-z0-9_.+-]+@[A-Za-z0-9_.-]+", "(user)@(host)", FALSE},
	/* clang-format on */
};

static gboolean telling(const char *name)
{
	static const char *const common[] = {"root", "localhost", "localhost.localdomain", "nobody", NULL};

	return name && strlen(name) > 1 && !g_strv_contains(common, name);
}

void environment_names(EnvironmentNames *ret)
{
	char host[256] = "";

	*ret = (EnvironmentNames){NULL, NULL};
	if (gethostname(host, sizeof(host) - 1) == 0 && telling(host))
		ret->host = g_strdup(host);
	if (telling(g_get_user_name()))
		ret->user = g_strdup(g_get_user_name());
}

void environment_names_clear(EnvironmentNames *names)
{
	g_clear_pointer(&names->host, g_free);
	g_clear_pointer(&names->user, g_free);
}

/* TEXT is freed, its successor returned. */
static char *replace(char *text, const char *pattern, const char *replacement)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_RAW, 0, &error);
	char *next = regex ? g_regex_replace(regex, text, -1, 0, replacement, 0, &error) : NULL;

	/* Rather nothing than a text that was not looked through. */
	if (!next)
		next = g_strdup_printf("(left out: %s)", error->message);
	g_free(text);
	return next;
}

static char *replace_name(char *text, const char *name, const char *before, const char *after, const char *replacement)
{
	g_autofree char *literal = g_regex_escape_string(name, -1);
	g_autofree char *pattern = g_strconcat(before, literal, after, NULL);

	return replace(text, pattern, replacement);
}

static char *filter(const EnvironmentNames *names, const char *text, gboolean document)
{
	char *out = g_strdup(text);

	if (!text)
		return NULL;
	if (names->user)
		out = replace_name(out, names->user, "(?<=/)", "(?=/|[\\s,:'\"<]|$)", "(user)");
	if (names->host && !document) {
		out = replace_name(out, names->host, "(?<![A-Za-z0-9_-])", "(?![A-Za-z0-9_-])", "(host)");
		/* The first part of a long name stands alone as often. */
		if (strchr(names->host, '.')) {
			g_autofree char *first = g_strndup(names->host, strcspn(names->host, "."));

			if (telling(first))
				out = replace_name(out, first, "(?<![A-Za-z0-9_-])", "(?![A-Za-z0-9_-])", "(host)");
		}
	}
	for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
		if (!document || rules[i].document)
			out = replace(out, rules[i].pattern, rules[i].replacement);
	return out;
}

char *environment_filter(const EnvironmentNames *names, const char *text)
{
	return filter(names, text, FALSE);
}

char *environment_filter_document(const EnvironmentNames *names, const char *text)
{
	return filter(names, text, TRUE);
}
