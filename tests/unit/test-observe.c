/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a QEMU does its I/O, told from outside: on this very process, and on figures as they were seen. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/subprocess.h"
#include "harness/side/guest/guest-observe.h"

static void test_aio(void)
{
	const ProcessIo before = {1000, 50}, unknown = {-1, -1};
	const ProcessIo calls = {1000 + 4096000, 50}, ring = {1900, 1050}, neither = {1900, 53};

	g_assert_cmpstr(observe_aio(&before, &calls, 4096000, 1000), ==, "threads");
	g_assert_cmpstr(observe_aio(&before, &ring, 4096000, 1000), ==, "io_uring");
	g_assert_cmpstr(observe_aio(&before, &neither, 4096000, 1000), ==, "native");
	/* Too little to tell, and nothing to tell it by. */
	g_assert_null(observe_aio(&before, &calls, 4096, 1));
	g_assert_null(observe_aio(&unknown, &calls, 4096000, 1000));
	g_assert_null(observe_aio(&before, &unknown, 4096000, 1000));
}

static void test_process(void)
{
	ProcessIo before, after, none;
	char text[4096];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	observe_process(getpid(), &before);
	g_assert_cmpint(before.characters, >, 0);
	g_assert_cmpint(before.ring_tail, ==, 0);
	g_assert_cmpint(read(fd, text, sizeof(text)), ==, sizeof(text));
	observe_process(getpid(), &after);
	g_assert_cmpint(after.characters - before.characters, >=, sizeof(text));
	close(fd);
	observe_process(0, &none);
	g_assert_cmpint(none.characters, ==, -1);
}

static void test_direct(void)
{
	g_autofree char *path = g_strdup("iogap-direct-XXXXXX");
	g_autoptr(GArray) all = NULL;
	int plain = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600), direct;
	g_autoptr(GArray) only = g_array_new(FALSE, FALSE, sizeof(int));

	g_assert_cmpint(plain, >=, 0);
	g_assert_cmpint(observe_direct(getpid(), path, NULL), ==, 0);
	direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (direct < 0) {
		g_unlink(path);
		close(plain);
		g_test_skip("the file system of this folder has no O_DIRECT");
		return;
	}
	/* Two disks on one image: only who opened which descriptor tells them apart. */
	g_assert_cmpint(observe_direct(getpid(), path, NULL), ==, -2);
	all = observe_descriptors(getpid(), path);
	g_assert_cmpuint(all->len, ==, 2);
	g_array_append_val(only, direct);
	g_assert_cmpint(observe_direct(getpid(), path, only), ==, 1);
	close(plain);
	g_assert_cmpint(observe_direct(getpid(), path, NULL), ==, 1);
	close(direct);
	g_assert_cmpint(observe_direct(getpid(), path, NULL), ==, -1);
	g_unlink(path);
	g_assert_cmpint(observe_direct(getpid(), path, NULL), ==, -1);
}

static void test_exits(void)
{
	g_autofree char *root = g_dir_make_tmp("iogap-kvm-XXXXXX", NULL);
	const char *const rm[] = {"rm", "-rf", "--", root, NULL};
	static const char *const folders[] = {"4242-12", "424-9"};

	g_assert_cmpint(observe_debugfs_exits(root, 4242), ==, -1);
	for (guint i = 0; i < 2; i++) {
		g_autofree char *folder = g_build_filename(root, folders[i], NULL);
		g_autofree char *file = g_build_filename(folder, "exits", NULL);

		g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
		g_assert_true(g_file_set_contents(file, i ? "7\n" : "123456\n", -1, NULL));
	}
	g_assert_cmpint(observe_debugfs_exits(root, 4242), ==, 123456);
	g_assert_cmpint(observe_debugfs_exits("/nowhere", 4242), ==, -1);
	g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
}

static void test_cache(void)
{
	g_assert_cmpstr(observe_cache(TRUE, TRUE, FALSE), ==, "none");
	g_assert_cmpstr(observe_cache(TRUE, FALSE, FALSE), ==, "writeback");
	g_assert_cmpstr(observe_cache(FALSE, FALSE, FALSE), ==, "writethrough");
	g_assert_cmpstr(observe_cache(FALSE, TRUE, FALSE), ==, "directsync");
	g_assert_cmpstr(observe_cache(TRUE, FALSE, TRUE), ==, "unsafe");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/observe/aio", test_aio);
	g_test_add_func("/observe/process", test_process);
	g_test_add_func("/observe/direct", test_direct);
	g_test_add_func("/observe/exits", test_exits);
	g_test_add_func("/observe/cache", test_cache);
	return g_test_run();
}
