/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time by kind of thread, watched on this very process while its threads play QEMU's. */
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "guest-agent/common/clock.h"
#include "harness/run/threads.h"

#define MS 1000000ll

static gint64 thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

typedef struct {
	const char *name;
	gint64 burn_ns;
	gint stay; /* keeps running, idle, until cleared */
	gint burnt; /* set when it is idle */
} Actor;

static gpointer act(gpointer data)
{
	Actor *actor = data;

	prctl(PR_SET_NAME, actor->name);
	while (thread_cpu_ns() < actor->burn_ns)
		;
	g_atomic_int_set(&actor->burnt, 1);
	while (g_atomic_int_get(&actor->stay))
		g_usleep(1000);
	return NULL;
}

static void run_loop_ms(guint ms)
{
	gint64 end = g_get_monotonic_time() + ms * 1000;

	while (g_get_monotonic_time() < end) {
		g_main_context_iteration(NULL, FALSE);
		g_usleep(2000);
	}
}

static gint64 now_ns(void)
{
	return (gint64)clock_read(CLOCK_BOOTTIME);
}

/* From now on is measured. */
static ThreadWatch *begin_now(void)
{
	ThreadWatch *watch = threads_watch(getpid());

	g_assert_nonnull(watch);
	threads_begin(watch, now_ns());
	return watch;
}

static void end_now(ThreadWatch *watch, Record *run)
{
	gint64 end = now_ns();

	threads_stop(watch);
	threads_end(watch, end, run);
	threads_free(watch);
}

/* Until ACTOR is idle, however busy the machine is. */
static void await(Actor *actor)
{
	while (!g_atomic_int_get(&actor->burnt))
		run_loop_ms(20);
}

static void test_kinds(void)
{
	g_assert_cmpint(threads_kind("CPU 0/KVM", FALSE), ==, THREAD_VCPU);
	g_assert_cmpint(threads_kind("CPU 11/TCG", FALSE), ==, THREAD_VCPU);
	g_assert_cmpint(threads_kind("IO iothread1", FALSE), ==, THREAD_IOTHREAD);
	g_assert_cmpint(threads_kind("worker", FALSE), ==, THREAD_WORKER);
	g_assert_cmpint(threads_kind("iou-wrk-4711", FALSE), ==, THREAD_WORKER);
	g_assert_cmpint(threads_kind("CPU 0/KVM", TRUE), ==, THREAD_MAIN);
	g_assert_cmpint(threads_kind("call_rcu", FALSE), ==, THREAD_OTHER);
}

/* One that stays, and one that ends before the watch does: what it had at its last sight stays counted. */
static void test_split(void)
{
	g_autoptr(Record) run = record_new();
	Actor cpu = {.name = "CPU 0/KVM", .burn_ns = 300 * MS, .stay = 1};
	Actor worker = {.name = "worker", .burn_ns = 250 * MS, .stay = 1};
	ThreadWatch *watch = begin_now();
	GThread *a, *b;
	gint64 sum;

	a = g_thread_new("a", act, &cpu);
	b = g_thread_new("b", act, &worker);
	await(&cpu);
	await(&worker);
	run_loop_ms(100);
	g_atomic_int_set(&worker.stay, 0);
	g_thread_join(b);
	run_loop_ms(150);
	end_now(watch, run);
	g_atomic_int_set(&cpu.stay, 0);
	g_thread_join(a);
	g_assert_cmpint(record_get_int(run, "qemu_vcpu_ns", -1), >=, 300 * MS);
	g_assert_cmpint(record_get_int(run, "qemu_worker_ns", -1), >=, 250 * MS);
	/* Well below the sum of both, and above what waiting costs. */
	g_assert_cmpint(record_get_int(run, "qemu_worker_ns", -1), <, 500 * MS);
	g_assert_cmpint(record_get_int(run, "qemu_iothread_ns", -1), ==, 0);
	g_assert_cmpint(record_get_int(run, "qemu_main_ns", -1), >, 0);
	g_assert_cmpint(record_get_int(run, "qemu_voluntary_switches", -1), >, 0);
	/* Next to nothing went unseen: a clock tick or two. */
	sum = record_get_int(run, "qemu_unseen_ns", -1);
	g_assert_cmpint(sum, >=, 0);
	g_assert_cmpint(sum, <, 150 * MS);
}

/* One that comes and goes between two samples is said as unseen, and never makes a figure negative. */
static void test_unseen(void)
{
	g_autoptr(Record) run = record_new();
	Actor ghost = {.name = "worker", .burn_ns = 60 * MS};
	ThreadWatch *watch = begin_now();

	/* The main context does not run, so nothing is sampled meanwhile. */
	g_thread_join(g_thread_new("ghost", act, &ghost));
	end_now(watch, run);
	g_assert_cmpint(record_get_int(run, "qemu_unseen_ns", -1), >=, 30 * MS);
	g_assert_cmpint(record_get_int(run, "qemu_worker_ns", -1), ==, 0);
}

/*
 * What is spent before the begin and after the end does not count, however long the watch goes on; and split and total are of the same
 * time. No begin: nothing is told.
 */
static void test_moments(void)
{
	g_autoptr(Record) run = record_new();
	Actor before = {.name = "worker", .burn_ns = 400 * MS, .stay = 1}, after = {.name = "worker", .burn_ns = 400 * MS, .stay = 1};
	ThreadWatch *watch = threads_watch(getpid());
	GThread *a = g_thread_new("a", act, &before), *b;
	gint64 begin, end;

	await(&before);
	run_loop_ms(100);
	threads_end(watch, now_ns(), run);
	g_assert_cmpint(record_type(run, "qemu_worker_ns"), ==, RECORD_NULL);
	begin = now_ns();
	run_loop_ms(120); /* the word of it was late */
	threads_begin(watch, begin);
	run_loop_ms(300);
	end = now_ns();
	run_loop_ms(120); /* a sample or two that are idle */
	b = g_thread_new("b", act, &after);
	await(&after);
	threads_stop(watch);
	threads_end(watch, end, run);
	threads_free(watch);
	g_atomic_int_set(&before.stay, 0);
	g_atomic_int_set(&after.stay, 0);
	g_thread_join(a);
	g_thread_join(b);
	/* Idle looks of the actors, but none of their 400 ms. */
	g_assert_cmpint(record_get_int(run, "qemu_worker_ns", -1), >=, 0);
	g_assert_cmpint(record_get_int(run, "qemu_worker_ns", -1), <, 100 * MS);
	g_assert_cmpint(record_get_int(run, "qemu_unseen_ns", -1), <, 60 * MS);
}

static void test_gone(void)
{
	g_autoptr(Record) run = record_new();

	g_assert_null(threads_watch(0));
	threads_end(NULL, 0, run);
	g_assert_cmpint(record_type(run, "qemu_vcpu_ns"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(run, "qemu_unseen_ns"), ==, RECORD_NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/threads/kinds", test_kinds);
	g_test_add_func("/threads/split", test_split);
	g_test_add_func("/threads/unseen", test_unseen);
	g_test_add_func("/threads/moments", test_moments);
	g_test_add_func("/threads/gone", test_gone);
	return g_test_run();
}
