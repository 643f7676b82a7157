/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/keeper-list.h"

/* Over 80 characters the paths of its sockets no longer fit: sun_path has 108. */
#define ROOT_MAX 60

/* A keeper that is clearing up after a killed harness holds the lock for a moment. */
#define HANDOVER_TRIES 60
/* Between fork and exec QEMU does not carry its name yet: look again for a second. */
#define SEARCH_TRIES 20
#define PAUSE_US 50000

static int claimed_fd = -1;
static char *claimed_root;

char *embed_root(void)
{
	g_autofree char *runtime = paths_runtime();

	return g_build_filename(runtime, "embed", NULL);
}

/* ---- processes ---------------- */

/* The command line with blanks for its NULs, or NULL when the process is gone, a kernel thread or
 * another user's. */
static char *command_line(const char *pid)
{
	g_autofree char *folder = g_build_filename("/proc", pid, NULL);
	g_autofree char *path = g_build_filename(folder, "cmdline", NULL);
	struct stat st;
	char *text;
	gsize length;

	if (stat(folder, &st) < 0 || st.st_uid != geteuid() ||
		!g_file_get_contents(path, &text, &length, NULL))
		return NULL;
	for (gsize i = 0; i + 1 < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return text;
}

pid_t embed_find_process(const char *text)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		guint64 pid = g_ascii_strtoull(name, NULL, 10);
		g_autofree char *line = NULL;

		if (pid <= 1 || pid == (guint64)getpid())
			continue;
		line = command_line(name);
		/* An editor or a grep may have the text in its arguments too; only QEMU has its
		 * -qmp or -mon as well. */
		if (line && strstr(line, text) &&
			(strstr(line, " -qmp ") || strstr(line, " -mon ")))
			return (pid_t)pid;
	}
	return 0;
}

static gboolean kill_all(const char *text, gboolean *ret_was_there)
{
	pid_t pid;

	while ((pid = embed_find_process(text)) != 0)
		if (!keeper_kill(pid, keeper_start_time(pid), ret_was_there))
			return FALSE;
	return TRUE;
}

/* ---- files ---------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

typedef gboolean (*Match)(const char *name, const char *guest);

/* Removes the entries of ROOT/SUB that MATCH says belong to GUEST. */
static void remove_matching(const char *root, const char *sub, Match match, const char *guest)
{
	g_autofree char *folder = g_build_filename(root, sub, NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL)
		if (match(name, guest)) {
			g_autofree char *path = g_build_filename(folder, name, NULL);

			remove_tree(path);
		}
}

/* GUEST NULL = of any guest. */
static gboolean is_run_file(const char *name, const char *guest)
{
	static const char *const ends[] = {".xml", ".xml.new", ".pid", NULL};

	if (g_str_has_prefix(name, "driver"))
		return FALSE;
	for (guint i = 0; ends[i]; i++) {
		gsize length = strlen(name), tail = strlen(ends[i]);

		if (g_str_has_suffix(name, ends[i]) &&
			(!guest || (strlen(guest) == length - tail &&
					   strncmp(name, guest, length - tail) == 0)))
			return TRUE;
	}
	return FALSE;
}

/* domain-ID-NAME (NAME shortened to 20 characters); qmp-XXXXXX of a capability probe. */
static gboolean is_lib_folder(const char *name, const char *guest)
{
	const char *dash;
	g_autofree char *shortened = NULL;

	if (!guest)
		return g_str_has_prefix(name, "domain-") || g_str_has_prefix(name, "qmp-");
	if (!g_str_has_prefix(name, "domain-") || !(dash = strchr(name + strlen("domain-"), '-')))
		return FALSE;
	shortened = g_strndup(guest, 20);
	return g_str_equal(dash + 1, shortened);
}

static gboolean is_log(const char *name, const char *guest)
{
	g_autofree char *log = guest ? g_strdup_printf("%s.log", guest) : NULL;

	return log ? g_str_equal(name, log) : g_str_has_suffix(name, ".log");
}

static void remove_files(const char *root, const char *guest)
{
	remove_matching(root, "run/qemu", is_run_file, guest);
	remove_matching(root, "lib/qemu", is_lib_folder, guest);
	remove_matching(root, "lib/qemu/channel/target", is_lib_folder, guest);
	remove_matching(root, "log/qemu", is_log, guest);
}

void embed_forget(const char *root, const char *name)
{
	remove_files(root, name);
}

gboolean embed_destroy(const char *root, const char *name, gboolean *ret_was_there)
{
	g_autofree char *mark = g_strdup_printf("guest=%s,", name);
	gboolean found = FALSE;

	for (int i = 0; i < SEARCH_TRIES && !found; i++) {
		if (!kill_all(mark, &found))
			return FALSE;
		if (!found)
			g_usleep(PAUSE_US);
	}
	remove_files(root, name);
	if (found && ret_was_there)
		*ret_was_there = TRUE;
	return TRUE;
}

