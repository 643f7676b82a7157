/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two arms of one sweep. */
#include "harness/gate/identity.h"

#include <math.h>
#include <string.h>

#include "harness/base/error.h"

/* The names of the sweep's arms in the order of its legs, for a message and for the default. */
static GPtrArray *arms_of(const LoadedSweep *sweep)
{
	GPtrArray *arms = g_ptr_array_new();

	for (guint i = 0; i < sweep->legs->len; i++) {
		const char *arm = record_get_text(sweep->legs->pdata[i], "arm");

		if (arm && !g_ptr_array_find_with_equal_func(arms, arm, g_str_equal, NULL))
			g_ptr_array_add(arms, (char *)arm);
	}
	return arms;
}

static gboolean refuse(GError **error, int code, gint64 sweep, GPtrArray *arms, const char *what)
{
	g_autofree char *list = NULL;

	g_ptr_array_add(arms, NULL);
	list = g_strjoinv(", ", (char **)arms->pdata);
	g_set_error(error, IOGAP_ERROR, code, "sweep %" G_GINT64_FORMAT " %s (its arms: %s)", sweep, what,
		*list ? list : "none");
	return FALSE;
}

static gboolean choose(const LoadedSweep *loaded, gint64 sweep, const char **baseline, const char **candidate, GError **error)
{
	g_autoptr(GPtrArray) arms = arms_of(loaded);

	if (arms->len == 0)
		return refuse(error, IOGAP_ERROR_NOTHING, sweep, arms,
			"was measured without arms; compare it with stored sweeps by --baseline, or measure with `iogap sweep "
			"--arm`");
	if (!*baseline && !*candidate && arms->len == 2) {
		*baseline = arms->pdata[0];
		*candidate = arms->pdata[1];
		return TRUE;
	}
	if (!*baseline || !*candidate)
		return refuse(error, IOGAP_ERROR_USAGE, sweep, arms, "needs both --base-arm and --new-arm");
	if (!g_ptr_array_find_with_equal_func(arms, *baseline, g_str_equal, NULL) ||
		!g_ptr_array_find_with_equal_func(arms, *candidate, g_str_equal, NULL))
		return refuse(error, IOGAP_ERROR_NOTHING, sweep, arms, "does not have both of these arms");
	if (g_str_equal(*baseline, *candidate))
		return refuse(error, IOGAP_ERROR_USAGE, sweep, arms, "cannot be judged by one arm against itself");
	return TRUE;
}

char *gate_cell_name(const char *label, const char *arm)
{
	g_autofree char *end = g_strdup_printf(" @%s", arm);
	gsize length = strlen(label) - (g_str_has_suffix(label, end) ? strlen(end) : 0);

	if (strncmp(label, "guest ", 6) == 0)
		return g_strndup(label + 6, length - 6);
	return g_strndup(label, length);
}

typedef struct {
	const LoadedSweep *sweep;
	const GateChoice *choice;
	const char *arms[2];
	GHashTable *counts;
	GHashTable *hosts; /* host label without arm -> double[2][blocks] */
	GHashTable *appliances; /* of identity.c */
} Loading;

static int side_of(const Loading *loading, const Record *leg)
{
	const char *arm = record_get_text(leg, "arm");

	for (int side = 0; side < 2; side++)
		if (g_strcmp0(arm, loading->arms[side]) == 0)
			return side;
	return -1;
}

static void free_hash_key(gpointer key)
{
	g_free(key);
}

static GHashTable *legs_by_id(const LoadedSweep *sweep)
{
	GHashTable *legs = g_hash_table_new_full(g_int64_hash, g_int64_equal, free_hash_key, NULL);

	for (guint i = 0; i < sweep->legs->len; i++) {
		gint64 *id = g_new(gint64, 1);

		*id = record_get_int(sweep->legs->pdata[i], "id", -1);
		g_hash_table_insert(legs, id, sweep->legs->pdata[i]);
	}
	return legs;
}

static double *host_values(Loading *loading, const char *name)
{
	double *values = g_hash_table_lookup(loading->hosts, name);

	if (values)
		return values;
	values = g_new(double, 2 * loading->sweep->blocks);
	for (guint i = 0; i < 2 * loading->sweep->blocks; i++)
		values[i] = NAN;
	g_hash_table_insert(loading->hosts, g_strdup(name), values);
	return values;
}

static void take_run(Loading *loading, GPtrArray *cells, GHashTable *by_name, const Record *leg, const Record *run)
{
	int side = side_of(loading, leg);
	guint block = (guint)record_get_int(run, "block", 0);
	guint n[2] = {loading->sweep->blocks, loading->sweep->blocks};
	g_autofree char *name = NULL;
	LoadedCell *cell;
	double value;

	if (side < 0)
		return;
	name = gate_cell_name(record_get_text(leg, "label"), loading->arms[side]);
	if (g_strcmp0(record_get_text(leg, "side"), "host") == 0) {
		value = loaded_value(loading->sweep, leg, run, loading->choice, NULL, (guint)side, loading->counts);
		host_values(loading, name)[(guint)side * loading->sweep->blocks + block] = value;
		return;
	}
	cell = loaded_cell(cells, by_name, name, leg, n);
	value = loaded_value(loading->sweep, leg, run, loading->choice, cell, (guint)side, loading->counts);
	if (isfinite(value))
		cell->sides[side][block] = value;
}

