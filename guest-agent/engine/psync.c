/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest-agent/engine/table.h"

static int psync_probe(char *reason, size_t size)
{
	return 0;
}

/*
 * pread and pwrite without the C library: there they are cancellation points, which costs two atomic operations in a
 * program with threads, and a page of code more. After each system call of a kernel with page-table isolation every page that
 * is touched costs a miss, so the path is kept on few.
 */
static inline long transfer_call(long number, int fd, void *buffer, size_t size, uint64_t offset)
{
#ifdef __x86_64__
	register uint64_t r10 __asm__("r10") = offset;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"((long)fd), "S"(buffer), "d"(size), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#else
	long result = syscall(number, fd, buffer, size, offset);

	return result < 0 ? -errno : result;
#endif
}

__attribute__((hot)) static void psync_transfer(Engine *engine, EngineRequest *request)
{
	long number = request->write ? SYS_pwrite64 : SYS_pread64;

	do {
		request->result = transfer_call(number, engine->fd, request->buffer, engine->block_size, request->offset);
	} while (request->result == -EINTR);
}

const EngineOps engine_psync = {
	.version = ENGINE_VERSION,
	.name = "psync",
	.summary = "pread and pwrite, one request at a time",
	.probe = psync_probe,
	.transfer = psync_transfer,
};
