/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/keeper-list.h"

/* A program with all its libraries starts in milliseconds, and in a guest within an emulated one in tens of seconds. */
#define READY_MS 60000
#define STOP_MS 30000
/* Whoever has the runtime's lock makes a folder, or clears up: the latter may kill and wait. */
#define LOCK_MS 5000
#define LOCK_PAUSE_MS 50
#define LOCK_FD 3 /* in the keeper: the run's lock, shared with the harness */

struct Keeper {
	char *folder, *journal;
	const char *run_id; /* inside folder */
	int lock_fd, journal_fd, pipe_fd;
	GPid pid;
};

static gboolean fail(GError **error, const char *what, const char *where)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot %s %s: %s", what, where,
		g_strerror(errno));
	return FALSE;
}

/* Who has a flock on FD's file, from the kernel's list; 0 = it does not say. By inode alone: what the list calls the device
 * is not st_dev on every file system. */
static int lock_holder(int fd)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || !g_file_get_contents("/proc/locks", &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", 0);
	for (guint i = 0; lines[i]; i++) {
		unsigned long long inode;
		int pid;

		if (sscanf(lines[i], "%*d: FLOCK %*s %*s %d %*x:%*x:%llu", &pid, &inode) == 2 &&
			inode == (unsigned long long)st.st_ino)
			return pid;
	}
	return 0;
}

static gboolean take_lock(int fd, const char *path, GError **error)
{
	int holder;

	for (guint waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited += LOCK_PAUSE_MS) {
		if (errno != EWOULDBLOCK)
			return fail(error, "lock", path);
		if (waited < LOCK_MS) {
			g_usleep(LOCK_PAUSE_MS * 1000);
			continue;
		}
		holder = lock_holder(fd);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY,
			"process %d has held %s for more than %d s; it is starting or clearing up: wait for it, "
			"or end it if it hangs",
			holder, path, LOCK_MS / 1000);
		return FALSE;
	}
	return TRUE;
}

/* Held while a run's folder is made or looked at by others, so that nobody sees one without its
 * lock. RUNTIME must be known to be this user's own: in a folder of somebody else's the file may be
 * anything. */
static int lock_runtime(const char *runtime, GError **error)
{
	g_autofree char *path = g_build_filename(runtime, "lock", NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0) {
		fail(error, "lock", path);
		return -1;
	}
	if (!take_lock(fd, path, error)) {
		close(fd);
		return -1;
	}
	return fd;
}

