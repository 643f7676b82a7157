/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a file, or a folder with what is below it: from the links of /proc. */
#include "harness/side/target-private.h"

#include <string.h>

/* TRUE when NAME is one of the components of PATH. Our names hold a run's random number, so that a name is enough, also
 * where another mount namespace shows another path to it. */
static gboolean has_component(const char *path, const char *name)
{
	gsize length = strlen(name);

	for (const char *at = strstr(path, name); at; at = strstr(at + 1, name))
		if (at > path && at[-1] == '/' && (at[length] == '\0' || at[length] == '/' || at[length] == ' '))
			return TRUE;
	return FALSE;
}

static gboolean link_has(const char *process, const char *link, const char *name)
{
	g_autofree char *path = g_build_filename(process, link, NULL);
	g_autofree char *target = g_file_read_link(path, NULL);

	return target && has_component(target, name);
}

static gboolean uses(const char *process, const char *name)
{
	g_autofree char *folder = g_build_filename(process, "fd", NULL);
	g_autoptr(GDir) dir = NULL;
	const char *fd;

	if (link_has(process, "cwd", name) || link_has(process, "root", name) || link_has(process, "exe", name))
		return TRUE;
	dir = g_dir_open(folder, 0, NULL);
	while (dir && (fd = g_dir_read_name(dir)) != NULL)
		if (link_has(folder, fd, name))
			return TRUE;
	return FALSE;
}

char *target_user_of(const char *path)
{
	g_autofree char *name = g_path_get_basename(path);
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	const char *pid;

	while (dir && (pid = g_dir_read_name(dir)) != NULL) {
		g_autofree char *process = g_build_filename("/proc", pid, NULL);
		g_autofree char *file = g_build_filename(process, "comm", NULL);
		g_autofree char *command = NULL;

		if (!g_ascii_isdigit(*pid) || !uses(process, name))
			continue;
		if (g_file_get_contents(file, &command, NULL, NULL))
			g_strchomp(command);
		return g_strdup_printf("process %s (%s)", pid, command ? command : "gone by now");
	}
	return NULL;
}
