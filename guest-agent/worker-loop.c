/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two loops. No lock, no allocation, and no system call but the I/O: the clock is read through the vDSO.
 */
#include "guest-agent/worker.h"

void worker_count_pending(Worker *worker)
{
	for (unsigned i = 0; i < worker->n_pending; i++)
		hist_add(&worker->stats->complete[worker->pending[i] & 1], worker->pending[i] >> 1);
	worker->n_pending = 0;
}

static inline void keep(Worker *worker, const EngineRequest *request, uint64_t ns)
{
	worker->pending[worker->n_pending++] = ns << 1 | request->write;
}

/* The batch is full: it is counted between two operations, and no latency includes that. */
static uint64_t count_full(Worker *worker, uint64_t end)
{
	uint64_t begin;

	worker_count_pending(worker);
	begin = clock_now();
	worker->idle_ns += begin - end;
	return begin;
}

/*
 * Stamps are chained: the reading that ends one operation also begins the next, so that each costs one reading of the clock.
 * A latency therefore includes the choice of the next offset and, for writes, the stamping of the data (some ns
 * each, see null_io_ns).
 */
__attribute__((hot)) void worker_loop_sync(Worker *worker)
{
	Engine *engine = &worker->engine;
	EngineRequest *request = &worker->requests[0];
	void (*transfer)(Engine *engine, EngineRequest *request) = engine->ops->transfer;
	uint64_t begin = clock_now(), end = begin;

	while (!worker_stopped(worker)) {
		if (worker->paced && !worker_pace(worker, &begin))
			break;
		worker_next(worker, request);
		transfer(engine, request);
		end = clock_now();
		if (__builtin_expect(request->result != (int64_t)engine->block_size, 0)) {
			worker_fail_request(worker, request);
			break;
		}
		if (__builtin_expect(end >= worker->next_event, 0) && !worker_advance(worker, end)) {
			if (worker_counts_tail(worker))
				keep(worker, request, end - begin);
			break;
		}
		keep(worker, request, end - begin);
		begin = end;
		if (__builtin_expect(worker->n_pending == WORKER_PENDING, 0))
			begin = count_full(worker, end);
		if (worker->fsync_every && worker->unsynced >= worker->fsync_every && !worker_sync(worker, &begin))
			break;
	}
	worker_count_pending(worker);
	worker_close_area(worker, begin > end ? begin : end);
}

/* ---- asynchronous ------------------------------------------------------------------------------ */

typedef struct {
	unsigned in_flight, writes; /* writes: of the batch under way */
	uint64_t now;
	bool ending;  /* the phase is over: nothing new is submitted */
	bool syncing; /* fsync_every is reached: nothing new until all is back and synced */
} Flight;

/* How many requests may go now: all that are free, or as many as are due. */
static unsigned gather(Worker *worker, Flight *flight)
{
	unsigned n = 0;

	flight->writes = 0;
	while (worker->n_free && !flight->syncing) {
		EngineRequest *request;

		if (worker->paced) {
			if (worker_due(worker) > flight->now)
				break;
			worker->rate_count++;
		}
		request = worker->free_requests[--worker->n_free];
		worker_next(worker, request);
		/* The stamp that ended the last round begins this one: see worker_loop_sync. */
		request->start_ns = flight->now;
		flight->writes += request->write;
		worker->batch[n++] = request;
		flight->syncing = worker->fsync_every && worker->unsynced >= worker->fsync_every;
	}
	return n;
}

static void fail_engine(Worker *worker, const char *call, int r)
{
	Fault fault;

	fault_set(&fault, -r, worker->engine.ops->name, "%s could not %s requests: %s", worker->engine.ops->name, call,
		strerror(-r));
	load_fail(worker->load, &fault);
}

/* One batch is one call, and each of its requests waited for the whole call. */
static bool submit(Worker *worker, Flight *flight, unsigned n)
{
	uint64_t ns;
	int r = worker->engine.ops->submit(&worker->engine, worker->batch, n);

	if (r < 0) {
		fail_engine(worker, "submit", r);
		return false;
	}
	ns = clock_now() - flight->now;
	flight->in_flight += n;
	if (n > flight->writes)
		hist_add_many(&worker->stats->submit[0], ns, n - flight->writes);
	if (flight->writes)
		hist_add_many(&worker->stats->submit[1], ns, flight->writes);
	return true;
}

static void add_area(Worker *worker, unsigned in_flight, uint64_t until)
{
	if (until > worker->area_since) {
		worker->stats->area += (double)(until - worker->area_since) * in_flight;
		worker->area_since = until;
	}
}

static void take(Worker *worker, Flight *flight, unsigned n, bool count)
{
	for (unsigned i = 0; i < n; i++) {
		EngineRequest *request = worker->done[i];

		if (__builtin_expect(request->result != (int64_t)worker->engine.block_size, 0))
			worker_fail_request(worker, request);
		else if (count)
			hist_add(&worker->stats->complete[request->write], flight->now - request->start_ns);
		worker->free_requests[worker->n_free++] = request;
	}
	flight->in_flight -= n;
}

/* Time passed: phase and series are brought up (a change to the measuring begins a new area), then the area. */
static void pass_time(Worker *worker, Flight *flight)
{
	flight->now = clock_now();
	if (flight->now >= worker->next_event && !flight->ending)
		flight->ending = !worker_advance(worker, flight->now);
	/* What is in flight after the end counts for the second kind of time line only. */
	add_area(worker, flight->in_flight,
		flight->ending && !worker_counts_tail(worker) ? worker->load->end_ns : flight->now);
}

/* How long to wait for completions: for ever, or until the next operation is due or the phase ends. */
static uint64_t patience(const Worker *worker, const Flight *flight)
{
	uint64_t until;

	if (!worker->paced || flight->ending || !worker->n_free || flight->syncing)
		return UINT64_MAX;
	until = worker_due(worker);
	if (until > worker->next_event)
		until = worker->next_event;
	return until > flight->now ? until - flight->now : 0;
}

static bool reap(Worker *worker, Flight *flight)
{
	int n = worker->engine.ops->reap(&worker->engine, worker->done, flight->in_flight, patience(worker, flight));
	bool count;

	if (n < 0) {
		fail_engine(worker, "reap", n);
		return false;
	}
	pass_time(worker, flight);
	count = !flight->ending || worker_counts_tail(worker);
	take(worker, flight, (unsigned)n, count);
	return true;
}

/* Nothing is in flight: an fsync is due, or it is too early for the next operation. */
static void idle(Worker *worker, Flight *flight)
{
	if (flight->syncing) {
		flight->syncing = false;
		flight->ending |= !worker_sync(worker, &flight->now);
	} else {
		uint64_t wait = patience(worker, flight);

		/* A stop must be noticed while the next operation is far away. */
		clock_sleep_until(flight->now + (wait < NAP_NS ? wait : NAP_NS));
		pass_time(worker, flight);
	}
	worker->area_since = flight->now;
}

void worker_loop_async(Worker *worker)
{
	Flight flight = {.now = clock_now()};

	worker->n_free = 0;
	for (unsigned i = worker->engine.depth; i--;)
		worker->free_requests[worker->n_free++] = &worker->requests[i];
	for (;;) {
		unsigned n = 0;

		if (worker_stopped(worker))
			flight.ending = true;
		if (!flight.ending)
			n = gather(worker, &flight);
		if (n && !submit(worker, &flight, n))
			break;
		if (flight.in_flight) {
			if (!reap(worker, &flight))
				break;
		} else if (flight.ending) {
			break;
		} else {
			idle(worker, &flight);
		}
	}
}
