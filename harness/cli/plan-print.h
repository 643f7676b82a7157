/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan for people and for programs. Who may include it: harness/cli. */
#ifndef IOGAP_CLI_PLAN_PRINT_H
#define IOGAP_CLI_PLAN_PRINT_H

#include <jansson.h>
#include "harness/plan/plan.h"

/* REMARKS: of char *, what was found out or assumed about this machine. ACCEL: kvm, tcg. */
char *plan_text(const Plan *plan, const char *accel, const GPtrArray *remarks);

/* The same as one object; legs and boots are named by their index from 0. Owned by the caller. */
json_t *plan_json(const Plan *plan, const char *accel, const GPtrArray *remarks);

#endif
