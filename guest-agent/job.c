/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "guest-agent/job.h"

#define MINUTE_NS UINT64_C(60000000000)
#define MAX_FILE INT64_MAX

const char *const job_rw_names[] = {"read", "write", "randread", "randwrite", "rw", "randrw", NULL};
const char *const job_sync_names[] = {"none", "dsync", "sync", "fsync", NULL};

#define AT(field) offsetof(Job, field)
const Key job_keys[] = {
	{"path", KEY_TEXT, AT(path), .required = true, .help = "file or block device"},
	{"offset", KEY_UINT, AT(offset), .max = MAX_FILE, .help = "first byte of the range"},
	{"size", KEY_UINT, AT(size), .required = true, .min = 1, .max = MAX_FILE,
		.help = "bytes of the range; what is left over beyond whole blocks is not touched"},
	{"rw", KEY_CHOICE, AT(rw), .required = true, .choices = job_rw_names, .help = "kind of load"},
	{"mix_read", KEY_UINT, AT(mix_read), .preset = KEY_NONE, .max = 100,
		.help = "percent of reads; for rw and randrw only, which need it"},
	{"block_size", KEY_UINT, AT(block_size), .required = true, .min = 1, .max = 1u << 30, .help = "bytes per operation"},
	{"direct", KEY_BOOL, AT(direct), .help = "O_DIRECT"},
	{"sync", KEY_CHOICE, AT(sync), .choices = job_sync_names, .help = "O_DSYNC, O_SYNC, or fsync after every fsync_every writes"},
	{"fsync_every", KEY_UINT, AT(fsync_every), .preset = KEY_NONE, .min = 1, .max = UINT32_MAX,
		.help = "writes between two fsyncs; for sync fsync only, which needs it"},
	{"queue_depth", KEY_UINT, AT(queue_depth), .preset = 1, .min = 1, .max = ENGINE_MAX_DEPTH,
		.help = "requests in flight per job"},
	{"jobs", KEY_UINT, AT(jobs), .preset = 1, .min = 1, .max = 256, .help = "threads, each on a slice of the range"},
	{"engine", KEY_CHOICE, AT(engine), .choices = engine_names, .help = "how requests reach the kernel"},
	{"rate_iops", KEY_UINT, AT(rate_iops), .preset = KEY_NONE, .min = 1, .max = 1000000000,
		.help = "operations per second of all jobs together; null: as fast as possible"},
	{"seed", KEY_UINT, AT(seed), .preset = 1, .max = MAX_FILE, .help = "of offsets, mix and data"},
	{"settle_ns", KEY_UINT, AT(settle_ns), .max = 60 * MINUTE_NS, .help = "load before the measuring, not counted"},
	{"run_ns", KEY_UINT, AT(run_ns), .required = true, .min = 1000000, .max = 1440 * MINUTE_NS, .help = "measured time"},
	{"interval_ns", KEY_UINT, AT(interval_ns), .preset = KEY_NONE, .min = 100000, .max = 1440 * MINUTE_NS,
		.help = "width of the series' steps; null: a hundredth of run_ns"},
	{"fio_options", KEY_TEXT, AT(fio_options),
		.help = "what the load does, KEY=VALUE lines of a job file of fio's; for engine fio:file only, which needs it. The other keys must say the same"},
	{"extend", KEY_BOOL, AT(extend),
		.help = "measure for as long again, once, when the rate was not steady; buffered writes are never extended"},
	{NULL},
};

static bool is_mixed(const Job *job)
{
	return job->rw == RW_RW || job->rw == RW_RANDRW;
}

bool job_reads(const Job *job)
{
	return job->rw == RW_READ || job->rw == RW_RANDREAD || (is_mixed(job) && job->mix_read > 0);
}

bool job_writes(const Job *job)
{
	return job->rw == RW_WRITE || job->rw == RW_RANDWRITE || (is_mixed(job) && job->mix_read < 100);
}

bool job_is_random(const Job *job)
{
	return job->rw == RW_RANDREAD || job->rw == RW_RANDWRITE || job->rw == RW_RANDRW;
}

bool job_needs_final_sync(const Job *job)
{
	return job_writes(job) && !job->direct && !engines[job->engine]->no_file &&
		(job->sync == SYNC_NONE || job->sync == SYNC_FSYNC);
}

/* A key that belongs to one value of another key: there it is needed, elsewhere it would be ignored. */
static int check_belongs(const char *key, bool given, bool wanted, const char *where, Fault *fault)
{
	if (given && !wanted)
		return fault_set(fault, EINVAL, key, "%s means nothing without %s", key, where);
	if (!given && wanted)
		return fault_set(fault, EINVAL, key, "%s is missing: %s needs it", key, where);
	return 0;
}

static int check_engine(const Job *job, Fault *fault)
{
	const EngineOps *ops = engines[job->engine];

	if (job->queue_depth > 1 && !engine_is_async(ops))
		return fault_set(fault, EINVAL, "queue_depth",
			"queue_depth is %llu, but engine %s has one request in flight: use io_uring, libaio or more jobs",
			(unsigned long long)job->queue_depth, ops->name);
	if (ops->direct_only && !job->direct)
		return fault_set(fault, EINVAL, "engine",
			"engine %s on a buffered file waits inside every call, so its queue depth would be 1: use direct, or another engine",
			ops->name);
	return 0;
}

static int check_range(const Job *job, Fault *fault)
{
	uint64_t least;

	if (job->offset > MAX_FILE - job->size)
		return fault_set(fault, ERANGE, "offset", "offset and size reach beyond the largest file");
	if (__builtin_mul_overflow(job->block_size, job->jobs, &least) || job->size < least)
		return fault_set(fault, EINVAL, "size",
			"size is %llu, less than one block of %llu for each of %llu jobs", (unsigned long long)job->size,
			(unsigned long long)job->block_size, (unsigned long long)job->jobs);
	if (job->run_ns / job->interval_ns * (job->extend ? 2 : 1) > JOB_MAX_INTERVALS)
		return fault_set(fault, ERANGE, "interval_ns", "interval_ns cuts run_ns into more than %u steps",
			JOB_MAX_INTERVALS / (job->extend ? 2 : 1));
	return 0;
}

int job_parse(const json_t *object, Job *ret, Fault *fault)
{
	int r = keys_parse(object, job_keys, false, ret, fault);

	if (r < 0)
		return r;
	if (ret->interval_ns == KEY_NONE)
		ret->interval_ns = ret->run_ns / 100 > 100000 ? ret->run_ns / 100 : 100000;
	r = check_belongs("mix_read", ret->mix_read != KEY_NONE, is_mixed(ret), "rw rw or randrw", fault);
	if (r == 0)
		r = check_belongs("fsync_every", ret->fsync_every != KEY_NONE, ret->sync == SYNC_FSYNC, "sync fsync", fault);
	if (r == 0 && ret->sync == SYNC_FSYNC && !job_writes(ret))
		r = fault_set(fault, EINVAL, "sync", "sync fsync means nothing for a load that only reads");
	if (r == 0)
		r = check_belongs("fio_options", ret->fio_options, !strcmp(engines[ret->engine]->name, "fio:file"), "engine fio:file", fault);
	if (r == 0 && ret->fio_options && strchr(ret->fio_options, '['))
		r = fault_set(fault, EINVAL, "fio_options", "fio_options has a section of its own: it is options alone");
	if (r == 0)
		r = check_engine(ret, fault);
	return r == 0 ? check_range(ret, fault) : r;
}
