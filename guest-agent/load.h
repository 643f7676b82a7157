/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load: the threads of one job and their common time line. guest-agent/worker.c is what one thread does.
 *
 * Time line. start_ns: all threads are ready and begin. begin_ns: what is measured begins; end_ns: it ends. Two kinds:
 *
 * - Reads, direct writes and O_DSYNC/O_SYNC writes run through without a pause. Counted is every operation whose
 *   completion is seen in [begin_ns, end_ns), no matter when it began; what completes later is reaped and not counted.
 *   The measured time is end_ns - begin_ns.
 * - Buffered writes (job_needs_final_sync) stop at the end of the settle time, are synced, and begin anew, so that no
 *   dirty page is carried into the measurement. No operation is begun after end_ns; those begun before are all counted, and so is
 *   the time until the final fsync of the file returns: finish_ns - begin_ns is the measured time.
 *
 * A load of the first kind whose job may be extended looks at its own series when end_ns has come. When that was not
 * steady (common/steady.h), end_ns moves on by run_ns, once, and nothing pauses. The thread that sees the end first decides for
 * all; end_state says whether end_ns may still move.
 *
 * Threads: the caller's thread starts, watches and joins; it may read the atomics at any time, the rest after load_join.
 * Who may include it: guest-agent. Depends on common, engine, job, storage, pattern.
 */
#ifndef IOGAP_AGENT_LOAD_H
#define IOGAP_AGENT_LOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "guest-agent/common/hist.h"
#include "guest-agent/storage.h"

typedef struct Worker Worker;

/* Counts of one thread, or of all of them merged. Index 0 = read, 1 = write. */
typedef struct {
	Hist submit[2], complete[2], sync;
	double area; /* requests in flight, integrated over the measured time: request-nanoseconds */
} Stats;

typedef enum { END_FIXED, END_OPEN, END_DECIDING } EndState;

typedef struct Load {
	const Job *job;
	const Storage *storage;
	bool pauses; /* the second kind of time line */
	unsigned intervals, max_intervals; /* of the series: as far as end_ns stands, and at most */

	atomic_bool stop;			     /* threads end soon; set by a fault or by load_stop */
	_Atomic uint64_t start_ns, begin_ns, end_ns; /* 0 = not known yet */
	_Atomic uint64_t sync_ns, finish_ns;	     /* the final fsync began; everything is over */
	_Atomic EndState end_state;
	atomic_uint running;
	int wake_fd; /* becomes readable when one of these changed; load_clear_wake */

	/* After load_join: */
	Stats *total;
	uint64_t *series[2];		/* operations per interval; its last one is shorter if they do not divide run_ns */
	struct rusage usage[2];		/* of this process at begin and end */
	bool fixed_buffers, fixed_files; /* of all threads */
	bool extended;			/* end_ns was moved on */
	Fault fault;			/* code 0 = none */

	/* Private. */
	pthread_barrier_t gate;
	pthread_mutex_t lock;	   /* of fault and go */
	pthread_cond_t go_changed;
	int go; /* 1: all threads exist; -1: they never will */
	Worker *workers;
	unsigned n_workers;
	uint64_t *judged; /* the series of all threads, for the look at the end; NULL = the end is fixed */
} Load;

/* Starts the threads. On failure nothing is left. JOB and STORAGE are borrowed. */
int load_start(Load *load, const Job *job, const Storage *storage, Fault *fault);
void load_clear_wake(Load *load);
void load_stop(Load *load);
/* Waits for all threads, merges their counts. 0, or -errno with load->fault set. A stop alone is no fault. */
int load_join(Load *load);
void load_release(Load *load); /* after load_join */

/* For workers. */
void load_wake(Load *load);
bool load_await_go(Load *load); /* false: return at once */
void load_fix_end(Load *load);	/* end_ns has come: it is moved, or stays, and is fixed on return */
void stats_clear(Stats *stats);
void load_fail(Load *load, const Fault *fault); /* the first fault is kept, and the load stops */

/*
 * What one operation of the null engine costs, with everything counted, ns; negative = it could not be measured. Takes
 * about 30 ms.
 */
double load_null_cost(void);

#endif
