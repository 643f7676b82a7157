/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/storage.h"

static int open_flags(const Job *job)
{
	/* O_RDWR also for pure writes: the trial of direct I/O reads one block. */
	int flags = (job_writes(job) ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY;

	if (job->direct)
		flags |= O_DIRECT;
	if (job->sync == SYNC_DSYNC)
		flags |= O_DSYNC;
	if (job->sync == SYNC_SYNC)
		flags |= O_SYNC;
	return flags;
}

static int refuse_direct(const char *path, const char *where, int code, Fault *fault)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fault_set(fault, code, "direct", "%.200s: O_DIRECT is refused at %s (%s); it lies on %s", path, where,
		strerror(code), fd < 0 ? "an unknown file system" : disk_filesystem(fd));
}

static int open_path(const Job *job, Fault *fault)
{
	int flags = open_flags(job);
	int fd = open(job->path, flags | O_NONBLOCK); /* O_NONBLOCK: a FIFO must not hang the agent; files ignore it */
	int code = errno;

	if (fd >= 0) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		return fd;
	}
	if (code == EINVAL && job->direct)
		return refuse_direct(job->path, "open", code, fault);
	return fault_set(fault, code, "path", "%.200s cannot be opened for %s: %s", job->path,
		job_writes(job) ? "writing" : "reading", strerror(code));
}

static int check_alignment(const Job *job, const DiskFacts *facts, Fault *fault)
{
	uint64_t align = facts->offset_align;

	if (facts->direct)
		return refuse_direct(job->path, "the first read", facts->direct, fault);
	if (job->block_size % align)
		return fault_set(fault, EINVAL, "block_size",
			"block_size %llu is not a multiple of %llu, which direct I/O on %.200s needs",
			(unsigned long long)job->block_size, (unsigned long long)align, job->path);
	if (job->offset % align)
		return fault_set(fault, EINVAL, "offset", "offset %llu is not a multiple of %llu, which direct I/O on %.200s needs",
			(unsigned long long)job->offset, (unsigned long long)align, job->path);
	return 0;
}

/*
 * Holes and unwritten extents are answered from memory, not from the storage: what they give is no measurement. File
 * systems that cannot tell report one hole, at the end.
 */
static int check_holes(const Job *job, int fd, Fault *fault)
{
	off_t end = (off_t)(job->offset + job->size);
	off_t hole = lseek(fd, (off_t)job->offset, SEEK_HOLE);

	if (hole < 0 || hole >= end)
		return 0;
	return fault_set(fault, ENODATA, "path", "%.200s has a hole or unwritten space at byte %lld: fill it before it is read",
		job->path, (long long)hole);
}

/* The kernel lets a read-only device be opened for writing, and fails the first write. */
static int check_writable(const Job *job, int fd, Fault *fault)
{
	int read_only = 0;

	if (ioctl(fd, BLKROGET, &read_only) < 0 || !read_only)
		return 0;
	return fault_set(fault, EROFS, "path", "%.200s is a read-only device (blockdev --setrw changes it)", job->path);
}

static int check(const Job *job, const Storage *storage, Fault *fault)
{
	const DiskFacts *facts = &storage->facts;
	int r = 0;

	if (facts->size < job->offset + job->size)
		return fault_set(fault, EINVAL, "size", "%.200s has %llu bytes, the job needs %llu: offset %llu and size %llu", job->path,
			(unsigned long long)facts->size, (unsigned long long)(job->offset + job->size),
			(unsigned long long)job->offset, (unsigned long long)job->size);
	if (facts->block && job_writes(job))
		r = check_writable(job, storage->fd, fault);
	if (r == 0 && job->direct)
		r = check_alignment(job, facts, fault);
	if (r == 0 && !facts->block && job_reads(job))
		r = check_holes(job, storage->fd, fault);
	return r;
}

static void read_back(Storage *storage)
{
	int flags = fcntl(storage->fd, F_GETFL);

	storage->direct = flags & O_DIRECT;
	storage->sync_flags = (flags & O_SYNC) == O_SYNC ? "sync" : flags & O_DSYNC ? "dsync" : "none";
}

int storage_open(const Job *job, Storage *ret, Fault *fault)
{
	dev_t device;
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->fd = -1;
	ret->sync_flags = "none";
	if (engines[job->engine]->no_file)
		return 0;
	ret->fd = open_path(job, fault);
	if (ret->fd < 0)
		return ret->fd;
	r = disk_facts(ret->fd, job->path, &ret->facts, fault);
	if (r == 0)
		r = check(job, ret, fault);
	if (r < 0) {
		storage_close(ret);
		return r;
	}
	read_back(ret);
	if (!disk_device(ret->fd, &device) || disk_sysfs(device, ret->sysfs, sizeof(ret->sysfs)) < 0)
		ret->sysfs[0] = 0;
	return 0;
}

void storage_close(Storage *storage)
{
	if (storage->fd >= 0)
		close(storage->fd);
	storage->fd = -1;
}
