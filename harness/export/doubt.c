/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/doubt.h"

#include <math.h>

#define CLEAN 0.02	 /* share of bytes: what is less is no cause */
#define MORE 1.2	 /* times the host's: what is less is no cause */

/* Sums over the good runs of a leg; NaN as soon as one run lacks a value. */
typedef struct {
	double ns, ops, bytes, queue_ns;
	double absorbed; /* mean of the larger share of reads and writes; NaN when no run has one */
} Moved;

static double get(const Record *row, const char *column)
{
	return record_get_real(row, column, NAN);
}

static Moved moved(const ReportLeg *leg)
{
	Moved m = {0};
	guint told = 0;

	for (guint i = 0; i < leg->runs->len; i++) {
		const ReportRun *run = leg->runs->pdata[i];
		double absorbed;

		if (!run->good)
			continue;
		m.ns += get(run->row, "ns");
		m.ops += get(run->row, "host_device_reads") + get(run->row, "host_device_writes");
		m.bytes += get(run->row, "host_device_read_bytes") + get(run->row, "host_device_write_bytes");
		m.queue_ns += get(run->row, "host_device_queue_ns");
		absorbed = fmax(get(run->row, "absorbed_read"), get(run->row, "absorbed_write"));
		if (isnan(absorbed))
			continue;
		m.absorbed += absorbed;
		told++;
	}
	m.absorbed = told ? m.absorbed / told : NAN;
	return m;
}

static char *fixed(double value, const char *format)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	return g_strdup(g_ascii_formatd(text, sizeof(text), format, value));
}

static void add(GPtrArray *causes, const char *what, const char *unit, double guest, double host, const char *digits)
{
	g_autofree char *own = fixed(guest, digits);
	g_autofree char *other = isnan(host) ? g_strdup("unknown") : fixed(host, digits);

	g_ptr_array_add(causes, g_strdup_printf("%s: guest %s, host %s%s", what, own, other, unit));
}

/* Tables from elsewhere, and memory as a target, count nothing; the guest's cache mode alone is a suspicion then, where the host has no such cache. */
static void suspect_cache(GPtrArray *causes, const ReportLeg *guest, const Moved *own)
{
	static const char *const through[] = {"writeback", "writethrough", "unsafe", NULL};
	const char *cache = record_get_text(guest->row, "cache");

	if (isnan(own->absorbed) && cache && g_strv_contains(through, cache) && record_get_int(guest->host->row, "direct", 0))
		g_ptr_array_add(causes,
			g_strdup_printf("host page cache suspected (cache=%s; nothing counted what it absorbed)", cache));
}

char *doubt_why_faster(const ReportLeg *guest)
{
	g_autoptr(GPtrArray) causes = g_ptr_array_new_with_free_func(g_free);
	Moved own = moved(guest), host;

	if (!guest->host)
		return g_strdup("unexplained");
	host = moved(guest->host);
	if (own.absorbed > CLEAN && !(host.absorbed >= own.absorbed))
		add(causes, "absorbed before the host's device", " % of the bytes", 100 * own.absorbed, 100 * host.absorbed, "%.1f");
	if (own.absorbed < -CLEAN && !(host.absorbed <= own.absorbed))
		add(causes, "read ahead of what was asked for", " % of the bytes", -100 * own.absorbed, -100 * host.absorbed, "%.1f");
	if (own.bytes / own.ops > MORE * host.bytes / host.ops)
		add(causes, "merged into larger requests at the host's device", " KiB", own.bytes / own.ops / 1024,
			host.bytes / host.ops / 1024, "%.1f");
	if (own.queue_ns / own.ns > MORE * host.queue_ns / host.ns)
		add(causes, "depth at the host's device", " requests", own.queue_ns / own.ns, host.queue_ns / host.ns, "%.2f");
	suspect_cache(causes, guest, &own);
	if (causes->len == 0)
		return g_strdup("unexplained");
	g_ptr_array_add(causes, NULL);
	return g_strjoinv("; ", (char **)causes->pdata);
}
