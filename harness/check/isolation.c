/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keeps a leg apart from the rest of the host, against what was asked for. */
#include "harness/base/cpu-list.h"
#include "harness/check/private.h"

#define PAGE 4096 /* the kernel takes limits in whole pages */

static void check_cache_limit(const Record *leg, const Record *run, const CheckSink *sink)
{
	gint64 asked = record_get_int(leg, "host_cache_limit", 0), seen = record_get_int(run, "seen_host_cache_limit", 0);

	if (asked == 0 || asked / PAGE == seen / PAGE)
		return;
	if (seen)
		check_flag(sink, "NOT_AS_ASKED", "host_cache_limit: asked %" G_GINT64_FORMAT " bytes, in effect %" G_GINT64_FORMAT, asked,
			seen);
	else
		check_flag(sink, "NOT_AS_ASKED", "host_cache_limit: asked %" G_GINT64_FORMAT " bytes, in effect none", asked);
}

static void compare(const Record *leg, const Record *run, const char *asked_column, const char *seen_column, const CheckSink *sink)
{
	const char *asked = record_get_text(leg, asked_column), *seen = record_get_text(run, seen_column);

	if (asked && seen && !g_str_equal(asked, seen))
		check_flag(sink, "NOT_AS_ASKED", "%s: asked %s, in effect %s", asked_column, asked, seen);
}

/* "0/0" is "0". */
static void compare_vcpus(const Record *leg, const Record *run, const CheckSink *sink)
{
	const char *asked = record_get_text(leg, "pin_vcpu"), *seen = record_get_text(run, "seen_pin_vcpu");
	g_auto(GStrv) each = g_strsplit(asked ? asked : "", "/", -1);
	gboolean same = TRUE;

	for (guint i = 0; each[i]; i++)
		same = same && g_str_equal(each[i], each[0]);
	if (asked && seen && !g_str_equal(same ? each[0] : asked, seen))
		check_flag(sink, "NOT_AS_ASKED", "pin_vcpu: asked %s, in effect %s", asked, seen);
}

/* Workers run where the thread does that made them: the main loop, or an I/O thread. */
static void compare_workers(const Record *leg, const Record *run, const CheckSink *sink)
{
	const char *emulator = record_get_text(leg, "pin_emulator"), *iothread = record_get_text(leg, "pin_iothread");
	const char *seen = record_get_text(run, "seen_pin_worker");
	g_autofree char *both = emulator && iothread ? g_strjoin(",", emulator, iothread, NULL) : g_strdup(emulator);
	g_autofree char *outside = both && seen ? cpu_list_lacks(seen, both) : NULL;

	if (outside)
		check_flag(sink, "NOT_AS_ASKED", "workers of QEMU: pin_emulator%s asked %s, in effect %s", iothread ? " and pin_iothread" : "", both,
			seen);
}

static void compare_pages(const Record *leg, const Record *run, const CheckSink *sink)
{
	gint64 asked = record_get_int(leg, "hugepages", 0), seen = record_get_int(run, "seen_hugepages", 0);

	if (asked && seen && asked != seen)
		check_flag(sink, "NOT_AS_ASKED", "hugepages: asked pages of %" G_GINT64_FORMAT " bytes, in effect %" G_GINT64_FORMAT, asked, seen);
}

void check_isolation(const Record *leg, const Record *run, const CheckSink *sink)
{
	check_cache_limit(leg, run, sink);
	compare(leg, run, "governor", "seen_governor", sink);
	compare(leg, run, "turbo", "seen_turbo", sink);
	if (!check_is(leg, "side", "guest")) {
		compare(leg, run, "pin_load", "seen_pin_load", sink);
		return;
	}
	compare_vcpus(leg, run, sink);
	compare(leg, run, "pin_iothread", "seen_pin_iothread", sink);
	compare(leg, run, "pin_emulator", "seen_pin_emulator", sink);
	compare_workers(leg, run, sink);
	compare(leg, run, "numa", "seen_numa", sink);
	compare_pages(leg, run, sink);
}
