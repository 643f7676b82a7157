/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of the store as JSON. NULL, NaN and infinity are null; text that is not UTF-8 is made so, visibly. */
#ifndef IOGAP_EXPORT_JSON_H
#define IOGAP_EXPORT_JSON_H

#include <jansson.h>
#include "harness/base/record.h"

json_t *json_number(double value);
json_t *json_text(const char *text);
/* The column NAME of ROW, by its type. */
json_t *json_column(const Record *row, const char *name);
/* The columns NAMES (NULL-terminated) of ROW as an object. */
json_t *json_columns(const Record *row, const char *const *names);
/* Nanoseconds since 1970 as "2026-11-30 20:02:14 UTC"; null when the column is. */
json_t *json_when(const Record *row, const char *name);

#endif
