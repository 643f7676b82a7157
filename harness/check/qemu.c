/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What QEMU does with a disk, against what was asked of it. */
#include "harness/check/private.h"

static void compare(const Record *leg, const char *asked_column, const char *what, const char *seen, const CheckSink *sink)
{
	const char *asked = record_get_text(leg, asked_column);

	if (asked && seen && !g_str_equal(asked, seen))
		check_flag(sink, "NOT_AS_ASKED", "%s: asked %s, QEMU has %s", what, asked, seen);
}

static const char *on_off(gint64 value)
{
	return value < 0 ? NULL : value ? "on" : "off";
}

static void compare_switch(const Record *leg, const Record *run, const char *asked_column, const char *seen_column, const CheckSink *sink)
{
	const char *asked = on_off(record_get_int(leg, asked_column, -1)), *seen = on_off(record_get_int(run, seen_column, -1));

	if (asked && seen && asked != seen)
		check_flag(sink, "NOT_AS_ASKED", "%s: asked %s, QEMU has it %s", asked_column, asked, seen);
}

static void compare_count(const Record *leg, const Record *run, const char *asked_column, const char *seen_column, const CheckSink *sink)
{
	gint64 asked = record_get_int(leg, asked_column, -1), seen = record_get_int(run, seen_column, -1);

	if (asked >= 0 && seen >= 0 && asked != seen)
		check_flag(sink, "NOT_AS_ASKED", "%s: asked %" G_GINT64_FORMAT ", QEMU has %" G_GINT64_FORMAT, asked_column, asked, seen);
}

void check_qemu(const Record *leg, const Record *run, const CheckSink *sink)
{
	const char *cache = record_get_text(leg, "cache");
	gint64 direct = record_get_int(run, "seen_host_direct", -1);

	if (!check_is(leg, "side", "guest"))
		return;
	compare(leg, "cache", "cache", record_get_text(run, "seen_cache"), sink);
	if (cache && direct >= 0 && direct != (g_str_equal(cache, "none") || g_str_equal(cache, "directsync")))
		check_flag(sink, "NOT_AS_ASKED", "cache: asked %s, but QEMU has the image open %s O_DIRECT", cache,
			direct ? "with" : "without");
	compare(leg, "io", "aio", record_get_text(run, "seen_aio"), sink);
	compare_switch(leg, run, "iothread", "seen_iothread", sink);
	compare_switch(leg, run, "ioeventfd", "seen_ioeventfd", sink);
	compare_count(leg, run, "queues", "seen_queues", sink);
	compare(leg, "format", "format", record_get_text(run, "seen_format"), sink);
	compare_count(leg, run, "cluster_size", "seen_cluster_size", sink);
	compare_count(leg, run, "backing", "seen_backing", sink);
	compare_switch(leg, run, "extended_l2", "seen_extended_l2", sink);
}
