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

static void compare_text(const char *what, const char *before, const char *after, const CheckSink *sink)
{
	if (before && after && !g_str_equal(before, after))
		check_flag(sink, "NOT_AS_ASKED", "%s: changed from %s to %s during the run", what, before, after);
}

static void compare_number(const char *what, gint64 before, gint64 after, const CheckSink *sink)
{
	if (before >= 0 && after >= 0 && before != after)
		check_flag(sink, "NOT_AS_ASKED",
			"%s: changed from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " during the run", what, before, after);
}

void check_changed(const CheckDisk *before, const CheckDisk *after, const CheckSink *sink)
{
	compare_text("bus", before->bus, after->bus, sink);
	compare_text("driver", before->driver, after->driver, sink);
	compare_text("scheduler", before->scheduler, after->scheduler, sink);
	compare_number("queues", before->queues, after->queues, sink);
	compare_number("logical block size", before->logical_block_size, after->logical_block_size, sink);
}
