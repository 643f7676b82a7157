/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/load-private.h"

#include <math.h>
#include <string.h>

/* Begins the name of a count of runs that are flagged and used. */
#define USED "used "

const char *const gate_excluding_flags[] = {"CACHED", "CLOCK_DRIFT", "DATASET_SMALL", "DROP_FAILED", "INCONSISTENT", "MIXED",
	"NOT_AS_ASKED", "NOT_STEADY", NULL};

gboolean gate_flag_excludes(const char *flag)
{
	return g_strv_contains(gate_excluding_flags, flag);
}

void loaded_sweep_free(LoadedSweep *sweep)
{
	if (!sweep)
		return;
	g_clear_pointer(&sweep->legs, g_ptr_array_unref);
	g_clear_pointer(&sweep->runs, g_ptr_array_unref);
	g_clear_pointer(&sweep->boots, g_ptr_array_unref);
	g_clear_pointer(&sweep->flag_rows, g_ptr_array_unref);
	g_hash_table_unref(sweep->flags);
	g_free(sweep);
}

static void unref_array(gpointer array)
{
	g_ptr_array_unref(array);
}

LoadedSweep *loaded_sweep(Store *store, gint64 id, GError **error)
{
	/* All that harness/gate/metric.c, schedule.c and identity.c look at; a column more costs a large store time. */
	static const char *const columns[] = {"block", "started_unix_ns", "status", "bytes_per_s", "iops", "complete_p99_ns", "ops_read",
		"ops_write", "qemu_user_ns", "qemu_system_ns", "qemu_voluntary_switches", "qemu_involuntary_switches", "boot_id", NULL};
	g_autoptr(LoadedSweep) sweep = g_new0(LoadedSweep, 1);

	sweep->flags = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, unref_array);
	sweep->legs = store_legs(store, id, error);
	sweep->runs = sweep->legs ? store_run_columns(store, id, columns, error) : NULL;
	sweep->boots = sweep->runs ? store_boots(store, id, error) : NULL;
	sweep->flag_rows = sweep->boots ? store_flags(store, id, error) : NULL;
	if (!sweep->flag_rows)
		return NULL;
	for (guint i = 0; i < sweep->flag_rows->len; i++) {
		const Record *row = sweep->flag_rows->pdata[i];
		gint64 run = record_get_int(row, "run_id", -1);
		GPtrArray *list = g_hash_table_lookup(sweep->flags, &run);

		if (!list) {
			gint64 *key = g_new(gint64, 1);

			*key = run;
			list = g_ptr_array_new();
			g_hash_table_insert(sweep->flags, key, list);
		}
		g_ptr_array_add(list, (char *)record_get_text(row, "flag"));
	}
	for (guint i = 0; i < sweep->runs->len; i++)
		sweep->blocks = MAX(sweep->blocks, (guint)record_get_int(sweep->runs->pdata[i], "block", 0) + 1);
	return g_steal_pointer(&sweep);
}

static double *no_values(guint n)
{
	double *values = g_new(double, n + 1);

	for (guint i = 0; i < n; i++)
		values[i] = NAN;
	return values;
}

LoadedCell *loaded_cell(GPtrArray *cells, GHashTable *by_name, const char *name, const Record *leg, const guint n[2])
{
	LoadedCell *cell = g_hash_table_lookup(by_name, name);

	if (cell)
		return cell;
	cell = g_new0(LoadedCell, 1);
	cell->name = g_strdup(name);
	cell->rw = g_strdup(record_get_text(leg, "rw"));
	cell->target = g_strdup(record_get_text(leg, "target"));
	for (guint side = 0; side < 2; side++)
		cell->sides[side] = no_values(n[side]);
	cell->flags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	cell->flags_out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_ptr_array_add(cells, cell);
	g_hash_table_insert(by_name, cell->name, cell);
	return cell;
}

void loaded_cell_free(LoadedCell *cell)
{
	g_free(cell->name);
	g_free(cell->rw);
	g_free(cell->target);
	g_free(cell->sides[0]);
	g_free(cell->sides[1]);
	g_hash_table_unref(cell->flags);
	g_hash_table_unref(cell->flags_out);
	g_free(cell);
}

static void count_note(GHashTable *counts, const char *what)
{
	guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, what));

	g_hash_table_replace(counts, g_strdup(what), GUINT_TO_POINTER(n + 1));
}

/* Direct I/O to a disk that the host does not cache, or on the host: what was not dropped is not read. */
static gboolean bypasses_caches(const Record *leg)
{
	const char *cache = record_get_text(leg, "cache");

	return record_get_int(leg, "direct", 0) == 1 && (g_strcmp0(record_get_text(leg, "side"), "host") == 0 ||
		g_strcmp0(cache, "none") == 0 || g_strcmp0(cache, "directsync") == 0);
}

