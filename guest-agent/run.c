/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"
#include "guest-agent/fio-run.h"
#include "guest-agent/load.h"
#include "guest-agent/result.h"
#include "guest-agent/run.h"
#include "guest-agent/tool-run.h"
#include "guest-agent/track.h"

/* The next thing that the watching thread waits for. */
typedef enum { AWAIT_START, AWAIT_BEGIN, AWAIT_END, AWAIT_THREADS } Stage;

typedef struct {
	Job job; /* a copy, path and all: after a hang-up threads may outlive the request */
	RunContext *context;
	Storage storage;
	Load load;
	Track track;
	Sample begin;
	Stage stage;
	bool ahead; /* the sample ahead of what is awaited was taken */
	bool sync_told;
} Run;

void run_say_phase(const RunContext *context, const char *phase, uint64_t mono_ns)
{
	ClockMoment now = clock_moment();
	ClockMoment then = clock_moment_at(&now, mono_ns);

	if (context->wire)
		answer_phase(context->wire, context->id, phase, then.boot_ns, then.real_ns);
}

static bool reached(uint64_t moment, uint64_t now)
{
	return moment && now >= moment;
}

static uint64_t awaited(const Run *run)
{
	if (run->stage == AWAIT_BEGIN)
		return run->load.begin_ns;
	return run->stage == AWAIT_END && !run->load.pauses ? run->load.end_ns : 0;
}

static void enter(Run *run, Stage stage)
{
	run->stage = stage;
	run->ahead = false;
}

/* Brings STAGE up to NOW. Direct loads know begin and end beforehand, so that they are sampled in time even while a request hangs. */
static void proceed(Run *run, uint64_t now)
{
	Load *load = &run->load;
	const char *sysfs = run->storage.sysfs;

	if (run->stage == AWAIT_START && load->start_ns) {
		track_take(&run->track, sysfs);
		if (run->job.settle_ns)
			run_say_phase(run->context, "settle", load->start_ns);
		enter(run, AWAIT_BEGIN);
	}
	if (!run->ahead && reached(awaited(run), now + TRACK_LEAD_NS)) {
		track_take(&run->track, sysfs);
		run->ahead = true;
	}
	if (run->stage == AWAIT_BEGIN && reached(load->begin_ns, now)) {
		track_take(&run->track, sysfs);
		track_at(&run->track, load->begin_ns, &run->begin);
		run_say_phase(run->context, "measure", load->begin_ns);
		enter(run, AWAIT_END);
	}
	if (run->stage == AWAIT_END && load->sync_ns && !run->sync_told) {
		track_take(&run->track, sysfs);
		run_say_phase(run->context, "sync", load->sync_ns);
		run->sync_told = true;
	}
	if (run->stage == AWAIT_END && load->end_state == END_FIXED &&
		reached(load->pauses ? load->finish_ns : load->end_ns, now)) {
		track_take(&run->track, sysfs);
		enter(run, AWAIT_THREADS);
	}
}

static uint64_t time_to_next(const Run *run)
{
	uint64_t now = clock_now(), until = awaited(run);

	if (until && !run->ahead)
		until = until > TRACK_LEAD_NS ? until - TRACK_LEAD_NS : 1;
	/* The load wakes us, also when it has made up its mind about the end. */
	if (!until || (run->stage == AWAIT_END && run->load.end_state != END_FIXED && until <= now))
		return WIRE_FOREVER;
	return until > now ? until - now : 0;
}

static void take_request(RunContext *context, char *line, size_t length)
{
	CLEANUP_JSON json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	const char *cmd = json_string_value(json_object_get(request, "cmd"));
	Fault fault;

	if (cmd && !strcmp(cmd, "cancel")) {
		context->cancelled = true;
		return;
	}
	fault_set(&fault, EBUSY, "cmd", "a run is under way: only cancel is taken now");
	answer_error(context->wire, request ? json_object_get(request, "id") : NULL, &fault);
}

