/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only parser and printer of numbers with units, on both sides.
 *
 * Who may include it: everybody. Needs libc only; independent of the locale.
 * All parsers are strict: the whole text must be one value; empty text, signs where the value
 * cannot be negative, junk behind the number, nan, inf and overflow give -EINVAL or -ERANGE, and
 * *ret is then untouched.
 */
#ifndef IOGAP_COMMON_UNITS_H
#define IOGAP_COMMON_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes: digits, an optional fraction, an optional suffix k K m M g G t T (powers of 1024, with or
 * without a trailing "iB", "i" or "B": "8k" = "8K" = "8KiB" = 8192). A value that is not a whole
 * number of bytes is -EINVAL.
 */
int units_parse_size(const char *text, uint64_t *ret);

/* Duration in nanoseconds: digits, an optional fraction, and a suffix ns us ms s m h; no suffix = s. */
int units_parse_duration(const char *text, uint64_t *ret_ns);

/* A whole decimal number without suffix. */
int units_parse_uint(const char *text, uint64_t *ret);

/* Shortest exact form with one suffix: 8192 -> "8k", 1048576 -> "1M", 1000 -> "1000".
 * Writes at most SIZE bytes with the closing NUL and returns BUF. */
char *units_format_size(uint64_t bytes, char *buf, size_t size);

/* Shortest exact form: 250000000 -> "250ms", 1500000000 -> "1500ms", 2000000000 -> "2s". */
char *units_format_duration(uint64_t ns, char *buf, size_t size);

#endif
