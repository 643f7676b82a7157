/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/withheld.h"

#include "harness/export/flags.h"

gboolean withheld_flushes(const ReportLeg *guest)
{
	const char *sync = record_get_text(guest->row, "sync"), *rw = record_get_text(guest->row, "rw");

	return g_strcmp0(record_get_text(guest->row, "cache"), "unsafe") == 0 && sync && !g_str_equal(sync, "none") &&
	       g_strcmp0(rw, "read") != 0 && g_strcmp0(rw, "randread") != 0;
}

const char *withheld_reason(const ReportLeg *guest)
{
	if (!guest->host)
		return NULL;
	if (withheld_flushes(guest))
		return "withheld: cache=unsafe drops the guest's flushes, so its synchronous writes are not on the disk "
		       "when they return and those of its host are";
	if (record_get_int(guest->host->row, "direct", 0) && flags_leg_has(guest, "CACHED"))
		return "withheld: the guest was served from a cache (CACHED) while its host did O_DIRECT, so the quotient is "
		       "neither overhead nor gain";
	return NULL;
}
