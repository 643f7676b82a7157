/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of gate_judge. Who may include it: harness/gate. */
#ifndef IOGAP_GATE_PRIVATE_H
#define IOGAP_GATE_PRIVATE_H

#include "harness/gate/gate.h"

/* Slowdowns and levels that belong to the method and not to the user. */
#define CONTROL_LIMIT 0.015	  /* |mean| of the host's difference */
#define CONTROL_ALPHA 0.05
/* Thresholds are inclusive; this much rounding is forgiven. */
#define ROUNDING 1e-12

/* More than half of N, which is the fewest blocks that stand for all of them. */
guint gate_quorum(guint n);
/* Sets v0, promoted, and the verdict OK with its estimate for all others. */
void gate_screen(GateResult *result, const GateInput *input);
/* Tests the promoted rows in the blocks from FIRST on and gives their verdicts. */
void gate_confirm(GateResult *result, guint first);
/* The control over all blocks: sets result->drift. */
void gate_control(GateResult *result, const double *control);

/* A result with one row per cell and group; the arrays of the baseline and the candidate have N values. */
GateResult *gate_result_new(const GateSettings *settings, const GateInput *input, guint blocks, const guint n[2], GError **error);
/* INVALID for a cell whose candidate failed where the baseline did not. */
void gate_check_lost(GateRow *row);
/* WITHHELD, where the control drifted. */
void gate_withhold(const GateResult *result, GateRow *row);
void gate_verdict(GateRow *row, GateVerdict verdict, const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
