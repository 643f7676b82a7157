/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outside engines of fio: names, what they take, and whether they work here. The run itself is guest-agent/fio-run.c. */
#include "guest-agent/engine/fio.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "guest-agent/engine/child.h"
#include "guest-agent/engine/table.h"

#define VERSION_MS 60000 /* an emulated guest needs seconds for fio's many libraries */

static struct {
	bool asked;
	int code; /* 0 = works */
	char path[PATH_MAX], version[64], reason[256];
} fio;

/* Its end, or SIGKILL when it takes too long. */
static int await(Child *child)
{
	struct pollfd wake = {.fd = child->wake_fd, .events = POLLIN};
	int more = 1;

	while (more > 0 && poll(&wake, 1, VERSION_MS) > 0)
		more = child_collect(child);
	if (more == 0)
		return child_reap(child);
	child_kill(child);
	return 128 + SIGKILL;
}

static int fail(int code, const char *text)
{
	snprintf(fio.reason, sizeof(fio.reason), "%.255s", text);
	return code;
}

/* What the loader or fio itself says when it does not start. */
static int fail_to_start(const Child *child, int status)
{
	const char *said = child->err.text ? child->err.text : "";

	snprintf(fio.reason, sizeof(fio.reason), "%.100s --version ends with status %d: %.*s", fio.path, status,
		(int)strcspn(said, "\n"), said);
	return ENOEXEC;
}

static int ask(void)
{
	char version[] = "--version", *const argv[] = {fio.path, version, NULL};
	Child child;
	Fault fault;
	int status, code = 0;

	if (!child_find("fio", fio.path, sizeof(fio.path)))
		return fail(ENOENT, "there is no fio in PATH; install the package fio");
	if (child_start(&child, argv, NULL, &fault) < 0)
		return fail(fault.code, fault.message);
	status = await(&child);
	if (status || !child.out.text || strncmp(child.out.text, "fio-", 4) != 0)
		code = fail_to_start(&child, status);
	else
		snprintf(fio.version, sizeof(fio.version), "%.*s", (int)strcspn(child.out.text, "\n"), child.out.text);
	child_release(&child);
	return code;
}

int fio_probe(char *reason, size_t size)
{
	if (!fio.asked)
		fio.code = ask();
	fio.asked = true;
	if (fio.code)
		snprintf(reason, size, "%s", fio.reason);
	return -fio.code;
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