static gboolean excludes(const char *flag, const Record *leg, const GateChoice *choice)
{
	if (!gate_flag_excludes(flag) || (choice->accept && g_strv_contains(choice->accept, flag)))
		return FALSE;
	return !g_str_equal(flag, "DROP_FAILED") || !bypasses_caches(leg);
}

/* The flags of a run, of char *; NULL = none. */
static const GPtrArray *flags_of(const LoadedSweep *sweep, const Record *run)
{
	gint64 id = record_get_int(run, "id", -1);

	return g_hash_table_lookup(sweep->flags, &id);
}

/* The first flag of the run that takes it out, or NULL. */
static const char *excluding(const GPtrArray *flags, const Record *leg, const GateChoice *choice)
{
	for (guint i = 0; flags && i < flags->len; i++)
		if (excludes(flags->pdata[i], leg, choice))
			return flags->pdata[i];
	return NULL;
}

/* A doubt goes along with the figure, whether it is one for which the run is left out or not. */
static void count_used(GHashTable *notes, const GPtrArray *flags)
{
	for (guint i = 0; flags && i < flags->len; i++) {
		g_autofree char *key = g_strconcat(USED, flags->pdata[i], NULL);
		gboolean again = FALSE;

		/* One run may have a flag with several pieces of evidence. */
		for (guint j = 0; j < i; j++)
			again |= g_str_equal(flags->pdata[i], flags->pdata[j]);
		if (!again)
			count_note(notes, key);
	}
}

double loaded_value(const LoadedSweep *sweep, const Record *leg, const Record *run, const GateChoice *choice, LoadedCell *cell,
	guint side, GHashTable *notes)
{
	const GPtrArray *flags = flags_of(sweep, run);

	/* The control is always the host's throughput, and so is what makes a run a failed one. */
	double rate = gate_metric_value(GATE_THROUGHPUT, run);
	const char *flag;

	if (g_strcmp0(record_get_text(run, "status"), "ok") != 0 || !isfinite(rate)) {
		count_note(notes, "failed");
		if (cell)
			cell->failed[side]++;
		return NAN;
	}
	flag = excluding(flags, leg, choice);
	for (guint i = 0; cell && flags && i < flags->len; i++)
		g_hash_table_add(flag ? cell->flags_out : cell->flags, g_strdup(flags->pdata[i]));
	if (!flag)
		count_used(notes, flags);
	if (!flag)
		return cell ? gate_metric_value(choice->metric, run) : rate;
	count_note(notes, flag);
	if (cell)
		cell->flagged[side]++;
	return NAN;
}

GateData *gate_data_new(void)
{
	GateData *data = g_new0(GateData, 1);

	data->notes = g_ptr_array_new_with_free_func(g_free);
	data->differences = g_ptr_array_new_with_free_func(g_free);
	data->owned = g_ptr_array_new_with_free_func(g_free);
	return data;
}

void gate_data_free(GateData *data)
{
	if (!data)
		return;
	g_ptr_array_unref(data->notes);
	g_ptr_array_unref(data->differences);
	g_ptr_array_unref(data->owned);
	g_free(data->baseline);
	g_free(data->candidate);
	record_free(data->sweep);
	g_free(data);
}

static gpointer own(GateData *data, gpointer pointer)
{
	g_ptr_array_add(data->owned, pointer);
	return pointer;
}

gboolean gate_data_waive(GateData *data, const char *name)
{
	/* Both are this room's own; only others must not write to them. */
	GateCell *cells = (GateCell *)data->input.cells;
	GateGroup *groups = (GateGroup *)data->input.groups;
	gboolean found = FALSE;

	for (guint i = 0; i < data->input.n_cells; i++)
		if (g_str_equal(cells[i].name, name))
			found = cells[i].waived = TRUE;
	for (guint i = 0; i < data->input.n_groups; i++)
		if (g_str_equal(groups[i].name, name))
			found = groups[i].waived = TRUE;
	return found;
}

typedef gboolean (*InGroup)(const LoadedCell *cell, const char *argument);

static gboolean in_all(const LoadedCell *cell, const char *argument)
{
	return TRUE;
}

static gboolean in_direction(const LoadedCell *cell, const char *direction)
{
	return cell->rw && g_str_has_suffix(cell->rw, direction);
}

static gboolean in_target(const LoadedCell *cell, const char *target)
{
	return g_strcmp0(cell->target, target) == 0;
}

