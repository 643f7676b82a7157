/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host spent during a guest's run, read by the harness from /proc: the whole machine, and QEMU's process.
 * A share of it is the harness's own waiting, which is next to nothing (it sleeps in poll).
 */
#ifndef IOGAP_RUN_MACHINE_H
#define IOGAP_RUN_MACHINE_H

#include <sys/types.h>

#include "harness/base/record.h"

typedef struct {
	gboolean machine_valid, process_valid;
	gint64 user_ns, system_ns, irq_ns, steal_ns, iowait_ns, idle_ns, switches, interrupts; /* machine; irq includes softirq */
	gint64 process_user_ns, process_system_ns;
	guint64 process_start; /* clock ticks since boot: tells a reused pid */
} MachineSnapshot;

/* PID 0: no process. What cannot be read is left invalid. */
void machine_snapshot(pid_t pid, MachineSnapshot *ret);

/* Sets host_user_ns, host_system_ns, host_irq_ns, host_steal_ns, host_iowait_ns, host_idle_ns, host_switches,
 * host_interrupts, qemu_user_ns and qemu_system_ns in RUN; NULL where either end is invalid. */
void machine_difference(const MachineSnapshot *begin, const MachineSnapshot *end, Record *run);

#endif
