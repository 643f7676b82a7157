/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of this room: texts of evidence, and columns that may be missing. */
#ifndef IOGAP_CHECK_PRIVATE_H
#define IOGAP_CHECK_PRIVATE_H

#include <math.h>

#include "harness/check/check.h"

/* Hands FLAG out; FORMAT makes the evidence. Figures come in as texts (check_number), since printf's point follows the locale. */
void check_flag(const CheckSink *sink, const char *flag, const char *format, ...) G_GNUC_PRINTF(3, 4);
void check_absent(const CheckSink *sink, Record *run, const char *column, const char *reason);

/* VALUE with DIGITS decimals; a buffer of the caller's function, freed by it. */
char *check_number(double value, int digits);
/* A share in percent: "12.3 %". */
char *check_percent(double share);

/* A number of RECORD, or NaN. */
static inline double check_get(const Record *record, const char *column)
{
	return record_get_real(record, column, NAN);
}

static inline gboolean check_is(const Record *record, const char *column, const char *text)
{
	return g_strcmp0(record_get_text(record, column), text) == 0;
}

/* The load has writes that end in the page cache of its side until the final sync. */
gboolean check_buffered_writes(const Record *leg);

#endif
