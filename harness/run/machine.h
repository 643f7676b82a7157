/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host and one process have spent by now, read by the harness from /proc. A share of what the host spends during a guest's run
 * is the harness's own watching.
 */
#ifndef IOGAP_RUN_MACHINE_H
#define IOGAP_RUN_MACHINE_H

#include <glib.h>
#include <sys/types.h>

typedef struct {
	gboolean machine_valid, process_valid;
	gint64 user_ns, system_ns, irq_ns, steal_ns, iowait_ns, idle_ns, switches, interrupts; /* machine; irq includes softirq */
	gint64 process_user_ns, process_system_ns;
	guint64 process_start; /* clock ticks since boot: tells a reused pid */
} MachineSnapshot;

/* PID 0: no process. What cannot be read is left invalid. */
void machine_snapshot(pid_t pid, MachineSnapshot *ret);

/* Processor time of the process in between, user and system; -1: it cannot be told, or it is another process. */
gint64 machine_process_spent(const MachineSnapshot *begin, const MachineSnapshot *end);

#endif
