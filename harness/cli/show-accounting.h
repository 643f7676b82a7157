/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each leg's I/O cost, from the report (docs/report-json.md), as tables. Who may include it: cli. */
#ifndef IOGAP_CLI_SHOW_ACCOUNTING_H
#define IOGAP_CLI_SHOW_ACCOUNTING_H

#include "results/store.h"

/* Text for a terminal, owned by the caller; NULL with the error set when the sweep cannot be read. */
char *show_accounting(Store *store, gint64 sweep, GError **error);

#endif
