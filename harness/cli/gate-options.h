/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that the user gives to the gate: each has to mean something, or the gate would be another one than was asked for. */
#ifndef IOGAP_CLI_GATE_OPTIONS_H
#define IOGAP_CLI_GATE_OPTIONS_H

#include "harness/gate/load.h"
#include "harness/plan/plan.h"

/* Each of FLAGS (NULL-terminated or NULL) is one that takes a run out. IOGAP_ERROR_USAGE names the nearest one. */
gboolean gate_flags_known(const char *const *flags, GError **error);

/* Each of NAMES (NULL-terminated or NULL) is a cell of DATA. IOGAP_ERROR_USAGE: a group, which cannot be required, or nothing. */
gboolean gate_names_known(const char *const *names, const GateData *data, GError **error);

/* The same of the cells that PLAN, which has arms, is going to measure. */
gboolean gate_names_planned(const char *const *names, const Plan *plan, GError **error);

#endif
