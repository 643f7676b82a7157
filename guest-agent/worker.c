/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life of one thread: set-up, phases, pacing, faults. The loops are in worker-loop.c. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest-agent/worker.h"

/* ---- set-up ---------------------------------------------------------------------------------- */

static int allocate(Worker *worker)
{
	unsigned depth = worker->engine.depth;
	size_t size = depth * worker->engine.block_size;

	worker->settled = calloc(1, sizeof(Stats));
	worker->measured = calloc(1, sizeof(Stats));
	worker->requests = calloc(depth, sizeof(EngineRequest));
	worker->batch = calloc(depth, sizeof(EngineRequest *));
	worker->free_requests = calloc(depth, sizeof(EngineRequest *));
	worker->done = calloc(depth, sizeof(EngineRequest *));
	for (int i = 0; i < 2; i++)
		worker->series[i] = calloc(worker->load->max_intervals, sizeof(uint64_t));
	if (!worker->settled || !worker->measured || !worker->requests || !worker->batch || !worker->free_requests ||
		!worker->done || !worker->series[0] || !worker->series[1])
		return -ENOMEM;
	worker->engine.buffers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (worker->engine.buffers == MAP_FAILED) {
		worker->engine.buffers = NULL;
		return -ENOMEM;
	}
	return 0;
}

void worker_release(Worker *worker)
{
	if (worker->engine.buffers)
		munmap(worker->engine.buffers, worker->engine.depth * worker->engine.block_size);
	free(worker->settled);
	free(worker->measured);
	free(worker->requests);
	free(worker->batch);
	free(worker->free_requests);
	free(worker->done);
	free(worker->series[0]);
	free(worker->series[1]);
}

static void prepare_pattern(Worker *worker, const Job *job)
{
	uint64_t first;

	pattern_slice(job->size / job->block_size, worker->index, (unsigned)job->jobs, &first, &worker->count);
	worker->base = job->offset + first * job->block_size;
	worker->seed = pattern_mix(job->seed, worker->index);
	worker->random = job_is_random(job);
	worker->mixed = job->mix_read != KEY_NONE;
	worker->writes = job_writes(job);
	worker->fsync_every = job->fsync_every == KEY_NONE || engines[job->engine]->no_file ? 0 : job->fsync_every;
	worker->paced = job->rate_iops != KEY_NONE;
	shuffle_init(&worker->shuffle, worker->count, worker->seed);
	mix_init(&worker->mix, worker->mixed ? (unsigned)job->mix_read : 0, worker->seed);
}

