/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keeps a leg apart from the rest of the host, against what was asked for. */
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

void check_isolation(const Record *leg, const Record *run, const CheckSink *sink)
{
	check_cache_limit(leg, run, sink);
}
