/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The crossovers of a report: pairs of series over block size that differ in one setting only (direct against buffered,
 * virtio against IDE ...), and every guest against its host.
 *
 * Who may include it: export only. How a crossing is found: harness/compare/crossover.h.
 */
#ifndef IOGAP_EXPORT_CROSSINGS_H
#define IOGAP_EXPORT_CROSSINGS_H

#include <jansson.h>
#include "harness/export/data.h"

/* An array; docs/report-json.md says what is in it. Pairs with fewer than two sizes in common are left out. */
json_t *crossings_json(const ReportData *data);

#endif
