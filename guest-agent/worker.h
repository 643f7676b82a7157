/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread of a load. Private to load.c, worker.c and worker-loop.c.
 */
#ifndef IOGAP_AGENT_WORKER_H
#define IOGAP_AGENT_WORKER_H

#include "guest-agent/common/clock.h"
#include "guest-agent/load.h"
#include "guest-agent/pattern.h"

#define NAP_NS 50000000u /* longest sleep before a stop is looked for */

#define WORKER_PENDING 128

struct Worker {
	Load *load;
	pthread_t thread;
	unsigned index;
	Engine engine;

	/* What to do next. */
	Shuffle shuffle;
	Mix mix;
	uint64_t base, count, sequence; /* first byte and number of blocks of the slice; next block of a sequential load */
	bool random, mixed, writes;	/* writes: all are writes (when not mixed) */
	uint64_t seed, stamp;
	uint64_t fsync_every, unsynced; /* 0 = never */
	uint64_t rate_base, rate_count; /* operations are due at rate_base + k / rate */
	bool paced;

	/* Where it goes. */
	Stats *stats, *settled, *measured; /* stats is one of the other two */
	uint64_t *series[2], closed[2];	   /* closed: operations in intervals that are over */
	unsigned interval;
	uint64_t next_event; /* the next moment at which worker_advance has something to do */
	uint64_t interval_end;
	uint64_t idle_ns, idle_since; /* measured time with nothing in flight, of synchronous engines */
	uint64_t area_since;	      /* asynchronous engines: area is complete up to here */

	/*
	 * Latencies not yet in the histogram, of synchronous engines: ns * 2 + write. After a system call the histogram's pages
	 * are cold, so that one value at a time costs some 30 ns each, and a batch a tenth of that.
	 */
	uint64_t pending[WORKER_PENDING];
	unsigned n_pending;

	EngineRequest *requests, **batch, **free_requests, **done;
	unsigned n_free;
};

/* Memory, data, and the pattern; in the starting thread. On failure the worker may be released all the same. */
int worker_prepare(Worker *worker, Load *load, unsigned index, Fault *fault);
void worker_release(Worker *worker);
void *worker_main(void *worker);

/* The loops: until the phase ends (worker_advance says so), a stop, or a fault. Nothing is in flight on return. */
void worker_loop_sync(Worker *worker);
void worker_loop_async(Worker *worker);

/* Moves the latencies kept by the synchronous loop into the histogram of the phase. */
void worker_count_pending(Worker *worker);
/* Phase and series are brought up to NOW; false = this loop is over. Called when NOW >= next_event. */
bool worker_advance(Worker *worker, uint64_t now);
/* After this phase an operation that completes past the end still counts (the second kind of time line). */
bool worker_counts_tail(const Worker *worker);
/* The loop is over: brings area up to the end. LAST is when the last counted operation completed. */
void worker_close_area(Worker *worker, uint64_t last);
/* When operation number rate_count is due. */
uint64_t worker_due(const Worker *worker);
/* Waits until the next operation is due; *NOW is brought up. False = the loop is over. */
bool worker_pace(Worker *worker, uint64_t *now);
/* fsync, timed into the sync histogram; *NOW is brought up. False = the loop is over. */
bool worker_sync(Worker *worker, uint64_t *now);
/* A request did not move a whole block. */
void worker_fail_request(Worker *worker, const EngineRequest *request);

static inline bool worker_stopped(const Worker *worker)
{
	return atomic_load_explicit(&worker->load->stop, memory_order_relaxed);
}

/* Chooses place, direction and data of the next operation. */
static inline void worker_next(Worker *worker, EngineRequest *request)
{
	uint64_t block;

	if (worker->random) {
		block = shuffle_next(&worker->shuffle);
	} else {
		block = worker->sequence++;
		if (worker->sequence == worker->count)
			worker->sequence = 0;
	}
	request->offset = worker->base + block * worker->engine.block_size;
	request->write = worker->mixed ? !mix_next_is_read(&worker->mix) : worker->writes;
	if (request->write) {
		pattern_stamp(request->buffer, worker->engine.block_size, worker->seed, worker->stamp++);
		worker->unsynced++;
	}
}

#endif
