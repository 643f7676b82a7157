/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/threads.h"

#include <string.h>

#include "harness/base/process-stat.h"
#include "harness/run/machine.h"

#define SAMPLE_MS 100

/* One thread, from its first sight to its last. */
typedef struct {
	guint64 start; /* clock ticks since boot: tells a reused id */
	ThreadKind kind;
	gint64 first_ns, last_ns;
	gint64 first_voluntary, last_voluntary, first_involuntary, last_involuntary;
} Thread;

struct ThreadWatch {
	pid_t pid;
	guint timer;
	gint64 process_begin_ns;
	GHashTable *threads; /* tid -> Thread */
	GPtrArray *gone;     /* threads whose id came again with another start time */
	gboolean begun;	     /* the first sample was taken: later threads began at nothing */
};

static const char *const columns[THREAD_KINDS] = {
	[THREAD_VCPU] = "qemu_vcpu_ns",
	[THREAD_IOTHREAD] = "qemu_iothread_ns",
	[THREAD_WORKER] = "qemu_worker_ns",
	[THREAD_MAIN] = "qemu_main_ns",
	[THREAD_OTHER] = "qemu_other_ns",
};

ThreadKind threads_kind(const char *name, gboolean main_thread)
{
	if (main_thread)
		return THREAD_MAIN;
	/* QEMU names them "CPU 0/KVM", "IO iothread1", "worker"; the kernel its ring workers "iou-wrk-PID". */
	if (g_str_has_prefix(name, "CPU "))
		return THREAD_VCPU;
	/* One of that kind serves the monitor, and no disk. */
	if (g_str_has_prefix(name, "IO ") && !g_str_has_prefix(name, "IO mon_iothread"))
		return THREAD_IOTHREAD;
	if (g_str_equal(name, "worker") || g_str_has_prefix(name, "iou-wrk-"))
		return THREAD_WORKER;
	return THREAD_OTHER;
}

static char *read_task(pid_t pid, pid_t tid, const char *file)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

static gint64 number_after(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? g_ascii_strtoll(line + strlen(key), NULL, 10) : 0;
}

/* Name, start time and CPU time of one thread; FALSE when it has just ended. */
static gboolean look(pid_t pid, pid_t tid, Thread *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/stat", (int)pid, (int)tid);
	g_autofree char *schedstat = read_task(pid, tid, "schedstat");
	g_autofree char *status = read_task(pid, tid, "status");
	ProcessStat stat;

	if (!schedstat || !status || !process_stat_read(path, &stat))
		return FALSE;
	*ret = (Thread){
		.start = stat.start,
		.kind = threads_kind(stat.name, tid == pid),
		.last_ns = g_ascii_strtoll(schedstat, NULL, 10),
		.last_voluntary = number_after(status, "\nvoluntary_ctxt_switches:"),
		.last_involuntary = number_after(status, "\nnonvoluntary_ctxt_switches:"),
	};
	return TRUE;
}

static void note(ThreadWatch *watch, pid_t tid, const Thread *seen)
{
	Thread *known = g_hash_table_lookup(watch->threads, GINT_TO_POINTER(tid));

	if (known && known->start == seen->start) {
		known->kind = seen->kind;
		known->last_ns = seen->last_ns;
		known->last_voluntary = seen->last_voluntary;
		known->last_involuntary = seen->last_involuntary;
		return;
	}
	if (known) {
		g_hash_table_steal(watch->threads, GINT_TO_POINTER(tid));
		g_ptr_array_add(watch->gone, known);
	}
	known = g_new(Thread, 1);
	*known = *seen;
	/* A thread that was there at the start is counted from there; one made since from nothing. */
	if (!watch->begun) {
		known->first_ns = seen->last_ns;
		known->first_voluntary = seen->last_voluntary;
		known->first_involuntary = seen->last_involuntary;
	}
	g_hash_table_insert(watch->threads, GINT_TO_POINTER(tid), known);
}

static gboolean sample(gpointer data)
{
	ThreadWatch *watch = data;
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)watch->pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		pid_t tid = (pid_t)g_ascii_strtoll(name, NULL, 10);
		Thread seen;

		if (look(watch->pid, tid, &seen))
			note(watch, tid, &seen);
	}
	return G_SOURCE_CONTINUE;
}

/* CPU time of the whole process, threads that ended included; -1 when it is gone. */
static gint64 process_ns(pid_t pid)
{
	MachineSnapshot now;

	machine_snapshot(pid, &now);
	return now.process_valid ? now.process_user_ns + now.process_system_ns : -1;
}

ThreadWatch *threads_watch(pid_t pid)
{
	gint64 begin = pid > 0 ? process_ns(pid) : -1;
	ThreadWatch *watch;

	if (begin < 0)
		return NULL;
	watch = g_new0(ThreadWatch, 1);
	watch->pid = pid;
	watch->process_begin_ns = begin;
	watch->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	watch->gone = g_ptr_array_new_with_free_func(g_free);
	sample(watch);
	watch->begun = TRUE;
	watch->timer = g_timeout_add(SAMPLE_MS, sample, watch);
	return watch;
}

typedef struct {
	gint64 ns[THREAD_KINDS], voluntary, involuntary;
} Sum;

static void add(Sum *sum, const Thread *thread)
{
	sum->ns[thread->kind] += thread->last_ns - thread->first_ns;
	sum->voluntary += thread->last_voluntary - thread->first_voluntary;
	sum->involuntary += thread->last_involuntary - thread->first_involuntary;
}

static void set_all_null(Record *run)
{
	for (guint i = 0; i < THREAD_KINDS; i++)
		record_set_null(run, columns[i]);
	record_set_null(run, "qemu_unseen_ns");
	record_set_null(run, "qemu_voluntary_switches");
	record_set_null(run, "qemu_involuntary_switches");
}

void threads_finish(ThreadWatch *watch, Record *run)
{
	gint64 end = watch ? process_ns(watch->pid) : -1, seen = 0;
	GHashTableIter iter;
	gpointer thread;
	Sum sum = {0};

	if (end < 0) {
		set_all_null(run);
		threads_free(watch);
		return;
	}
	sample(watch);
	g_hash_table_iter_init(&iter, watch->threads);
	while (g_hash_table_iter_next(&iter, NULL, &thread))
		add(&sum, thread);
	for (guint i = 0; i < watch->gone->len; i++)
		add(&sum, g_ptr_array_index(watch->gone, i));
	for (guint i = 0; i < THREAD_KINDS; i++) {
		record_set_int(run, columns[i], sum.ns[i]);
		seen += sum.ns[i];
	}
	/* The process counts in clock ticks, its threads in nanoseconds: a tick too little is nothing. */
	record_set_int(run, "qemu_unseen_ns", MAX(0, end - watch->process_begin_ns - seen));
	record_set_int(run, "qemu_voluntary_switches", sum.voluntary);
	record_set_int(run, "qemu_involuntary_switches", sum.involuntary);
	threads_free(watch);
}

void threads_free(ThreadWatch *watch)
{
	if (!watch)
		return;
	g_source_remove(watch->timer);
	g_hash_table_unref(watch->threads);
	g_ptr_array_unref(watch->gone);
	g_free(watch);
}
