/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/detail.h"

#include <jansson.h>
#include <math.h>

static void set_text(json_t *object, const char *key, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	if (valid)
		json_object_set_new(object, key, json_string(valid));
}

static void set_real(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

static void set_count(json_t *object, const char *key, gint64 value)
{
	if (value >= 0)
		json_object_set_new(object, key, json_integer(value));
}

static json_t *record_json(const Record *record)
{
	json_t *object = json_object();

	for (guint i = 0; i < record_size(record); i++) {
		const char *name = record_name(record, i);

		if (record_type(record, name) == RECORD_TEXT)
			set_text(object, name, record_get_text(record, name));
		else if (record_type(record, name) == RECORD_INT)
			json_object_set_new(object, name, json_integer(record_get_int(record, name, 0)));
		else
			set_real(object, name, record_get_real(record, name, NAN));
	}
	return object;
}

static void set_latency(json_t *stats, const char *key, const ImportLatency *latency)
{
	json_t *object = json_object(), *percentiles;

	set_count(object, "n", latency->n);
	set_real(object, "mean_ns", latency->mean_ns);
	set_real(object, "min_ns", latency->min_ns);
	set_real(object, "max_ns", latency->max_ns);
	set_real(object, "stddev_ns", latency->stddev_ns);
	if (latency->percentiles) {
		percentiles = json_object();
		for (guint i = 0; i < latency->percentiles->len; i++) {
			const ImportPercentile *value = &g_array_index(latency->percentiles, ImportPercentile, i);
			char name[G_ASCII_DTOSTR_BUF_SIZE];

			set_real(percentiles, g_ascii_formatd(name, sizeof(name), "%.10g", value->percent), value->ns);
		}
		json_object_set_new(object, "percentiles_ns", percentiles);
	}
	if (json_object_size(object) > 0)
		json_object_set_new(stats, key, object);
	else
		json_decref(object);
}

static json_t *stats_json(const ImportStats *stats)
{
	json_t *object = json_object();

	set_count(object, "bytes", stats->bytes);
	set_count(object, "ops", stats->ops);
	set_count(object, "ns", stats->ns);
	set_real(object, "bytes_per_s", stats->bytes_per_s);
	set_real(object, "iops", stats->iops);
	if (stats->bytes >= 0 && stats->ops > 0)
		set_real(object, "mean_request_bytes", (double)stats->bytes / (double)stats->ops);
	set_latency(object, "submit", &stats->submit);
	set_latency(object, "complete", &stats->complete);
	set_latency(object, "total", &stats->total);
	return object;
}

char *import_detail(const ImportRow *row, const char *file)
{
	static const char *const names[IMPORT_DIRECTIONS] = {"read", "write", "trim", "mixed"};
	json_t *import = json_object(), *all = json_object();
	char *text, *copy;

	set_text(import, "file", file);
	set_count(import, "line", row->line);
	set_text(import, "name", row->name);
	json_object_set_new(import, "more", record_json(row->more));
	for (guint i = 0; i < IMPORT_DIRECTIONS; i++)
		if (row->stats[i].measured)
			json_object_set_new(import, names[i], stats_json(&row->stats[i]));
	json_object_set_new(all, "import", import);
	text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	copy = g_strdup(text);
	free(text);
	return copy;
}
