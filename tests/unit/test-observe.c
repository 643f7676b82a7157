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

static void plant_exits(const char *root, const char *name, const char *text)
{
	g_autofree char *folder = g_build_filename(root, name, NULL);
	g_autofree char *file = g_build_filename(folder, "exits", NULL);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

static void test_exits(void)
{
	g_autofree char *root = g_dir_make_tmp("iogap-kvm-XXXXXX", NULL);
	const char *const rm[] = {"rm", "-rf", "--", root, NULL};

	g_assert_cmpint(observe_debugfs_exits(root, 4242), ==, -1);
	plant_exits(root, "4242-12", "123456\n");
	plant_exits(root, "424-9", "7\n");
	g_assert_cmpint(observe_debugfs_exits(root, 4242), ==, 123456);
	g_assert_cmpint(observe_debugfs_exits("/nowhere", 4242), ==, -1);
	/* A machine may have several: their sum. What holds no number is no count of 0. */
	plant_exits(root, "4242-13", "44\n");
	g_assert_cmpint(observe_debugfs_exits(root, 4242), ==, 123500);
	plant_exits(root, "4242-13", "");
	g_assert_cmpint(observe_debugfs_exits(root, 4242), ==, 123456);
	plant_exits(root, "5000-3", "many\n");
	g_assert_cmpint(observe_debugfs_exits(root, 5000), ==, -1);
	plant_exits(root, "5000-3", "-7\n");
	g_assert_cmpint(observe_debugfs_exits(root, 5000), ==, -1);
	plant_exits(root, "5000-3", "0\n");
	g_assert_cmpint(observe_debugfs_exits(root, 5000), ==, 0);
	g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
}

/* Names as libvirt's statistics of processors have them. */
static void test_add_exits(void)
{
	static const struct {
		const char *field;
		guint64 value;
		gint64 expected;
	} rows[] = {
		{"vcpu.current", 2, -1}, {"vcpu.maximum", 4, -1}, {"vcpu.0.state", 1, -1}, {"vcpu.0.time", 5000000, -1},
		{"vcpu.0.halt_exits.sum", 70, -1}, {"vcpu.0.io_exits.sum", 71, -1}, {"vcpu.0.exits.cur", 72, -1},
		{"vcpu.0.exits.sum.more", 73, -1}, {"vcpu..exits.sum", 74, -1}, {"vcpu.x.exits.sum", 75, -1}, {"vm.0.exits.sum", 76, -1},
		{"vcpu.0.exits.sum", G_MAXUINT64, -1}, {"vcpu.0.exits.sum", 0, 0}, {"vcpu.1.exits.sum", 1000, 1000},
		{"vcpu.2.mmio_exits.sum", 9, 1000}, {"vcpu.15.exits.sum", 234, 1234},
	};
	gint64 exits = -1;

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		observe_add_exits(rows[i].field, rows[i].value, &exits);
		if (exits != rows[i].expected)
			g_error("after %s: %" G_GINT64_FORMAT, rows[i].field, exits);
	}
}

static void test_why_no_exits(void)
{
	g_autofree char *root = g_dir_make_tmp("iogap-kvm-XXXXXX", NULL);
	g_autofree char *tcg = observe_why_no_exits(FALSE, root);
	g_autofree char *there = observe_why_no_exits(TRUE, root);
	g_autofree char *absent = NULL;

	g_rmdir(root);
	absent = observe_why_no_exits(TRUE, root);
	g_assert_cmpstr(tcg, ==, "guests under TCG do not run in KVM and have no exits");
	g_assert_true(g_str_has_suffix(there, "did not tell them at both ends of the run"));
	g_assert_true(g_str_has_prefix(absent, "QEMU does not count the guest's exits (query-stats, from 7.1 on), and the kernel's counts"));
	g_assert_true(g_str_has_suffix(absent, ": No such file or directory"));
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
	g_test_add_func("/observe/add-exits", test_add_exits);
	g_test_add_func("/observe/why-no-exits", test_why_no_exits);
	g_test_add_func("/observe/cache", test_cache);
	return g_test_run();
}
