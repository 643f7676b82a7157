/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host's device, the process that does the I/O, the host and QEMU moved between two moments of a run (trail.h says why it is
 * sampled). Runs in the default main context. Who may include it: run.
 */
#ifndef IOGAP_RUN_WINDOW_H
#define IOGAP_RUN_WINDOW_H

#include <sys/types.h>

#include "harness/base/record.h"
#include "harness/run/device.h"

typedef struct Window Window;

/*
 * Samples fifty times a second from now on. DEVICE (borrowed) NULL: there is none to count. IO_PROCESS 0: none that could be looked at.
 * QEMU 0: a run on the host, whose agent counts the machine itself.
 */
Window *window_open(const Device *device, pid_t io_process, pid_t qemu);
/* Measuring began at HOST_NS of the host's CLOCK_BOOTTIME, at most some seconds ago. The last call counts, also one after
 * window_stop, of who knows better now. */
void window_begin(Window *window, gint64 host_ns);
/* It is over by now: samples a last time. */
void window_stop(Window *window);
/*
 * It ended at HOST_NS. Sets in RUN host_device_reads, _read_bytes, _read_merges, _writes, _write_bytes, _write_merges, _io_ns and
 * _queue_ns, process_read_bytes, and with QEMU host_user_ns, host_system_ns, host_irq_ns, host_steal_ns,
 * host_iowait_ns, host_idle_ns, host_switches, host_interrupts, qemu_user_ns and qemu_system_ns; NULL where it could not be told.
 */
void window_end(Window *window, gint64 host_ns, Record *run);
void window_free(Window *window); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Window, window_free)

#endif
