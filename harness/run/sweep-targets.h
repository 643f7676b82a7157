/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The targets of the sweep under way: made, filled, ended. Part of sweep.c's room alone. */
#ifndef IOGAP_RUN_SWEEP_TARGETS_H
#define IOGAP_RUN_SWEEP_TARGETS_H

#include "harness/run/stage.h"

/* The folder in which target files are made that name none. New text. */
char *sweep_target_folder(const SweepOptions *options);

/* Makes or opens the targets that legs of the plan use into sweep->targets; the others are NULL there. */
gboolean sweep_targets_open(Sweep *sweep, GError **error);

/* Fills them, and makes the qcow2 images of what they then hold. */
gboolean sweep_targets_fill(Sweep *sweep, GError **error);

/* What cannot be removed is said; the keeper tries again when it ends. */
void sweep_targets_end(Sweep *sweep);

#endif
