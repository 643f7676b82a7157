/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/fio-run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/engine/child.h"
#include "guest-agent/engine/fio.h"
#include "guest-agent/fio-job.h"
#include "guest-agent/fio-output.h"
#include "guest-agent/open-file.h"
#include "guest-agent/outside.h"
#include "guest-agent/result.h"

#define LOOK_NS 5000000 /* between two looks whether fio has opened the file */
#define STAYS_NS 100000000 /* a file that has been open for this long is open for good */
/* Beyond settle and run: fio's start, its last requests, and the final fsync of what a cache took in. */
#define GRACE_NS UINT64_C(170000000000)

/* The next thing that is waited for. */
typedef enum { AWAIT_OPEN, AWAIT_BEGIN, AWAIT_END, AWAIT_EXIT } Stage;

typedef struct {
	const Job *job;
	const Storage *storage;
	RunContext *context;
	Child child;
	Stage stage;
	bool counts; /* this fio is the one that measures, not one that only settles */
	uint64_t ramp_ns, run_ns;
	uint64_t seen_ns; /* since when the file is open; 0 = it is not */
	uint64_t begin_ns, deadline;
	Sample begin, end;
	int flags; /* of fio's descriptor, -1 = not seen */
	char *text; /* the job file */
	json_t *messages;
} FioRun;

/* Flags that fio must open the file with. */
static int wanted_flags(const FioRun *run)
{
	return fcntl(run->storage->fd, F_GETFL) & (O_DIRECT | O_SYNC);
}

/*
 * fio tells nobody when its jobs begin, but they open the file right then. Set-up opens it too, for a moment and
 * without the job's flags: so the flags tell at once, and where none were asked for, or others are in force, that it stays open.
 */
static bool has_begun(FioRun *run, uint64_t now)
{
	int wanted = wanted_flags(run), flags = open_file_flags(run->child.pid, run->storage, wanted);

	if (flags < 0) {
		run->seen_ns = 0;
		return false;
	}
	if (!run->seen_ns || flags != run->flags)
		run->seen_ns = now;
	run->flags = flags;
	return (wanted && (flags & wanted) == wanted) || now - run->seen_ns >= STAYS_NS;
}

static void advance(FioRun *run, uint64_t now)
{
	const char *sysfs = run->storage->sysfs;

	if (run->stage == AWAIT_OPEN) {
		if (!has_begun(run, now))
			return;
		if (run->ramp_ns || !run->counts)
			run_say_phase(run->context, "settle", run->seen_ns);
		run->begin_ns = run->seen_ns + run->ramp_ns;
		run->stage = run->counts ? AWAIT_BEGIN : AWAIT_EXIT;
	}
	if (run->stage == AWAIT_BEGIN && now >= run->begin_ns) {
		sample_take(sysfs, &run->begin);
		run_say_phase(run->context, "measure", run->begin_ns);
		run->stage = job_needs_final_sync(run->job) ? AWAIT_EXIT : AWAIT_END;
	}
	if (run->stage == AWAIT_END && now >= run->begin_ns + run->run_ns) {
		sample_take(sysfs, &run->end);
		run->stage = AWAIT_EXIT;
	}
}

/* Of OutsideOps. */
static uint64_t proceed(void *data)
{
	FioRun *run = data;
	uint64_t now = clock_now(), until = run->deadline;

	if (now >= run->deadline)
		return 0;
	advance(run, now);
	if (run->stage == AWAIT_OPEN)
		until = now + LOOK_NS;
	else if (run->stage == AWAIT_BEGIN)
		until = run->begin_ns;
	else if (run->stage == AWAIT_END)
		until = run->begin_ns + run->run_ns;
	return until > now ? until - now : 1;
}

