/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/comparison.h"

#include <math.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/compare/compare.h"
#include "harness/compare/welch.h"
#include "harness/export/axes.h"
#include "harness/export/data.h"
#include "harness/export/flags.h"
#include "harness/export/json.h"
#include "harness/export/withheld.h"

/* ---- environments ---------------------------------------------------------------------------- */

static const char *weight_name(EnvironmentWeight weight)
{
	return weight == ENVIRONMENT_MUST ? "must" : weight == ENVIRONMENT_FINGERPRINT ? "fingerprint" : "note";
}

/* TRUE for a key of a target that only one of the two has: no cell of both stands on it. */
static gboolean of_lonely_target(const char *key, const Record *a, const Record *b)
{
	g_auto(GStrv) parts = g_strsplit(key, ".", 3);
	g_autofree char *type = NULL;

	if (!g_str_equal(parts[0], "target") || !parts[1])
		return FALSE;
	type = g_strdup_printf("target.%s.type", parts[1]);
	return record_has(a, type) != record_has(b, type);
}

/* The guests' side of it: what the first boot with an environment said. */
static void add_guest(Record *environment, const GPtrArray *boots)
{
	for (guint i = 0; i < boots->len; i++) {
		const char *json = record_get_text(boots->pdata[i], "environment_json");
		g_autoptr(Record) guest = json ? environment_parse(json) : NULL;

		if (!guest)
			continue;
		record_merge(environment, guest);
		return;
	}
}

static Record *environment_of(const ReportData *data)
{
	Record *environment = environment_of_sweep(data->sweep);

	add_guest(environment, data->boots);
	return environment;
}

static json_t *differences_json(const ReportData *a, const ReportData *b, json_t *unlike)
{
	g_autoptr(Record) x = environment_of(a);
	g_autoptr(Record) y = environment_of(b);
	g_autoptr(GPtrArray) differences = environment_compare(x, y);
	json_t *list = json_array();

	for (guint i = 0; i < differences->len; i++) {
		const EnvironmentDifference *d = differences->pdata[i];
		const EnvironmentKey *key = environment_key(d->name);
		gboolean must = d->weight == ENVIRONMENT_MUST && !of_lonely_target(d->name, x, y);

		json_array_append_new(list,
			json_pack("{so ss so so so}", "key", json_text(d->name), "weight",
				d->weight == ENVIRONMENT_MUST && !must ? "note" : weight_name(d->weight), "base", json_text(d->a),
				"other", json_text(d->b), "meaning", json_text(key ? key->meaning : NULL)));
		if (must)
			json_array_append_new(unlike, json_text(d->name));
	}
	return list;
}

/* ---- legs ------------------------------------------------------------------------------------ */

/* What a leg is, as text; without WHOLE accelerator, emulator and kernel are left out. */
static char *leg_key(const ReportLeg *leg, gboolean whole)
{
	static const char *const varying[] = {"accel", "emulator", "kernel"};
	json_t *guest = leg->guest ? axes_values(leg, AXIS_GUEST) : json_null();
	json_t *key = json_pack("{ss so so}", "target", leg->target, "workload", axes_values(leg, AXIS_WORKLOAD), "guest", guest);
	char *text, *copy;

	for (guint i = 0; !whole && leg->guest && i < G_N_ELEMENTS(varying); i++)
		json_object_del(guest, varying[i]);
	text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
	copy = g_strdup(text);
	free(text);
	json_decref(key);
	return copy;
}

/* The leg of DATA that has LEG's KEY, if there is exactly one. */
static ReportLeg *find(const ReportData *data, const char *key, gboolean whole)
{
	ReportLeg *found = NULL;

	for (guint i = 0; i < data->legs->len; i++) {
		g_autofree char *other = leg_key(data->legs->pdata[i], whole);

		if (!g_str_equal(other, key))
			continue;
		if (found)
			return NULL;
		found = data->legs->pdata[i];
	}
	return found;
}

