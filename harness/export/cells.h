/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of a report: every guest leg with its host leg. And what was not measured.
 *
 * Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_CELLS_H
#define IOGAP_EXPORT_CELLS_H

#include <jansson.h>
#include "harness/export/data.h"

/* One cell per guest leg, in the order of the legs; NULL with the error set when the store cannot be read. */
json_t *cells_json(const ReportData *data, GError **error);

/* Why LEG has no good run at all, for people; newly allocated. */
char *missing_reason(const ReportData *data, const ReportLeg *leg);

/* Refused combinations, failed boots, and every block of every leg without a good run: kind (refused, boot, failed, skipped, missing),
 * what, block (null: all of them), reason. */
json_t *missing_json(const ReportData *data);

#endif
