/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real files with and without holes, on the disk and in memory; the device below a file. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/device.h"
#include "harness/run/extents.h"

#define SIZE (1 << 20)

static void write_all(int fd, off_t at, gsize size)
{
	g_autofree char *data = g_malloc(size);

	memset(data, 0x5a, size);
	g_assert_cmpint(pwrite(fd, data, size, at), ==, (gssize)size);
	g_assert_cmpint(fsync(fd), ==, 0);
}

static void expect(const char *path, guint64 size, const char *part)
{
	g_autoptr(GError) error = NULL;
	gboolean ok = extents_check(path, size, &error);

	if (!part) {
		g_assert_no_error(error);
		g_assert_true(ok);
		return;
	}
	g_assert_false(ok);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	if (!strstr(error->message, part))
		g_error("\"%s\" is not in \"%s\"", part, error->message);
}

static void try_folder(const char *template, const char *reserved)
{
	g_autofree char *path = g_strdup(template);
	int fd = g_mkstemp(path);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(ftruncate(fd, SIZE), ==, 0);
	expect(path, SIZE, "a hole at byte 0");
	write_all(fd, 0, SIZE);
	expect(path, SIZE, NULL);
	/* Beyond the end there is nothing. */
	expect(path, 2 * SIZE, "a hole at byte 1048576");
	g_assert_cmpint(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 65536, 4096), ==, 0);
	expect(path, SIZE, "at byte 65536");
	expect(path, 65536, NULL);
	g_assert_cmpint(fallocate(fd, 0, 65536, 4096), ==, 0);
	expect(path, SIZE, reserved);
	write_all(fd, 65536, 4096);
	expect(path, SIZE, NULL);
	close(fd);
	g_unlink(path);
	expect(path, SIZE, "cannot be opened");
}

static void test_disk(void)
{
	g_autofree char *template = g_build_filename(g_get_tmp_dir(), "iogap-extents-XXXXXX", NULL);

	/* Space that is reserved but was never written counts as blocks, and reads as zeros from memory. */
	try_folder(template, "at byte 65536");
}

static void test_memory(void)
{
	try_folder("/dev/shm/iogap-extents-XXXXXX", "at byte 65536");
}

static void test_device(void)
{
	g_autofree char *reason = NULL, *none = NULL;
	g_autoptr(Device) memory = device_find("/dev/shm", &reason);
	g_autoptr(Device) missing = device_find("/there/is/no/such/file", &none);

	g_assert_null(memory);
	g_assert_nonnull(strstr(reason, "lies in memory"));
	g_assert_null(missing);
	g_assert_nonnull(strstr(none, "No such file"));
}

/* Whatever lies below the build's folder counts what is written there; a file system without a device says why not. */
static void test_counters(void)
{
	g_autofree char *path = g_build_filename(g_get_tmp_dir(), "iogap-device-XXXXXX", NULL);
	g_autofree char *reason = NULL;
	int fd = g_mkstemp(path);
	g_autoptr(Device) device = device_find(path, &reason);
	DeviceCounters before, after;

	g_assert_cmpint(fd, >=, 0);
	if (!device) {
		g_assert_nonnull(reason);
		g_test_skip(reason);
	} else {
		g_assert_null(reason);
		g_assert_cmpstr(device_names(device), !=, "");
		g_assert_true(device_read(device, &before));
		write_all(fd, 0, 4 * SIZE);
		g_assert_true(device_read(device, &after));
		g_assert_cmpint(after.write_bytes - before.write_bytes, >=, 4 * SIZE);
		g_assert_cmpint(after.writes, >, before.writes);
	}
	close(fd);
	g_unlink(path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/extents/disk", test_disk);
	g_test_add_func("/extents/memory", test_memory);
	g_test_add_func("/device/none", test_device);
	g_test_add_func("/device/counters", test_counters);
	return g_test_run();
}
