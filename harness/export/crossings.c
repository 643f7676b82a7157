/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/crossings.h"

#include <math.h>

#include "harness/compare/crossover.h"
#include "harness/export/axes.h"
#include "harness/export/flags.h"
#include "harness/export/json.h"

/* Legs that differ in block size only. */
typedef struct {
	json_t *value;	 /* of the axis that is compared */
	GPtrArray *legs; /* of ReportLeg *, in the order of the report: ascending sizes */
} Series;

/* Series that differ in the compared axis only. */
typedef struct {
	GPtrArray *series; /* of Series * */
} Group;

static void series_free(gpointer pointer)
{
	Series *series = pointer;

	json_decref(series->value);
	g_ptr_array_unref(series->legs);
	g_free(series);
}

static void group_free(gpointer pointer)
{
	Group *group = pointer;

	g_ptr_array_unref(group->series);
	g_free(group);
}

static gint64 size_of(const ReportLeg *leg)
{
	return record_get_int(leg->row, "block_size", 0);
}

static Series *series_new(json_t *value)
{
	Series *series = g_new0(Series, 1);

	series->value = json_incref(value);
	series->legs = g_ptr_array_new();
	return series;
}

static Series *series_of(Group *group, json_t *value)
{
	for (guint i = 0; i < group->series->len; i++) {
		Series *series = group->series->pdata[i];

		if (json_equal(series->value, value))
			return series;
	}
	g_ptr_array_add(group->series, series_new(value));
	return group->series->pdata[group->series->len - 1];
}

/* Groups in the order of their first legs. */
static GPtrArray *groups_by(const ReportData *data, guint axis)
{
	GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < data->legs->len; i++) {
		ReportLeg *leg = data->legs->pdata[i];
		json_t *value = axes_value(axis, leg);
		g_autofree char *key = axes_key(leg, axis);
		Group *group = g_hash_table_lookup(known, key);

		if (!json_is_null(value) && size_of(leg) > 0) {
			if (!group) {
				group = g_new0(Group, 1);
				group->series = g_ptr_array_new_with_free_func(series_free);
				g_ptr_array_add(groups, group);
				g_hash_table_insert(known, g_steal_pointer(&key), group);
			}
			g_ptr_array_add(series_of(group, value)->legs, leg);
		}
		json_decref(value);
	}
	return groups;
}

static json_t *bound(double value)
{
	return json_number(isfinite(value) ? round(value) : NAN);
}

static json_t *crossing_json(const Crossover *crossing)
{
	return json_pack("{so ss so so sb sb sb}", "block_size", bound(crossing->size), "leader",
		crossing->a_overtakes ? "a" : "b", "low", bound(crossing->low), "high", bound(crossing->high),
		"has_interval", crossing->has_interval, "open_low", crossing->open_low, "open_high",
		crossing->open_high);
}

static void add_flags(json_t *all, const GPtrArray *legs)
{
	for (guint i = 0; i < legs->len; i++) {
		json_t *flags = flags_of_leg(legs->pdata[i]), *flag;
		size_t k;

		json_array_foreach(flags, k, flag)
			json_object_set(all, json_string_value(json_object_get(flag, "flag")), json_true());
		json_decref(flags);
	}
}

/* Names of all flags on either series: what was flagged must not pass for a plain answer. */
static json_t *flags_of_pair(const Series *a, const Series *b)
{
	json_t *all = json_object(), *names = json_array();
	g_autoptr(GList) sorted = NULL;
	const char *name;
	json_t *value;

	add_flags(all, a->legs);
	add_flags(all, b->legs);
	json_object_foreach(all, name, value)
		sorted = g_list_insert_sorted(sorted, (gpointer)name, (GCompareFunc)g_strcmp0);
	for (const GList *l = sorted; l; l = l->next)
		json_array_append_new(names, json_string(l->data));
	json_decref(all);
	return names;
}

static double *rates_of(const ReportData *data, const ReportLeg *leg)
{
	double *rates = g_new(double, data->blocks + 1);

	for (guint r = 0; r < data->blocks; r++)
		rates[r] = leg->good[r] ? leg->good[r]->bytes_per_s : NAN;
	return rates;
}

/* Sizes that both series have. */
typedef struct {
	GArray *points; /* of CrossoverPoint */
	GPtrArray *rates;
	json_t *a_legs, *b_legs;
	gint64 from, to;
} Common;

static void common_add(Common *common, const ReportData *data, const ReportLeg *a, const ReportLeg *b)
{
	CrossoverPoint point = {.size = (double)size_of(a), .a = rates_of(data, a), .b = rates_of(data, b)};

	g_ptr_array_add(common->rates, (gpointer)point.a);
	g_ptr_array_add(common->rates, (gpointer)point.b);
	g_array_append_val(common->points, point);
	json_array_append_new(common->a_legs, json_integer(a->id));
	json_array_append_new(common->b_legs, json_integer(b->id));
	common->from = common->from ? common->from : size_of(a);
	common->to = size_of(a);
}

