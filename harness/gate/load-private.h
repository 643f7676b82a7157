/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two ways of loading share. Who may include it: harness/gate. */
#ifndef IOGAP_GATE_LOAD_PRIVATE_H
#define IOGAP_GATE_LOAD_PRIVATE_H

#include "harness/gate/load.h"

/* A sweep as read from the store. */
typedef struct {
	GPtrArray *legs, *boots, *runs; /* runs: id, leg_id and the columns that loaded_value and the loaders read */
	GHashTable *flags;  /* run id (gint64 *) -> GPtrArray of flag names, borrowed */
	GPtrArray *flag_rows;
	guint blocks;	    /* 1 + the last block that any run has */
} LoadedSweep;
LoadedSweep *loaded_sweep(Store *store, gint64 sweep, GError **error);
void loaded_sweep_free(LoadedSweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LoadedSweep, loaded_sweep_free)

/* A cell while it is being filled; becomes a GateCell. */
typedef struct {
	char *name, *rw, *target;
	double *sides[2]; /* baseline, candidate */
	gboolean has[2];  /* the leg is there */
	guint flagged[2], failed[2], lost;
	GHashTable *flags, *flags_out; /* sets of names: of the runs that count, and of those left out */
} LoadedCell;
/* The cell of that name in CELLS (of LoadedCell *), made when new, with N values of NaN on each side. */
LoadedCell *loaded_cell(GPtrArray *cells, GHashTable *by_name, const char *name, const Record *leg, const guint n[2]);
void loaded_cell_free(LoadedCell *cell);

/* The y of LEG's run of the metric chosen (without a CELL: of throughput), or NaN when it is failed or flagged; that is counted in CELL (may be
 * NULL) for SIDE, and in NOTES (name -> count), with the flags of those that count; all flags of
 * its runs with a figure become CELL's. */
double loaded_value(const LoadedSweep *sweep, const Record *leg, const Record *run, const GateChoice *choice, LoadedCell *cell,
	guint side, GHashTable *notes);

/* Takes CELLS, each with N values, into data->input, makes the groups, and turns COUNTS into notes. */
void loaded_finish(GateData *data, GPtrArray *cells, const guint n[2], GHashTable *counts,
	const GateChoice *choice);
/* Takes HOSTS, legs of the host as cells, as the control of stored sweeps: those that were run. */
void loaded_hosts(GateData *data, GPtrArray *hosts);
GateData *gate_data_new(void);
/*
 * FALSE and IOGAP_ERROR_NOTHING when the two arms of SWEEP, which has the number ID, were not measured in turns: most blocks
 * with both have, in the order of time, runs of other blocks between their own. What cannot be told, or is odd, goes to NOTES.
 */
gboolean loaded_took_turns(const LoadedSweep *sweep, gint64 id, const char *const arms[2], GPtrArray *notes, GError **error);
/* The keys of a table of texts, sorted, so that no sum depends on how they are hashed. */
GPtrArray *loaded_keys(GHashTable *table);

#endif
