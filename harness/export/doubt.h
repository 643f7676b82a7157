/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A doubt that only shows when two legs are looked at together: why a guest is faster than its host. Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_DOUBT_H
#define IOGAP_EXPORT_DOUBT_H

#include "harness/export/data.h"

/*
 * The causes to be seen in the counters of GUEST and its host leg, or "unexplained": bytes absorbed by a cache, requests
 * merged into larger ones, read-ahead, more requests in flight at the host's device. Where nobody counted, a guest's cache mode that
 * goes through the host's page cache is named as suspected. New text.
 */
char *doubt_why_faster(const ReportLeg *guest);

#endif
