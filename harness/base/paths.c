/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/paths.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"

/* The value of an environment variable, or NULL when unset or empty. */
static const char *env(const char *name)
{
	const char *value = g_getenv(name);

	return value && *value ? value : NULL;
}

static char *absolute(const char *path)
{
	return g_canonicalize_filename(path, NULL);
}

char *paths_self(void)
{
	char *path = g_file_read_link("/proc/self/exe", NULL);

	return path ? path : g_strdup("/proc/self/exe");
}

static char *beside_self(const char *name)
{
	g_autofree char *self = paths_self();
	g_autofree char *dir = g_path_get_dirname(self);

	return g_build_filename(dir, name, NULL);
}

char *paths_share(const char *name)
{
	const char *asked = env("IOGAP_SHARE");
	g_autofree char *dir = asked ? absolute(asked) : beside_self("share");

	if (!asked && !g_file_test(dir, G_FILE_TEST_IS_DIR)) {
		g_autofree char *installed = beside_self("../share/iogap");

		g_free(dir);
		dir = absolute(installed);
	}
	return g_build_filename(dir, name, NULL);
}

char *paths_agent(void)
{
	return env("IOGAP_AGENT") ? absolute(env("IOGAP_AGENT")) : beside_self("iogap-agent");
}

char *paths_image(void)
{
	return beside_self("iogap-image");
}

char *paths_runtime(void)
{
	if (env("IOGAP_RUNTIME"))
		return absolute(env("IOGAP_RUNTIME"));
	if (geteuid() == 0)
		return g_strdup("/run/iogap");
	if (env("XDG_RUNTIME_DIR"))
		return g_build_filename(env("XDG_RUNTIME_DIR"), "iogap", NULL);
	return g_strdup_printf("/tmp/iogap-%u", (guint)geteuid());
}

char *paths_cache(void)
{
	if (env("IOGAP_CACHE"))
		return absolute(env("IOGAP_CACHE"));
	/* Not g_get_user_cache_dir: it remembers the first answer, tests set the variable later. */
	if (env("XDG_CACHE_HOME"))
		return g_build_filename(env("XDG_CACHE_HOME"), "iogap", NULL);
	return g_build_filename(g_get_home_dir(), ".cache", "iogap", NULL);
}

char *paths_store(void)
{
	return absolute(env("IOGAP_STORE") ? env("IOGAP_STORE") : "results/data/iogap.sqlite");
}

gboolean paths_ensure(const char *dir, GError **error)
{
	struct stat st;

	if (g_mkdir_with_parents(dir, 0700) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot create the folder %s: %s", dir,
			g_strerror(errno));
		return FALSE;
	}
	if (stat(dir, &st) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot look at the folder %s: %s", dir,
			g_strerror(errno));
		return FALSE;
	}
	if (st.st_uid != geteuid()) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the folder %s belongs to user %u, not to this one (%u); remove it or name another", dir,
			(guint)st.st_uid, (guint)geteuid());
		return FALSE;
	}
	return TRUE;
}
