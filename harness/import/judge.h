/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows whose figures contradict each other. Who may include it: harness/import, tests. */
#ifndef IOGAP_IMPORT_JUDGE_H
#define IOGAP_IMPORT_JUDGE_H

#include "harness/import/import.h"

/*
 * Adds flags INCONSISTENT with their evidence to the rows of one file, after its labels: Little's law against the depth, or, where a
 * table does not tell it, against its other rows; bytes against operations (harness/check). Failed rows are left alone.
 */
void import_judge(ImportResult *result);

#endif
