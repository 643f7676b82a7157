/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dd prints, line by line, in any language: the numbers, their order and the units tell what a line is, not its words.
 * Who may include it: harness/import/dd*.c only.
 */
#ifndef IOGAP_IMPORT_DD_H
#define IOGAP_IMPORT_DD_H

#include "harness/import/import.h"

/* "N+M records in": full and partial blocks. */
typedef struct {
	gint64 full, partial;
} DdRecords;

/* "N bytes copied, S s, R MB/s" in one of its shapes. */
typedef struct {
	gint64 bytes;
	double seconds, seconds_step; /* step: the value of the last digit printed */
	double rate, rate_step;	      /* as printed, by the first letter of its unit; NaN = none or not finite */
	double rate_decimal, rate_binary; /* what the unit may mean, in bytes */
	const char *label;	      /* text before it that ends with a colon ("run 1:"), not NUL-terminated; or NULL */
	gsize label_length;
} DdStatistics;

/* What a command line asked for. NULL = not given. */
typedef struct {
	char *input, *output, *flags; /* flags: iflag, oflag and conv, joined by commas */
	gint64 block_size;	      /* -1 = not given */
} DdCommand;

gboolean dd_records(const char *text, gsize length, DdRecords *ret);

/* The next statistics in TEXT from *AT on, which is moved behind them. */
gboolean dd_statistics(const char *text, gsize length, gsize *at, DdStatistics *ret);

/* A message of dd itself ("dd: ...", "/bin/dd: ..."): *ret_message is what follows the colon. */
gboolean dd_message(const char *text, gsize length, const char **ret_message, gsize *ret_length);

/* A command line that runs dd with operands. */
gboolean dd_command(const char *text, gsize length, DdCommand *ret);
void dd_command_clear(DdCommand *command);

#endif
