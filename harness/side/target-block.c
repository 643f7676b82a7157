/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block device as target: everything that forbids writing to it. */
#include "harness/side/target-private.h"

#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "harness/base/error.h"

static gboolean refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean refuse(GError **error, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, message);
	return FALSE;
}

static char *sysfs_of(dev_t rdev)
{
	return g_strdup_printf("/sys/dev/block/%u:%u", major(rdev), minor(rdev));
}

/* The numbers of the device and of its partitions: a mounted partition forbids the disk. */
static GArray *numbers_of(dev_t rdev)
{
	g_autofree char *folder = sysfs_of(rdev);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(dev_t));
	const char *name;

	g_array_append_val(numbers, rdev);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *mark = g_build_filename(folder, name, "partition", NULL);
		g_autofree char *file = g_build_filename(folder, name, "dev", NULL);
		g_autofree char *text = NULL;
		guint maj, min;
		dev_t part;

		if (!g_file_test(mark, G_FILE_TEST_EXISTS) || !g_file_get_contents(file, &text, NULL, NULL) ||
			sscanf(text, "%u:%u", &maj, &min) != 2)
			continue;
		part = makedev(maj, min);
		g_array_append_val(numbers, part);
	}
	return numbers;
}

static gboolean contains(const GArray *numbers, dev_t number)
{
	for (guint i = 0; i < numbers->len; i++)
		if (g_array_index(numbers, dev_t, i) == number)
			return TRUE;
	return FALSE;
}

/* TRUE when SOURCE ("/dev/sda1") is one of the devices; btrfs and others hide the number of their device. */
static gboolean is_source(const char *source, const GArray *numbers)
{
	struct stat st;

	return source && source[0] == '/' && stat(source, &st) == 0 && S_ISBLK(st.st_mode) &&
		contains(numbers, st.st_rdev);
}

static gboolean not_mounted(const char *device, const GArray *numbers, GError **error)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	gboolean fine = TRUE;

	if (!table || !iter)
		fine = refuse(error, "%s: cannot tell whether it is mounted: /proc/self/mountinfo cannot be read", device);
	while (fine && mnt_table_next_fs(table, iter, &fs) == 0)
		if (contains(numbers, mnt_fs_get_devno(fs)) || is_source(mnt_fs_get_source(fs), numbers))
			fine = refuse(error, "%s is mounted at %s; unmount it or name another device", device,
				mnt_fs_get_target(fs));
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return fine;
}

static gboolean not_swap(const char *device, const GArray *numbers, GError **error)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	gboolean fine = TRUE;

	/* A kernel without swap has no such file: nothing swaps then. */
	if (table && iter && mnt_table_parse_swaps(table, NULL) == 0)
		while (fine && mnt_table_next_fs(table, iter, &fs) == 0)
			if (is_source(mnt_fs_get_source(fs), numbers))
				fine = refuse(error, "%s is swap space; `swapoff` it or name another device", device);
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return fine;
}

/* Device-mapper and md stand as links in the holders folder of what they use. */
static gboolean not_held(const char *device, const GArray *numbers, GError **error)
{
	for (guint i = 0; i < numbers->len; i++) {
		g_autofree char *folder = sysfs_of(g_array_index(numbers, dev_t, i));
		g_autofree char *holders = g_build_filename(folder, "holders", NULL);
		g_autoptr(GDir) dir = g_dir_open(holders, 0, NULL);
		const char *holder = dir ? g_dir_read_name(dir) : NULL;

		if (holder)
			return refuse(error, "%s is used by %s (device mapper or RAID); name another device", device,
				holder);
	}
	return TRUE;
}

static gboolean not_signed(const char *device, int fd, GError **error)
{
	blkid_probe probe = blkid_new_probe();
	const char *type = NULL;
	gboolean fine = FALSE;
	int rc;

	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) != 0) {
		refuse(error, "%s: cannot look for signatures: %s", device, g_strerror(errno));
		goto out;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	rc = blkid_do_safeprobe(probe);
	if (rc == 1)
		fine = TRUE;
	else if (rc == 0 && blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL) == 0)
		refuse(error, "%s has a partition table (%s); if nothing on it is wanted, remove it: wipefs -a %s", device,
			type, device);
	else if (rc == 0 && blkid_probe_lookup_value(probe, "TYPE", &type, NULL) == 0)
		refuse(error, "%s holds a signature (%s); if nothing on it is wanted, remove it: wipefs -a %s", device,
			type, device);
	else if (rc < -1)
		refuse(error, "%s holds several signatures; if nothing on it is wanted, remove them: wipefs -a %s", device,
			device);
	else
		refuse(error, "%s: looking for signatures failed; read errors?", device);
out:
	blkid_free_probe(probe);
	return fine;
}

static gboolean idle(const char *device, const GArray *numbers, GError **error)
{
	return not_mounted(device, numbers, error) && not_swap(device, numbers, error) && not_held(device, numbers, error);
}

