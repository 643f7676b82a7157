/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single runs of a report: columns, flags, and how the rate went over time.
 *
 * Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_RUNS_H
#define IOGAP_EXPORT_RUNS_H

#include <jansson.h>
#include "harness/export/data.h"

/* Steps of a series in the report; what the store holds in more is joined, so that a report stays readable. */
#define RUNS_SERIES_STEPS 50

/* One object; owned by the caller. NULL with the error set when the store cannot be read. */
json_t *runs_json(const ReportData *data, const ReportLeg *leg, const ReportRun *run, GError **error);

#endif