static gboolean make_folder(Keeper *keeper, GError **error)
{
	g_autofree char *runtime = paths_runtime();
	g_autofree char *lock = NULL;
	int runtime_fd;

	if (!paths_ensure(runtime, error))
		return FALSE;
	runtime_fd = lock_runtime(runtime, error);
	if (runtime_fd < 0)
		return FALSE;
	do {
		g_free(keeper->folder);
		keeper->folder = g_strdup_printf("%s/run-%08x", runtime, g_random_int());
	} while (mkdir(keeper->folder, 0700) < 0 && errno == EEXIST);
	keeper->run_id = strrchr(keeper->folder, '-') + 1;
	keeper->journal = g_build_filename(keeper->folder, "journal", NULL);
	lock = g_build_filename(keeper->folder, "lock", NULL);
	keeper->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (keeper->lock_fd >= 0 && flock(keeper->lock_fd, LOCK_EX | LOCK_NB) == 0)
		keeper->journal_fd =
			open(keeper->journal, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	close(runtime_fd);
	return keeper->journal_fd >= 0 || fail(error, "make the run's folder", keeper->folder);
}

/* /proc/self/exe and not paths_self(): it starts this very program even when its file was replaced
 * meanwhile. */
static gboolean spawn(Keeper *keeper, int input, GError **error)
{
	const char *const argv[] = {"/proc/self/exe", "iogap", "keeper", keeper->folder, NULL};
	const int source[] = {keeper->lock_fd}, target[] = {LOCK_FD};
	g_autoptr(GError) local = NULL;

	if (g_spawn_async_with_pipes_and_fds("/", argv, NULL,
		    G_SPAWN_FILE_AND_ARGV_ZERO | G_SPAWN_DO_NOT_REAP_CHILD |
			    G_SPAWN_STDERR_TO_DEV_NULL,
		    NULL, NULL, input, input, -1, source, target, 1, &keeper->pid, NULL, NULL, NULL,
		    &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot start the keeper: %s",
		local->message);
	return FALSE;
}

static gboolean wait_ready(int fd, GError **error)
{
	gint64 until = g_get_monotonic_time() + READY_MS * (gint64)1000;
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char byte;
	int got;

	do
		got = poll(&wait, 1, (int)MAX(0, (until - g_get_monotonic_time()) / 1000));
	while (got < 0 && errno == EINTR);
	if (got == 1 && read(fd, &byte, 1) == 1)
		return TRUE;
	if (got == 0)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the keeper process was not ready within %d s; nothing was started; is the machine overloaded? then try again", READY_MS / 1000);
	else
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the keeper process ended before it was ready; nothing was started");
	return FALSE;
}

/* Gives up keeper->pipe_fd and the process; 0 ms = it is known to be ending. */
static void reap(Keeper *keeper, int wait_ms)
{
	struct pollfd wait = {.fd = keeper->pipe_fd, .events = POLLIN};
	gboolean ended = FALSE;
	char byte;

	if (keeper->pipe_fd < 0)
		return;
	shutdown(keeper->pipe_fd, SHUT_WR);
	ended = poll(&wait, 1, wait_ms) == 1 && recv(keeper->pipe_fd, &byte, 1, MSG_DONTWAIT) <= 0;
	close(keeper->pipe_fd);
	keeper->pipe_fd = -1;
	/* One that does not end keeps trying on its own, and the journal stays with it. */
	if (keeper->pid > 0)
		waitpid(keeper->pid, NULL, ended ? 0 : WNOHANG);
	keeper->pid = 0;
}

static gboolean start_process(Keeper *keeper, GError **error)
{
	g_autofree char *ids = NULL;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(error, "make", "the keeper's pipe");
	keeper->pipe_fd = pair[0];
	if (!spawn(keeper, pair[1], error)) {
		close(pair[1]);
		return FALSE;
	}
	close(pair[1]);
	if (!wait_ready(keeper->pipe_fd, error))
		return FALSE;
	ids = g_strdup_printf("%d %d\n", (int)getpid(), (int)keeper->pid);
	return pwrite(keeper->lock_fd, ids, strlen(ids), 0) == (ssize_t)strlen(ids) ||
	       fail(error, "write", keeper->folder);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

static gboolean remove_folder(const char *folder)
{
	/* Not across mounts: what is mounted below is not ours to empty. */
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0;
}

static void release(Keeper *keeper)
{
	if (keeper->journal_fd >= 0)
		close(keeper->journal_fd);
	if (keeper->lock_fd >= 0)
		close(keeper->lock_fd);
	g_free(keeper->folder);
	g_free(keeper->journal);
	g_free(keeper);
}

Keeper *keeper_start(GError **error)
{
	Keeper *keeper = g_new0(Keeper, 1);

	keeper->lock_fd = keeper->journal_fd = keeper->pipe_fd = -1;
	if (make_folder(keeper, error) && start_process(keeper, error))
		return keeper;
	reap(keeper, STOP_MS);
	if (keeper->folder)
		remove_folder(keeper->folder);
	release(keeper);
	return NULL;
}

const char *keeper_folder(const Keeper *keeper)
{
	return keeper->folder;
}

const char *keeper_run_id(const Keeper *keeper)
{
	return keeper->run_id;
}

static void tell(Keeper *keeper, char sign, const char *kind, const char *what)
{
	g_autofree char *line = keeper_line(sign, kind, what);
	size_t length = strlen(line);

	/* Two ways, because each can be missing when it counts: the keeper may have been killed,
	 * the journal's file system may be full. A line that reached neither can only be undone by
	 * the harness itself. */
	if (write(keeper->journal_fd, line, length) != (ssize_t)length)
		g_debug("keeper: the journal in %s takes no more: %s", keeper->folder,
			g_strerror(errno));
	if (send(keeper->pipe_fd, line, length, MSG_NOSIGNAL) != (ssize_t)length)
		g_debug("keeper: the keeper of %s is gone: %s", keeper->folder, g_strerror(errno));
}

void keeper_add(Keeper *keeper, const char *kind, const char *what)
{
	tell(keeper, '+', kind, what);
}

void keeper_drop(Keeper *keeper, const char *kind, const char *what)
{
	tell(keeper, '-', kind, what);
}

void keeper_stop(Keeper *keeper)
{
	if (!keeper)
		return;
	reap(keeper, STOP_MS);
	/* The folder is the keeper's last act. Still there: it was killed, so a second one undoes
	 * the journal. */
	if (g_file_test(keeper->folder, G_FILE_TEST_EXISTS) && start_process(keeper, NULL))
		reap(keeper, STOP_MS);
	release(keeper);
}

/* ---- the keeper process ---------------- */

static gboolean undo_folder(
	const char *folder, GPtrArray *list, KeeperDomain destroy_domain, GPtrArray *remark)
{
	gboolean all = keeper_list_undo(list, destroy_domain, remark);

	/* With something left, the journal stays for the next start, which tries again. */
	return all && remove_folder(folder);
}

static void load_journal(const char *folder, GPtrArray *list, GPtrArray *remark)
{
	g_autofree char *path = g_build_filename(folder, "journal", NULL);
	g_autofree char *text = NULL;
	guint damaged = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	keeper_list_apply_text(list, text, &damaged);
	if (damaged && remark)
		g_ptr_array_add(remark,
			g_strdup_printf("%s: %u damaged lines were skipped", path, damaged));
}

/* Until the other end closes, by whatever death. */
static void read_until_end(int fd, GPtrArray *list)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		g_string_append_len(text, chunk, n);
		g_string_erase(text, 0, (gssize)keeper_list_apply_text(list, text->str, NULL));
	}
}

static gboolean plausible_folder(const char *folder)
{
	g_autofree char *base = g_path_get_basename(folder);
	struct stat st;

	return g_str_has_prefix(base, "run-") && lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

int keeper_main(const char *folder, KeeperDomain destroy_domain)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGTSTP};
	g_autoptr(GPtrArray) list = keeper_list_new();
	gboolean all;

	if (!g_path_is_absolute(folder) || !plausible_folder(folder))
		return EXIT_FAILURE;
	/* A session of its own: Ctrl-C, a closed terminal and a killed process group end the
	 * harness only. */
	setsid();
	for (guint i = 0; i < G_N_ELEMENTS(ignored); i++)
		signal(ignored[i], SIG_IGN);
	(void)fcntl(LOCK_FD, F_SETFD, FD_CLOEXEC);
	load_journal(folder, list, NULL);
	if (write(STDOUT_FILENO, "k", 1) != 1)
		return EXIT_FAILURE;
	read_until_end(STDIN_FILENO, list);
	all = undo_folder(folder, list, destroy_domain, NULL);
	return all ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- recovery ---------------- */

static gboolean recover_folder(const char *folder, KeeperDomain destroy_domain, GPtrArray *remark)
{
	g_autofree char *lock = g_build_filename(folder, "lock", NULL);
	g_autoptr(GPtrArray) list = keeper_list_new();
	gboolean done = FALSE;
	int fd;

	if (!plausible_folder(folder))
		return FALSE;
	fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return FALSE;
	/* The lock belongs to harness and keeper together: free means that both are gone. */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		load_journal(folder, list, remark);
		done = undo_folder(folder, list, destroy_domain, remark);
		if (done && remark)
			g_ptr_array_add(remark,
				g_strdup_printf(
					"removed: the leftovers of a killed run in %s", folder));
	}
	close(fd);
	return done;
}

guint keeper_recover(KeeperDomain destroy_domain, GPtrArray *remark)
{
	g_autofree char *runtime = paths_runtime();
	g_autoptr(GDir) dir = g_dir_open(runtime, 0, NULL);
	const char *name;
	guint count = 0;
	int fd;

	/* What is wrong with the folder is keeper_start's to say. */
	if (!dir || !paths_ensure(runtime, NULL))
		return 0;
	fd = lock_runtime(runtime, NULL);
	if (fd < 0)
		return 0;
	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *folder = g_build_filename(runtime, name, NULL);

		if (g_str_has_prefix(name, "run-") &&
			recover_folder(folder, destroy_domain, remark))
			count++;
	}
	close(fd);
	return count;
}
