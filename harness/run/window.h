/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host's device and the process that does the I/O moved between two moments of a run.
 *
 * The moments are known only afterwards: a line that says "measuring began" has travelled. So the counters are sampled
 * from before the run on, and read between two samples in proportion. Runs in the default main context.
 * Who may include it: run.
 */
#ifndef IOGAP_RUN_WINDOW_H
#define IOGAP_RUN_WINDOW_H

#include <sys/types.h>

#include "harness/base/record.h"
#include "harness/run/device.h"

typedef struct Window Window;

/* Samples fifty times a second. DEVICE (borrowed) NULL: there is none to count. PID 0: no process. */
Window *window_open(const Device *device, pid_t pid);
/* Measuring began at HOST_NS of the host's CLOCK_BOOTTIME, at most some seconds ago. */
void window_begin(Window *window, gint64 host_ns);
/*
 * It ended at HOST_NS. Sets in RUN host_device_reads, _read_bytes, _read_merges, _writes, _write_bytes, _write_merges, _io_ns and
 * _queue_ns, and process_read_bytes; NULL where it could not be told. Frees WINDOW.
 */
void window_end(Window *window, gint64 host_ns, Record *run);
void window_free(Window *window); /* NULL is allowed */

#endif