/* ---- the lock ---------------- */

static int try_lock(const char *root, int *ret_holder)
{
	g_autofree char *path = g_strdup_printf("%s.lock", root);
	char text[32] = "";
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (errno == EWOULDBLOCK && pread(fd, text, sizeof(text) - 1, 0) > 0)
		*ret_holder = (int)g_ascii_strtoll(text, NULL, 10);
	close(fd);
	errno = EWOULDBLOCK;
	return -1;
}

static void note_holder(int fd)
{
	g_autofree char *text = g_strdup_printf("%d\n", (int)getpid());

	/* Only for the message of whoever finds the lock taken. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, strlen(text), 0) < 0)
		g_debug("cannot note the holder of the lock: %s", g_strerror(errno));
}

/* The holder that is noted is gone, or is a keeper: it will let go in a moment. */
static gboolean is_passing(int holder)
{
	g_autofree char *pid = g_strdup_printf("%d", holder);
	g_autofree char *line = holder > 1 ? command_line(pid) : NULL;

	return !line || g_str_has_prefix(line, "iogap keeper ");
}

static int lock_root(const char *root, GError **error)
{
	int holder = 0, fd = -1;

	for (int i = 0; i < HANDOVER_TRIES; i++) {
		fd = try_lock(root, &holder);
		if (fd >= 0 || errno != EWOULDBLOCK || !is_passing(holder))
			break;
		g_usleep(PAUSE_US);
	}
	if (fd >= 0)
		note_holder(fd);
	else if (errno == EWOULDBLOCK)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY,
			"another sweep is running (process %d holds %s.lock); wait for it or end it",
			holder, root);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot lock %s.lock: %s", root,
			g_strerror(errno));
	return fd;
}

static gboolean clear(const char *root, gboolean *ret_was_there)
{
	/* Every QEMU of this driver has its monitor's socket below ROOT/lib, those that probe
	 * capabilities too. */
	g_autofree char *mark = g_strdup_printf("%s/lib/", root);
	g_autofree char *log = g_build_filename(root, "libvirt.log", NULL);
	gboolean gone = kill_all(mark, ret_was_there);

	remove_files(root, NULL);
	/* It would grow for ever. */
	g_unlink(log);
	return gone;
}

gboolean embed_sweep(const char *root, gboolean *ret_was_there)
{
	int holder = 0, fd = try_lock(root, &holder);
	gboolean gone;

	/* Taken: the new holder has cleared it by itself. No folder: nothing was ever there. */
	if (fd < 0)
		return TRUE;
	note_holder(fd);
	gone = clear(root, ret_was_there);
	close(fd);
	return gone;
}

/* ---- configuration ---------------- */

static gboolean write_config(const char *root, GError **error)
{
	/* Logs go to files: no virtlogd is needed. */
	static const char common[] = "stdio_handler = \"file\"\n";
	/* As root libvirt would run QEMU as another user, which cannot open our images, and would
	 * change their owners; control groups, mount namespaces and security labels need a system
	 * that was set up for libvirt. */
	static const char privileged[] = "user = \"root\"\n"
					 "group = \"root\"\n"
					 "dynamic_ownership = 0\n"
					 "remember_owner = 0\n"
					 "namespaces = []\n"
					 "cgroup_controllers = []\n"
					 "security_driver = \"none\"\n";
	g_autofree char *folder = g_build_filename(root, "etc", NULL);
	g_autofree char *file = g_build_filename(folder, "qemu.conf", NULL);
	g_autofree char *text = g_strconcat(common, geteuid() == 0 ? privileged : "", NULL);
	g_autoptr(GError) local = NULL;

	if (!paths_ensure(folder, error))
		return FALSE;
	if (g_file_set_contents(file, text, -1, &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"cannot write libvirt's configuration: %s", local->message);
	return FALSE;
}

gboolean embed_claim(const char *root, GError **error)
{
	int fd;

	if (claimed_fd >= 0) {
		if (g_str_equal(claimed_root, root))
			return TRUE;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"this process already uses the embedded driver in %s and cannot use "
			"another in %s",
			claimed_root, root);
		return FALSE;
	}
	if (strlen(root) > ROOT_MAX) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the folder %s is too long a name for libvirt's sockets (at most %d "
			"characters); set IOGAP_RUNTIME to "
			"a shorter one",
			root, ROOT_MAX);
		return FALSE;
	}
	if (!paths_ensure(root, error))
		return FALSE;
	fd = lock_root(root, error);
	if (fd < 0)
		return FALSE;
	if (!clear(root, NULL) || !write_config(root, error)) {
		if (error && !*error)
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"a QEMU process that an earlier run left in %s cannot be killed",
				root);
		close(fd);
		return FALSE;
	}
	claimed_fd = fd;
	claimed_root = g_strdup(root);
	return TRUE;
}
