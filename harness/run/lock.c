/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
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

/* ---- of the machine ---------------- */

/* More refused callers than this are told no process: whoever was refused stays in the queue, as nobody accepts. */
#define QUEUE 1024

/* The process that listens at ADDRESS; 0 = not known (it has just ended, or lives in another PID namespace). */
static pid_t holder_of(const struct sockaddr_un *address, socklen_t size)
{
	struct ucred peer = {0};
	socklen_t length = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return 0;
	if (connect(fd, (const struct sockaddr *)address, size) < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		peer.pid = 0;
	close(fd);
	return peer.pid;
}

static void set_busy(GError **error, pid_t holder)
{
	g_autofree char *who = holder > 0 ? g_strdup_printf("process %d", (int)holder) : g_strdup("a process that cannot be named");

	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY,
		"another sweep is running on this machine (%s), and each would disturb the other's figures; wait for it, or set "
		"IOGAP_ALLOW_PARALLEL=1 to measure all the same, with THROTTLED on every run",
		who);
}

int lock_take_machine(const char *name, GError **error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	/* The first byte stays 0: a name of the abstract kind, which ends with its last byte. */
	gsize length = MIN(strlen(name), sizeof(address.sun_path) - 1);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, name, length);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) == 0 && listen(fd, QUEUE) == 0)
		return fd;
	if (fd >= 0 && errno == EADDRINUSE)
		set_busy(error, holder_of(&address, size));
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the socket %s that keeps two sweeps apart: %s", name,
			g_strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

gboolean lock_parallel_allowed(void)
{
	return g_strcmp0(g_getenv("IOGAP_ALLOW_PARALLEL"), "1") == 0;
}

void lock_release(int fd)
{
	if (fd >= 0)
		close(fd);
}