gboolean target_device_idle(const char *device, GError **error)
{
	g_autoptr(GArray) numbers = NULL;
	struct stat st;

	if (stat(device, &st) < 0)
		return refuse(error, "there is no device %s: %s", device, g_strerror(errno));
	numbers = numbers_of(st.st_rdev);
	return idle(device, numbers, error);
}

int target_block_claim(const char *device, GError **error)
{
	int fd = open(device, O_RDWR | O_EXCL | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EBUSY)
		refuse(error, "%s is in use by another program or the kernel; `fuser -v %s` may show it", device, device);
	else if (errno == EACCES || errno == EPERM)
		refuse(error, "%s: this user may not write to it; run as root or as a member of its group", device);
	else if (errno == EROFS)
		refuse(error, "%s is read-only; name another device", device);
	else
		refuse(error, "cannot open %s: %s", device, g_strerror(errno));
	return -1;
}

static gboolean big_enough(const char *device, int fd, guint64 asked, Record *record, GError **error)
{
	guint64 size = 0;
	int read_only = 0;

	if (ioctl(fd, BLKGETSIZE64, &size) < 0)
		return refuse(error, "cannot tell the size of %s: %s", device, g_strerror(errno));
	if (size == 0)
		return refuse(error,
			"%s has no medium: it has 0 bytes (a loop or network device to which nothing is attached, or an "
			"empty drive); attach one or name another device",
			device);
	if (ioctl(fd, BLKROGET, &read_only) == 0 && read_only)
		return refuse(error, "%s is read-only; name another device", device);
	if (size < 4096 || asked > size) {
		g_autofree char *have = target_size_text(size);
		g_autofree char *want = target_size_text(asked);

		return refuse(error, "%s is too small: it has %s, the target asks for %s; leave out size to use all of it",
			device, have, want);
	}
	if (record)
		record_set_int(record, "size", (gint64)(asked ? asked : size / 4096 * 4096));
	return TRUE;
}

/* One aligned direct read: nothing is written before all checks have passed. */
static void probe_device(const char *device, dev_t rdev, int fd, Record *record)
{
	g_autofree char *sysfs = sysfs_of(rdev);
	g_autofree char *link = g_file_read_link(sysfs, NULL);
	g_autofree char *base = link ? g_path_get_basename(link) : NULL;
	gboolean memory = base && (g_str_has_prefix(base, "zram") || g_str_has_prefix(base, "ram"));
	void *buffer = NULL;
	int open_errno = 0, read_errno = 0, sector = 0;
	int direct_fd = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC);
	g_autofree char *reason = NULL;
	int direct;

	if (direct_fd < 0)
		open_errno = errno;
	else if (posix_memalign(&buffer, 4096, 4096) != 0)
		read_errno = ENOMEM;
	else if (pread(direct_fd, buffer, 4096, 0) != 4096)
		read_errno = errno ? errno : EIO;
	free(buffer);
	if (direct_fd >= 0)
		close(direct_fd);
	direct = target_direct_verdict(NULL, memory, open_errno, read_errno, &reason);
	record_set_null(record, "filesystem");
	record_set_int(record, "memory", memory);
	record_set_int(record, "direct", direct);
	record_set_text(record, "direct_reason", reason);
	if (ioctl(fd, BLKSSZGET, &sector) == 0 && sector > 0)
		record_set_int(record, "sector_size", sector);
	else
		record_set_null(record, "sector_size");
}

gboolean target_block_look(const char *device, guint64 spec_size, Record *record, GError **error)
{
	int fd = target_block_claim(device, error);
	gboolean fine = fd >= 0 && big_enough(device, fd, spec_size, record, error);
	struct stat st;

	if (fine && fstat(fd, &st) == 0)
		probe_device(device, st.st_rdev, fd, record);
	if (fd >= 0)
		close(fd);
	return fine;
}

gboolean target_block_check(const char *device, guint64 spec_size, Record *record, GError **error)
{
	g_autoptr(GArray) numbers = NULL;
	gboolean fine;
	struct stat st;
	int fd;

	if (stat(device, &st) < 0)
		return refuse(error, "there is no device %s: %s", device, g_strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return refuse(error, "%s is not a block device; for files use `type: file`", device);
	numbers = numbers_of(st.st_rdev);
	if (!idle(device, numbers, error))
		return FALSE;
	fd = target_block_claim(device, error);
	if (fd < 0)
		return FALSE;
	fine = big_enough(device, fd, spec_size, record, error);
	if (fine && numbers->len > 1)
		fine = refuse(error, "%s has %u partitions; name one of them, or another device", device, numbers->len - 1);
	fine = fine && not_signed(device, fd, error);
	if (fine && record)
		probe_device(device, st.st_rdev, fd, record);
	close(fd);
	return fine;
}
