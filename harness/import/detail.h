/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row as JSON: all that it holds, kept with its run beside the columns. Who may include it: harness/import. */
#ifndef IOGAP_IMPORT_DETAIL_H
#define IOGAP_IMPORT_DETAIL_H

#include "harness/import/import.h"

/* {"import": {"file", "line", "name", "more": {...}, "read": {...} ...}}; what was not measured is left out. Owned by the caller. */
char *import_detail(const ImportRow *row, const char *file);

#endif
