/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper: this program is harness, keeper and victim, each in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/keeper-list.h"
#include "harness/side/keeper.h"

#define WAIT_S 2

static char *base;

static gboolean destroy_domain(const char *what, gboolean *ret_was_there)
{
	g_autofree char *mark = g_strdup(strchr(what, ' ') + 1);

	/* Stands for a domain: NAME is a file. That it is called at all, before files go, is what
	 * is tested. */
	*ret_was_there = g_unlink(mark) == 0;
	return TRUE;
}

/* ---- lines ---------------- */

static void apply(GPtrArray *list, char sign, const char *kind, const char *what)
{
	g_autofree char *line = keeper_line(sign, kind, what);

	g_assert_true(keeper_list_apply(list, line));
}

static void test_lines(void)
{
	g_autoptr(GPtrArray) list = keeper_list_new();
	const KeeperEntry *entry;

	apply(list, '+', "file", "/a b\nc");
	apply(list, '+', "file", "/two");
	apply(list, '+', "file", "/two");
	apply(list, '-', "file", "/two");
	apply(list, '-', "file", "/never there");
	g_assert_cmpuint(list->len, ==, 2);
	entry = list->pdata[0];
	g_assert_cmpstr(entry->kind, ==, "file");
	g_assert_cmpstr(entry->what, ==, "/a b\nc");
}

static void test_damaged_lines(void)
{
	static const char *const damaged[] = {"", "x", "+ file /etc/passwd",
		"00000000 + file /etc/passwd", "zzzzzzzz + file /a", "\x01\x02\x03"};
	g_autoptr(GPtrArray) list = keeper_list_new();
	g_autofree char *good = keeper_line('+', "file", "/tmp/iogap/image");
	g_autofree char *relative = keeper_line('+', "file", "image");
	g_autofree char *unknown = keeper_line('+', "planet", "/mars");
	g_autofree char *sign = keeper_line('*', "file", "/tmp/iogap/image");
	g_autofree char *empty = keeper_line('+', "file", "");
	g_autofree char *cut = g_strndup(good, strlen(good) - 4);
	g_autofree char *text = g_strdup_printf("%s%s\n%sjunk", good, cut, good);
	guint count = 0;

	for (guint i = 0; i < G_N_ELEMENTS(damaged); i++)
		g_assert_false(keeper_list_apply(list, damaged[i]));
	/* Each prefix of a good line: what a full file system leaves behind. */
	for (gsize n = 0; n < strlen(good) - 1; n++) {
		g_autofree char *part = g_strndup(good, n);

		g_assert_false(keeper_list_apply(list, part));
	}
	g_assert_false(keeper_list_apply(list, relative));
	g_assert_false(keeper_list_apply(list, unknown));
	g_assert_false(keeper_list_apply(list, sign));
	g_assert_false(keeper_list_apply(list, empty));
	g_assert_cmpuint(list->len, ==, 0);
	g_assert_cmpuint(keeper_list_apply_text(list, text, &count), ==, strlen(text) - 4);
	g_assert_cmpuint(list->len, ==, 2);
	g_assert_cmpuint(count, ==, 2);
}

/* ---- undoing ---------------- */

static pid_t start_victim(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	g_assert_cmpint(pid, >, 0);
	return pid;
}

static gboolean is_gone(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGKILL;
}

/* Devices that are not named as ours are left alone, and those that are not there are gone. */
static void test_devices(void)
{
	static const char *const names[][2] = {{"mapper", "iogap-0badcafe-none"}, {"mapper", "vg-root"}, {"mapper", "iogap/../vg-root"},
		{"nullb", "nullb-iogap-0badcafe-none"}, {"nullb", "nullb0"}, {"nullb", "../iogap-"}};
	g_autoptr(GPtrArray) list = keeper_list_new();
	g_autoptr(GPtrArray) remark = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		apply(list, '+', names[i][0], names[i][1]);
	g_assert_cmpuint(list->len, ==, G_N_ELEMENTS(names));
	g_assert_true(keeper_list_undo(list, NULL, remark));
	g_assert_cmpuint(list->len, ==, 0);
	g_assert_cmpuint(remark->len, ==, 0);
}

