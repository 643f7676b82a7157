/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/disk.h"
#include "guest-agent/fill.h"
#include "guest-agent/pattern.h"

#define CHUNK (1u << 20)
#define WINDOW (UINT64_C(1) << 30) /* of mincore: one byte for each page */

/* Direct for as long as what is left is aligned. */
static int write_chunk(int fd, int direct, const unsigned char *buffer, size_t size, uint64_t at, uint64_t align, Fault *fault)
{
	size_t done = 0;

	while (done < size) {
		bool aligned = direct >= 0 && (at + done) % align == 0 && (size - done) % align == 0;
		ssize_t n = pwrite(aligned ? direct : fd, buffer + done, size - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fault_set(fault, n ? errno : EIO, "fill", "write of %zu bytes at offset %llu: %s", size - done,
				(unsigned long long)(at + done), n ? strerror(errno) : "nothing was written");
		done += (size_t)n;
	}
	return 0;
}

static int fill_all(int fd, int direct, uint64_t offset, uint64_t size, uint64_t seed, uint64_t align, Fault *fault)
{
	unsigned char *buffer = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r = 0;

	if (buffer == MAP_FAILED)
		return fault_set(fault, errno, "fill", "no memory for a buffer of 1 MiB");
	for (uint64_t done = 0; done < size && r == 0;) {
		uint64_t at = offset + done;
		/* Up to the next whole chunk, so that an odd start costs one unaligned write only. */
		uint64_t part = CHUNK - at % CHUNK;

		if (part > size - done)
			part = size - done;
		pattern_fill(buffer, part, pattern_mix(seed, at));
		r = write_chunk(fd, direct, buffer, part, at, align, fault);
		done += part;
	}
	munmap(buffer, CHUNK);
	return r;
}

json_t *fill_range(const char *path, uint64_t offset, uint64_t size, uint64_t seed, Fault *fault)
{
	CLEANUP_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	CLEANUP_CLOSE int direct = -1;
	uint64_t begin = clock_now();
	DiskFacts facts;

	if (fd < 0) {
		fault_set(fault, errno, "path", "%.200s cannot be opened for writing: %s", path, strerror(errno));
		return NULL;
	}
	if (disk_facts(fd, path, &facts, fault) < 0)
		return NULL;
	if (facts.block && facts.size < offset + size) {
		fault_set(fault, ENOSPC, "size", "%.200s has %llu bytes; offset %llu and size %llu reach beyond", path,
			(unsigned long long)facts.size, (unsigned long long)offset, (unsigned long long)size);
		return NULL;
	}
	if (!facts.direct)
		direct = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fill_all(fd, direct, offset, size, seed, facts.offset_align ? facts.offset_align : 1, fault) < 0)
		return NULL;
	if (fsync(fd) < 0) {
		fault_set(fault, errno, "fill", "fsync of %.200s: %s", path, strerror(errno));
		return NULL;
	}
	return json_pack("{s:I,s:I}", "bytes", (json_int_t)size, "ns", (json_int_t)(clock_now() - begin));
}

/* Bytes of the file in the page cache, or -errno. */
static int64_t resident(int fd, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	CLEANUP_FREE unsigned char *map = malloc(WINDOW / page);
	int64_t pages = 0;

	if (!map)
		return -ENOMEM;
	for (uint64_t at = 0; at < size; at += WINDOW) {
		uint64_t part = size - at < WINDOW ? size - at : WINDOW;
		void *memory = mmap(NULL, part, PROT_READ, MAP_SHARED, fd, (off_t)at);
		int r;

		if (memory == MAP_FAILED)
			return -errno;
		r = mincore(memory, part, map) < 0 ? -errno : 0;
		munmap(memory, part);
		if (r < 0)
			return r;
		for (uint64_t i = 0; i < (part + page - 1) / page; i++)
			pages += map[i] & 1;
	}
	return pages * (int64_t)page;
}

static int drop_everything(void)
{
	CLEANUP_CLOSE int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "3", 1) < 0)
		return -errno;
	return 0;
}

static json_t *drop_result(int64_t left, int everything, const DiskFacts *facts)
{
	char reason[256] = "";
	bool dropped = left == 0 || (left < 0 && everything == 0);

	if (left < 0 && everything < 0)
		snprintf(reason, sizeof(reason), "it cannot be asked what is cached (%s), and dropping all caches failed: %s",
			strerror((int)-left), strerror(-everything));
	else if (left > 0)
		snprintf(reason, sizeof(reason), "%lld bytes stayed in the page cache%s", (long long)left,
			facts->filesystem && !strcmp(facts->filesystem, "tmpfs") ? ": it is where tmpfs keeps its files" : "");
	return json_pack("{s:b,s:o,s:o}", "dropped", dropped, "resident_bytes", left < 0 ? json_null() : json_integer(left),
		"reason", reason[0] ? json_string(reason) : json_null());
}

json_t *fill_drop(const char *path, Fault *fault)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	DiskFacts facts;
	int everything;

	if (fd < 0) {
		fault_set(fault, errno, "path", "%.200s cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	if (disk_facts(fd, path, &facts, fault) < 0)
		return NULL;
	if (fsync(fd) < 0) {
		fault_set(fault, errno, "path", "fsync of %.200s: %s", path, strerror(errno));
		return NULL;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (facts.block)
		ioctl(fd, BLKFLSBUF, 0);
	everything = drop_everything();
	return drop_result(resident(fd, facts.size), everything, &facts);
}
