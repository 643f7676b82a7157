/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stored sweeps against stored sweeps. */
#include "harness/gate/identity.h"

#include <math.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/error.h"

typedef struct {
	GateData *data;
	Store *store;
	const GateChoice *choice;
	GPtrArray *cells, *hosts;
	GHashTable *by_name, *host_names, *counts;
	guint n[2];
	guint without; /* of identity_without */
} Loading;

/* The mean of ln(rate) over the good runs of LEG, or NaN. *ret_any: it has runs, good or not. */
static double leg_value(const Loading *loading, const LoadedSweep *sweep, const Record *leg, LoadedCell *cell, guint side,
	gboolean *ret_any)
{
	gint64 id = record_get_int(leg, "id", -1);
	double sum = 0;
	guint n = 0;

	for (guint r = 0; r < sweep->runs->len; r++) {
		const Record *run = sweep->runs->pdata[r];
		double value;

		if (record_get_int(run, "leg_id", -1) != id)
			continue;
		*ret_any = TRUE;
		value = loaded_value(sweep, leg, run, loading->choice, cell, side, loading->counts);
		if (isfinite(value)) {
			sum += value;
			n++;
		}
	}
	return n ? sum / n : NAN;
}

/* One value per sweep for each leg; the host's are the control, which is its throughput whatever is judged. */
static gboolean take_sweep(Loading *loading, gint64 id, guint side, guint number, GError **error)
{
	g_autoptr(LoadedSweep) sweep = loaded_sweep(loading->store, id, error);

	if (!sweep)
		return FALSE;
	for (guint i = 0; i < sweep->legs->len; i++) {
		const Record *leg = sweep->legs->pdata[i];
		g_autofree char *name = identity_cell_name(leg, loading->without);
		gboolean host = g_strcmp0(record_get_text(leg, "side"), "guest") != 0, any = FALSE;
		LoadedCell *cell = loaded_cell(host ? loading->hosts : loading->cells, host ? loading->host_names : loading->by_name,
			name, leg, loading->n);

		cell->sides[side][number] = leg_value(loading, sweep, leg, host ? NULL : cell, side, &any);
		cell->has[side] |= !host || any;
	}
	return TRUE;
}

static gboolean contains(const GArray *list, gint64 id)
{
	for (guint i = 0; i < list->len; i++)
		if (g_array_index(list, gint64, i) == id)
			return TRUE;
	return FALSE;
}

static gboolean same_fingerprint(const Record *a, const Record *b)
{
	const char *x = record_get_text(a, "fingerprint"), *y = record_get_text(b, "fingerprint");

	return x && y && g_str_equal(x, y);
}

/* Lists where SWEEP differs from the candidate, each difference once. */
static void note_differences(GateData *data, const Record *sweep)
{
	g_autoptr(Record) a = environment_of_sweep(sweep);
	g_autoptr(Record) b = environment_of_sweep(data->sweep);
	g_autoptr(GPtrArray) list = environment_compare(a, b);
	guint before = data->differences->len;

	for (guint i = 0; i < list->len; i++) {
		const EnvironmentDifference *d = list->pdata[i];
		g_autofree char *text = NULL;

		if (d->weight > ENVIRONMENT_FINGERPRINT)
			continue;
		text = g_strdup_printf("%s: %s in the baseline, %s in the candidate", d->name, d->a ? d->a : "not known",
			d->b ? d->b : "not known");
		if (!g_ptr_array_find_with_equal_func(data->differences, text, g_str_equal, NULL))
			g_ptr_array_add(data->differences, g_steal_pointer(&text));
	}
	if (data->differences->len == before && before == 0)
		g_ptr_array_add(data->differences,
			g_strdup("fingerprint: at least one of the sweeps has none, so that nobody can tell what differs"));
}

/* A sweep whose own gate found a loss or could not tell is no baseline, or losses would creep in one by one. One for want of baselines does
 * not count. */
