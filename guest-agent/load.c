/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/steady.h"
#include "guest-agent/load.h"
#include "guest-agent/worker.h"

void load_wake(Load *load)
{
	uint64_t one = 1;

	/* An eventfd takes any number of these; nothing can be done if it did not. */
	if (write(load->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void load_clear_wake(Load *load)
{
	uint64_t count;

	if (read(load->wake_fd, &count, sizeof(count)) < 0)
		return;
}

void load_stop(Load *load)
{
	atomic_store(&load->stop, true);
}

void load_fail(Load *load, const Fault *fault)
{
	pthread_mutex_lock(&load->lock);
	if (!load->fault.code)
		load->fault = *fault;
	pthread_mutex_unlock(&load->lock);
	load_stop(load);
}

static int allocate(Load *load)
{
	load->total = calloc(1, sizeof(*load->total));
	load->workers = calloc(load->job->jobs, sizeof(*load->workers));
	load->series[0] = calloc(load->max_intervals, sizeof(uint64_t));
	load->series[1] = calloc(load->max_intervals, sizeof(uint64_t));
	if (load->end_state == END_OPEN)
		load->judged = calloc(load->intervals, sizeof(uint64_t));
	load->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (load->end_state == END_OPEN && !load->judged)
		return -ENOMEM;
	if (!load->total || !load->workers || !load->series[0] || !load->series[1] || load->wake_fd < 0)
		return -ENOMEM;
	return 0;
}

void load_release(Load *load)
{
	for (unsigned i = 0; i < load->n_workers; i++)
		worker_release(&load->workers[i]);
	free(load->workers);
	free(load->total);
	free(load->series[0]);
	free(load->series[1]);
	free(load->judged);
	if (load->wake_fd >= 0)
		close(load->wake_fd);
	pthread_barrier_destroy(&load->gate);
	pthread_cond_destroy(&load->go_changed);
	pthread_mutex_destroy(&load->lock);
}

/*
 * The buffers must fit well: in a small guest the kernel would otherwise kill the agent, which is the guest's first
 * process.
 */
static int check_memory(const Job *job, Fault *fault)
{
	uint64_t need = job->jobs * job->queue_depth * job->block_size; /* < 2^8 * 2^12 * 2^30 */
	uint64_t have = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (need > have / 2)
		return fault_set(fault, ENOMEM, "queue_depth",
			"jobs x queue_depth x block_size needs %llu bytes of buffers, more than half of the free memory (%llu bytes)",
			(unsigned long long)need, (unsigned long long)have);
	return 0;
}

bool load_await_go(Load *load)
{
	bool go;

	pthread_mutex_lock(&load->lock);
	while (!load->go)
		pthread_cond_wait(&load->go_changed, &load->lock);
	go = load->go > 0;
	pthread_mutex_unlock(&load->lock);
	return go;
}

static void say_go(Load *load, int go)
{
	pthread_mutex_lock(&load->lock);
	load->go = go;
	pthread_cond_broadcast(&load->go_changed);
	pthread_mutex_unlock(&load->lock);
}

/* All threads or none: those that exist are sent home when one cannot be created. */
static int start_threads(Load *load, Fault *fault)
{
	unsigned n = 0;
	int r = 0;

	while (n < load->n_workers && r == 0) {
		r = worker_prepare(&load->workers[n], load, n, fault);
		if (r < 0)
			break;
		r = -pthread_create(&load->workers[n].thread, NULL, worker_main, &load->workers[n]);
		if (r < 0)
			fault_set(fault, -r, "jobs", "thread %u of %u cannot be created: %s", n + 1, load->n_workers, strerror(-r));
		else
			n++;
	}
	say_go(load, r < 0 ? -1 : 1);
	for (unsigned i = 0; r < 0 && i < n; i++)
		pthread_join(load->workers[i].thread, NULL);
	return r;
}

static unsigned count_intervals(const Job *job, uint64_t ns)
{
	return (unsigned)((ns + job->interval_ns - 1) / job->interval_ns);
}

int load_start(Load *load, const Job *job, const Storage *storage, Fault *fault)
{
	int r = check_memory(job, fault);

	if (r < 0)
		return r;
	memset(load, 0, sizeof(*load));
	load->job = job;
	load->storage = storage;
	load->pauses = job_needs_final_sync(job);
	load->intervals = load->max_intervals = count_intervals(job, job->run_ns);
	if (job->extend && !load->pauses) {
		load->end_state = END_OPEN;
		load->max_intervals = count_intervals(job, 2 * job->run_ns);
	}
	load->n_workers = (unsigned)job->jobs;
	pthread_mutex_init(&load->lock, NULL);
	pthread_cond_init(&load->go_changed, NULL);
	pthread_barrier_init(&load->gate, NULL, load->n_workers);
	atomic_store(&load->running, load->n_workers);
	r = allocate(load) < 0 ? fault_set(fault, ENOMEM, "jobs", "no memory for %u threads", load->n_workers) : 0;
	if (r == 0)
		r = start_threads(load, fault);
	if (r < 0)
		load_release(load);
	return r;
}

/*
 * The other threads may be inside their last operation, so that their last steps are still empty. That is one latency's worth, and
 * no reason to stop the load.
 */
static bool was_steady(Load *load)
{
	unsigned n = (unsigned)(load->job->run_ns / load->job->interval_ns); /* whole intervals only */
	Steady steady;

	for (unsigned j = 0; j < n; j++)
		for (unsigned w = 0; w < load->n_workers; w++)
			for (int i = 0; i < 2; i++)
				load->judged[j] += __atomic_load_n(&load->workers[w].series[i][j], __ATOMIC_RELAXED);
	steady_judge(load->judged, n, &steady);
	/* What cannot be judged is not measured longer for it. */
	return !steady.known || steady.steady;
}

void load_fix_end(Load *load)
{
	EndState open = END_OPEN;

	if (atomic_compare_exchange_strong(&load->end_state, &open, END_DECIDING)) {
		if (!was_steady(load)) {
			load->extended = true;
			load->end_ns += load->job->run_ns;
		}
		load->end_state = END_FIXED;
		load_wake(load);
	}
	while (load->end_state == END_DECIDING)
		sched_yield();
}

static void merge(Load *load, const Worker *worker)
{
	Stats *total = load->total, *own = worker->measured;

	for (int i = 0; i < 2; i++) {
		hist_merge(&total->submit[i], &own->submit[i]);
		hist_merge(&total->complete[i], &own->complete[i]);
		for (unsigned j = 0; j < load->intervals; j++)
			load->series[i][j] += worker->series[i][j];
	}
	hist_merge(&total->sync, &own->sync);
	total->area += own->area;
	load->fixed_buffers &= worker->engine.fixed_buffers;
	load->fixed_files &= worker->engine.fixed_files;
}

void stats_clear(Stats *stats)
{
	for (int i = 0; i < 2; i++) {
		hist_clear(&stats->submit[i]);
		hist_clear(&stats->complete[i]);
	}
	hist_clear(&stats->sync);
	stats->area = 0;
}

int load_join(Load *load)
{
	for (unsigned i = 0; i < load->n_workers; i++)
		pthread_join(load->workers[i].thread, NULL);
	if (load->extended)
		load->intervals = load->max_intervals;
	stats_clear(load->total);
	load->fixed_buffers = load->fixed_files = true;
	for (unsigned i = 0; i < load->n_workers; i++)
		merge(load, &load->workers[i]);
	return -load->fault.code;
}

static double null_round(const Job *job, const Storage *storage)
{
	CLEANUP_FREE Load *load = calloc(1, sizeof(*load));
	double cost = -1;
	Fault fault;

	if (!load || load_start(load, job, storage, &fault) < 0)
		return cost;
	if (load_join(load) == 0 && load->total->complete[0].n)
		cost = (double)job->run_ns / (double)load->total->complete[0].n;
	load_release(load);
	return cost;
}

/* Another process can take the processor away for a whole round, so the cheapest of several counts. */
double load_null_cost(void)
{
	const Job job = {.path = "", .size = 1u << 30, .block_size = 4096, .rw = RW_RANDREAD, .mix_read = KEY_NONE,
		.fsync_every = KEY_NONE, .queue_depth = 1, .jobs = 1, .engine = engine_find("null"), .rate_iops = KEY_NONE,
		.seed = 1, .settle_ns = 1000000, .run_ns = 5000000, .interval_ns = 1000000};
	const Storage storage = {.fd = -1, .sync_flags = "none"};
	double least = -1;

	for (int i = 0; i < 5; i++) {
		double cost = null_round(&job, &storage);

		if (cost > 0 && (least < 0 || cost < least))
			least = cost;
	}
	return least;
}