/* What went wrong, in fio's own words: its first three messages. */
static int fail(FioRun *run, int code, const char *what, Fault *fault)
{
	char said[480] = "";
	size_t used = 0;

	for (size_t i = 0; i < 3 && i < json_array_size(run->messages) && used < sizeof(said); i++)
		used += (size_t)snprintf(said + used, sizeof(said) - used, "%s%s", i ? "; " : ": ",
			json_string_value(json_array_get(run->messages, i)));
	return fault_set(fault, code, "fio", "%s%s", what, said);
}

static int start(FioRun *run, Fault *fault)
{
	char format[] = "--output-format=json+", eta[] = "--eta=never", input[] = "-", program[PATH_MAX];
	char *const argv[] = {program, format, eta, input, NULL};

	free(run->text);
	run->text = fio_job_text(run->job, run->ramp_ns, run->run_ns, job_needs_final_sync(run->job));
	if (!run->text)
		return fault_set(fault, ENOMEM, "fio", "no memory for a job file");
	snprintf(program, sizeof(program), "%s", fio_path());
	run->stage = AWAIT_OPEN;
	run->flags = -1;
	run->begin_ns = run->seen_ns = 0;
	run->deadline = clock_now() + run->ramp_ns + run->run_ns + GRACE_NS;
	return child_start(&run->child, argv, run->text, fault);
}

/* Adds what this fio said to what an earlier one did. */
static void keep_messages(FioRun *run, json_t *messages)
{
	json_array_extend(run->messages, messages);
	json_decref(messages);
}

/* One fio from start to end, its figures in *ret. */
static int run_one(FioRun *run, FioFigures *ret, Fault *fault)
{
	static const OutsideOps ops = {"fio", "fio", "", proceed};
	CLEANUP_JSON json_t *json = NULL;
	json_t *messages;
	char what[64];
	int r = start(run, fault), status;

	if (r < 0)
		return r;
	status = outside_watch(&ops, &run->child, run->context, run, fault);
	fio_output_split(run->child.out.text, run->child.err.text, &json, &messages);
	child_release(&run->child);
	keep_messages(run, messages);
	if (status < 0)
		return status;
	if (status) {
		snprintf(what, sizeof(what), status > 128 ? "fio was killed by signal %d" : "fio failed with status %d",
			status > 128 ? status - 128 : status);
		return fail(run, EIO, what, fault);
	}
	if (!json)
		return fail(run, EPROTO, "fio printed no JSON", fault);
	return fio_output_parse(json, ret, fault);
}

/*
 * fio counts the bytes and the latencies of its ramp's last requests apart, each to its own side of the line; more than what
 * was in flight they cannot differ.
 */
static int check_counts(const FioRun *run, const FioFigures *figures, Fault *fault)
{
	uint64_t slack = run->job->queue_depth * run->job->jobs;

	for (int i = 0; i < 2; i++) {
		uint64_t ops = figures->bytes[i] / run->job->block_size, timed = figures->complete[i].n;

		if (figures->bytes[i] % run->job->block_size || (ops > timed ? ops - timed : timed - ops) > slack)
			return fault_set(fault, EPROTO, "fio",
				"fio's output contradicts itself: %llu bytes in blocks of %llu, but %llu latencies",
				(unsigned long long)figures->bytes[i], (unsigned long long)run->job->block_size,
				(unsigned long long)timed);
	}
	if (!figures->ns)
		return fault_set(fault, EPROTO, "fio", "fio's output has no runtime");
	return 0;
}

static json_t *make_cpu(const FioRun *run, const FioFigures *figures)
{
	json_t *cpu = json_pack("{s:I,s:I,s:n,s:n}", "load_user_ns", (json_int_t)figures->user_ns, "load_system_ns",
		(json_int_t)figures->system_ns, "load_voluntary_switches", "load_involuntary_switches");

	sample_add_machine(cpu, &run->begin, &run->end);
	return cpu;
}

static json_t *make_effective(const FioRun *run)
{
	json_t *effective = result_effective(run->job, run->storage, run->flags & O_DIRECT,
		open_file_sync(run->flags));

	if (run->flags < 0) { /* it was over before it could be seen */
		json_object_set_new(effective, "direct", json_null());
		json_object_set_new(effective, "sync_flags", json_null());
	}
	return effective;
}

