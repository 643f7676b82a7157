/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/check/private.h"

static void differ(const CheckSink *sink, const char *what, const char *asked, const char *seen)
{
	check_flag(sink, "NOT_AS_ASKED", "%s: asked %s, in effect %s", what, asked, seen);
}

static void check_text(const Record *leg, const char *column, const char *what, const char *seen, const CheckSink *sink)
{
	const char *asked = record_get_text(leg, column);

	if (asked && seen && !g_str_equal(asked, seen))
		differ(sink, what, asked, seen);
}

static void check_number_of(const Record *leg, const char *column, const char *what, gint64 seen, const CheckSink *sink)
{
	gint64 asked = record_get_int(leg, column, -1);

	if (asked < 0 || seen < 0 || asked == seen)
		return;
	g_autofree char *want = g_strdup_printf("%" G_GINT64_FORMAT, asked);
	g_autofree char *got = g_strdup_printf("%" G_GINT64_FORMAT, seen);

	differ(sink, what, want, got);
}

void check_disk(const Record *leg, const CheckDisk *seen, const CheckSink *sink)
{
	if (!check_is(leg, "side", "guest")) {
		check_text(leg, "host_scheduler", "host scheduler", seen->scheduler, sink);
		return;
	}
	/* A bus that cannot be named is told by its driver: emulation of another kind than was asked for. */
	check_text(leg, "bus", "bus", seen->bus ? seen->bus : seen->driver, sink);
	check_text(leg, "guest_scheduler", "guest scheduler", seen->scheduler, sink);
	check_number_of(leg, "queues", "queues", seen->queues, sink);
	check_number_of(leg, "logical_block_size", "logical block size", seen->logical_block_size, sink);
}