bool run_listen(RunContext *context, int wake_fd, uint64_t timeout_ns)
{
	Wire nobody, *wire = context->wire;
	char *line;
	size_t length;
	int r;

	if (!wire || context->lost) {
		wire_init(&nobody, -1, -1); /* poll ignores negative descriptors */
		wire = &nobody;
	}
	r = wire_read(wire, wake_fd, timeout_ns, &line, &length);
	if (r == WIRE_LINE) {
		take_request(context, line, length);
	} else if (r == -EMSGSIZE) {
		Fault fault;

		fault_set(&fault, EMSGSIZE, "line", "a line is longer than %u bytes", WIRE_MAX_REQUEST);
		answer_error(wire, NULL, &fault);
	} else if (r < 0) {
		context->lost = true;
	}
	return r == WIRE_WAKE;
}

static void listen_and_wait(Run *run)
{
	if (run_listen(run->context, run->load.wake_fd, time_to_next(run)))
		load_clear_wake(&run->load);
	if (run->context->cancelled || run->context->lost)
		load_stop(&run->load);
}

bool run_is_over(const RunContext *context, Fault *fault)
{
	if (!context->lost && !context->cancelled)
		return false;
	fault_set(fault, ECANCELED, "run", context->cancelled ? "the run was cancelled" : "the harness hung up");
	return true;
}

static json_t *finish(Run *run, Fault *fault)
{
	Load *load = &run->load;
	Sample end;

	if (load_join(load) < 0) {
		*fault = load->fault;
		return NULL;
	}
	if (run_is_over(run->context, fault))
		return NULL;
	track_at(&run->track, load->pauses ? load->finish_ns : load->end_ns, &end);
	return result_make(load, &run->begin, &end);
}

static json_t *run_opened(Run *run, Fault *fault)
{
	json_t *result;

	if (load_start(&run->load, &run->job, &run->storage, fault) < 0)
		return NULL;
	/* A hung-up harness waits for nobody: the caller ends the process, and a request that hangs goes with it. */
	while (!run->context->lost && (run->load.running || (run->stage != AWAIT_THREADS && !run->load.stop))) {
		listen_and_wait(run);
		proceed(run, clock_now());
	}
	if (run->context->lost) {
		fault_set(fault, ECANCELED, "run", "the harness hung up");
		return NULL;
	}
	result = finish(run, fault);
	load_release(&run->load);
	return result;
}

static void run_free(Run *run)
{
	free((char *)run->job.path);
	free(run);
}

static Run *run_new(const Job *job, RunContext *context)
{
	Run *run = calloc(1, sizeof(*run));
	char *path = strdup(job->path);

	if (!run || !path) {
		free(run);
		free(path);
		return NULL;
	}
	run->job = *job;
	run->job.path = path;
	run->context = context;
	return run;
}

static json_t *check_and_run(Run *run, Fault *fault)
{
	const EngineOps *engine = engines[run->job.engine];
	char reason[256];
	json_t *result;
	int r = engine->probe(reason, sizeof(reason));

	if (r < 0) {
		fault_set(fault, -r, "engine", "engine %s does not work here: %s", engine->name, reason);
		return NULL;
	}
	if (storage_open(&run->job, &run->storage, fault) < 0)
		return NULL;
	if (engine->tool)
		result = tool_run(&run->job, &run->storage, run->context, fault);
	else if (engine->outside)
		result = fio_run(&run->job, &run->storage, run->context, fault);
	else
		result = run_opened(run, fault);
	if (!run->context->lost)
		storage_close(&run->storage);
	return result;
}

json_t *run_job(const Job *job, RunContext *context, Fault *fault)
{
	Run *run = run_new(job, context);
	json_t *result;

	if (!run) {
		fault_set(fault, ENOMEM, "run", "no memory for a run");
		return NULL;
	}
	result = check_and_run(run, fault);
	if (!context->lost) /* else threads may still use it, and the process ends */
		run_free(run);
	return result;
}