/* What fio was told and what it said. */
static json_t *make_word(const FioRun *run)
{
	return json_pack("{s:s,s:s,s:O}", "version", fio_version(), "job", run->text, "messages", run->messages);
}

static json_t *make_result(FioRun *run, const FioFigures *figures)
{
	json_t *result = json_object();
	static const char *const names[] = {"read", "write"};

	for (int i = 0; i < 2; i++)
		json_object_set_new(result, names[i],
			result_side(&figures->submit[i], &figures->complete[i], run->job->block_size));
	json_object_set_new(result, "sync", result_sync(&figures->sync));
	json_object_set_new(result, "ns", json_integer((json_int_t)figures->ns));
	json_object_set_new(result, "final_sync_ns", json_null());
	json_object_set_new(result, "extended", json_false());
	json_object_set_new(result, "settle_ns", json_integer((json_int_t)run->job->settle_ns));
	json_object_set_new(result, "begin", result_moment(&run->begin, run->begin_ns));
	json_object_set_new(result, "end", result_moment(&run->end, run->begin_ns + figures->ns));
	json_object_set_new(result, "cpu", make_cpu(run, figures));
	json_object_set_new(result, "device", sample_device(&run->begin, &run->end));
	json_object_set_new(result, "depth_mean", json_null());
	json_object_set_new(result, "effective", make_effective(run));
	json_object_set_new(result, "series", json_null());
	json_object_set_new(result, "fio", make_word(run));
	return result;
}

/* An error has room for three messages only; all of them, and what fio was told, are worth keeping. */
static json_t *make_failed(const FioRun *run, const Fault *fault)
{
	return json_pack("{s:o,s:o}", "failed", answer_fault_json(fault), "fio", make_word(run));
}

/* A run that was over before it was seen has no counters of its own, and its end is the best guess of where it was. */
static void complete_samples(FioRun *run, const FioFigures *figures)
{
	if (!run->end.moment.mono_ns)
		sample_take(run->storage->sysfs, &run->end);
	if (run->begin.moment.mono_ns)
		return;
	run->begin.moment = run->end.moment;
	run->begin_ns = run->end.moment.mono_ns - figures->ns;
}

/*
 * Buffered writes are measured from an empty queue and a clean cache, so their settle time is an fio of its own, which syncs at its
 * end; else it is fio's ramp time.
 */
static int run_all(FioRun *run, FioFigures *figures, Fault *fault)
{
	bool apart = job_needs_final_sync(run->job) && run->job->settle_ns;
	int r = 0;

	if (apart) {
		run->run_ns = run->job->settle_ns;
		r = run_one(run, figures, fault);
	}
	if (r < 0)
		return r;
	run->counts = true;
	run->ramp_ns = apart ? 0 : run->job->settle_ns;
	run->run_ns = run->job->run_ns;
	r = run_one(run, figures, fault);
	if (r < 0)
		return r;
	complete_samples(run, figures);
	return check_counts(run, figures, fault);
}

json_t *fio_run(const Job *job, const Storage *storage, RunContext *context, Fault *fault)
{
	FioRun run = {.job = job, .storage = storage, .context = context};
	CLEANUP_FREE FioFigures *figures = malloc(sizeof(*figures));
	json_t *result = NULL;

	if (!figures) {
		fault_set(fault, ENOMEM, "fio", "no memory for fio's figures");
		return NULL;
	}
	if (fio_job_check(job, fault) < 0)
		return NULL;
	run.messages = json_array();
	if (run_all(&run, figures, fault) == 0)
		result = make_result(&run, figures);
	else if (run.text && fault->code != ECANCELED)
		result = make_failed(&run, fault);
	json_decref(run.messages);
	free(run.text);
	return result;
}
