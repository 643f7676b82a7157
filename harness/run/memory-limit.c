/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/memory-limit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Version 1 says "no limit" with the largest number of whole pages. */
#define NO_LIMIT (G_GUINT64_CONSTANT(1) << 60)

/* Where a hierarchy is mounted, and which of its groups stands there. */
typedef struct {
	char *point, *group;
} Mount;

static void mount_clear(Mount *mount)
{
	g_free(mount->point);
	g_free(mount->group);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mount, mount_clear)

static char *process_file(const char *root, pid_t pid, const char *file)
{
	g_autofree char *number = pid > 0 ? g_strdup_printf("%d", (int)pid) : g_strdup("self");
	g_autofree char *path = g_strdup_printf("%s/proc/%s/%s", root, number, file);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

/* A line of mountinfo: 36 35 98:0 /group /point rw,noatime master:1 - TYPE SOURCE OPTIONS. */
static gboolean is_hierarchy(const char *line, gboolean second, Mount *ret)
{
	const char *tail = strstr(line, " - ");
	g_auto(GStrv) words = g_strsplit(line, " ", 6), after = g_strsplit(tail ? tail + 3 : "", " ", 3);

	if (g_strv_length(words) < 6 || g_strv_length(after) < 3)
		return FALSE;
	if (second ? !g_str_equal(after[0], "cgroup2") : !g_str_equal(after[0], "cgroup"))
		return FALSE;
	if (!second) {
		g_auto(GStrv) options = g_strsplit(after[2], ",", -1);

		if (!g_strv_contains((const char *const *)options, "memory"))
			return FALSE;
	}
	ret->group = g_strcompress(words[3]);
	ret->point = g_strcompress(words[4]); /* a blank is \040 there */
	return TRUE;
}

static gboolean find_mount(const char *root, pid_t pid, gboolean second, Mount *ret)
{
	g_autofree char *text = process_file(root, pid, "mountinfo");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (is_hierarchy(lines[i], second, ret))
			return TRUE;
	return FALSE;
}

/* GROUP as the mount shows it: a container sees a part of the tree only. */
static const char *below(const Mount *mount, const char *group)
{
	size_t length = strlen(mount->group);

	if (strcmp(mount->group, "/") != 0 && strncmp(group, mount->group, length) == 0 && (group[length] == '/' || !group[length]))
		return group + length;
	return group;
}

static guint64 smaller(guint64 a, guint64 b)
{
	return a == 0 ? b : b == 0 ? a : MIN(a, b);
}

/* Of FOLDER's group alone; 0: none. A limit that cannot be read limits nothing that we know. */
static guint64 own_limit(const char *folder, const char *file)
{
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autofree char *text = NULL;
	guint64 limit;

	if (!g_file_get_contents(path, &text, NULL, NULL) || !g_ascii_isdigit(*text))
		return 0;
	limit = g_ascii_strtoull(text, NULL, 10);
	return limit < NO_LIMIT ? limit : 0;
}

/* GROUP and every one above it: each of them bounds what is below. */
static guint64 limit_of_group(const char *root, pid_t pid, gboolean second, const char *group)
{
	g_auto(Mount) mount = {NULL};
	g_autofree char *folder = NULL;
	size_t top;
	guint64 limit = 0;

	if (!find_mount(root, pid, second, &mount))
		return 0;
	folder = g_strconcat(root, mount.point, below(&mount, group), NULL);
	for (top = strlen(root) + strlen(mount.point); strlen(folder) >= top;) {
		char *slash = strrchr(folder, '/');

		limit = smaller(limit, own_limit(folder, second ? "memory.max" : "memory.limit_in_bytes"));
		if (second)
			limit = smaller(limit, own_limit(folder, "memory.high"));
		if (!slash)
			break;
		*slash = '\0';
	}
	return limit;
}

guint64 memory_limit(const char *root, pid_t pid)
{
	g_autofree char *text = process_file(root, pid, "cgroup");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	guint64 limit = 0;

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) field = g_strsplit(lines[i], ":", 3);
		g_auto(GStrv) controllers = NULL;

		if (g_strv_length(field) != 3)
			continue;
		controllers = g_strsplit(field[1], ",", -1);
		if (*field[1] == '\0' || g_strv_contains((const char *const *)controllers, "memory"))
			limit = smaller(limit, limit_of_group(root, pid, *field[1] == '\0', field[2]));
	}
	return limit;
}

/* The group of this process in that hierarchy, with a slash in front; NULL = it is in none. New text. */
static char *own_group(const char *root, gboolean second)
{
	g_autofree char *text = process_file(root, 0, "cgroup");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) field = g_strsplit(lines[i], ":", 3);
		g_auto(GStrv) controllers = NULL;

		if (g_strv_length(field) != 3)
			continue;
		controllers = g_strsplit(field[1], ",", -1);
		if (second ? *field[1] == '\0' : g_strv_contains((const char *const *)controllers, "memory"))
			return g_strdup(field[2]);
	}
	return NULL;
}

/* Why no group with a limit can be made below FOLDER, new text; NULL = it can. */
static char *why_not_below(const char *folder, gboolean second)
{
	g_autofree char *control = g_build_filename(folder, second ? "cgroup.subtree_control" : "memory.limit_in_bytes", NULL);
	g_autofree char *members = g_build_filename(folder, "cgroup.procs", NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) words = NULL;

	if (!g_file_get_contents(control, &text, NULL, NULL))
		return g_strdup_printf("%s cannot be read", control);
	words = g_strsplit_set(text, " \n", -1);
	if (second && !g_strv_contains((const char *const *)words, "memory"))
		return g_strdup_printf("the group %s does not pass its memory controller on", folder);
	if (access(folder, W_OK) == 0 && access(members, W_OK) == 0)
		return NULL;
	return g_strdup_printf("no group can be made in %s: %s", folder, g_strerror(errno));
}

static char *place_in(const char *root, gboolean second, char **ret_reason)
{
	g_auto(Mount) mount = {NULL};
	g_autofree char *group = own_group(root, second);
	g_autofree char *folder = NULL;
	size_t top;

	if (!group || !find_mount(root, 0, second, &mount))
		return NULL;
	folder = g_strconcat(root, mount.point, g_str_equal(group, "/") ? "" : below(&mount, group), NULL);
	top = strlen(root) + strlen(mount.point);
	/* A container may be told the name of a group that its mount does not show. */
	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		folder[top] = '\0';
	for (;;) {
		char *reason = why_not_below(folder, second);

		if (!reason)
			return g_steal_pointer(&folder);
		g_free(*ret_reason);
		*ret_reason = reason;
		if (!second || strlen(folder) <= top)
			return NULL;
		*strrchr(folder, '/') = '\0';
	}
}

char *memory_group_place(const char *root, gboolean *ret_second, char **ret_reason)
{
	g_autofree char *reason = NULL;

	for (int second = 1; second >= 0; second--) {
		char *place = place_in(root, second, &reason);

		*ret_second = second;
		if (place)
			return place;
	}
	*ret_reason = reason ? g_steal_pointer(&reason) : g_strdup("control groups with a memory controller are not mounted");
	return NULL;
}

guint64 memory_for_cache(pid_t pid)
{
	return smaller((guint64)sysconf(_SC_PHYS_PAGES) * (guint64)sysconf(_SC_PAGESIZE), memory_limit("", pid));
}
