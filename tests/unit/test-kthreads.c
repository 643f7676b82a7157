/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time of the kernel's threads, from a /proc that is planted: those of this machine do what they like. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "guest-agent/common/clock.h"
#include "harness/base/process-stat.h"
#include "harness/run/kthreads.h"

static char *root;

static void plant(int pid, const char *name, int parent, int user, int sys, int start)
{
	g_autofree char *dir = g_strdup_printf("%s/%d", root, pid);
	g_autofree char *path = g_build_filename(dir, "stat", NULL);
	g_autofree char *text = g_strdup_printf("%d (%s) S %d 0 0 0 -1 2129984 0 0 0 0 %d %d 0 0 20 0 1 0 %d 0 0\n", pid, name, parent,
		user, sys, start);

	g_mkdir_with_parents(dir, 0700);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void uproot(int pid)
{
	g_autofree char *dir = g_strdup_printf("%s/%d", root, pid);
	g_autofree char *path = g_build_filename(dir, "stat", NULL);

	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_rmdir(dir), ==, 0);
}

static void test_stat(void)
{
	g_autofree char *path = g_strdup_printf("%s/9/stat", root);
	ProcessStat stat;

	plant(9, "a) S 2 (b", 7, 3, 4, 55);
	g_assert_true(process_stat_read(path, &stat));
	g_assert_cmpstr(stat.name, ==, "a) S 2 (b");
	g_assert_cmpint(stat.parent, ==, 7);
	g_assert_cmpint(stat.user_ns, ==, process_ticks_ns(3));
	g_assert_cmpint(stat.system_ns, ==, process_ticks_ns(4));
	g_assert_cmpuint(stat.start, ==, 55);
	g_assert_true(g_file_set_contents(path, ") 9 (x", -1, NULL));
	g_assert_false(process_stat_read(path, &stat));
	g_assert_true(g_file_set_contents(path, "9 (x) S 1 2", -1, NULL));
	g_assert_false(process_stat_read(path, &stat));
	uproot(9);
	g_assert_false(process_stat_read(path, &stat));
}

static void test_spent(void)
{
	g_autoptr(Kthreads) begin = NULL, end = NULL;

	plant(1, "init", 0, 500, 500, 1);
	plant(2, "kthreadd", 0, 0, 1, 1);
	plant(10, "ksoftirqd/0", 2, 0, 100, 1);
	plant(11, "kworker/0:1", 2, 0, 1000, 1);
	plant(12, "kworker/u8:0-loop0", 2, 0, 40, 9);
	plant(20, "kthreadd", 1, 70, 7, 1); /* only called so */
	begin = kthreads_look(root);
	plant(10, "ksoftirqd/0", 2, 0, 130, 1); /* 30 more */
	uproot(11); /* ended: what it had before is not taken off */
	plant(12, "kworker/1:3", 2, 0, 5, 77); /* the id again: 5 from nothing */
	plant(13, "kworker/1:4", 2, 1, 1, 80); /* made since: 2 */
	plant(20, "kthreadd", 1, 170, 17, 1);
	end = kthreads_look(root);
	g_assert_cmpint(kthreads_spent(begin, end), ==, process_ticks_ns(37));
	g_assert_cmpint(kthreads_spent(end, end), ==, 0);
}

/* A watch counts what moved between its two moments, beside what came before and after; without a begin nothing is told. */
static void test_watch(void)
{
	KthreadWatch *watch;
	gint64 end;

	plant(2, "kthreadd", 0, 0, 1, 1);
	plant(10, "ksoftirqd/0", 2, 0, 100, 1);
	watch = kthreads_watch(root);
	g_assert_nonnull(watch);
	plant(10, "ksoftirqd/0", 2, 0, 200, 1);
	g_assert_cmpint(kthreads_end(watch, (gint64)clock_read(CLOCK_BOOTTIME)), ==, -1);
	kthreads_begin(watch, (gint64)clock_read(CLOCK_BOOTTIME) + 1000000000); /* the latest reading it is */
	plant(10, "ksoftirqd/0", 2, 0, 230, 1);
	plant(14, "kworker/1:4", 2, 0, 4, 80);
	g_usleep(250000);
	while (g_main_context_iteration(NULL, FALSE)) /* the timer's look */
		;
	uproot(14); /* what it had at its last sight stays counted */
	end = (gint64)clock_read(CLOCK_BOOTTIME);
	plant(10, "ksoftirqd/0", 2, 0, 999, 1);
	g_usleep(300000);
	kthreads_stop(watch);
	/* The rise of 769 ticks lies between two looks, the end near the first of them. */
	g_assert_cmpint(kthreads_end(watch, end), >=, process_ticks_ns(34));
	g_assert_cmpint(kthreads_end(watch, end), <, process_ticks_ns(400));
	g_assert_cmpint(kthreads_end(watch, G_MAXINT64), ==, process_ticks_ns(34 + 769));
	kthreads_unwatch(watch);
	g_assert_null(kthreads_watch("/nonexistent"));
	g_assert_cmpint(kthreads_end(NULL, 0), ==, -1);
	uproot(10);
}

/* In a container with process ids of its own number 2 is a process like any other, or there is none. */
static void test_unseen(void)
{
	g_autoptr(Kthreads) seen = NULL;

	plant(2, "kthreadd", 0, 0, 1, 1);
	seen = kthreads_look(root);
	g_assert_nonnull(seen);
	plant(2, "sh", 1, 0, 1, 1);
	g_assert_null(kthreads_look(root));
	uproot(2);
	g_assert_null(kthreads_look(root));
	g_assert_null(kthreads_look("/nonexistent"));
	g_assert_cmpint(kthreads_spent(NULL, seen), ==, -1);
	g_assert_cmpint(kthreads_spent(seen, NULL), ==, -1);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	int status;

	g_test_init(&argc, &argv, NULL);
	root = g_dir_make_tmp("iogap-kthreads-XXXXXX", &error);
	g_assert_no_error(error);
	g_test_add_func("/kthreads/stat", test_stat);
	g_test_add_func("/kthreads/spent", test_spent);
	g_test_add_func("/kthreads/watch", test_watch);
	g_test_add_func("/kthreads/unseen", test_unseen);
	status = g_test_run();
	for (int pid = 1; pid <= 20; pid++) {
		g_autofree char *path = g_strdup_printf("%s/%d/stat", root, pid);

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			uproot(pid);
	}
	g_rmdir(root);
	return status;
}
