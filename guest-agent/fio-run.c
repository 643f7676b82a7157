/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/fio-run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/engine/child.h"
#include "guest-agent/engine/fio.h"
#include "guest-agent/fio-job.h"
#include "guest-agent/fio-output.h"
#include "guest-agent/fio-place.h"
#include "guest-agent/open-file.h"
#include "guest-agent/outside.h"
#include "guest-agent/result.h"
#include "guest-agent/track.h"

#define LOOK_NS 5000000 /* between two looks whether fio's I/O has begun */
/* Beyond settle and run: fio's start, its last requests, and the final fsync of what a cache took in. */
#define GRACE_NS UINT64_C(170000000000)

/* The next thing that is waited for. */
typedef enum { AWAIT_IO, AWAIT_BEGIN, AWAIT_END, AWAIT_EXIT } Stage;

typedef struct {
	const Job *job;
	const Storage *storage;
	RunContext *context;
	Child child;
	Stage stage;
	bool counts; /* this fio is the one that measures, not one that only settles */
	uint64_t ramp_ns, run_ns;
	FioPlace place;
	Track track;
	uint64_t begin_ns, next_ns, deadline; /* next_ns: of the next sample */
	Sample begin, end, seen; /* seen: the last one of a living fio */
	char unplaced[256]; /* why nobody knows when the measured time was; "" = it is known */
	int flags; /* of fio's descriptor, -1 = not seen */
	char *text; /* the job file */
	json_t *messages;
} FioRun;

/* Flags that fio must open the file with. */
static int wanted_flags(const FioRun *run)
{
	return fcntl(run->storage->fd, F_GETFL) & (O_DIRECT | O_SYNC);
}

static void take(FioRun *run)
{
	Sample *sample = track_take(&run->track, run->storage->sysfs);

	fio_place_sample(&run->place, sample);
	if (sample->have_process) {
		run->seen = *sample;
	} else if (run->seen.have_process) { /* it has ended, and moves nothing more */
		sample->have_process = true;
		memcpy(sample->process, run->seen.process, sizeof(sample->process));
	}
}

static bool has_begun(FioRun *run)
{
	int flags = open_file_flags(run->child.pid, run->storage, wanted_flags(run));

	if (flags >= 0)
		run->flags = flags;
	return fio_place_look(&run->place, flags >= 0);
}

static void say_begin(FioRun *run)
{
	track_at(&run->track, run->begin_ns, &run->begin);
	run_say_phase(run->context, "measure", run->begin_ns);
}

/* The first sample that belongs to MOMENT; the next one is due at MOMENT itself. */
static uint64_t ahead_of(uint64_t moment)
{
	return moment > TRACK_LEAD_NS ? moment - TRACK_LEAD_NS : 1;
}

static void advance(FioRun *run, uint64_t now)
{
	if (run->stage == AWAIT_IO) {
		if (run->counts && !run->ramp_ns) /* what it begins with is measured */
			take(run);
		if (!has_begun(run))
			return;
		if (run->ramp_ns || !run->counts)
			run_say_phase(run->context, "settle", run->place.start_ns);
		run->begin_ns = run->place.start_ns + run->ramp_ns;
		run->next_ns = ahead_of(run->begin_ns);
		run->stage = run->counts ? AWAIT_BEGIN : AWAIT_EXIT;
		if (run->counts)
			take(run);
	}
	if (!run->counts || now < run->next_ns)
		return;
	take(run);
	run->next_ns = now + TRACK_LEAD_NS;
	if (run->stage == AWAIT_BEGIN) {
		if (now < run->begin_ns) {
			run->next_ns = run->begin_ns;
			return;
		}
		say_begin(run);
		run->stage = AWAIT_END;
		run->next_ns = ahead_of(run->begin_ns + run->run_ns);
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
	if (run->stage == AWAIT_IO)
		until = now + LOOK_NS;
	else if (run->counts)
		until = run->next_ns;
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
	int r;

	free(run->text);
	run->text = fio_job_text(run->job, run->ramp_ns, run->run_ns, job_needs_final_sync(run->job));
	if (!run->text)
		return fault_set(fault, ENOMEM, "fio", "no memory for a job file");
	snprintf(program, sizeof(program), "%s", fio_path());
	run->stage = AWAIT_IO;
	run->flags = -1;
	run->begin_ns = 0;
	run->deadline = clock_now() + run->ramp_ns + run->run_ns + GRACE_NS;
	r = child_start(&run->child, argv, run->text, fault);
	fio_place_init(&run->place, run->job, run->storage, run->child.pid);
	return r;
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
	json_object_set_new(result, "begin", *run->unplaced ? json_null() : result_moment(&run->begin, run->begin_ns));
	json_object_set_new(result, "end", *run->unplaced ? json_null() : result_moment(&run->end, run->begin_ns + figures->ns));
	json_object_set_new(result, "placed_ns", *run->unplaced ? json_null() : json_integer((json_int_t)run->place.slack_ns));
	json_object_set_new(result, "unplaced", *run->unplaced ? json_string(run->unplaced) : json_null());
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

/* Whether the counters of the time from begin_ns on fit to what fio tells; sets them, and unplaced if not. */
static bool take_counters(FioRun *run, const FioFigures *figures)
{
	track_at(&run->track, run->begin_ns, &run->begin);
	track_at(&run->track, run->begin_ns + figures->ns, &run->end);
	*run->unplaced = 0;
	return fio_place_fits(&run->place, &run->begin, &run->end, figures->bytes, run->unplaced, sizeof(run->unplaced));
}

/*
 * The second way to find the time: from when bytes moved for the last time back. A begin is missed when what moved was fio's own program,
 * which had to be read first.
 */
static bool place_by_end(FioRun *run, const FioFigures *figures)
{
	unsigned direction = !job_writes(run->job) ? 0 : !job_reads(run->job) ? 1 : 2;
	uint64_t from, to;

	if (!run->job->direct || !track_last_move(&run->track, direction, &from, &to) || to < figures->ns)
		return false;
	run->place.slack_ns = (to - from) / 2;
	run->begin_ns = from + run->place.slack_ns - figures->ns;
	return take_counters(run, figures);
}

/*
 * fio's measured time is its runtime from the end of its ramp on. Counters of another time would be wrong ones: where it cannot be told, or
 * what was counted in it contradicts fio's own bytes, there are none.
 */
static void place_run(FioRun *run, const FioFigures *figures)
{
	static const Sample nothing;

	take(run);
	if (!run->place.start_ns) {
		snprintf(run->unplaced, sizeof(run->unplaced),
			"fio's measured time could not be placed: %s", *run->storage->sysfs
				? "the kernel counted nothing for its process, or it was over before it could be looked at"
				: "the kernel counts nothing of asynchronous I/O in memory, or it was over before it could be looked at");
	} else {
		if (run->stage == AWAIT_BEGIN) /* nobody woke us for so long */
			say_begin(run);
		if (!take_counters(run, figures))
			place_by_end(run, figures);
	}
	if (*run->unplaced)
		run->begin = run->end = nothing;
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
	place_run(run, figures);
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