int worker_prepare(Worker *worker, Load *load, unsigned index, Fault *fault)
{
	const Job *job = load->job;

	worker->load = load;
	worker->index = index;
	worker->engine = (Engine){.ops = engines[job->engine], .fd = load->storage->fd, .block_size = job->block_size,
		.depth = (unsigned)job->queue_depth};
	if (allocate(worker) < 0)
		return fault_set(fault, ENOMEM, "queue_depth", "no memory for %llu buffers of %llu bytes",
			(unsigned long long)job->queue_depth, (unsigned long long)job->block_size);
	for (unsigned i = 0; i < worker->engine.depth; i++) {
		worker->requests[i].index = i;
		worker->requests[i].buffer = worker->engine.buffers + i * job->block_size;
	}
	stats_clear(worker->settled);
	stats_clear(worker->measured);
	prepare_pattern(worker, job);
	/* Also touches every page of the buffers, so that the loop takes no page fault for them. */
	pattern_fill(worker->engine.buffers, worker->engine.depth * job->block_size, worker->seed);
	return 0;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool is_measuring(const Worker *worker)
{
	return worker->stats == worker->measured;
}

bool worker_counts_tail(const Worker *worker)
{
	return worker->load->pauses && is_measuring(worker);
}

static void take_usage(Worker *worker, int which)
{
	/* Of the whole process: io_uring's kernel threads are part of it, other agents' threads sleep. */
	if (worker->index == 0)
		getrusage(RUSAGE_SELF, &worker->load->usage[which]);
}

static void start_phase(Worker *worker, Stats *stats, uint64_t from)
{
	worker->stats = stats;
	worker->idle_ns = 0;
	if (worker->idle_since < from)
		worker->idle_since = from;
	worker->area_since = from;
}

static void set_next_event(Worker *worker)
{
	uint64_t end = worker->load->end_ns;

	worker->next_event = worker->interval_end < end ? worker->interval_end : end;
}

static void start_measuring(Worker *worker)
{
	uint64_t begin = worker->load->begin_ns;

	take_usage(worker, 0);
	start_phase(worker, worker->measured, begin);
	worker->interval_end = begin + worker->load->job->interval_ns;
	set_next_event(worker);
}

/*
 * Operations since the last interval ended belong to the first one that ends now; those after it saw none. The last one, which may
 * be shorter, is closed when the end is certain. Another thread may look on (load_fix_end).
 */
static void close_intervals(Worker *worker, uint64_t now, bool last)
{
	while (worker->interval < worker->load->max_intervals && (now >= worker->interval_end || last)) {
		for (int i = 0; i < 2; i++) {
			uint64_t n = worker->stats->complete[i].n;

			__atomic_store_n(&worker->series[i][worker->interval], n - worker->closed[i], __ATOMIC_RELAXED);
			worker->closed[i] = n;
		}
		worker->interval++;
		worker->interval_end += worker->load->job->interval_ns;
	}
}

static bool has_ended(Worker *worker, uint64_t now)
{
	if (now < worker->load->end_ns)
		return false;
	load_fix_end(worker->load);
	return now >= worker->load->end_ns;
}

bool worker_advance(Worker *worker, uint64_t now)
{
	worker_count_pending(worker); /* they belong to the phase and interval that may end now */
	if (!is_measuring(worker)) {
		if (worker->load->pauses)
			return false;
		start_measuring(worker);
	}
	if (now >= worker->next_event)
		close_intervals(worker, now, false);
	if (has_ended(worker, now)) {
		close_intervals(worker, now, true);
		if (!worker->load->pauses)
			take_usage(worker, 1);
		return false;
	}
	set_next_event(worker);
	return true;
}

void worker_close_area(Worker *worker, uint64_t last)
{
	uint64_t begin = worker->load->begin_ns, end = worker->load->end_ns;

	if (!is_measuring(worker) || worker_stopped(worker))
		return;
	if (worker->load->pauses && last > end)
		end = last;
	worker->measured->area = (double)(end - begin - worker->idle_ns);
}

/* ---- pacing, fsync, faults --------------------------------------------------------------------- */

uint64_t worker_due(const Worker *worker)
{
	const Job *job = worker->load->job;
	unsigned __int128 number = (unsigned __int128)worker->rate_count * job->jobs + worker->index;

	return worker->rate_base + (uint64_t)(number * 1000000000u / job->rate_iops);
}

static void add_idle(Worker *worker, uint64_t now)
{
	uint64_t end = worker->load->end_ns;

	if (is_measuring(worker) && !worker->load->pauses && now > end)
		now = end;
	if (now > worker->idle_since)
		worker->idle_ns += now - worker->idle_since;
}

bool worker_pace(Worker *worker, uint64_t *now)
{
	uint64_t due = worker_due(worker);
	bool go_on = true;

	worker->idle_since = *now;
	while (*now < due && go_on) {
		uint64_t until = due;

		if (worker_stopped(worker))
			return false;
		if (until > worker->next_event)
			until = worker->next_event;
		if (until > *now + NAP_NS)
			until = *now + NAP_NS;
		clock_sleep_until(until);
		*now = clock_now();
		if (*now >= worker->next_event)
			go_on = worker_advance(worker, *now);
	}
	add_idle(worker, *now);
	worker->rate_count++;
	return go_on;
}

bool worker_sync(Worker *worker, uint64_t *now)
{
	uint64_t begin = *now;
	bool go_on = true;
	Fault fault;

	worker->unsynced = 0;
	worker->idle_since = begin;
	if (fsync(worker->engine.fd) < 0) {
		fault_set(&fault, errno, "fsync", "fsync of %.200s: %s", worker->load->job->path, strerror(errno));
		load_fail(worker->load, &fault);
		return false;
	}
	*now = clock_now();
	if (*now >= worker->next_event)
		go_on = worker_advance(worker, *now);
	add_idle(worker, *now);
	if (go_on || worker_counts_tail(worker))
		hist_add(&worker->stats->sync, *now - begin);
	return go_on;
}

void worker_fail_request(Worker *worker, const EngineRequest *request)
{
	const char *op = request->write ? "write" : "read";
	Fault fault;

	if (request->result < 0)
		fault_set(&fault, (int)-request->result, op, "%s of %llu bytes at offset %llu of %.200s: %s", op,
			(unsigned long long)worker->engine.block_size, (unsigned long long)request->offset,
			worker->load->job->path, strerror((int)-request->result));
	else
		fault_set(&fault, EIO, op, "%s of %llu bytes at offset %llu of %.200s moved only %lld (a short transfer)", op,
			(unsigned long long)worker->engine.block_size, (unsigned long long)request->offset,
			worker->load->job->path, (long long)request->result);
	load_fail(worker->load, &fault);
}

/* ---- the thread -------------------------------------------------------------------------------- */

/* Runs for all threads at the same place; the one with number 0 passes WORK in between. */
static void together(Worker *worker, void (*work)(Worker *worker))
{
	pthread_barrier_wait(&worker->load->gate);
	if (worker->index == 0)
		work(worker);
	pthread_barrier_wait(&worker->load->gate);
}

static void set_start(Worker *worker)
{
	Load *load = worker->load;
	uint64_t now = clock_now();

	load->start_ns = now;
	if (!load->pauses) {
		load->begin_ns = now + load->job->settle_ns;
		load->end_ns = load->begin_ns + load->job->run_ns;
	}
	load_wake(load);
}

static void flush(Worker *worker)
{
	Fault fault;

	if (worker_stopped(worker) || fsync(worker->engine.fd) == 0)
		return;
	fault_set(&fault, errno, "fsync", "fsync of %.200s: %s", worker->load->job->path, strerror(errno));
	load_fail(worker->load, &fault);
}

static void set_begin(Worker *worker)
{
	Load *load = worker->load;

	flush(worker);
	load->begin_ns = clock_now();
	load->end_ns = load->begin_ns + load->job->run_ns;
	load_wake(load);
}

static void set_finish(Worker *worker)
{
	Load *load = worker->load;

	load->sync_ns = clock_now();
	load_wake(load);
	flush(worker);
	take_usage(worker, 1);
	load->finish_ns = clock_now();
	load_wake(load);
}

static void loop(Worker *worker, uint64_t from)
{
	worker->rate_base = from;
	worker->rate_count = 0;
	if (engine_is_async(worker->engine.ops))
		worker_loop_async(worker);
	else
		worker_loop_sync(worker);
}

static void run_phases(Worker *worker)
{
	Load *load = worker->load;

	together(worker, set_start);
	start_phase(worker, worker->settled, load->start_ns);
	worker->next_event = load->start_ns + load->job->settle_ns;
	if (!load->pauses) {
		loop(worker, load->start_ns);
		return;
	}
	loop(worker, load->start_ns);
	together(worker, set_begin);
	worker->unsynced = 0;
	start_measuring(worker);
	loop(worker, load->begin_ns);
	together(worker, set_finish);
}

void *worker_main(void *data)
{
	Worker *worker = data;
	Engine *engine = &worker->engine;
	Load *load = worker->load;
	bool opened = false;
	Fault fault;

	if (!load_await_go(load))
		return NULL;
	if (worker->paced)
		prctl(PR_SET_TIMERSLACK, 1); /* the default lets every sleep end up to 50 us late */
	if (engine->ops->open && engine->ops->open(engine, &fault) < 0)
		load_fail(load, &fault);
	else
		opened = true;
	run_phases(worker);
	if (opened && engine->ops->close)
		engine->ops->close(engine);
	atomic_fetch_sub(&load->running, 1);
	load_wake(load);
	return NULL;
}
