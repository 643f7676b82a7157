/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the store to what gate.h judges: runs to ln(rate), flagged and failed ones out and counted, cells and groups named.
 *
 * A cell's name is its guest leg's label without the arm and, in stored sweeps, without the paths of kernel and emulator, unless a sweep
 * tells its own cells apart by them. Groups are the geometric means of all cells, of those that read or write, and of
 * each target, where they are more than one cell and not all of them. Who may include it: export, cli.
 */
#ifndef IOGAP_GATE_LOAD_H
#define IOGAP_GATE_LOAD_H

#include "harness/gate/gate.h"
#include "harness/gate/metric.h"
#include "results/store.h"

typedef struct {
	const char *const *accept;   /* flags that do not take a run out; NULL-terminated or NULL */
	const char *const *required; /* names of cells */
	gboolean ignore_environment; /* stored sweeps of another fingerprint count; their differences are listed all the same */
	GateMetricId metric;	     /* what to judge; cells that no run has it of are left out unless it is throughput */
} GateChoice;

typedef struct {
	GateInput input;
	guint baselines, candidates; /* sweeps; 0 for a paired one */
	char *baseline, *candidate;  /* what is compared, in words */
	Record *sweep;		     /* of the candidate */
	GPtrArray *notes;	     /* of char *: what was left out, and why */
	GPtrArray *differences;	     /* of char *: stored only; not empty = not comparable */
	gboolean interrupted;	     /* the sweep did not end by itself */
	GPtrArray *owned;	     /* of gpointer: everything that input points to */
} GateData;

/*
 * The two arms of one sweep; NULL = its only two, the one measured under the name that came first being the baseline.
 * IOGAP_ERROR_NOTHING: it has no arms, or not these, or they were measured one after the other as a whole; IOGAP_ERROR_USAGE: it has more than two and none was named.
 */
GateData *gate_load_arms(Store *store, gint64 sweep, const char *baseline, const char *candidate, const GateChoice *choice,
	GError **error);

/*
 * Sweeps against sweeps (GArray of gint64). Sweeps of the baseline that are the candidate's too are left out, and so are those of another
 * profile or with arms, those that did not finish or whose own gate did not pass (one for want of baselines does not count). Another fingerprint than the candidate's makes the sweeps not comparable: its differences are listed.
 */
GateData *gate_load_sweeps(Store *store, const GArray *baselines, const GArray *candidates, const GateChoice *choice, GError **error);

/* The cell that a leg's LABEL in ARM stands for: "guest virtio read 8k @new" -> "virtio read 8k". New text. */
char *gate_cell_name(const char *label, const char *arm);

void gate_data_free(GateData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GateData, gate_data_free)

/* The cell or group of that name does not decide. FALSE when there is none. */
gboolean gate_data_waive(GateData *data, const char *name);

/* The flags that take a run out of the gate unless they are accepted; NULL-terminated. */
extern const char *const gate_excluding_flags[];
gboolean gate_flag_excludes(const char *flag);

#endif
