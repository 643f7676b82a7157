/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What SQLite says, in words that tell what to do. */
#include "results/store-private.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "harness/base/error.h"

/*
 * The process that holds a write lock on PATH, or 0. Read from /proc/locks: opening the file to ask
 * with fcntl would drop this process's own locks on it when it is closed again.
 */
static guint holder_of(const char *path)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	struct stat st;

	if (stat(path, &st) < 0 || !g_file_get_contents("/proc/locks", &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		unsigned pid, dev_major, dev_minor;
		uint64_t inode;

		if (sscanf(lines[i], "%*d: %*s %*s WRITE %u %x:%x:%" SCNu64, &pid, &dev_major, &dev_minor,
			    &inode) == 4 &&
			inode == st.st_ino && dev_major == major(st.st_dev) &&
			dev_minor == minor(st.st_dev))
			return pid;
	}
	return 0;
}

/* "process 123 (iogap)", or a vaguer word where the system does not tell. */
static char *describe_holder(const char *path)
{
	g_autofree char *shm = g_strconcat(path, "-shm", NULL);
	g_autofree char *comm = NULL;
	g_autofree char *name = NULL;
	guint pid = holder_of(shm);

	if (pid == 0)
		pid = holder_of(path);
	if (pid == 0)
		return g_strdup("another process");
	comm = g_strdup_printf("/proc/%u/comm", pid);
	if (!g_file_get_contents(comm, &name, NULL, NULL))
		return g_strdup_printf("process %u", pid);
	return g_strdup_printf("process %u (%s)", pid, g_strstrip(name));
}

static void fail_busy(Store *store, const char *what, GError **error)
{
	g_autofree char *holder = describe_holder(store->path);

	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY,
		"cannot %s the store %s: %s has been writing to it for more than %d s; wait until it is "
		"done, or name another store with --store",
		what, store->path, holder, STORE_BUSY_MS / 1000);
}

gboolean store_fail(Store *store, int rc, const char *what, GError **error)
{
	const char *said = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);
	int sys = store->db ? sqlite3_system_errno(store->db) : 0;
	const char *advice = "";

	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		fail_busy(store, what, error);
		return FALSE;
	case SQLITE_NOTADB:
		said = "it is not a database; it was left as it is";
		break;
	case SQLITE_CORRUPT:
		advice = "; the file is damaged: work on a copy, and save what can still be read with "
			 "sqlite3's .recover";
		break;
	case SQLITE_FULL:
		said = "no space is left for it";
		advice = "; make room, then go on with what is stored so far";
		break;
	case SQLITE_READONLY:
		said = "it is read-only for this user";
		advice = "; change its permissions or name another store with --store";
		break;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (sys == ENOSPC)
			said = "no space is left for it";
		else if (sys)
			said = g_strerror(sys);
		advice = sys == ENOSPC ? "; make room, then go on with what is stored so far"
				       : "; look at the permissions of the file and its folder, or name "
					 "another store with --store";
		break;
	case SQLITE_CONSTRAINT:
		if (rc == SQLITE_CONSTRAINT_FOREIGNKEY)
			said = "it refers to a row that is not there, or that belongs to another sweep";
		break;
	}
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot %s the store %s: %s%s", what, store->path,
		said, advice);
	return FALSE;
}