static Common common_sizes(const ReportData *data, const Series *a, const Series *b)
{
	Common common = {.points = g_array_new(FALSE, FALSE, sizeof(CrossoverPoint)),
		.rates = g_ptr_array_new_with_free_func(g_free), .a_legs = json_array(), .b_legs = json_array()};
	gint64 last = 0;

	for (guint i = 0, k = 0; i < a->legs->len && k < b->legs->len;) {
		const ReportLeg *x = a->legs->pdata[i], *y = b->legs->pdata[k];

		if (size_of(x) < size_of(y)) {
			i++;
		} else if (size_of(x) > size_of(y)) {
			k++;
		} else {
			if (size_of(x) > last)
				common_add(&common, data, x, y);
			last = size_of(x);
			i++;
			k++;
		}
	}
	return common;
}

static void common_clear(Common *common)
{
	g_array_unref(common->points);
	g_ptr_array_unref(common->rates);
	json_decref(common->a_legs);
	json_decref(common->b_legs);
}

static void add_pair(json_t *list, const ReportData *data, const char *axis, const Series *a, const Series *b)
{
	Common common = common_sizes(data, a, b);
	const ReportLeg *first = a->legs->pdata[0];
	guint sizes;
	int leader;
	g_autoptr(GArray) found = crossover_find(
		(const CrossoverPoint *)(gpointer)common.points->data, common.points->len, data->blocks, &sizes, &leader);
	json_t *crossings, *pair;

	if (sizes >= 2) {
		crossings = json_array();
		for (guint i = 0; i < found->len; i++)
			json_array_append_new(crossings, crossing_json(&g_array_index(found, Crossover, i)));
		pair = json_pack("{ss sO sO ss so}", "axis", axis, "a", a->value, "b", b->value, "side",
			first->guest ? "guest" : "host", "target", json_text(first->target));
		json_object_set_new(pair, "workload", axes_values(first, AXIS_WORKLOAD));
		json_object_set_new(pair, "guest", first->guest ? axes_values(first, AXIS_GUEST) : json_null());
		json_object_set(pair, "a_legs", common.a_legs);
		json_object_set(pair, "b_legs", common.b_legs);
		json_object_set_new(pair, "from", json_integer(common.from));
		json_object_set_new(pair, "to", json_integer(common.to));
		json_object_set_new(pair, "leader",
			leader == 0 ? json_null() : json_string(leader > 0 ? "a" : "b"));
		json_object_set_new(pair, "flags", flags_of_pair(a, b));
		json_object_set_new(pair, "crossings", crossings);
		json_array_append_new(list, pair);
	}
	common_clear(&common);
}

static void add_axis(json_t *list, const ReportData *data, guint axis)
{
	g_autoptr(GPtrArray) groups = groups_by(data, axis);

	for (guint g = 0; g < groups->len; g++) {
		const GPtrArray *series = ((const Group *)groups->pdata[g])->series;

		for (guint i = 0; i < series->len; i++)
			for (guint k = i + 1; k < series->len; k++)
				add_pair(list, data, axes_name(axis), series->pdata[i], series->pdata[k]);
	}
}

/* Every guest series against the series of its hosts. */
static void add_sides(json_t *list, const ReportData *data)
{
	g_autoptr(GPtrArray) groups = groups_by(data, axes_find("rw"));
	json_t *guest = json_string("guest"), *host = json_string("host");

	for (guint g = 0; g < groups->len; g++) {
		const GPtrArray *all = ((const Group *)groups->pdata[g])->series;

		for (guint i = 0; i < all->len; i++) {
			const Series *own = all->pdata[i];
			Series *a = series_new(guest), *b = series_new(host);

			for (guint k = 0; k < own->legs->len; k++) {
				ReportLeg *leg = own->legs->pdata[k];

				if (leg->guest && leg->host && size_of(leg->host) == size_of(leg)) {
					g_ptr_array_add(a->legs, leg);
					g_ptr_array_add(b->legs, leg->host);
				}
			}
			if (a->legs->len)
				add_pair(list, data, "side", a, b);
			series_free(a);
			series_free(b);
		}
	}
	json_decref(guest);
	json_decref(host);
}

json_t *crossings_json(const ReportData *data)
{
	json_t *list = json_array();

	for (guint axis = 0; axis < axes_count(); axis++)
		if (axes_rival(axis))
			add_axis(list, data, axis);
	add_sides(list, data);
	return list;
}
