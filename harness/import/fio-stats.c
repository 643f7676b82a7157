/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One direction of a fio job. Units follow from the keys that are there: releases from 2.2 to now differ in them. */
#include <math.h>

#include "harness/import/fio.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000

static gint64 count_of(const JsonText *doc, guint object, const char *key)
{
	gint64 value = -1;

	json_text_int(doc, json_text_get(doc, object, key), &value);
	return value < 0 ? -1 : value;
}

static double real_of(const JsonText *doc, guint object, const char *key)
{
	return json_text_real(doc, json_text_get(doc, object, key));
}

static double scaled(const JsonText *doc, guint object, const char *key, double scale)
{
	return real_of(doc, object, key) * scale;
}

/* Old releases pad the list with "0.00": twenty of them stand for nothing. */
static void read_percentiles(const JsonText *doc, guint object, double scale, ImportLatency *latency)
{
	guint list = json_text_get(doc, object, "percentile");

	for (guint i = json_text_child(doc, list); i; i = json_text_next(doc, i)) {
		const JsonTextNode *node = json_text_node(doc, i);
		double percent, value = json_text_real(doc, i);

		if (!import_number_real(doc->input->data + node->key, node->key_length, '.', &percent) || percent <= 0 ||
			percent > 100 || !isfinite(value))
			continue;
		import_latency_percentile(latency, percent, value * scale);
	}
}

/* "N" tells how many were timed; releases without it print nothing but zeros when none was. */
static gboolean was_timed(const JsonText *doc, guint object)
{
	gint64 n;

	if (json_text_int(doc, json_text_get(doc, object, "N"), &n))
		return n > 0;
	return real_of(doc, object, "max") != 0 || real_of(doc, object, "mean") != 0;
}

static void read_latency(const JsonText *doc, guint direction, const char *name, ImportRow *row, ImportLatency *latency)
{
	g_autofree char *in_ns = g_strdup_printf("%s_ns", name);
	guint object = json_text_get(doc, direction, in_ns), bins;
	double scale = 1;

	if (!object) {
		object = json_text_get(doc, direction, name);
		scale = NS_PER_US;
	}
	if (!object || !was_timed(doc, object))
		return;
	latency->n = count_of(doc, object, "N");
	latency->mean_ns = scaled(doc, object, "mean", scale);
	latency->min_ns = scaled(doc, object, "min", scale);
	latency->max_ns = scaled(doc, object, "max", scale);
	latency->stddev_ns = scaled(doc, object, "stddev", scale);
	read_percentiles(doc, object, scale, latency);
	bins = json_text_get(doc, object, "bins");
	if (bins)
		fio_bins_read(doc, bins, scale, row, latency);
}

/*
 * io_bytes is KiB in releases without io_kbytes (2.x). Where the rate and the time are known they decide, since
 * builds between releases had either.
 */
static gint64 bytes_of(const JsonText *doc, guint object, double bytes_per_s, gint64 runtime_ms)
{
	gint64 bytes = count_of(doc, object, "io_bytes");
	double expected = bytes_per_s * (double)runtime_ms / 1000;
	gboolean kib = !json_text_get(doc, object, "io_kbytes");

	if (bytes < 0)
		return -1;
	/* Far apart by a factor of 1024, so that rounded figures of short runs do not matter. */
	if (runtime_ms > 0 && expected > 65536 && bytes > 0)
		kib = (double)bytes < expected / 32;
	if (kib && __builtin_mul_overflow(bytes, 1024, &bytes))
		return -1;
	return bytes;
}

/* total_ios alone does not count: fio adds an I/O that failed. */
static gboolean is_idle(const JsonText *doc, guint object)
{
	return count_of(doc, object, "io_bytes") <= 0 && !(real_of(doc, object, "iops") > 0) &&
	       !(real_of(doc, object, "bw") > 0);
}

static gboolean is_nonfinite(const JsonText *doc, guint object, const char *key)
{
	return json_text_node(doc, json_text_get(doc, object, key))->kind == JSON_TEXT_NONFINITE;
}

/* A headline that is no number makes the row none. */
static void check_headlines(const JsonText *doc, guint object, ImportRow *row)
{
	static const char *const keys[] = {"bw_bytes", "bw", "iops"}, *const latencies[] = {"lat_ns", "lat"};

	for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
		if (is_nonfinite(doc, object, keys[i]))
			import_row_fail(row, "%s is not a number (nan or inf)", keys[i]);
	for (guint i = 0; i < G_N_ELEMENTS(latencies); i++)
		if (is_nonfinite(doc, json_text_get(doc, object, latencies[i]), "mean"))
			import_row_fail(row, "the mean of %s is not a number (nan or inf)", latencies[i]);
}

void fio_stats_read(const JsonText *doc, guint object, ImportRow *row, ImportStats *stats)
{
	gint64 runtime = count_of(doc, object, "runtime");

	if (!object)
		return;
	check_headlines(doc, object, row);
	if (is_idle(doc, object))
		return;
	stats->measured = TRUE;
	stats->bytes_per_s = real_of(doc, object, "bw_bytes");
	if (isnan(stats->bytes_per_s))
		stats->bytes_per_s = scaled(doc, object, "bw", 1024);
	stats->iops = real_of(doc, object, "iops");
	stats->ops = count_of(doc, object, "total_ios");
	if (runtime >= 0 && runtime < G_MAXINT64 / NS_PER_MS)
		stats->ns = runtime * NS_PER_MS;
	stats->bytes = bytes_of(doc, object, stats->bytes_per_s, runtime);
	read_latency(doc, object, "slat", row, &stats->submit);
	read_latency(doc, object, "clat", row, &stats->complete);
	read_latency(doc, object, "lat", row, &stats->total);
}
