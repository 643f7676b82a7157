/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/memory-group.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/kernel-file.h"
#include "harness/run/memory-limit.h"

/* Pages under I/O cannot be given up at once, and a member that has just ended keeps its group for a moment: no event tells when. */
#define BUSY_TRIES 100
#define BUSY_PAUSE_US 20000

struct MemoryGroup {
	Keeper *keeper;
	char *folder, *members, *file; /* file: takes the limit */
	gboolean second;	       /* version 2 of control groups */
	guint64 limit;
};

/* The guest's memory stays in memory: a limit is to take page cache away, not to send QEMU to the swap. A kernel without swap has no such file. */
static void keep_from_swap(const MemoryGroup *group)
{
	g_autofree char *path = g_build_filename(group->folder, group->second ? "memory.swap.max" : "memory.swappiness", NULL);

	if (!kernel_file_put(path, "0"))
		g_debug("%s: %s", path, g_strerror(errno));
}

MemoryGroup *memory_group_new(Keeper *keeper, GError **error)
{
	g_autoptr(MemoryGroup) group = g_new0(MemoryGroup, 1);
	g_autofree char *reason = NULL;
	g_autofree char *place = memory_group_place("", &group->second, &reason);

	if (!place) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "no memory can be limited here: %s", reason);
		return NULL;
	}
	group->keeper = keeper;
	group->folder = g_strdup_printf("%s/iogap-%s", place, keeper_run_id(keeper));
	group->members = g_build_filename(group->folder, "cgroup.procs", NULL);
	group->file = g_build_filename(group->folder, group->second ? "memory.max" : "memory.limit_in_bytes", NULL);
	keeper_add(keeper, "cgroup", group->folder);
	if (g_mkdir(group->folder, 0755) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "cannot make the control group %s: %s", group->folder,
			g_strerror(errno));
		/* It may be somebody else's. */
		keeper_drop(keeper, "cgroup", group->folder);
		g_clear_pointer(&group->folder, g_free);
		return NULL;
	}
	keep_from_swap(group);
	return g_steal_pointer(&group);
}

const char *memory_group_members(const MemoryGroup *group)
{
	return group ? group->members : NULL;
}

gboolean memory_group_add(MemoryGroup *group, pid_t pid, GError **error)
{
	g_autofree char *number = g_strdup_printf("%d", (int)pid);

	if (kernel_file_put(group->members, number))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "cannot put process %d into the control group %s: %s", (int)pid,
		group->folder, g_strerror(errno));
	return FALSE;
}

gboolean memory_group_limit(MemoryGroup *group, guint64 bytes, GError **error)
{
	g_autofree char *text = NULL;

	if (!group || group->limit == bytes)
		return TRUE;
	text = bytes ? g_strdup_printf("%" G_GUINT64_FORMAT, bytes) : g_strdup(group->second ? "max" : "-1");
	for (guint i = 0; !kernel_file_put(group->file, text); i++) {
		if (errno != EBUSY || i == BUSY_TRIES) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "cannot limit the control group %s to %s bytes: %s%s",
				group->folder, text, g_strerror(errno),
				errno == EBUSY ? "; its members have more than that and cannot give it up" : "");
			return FALSE;
		}
		g_usleep(BUSY_PAUSE_US);
	}
	group->limit = bytes;
	return TRUE;
}

void memory_group_free(MemoryGroup *group)
{
	guint i = 0;

	if (!group)
		return;
	while (group->folder && g_rmdir(group->folder) < 0 && errno == EBUSY && i++ < BUSY_TRIES)
		g_usleep(BUSY_PAUSE_US);
	/* One that cannot be removed stays with the keeper, which tries again. */
	if (group->folder && !g_file_test(group->folder, G_FILE_TEST_EXISTS))
		keeper_drop(group->keeper, "cgroup", group->folder);
	g_free(group->folder);
	g_free(group->members);
	g_free(group->file);
	g_free(group);
}
