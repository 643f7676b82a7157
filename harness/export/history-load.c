/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the store to one value per cell and sweep. */
#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/export/history-private.h"
#include "harness/gate/load.h"

static void cell_free(HistoryCell *cell)
{
	g_free(cell->name);
	g_free(cell->points);
	g_free(cell->there);
	g_free(cell);
}

void history_free(History *history)
{
	if (!history)
		return;
	g_ptr_array_unref(history->sweeps);
	g_ptr_array_unref(history->fingerprints);
	g_ptr_array_unref(history->cells);
	g_free(history->environments);
	g_free(history);
}

typedef struct {
	History *history;
	Store *store;
	const HistoryChoice *choice;
	GHashTable *by_name;
	GPtrArray *patterns; /* of GPatternSpec * */
} Loading;

static gboolean wanted(const Loading *loading, const char *name)
{
	for (guint i = 0; i < loading->patterns->len; i++)
		if (g_pattern_spec_match_string(loading->patterns->pdata[i], name))
			return TRUE;
	return loading->patterns->len == 0;
}

static HistoryCell *cell_of(Loading *loading, const char *name)
{
	HistoryCell *cell = g_hash_table_lookup(loading->by_name, name);
	guint n = loading->history->sweeps->len;

	if (cell)
		return cell;
	cell = g_new0(HistoryCell, 1);
	cell->name = g_strdup(name);
	cell->points = g_new0(HistoryPoint, n);
	cell->there = g_new0(gboolean, n);
	for (guint i = 0; i < n; i++)
		cell->points[i].y = NAN;
	g_hash_table_insert(loading->by_name, cell->name, cell);
	g_ptr_array_add(loading->history->cells, cell);
	return cell;
}

/* Runs of one sweep. */
typedef struct {
	GPtrArray *runs;
	GHashTable *excluded; /* ids of runs that a flag takes out */
	GHashTable *by_leg;   /* leg id -> GPtrArray of runs, borrowed */
} Runs;

static void runs_clear(Runs *runs)
{
	g_clear_pointer(&runs->runs, g_ptr_array_unref);
	g_clear_pointer(&runs->excluded, g_hash_table_unref);
	g_clear_pointer(&runs->by_leg, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Runs, runs_clear)

static gpointer id_key(gint64 id)
{
	gint64 *key = g_new(gint64, 1);

	*key = id;
	return key;
}

static void unref_array(gpointer array)
{
	g_ptr_array_unref(array);
}

static gboolean read_runs(Loading *loading, gint64 sweep, Runs *runs, GError **error)
{
	g_autoptr(GPtrArray) columns = g_ptr_array_new();
	g_autoptr(GPtrArray) flags = store_flags(loading->store, sweep, error);

	g_ptr_array_add(columns, (char *)"block");
	g_ptr_array_add(columns, (char *)"status");
	for (guint i = 0; loading->choice->metric->columns[i]; i++)
		g_ptr_array_add(columns, (char *)loading->choice->metric->columns[i]);
	g_ptr_array_add(columns, NULL);
	runs->runs = flags ? store_run_columns(loading->store, sweep, (const char *const *)columns->pdata, error) : NULL;
	if (!runs->runs)
		return FALSE;
	runs->excluded = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	for (guint i = 0; i < flags->len; i++)
		if (gate_flag_excludes(record_get_text(flags->pdata[i], "flag")))
			g_hash_table_add(runs->excluded, id_key(record_get_int(flags->pdata[i], "run_id", -1)));
	runs->by_leg = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, unref_array);
	for (guint i = 0; i < runs->runs->len; i++) {
		gint64 leg = record_get_int(runs->runs->pdata[i], "leg_id", -1);
		GPtrArray *list = g_hash_table_lookup(runs->by_leg, &leg);

		if (!list)
			g_hash_table_insert(runs->by_leg, id_key(leg), list = g_ptr_array_new());
		g_ptr_array_add(list, runs->runs->pdata[i]);
	}
	return TRUE;
}

/* ln of the run's value, or NaN: failed, flagged, or not measured. */
static double value_of(const Loading *loading, const Runs *runs, const Record *run)
{
	gint64 id = record_get_int(run, "id", -1);
	double value;

	if (g_strcmp0(record_get_text(run, "status"), "ok") != 0 || g_hash_table_contains(runs->excluded, &id))
		return NAN;
	value = loading->choice->metric->value(run);
	return value > 0 && isfinite(value) ? log(value) : NAN;
}

/* The host's value of the same block, or NaN. */
static double host_value(const Loading *loading, const Runs *runs, gint64 host, const Record *run)
{
	const GPtrArray *list = g_hash_table_lookup(runs->by_leg, &host);
	gint64 block = record_get_int(run, "block", -1);

	for (guint i = 0; list && i < list->len; i++)
		if (record_get_int(list->pdata[i], "block", -2) == block && isfinite(value_of(loading, runs, list->pdata[i])))
			return value_of(loading, runs, list->pdata[i]);
	return NAN;
}

