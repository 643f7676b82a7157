/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's threads spent during a run, by kind: vCPU, iothread, worker, main loop, other.
 *
 * Sampled from /proc/PID/task while the run goes on, since idle workers exit and take their counters with them: each
 * thread is followed by its id and start time, and what it had at its last sight stays counted. What the process as a
 * whole spent beyond that was spent by threads that came and went between two samples, and is said as such. The
 * sums are read at the begin and the end of the measured time as trail.h does it.
 */
#ifndef IOGAP_RUN_THREADS_H
#define IOGAP_RUN_THREADS_H

#include <sys/types.h>

#include "harness/base/record.h"

typedef struct ThreadWatch ThreadWatch;

/* Starts now and samples twenty times a second from the default main context. NULL when PID is 0 or cannot be read. */
ThreadWatch *threads_watch(pid_t pid);
/* As window.h: measuring began at HOST_NS, some time ago; it is over by now. NULL is allowed. */
void threads_begin(ThreadWatch *watch, gint64 host_ns);
void threads_stop(ThreadWatch *watch);

/*
 * It ended at HOST_NS. Sets in RUN, in nanoseconds of CPU time: qemu_vcpu_ns, qemu_iothread_ns, qemu_worker_ns,
 * qemu_main_ns, qemu_other_ns, qemu_unseen_ns; and qemu_voluntary_switches, qemu_involuntary_switches (of the threads
 * seen). All NULL for a NULL watch, without a begin, or for a process that is gone.
 */
void threads_end(const ThreadWatch *watch, gint64 host_ns, Record *run);
void threads_free(ThreadWatch *watch); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ThreadWatch, threads_free)

/* Which kind a thread of this name is: 0 vCPU, 1 iothread, 2 worker, 3 main loop, 4 other. */
typedef enum { THREAD_VCPU, THREAD_IOTHREAD, THREAD_WORKER, THREAD_MAIN, THREAD_OTHER, THREAD_KINDS } ThreadKind;
ThreadKind threads_kind(const char *name, gboolean main_thread);

#endif