static void test_other_process_with_this_id(void)
{
	g_autoptr(GPtrArray) list = keeper_list_new();
	g_autoptr(GPtrArray) remark = g_ptr_array_new_with_free_func(g_free);
	pid_t victim = start_victim();
	guint64 start = keeper_start_time(victim);
	g_autofree char *wrong = g_strdup_printf("%d %" G_GUINT64_FORMAT, victim, start + 1);
	g_autofree char *right = g_strdup_printf("%d %" G_GUINT64_FORMAT, victim, start);

	g_assert_cmpuint(start, >, 0);
	apply(list, '+', "process", wrong);
	apply(list, '+', "process", "1 1");
	apply(list, '+', "process", "junk");
	g_assert_true(keeper_list_undo(list, NULL, remark));
	g_assert_cmpuint(remark->len, ==, 0);
	g_assert_false(is_gone(victim));
	apply(list, '+', "process", right);
	g_assert_true(keeper_list_undo(list, NULL, remark));
	g_assert_cmpuint(remark->len, ==, 1);
	g_assert_true(is_gone(victim));
	g_assert_cmpuint(keeper_start_time(victim), ==, 0);
}

static void test_only_what_is_ours(void)
{
	g_autoptr(GPtrArray) list = keeper_list_new();
	g_autofree char *dir = g_build_filename(base, "kept", NULL);
	g_autofree char *file = g_build_filename(dir, "somebody's", NULL);

	g_assert_cmpint(g_mkdir(dir, 0700), ==, 0);
	g_assert_true(g_file_set_contents(file, "x", 1, NULL));
	apply(list, '+', "dir", dir);
	apply(list, '+', "file", dir);
	apply(list, '+', "mount", dir);
	apply(list, '+', "loop", "/dev/loop9999");
	apply(list, '+', "scheduler", "../x none");
	g_assert_true(keeper_list_undo(list, NULL, NULL));
	g_assert_true(g_file_test(file, G_FILE_TEST_EXISTS));
	g_unlink(file);
	g_rmdir(dir);
	/* Without a callback a domain stays listed: the next start tries again. */
	apply(list, '+', "domain", "test:///default x");
	g_assert_false(keeper_list_undo(list, NULL, NULL));
	g_assert_cmpuint(list->len, ==, 1);
}

/* ---- a harness that dies ---------------- */

typedef struct {
	char *file, *dir, *domain, *bystander;
	pid_t victim;
} Made;

static void made_clear(Made *made)
{
	g_unlink(made->bystander);
	g_free(made->file);
	g_free(made->dir);
	g_free(made->domain);
	g_free(made->bystander);
}

static void make(Made *made)
{
	made->dir = g_build_filename(base, "dir", NULL);
	made->file = g_build_filename(made->dir, "image of a run", NULL);
	made->domain = g_build_filename(base, "domain", NULL);
	made->bystander = g_build_filename(base, "bystander", NULL);
	made->victim = start_victim();
	g_assert_cmpint(g_mkdir(made->dir, 0700), ==, 0);
	g_assert_true(g_file_set_contents(made->file, "x", 1, NULL));
	g_assert_true(g_file_set_contents(made->domain, "x", 1, NULL));
	g_assert_true(g_file_set_contents(made->bystander, "x", 1, NULL));
}

static void announce(Keeper *keeper, const Made *made)
{
	g_autofree char *process = g_strdup_printf(
		"%d %" G_GUINT64_FORMAT, made->victim, keeper_start_time(made->victim));
	g_autofree char *domain = g_strdup_printf("test:///default %s", made->domain);

	keeper_add(keeper, "dir", made->dir);
	keeper_add(keeper, "file", made->file);
	keeper_add(keeper, "process", process);
	keeper_add(keeper, "domain", domain);
	keeper_add(keeper, "file", made->bystander);
	keeper_drop(keeper, "file", made->bystander);
}

/* Forks a harness that makes its announcements and is killed. Returns its run folder and its
 * keeper's pid. */