static void add_group(GateData *data, GArray *groups, GPtrArray *cells, char *name, InGroup in, const char *argument)
{
	guint *members = own(data, g_new(guint, cells->len + 1));
	GateGroup group = {.name = own(data, name), .cells = members};

	for (guint i = 0; i < cells->len; i++)
		if (in(cells->pdata[i], argument))
			members[group.n_cells++] = i;
	if (group.n_cells > 1 && (in == in_all || group.n_cells < cells->len))
		g_array_append_val(groups, group);
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *loaded_keys(GHashTable *table)
{
	GPtrArray *keys = g_ptr_array_new();
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_ptr_array_add(keys, key);
	g_ptr_array_sort(keys, compare_texts);
	return keys;
}

static void make_groups(GateData *data, GPtrArray *cells)
{
	GArray *groups = g_array_new(FALSE, TRUE, sizeof(GateGroup));
	g_autoptr(GPtrArray) targets = g_ptr_array_new();

	add_group(data, groups, cells, g_strdup("geomean:all"), in_all, NULL);
	add_group(data, groups, cells, g_strdup("geomean:reads"), in_direction, "read");
	add_group(data, groups, cells, g_strdup("geomean:writes"), in_direction, "write");
	for (guint i = 0; i < cells->len; i++) {
		char *target = ((LoadedCell *)cells->pdata[i])->target;

		if (target && !g_ptr_array_find_with_equal_func(targets, target, g_str_equal, NULL))
			g_ptr_array_add(targets, target);
	}
	g_ptr_array_sort(targets, compare_texts);
	for (guint i = 0; i < targets->len; i++)
		add_group(data, groups, cells, g_strdup_printf("geomean:target %s", (char *)targets->pdata[i]), in_target,
			targets->pdata[i]);
	data->input.n_groups = groups->len;
	data->input.groups = own(data, g_array_free(groups, FALSE));
}

static gboolean named(const char *const *names, const char *name)
{
	return names && g_strv_contains(names, name);
}

static void make_notes(GateData *data, GHashTable *counts)
{
	g_autoptr(GPtrArray) keys = loaded_keys(counts);

	for (guint i = 0; i < keys->len; i++) {
		const char *what = keys->pdata[i];
		guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, what));

		g_ptr_array_add(data->notes, g_str_equal(what, "failed")
				? g_strdup_printf("%u failed run%s left out", n, n == 1 ? " is" : "s are")
			: g_str_has_prefix(what, USED)
				? g_strdup_printf("%u run%s that count%s flagged %s", n, n == 1 ? "" : "s", n == 1 ? "s is" : " are",
					what + strlen(USED))
				: g_strdup_printf("%u run%s flagged %s left out of the verdict", n, n == 1 ? "" : "s", what));
	}
}

static gboolean any_value(const LoadedCell *cell, const guint n[2])
{
	for (guint side = 0; side < 2; side++)
		for (guint i = 0; i < n[side]; i++)
			if (isfinite(cell->sides[side][i]))
				return TRUE;
	return FALSE;
}

/* A cell that a metric does not apply to is not missing: its throughput is judged all the same. */
static void drop_unmeasured(GPtrArray *cells, const guint n[2])
{
	for (guint i = cells->len; i-- > 0;)
		if (!any_value(cells->pdata[i], n))
			g_ptr_array_remove_index(cells, i);
}

/* The names of a set, for GateCell. */
static const char *const *take_names(GateData *data, GHashTable *set)
{
	g_autoptr(GPtrArray) names = loaded_keys(set);

	for (guint i = 0; i < names->len; i++)
		names->pdata[i] = own(data, g_strdup(names->pdata[i]));
	g_ptr_array_add(names, NULL);
	return own(data, g_ptr_array_free(g_steal_pointer(&names), FALSE));
}

static GateCell take_cell(GateData *data, LoadedCell *cell)
{
	return (GateCell){
		.name = own(data, g_strdup(cell->name)),
		.baseline = own(data, g_steal_pointer(&cell->sides[0])),
		.candidate = own(data, g_steal_pointer(&cell->sides[1])),
		.no_baseline = !cell->has[0],
		.no_candidate = !cell->has[1],
		.flagged = {cell->flagged[0], cell->flagged[1]},
		.failed = {cell->failed[0], cell->failed[1]},
		.lost = cell->lost,
		.flags = take_names(data, cell->flags),
		.flags_out = take_names(data, cell->flags_out),
	};
}

void loaded_hosts(GateData *data, GPtrArray *hosts)
{
	GateCell *out = own(data, g_new0(GateCell, hosts->len + 1));

	for (guint i = 0; i < hosts->len; i++) {
		LoadedCell *host = hosts->pdata[i];

		if (host->has[0] || host->has[1])
			out[data->input.n_hosts++] = take_cell(data, host);
	}
	data->input.hosts = out;
}

void loaded_finish(GateData *data, GPtrArray *cells, const guint n[2], GHashTable *counts, const GateChoice *choice)
{
	GateCell *out;

	if (choice->metric != GATE_THROUGHPUT)
		drop_unmeasured(cells, n);
	out = own(data, g_new0(GateCell, cells->len + 1));

	for (guint i = 0; i < cells->len; i++) {
		LoadedCell *cell = cells->pdata[i];

		out[i] = take_cell(data, cell);
		out[i].required = named(choice->required, cell->name);
	}
	data->input.cells = out;
	data->input.n_cells = cells->len;
	make_groups(data, cells);
	make_notes(data, counts);
}
