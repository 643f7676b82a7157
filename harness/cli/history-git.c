/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/history-git.h"

#include <string.h>

#include "harness/base/subprocess.h"

#define GIT_SECONDS 30

/* "git VERB OPTIONS... IDS..." as lines; NULL when git refuses. */
static char **ask(const char *const *begin, char *const *ids, const char *suffix)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *out = NULL;

	for (guint i = 0; begin[i]; i++)
		g_ptr_array_add(argv, g_strdup(begin[i]));
	for (guint i = 0; ids[i]; i++)
		g_ptr_array_add(argv, g_strconcat(ids[i], suffix, NULL));
	g_ptr_array_add(argv, NULL);
	if (!subprocess_run((const char *const *)argv->pdata, GIT_SECONDS, &out, NULL, NULL, NULL))
		return NULL;
	return g_strsplit(out, "\n", -1);
}

/* Nothing but an id of a commit is given to git. */
static gboolean is_id(const char *commit)
{
	return strlen(commit) >= 7 && strspn(commit, "0123456789abcdefABCDEF") == strlen(commit);
}

char **history_git_order(const GPtrArray *commits, char **ret_why)
{
	static const char *const parse[] = {"git", "rev-parse", NULL}, *const base[] = {"git", "merge-base", "--octopus", NULL};
	g_autoptr(GPtrArray) ids = g_ptr_array_new();
	g_auto(GStrv) full = NULL, common = NULL;
	g_autofree char *below = NULL;
	char **order;

	for (guint i = 0; i < commits->len; i++) {
		if (!is_id(commits->pdata[i])) {
			*ret_why = g_strdup_printf("\"%s\" is no id of a commit", (const char *)commits->pdata[i]);
			return NULL;
		}
		g_ptr_array_add(ids, commits->pdata[i]);
	}
	g_ptr_array_add(ids, NULL);
	full = ask(parse, (char **)ids->pdata, "^{commit}");
	if (!full) {
		*ret_why = g_strdup("the working folder is in no git checkout that knows every measured commit");
		return NULL;
	}
	/* History below what all of them share says nothing about their order. */
	common = ask(base, full, "");
	if (common && common[0] && *common[0]) {
		const char *walk[] = {"git", "rev-list", "--topo-order", "--reverse", NULL, NULL};

		below = g_strdup_printf("^%s^@", common[0]);
		walk[4] = below;
		order = ask(walk, full, "");
	} else {
		static const char *const walk[] = {"git", "rev-list", "--topo-order", "--reverse", NULL};

		order = ask(walk, full, "");
	}
	if (!order)
		*ret_why = g_strdup("git could not list the commits");
	return order;
}
