/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sweep that `iogap gate PROFILE --arm ... --arm ...` makes by itself: a screen of everything, then fresh blocks of what it chose. */
#ifndef IOGAP_CLI_GATE_MEASURE_H
#define IOGAP_CLI_GATE_MEASURE_H

#include "harness/gate/load.h"
#include "harness/plan/plan.h"

/*
 * Measures the profile NAME with the two arms of measure_options into the store; the arm given first is the baseline. Returns -1 with
 * the sweep's id when it has ended, runs that failed included, else the exit code, with the reason printed. CHOICE decides which
 * runs the screen believes. *ret_busy: nothing was measured, since another sweep has the machine or the store.
 */
int gate_measure(const char *name, const char *store, const GateChoice *choice, gint64 *ret_sweep, gboolean *ret_busy);

/*
 * The choice after the screen, as SweepSelection.choose; the last argument but the error is the GateChoice. Wanted are the legs of the
 * rows that the screen promoted and of the sentinels of groups, with their host legs; without any, one host leg of each arm when the
 * control itself looks suspicious.
 */
gboolean gate_choose(Store *store, gint64 sweep, const Plan *plan, gboolean *wanted, char **ret_note, gpointer choice,
	GError **error);

#endif