static void take_leg(Loading *loading, const Runs *runs, const Record *leg, guint number)
{
	const char *label = record_get_text(leg, "label");
	const char *name = g_str_has_prefix(label, "guest ") ? label + strlen("guest ") : label;
	gint64 id = record_get_int(leg, "id", -1);
	const GPtrArray *list = g_hash_table_lookup(runs->by_leg, &id);
	HistoryPoint *point;
	double sum = 0;

	if (g_strcmp0(record_get_text(leg, "side"), "guest") != 0 || !wanted(loading, name))
		return;
	cell_of(loading, name)->there[number] = TRUE;
	point = &cell_of(loading, name)->points[number];
	for (guint i = 0; list && i < list->len; i++) {
		double y = value_of(loading, runs, list->pdata[i]);

		if (loading->choice->metric->over_host && isfinite(y))
			y -= host_value(loading, runs, record_get_int(leg, "host_leg_id", -1), list->pdata[i]);
		if (isfinite(y)) {
			sum += y;
			point->runs++;
		} else {
			point->left_out++;
		}
	}
	if (point->runs)
		point->y = sum / point->runs;
}

static gboolean take_sweep(Loading *loading, guint number, GError **error)
{
	gint64 id = record_get_int(loading->history->sweeps->pdata[number], "id", -1);
	g_autoptr(GPtrArray) legs = store_legs(loading->store, id, error);
	g_auto(Runs) runs = {NULL, NULL, NULL};

	if (!legs || !read_runs(loading, id, &runs, error))
		return FALSE;
	for (guint i = 0; i < legs->len; i++)
		take_leg(loading, &runs, legs->pdata[i], number);
	return TRUE;
}

typedef struct {
	Record *sweep;
	gint64 rank, started, id;
} Ranked;

static gint compare_ranked(gconstpointer a, gconstpointer b)
{
	const Ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static gint64 rank_of(const HistoryChoice *choice, const char *commit)
{
	for (gint64 i = 0; choice->commits && commit && choice->commits[i]; i++)
		if (g_str_has_prefix(choice->commits[i], commit))
			return i;
	return 0;
}

static gboolean fits(const HistoryChoice *choice, const Record *sweep)
{
	return (!choice->branch || g_strcmp0(record_get_text(sweep, "branch"), choice->branch) == 0) &&
		(!choice->profile || g_strcmp0(record_get_text(sweep, "profile"), choice->profile) == 0);
}

/* The sweeps that fit, in order. */
static gboolean choose_sweeps(Loading *loading, GError **error)
{
	g_autoptr(GPtrArray) all = store_sweeps(loading->store, error);
	g_autoptr(GArray) ranked = g_array_new(FALSE, FALSE, sizeof(Ranked));

	if (!all)
		return FALSE;
	for (guint i = 0; i < all->len; i++) {
		Record *sweep = all->pdata[i];
		Ranked one = {sweep, rank_of(loading->choice, record_get_text(sweep, "commit_id")),
			record_get_int(sweep, "started_unix_ns", 0), record_get_int(sweep, "id", 0)};

		if (!fits(loading->choice, sweep))
			continue;
		if (g_strcmp0(record_get_text(sweep, "status"), "finished") == 0)
			g_array_append_val(ranked, one);
		else
			loading->history->unfinished++;
	}
	g_array_sort(ranked, compare_ranked);
	for (guint i = 0; i < ranked->len; i++)
		g_ptr_array_add(loading->history->sweeps, record_copy(g_array_index(ranked, Ranked, i).sweep));
	if (ranked->len)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING, "no finished sweep of the store %s fits%s%s%s%s",
		store_path(loading->store), loading->choice->branch ? " the branch " : "",
		loading->choice->branch ? loading->choice->branch : "", loading->choice->profile ? " the profile " : "",
		loading->choice->profile ? loading->choice->profile : "");
	return FALSE;
}

static void number_environments(History *history)
{
	history->environments = g_new0(guint, history->sweeps->len + 1);
	g_ptr_array_add(history->fingerprints, NULL);
	for (guint i = 0; i < history->sweeps->len; i++) {
		const char *own = record_get_text(history->sweeps->pdata[i], "fingerprint");
		guint k = 1;

		if (!own)
			continue;
		while (k < history->fingerprints->len && !g_str_equal(history->fingerprints->pdata[k], own))
			k++;
		if (k == history->fingerprints->len)
			g_ptr_array_add(history->fingerprints, (char *)own);
		history->environments[i] = k;
	}
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp((*(HistoryCell *const *)a)->name, (*(HistoryCell *const *)b)->name);
}

static void free_pattern(gpointer pattern)
{
	g_pattern_spec_free(pattern);
}

History *history_load(Store *store, const HistoryChoice *choice, GError **error)
{
	g_autoptr(History) history = g_new0(History, 1);
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) patterns = g_ptr_array_new_with_free_func(free_pattern);
	Loading loading = {history, store, choice, names, patterns};

	history->sweeps = g_ptr_array_new_with_free_func((GDestroyNotify)record_free);
	history->fingerprints = g_ptr_array_new();
	history->cells = g_ptr_array_new_with_free_func((GDestroyNotify)cell_free);
	for (guint i = 0; choice->cells && choice->cells[i]; i++)
		g_ptr_array_add(patterns, g_pattern_spec_new(choice->cells[i]));
	if (!choose_sweeps(&loading, error))
		return NULL;
	number_environments(history);
	for (guint i = 0; i < history->sweeps->len; i++)
		if (!take_sweep(&loading, i, error))
			return NULL;
	g_ptr_array_sort(history->cells, by_name);
	if (history->cells->len)
		return g_steal_pointer(&history);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
		"no guest cell of the %u sweeps of the store %s fits; `iogap history` without --cell names them",
		history->sweeps->len, store_path(store));
	return NULL;
}
