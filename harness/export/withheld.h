/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells whose two sides differ in what was measured, not in how fast: their quotient is neither overhead nor gain, and is not
 * shown anywhere. Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_WITHHELD_H
#define IOGAP_EXPORT_WITHHELD_H

#include "harness/export/data.h"

/* GUEST's synchronous writes are not on the disk when they return (cache=unsafe): it is not faster than what is. */
gboolean withheld_flushes(const ReportLeg *guest);

/* Why the quotient of GUEST and its host leg is withheld, "withheld: ..."; NULL when it is not, or without a host leg. */
const char *withheld_reason(const ReportLeg *guest);

#endif
