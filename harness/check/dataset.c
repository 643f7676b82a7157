/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/common/bonnie.h"
#include "harness/check/private.h"

static void judge(const char *cache, guint64 memory, guint64 data, const CheckSink *sink)
{
	if (memory == 0 || data >= 2 * memory)
		return;
	check_flag(sink, "DATASET_SMALL",
		"the %s may hold %" G_GUINT64_FORMAT " MiB, the data set has %" G_GUINT64_FORMAT " MiB; %" G_GUINT64_FORMAT
		" MiB are needed", cache, memory >> 20, data >> 20, (2 * memory) >> 20);
}

static gboolean proven_or_idle(const Record *run, const char *bytes, const char *absorbed)
{
	return record_get_int(run, bytes, 0) == 0 || check_get(run, absorbed) <= CHECK_CLEAN;
}

/* Every byte of the load went to the device, so that no cache can have answered. */
static gboolean proven(const Record *run)
{
	return (record_has(run, "absorbed_read") || record_has(run, "absorbed_write")) &&
	       proven_or_idle(run, "bytes_read", "absorbed_read") && proven_or_idle(run, "bytes_written", "absorbed_write");
}

static gboolean host_cache_is_used(const Record *leg)
{
	const char *cache = record_get_text(leg, "cache");

	if (!check_is(leg, "side", "guest"))
		return record_get_int(leg, "direct", 1) == 0;
	return cache && !g_str_equal(cache, "none") && !g_str_equal(cache, "directsync");
}

void check_dataset(const Record *leg, guint64 host_memory, const Record *run, const CheckSink *sink)
{
	guint64 data = (guint64)record_get_int(leg, "target_size", 0);
	gboolean guest = check_is(leg, "side", "guest");
	const char *engine = record_get_text(leg, "engine");

	if (bonnie_is(engine)) /* its data set is smaller than the target */
		data = bonnie_bytes(engine, data);
	if (data == 0 || proven(run) || check_is(leg, "engine", "null"))
		return;
	if (guest && record_get_int(leg, "direct", 1) == 0)
		judge("guest's page cache", (guint64)record_get_int(leg, "memory", 0), data, sink);
	if (host_cache_is_used(leg))
		judge("host's page cache", host_memory, data, sink);
}
