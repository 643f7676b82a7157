/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row as a run of the store. Who may include it: harness/import, tests. */
#ifndef IOGAP_IMPORT_RUN_H
#define IOGAP_IMPORT_RUN_H

#include "harness/import/import.h"
#include "results/store.h"

/*
 * FILE: where the row comes from; UNIX_NS: when it ran, or -1. The run's one number is that of import_row_total; a row that failed, or has
 * neither bytes_per_s nor iops, becomes a failed run with its reason and what figures there are.
 */
StoreRun *import_run(const ImportRow *row, const char *file, gint64 unix_ns, guint block);

/* The columns of RUN that are figures of ROW. */
void import_run_figures(Record *run, const ImportRow *row);

#endif
