/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the store keeps of a sweep beside its boots and runs: its own row, its legs and its refusals. Part of sweep.c's room alone. */
#ifndef IOGAP_RUN_SWEEP_ROWS_H
#define IOGAP_RUN_SWEEP_ROWS_H

#include "harness/run/stage.h"

/*
 * Stores the sweep with its legs and refusals in one transaction, or, where sweep->sweep is one to be resumed, finds its legs again by
 * their labels and what it has measured (IOGAP_ERROR_FAILED when this machine cannot go on with it). Plan and targets exist; ROW has the
 * columns of the hypervisor and gets the others. Sets sweep->sweep, legs, leg_rows and done.
 */
gboolean sweep_rows_begin(Sweep *sweep, Record *row, GError **error);

/* The end of the sweep's row; TROUBLE is why it ended early, or NULL. A resumed sweep adds WALL_S to what it had. */
gboolean sweep_rows_finish(Sweep *sweep, const GError *trouble, double wall_s, GError **error);

/* With the lock of the store in hand, a sweep that it calls running was killed: it becomes interrupted. */
gboolean sweep_rows_bury(Sweep *sweep, GError **error);

/* TEXT may be NULL: then the column is not set. */
void sweep_rows_set(Record *row, const char *column, const char *text);

#endif
