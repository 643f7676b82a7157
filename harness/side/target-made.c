/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a target made: announced to the keeper, undone latest first, and left to the keeper where that fails. */
#include "harness/side/target-private.h"

#include <errno.h>
#include <sys/mount.h>
#include <unistd.h>

#include "harness/side/keeper-list.h"
#include "harness/side/kernel-device.h"

#define BUSY_TRIES 10
#define BUSY_PAUSE_US 50000

typedef struct {
	const char *kind; /* as in keeper.h, static */
	char *what;
} Made;

static void made_free(gpointer data)
{
	Made *made = data;

	g_free(made->what);
	g_free(made);
}

GPtrArray *target_made_new(void)
{
	return g_ptr_array_new_with_free_func(made_free);
}

void target_made_add(GPtrArray *list, Keeper *keeper, const char *kind, const char *what)
{
	Made *made = g_new0(Made, 1);

	made->kind = kind;
	made->what = g_strdup(what);
	g_ptr_array_add(list, made);
	if (keeper)
		keeper_add(keeper, kind, what);
}

void target_made_take_back(GPtrArray *list, Keeper *keeper)
{
	const Made *made = g_ptr_array_index(list, list->len - 1);

	if (keeper)
		keeper_drop(keeper, made->kind, made->what);
	g_ptr_array_remove_index(list, list->len - 1);
}

/* 0 or the errno of the last try. A process that was killed lets go of its files a moment later. */
static int unmount(const char *point)
{
	for (int i = 0; i < BUSY_TRIES; i++) {
		if (umount2(point, UMOUNT_NOFOLLOW) == 0)
			return 0;
		if (errno != EBUSY)
			/* EINVAL: not a mount point. */
			return errno == EINVAL || errno == ENOENT ? 0 : errno;
		g_usleep(BUSY_PAUSE_US);
	}
	return EBUSY;
}

/* WHAT as in keeper.h. */
static int end_process(const char *what)
{
	char *blank;
	gint64 pid = g_ascii_strtoll(what, &blank, 10);

	return keeper_kill((pid_t)pid, g_ascii_strtoull(blank, NULL, 10), NULL) ? 0 : EBUSY;
}

/* 0 when the thing is gone. LEFT: something that was made later is still there. LAST: nobody comes back for it. */
static int undo(const Made *made, gboolean left, gboolean last)
{
	int rc;

	if (g_str_equal(made->kind, "mount"))
		return unmount(made->what);
	if (g_str_equal(made->kind, "process"))
		return end_process(made->what);
	if (g_str_equal(made->kind, "mapper") || g_str_equal(made->kind, "nullb"))
		return kernel_device_remove(made->kind, made->what, last, NULL);
	rc = (g_str_equal(made->kind, "dir") ? rmdir(made->what) : unlink(made->what)) < 0 ? errno : 0;
	/* With nothing of ours left, what fills the folder is somebody else's. */
	if (!left && (rc == ENOTEMPTY || rc == EEXIST))
		return 0;
	return rc == ENOENT || rc == ENOTDIR ? 0 : rc;
}

static void remark(GPtrArray *remarks, const Made *made, int problem)
{
	g_autofree char *user = NULL;

	if (!remarks)
		return;
	user = target_user_of(made->what);
	g_ptr_array_add(remarks,
		g_strdup_printf("could not remove: %s %s: %s%s%s; it is tried again at the end of this run", made->kind,
			made->what, g_strerror(problem), user ? ", used by " : "", user ? user : ""));
}

gboolean target_made_undo(GPtrArray *list, Keeper *keeper, GPtrArray *remarks)
{
	gboolean left = FALSE;

	for (guint i = list->len; i-- > 0;) {
		const Made *made = g_ptr_array_index(list, i);
		int problem = undo(made, left, !keeper);

		/* Without a keeper nobody would come back for it. */
		if (problem == EBUSY && !keeper && g_str_equal(made->kind, "mount") &&
			umount2(made->what, UMOUNT_NOFOLLOW | MNT_DETACH) == 0)
			problem = 0;
		if (problem == 0) {
			if (keeper)
				keeper_drop(keeper, made->kind, made->what);
			continue;
		}
		/* A folder is left because of what is in it, and that was named. */
		if (!left || !g_str_equal(made->kind, "dir"))
			remark(remarks, made, problem);
		left = TRUE;
	}
	g_ptr_array_set_size(list, 0);
	return !left;
}
