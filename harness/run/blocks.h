/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of the sweep under way, and what a selection leaves of them. Who may include it: run. */
#ifndef IOGAP_RUN_BLOCKS_H
#define IOGAP_RUN_BLOCKS_H

#include "harness/run/stage.h"

/* Runs that are still to be made from block FROM on, and the seconds that they will take. Before a selection was made it counts them all. */
guint blocks_left(const Sweep *sweep, guint from, double *ret_seconds);

/* Measures them block by block, until there are no more or stopping.h has enough. FALSE as stage_run, or when the selection failed. */
gboolean blocks_measure(Sweep *sweep, GError **error);

#endif
