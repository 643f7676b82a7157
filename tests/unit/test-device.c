/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which disks lie below a device: partitions, device-mapper, LVM on MD, loop devices and NVMe with several paths, as sysfs shows
 * them, in a tree of the test's own. The counters of each are planted, so that a sum tells what was found.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/device.h"
#include "tests/unit/tree-fixture.h"

static char *root;

static char *at(const char *path)
{
	return g_build_filename(root, path, NULL);
}

static void make_folder(const char *path)
{
	g_autofree char *full = at(path);

	g_assert_cmpint(g_mkdir_with_parents(full, 0700), ==, 0);
}

/* A disk that has done READS requests. */
static void disk(const char *folder, guint reads)
{
	g_autofree char *file = g_build_filename(folder, "stat", NULL);
	g_autofree char *stat = g_strdup_printf("%u 1 %u 0 0 0 0 0 0 7 9 0 0 0 0 0 0\n", reads, 8 * reads);

	put(root, file, stat);
}

/* UPPER lies on LOWER. */
static void lies_on(const char *upper, const char *lower)
{
	g_autofree char *slaves = g_build_filename(upper, "slaves", NULL);
	g_autofree char *base = g_path_get_basename(lower);
	g_autofree char *link = g_build_filename(root, slaves, base, NULL);
	g_autofree char *target = at(lower);

	make_folder(slaves);
	g_assert_cmpint(symlink(target, link), ==, 0);
}

static Device *find(const char *folder, char **ret_reason)
{
	g_autofree char *path = at(folder);

	return device_find_folder(path, ret_reason);
}

static void found(const char *folder, const char *names, gint64 reads)
{
	g_autofree char *reason = NULL;
	Device *device = find(folder, &reason);
	DeviceCounters counters;

	if (!device)
		g_error("%s: %s", folder, reason);
	g_assert_cmpstr(device_names(device), ==, names);
	g_assert_true(device_read(device, &counters));
	g_assert_cmpint(counters.reads, ==, reads);
	g_assert_cmpint(counters.read_bytes, ==, 4096 * reads);
	device_free(device);
}

static void not_found(const char *folder, const char *text)
{
	g_autofree char *reason = NULL;

	g_assert_null(find(folder, &reason));
	g_test_message("%s", reason);
	g_assert_nonnull(strstr(reason, text));
}

static void plant(void)
{
	disk("pci/sda", 1000);
	disk("pci/sda/sda1", 10);
	put(root, "pci/sda/sda1/partition", "1\n");
	disk("pci/sda/sda2", 20);
	put(root, "pci/sda/sda2/partition", "2\n");
	disk("pci/sdb", 300);
	/* dm-0: one partition. Its own counters are not those of a disk. */
	disk("virtual/dm-0", 77777);
	put(root, "virtual/dm-0/dm/name", "crypt\n");
	lies_on("virtual/dm-0", "pci/sda/sda2");
	/* md0: a mirror of a partition and a disk, dm-1 a volume on it, dm-2 a snapshot on dm-1 and dm-0. */
	disk("virtual/md0", 55555);
	put(root, "virtual/md0/md/level", "raid1\n");
	lies_on("virtual/md0", "pci/sda/sda1");
	lies_on("virtual/md0", "pci/sdb");
	disk("virtual/md0/md0p1", 5);
	put(root, "virtual/md0/md0p1/partition", "1\n");
	disk("virtual/dm-1", 1);
	put(root, "virtual/dm-1/dm/name", "group-volume\n");
	lies_on("virtual/dm-1", "virtual/md0");
	disk("virtual/dm-2", 1);
	put(root, "virtual/dm-2/dm/name", "group-snapshot\n");
	lies_on("virtual/dm-2", "virtual/dm-1");
	lies_on("virtual/dm-2", "virtual/dm-0");
	/* dm-3: two volumes of one disk. */
	disk("virtual/dm-3", 1);
	put(root, "virtual/dm-3/dm/name", "group-both\n");
	lies_on("virtual/dm-3", "virtual/dm-0");
	disk("virtual/dm-4", 1);
	put(root, "virtual/dm-4/dm/name", "group-other\n");
	lies_on("virtual/dm-4", "pci/sda/sda2");
	lies_on("virtual/dm-3", "virtual/dm-4");
	disk("virtual/dm-5", 1);
	put(root, "virtual/dm-5/dm/name", "zero\n");
	make_folder("virtual/dm-5/slaves");
	disk("virtual/zram0", 1);
	make_folder("pci/sdc");
	/* One namespace that two controllers lead to. Older kernels count nothing at its head. */
	disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", 0);
	disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n2", 0);
	disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1/nvme0n1p1", 0);
	put(root, "virtual/nvme-subsystem/nvme-subsys0/nvme0n1/nvme0n1p1/partition", "1\n");
	disk("pci/0/nvme/nvme0/nvme0c0n1", 40);
	disk("pci/0/nvme/nvme0/nvme0c0n2", 6000);
	disk("pci/1/nvme/nvme1/nvme0c1n1", 2);
	put(root, "pci/0/nvme/nvme0/state", "live\n");
	for (guint i = 0; i < 2; i++) {
		g_autofree char *target = g_strdup_printf("%s/pci/%u/nvme/nvme%u", root, i, i);
		g_autofree char *link = g_strdup_printf("%s/virtual/nvme-subsystem/nvme-subsys0/nvme%u", root, i);

		g_assert_cmpint(symlink(target, link), ==, 0);
	}
	disk("pci/2/nvme/nvme2/nvme2n1", 9);
}