/* One difference per block: the mean over the host legs that both arms have there. */
static double *control(const Loading *loading)
{
	guint blocks = loading->sweep->blocks;
	double *out = g_new(double, blocks + 1);
	g_autoptr(GPtrArray) names = loaded_keys(loading->hosts);

	for (guint r = 0; r < blocks; r++) {
		double sum = 0;
		guint n = 0;

		for (guint i = 0; i < names->len; i++) {
			const double *values = g_hash_table_lookup(loading->hosts, names->pdata[i]);
			double d = values[blocks + r] - values[r];

			if (isfinite(d)) {
				sum += d;
				n++;
			}
		}
		out[r] = n ? sum / n : NAN;
	}
	return out;
}

/* A run that failed on the candidate's side, in a block that the baseline did measure. All values are there already. */
static void count_lost(const Loading *loading, GHashTable *by_name, const Record *leg, const Record *run)
{
	guint block = (guint)record_get_int(run, "block", 0);
	g_autofree char *name = NULL;
	LoadedCell *cell;

	if (side_of(loading, leg) != 1 || g_strcmp0(record_get_text(leg, "side"), "guest") != 0 ||
		g_strcmp0(record_get_text(run, "status"), "ok") == 0)
		return;
	name = gate_cell_name(record_get_text(leg, "label"), loading->arms[1]);
	cell = g_hash_table_lookup(by_name, name);
	if (cell && isfinite(cell->sides[0][block]))
		cell->lost++;
}

static gint by_label(gconstpointer a, gconstpointer b)
{
	return strcmp((*(LoadedCell *const *)a)->name, (*(LoadedCell *const *)b)->name);
}

/* Every leg of one arm has its like in the other: then nothing changed, whatever the figures say. */
static gboolean same_arms(const Loading *loading)
{
	g_autoptr(GHashTable) first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	guint others = 0;

	for (guint i = 0; i < loading->sweep->legs->len; i++) {
		Record *leg = loading->sweep->legs->pdata[i];

		if (side_of(loading, leg) == 0)
			g_hash_table_insert(first, gate_cell_name(record_get_text(leg, "label"), loading->arms[0]), leg);
	}
	for (guint i = 0; i < loading->sweep->legs->len; i++) {
		const Record *leg = loading->sweep->legs->pdata[i];
		g_autofree char *name = NULL;
		const Record *twin;

		if (side_of(loading, leg) != 1)
			continue;
		others++;
		name = gate_cell_name(record_get_text(leg, "label"), loading->arms[1]);
		twin = g_hash_table_lookup(first, name);
		if (!twin || !identity_same_leg(twin, leg, loading->appliances))
			return FALSE;
	}
	return others == g_hash_table_size(first);
}

static void load_cells(GateData *data, Loading *loading)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func((GDestroyNotify)loaded_cell_free);
	g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) legs = legs_by_id(loading->sweep);
	guint n[2] = {loading->sweep->blocks, loading->sweep->blocks};
	double *host;

	for (guint i = 0; i < loading->sweep->legs->len; i++) {
		const Record *leg = loading->sweep->legs->pdata[i];
		int side = side_of(loading, leg);

		if (side >= 0 && g_strcmp0(record_get_text(leg, "side"), "guest") == 0) {
			g_autofree char *name = gate_cell_name(record_get_text(leg, "label"), loading->arms[side]);

			loaded_cell(cells, by_name, name, leg, n)->has[side] = TRUE;
		}
	}
	for (guint pass = 0; pass < 2; pass++)
		for (guint i = 0; i < loading->sweep->runs->len; i++) {
			const Record *run = loading->sweep->runs->pdata[i];
			gint64 id = record_get_int(run, "leg_id", -1);
			const Record *leg = g_hash_table_lookup(legs, &id);

			if (leg && pass == 0)
				take_run(loading, cells, by_name, leg, run);
			else if (leg)
				count_lost(loading, by_name, leg, run);
		}
	g_ptr_array_sort(cells, by_label);
	loaded_finish(data, cells, n, loading->counts, loading->choice);
	host = control(loading);
	g_ptr_array_add(data->owned, host);
	data->input.control = g_hash_table_size(loading->hosts) ? host : NULL;
	data->input.blocks = loading->sweep->blocks;
	loading->appliances = identity_appliances(loading->sweep, legs);
	data->input.same = same_arms(loading);
	g_clear_pointer(&loading->appliances, g_hash_table_unref);
}

GateData *gate_load_arms(Store *store, gint64 sweep, const char *baseline, const char *candidate, const GateChoice *choice,
	GError **error)
{
	g_autoptr(GateData) data = gate_data_new();
	g_autoptr(LoadedSweep) loaded = loaded_sweep(store, sweep, error);
	g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	Loading loading = {.sweep = loaded, .choice = choice, .counts = counts, .hosts = hosts};

	data->sweep = loaded ? store_sweep(store, sweep, error) : NULL;
	if (!data->sweep || !choose(loaded, sweep, &baseline, &candidate, error))
		return NULL;
	loading.arms[0] = baseline;
	loading.arms[1] = candidate;
	if (!loaded_took_turns(loaded, sweep, loading.arms, data->notes, error))
		return NULL;
	load_cells(data, &loading);
	data->baseline = g_strdup_printf("arm %s of sweep %" G_GINT64_FORMAT, baseline, sweep);
	data->candidate = g_strdup_printf("arm %s of sweep %" G_GINT64_FORMAT, candidate, sweep);
	data->interrupted = g_strcmp0(record_get_text(data->sweep, "status"), "finished") != 0;
	return g_steal_pointer(&data);
}
