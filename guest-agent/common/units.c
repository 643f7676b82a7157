/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>

#include "guest-agent/common/units.h"

typedef unsigned __int128 Wide;

/* What precedes a suffix: WHOLE + PART / SCALE. */
typedef struct {
	uint64_t whole, part, scale;
} Decimal;

/* isdigit depends on the locale and on the sign of char. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int read_digits(const char **at, uint64_t *ret, uint64_t *ret_scale)
{
	uint64_t value = 0, scale = 1;
	const char *p = *at;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(*p - '0'), &value) ||
			(ret_scale && __builtin_mul_overflow(scale, 10, &scale)))
			return -ERANGE;
	}
	*at = p;
	*ret = value;
	if (ret_scale)
		*ret_scale = scale;
	return 0;
}

static int read_decimal(const char **at, Decimal *ret)
{
	int r = read_digits(at, &ret->whole, NULL);

	if (r < 0)
		return r;
	ret->part = 0;
	ret->scale = 1;
	if (**at != '.')
		return 0;
	(*at)++;
	return read_digits(at, &ret->part, &ret->scale);
}

/* Exact: what is not a whole number of the smallest unit is an error, not a rounding. */
static int multiply(const Decimal *d, uint64_t unit, uint64_t *ret)
{
	Wide part = (Wide)d->part * unit;
	Wide sum;

	if (part % d->scale)
		return -EINVAL;
	sum = (Wide)d->whole * unit + part / d->scale;
	if (sum > UINT64_MAX)
		return -ERANGE;
	*ret = (uint64_t)sum;
	return 0;
}

static int size_suffix(const char *text, uint64_t *ret_unit)
{
	static const char letters[] = "kmgt";
	const char *letter;

	*ret_unit = 1;
	if (!*text)
		return 0;
	letter = strchr(letters, *text | 0x20);
	if (!letter || !*letter)
		return -EINVAL;
	*ret_unit = UINT64_C(1) << (10 * (letter - letters + 1));
	text++;
	if (*text == 'i')
		text++;
	if (*text == 'B')
		text++;
	return *text ? -EINVAL : 0;
}

int units_parse_size(const char *text, uint64_t *ret)
{
	Decimal d;
	uint64_t unit;
	int r = read_decimal(&text, &d);

	if (r < 0)
		return r;
	r = size_suffix(text, &unit);
	return r < 0 ? r : multiply(&d, unit, ret);
}

static const struct {
	const char *suffix;
	uint64_t ns;
} durations[] = { /* the largest first: units_format_duration takes the first that divides */
	{"h", UINT64_C(3600000000000)}, {"m", UINT64_C(60000000000)}, {"s", UINT64_C(1000000000)},
	{"ms", 1000000}, {"us", 1000}, {"ns", 1},
};
#define N_DURATIONS (sizeof(durations) / sizeof(durations[0]))

int units_parse_duration(const char *text, uint64_t *ret_ns)
{
	Decimal d;
	int r = read_decimal(&text, &d);

	if (r < 0)
		return r;
	if (!*text)
		text = "s";
	for (size_t i = 0; i < N_DURATIONS; i++)
		if (!strcmp(text, durations[i].suffix))
			return multiply(&d, durations[i].ns, ret_ns);
	return -EINVAL;
}

int units_parse_uint(const char *text, uint64_t *ret)
{
	uint64_t value;
	int r = read_digits(&text, &value, NULL);

	if (r < 0)
		return r;
	if (*text)
		return -EINVAL;
	*ret = value;
	return 0;
}

char *units_format_size(uint64_t bytes, char *buf, size_t size)
{
	static const char *const suffixes[] = {"", "k", "M", "G", "T"};
	unsigned i = 0;

	for (; i < 4 && bytes && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(buf, size, "%llu%s", (unsigned long long)bytes, suffixes[i]);
	return buf;
}

char *units_format_duration(uint64_t ns, char *buf, size_t size)
{
	size_t i = 0;

	if (!ns)
		i = 2; /* "0s" */
	while (ns % durations[i].ns)
		i++;
	snprintf(buf, size, "%llu%s", (unsigned long long)(ns / durations[i].ns), durations[i].suffix);
	return buf;
}