static void test_stacks(void)
{
	found("pci/sda", "sda", 1000);
	found("pci/sda/sda2", "sda2", 20);
	found("virtual/dm-0", "sda2", 20);
	found("virtual/md0", "sda1 sdb", 310);
	found("virtual/dm-1", "sda1 sdb", 310);
	found("virtual/dm-2", "sda2 sda1 sdb", 330);
	/* A disk below two volumes is counted once. */
	found("virtual/dm-3", "sda2", 20);
	/* A partition of what lies on others: by what it lies on. */
	found("virtual/md0/md0p1", "sda1 sdb", 310);
}

static void test_nvme(void)
{
	found("pci/2/nvme/nvme2/nvme2n1", "nvme2n1", 9);
	found("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "nvme0c0n1 nvme0c1n1", 42);
	found("virtual/nvme-subsystem/nvme-subsys0/nvme0n1/nvme0n1p1", "nvme0c0n1 nvme0c1n1", 42);
	found("virtual/nvme-subsystem/nvme-subsys0/nvme0n2", "nvme0c0n2", 6000);
}

/* The file behind a loop device lies on this machine, wherever that is. */
static void test_loop(void)
{
	g_autofree char *backing = at("image"), *direct = NULL, *through = NULL;
	Device *a, *b;

	g_assert_true(g_file_set_contents(backing, "x", 1, NULL));
	disk("virtual/loop9", 1);
	put(root, "virtual/loop9/loop/backing_file", backing);
	disk("virtual/loop9/loop9p1", 1);
	put(root, "virtual/loop9/loop9p1/partition", "1\n");
	a = device_find(backing, &direct);
	for (guint i = 0; i < 2; i++) {
		g_clear_pointer(&through, g_free);
		b = find(i ? "virtual/loop9/loop9p1" : "virtual/loop9", &through);
		g_assert_cmpstr(direct, ==, through);
		g_assert_true(!a == !b);
		if (a)
			g_assert_cmpstr(device_names(a), ==, device_names(b));
		device_free(b);
	}
	device_free(a);
	put(root, "virtual/loop9/loop/backing_file", "/nonexistent/image");
	not_found("virtual/loop9", "/nonexistent/image");
}

static void test_none(void)
{
	not_found("virtual/dm-5", "device-mapper makes it from nothing");
	not_found("virtual/zram0", "zram0 is no storage");
	not_found("pci/sdc", "the kernel keeps no counters of sdc");
	not_found("pci/sdz", "does not exist");
	/* A stack that bites its tail ends. */
	disk("virtual/dm-8", 1);
	disk("virtual/dm-9", 1);
	lies_on("virtual/dm-8", "virtual/dm-9");
	lies_on("virtual/dm-9", "virtual/dm-8");
	not_found("virtual/dm-8", "devices lie on each other");
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	root = tree_new();
	plant();
	g_test_add_func("/device/stacks", test_stacks);
	g_test_add_func("/device/nvme", test_nvme);
	g_test_add_func("/device/loop", test_loop);
	g_test_add_func("/device/none", test_none);
	status = g_test_run();
	tree_free(root);
	return status;
}