static gboolean passed(GateData *data, const Record *sweep)
{
	static const char *const not[] = {"REGRESSION", "INCONCLUSIVE", "FAILED", "NOT_COMPARABLE", NULL};
	const char *verdict = record_get_text(sweep, "gate_verdict");

	if (!verdict || !g_strv_contains(not, verdict))
		return TRUE;
	g_ptr_array_add(data->notes, g_strdup_printf("sweep %" G_GINT64_FORMAT " is no baseline: its own gate ended %s",
		record_get_int(sweep, "id", -1), verdict));
	return FALSE;
}

/* Whether the sweep was measured with arms; FALSE with the error set when its legs cannot be read. */
static gboolean has_arms(Store *store, gint64 id, gboolean *ret, GError **error)
{
	g_autoptr(GPtrArray) legs = store_legs(store, id, error);

	*ret = FALSE;
	for (guint i = 0; legs && i < legs->len; i++)
		*ret |= record_get_text(legs->pdata[i], "arm") != NULL;
	return legs != NULL;
}

/* A branch has sweeps of all kinds: those of another profile, or with arms where it has none (OWN), share no cells with the candidate. */
static gboolean same_kind(Loading *loading, const Record *sweep, gboolean own, gboolean *ret, GError **error)
{
	const Record *candidate = loading->data->sweep;
	gint64 id = record_get_int(sweep, "id", -1);
	const char *profile = record_get_text(sweep, "profile");
	gboolean arms;

	if (!has_arms(loading->store, id, &arms, error))
		return FALSE;
	*ret = g_strcmp0(profile, record_get_text(candidate, "profile")) == 0 && arms == own;
	if (*ret)
		return TRUE;
	if (arms != own)
		g_ptr_array_add(loading->data->notes, g_strdup_printf("sweep %" G_GINT64_FORMAT " is no baseline: it was measured %s arms", id,
			arms ? "with" : "without"));
	else
		g_ptr_array_add(loading->data->notes, g_strdup_printf("sweep %" G_GINT64_FORMAT " is no baseline: it is of the profile %s", id,
			profile ? profile : "(none)"));
	return TRUE;
}

/* The baseline's sweeps that count: finished, of the candidate's kind, not the candidate's own, of the same fingerprint, and not failed by a gate. */
static GArray *usable(Loading *loading, const GArray *baselines, const GArray *candidates, GError **error)
{
	GateData *data = loading->data;
	g_autoptr(GArray) out = g_array_new(FALSE, FALSE, sizeof(gint64));
	gboolean own;

	if (!has_arms(loading->store, record_get_int(data->sweep, "id", -1), &own, error))
		return NULL;
	for (guint i = 0; i < baselines->len; i++) {
		gint64 id = g_array_index(baselines, gint64, i);
		g_autoptr(Record) sweep = NULL;
		const char *status;
		gboolean kind;

		if (contains(candidates, id))
			continue;
		sweep = store_sweep(loading->store, id, error);
		if (!sweep || !same_kind(loading, sweep, own, &kind, error))
			return NULL;
		if (!kind)
			continue;
		status = record_get_text(sweep, "status");
		if (g_strcmp0(status, "finished") != 0)
			g_ptr_array_add(data->notes, g_strdup_printf("sweep %" G_GINT64_FORMAT " is no baseline: it is %s", id, status));
		else if (!same_fingerprint(sweep, data->sweep))
			note_differences(data, sweep);
		if (g_strcmp0(status, "finished") == 0 && passed(data, sweep) &&
			(same_fingerprint(sweep, data->sweep) || loading->choice->ignore_environment))
			g_array_append_val(out, id);
	}
	return g_steal_pointer(&out);
}

static gint by_label(gconstpointer a, gconstpointer b)
{
	return strcmp((*(LoadedCell *const *)a)->name, (*(LoadedCell *const *)b)->name);
}

static void unref_legs(gpointer legs)
{
	g_ptr_array_unref(legs);
}

