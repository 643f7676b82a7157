/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/threads.h"

#include <string.h>

#include "guest-agent/common/clock.h"
#include "harness/base/process-stat.h"
#include "harness/run/machine.h"
#include "harness/run/trail.h"

/* A look at ten threads costs about half a millisecond. */
#define SAMPLE_MS 50
#define KEPT 200 /* samples: ten seconds */

/* One thread at its last sight. */
typedef struct {
	guint64 start; /* clock ticks since boot: tells a reused id */
	ThreadKind kind;
	gint64 ns, voluntary, involuntary;
} Thread;

/* After the kinds of threads, whose order is theirs. */
enum { VOLUNTARY = THREAD_KINDS, INVOLUNTARY, PROCESS, N_COLUMNS };

struct ThreadWatch {
	pid_t pid;
	guint timer;
	GHashTable *threads;	/* tid -> Thread */
	gint64 sums[N_COLUMNS]; /* of all threads that were ever seen, since the first sample; PROCESS: of the process, since its start */
	gboolean begun;		/* the first sample was taken: later threads began at nothing */
	Trail *trail;
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
		.ns = g_ascii_strtoll(schedstat, NULL, 10),
		.voluntary = number_after(status, "\nvoluntary_ctxt_switches:"),
		.involuntary = number_after(status, "\nnonvoluntary_ctxt_switches:"),
	};
	return TRUE;
}

/* What it had since its last sight belongs to the kind that it is now: QEMU names its threads just after they have begun. */
static void note(ThreadWatch *watch, pid_t tid, const Thread *seen)
{
	static const Thread nothing = {0};
	const Thread *known = g_hash_table_lookup(watch->threads, GINT_TO_POINTER(tid));

	/* A thread that was there at the start is counted from there; one made since from nothing. */
	if (!known || known->start != seen->start)
		known = watch->begun ? &nothing : seen;
	watch->sums[seen->kind] += seen->ns - known->ns;
	watch->sums[VOLUNTARY] += seen->voluntary - known->voluntary;
	watch->sums[INVOLUNTARY] += seen->involuntary - known->involuntary;
	g_hash_table_insert(watch->threads, GINT_TO_POINTER(tid), g_memdup2(seen, sizeof(*seen)));
}

/* CPU time of the whole process, threads that ended included; -1 when it is gone. */
static gint64 process_ns(pid_t pid)
{
	MachineSnapshot now;

	machine_snapshot(pid, &now);
	return now.process_valid ? now.process_user_ns + now.process_system_ns : -1;
}

static gboolean sample(gpointer data)
{
	ThreadWatch *watch = data;
	gint64 at_ns = (gint64)clock_read(CLOCK_BOOTTIME), spent = process_ns(watch->pid);
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)watch->pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		pid_t tid = (pid_t)g_ascii_strtoll(name, NULL, 10);
		Thread seen;

		if (look(watch->pid, tid, &seen))
			note(watch, tid, &seen);
	}
	watch->sums[PROCESS] = spent < 0 ? TRAIL_NONE : spent;
	trail_add(watch->trail, at_ns, watch->sums);
	return G_SOURCE_CONTINUE;
}

ThreadWatch *threads_watch(pid_t pid)
{
	ThreadWatch *watch;

	if (pid <= 0 || process_ns(pid) < 0)
		return NULL;
	watch = g_new0(ThreadWatch, 1);
	watch->pid = pid;
	watch->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	watch->trail = trail_new(N_COLUMNS, KEPT);
	sample(watch);
	watch->begun = TRUE;
	watch->timer = g_timeout_add(SAMPLE_MS, sample, watch);
	return watch;
}

void threads_begin(ThreadWatch *watch, gint64 host_ns)
{
	if (!watch)
		return;
	if (watch->timer)
		sample(watch);
	trail_begin(watch->trail, host_ns);
}

void threads_stop(ThreadWatch *watch)
{
	if (!watch)
		return;
	sample(watch);
	g_clear_handle_id(&watch->timer, g_source_remove);
}

static void set_all_null(Record *run)
{
	for (guint i = 0; i < THREAD_KINDS; i++)
		record_set_null(run, columns[i]);
	record_set_null(run, "qemu_unseen_ns");
	record_set_null(run, "qemu_voluntary_switches");
	record_set_null(run, "qemu_involuntary_switches");
}

void threads_end(const ThreadWatch *watch, gint64 host_ns, Record *run)
{
	gint64 process = watch ? trail_moved(watch->trail, PROCESS, host_ns) : TRAIL_NONE, seen = 0;

	if (process == TRAIL_NONE) {
		set_all_null(run);
		return;
	}
	for (guint i = 0; i < THREAD_KINDS; i++) {
		gint64 ns = trail_moved(watch->trail, i, host_ns);

		record_set_int(run, columns[i], ns);
		seen += ns;
	}
	/* The process counts in clock ticks, its threads in nanoseconds: a tick too little is nothing. */
	record_set_int(run, "qemu_unseen_ns", MAX(0, process - seen));
	record_set_int(run, "qemu_voluntary_switches", trail_moved(watch->trail, VOLUNTARY, host_ns));
	record_set_int(run, "qemu_involuntary_switches", trail_moved(watch->trail, INVOLUNTARY, host_ns));
}

void threads_free(ThreadWatch *watch)
{
	if (!watch)
		return;
	g_clear_handle_id(&watch->timer, g_source_remove);
	g_hash_table_unref(watch->threads);
	trail_free(watch->trail);
	g_free(watch);
}