static ReportLeg *counterpart(const ReportData *own, const ReportData *other, const ReportLeg *leg)
{
	g_autofree char *whole = leg_key(leg, TRUE);
	g_autofree char *part = leg_key(leg, FALSE);
	ReportLeg *found = find(other, whole, TRUE);

	if (!found && find(own, part, FALSE))
		found = find(other, part, FALSE);
	return found;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* By block; NaN where there is no good run. With a HOST the ratios of the blocks that have both. */
static double *values_of(const ReportData *data, const ReportLeg *leg, const ReportLeg *host)
{
	double *values = g_new0(double, data->blocks + 1);

	for (guint r = 0; r < data->blocks; r++) {
		values[r] = leg->good[r] ? leg->good[r]->bytes_per_s : NAN;
		if (host)
			values[r] = host->good[r] ? values[r] / host->good[r]->bytes_per_s : NAN;
	}
	return values;
}

static json_t *known(gboolean is, double value)
{
	return is ? json_number(value) : json_null();
}

static json_t *change_json(const ReportData *a, const ReportLeg *leg_a, const ReportLeg *host_a, const ReportData *b,
	const ReportLeg *leg_b, const ReportLeg *host_b)
{
	g_autofree double *x = values_of(a, leg_a, host_a);
	g_autofree double *y = values_of(b, leg_b, host_b);
	CompareChange c = compare_change(x, a->blocks, y, b->blocks);
	gboolean both = c.n_a > 0 && c.n_b > 0;

	return json_pack("{si si so so so so so}", "n_base", (int)c.n_a, "n_other", (int)c.n_b, "base", known(both, c.a), "other",
		known(both, c.b), "change", known(both, c.change), "low", known(c.has_interval, c.low), "high",
		known(c.has_interval, c.high));
}

static json_t *flag_names(const ReportData *data, const ReportLeg *leg)
{
	json_t *flags, *names = json_array(), *flag;
	gsize i;

	if (leg->host) {
		g_autofree double *guest = values_of(data, leg, NULL);
		g_autofree double *host = values_of(data, leg->host, NULL);
		CompareCell cell = compare_cell(host, guest, data->blocks);

		flags = flags_of_cell(leg, &cell);
	} else {
		flags = flags_of_leg(leg);
	}
	json_array_foreach(flags, i, flag)
		json_array_append(names, json_object_get(flag, "flag"));
	json_decref(flags);
	return names;
}

static json_t *cell_json(const ReportData *a, const ReportLeg *x, const ReportData *b, const ReportLeg *y)
{
	const char *reason = withheld_reason(x) ? withheld_reason(x) : withheld_reason(y);
	gboolean hosts = x->host && y->host;

	return json_pack("{so so ss so so so so so so s{so so}}", "label", json_text(x->label), "target", json_text(x->target), "side",
		x->guest ? "guest" : "host", "workload", axes_values(x, AXIS_WORKLOAD), "guest",
		x->guest ? axes_values(x, AXIS_GUEST) : json_null(), "rates", change_json(a, x, NULL, b, y, NULL), "host",
		hosts ? change_json(a, x->host, NULL, b, y->host, NULL) : json_null(), "ratio",
		hosts && !reason ? change_json(a, x, x->host, b, y, y->host) : json_null(), "reason", json_text(reason), "flags", "base", flag_names(a, x), "other",
		flag_names(b, y));
}

/* Host legs first, as their guests are measured against them. */
static json_t *cells_json_of(const ReportData *a, const ReportData *b, json_t *only_base)
{
	json_t *cells = json_array();

	for (int guest = 0; guest < 2; guest++)
		for (guint i = 0; i < a->legs->len; i++) {
			const ReportLeg *leg = a->legs->pdata[i], *other;

			if (leg->guest != guest)
				continue;
			other = counterpart(a, b, leg);
			if (other)
				json_array_append_new(cells, cell_json(a, leg, b, other));
			else
				json_array_append_new(only_base, json_text(leg->label));
		}
	return cells;
}

static json_t *sweep_json(const ReportData *data)
{
	const Record *row = data->sweep;

	return json_pack("{so so so so so so so}", "id", json_column(row, "id"), "uuid", json_column(row, "uuid"), "name",
		json_column(row, "label"), "profile", json_column(row, "profile"), "started", json_when(row, "started_unix_ns"),
		"status", json_column(row, "status"), "fingerprint", json_column(row, "fingerprint"));
}

static json_t *with_json(const ReportData *a, const ReportData *b, gboolean force)
{
	json_t *unlike = json_array(), *only_base = json_array(), *only_other = json_array();
	json_t *differences = differences_json(a, b, unlike);
	json_t *cells = cells_json_of(a, b, only_base);
	gboolean alike = json_array_size(unlike) == 0;

	for (guint i = 0; i < b->legs->len; i++) {
		const ReportLeg *leg = b->legs->pdata[i];

		if (!counterpart(b, a, leg))
			json_array_append_new(only_other, json_text(leg->label));
	}
	if (!alike && !force) {
		json_decref(cells);
		cells = json_null();
	}
	return json_pack("{so so so sb so so so}", "sweep", sweep_json(b), "differences", differences, "unlike", unlike, "forced",
		!alike && force, "cells", cells, "only_base", only_base, "only_other", only_other);
}

json_t *comparison_json(Store *store, const gint64 *sweeps, guint n, gboolean force, GError **error)
{
	g_autoptr(ReportData) base = report_data_load(store, sweeps[0], error);
	json_t *with;

	if (!base)
		return NULL;
	with = json_array();
	for (guint i = 1; i < n; i++) {
		g_autoptr(ReportData) other = report_data_load(store, sweeps[i], error);

		if (!other) {
			json_decref(with);
			return NULL;
		}
		json_array_append_new(with, with_json(base, other, force));
	}
	return json_pack("{ss si so so}", "format", COMPARISON_FORMAT, "version", COMPARISON_VERSION, "base", sweep_json(base), "with",
		with);
}
