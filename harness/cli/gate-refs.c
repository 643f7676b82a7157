/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-refs.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"

#define GIT_SECONDS 20
#define SHORTEST_COMMIT 7
#define MERGE_BASE "merge-base:"

static void add_once(GArray *sweeps, gint64 id)
{
	for (guint i = 0; i < sweeps->len; i++)
		if (g_array_index(sweeps, gint64, i) == id)
			return;
	g_array_append_val(sweeps, id);
}

static gboolean is_commit(const char *commit, const char *ref)
{
	return commit && strlen(ref) >= SHORTEST_COMMIT && g_str_has_prefix(commit, ref);
}

static gboolean means(const Record *sweep, const char *ref)
{
	return g_strcmp0(record_get_text(sweep, "label"), ref) == 0 || g_strcmp0(record_get_text(sweep, "branch"), ref) == 0 ||
		is_commit(record_get_text(sweep, "commit_id"), ref);
}

/* How many sweeps were added, or -1. */
static int add_named(Store *store, const char *ref, GArray *sweeps, GError **error)
{
	/* Not the overview, which counts every run of the store. */
	g_autoptr(GPtrArray) all = store_sweeps(store, error);
	int n = 0;

	if (!all)
		return -1;
	for (guint i = 0; i < all->len; i++)
		if (means(all->pdata[i], ref)) {
			add_once(sweeps, record_get_int(all->pdata[i], "id", -1));
			n++;
		}
	return n;
}

/* The commit that git knows under that name, or NULL: no git, no checkout, no such revision. */
static char *commit_of(const char *ref)
{
	const char *merge[] = {"git", "merge-base", "HEAD", ref + strlen(MERGE_BASE), NULL};
	g_autofree char *revision = g_strdup_printf("%s^{commit}", ref);
	const char *parse[] = {"git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision, NULL};
	gboolean base = g_str_has_prefix(ref, MERGE_BASE);
	char *commit = NULL;

	if (base && ref[strlen(MERGE_BASE)] == '-')
		return NULL;
	return subprocess_run(base ? merge : parse, GIT_SECONDS, &commit, NULL, NULL, NULL) ? commit : NULL;
}

gboolean gate_refs_add(Store *store, const char *ref, GArray *sweeps, GError **error)
{
	g_autofree char *commit = NULL;
	g_autoptr(GError) local = NULL;
	gint64 id;
	int n = add_named(store, ref, sweeps, error);

	if (n != 0)
		return n > 0;
	id = store_find_sweep(store, ref, &local);
	if (id >= 0) {
		add_once(sweeps, id);
		return TRUE;
	}
	commit = g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_NOTHING) ? commit_of(ref) : NULL;
	if (!commit) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	n = add_named(store, commit, sweeps, error);
	if (n == 0)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
			"no sweep of the store %s is of commit %s (%s); measure it with `iogap sweep --commit %s`", store_path(store),
			commit, ref, commit);
	return n > 0;
}
