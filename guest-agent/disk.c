/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/disk.h"

int disk_read_text(const char *path, char *buf, size_t size)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n] = 0;
	return (int)n;
}

int disk_sysfs(dev_t device, char *buf, size_t size)
{
	char path[64], real[PATH_MAX], partition[PATH_MAX + 16];
	char *name;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	if (!realpath(path, real))
		return -errno;
	/* A partition's folder lies in its disk's folder. */
	snprintf(partition, sizeof(partition), "%s/partition", real);
	if (access(partition, F_OK) == 0)
		*strrchr(real, '/') = 0;
	name = strrchr(real, '/');
	if (!name)
		return -ENOENT;
	snprintf(buf, size, "/sys/block/%s", name + 1);
	return 0;
}

bool disk_device(int fd, dev_t *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	*ret = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	return major(*ret) != 0;
}

const char *disk_filesystem(int fd)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{EXT4_SUPER_MAGIC, "ext4"}, /* ext2 and ext3 have the same number */
		{XFS_SUPER_MAGIC, "xfs"}, {BTRFS_SUPER_MAGIC, "btrfs"}, {TMPFS_MAGIC, "tmpfs"},
		{RAMFS_MAGIC, "ramfs"}, {OVERLAYFS_SUPER_MAGIC, "overlay"}, {NFS_SUPER_MAGIC, "nfs"},
		{F2FS_SUPER_MAGIC, "f2fs"}, {FUSE_SUPER_MAGIC, "fuse"}, {MSDOS_SUPER_MAGIC, "vfat"},
		{SYSFS_MAGIC, "sysfs"}, {PROC_SUPER_MAGIC, "proc"}, {0x2fc12fc1, "zfs"}, {0xca451a4e, "bcachefs"},
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return "unknown";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((unsigned long)fs.f_type == known[i].magic)
			return known[i].name;
	return "unknown";
}

static uint64_t read_number(const char *sysfs, const char *file)
{
	char path[PATH_MAX], text[32];
	char *end;
	uint64_t value;

	snprintf(path, sizeof(path), "%s/%s", sysfs, file);
	if (disk_read_text(path, text, sizeof(text)) <= 0)
		return 0;
	value = strtoull(text, &end, 10);
	return *end ? 0 : value;
}

/* One aligned direct read: some file systems refuse O_DIRECT at open, others at the first request. */
static int try_direct(int fd, const char *path, uint64_t file_size, uint64_t align)
{
	size_t size = align > 4096 ? align : 4096;
	CLEANUP_CLOSE int direct = -1;
	int mode = fcntl(fd, F_GETFL) & O_ACCMODE;
	void *buffer;
	int r = 0;

	direct = open(path, mode | O_DIRECT | O_CLOEXEC);
	if (direct < 0)
		return errno;
	if (mode == O_WRONLY || file_size < size)
		return 0;
	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return errno;
	if (pread(direct, buffer, size, 0) < 0)
		r = errno;
	munmap(buffer, size);
	return r;
}

static int take_size(int fd, const char *path, const struct stat *st, DiskFacts *ret, Fault *fault)
{
	ret->block = S_ISBLK(st->st_mode);
	if (!ret->block && !S_ISREG(st->st_mode))
		return fault_set(fault, EINVAL, "path", "%.200s is neither a regular file nor a block device", path);
	ret->size = (uint64_t)st->st_size;
	if (ret->block && ioctl(fd, BLKGETSIZE64, &ret->size) < 0)
		return fault_set(fault, errno, "path", "%.200s does not tell its size: %s", path, strerror(errno));
	return 0;
}

static void take_alignment(int fd, DiskFacts *ret)
{
	struct statx stx;
	bool told = false;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) == 0 && (stx.stx_mask & STATX_DIOALIGN)) {
		ret->mem_align = stx.stx_dio_mem_align;
		ret->offset_align = stx.stx_dio_offset_align;
		told = ret->offset_align != 0;
	}
	/* Kernels before 6.1, and file systems that do not answer: the sector of the device underneath. */
	if (!told)
		ret->mem_align = ret->offset_align = ret->logical_block_size ? ret->logical_block_size : 512;
}

int disk_facts(int fd, const char *path, DiskFacts *ret, Fault *fault)
{
	struct stat st;
	char sysfs[PATH_MAX];
	dev_t device;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (fstat(fd, &st) < 0)
		return fault_set(fault, errno, "path", "%.200s: %s", path, strerror(errno));
	r = take_size(fd, path, &st, ret, fault);
	if (r < 0)
		return r;
	if (disk_device(fd, &device) && disk_sysfs(device, sysfs, sizeof(sysfs)) == 0) {
		ret->logical_block_size = read_number(sysfs, "queue/logical_block_size");
		ret->physical_block_size = read_number(sysfs, "queue/physical_block_size");
	}
	if (!ret->block)
		ret->filesystem = disk_filesystem(fd);
	take_alignment(fd, ret);
	ret->direct = try_direct(fd, path, ret->size, ret->offset_align);
	if (ret->direct)
		ret->mem_align = ret->offset_align = 0;
	return 0;
}

const char *disk_scheduler(const char *sysfs, char *buf, size_t size)
{
	char path[PATH_MAX];
	char *begin, *end;

	snprintf(path, sizeof(path), "%s/queue/scheduler", sysfs);
	if (disk_read_text(path, buf, size) <= 0)
		return NULL;
	begin = strchr(buf, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return strchr(buf, ' ') ? NULL : buf; /* "none" alone has no brackets on some kernels */
	*end = 0;
	return begin + 1;
}