/* By what the cells of these sweeps are told apart, and what was tested in them where the two sides differ. */
static gboolean take_identity(Loading *loading, const GArray *sides[2], GError **error)
{
	g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func(unref_legs);

	for (guint side = 0; side < 2; side++)
		for (guint i = 0; i < sides[side]->len; i++) {
			GPtrArray *legs = store_legs(loading->store, g_array_index(sides[side], gint64, i), error);

			if (!legs)
				return FALSE;
			g_ptr_array_add(lists, legs);
		}
	loading->without = identity_without(lists);
	for (guint i = 0; identity_paths[i]; i++) {
		g_autofree char *a = identity_tested(lists, 0, sides[0]->len, identity_paths[i]);
		g_autofree char *b = identity_tested(lists, sides[0]->len, lists->len, identity_paths[i]);

		if (sides[0]->len && !g_str_equal(a, b))
			g_ptr_array_add(loading->data->notes,
				g_strdup_printf("%s: %s in the baseline, %s in the candidate", identity_paths[i], a, b));
		if (!(loading->without & 1u << i))
			g_ptr_array_add(loading->data->notes, g_strdup_printf("cells of one sweep differ in their %s alone, so that its "
				"path is part of their names: in another path they are other cells", identity_paths[i]));
	}
	return TRUE;
}

static gboolean load(Loading *loading, const GArray *baselines, const GArray *candidates, GError **error)
{
	const GArray *sides[2] = {baselines, candidates};

	for (guint side = 0; side < 2; side++)
		loading->n[side] = sides[side]->len;
	if (!take_identity(loading, sides, error))
		return FALSE;
	for (guint side = 0; side < 2; side++)
		for (guint i = 0; i < sides[side]->len; i++)
			if (!take_sweep(loading, g_array_index(sides[side], gint64, i), side, i, error))
				return FALSE;
	g_ptr_array_sort(loading->cells, by_label);
	for (guint i = 0; i < loading->cells->len; i++) {
		LoadedCell *cell = loading->cells->pdata[i];

		/* Sweeps have no common blocks: it is the share of runs that says who fails more often. */
		if (cell->failed[1] * baselines->len > cell->failed[0] * candidates->len)
			cell->lost = cell->failed[1];
	}
	loaded_finish(loading->data, loading->cells, loading->n, loading->counts, loading->choice);
	loaded_hosts(loading->data, loading->hosts);
	loading->data->baselines = baselines->len;
	loading->data->candidates = candidates->len;
	return TRUE;
}

GateData *gate_load_sweeps(Store *store, const GArray *baselines, const GArray *candidates, const GateChoice *choice, GError **error)
{
	g_autoptr(GateData) data = gate_data_new();
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func((GDestroyNotify)loaded_cell_free);
	g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func((GDestroyNotify)loaded_cell_free);
	g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) host_names = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GArray) used = NULL;
	Loading loading = {data, store, choice, cells, hosts, by_name, host_names, counts, {0}, 0};

	data->sweep = store_sweep(store, g_array_index(candidates, gint64, candidates->len - 1), error);
	used = data->sweep ? usable(&loading, baselines, candidates, error) : NULL;
	if (!used || !load(&loading, used, candidates, error))
		return NULL;
	for (guint i = 0; i < candidates->len; i++) {
		g_autoptr(Record) sweep = store_sweep(store, g_array_index(candidates, gint64, i), error);

		if (!sweep)
			return NULL;
		data->interrupted |= g_strcmp0(record_get_text(sweep, "status"), "finished") != 0;
		if (!same_fingerprint(sweep, data->sweep))
			note_differences(data, sweep);
	}
	data->baseline = g_strdup_printf("%u stored sweep%s", used->len, used->len == 1 ? "" : "s");
	data->candidate = g_strdup_printf("%u sweep%s", candidates->len, candidates->len == 1 ? "" : "s");
	return g_steal_pointer(&data);
}
