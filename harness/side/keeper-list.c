/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/keeper-list.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/loop.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/kernel-file.h"

#include "harness/base/process-stat.h"
#include "harness/side/kernel-device.h"

#define KILL_WAIT_MS 10000
#define BUSY_TRIES 20
#define BUSY_PAUSE_US 50000

typedef struct {
	const char *kind;
	gboolean first; /* ended before anything is removed: it may still be using the rest */
	/* TRUE when the thing is gone; *ret_was_there tells whether this call did it. */
	gboolean (*undo)(GPtrArray *list, const char *what, gboolean *ret_was_there);
} Kind;

static void entry_free(gpointer data)
{
	KeeperEntry *entry = data;

	g_free(entry->kind);
	g_free(entry->what);
	g_free(entry);
}

GPtrArray *keeper_list_new(void)
{
	return g_ptr_array_new_with_free_func(entry_free);
}

static gboolean undo_file(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	struct stat st;

	if (lstat(what, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	/* A folder or a device of this name is not what was made here. */
	if (!S_ISREG(st.st_mode) && !S_ISSOCK(st.st_mode) && !S_ISLNK(st.st_mode) &&
		!S_ISFIFO(st.st_mode))
		return TRUE;
	*ret_was_there = unlink(what) == 0;
	return *ret_was_there;
}

static gboolean undo_dir(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	if (rmdir(what) == 0)
		*ret_was_there = TRUE;
	/* A folder with something else in it stays: that something is not ours. */
	return *ret_was_there || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST ||
	       errno == ENOTDIR;
}

/* A control group: its members have been killed before, and each is a member until it is gone for good. Its files count for nothing. */
static gboolean undo_cgroup(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	for (int i = 0; i < BUSY_TRIES; i++) {
		if (rmdir(what) == 0) {
			*ret_was_there = TRUE;
			return TRUE;
		}
		if (errno != EBUSY)
			return errno == ENOENT || errno == ENOTDIR || errno == ENOTEMPTY;
		g_usleep(BUSY_PAUSE_US);
	}
	return FALSE;
}

static gboolean undo_mount(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	for (int i = 0; i < BUSY_TRIES; i++) {
		if (umount2(what, UMOUNT_NOFOLLOW) == 0) {
			*ret_was_there = TRUE;
			return TRUE;
		}
		if (errno != EBUSY)
			/* EINVAL: not a mount point. */
			return errno == EINVAL || errno == ENOENT;
		/* A killed process lets go of its files a moment after it is gone; no event tells
		 * when. */
		g_usleep(BUSY_PAUSE_US);
	}
	*ret_was_there = umount2(what, UMOUNT_NOFOLLOW | MNT_DETACH) == 0;
	return *ret_was_there;
}

static gboolean listed(GPtrArray *list, const char *kind, const char *what)
{
	for (guint i = 0; i < list->len; i++) {
		const KeeperEntry *entry = list->pdata[i];

		if (g_str_equal(entry->kind, kind) && g_str_equal(entry->what, what))
			return TRUE;
	}
	return FALSE;
}

/* The loop device may belong to somebody else by now: its backing file must be one of this list. */
static gboolean undo_loop(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	g_autofree char *name = g_path_get_basename(what);
	g_autofree char *attribute = g_strdup_printf("/sys/block/%s/loop/backing_file", name);
	g_autofree char *backing = NULL;
	int fd;

	if (!g_file_get_contents(attribute, &backing, NULL, NULL))
		return TRUE;
	g_strchomp(backing);
	if (g_str_has_suffix(backing, " (deleted)"))
		backing[strlen(backing) - strlen(" (deleted)")] = '\0';
	if (!listed(list, "file", backing))
		return TRUE;
	fd = open(what, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	*ret_was_there = ioctl(fd, LOOP_CLR_FD, 0) == 0;
	close(fd);
	return *ret_was_there || errno == ENXIO;
}

static gboolean undo_mapper(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	return kernel_device_remove("mapper", what, TRUE, ret_was_there) == 0;
}

static gboolean undo_nullb(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	return kernel_device_remove("nullb", what, TRUE, ret_was_there) == 0;
}

static gboolean undo_scheduler(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	g_auto(GStrv) words = g_strsplit(what, " ", 2);
	g_autofree char *path = NULL;

	if (g_strv_length(words) != 2 || strchr(words[0], '/'))
		return TRUE;
	path = g_strdup_printf("/sys/block/%s/queue/scheduler", words[0]);
	*ret_was_there = kernel_file_put(path, words[1]);
	return *ret_was_there || errno == ENOENT;
}

/* "PATH VALUE", of the files that say how the processors are run: a damaged list must not write anywhere else. */
static gboolean undo_setting(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	const char *value = strrchr(what, ' ');
	g_autofree char *path = value ? g_strndup(what, (gsize)(value - what)) : NULL;

	if (!path || !strstr(path, "/sys/devices/system/cpu/") || strstr(path, "/../"))
		return TRUE;
	*ret_was_there = kernel_file_put(path, value + 1);
	return *ret_was_there || errno == ENOENT;
}

guint64 keeper_start_time(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	ProcessStat stat;

	return process_stat_read(path, &stat) ? stat.start : 0;
}

gboolean keeper_kill(pid_t pid, guint64 start, gboolean *ret_killed)
{
	struct pollfd wait = {.events = POLLIN};
	gboolean gone = TRUE;

	if (pid <= 1)
		return TRUE;
	/* The descriptor comes first: from here on the number cannot pass to another process
	 * unnoticed. */
	wait.fd = pidfd_open(pid, 0);
	if (wait.fd < 0)
		return errno == ESRCH;
	if (start == 0 || keeper_start_time(pid) == start) {
		if (pidfd_send_signal(wait.fd, SIGKILL, NULL, 0) == 0) {
			gone = poll(&wait, 1, KILL_WAIT_MS) == 1;
			if (ret_killed)
				*ret_killed = TRUE;
		} else {
			gone = errno == ESRCH;
		}
	}
	close(wait.fd);
	return gone;
}

static gboolean undo_process(GPtrArray *list, const char *what, gboolean *ret_was_there)
{
	g_auto(GStrv) words = g_strsplit(what, " ", 2);
	guint64 pid, start;

	if (g_strv_length(words) != 2)
		return TRUE;
	pid = g_ascii_strtoull(words[0], NULL, 10);
	start = g_ascii_strtoull(words[1], NULL, 10);
	if (pid <= 1 || pid > G_MAXINT || start == 0)
		return TRUE;
	return keeper_kill((pid_t)pid, start, ret_was_there);
}

/* "domain" has no function here: the caller brings it. */
static const Kind kinds[] = {
	{"domain", TRUE, NULL},
	{"process", TRUE, undo_process},
	{"file", FALSE, undo_file},
	{"dir", FALSE, undo_dir},
	{"mount", FALSE, undo_mount},
	{"loop", FALSE, undo_loop},
	{"mapper", FALSE, undo_mapper},
	{"nullb", FALSE, undo_nullb},
	{"scheduler", FALSE, undo_scheduler},
	{"cgroup", FALSE, undo_cgroup},
	{"setting", FALSE, undo_setting},
};

static const Kind *find_kind(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (g_str_equal(kinds[i].kind, name))
			return &kinds[i];
	return NULL;
}

char *keeper_line(char sign, const char *kind, const char *what)
{
	g_autofree char *escaped = g_strescape(what, NULL);
	g_autofree char *body = g_strdup_printf("%c %s %s", sign, kind, escaped);

	return g_strdup_printf("%08x %s\n", g_str_hash(body), body);
}

static void list_remove(GPtrArray *list, const char *kind, const char *what)
{
	for (guint i = list->len; i-- > 0;) {
		const KeeperEntry *entry = list->pdata[i];

		if (g_str_equal(entry->kind, kind) && g_str_equal(entry->what, what)) {
			g_ptr_array_remove_index(list, i);
			return;
		}
	}
}

/* Paths must be absolute: the keeper's working folder is not the harness's. */
static gboolean needs_absolute(const char *kind)
{
	return g_str_equal(kind, "file") || g_str_equal(kind, "dir") ||
	       g_str_equal(kind, "mount") || g_str_equal(kind, "loop") || g_str_equal(kind, "cgroup") ||
	       g_str_equal(kind, "setting");
}

gboolean keeper_list_apply(GPtrArray *list, const char *line)
{
	g_autofree char *copy = g_strdup(line);
	g_auto(GStrv) words = NULL;
	g_autofree char *what = NULL;
	char sum[9];

	if (g_str_has_suffix(copy, "\n"))
		copy[strlen(copy) - 1] = '\0';
	if (strlen(copy) < 12 || copy[8] != ' ')
		return FALSE;
	g_snprintf(sum, sizeof(sum), "%08x", g_str_hash(copy + 9));
	if (strncmp(copy, sum, 8) != 0)
		return FALSE;
	words = g_strsplit(copy + 9, " ", 3);
	if (g_strv_length(words) != 3 || !*words[2] || !find_kind(words[1]))
		return FALSE;
	what = g_strcompress(words[2]);
	if (needs_absolute(words[1]) && *what != '/')
		return FALSE;
	if (g_str_equal(words[0], "+")) {
		KeeperEntry *entry = g_new0(KeeperEntry, 1);

		entry->kind = g_strdup(words[1]);
		entry->what = g_steal_pointer(&what);
		g_ptr_array_add(list, entry);
		return TRUE;
	}
	if (!g_str_equal(words[0], "-"))
		return FALSE;
	list_remove(list, words[1], what);
	return TRUE;
}

gsize keeper_list_apply_text(GPtrArray *list, const char *text, guint *ret_damaged)
{
	const char *at = text, *newline;
	guint damaged = 0;

	while ((newline = strchr(at, '\n')) != NULL) {
		g_autofree char *line = g_strndup(at, (gsize)(newline - at));

		if (!keeper_list_apply(list, line))
			damaged++;
		at = newline + 1;
	}
	if (ret_damaged)
		*ret_damaged = damaged + (*at ? 1 : 0);
	return (gsize)(at - text);
}

static gboolean undo_one(
	GPtrArray *list, const KeeperEntry *entry, KeeperDomain destroy_domain, GPtrArray *remark)
{
	const Kind *kind = find_kind(entry->kind);
	gboolean was_there = FALSE, done = FALSE;

	if (kind->undo)
		done = kind->undo(list, entry->what, &was_there);
	else if (destroy_domain)
		done = destroy_domain(entry->what, &was_there);
	if (remark && was_there)
		g_ptr_array_add(
			remark, g_strdup_printf("removed: %s %s", entry->kind, entry->what));
	else if (remark && !done)
		g_ptr_array_add(remark,
			g_strdup_printf("could not remove: %s %s", entry->kind, entry->what));
	return done;
}

gboolean keeper_list_undo(GPtrArray *list, KeeperDomain destroy_domain, GPtrArray *remark)
{
	for (int first = 1; first >= 0; first--)
		for (guint i = list->len; i-- > 0;) {
			const KeeperEntry *entry = list->pdata[i];

			if (find_kind(entry->kind)->first != (first == 1))
				continue;
			/* Entries of later passes are still listed: undo_loop asks for its backing
			 * file. */
			if (undo_one(list, entry, destroy_domain, remark))
				g_ptr_array_remove_index(list, i);
		}
	return list->len == 0;
}
