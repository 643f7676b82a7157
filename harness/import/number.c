/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of other programs. g_ascii_strtod alone is too lenient: it takes white space, hexadecimal, nan and junk behind. */
#include "harness/import/import.h"

#include <errno.h>
#include <math.h>

#include "guest-agent/common/units.h"

/* Longer texts are no numbers that any program prints. */
#define MOST_DIGITS 400

gboolean import_number_int(const char *text, gssize length, gint64 *ret)
{
	gsize size = length < 0 ? strlen(text) : (gsize)length;
	gsize negative = size > 0 && *text == '-';
	gint64 value = 0;

	if (size == negative)
		return FALSE;
	for (gsize i = negative; i < size; i++)
		if (!g_ascii_isdigit(text[i]) || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_sub_overflow(value, text[i] - '0', &value))
			return FALSE;
	/* Counted below zero, where there is one more. */
	if (!negative && value == G_MININT64)
		return FALSE;
	*ret = negative ? value : -value;
	return TRUE;
}

static gsize digits(const char *text, gsize at, gsize size)
{
	gsize begin = at;

	while (at < size && g_ascii_isdigit(text[at]))
		at++;
	return at - begin;
}

/* The grammar that g_ascii_strtod is too lenient for. */
static gboolean is_decimal(const char *text, gsize size, char mark)
{
	gsize at = size > 0 && *text == '-', whole, part = 0, power;

	whole = digits(text, at, size);
	at += whole;
	if (at < size && text[at] == mark) {
		part = digits(text, at + 1, size);
		at += 1 + part;
	}
	if (whole + part == 0)
		return FALSE;
	if (at < size && (text[at] == 'e' || text[at] == 'E')) {
		at++;
		at += at < size && (text[at] == '-' || text[at] == '+');
		power = digits(text, at, size);
		at += power;
		if (power == 0)
			return FALSE;
	}
	return at == size;
}

gboolean import_number_real(const char *text, gssize length, char mark, double *ret)
{
	gsize size = length < 0 ? strlen(text) : (gsize)length;
	char copy[MOST_DIGITS + 1];
	double value;

	if (size == 0 || size > MOST_DIGITS || !is_decimal(text, size, mark))
		return FALSE;
	memcpy(copy, text, size);
	copy[size] = '\0';
	for (char *p = copy; *p; p++)
		if (*p == mark)
			*p = '.';
	value = g_ascii_strtod(copy, NULL);
	if (!isfinite(value))
		return FALSE;
	*ret = value;
	return TRUE;
}

gboolean import_number_is_nonfinite(const char *text, gssize length)
{
	static const char *const words[] = {"nan", "inf", "infinity"};
	gsize size = length < 0 ? strlen(text) : (gsize)length;
	gsize sign = size > 0 && (*text == '-' || *text == '+');

	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (size - sign == strlen(words[i]) && g_ascii_strncasecmp(text + sign, words[i], size - sign) == 0)
			return TRUE;
	return FALSE;
}

gboolean import_number_size(const char *text, gssize length, gint64 *ret)
{
	g_autofree char *copy = length < 0 ? g_strdup(text) : g_strndup(text, length);
	uint64_t value;

	if (units_parse_size(copy, &value) != 0 || value > G_MAXINT64)
		return FALSE;
	*ret = (gint64)value;
	return TRUE;
}
