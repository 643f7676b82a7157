/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/check/private.h"

/* 980 of 1000 bytes are 2 % less, whatever a double makes of it. */
#define ROUNDING 1e-9

typedef struct {
	const char *name, *bytes, *device, *process, *absorbed;
} Direction;

static const Direction directions[] = {
	{"read", "bytes_read", "host_device_read_bytes", "process_read_bytes", "absorbed_read"},
	/* What a process wrote counts pages made dirty, not what reached a device. */
	{"written", "bytes_written", "host_device_write_bytes", NULL, "absorbed_write"},
};

/*
 * Bytes of direction D that all guests moved, since the device counts those of all of them; NaN: others' reads and writes are told
 * as one sum.
 */
static double moved_by_all(const Direction *d, const Record *run)
{
	gboolean mixed = record_get_int(run, "bytes_read", 0) > 0 && record_get_int(run, "bytes_written", 0) > 0;

	if (!record_has(run, "other_guests_bytes"))
		return check_get(run, d->bytes);
	return mixed ? NAN : check_get(run, d->bytes) + check_get(run, "other_guests_bytes");
}

/* The share of BYTES that reached the device, as far as can be told; NaN = unknown. */
static double reached(const Direction *d, double bytes, const Record *run)
{
	double device = check_get(run, d->device) / moved_by_all(d, run);
	double process = d->process ? check_get(run, d->process) / bytes : NAN;

	/* What a process reads from memory counts as nothing read: without a device that says nothing of a cache. */
	if (isnan(device))
		return NAN;
	return fmin(device, process); /* fmin passes over a NaN */
}

static char *count_text(double bytes)
{
	g_autofree char *number = isnan(bytes) ? NULL : check_number(bytes / (1 << 20), 1);

	return number ? g_strdup_printf("%s MiB", number) : g_strdup("unknown");
}

static void judge(const Direction *d, double absorbed, const Record *run, const CheckSink *sink)
{
	g_autofree char *share = check_percent(absorbed);
	g_autofree char *load = count_text(moved_by_all(d, run));
	const char *who = record_has(run, "other_guests_bytes") ? " of all guests" : "";
	g_autofree char *device = count_text(check_get(run, d->device));
	g_autofree char *process = d->process ? count_text(check_get(run, d->process)) : NULL;

	check_flag(sink, absorbed > CHECK_MIXED + ROUNDING ? "CACHED" : "MIXED",
		"%s of %s %s by the load%s did not reach the host's device (device %s%s%s)", share, load, d->name, who, device,
		process ? ", process " : "", process ? process : "");
}

void check_bytes(Record *run, gint64 slack_ns, const CheckSink *sink)
{
	double ns = check_get(run, "ns"), trip = check_get(run, "round_trip_ns");
	double tolerance = ns > 0 ? ((trip > 0 ? trip : 0) + (double)slack_ns) / ns : 0;

	for (guint i = 0; i < G_N_ELEMENTS(directions); i++) {
		const Direction *d = &directions[i];
		double bytes = check_get(run, d->bytes), absorbed;

		record_set_null(run, d->absorbed);
		if (!(bytes > 0))
			continue;
		if (isnan(moved_by_all(d, run)))
			check_absent(sink, run, d->absorbed,
				"several guests read and wrote: the device counts all of them, and what each other one read is not told apart");
		absorbed = 1 - reached(d, bytes, run);
		if (isnan(absorbed))
			continue;
		record_set_real(run, d->absorbed, absorbed);
		if (absorbed - tolerance > CHECK_CLEAN + ROUNDING)
			judge(d, absorbed, run, sink);
	}
}
