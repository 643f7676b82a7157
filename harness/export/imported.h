/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an imported run says beside its columns: figures and names of its source that a report shows (harness/import/detail.h writes
 * them into run.effective_json). Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_IMPORTED_H
#define IOGAP_EXPORT_IMPORTED_H

#include "harness/export/data.h"

/* The figure KEY that the source printed beside what has a column; NaN where there is none. */
double imported_figure(const ReportRun *run, const char *key);

/* What the source calls the machine or job of LEG, from its first run that has a name; NULL where none has. New text. */
char *imported_name(const ReportLeg *leg);

#endif
