/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One finished run with all that belongs to it, in one transaction. */
#include "results/store-private.h"

#include "harness/base/error.h"

static void hist_free(void *data)
{
	StoreHist *hist = data;

	g_free(hist->direction);
	g_free(hist->kind);
	g_free(hist);
}

static void flag_free(void *data)
{
	StoreFlag *flag = data;

	g_free(flag->flag);
	g_free(flag->evidence);
	g_free(flag);
}

StoreRun *store_run_new(void)
{
	StoreRun *run = g_new0(StoreRun, 1);

	run->run = record_new();
	run->hists = g_ptr_array_new_with_free_func(hist_free);
	run->flags = g_ptr_array_new_with_free_func(flag_free);
	return run;
}

void store_run_free(StoreRun *run)
{
	if (!run)
		return;
	record_free(run->run);
	g_ptr_array_unref(run->hists);
	g_ptr_array_unref(run->flags);
	g_free(run->series);
	g_free(run);
}

void store_run_add_flag(StoreRun *run, const char *flag, const char *evidence)
{
	StoreFlag *added = g_new0(StoreFlag, 1);

	added->flag = g_strdup(flag);
	added->evidence = g_strdup(evidence);
	g_ptr_array_add(run->flags, added);
}

void store_run_add_hist(StoreRun *run, const char *direction, const char *kind, const Hist *hist)
{
	StoreHist *added = g_new0(StoreHist, 1);

	added->direction = g_strdup(direction);
	added->kind = g_strdup(kind);
	added->hist = *hist;
	g_ptr_array_add(run->hists, added);
}

static gboolean add_flags(Store *store, gint64 id, const StoreRun *run, GError **error)
{
	const StoreColumn own[] = {{.name = "run_id", .number = id}};

	for (guint i = 0; i < run->flags->len; i++) {
		const StoreFlag *flag = run->flags->pdata[i];
		g_autoptr(Record) record = record_new();

		record_set_text(record, "flag", flag->flag);
		record_set_text(record, "evidence", flag->evidence);
		if (store_insert(store, "flag", record, own, G_N_ELEMENTS(own), error) < 0)
			return FALSE;
	}
	return TRUE;
}

static gboolean add_series(Store *store, gint64 id, const StoreRun *run, GError **error)
{
	const StoreColumn own[] = {{.name = "run_id", .number = id}};
	g_autoptr(Record) record = record_new();

	if (!run->series)
		return TRUE;
	record_set_text(record, "json", run->series);
	return store_insert(store, "series", record, own, G_N_ELEMENTS(own), error) >= 0;
}

static gint64 add_locked(Store *store, gint64 leg, gint64 boot, const StoreRun *run, GError **error)
{
	const StoreValue of_leg = {.number = leg};
	gint64 sweep, id;

	if (!store_query_int(store, "SELECT sweep_id FROM leg WHERE id = ?", &of_leg, 1, -1, &sweep, error))
		return -1;
	if (sweep < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"there is no leg %" G_GINT64_FORMAT " in the store %s", leg, store->path);
		return -1;
	}
	const StoreColumn own[] = {
		{.name = "sweep_id", .number = sweep},
		{.name = "leg_id", .number = leg},
		{.name = "boot_id", .number = boot, .null = boot < 0},
	};
	id = store_insert(store, "run", run->run, own, G_N_ELEMENTS(own), error);
	for (guint i = 0; id >= 0 && i < run->hists->len; i++)
		if (!store_insert_hist(store, id, run->hists->pdata[i], error))
			return -1;
	if (id < 0 || !add_flags(store, id, run, error) || !add_series(store, id, run, error))
		return -1;
	return id;
}

gint64 store_add_run(Store *store, gint64 leg, gint64 boot, const StoreRun *run, GError **error)
{
	gint64 id;

	if (!store_begin(store, error))
		return -1;
	id = add_locked(store, leg, boot, run, error);
	if (id < 0)
		store_rollback(store);
	else if (!store_commit(store, error))
		return -1;
	return id;
}
