/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the verbs that look into a store share: opening it by their options, values as text and JSON. */
#ifndef IOGAP_CLI_STORED_H
#define IOGAP_CLI_STORED_H

#include <jansson.h>

#include "results/store.h"

/* Opens the store of --store FILE (NULL = the default) for reading. */
Store *stored_open(const char *file, GError **error);

/* TRUE for json, FALSE for text and NULL (*ret); anything else is IOGAP_ERROR_USAGE. */
gboolean stored_format(const char *format, gboolean *ret_json, GError **error);

/* ns since 1970 as "2026-11-30 20:02:15" (UTC), or NULL. Owned by the caller. */
char *stored_time(const Record *row, const char *column);

/* ns as "2m05s", "3.2s" or "250ms", or NULL. Owned by the caller. */
char *stored_duration(const Record *row, const char *column);

/* All columns of a row; columns named *_json become what they hold. New references. */
json_t *stored_json(const Record *row);
json_t *stored_json_rows(const GPtrArray *rows);

/* Prints VALUE (its reference is taken) on stdout, or says why it could not. */
gboolean stored_print_json(json_t *value, GError **error);
gboolean stored_print(const char *text, GError **error);

#endif
