/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processor time of the kernel's own threads: those of loop devices, of queues and file systems, of writeback and of memory reclaim.
 * They work for the run as well as for others, and belong to no process.
 */
#ifndef IOGAP_RUN_KTHREADS_H
#define IOGAP_RUN_KTHREADS_H

#include <glib.h>

/* What each of them has had at one moment. */
typedef struct Kthreads Kthreads;

/*
 * Looks at PROC ("/proc"): the children of process 2, kthreadd. NULL where they cannot be seen: a container with process ids of its own
 * has none. Owned by the caller.
 */
Kthreads *kthreads_look(const char *proc);
void kthreads_free(Kthreads *kthreads);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Kthreads, kthreads_free)

/* A watch over a run, as window.h's and with its moments. */
typedef struct KthreadWatch KthreadWatch;

/*
 * Looks at PROC five times a second, or more seldom where a look takes long: a hundredth of a processor's time is never exceeded, beside
 * the looks at begin and end. NULL where kthreads_look gives NULL. PROC is borrowed.
 */
KthreadWatch *kthreads_watch(const char *proc);
/* NULL is allowed in all of them. */
void kthreads_begin(KthreadWatch *watch, gint64 host_ns);
void kthreads_stop(KthreadWatch *watch);
gint64 kthreads_end(const KthreadWatch *watch, gint64 host_ns); /* ns of processor time; -1: unknown */
void kthreads_unwatch(KthreadWatch *watch);

/* Processor time from BEGIN to END, ns; one that has ended meanwhile is left out, one made meanwhile counts whole. -1: either is NULL. */
gint64 kthreads_spent(const Kthreads *begin, const Kthreads *end);

#endif
