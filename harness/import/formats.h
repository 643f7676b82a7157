/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats, one per file; formats.c puts them in order. Who may include it: harness/import and its tests. */
#ifndef IOGAP_IMPORT_FORMATS_H
#define IOGAP_IMPORT_FORMATS_H

#include "harness/import/import.h"

extern const ImportFormat import_bonnie;
extern const ImportFormat import_dd;
extern const ImportFormat import_fio_json;
extern const ImportFormat import_fio_terse;
extern const ImportFormat import_ioping;

extern const ImportFormat import_table_csv;
extern const ImportFormat import_table_json;

#endif
