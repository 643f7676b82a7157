/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loop devices, by the kernel's own calls. */
#include "harness/side/target-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"

#define MIB (G_GUINT64_CONSTANT(1) << 20)
#define ATTACH_TRIES 16

/* One row per file system that can be made on a loop device. Whatever works later in the background
 * (lazy tables) is done at once: it would be measured otherwise. */
static const struct {
	const char *name;
	const char *package;
	guint64 overhead; /* bytes beside the data: tables, journal */
	const char *argv[8];
} filesystems[] = {
	{"ext4", "e2fsprogs", 48 * MIB,
		{"mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", NULL}},
	{"ext3", "e2fsprogs", 48 * MIB,
		{"mkfs.ext3", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0", NULL}},
	{"ext2", "e2fsprogs", 32 * MIB,
		{"mkfs.ext2", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0", NULL}},
	{"xfs", "xfsprogs", 320 * MIB, {"mkfs.xfs", "-q", "-f", "-K", NULL}},
	{"btrfs", "btrfs-progs", 320 * MIB, {"mkfs.btrfs", "-q", "-f", "-K", NULL}},
};

static int row_of(const char *filesystem)
{
	for (guint i = 0; i < G_N_ELEMENTS(filesystems); i++)
		if (g_str_equal(filesystems[i].name, filesystem))
			return (int)i;
	return -1;
}

gboolean target_loop_check(const char *filesystem, GError **error)
{
	int row = filesystem ? row_of(filesystem) : -1;

	if (filesystem && row < 0) {
		g_autoptr(GString) names = g_string_new(NULL);

		for (guint i = 0; i < G_N_ELEMENTS(filesystems); i++)
			g_string_append_printf(names, "%s%s", i ? ", " : "", filesystems[i].name);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"no file system \"%s\" can be made on a loop device; one of: %s", filesystem, names->str);
		return FALSE;
	}
	if (access("/dev/loop-control", F_OK) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED,
			"this machine has no loop devices (/dev/loop-control is missing); as root: modprobe loop");
		return FALSE;
	}
	if (faccessat(AT_FDCWD, "/dev/loop-control", R_OK | W_OK, AT_EACCESS) < 0 || (filesystem && geteuid() != 0)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED,
			"this user may not %s; run as root or use `type: file`",
			filesystem ? "mount a loop device" : "make loop devices (/dev/loop-control)");
		return FALSE;
	}
	if (row >= 0) {
		g_autofree char *program = g_find_program_in_path(filesystems[row].argv[0]);

		if (!program) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED,
				"%s is missing; as root: apt-get install %s", filesystems[row].argv[0],
				filesystems[row].package);
			return FALSE;
		}
	}
	return TRUE;
}

guint64 target_loop_backing_size(const char *filesystem, guint64 size)
{
	int row = filesystem ? row_of(filesystem) : -1;

	if (row < 0)
		return size;
	/* Metadata grows with the data: inode tables, extents, checksums. */
	return (size + size / 16 + filesystems[row].overhead + 4095) / 4096 * 4096;
}

static int attach_once(int control, int backing_fd, const char *backing, char **ret_device, GError **error)
{
	/* Autoclear: the kernel detaches the device when its last user closes it, however this program ends. A
	 * list that a keeper works off could detach a device that meanwhile serves somebody else. */
	struct loop_config config = {
		.fd = (guint32)backing_fd,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO,
	};
	g_autofree char *device = NULL;
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	int fd;

	if (number < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "no loop device is free: %s", g_strerror(errno));
		return -1;
	}
	device = g_strdup_printf("/dev/loop%d", number);
	fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot open the loop device %s: %s", device,
			g_strerror(errno));
		return -1;
	}
	g_strlcpy((char *)config.info.lo_file_name, backing, LO_NAME_SIZE);
	if (ioctl(fd, LOOP_CONFIGURE, &config) == 0) {
		int writable = 0;

		/* A read-only mark that an earlier user set outlives his file. */
		ioctl(fd, BLKROSET, &writable);
		*ret_device = g_steal_pointer(&device);
		return fd;
	}
	if (errno != EBUSY)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot attach %s to %s: %s%s", backing, device,
			g_strerror(errno), errno == EINVAL ? " (LOOP_CONFIGURE needs Linux 5.8)" : "");
	close(fd);
	return -1;
}

int target_loop_attach(const char *backing, char **ret_device, GError **error)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int backing_fd = open(backing, O_RDWR | O_CLOEXEC);
	g_autoptr(GError) local = NULL;
	int fd = -1;

	if (control < 0 || backing_fd < 0)
		g_set_error(&local, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot open %s: %s",
			control < 0 ? "/dev/loop-control" : backing, g_strerror(errno));
	/* Between "free" and "configure" another program may be faster: ask again. */
	for (int i = 0; i < ATTACH_TRIES && fd < 0 && !local; i++)
		fd = attach_once(control, backing_fd, backing, ret_device, &local);
	if (fd < 0 && !local)
		g_set_error(&local, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s: other programs took every free loop device; try again", backing);
	if (local)
		g_propagate_error(error, g_steal_pointer(&local));
	if (control >= 0)
		close(control);
	if (backing_fd >= 0)
		close(backing_fd);
	return fd;
}

void target_loop_detach(int fd, const char *device)
{
	g_autofree char *name = g_path_get_basename(device);
	g_autofree char *mark = g_strdup_printf("/sys/block/%s/loop", name);

	if (fd < 0)
		return;
	ioctl(fd, LOOP_CLR_FD);
	close(fd);
	/* The kernel finishes in the background; the backing file stays busy until then. */
	for (int i = 0; i < 100 && g_file_test(mark, G_FILE_TEST_EXISTS); i++)
		g_usleep(10 * 1000);
}

gboolean target_loop_mkfs(const char *device, const char *filesystem, GCancellable *cancel, GError **error)
{
	const char *argv[G_N_ELEMENTS(filesystems[0].argv) + 1];
	int row = row_of(filesystem);
	guint n = 0;

	g_return_val_if_fail(row >= 0, FALSE);
	for (; filesystems[row].argv[n]; n++)
		argv[n] = filesystems[row].argv[n];
	argv[n] = device;
	argv[n + 1] = NULL;
	return subprocess_run_long(argv, 120, cancel, NULL, NULL, NULL, error);
}
