/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run cost and where its bytes went, as the report has it: requests, merges, interrupts, exits and steal for each
 * I/O, settings in effect, every counter of a run, and why a quantity could not be had.
 *
 * Who may include it: export only. Each function returns a new reference; none fails but accounting_columns.
 */
#ifndef IOGAP_EXPORT_ACCOUNTING_H
#define IOGAP_EXPORT_ACCOUNTING_H

#include <jansson.h>
#include "harness/export/data.h"

/* RUNS (of ReportRun *, all good) of LEG as one object, "host_requests_per_io" ...: sums over sums, null when a run lacks
 * what it needs. */
json_t *accounting_summary(const ReportLeg *leg, const GPtrArray *runs);

/* {"bus":["virtio"],"aio":["native"]}: each setting that was read back, with the values that RUNS had, in their order. */
json_t *accounting_seen(const GPtrArray *runs);

/* {"qemu_reads":512,"seen_bus":"virtio"}: the columns of ROW that accounting_columns names and that were measured. */
json_t *accounting_run(const Record *row);

/* ["settle_ns","begin_boot_ns",...]: every column that a run's "accounting" may have in the newest store; a test keeps it to the
 * schema. */
json_t *accounting_columns(void);

/* {"kvm_exits":["guests under TCG do not run in KVM and have no exits"]}: why columns of runs are NULL. */
json_t *accounting_absent(const Record *sweep);

#endif
