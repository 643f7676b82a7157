/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outside engines of fio: names, what they take, and whether they work here. The run itself is guest-agent/fio-run.c. */
#include "guest-agent/engine/fio.h"

#include "guest-agent/engine/program.h"
#include "guest-agent/engine/table.h"

static Program fio = {.name = "fio", .begins = "fio-"};

int fio_probe(char *reason, size_t size)
{
	return program_probe(&fio, reason, size);
}

const char *fio_path(void)
{
	return fio.path;
}

const char *fio_version(void)
{
	return fio.version;
}

/* What keeps our own engine from the kernel's interface keeps fio from it too. */
static int probe_libaio(char *reason, size_t size)
{
	int r = engine_libaio.probe(reason, size);

	return r < 0 ? r : fio_probe(reason, size);
}

static int probe_io_uring(char *reason, size_t size)
{
	int r = engine_io_uring.probe(reason, size);

	return r < 0 ? r : fio_probe(reason, size);
}

const EngineOps engine_fio_psync = {
	.version = ENGINE_VERSION,
	.name = "fio:psync",
	.summary = "fio with its ioengine psync",
	.outside = "psync",
	.probe = fio_probe,
};

const EngineOps engine_fio_libaio = {
	.version = ENGINE_VERSION,
	.name = "fio:libaio",
	.summary = "fio with its ioengine libaio; direct I/O only",
	.outside = "libaio",
	.direct_only = true,
	.deep = true,
	.probe = probe_libaio,
};

const EngineOps engine_fio_io_uring = {
	.version = ENGINE_VERSION,
	.name = "fio:io_uring",
	.summary = "fio with its ioengine io_uring",
	.outside = "io_uring",
	.deep = true,
	.probe = probe_io_uring,
};

/* Its job file says which ioengine. */
const EngineOps engine_fio_file = {
	.version = ENGINE_VERSION,
	.name = "fio:file",
	.summary = "fio with a job file of the user's",
	.outside = "file",
	.deep = true,
	.probe = fio_probe,
};
