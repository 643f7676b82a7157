/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest-agent/engine/table.h"

static int psync_probe(char *reason, size_t size)
{
	return 0;
}

/* syscall() and not pread(): the latter is a cancellation point, which costs two atomic operations in a program with threads. */
static void psync_transfer(Engine *engine, EngineRequest *request)
{
	long n;

	do {
		n = syscall(request->write ? SYS_pwrite64 : SYS_pread64, engine->fd, request->buffer,
			engine->block_size, request->offset);
	} while (n < 0 && errno == EINTR);
	request->result = n < 0 ? -errno : n;
}

const EngineOps engine_psync = {
	.version = ENGINE_VERSION,
	.name = "psync",
	.summary = "pread and pwrite, one request at a time",
	.probe = psync_probe,
	.transfer = psync_transfer,
};
