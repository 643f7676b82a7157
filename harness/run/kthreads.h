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

/* Processor time from BEGIN to END, ns; one that has ended meanwhile is left out, one made meanwhile counts whole. -1: either is NULL. */
gint64 kthreads_spent(const Kthreads *begin, const Kthreads *end);

#endif
