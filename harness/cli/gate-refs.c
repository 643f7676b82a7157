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

/* What git prints for ARGV, or NULL and why: no git, no checkout, or WHAT when it is silent about the reason. */
static char *ask_git(const char *const *argv, const char *what, char **ret_why)
{
	static const char *const inside[] = {"git", "rev-parse", "--git-dir", NULL};
	g_autoptr(GError) local = NULL;
	char *out = NULL;
	int status;

	if (!subprocess_run(inside, GIT_SECONDS, NULL, NULL, NULL, &local)) {
		*ret_why = g_strdup_printf("the working folder is in no git checkout that can be read (%s); run it inside the checkout",
			local->message);
		return NULL;
	}
	if (!subprocess_run(argv, GIT_SECONDS, &out, NULL, &status, &local)) {
		*ret_why = g_strdup(local->message);
		return NULL;
	}
	if (status == 0)
		return out;
	*ret_why = g_strdup(what);
	g_free(out);
	return NULL;
}

/* A name that only git can have given, so that the store's word on it is not the whole story. */
static gboolean only_git(const char *ref)
{
	return g_str_equal(ref, "HEAD") || strpbrk(ref, "^~@") || g_str_has_prefix(ref, MERGE_BASE);
}

/* The commit that git knows under that name, or NULL and why not. */
static char *commit_of(const char *ref, char **ret_why)
{
	g_autofree char *revision = g_strdup_printf("%s^{commit}", ref);
	const char *parse[] = {"git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision, NULL};
	const char *branch = ref + strlen(MERGE_BASE), *merge[] = {"git", "merge-base", "HEAD", branch, NULL};
	g_autofree char *commit = NULL;

	if (!g_str_has_prefix(ref, MERGE_BASE))
		return ask_git(parse, "this checkout has no such revision; a shallow one lacks the commits before it: fetch them too", ret_why);
	if (!*branch || *branch == '-') {
		*ret_why = g_strdup("it takes the name of a branch, such as merge-base:main");
		return NULL;
	}
	g_free(revision);
	revision = g_strdup_printf("%s^{commit}", branch);
	parse[5] = revision;
	commit = ask_git(parse, "this checkout has no such branch; fetch it, or name it with its remote, such as merge-base:origin/main", ret_why);
	return commit ? ask_git(merge, "HEAD and that branch share no commit here; a shallow checkout lacks it: fetch the whole history",
		ret_why) : NULL;
}

gboolean gate_refs_add(Store *store, const char *ref, GArray *sweeps, GError **error)
{
	g_autofree char *commit = NULL, *why = NULL;
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
	commit = g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_NOTHING) ? commit_of(ref, &why) : NULL;
	if (!commit && why && only_git(ref)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING, "no sweep of the store %s is named %s, and git cannot say which commit "
			"that is: %s", store_path(store), ref, why);
		return FALSE;
	}
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
