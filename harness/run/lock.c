/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/error.h"

static gboolean fail(GError **error, const char *path)
{
	char holder[32] = "";
	int fd;

	if (errno != EWOULDBLOCK) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot lock %s: %s", path, g_strerror(errno));
		return FALSE;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, holder, sizeof(holder) - 1) < 0)
			holder[0] = '\0';
		close(fd);
	}
	g_strchomp(holder);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY,
		"another sweep is running into this store (process %s); wait for it, or name another store with --store",
		*holder ? holder : "unknown");
	return FALSE;
}

int lock_take(const char *store, GError **error)
{
	g_autofree char *path = g_strconcat(store, ".lock", NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
		fail(error, path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	/* For people and for the message above; the lock itself is what counts. */
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%d\n", (int)getpid());
	return fd;
}

void lock_release(int fd)
{
	if (fd >= 0)
		close(fd);
}