static char *dead_harness(const Made *made, gboolean kill_keeper_too, pid_t *ret_keeper)
{
	char text[256] = "";
	int report[2], harness_pid = 0, keeper_pid = 0;
	g_autofree char *lock = NULL;
	g_autofree char *ids = NULL;
	pid_t pid;

	g_assert_cmpint(pipe2(report, O_CLOEXEC), ==, 0);
	pid = fork();
	if (pid == 0) {
		Keeper *keeper = keeper_start(NULL);

		if (!keeper)
			_exit(1);
		announce(keeper, made);
		if (write(report[1], keeper_folder(keeper), strlen(keeper_folder(keeper))) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(report[1]);
	g_assert_cmpint(read(report[0], text, sizeof(text) - 1), >, 0);
	close(report[0]);
	lock = g_build_filename(text, "lock", NULL);
	g_assert_true(g_file_get_contents(lock, &ids, NULL, NULL));
	g_assert_cmpint(sscanf(ids, "%d %d", &harness_pid, &keeper_pid), ==, 2);
	g_assert_cmpint(harness_pid, ==, pid);
	/* The keeper first: else it would be quicker than this test. */
	if (kill_keeper_too)
		kill(keeper_pid, SIGKILL);
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	*ret_keeper = keeper_pid;
	return g_strdup(text);
}

static void wait_end(pid_t pid)
{
	struct pollfd wait = {.fd = pidfd_open(pid, 0), .events = POLLIN};

	if (wait.fd < 0)
		return;
	g_assert_cmpint(poll(&wait, 1, WAIT_S * 1000), ==, 1);
	close(wait.fd);
}

static void assert_undone(const Made *made, const char *folder)
{
	g_assert_true(is_gone(made->victim));
	g_assert_false(g_file_test(made->file, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(made->dir, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(made->domain, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(made->bystander, G_FILE_TEST_EXISTS));
}

static void test_killed_harness(void)
{
	Made made;
	g_autofree char *folder = NULL;
	pid_t keeper;

	make(&made);
	folder = dead_harness(&made, FALSE, &keeper);
	wait_end(keeper);
	assert_undone(&made, folder);
	g_assert_cmpuint(keeper_recover(destroy_domain, NULL), ==, 0);
	made_clear(&made);
}

static void test_killed_keeper_too(void)
{
	g_autoptr(GPtrArray) remark = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(Keeper) living = keeper_start(NULL);
	Made made;
	g_autofree char *folder = NULL;
	pid_t keeper;

	g_assert_nonnull(living);
	make(&made);
	folder = dead_harness(&made, TRUE, &keeper);
	wait_end(keeper);
	g_assert_true(g_file_test(made.file, G_FILE_TEST_EXISTS));
	g_assert_cmpuint(keeper_recover(destroy_domain, remark), ==, 1);
	assert_undone(&made, folder);
	/* dir, file, process, domain, and the folder itself. */
	g_assert_cmpuint(remark->len, ==, 5);
	g_assert_true(g_file_test(keeper_folder(living), G_FILE_TEST_IS_DIR));
	g_assert_cmpuint(keeper_recover(destroy_domain, NULL), ==, 0);
	made_clear(&made);
}

static void test_deaf_to_signals(void)
{
	static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	g_autoptr(Keeper) keeper = keeper_start(NULL);
	g_autofree char *lock = g_build_filename(keeper_folder(keeper), "lock", NULL);
	g_autofree char *ids = NULL;
	int harness_pid, keeper_pid;

	g_assert_true(g_file_get_contents(lock, &ids, NULL, NULL));
	g_assert_cmpint(sscanf(ids, "%d %d", &harness_pid, &keeper_pid), ==, 2);
	for (guint i = 0; i < G_N_ELEMENTS(deadly); i++)
		kill(keeper_pid, deadly[i]);
	g_assert_cmpint(getsid(keeper_pid), ==, keeper_pid);
	g_assert_cmpint(waitpid(keeper_pid, NULL, WNOHANG), ==, 0);
}

/* ---- a harness that ends well ---------------- */

static void stop_with(gboolean kill_keeper)
{
	Keeper *keeper = keeper_start(NULL);
	Made made;
	g_autofree char *folder = NULL;

	g_assert_nonnull(keeper);
	g_assert_cmpuint(strlen(keeper_run_id(keeper)), ==, 8);
	make(&made);
	folder = g_strdup(keeper_folder(keeper));
	if (kill_keeper) {
		g_autofree char *lock = g_build_filename(folder, "lock", NULL);
		g_autofree char *ids = NULL;
		int harness_pid, keeper_pid;

		g_assert_true(g_file_get_contents(lock, &ids, NULL, NULL));
		g_assert_cmpint(sscanf(ids, "%d %d", &harness_pid, &keeper_pid), ==, 2);
		kill(keeper_pid, SIGKILL);
		wait_end(keeper_pid);
	}
	announce(keeper, &made);
	keeper_stop(keeper);
	assert_undone(&made, folder);
	made_clear(&made);
}

static void test_stop(void)
{
	stop_with(FALSE);
}

/* The announcements then reach the journal only. */
static void test_stop_after_killed_keeper(void)
{
	stop_with(TRUE);
}

static void test_bad_folder(void)
{
	g_assert_cmpint(keeper_main("relative", destroy_domain), !=, 0);
	g_assert_cmpint(keeper_main("/", destroy_domain), !=, 0);
	g_assert_cmpint(keeper_main("/run-nowhere", destroy_domain), !=, 0);
	keeper_stop(NULL);
}

static void test_no_runtime(void)
{
	g_autofree char *old = g_strdup(g_getenv("IOGAP_RUNTIME"));
	g_autoptr(GError) error = NULL;

	g_setenv("IOGAP_RUNTIME", "/proc/nothing/can/be/made/here", TRUE);
	g_assert_null(keeper_start(&error));
	g_assert_nonnull(strstr(error->message, "/proc/nothing"));
	g_assert_cmpuint(keeper_recover(destroy_domain, NULL), ==, 0);
	g_setenv("IOGAP_RUNTIME", old, TRUE);
}

/* A holder that hangs is named, and nobody waits for it for ever. */
static void test_hanging_holder(void)
{
	g_autofree char *path = g_build_filename(base, "lock", NULL);
	g_autofree char *who = NULL;
	g_autoptr(GError) error = NULL;
	gint64 begin = g_get_monotonic_time();
	int pair[2];
	char byte;
	pid_t pid;

	g_assert_cmpint(pipe(pair), ==, 0);
	pid = fork();
	if (pid == 0) {
		int fd = open(path, O_RDWR | O_CREAT, 0600);

		if (flock(fd, LOCK_EX) < 0 || write(pair[1], "l", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	g_assert_cmpint(read(pair[0], &byte, 1), ==, 1);
	close(pair[0]);
	close(pair[1]);
	g_assert_null(keeper_start(&error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY);
	who = g_strdup_printf("process %d has held %s for more than 5 s", (int)pid, path);
	g_assert_nonnull(strstr(error->message, who));
	g_assert_cmpint((g_get_monotonic_time() - begin) / G_USEC_PER_SEC, <, 10);
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

/* In somebody else's folder not even a lock is made. */
static void test_foreign_runtime(void)
{
	g_autofree char *old = g_strdup(g_getenv("IOGAP_RUNTIME"));
	g_autofree char *foreign = g_build_filename(base, "foreign", NULL);
	g_autofree char *lock = g_build_filename(foreign, "lock", NULL);
	g_autoptr(GError) error = NULL;

	if (geteuid() != 0) {
		g_test_skip("needs root");
		return;
	}
	g_assert_cmpint(mkdir(foreign, 0777), ==, 0);
	g_assert_cmpint(chown(foreign, 65534, 65534), ==, 0);
	g_setenv("IOGAP_RUNTIME", foreign, TRUE);
	g_assert_cmpuint(keeper_recover(destroy_domain, NULL), ==, 0);
	g_assert_false(g_file_test(lock, G_FILE_TEST_EXISTS));
	g_assert_null(keeper_start(&error));
	g_assert_nonnull(strstr(error->message, "belongs to user 65534"));
	g_assert_false(g_file_test(lock, G_FILE_TEST_EXISTS));
	g_setenv("IOGAP_RUNTIME", old, TRUE);
	g_assert_cmpint(g_rmdir(foreign), ==, 0);
}

int main(int argc, char **argv)
{
	g_autofree char *lock = NULL;
	int status;

	if (argc == 3 && g_str_equal(argv[1], "keeper"))
		return keeper_main(argv[2], destroy_domain);
	g_test_init(&argc, &argv, NULL);
	base = g_dir_make_tmp("iogap-keeper-XXXXXX", NULL);
	g_setenv("IOGAP_RUNTIME", base, TRUE);
	g_test_add_func("/keeper/lines", test_lines);
	g_test_add_func("/keeper/damaged-lines", test_damaged_lines);
	g_test_add_func("/keeper/devices", test_devices);
	g_test_add_func("/keeper/other-process-with-this-id", test_other_process_with_this_id);
	g_test_add_func("/keeper/only-what-is-ours", test_only_what_is_ours);
	g_test_add_func("/keeper/killed-harness", test_killed_harness);
	g_test_add_func("/keeper/killed-keeper-too", test_killed_keeper_too);
	g_test_add_func("/keeper/deaf-to-signals", test_deaf_to_signals);
	g_test_add_func("/keeper/stop", test_stop);
	g_test_add_func("/keeper/stop-after-killed-keeper", test_stop_after_killed_keeper);
	g_test_add_func("/keeper/bad-folder", test_bad_folder);
	g_test_add_func("/keeper/no-runtime", test_no_runtime);
	g_test_add_func("/keeper/hanging-holder", test_hanging_holder);
	g_test_add_func("/keeper/foreign-runtime", test_foreign_runtime);
	status = g_test_run();
	lock = g_build_filename(base, "lock", NULL);
	g_unlink(lock);
	/* Anything else that is left makes this fail. */
	if (status == 0)
		g_assert_cmpint(g_rmdir(base), ==, 0);
	g_free(base);
	return status;
}
