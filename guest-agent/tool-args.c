/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/tool-args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/common/bonnie.h"

#define NS_PER_MS UINT64_C(1000000)

typedef struct {
	char **args;
	unsigned n;
	bool failed;
} Args;

static bool is_dd(const Job *job)
{
	return !strcmp(engines[job->engine]->tool, "dd");
}

static int refuse(Fault *fault, const Job *job, const char *key, const char *why)
{
	return fault_set(fault, EINVAL, key, "%s %s", engines[job->engine]->name, why);
}

bool tool_args_need_folder(const Job *job)
{
	return bonnie_is(engines[job->engine]->name);
}

static bool is_chars(const Job *job)
{
	return !strcmp(engines[job->engine]->name, BONNIE_CHARS);
}

/* One run of it holds all its tests, so what its job says of rw is nothing to it. */
static int check_bonnie(const Job *job, Fault *fault)
{
	bool chunk = job->block_size >= BONNIE_LEAST_CHUNK && job->block_size <= BONNIE_MOST_CHUNK &&
		!(job->block_size & (job->block_size - 1));

	if (job->sync != SYNC_NONE)
		return refuse(fault, job, "sync", "syncs at the end of its tests only; use sync none");
	if (job->size < BONNIE_LEAST_TARGET)
		return refuse(fault, job, "size", "needs a target of 64 MiB or more");
	if (job->offset)
		return refuse(fault, job, "offset", "works on files of its own, which begin at 0");
	if (is_chars(job))
		return job->direct ? refuse(fault, job, "direct", "cannot do direct I/O; use direct false") : 0;
	return chunk ? 0 : refuse(fault, job, "block_size", "takes blocks of 256 bytes to 1 MiB, in powers of two");
}

int tool_args_check(const Job *job, Fault *fault)
{
	if (job->jobs > 1)
		return refuse(fault, job, "jobs", "is one process; use jobs 1");
	if (job->rate_iops != KEY_NONE)
		return refuse(fault, job, "rate_iops", "has no rate here");
	if (tool_args_need_folder(job))
		return check_bonnie(job, fault);
	if (job->sync == SYNC_FSYNC)
		return refuse(fault, job, "sync", "has no fsync between its writes; use dsync or sync");
	if (job->mix_read != KEY_NONE)
		return refuse(fault, job, "rw", "either reads or writes");
	if (is_dd(job) && job_is_random(job))
		return refuse(fault, job, "rw", "goes from the first byte to the last; use rw read or write");
	if (is_dd(job) && job->offset % job->block_size)
		return refuse(fault, job, "offset", "begins at a whole number of blocks");
	if (!is_dd(job) && job_needs_final_sync(job))
		return refuse(fault, job, "direct", "leaves buffered writes in the page cache; use direct, or sync dsync");
	return 0;
}

static void __attribute__((format(printf, 2, 3))) add(Args *args, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (vasprintf(&args->args[args->n], format, list) < 0) {
		args->args[args->n] = NULL;
		args->failed = true;
	} else {
		args->n++;
	}
	va_end(list);
}

/* "iflag=direct,dsync", or nothing. */
static void add_flags(Args *args, const Job *job, const char *name)
{
	const char *sync = job->sync == SYNC_DSYNC ? "dsync" : job->sync == SYNC_SYNC ? "sync" : NULL;

	if (job->direct || sync)
		add(args, "%s=%s%s%s", name, job->direct ? "direct" : "", job->direct && sync ? "," : "", sync ? sync : "");
}

static void make_dd(Args *args, const Job *job)
{
	uint64_t skip = job->offset / job->block_size;
	bool writes = job_writes(job);

	add(args, "if=%s", writes ? "/dev/zero" : job->path);
	add(args, "of=%s", writes ? job->path : "/dev/null");
	add(args, "bs=%" PRIu64, job->block_size);
	add(args, "count=%" PRIu64, job->size / job->block_size);
	if (skip)
		add(args, "%s=%" PRIu64, writes ? "seek" : "skip", skip);
	add_flags(args, job, writes ? "oflag" : "iflag");
	if (writes)
		add(args, "conv=notrunc,nocreat%s", job_needs_final_sync(job) ? ",fsync" : "");
}

static void make_ioping(Args *args, const Job *job)
{
	add(args, "-B");
	add(args, "-i");
	add(args, "0");
	add(args, "-w");
	add(args, "%" PRIu64 "ms", (job->run_ns + NS_PER_MS - 1) / NS_PER_MS);
	add(args, "-s");
	add(args, "%" PRIu64, job->block_size);
	add(args, "-S");
	add(args, "%" PRIu64, job->size / job->block_size * job->block_size);
	add(args, "-o");
	add(args, "%" PRIu64, job->offset);
	add(args, job->direct ? "-D" : "-C");
	if (!job_is_random(job))
		add(args, "-L");
	if (job_writes(job))
		add(args, "-WWW");
	if (job->sync == SYNC_DSYNC)
		add(args, "-y");
	if (job->sync == SYNC_SYNC)
		add(args, "-Y");
	add(args, "--");
	add(args, "%s", job->path);
}

/* Option and value. */
static void add_pair(Args *args, const char *option, uint64_t value)
{
	add(args, "%s", option);
	add(args, "%" PRIu64, value);
}

static void make_bonnie(Args *args, const Job *job, const char *folder)
{
	uint64_t size = bonnie_bytes(engines[job->engine]->name, job->size) >> 20;

	add(args, "-q"); /* CSV on standard output, the table on standard error */
	add(args, "-d");
	add(args, "%s", folder);
	add(args, "-m");
	add(args, "iogap");
	add(args, "-s");
	if (is_chars(job))
		add(args, "%" PRIu64, size);
	else
		add(args, "%" PRIu64 ":%" PRIu64, size, job->block_size);
	add_pair(args, "-r", size / 2);
	add_pair(args, "-n", is_chars(job) ? 0 : BONNIE_FILES);
	/* Without a size: no tests by single bytes. */
	add(args, "%s", is_chars(job) ? "-f1" : "-f");
	add_pair(args, "-z", job->seed & INT32_MAX);
	if (job->direct)
		add(args, "-D");
	if (geteuid() == 0) {
		/* By number: an appliance has no list of users. */
		add(args, "-u");
		add(args, "0:0");
	}
}

int tool_args_make(const Job *job, const char *folder, char *ret[TOOL_MAX_ARGS])
{
	Args args = {.args = ret};

	memset(ret, 0, TOOL_MAX_ARGS * sizeof(*ret));
	if (folder)
		make_bonnie(&args, job, folder);
	else if (is_dd(job))
		make_dd(&args, job);
	else
		make_ioping(&args, job);
	if (!args.failed)
		return 0;
	tool_args_free(ret);
	return -ENOMEM;
}

void tool_args_free(char *args[TOOL_MAX_ARGS])
{
	for (unsigned i = 0; i < TOOL_MAX_ARGS; i++)
		free(args[i]);
	memset(args, 0, TOOL_MAX_ARGS * sizeof(*args));
}

bool tool_args_is_stopped(const Job *job)
{
	return is_dd(job) && !job_needs_final_sync(job);
}
