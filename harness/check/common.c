/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/check/private.h"

#include <stdarg.h>

void check_flag(const CheckSink *sink, const char *flag, const char *format, ...)
{
	g_autofree char *evidence = NULL;
	va_list arguments;

	va_start(arguments, format);
	evidence = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	sink->flag(flag, evidence, sink->data);
}

void check_absent(const CheckSink *sink, Record *run, const char *column, const char *reason)
{
	record_set_null(run, column);
	sink->absent(column, reason, sink->data);
}

char *check_number(double value, int digits)
{
	char format[8], text[G_ASCII_DTOSTR_BUF_SIZE + 32];

	g_snprintf(format, sizeof(format), "%%.%df", digits);
	return g_strdup(g_ascii_formatd(text, sizeof(text), format, value));
}

char *check_percent(double share)
{
	g_autofree char *number = check_number(100 * share, 1);

	return g_strdup_printf("%s %%", number);
}

gboolean check_buffered_writes(const Record *leg)
{
	const char *rw = record_get_text(leg, "rw");
	gboolean reads_only = rw && (g_str_equal(rw, "read") || g_str_equal(rw, "randread"));

	return !reads_only && record_get_int(leg, "direct", 1) == 0 && !check_is(leg, "sync", "dsync") &&
	       !check_is(leg, "sync", "sync");
}
