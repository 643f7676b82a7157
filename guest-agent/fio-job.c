/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/fio-job.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "guest-agent/common/fio-path.h"

static int check_path(const char *path, Fault *fault)
{
	char offence = fio_path_offence(path);

	if (offence)
		return fault_set(fault, EINVAL, "path", "%.200s: fio reads \"%c\" of a path as something else; use a path without it",
			path, offence);
	return 0;
}

/* Operations per second of one of fio's jobs: of reads and of writes, either 0 = none. */
static void rates(const Job *job, uint64_t *ret_read, uint64_t *ret_write)
{
	uint64_t share = job->mix_read != KEY_NONE ? job->mix_read : job_reads(job) ? 100 : 0;

	*ret_read = job->rate_iops * share / 100 / job->jobs;
	*ret_write = job->rate_iops * (100 - share) / 100 / job->jobs;
}

int fio_job_check(const Job *job, Fault *fault)
{
	uint64_t reads, writes;
	int r = check_path(job->path, fault);

	if (r < 0 || job->rate_iops == KEY_NONE)
		return r;
	rates(job, &reads, &writes);
	if ((reads + writes) * job->jobs != job->rate_iops)
		return fault_set(fault, EINVAL, "rate_iops",
			"rate_iops is %" PRIu64 ", which fio cannot share evenly: it gives each of %" PRIu64
			" jobs, and its reads and its writes, a whole number of operations per second",
			job->rate_iops, job->jobs);
	return 0;
}

static void put_path(FILE *out, const char *path)
{
	fprintf(out, "filename=");
	for (const char *at = path; *at; at++)
		fprintf(out, *at == ':' ? "\\%c" : "%c", *at);
	fputc('\n', out);
}

/* Microseconds, fio's finest unit, rounded up: 0 would mean "no limit". */
static void put_time(FILE *out, const char *key, uint64_t ns)
{
	fprintf(out, "%s=%" PRIu64 "us\n", key, (ns + 999) / 1000);
}

static void put_where(FILE *out, const Job *job)
{
	uint64_t slice = job->size / job->block_size / job->jobs * job->block_size;

	put_path(out, job->path);
	/* What is missing must fail: fio would make or extend the file, and measure that. */
	fprintf(out, "allow_file_create=0\nfallocate=none\ninvalidate=0\n");
	/* A job file of the user's means the whole target for each of its jobs, as fio does. */
	fprintf(out, "offset=%" PRIu64 "\nsize=%" PRIu64 "\n", job->offset, job->fio_options ? job->size : slice);
	if (job->jobs > 1 && !job->fio_options)
		fprintf(out, "offset_increment=%" PRIu64 "\n", slice);
}

static void put_load(FILE *out, const Job *job)
{
	fprintf(out, "rw=%s\nbs=%" PRIu64 "\ndirect=%d\n", job_rw_names[job->rw], job->block_size, job->direct);
	if (job->mix_read != KEY_NONE)
		fprintf(out, "rwmixread=%" PRIu64 "\n", job->mix_read);
	if (job->sync == SYNC_DSYNC || job->sync == SYNC_SYNC)
		fprintf(out, "sync=%s\n", job_sync_names[job->sync]);
	if (job->sync == SYNC_FSYNC)
		fprintf(out, "fsync=%" PRIu64 "\n", job->fsync_every);
	fprintf(out, "ioengine=%s\niodepth=%" PRIu64 "\nthread=1\nnumjobs=%" PRIu64 "\ngroup_reporting=1\n",
		engines[job->engine]->outside, job->queue_depth, job->jobs);
	if (job->rate_iops != KEY_NONE) {
		uint64_t reads, writes;

		rates(job, &reads, &writes);
		fprintf(out, "rate_iops=%" PRIu64 ",%" PRIu64 "\n", reads, writes);
	}
	fprintf(out, "randseed=%" PRIu64 "\nscramble_buffers=1\n", job->seed);
}

char *fio_job_text(const Job *job, uint64_t ramp_ns, uint64_t run_ns, bool sync_at_end)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "[iogap]\n");
	put_where(out, job);
	if (job->fio_options)
		fprintf(out, "%s%sthread=1\ngroup_reporting=1\n", job->fio_options,
			*job->fio_options && job->fio_options[strlen(job->fio_options) - 1] == '\n' ? "" : "\n");
	else
		put_load(out, job);
	fprintf(out, "time_based=1\n");
	if (ramp_ns)
		put_time(out, "ramp_time", ramp_ns);
	put_time(out, "runtime", run_ns);
	if (sync_at_end)
		fprintf(out, "end_fsync=1\n");
	/* The clock and the latencies that the agent's own engines use: whole and submission, not the part in between. */
	fprintf(out, "clocksource=clock_gettime\nclat_percentiles=0\nslat_percentiles=1\nlat_percentiles=1\n");
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
