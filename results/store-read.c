/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers. Ids grow in the order of adding, so ordering by id is the order in which rows came. */
#include "results/store-private.h"

#include "harness/base/error.h"

static GPtrArray *of_sweep(Store *store, const char *sql, gint64 sweep, GError **error)
{
	const StoreValue value = {.number = sweep};

	return store_query(store, sql, &value, 1, error);
}

GPtrArray *store_sweeps(Store *store, GError **error)
{
	return store_query(store, "SELECT * FROM sweep ORDER BY id", NULL, 0, error);
}

GPtrArray *store_overview(Store *store, GError **error)
{
	return store_query(store,
		"SELECT s.id, uuid, label, s.status, started_unix_ns, finished_unix_ns, profile, accel, commit_id,"
		" branch,"
		" (SELECT count(*) FROM leg WHERE sweep_id = s.id) AS legs,"
		" (SELECT count(*) FROM boot WHERE sweep_id = s.id) AS boots,"
		" (SELECT count(*) FROM refusal WHERE sweep_id = s.id) AS refusals,"
		" coalesce(r.ok, 0) AS runs_ok, coalesce(r.failed, 0) AS runs_failed,"
		" coalesce(r.skipped, 0) AS runs_skipped"
		" FROM sweep AS s LEFT JOIN (SELECT sweep_id, sum(status = 'ok') AS ok,"
		" sum(status = 'failed') AS failed, sum(status = 'skipped') AS skipped FROM run GROUP BY sweep_id)"
		" AS r ON r.sweep_id = s.id ORDER BY s.id",
		NULL, 0, error);
}

static void set_no_sweep(Store *store, const char *ref, GError **error)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
		"there is no sweep \"%s\" in the store %s; `iogap list` shows those that are there", ref, store->path);
}

Record *store_sweep(Store *store, gint64 sweep, GError **error)
{
	g_autoptr(GPtrArray) rows = of_sweep(store, "SELECT * FROM sweep WHERE id = ?", sweep, error);

	if (!rows)
		return NULL;
	if (rows->len == 0) {
		g_autofree char *ref = g_strdup_printf("%" G_GINT64_FORMAT, sweep);

		set_no_sweep(store, ref, error);
		return NULL;
	}
	return record_copy(rows->pdata[0]);
}

GPtrArray *store_legs(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store, "SELECT * FROM leg WHERE sweep_id = ? ORDER BY id", sweep, error);
}

GPtrArray *store_refusals(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store, "SELECT * FROM refusal WHERE sweep_id = ? ORDER BY id", sweep, error);
}

GPtrArray *store_sources(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store, "SELECT * FROM source WHERE sweep_id = ? ORDER BY id", sweep, error);
}

gint64 store_find_source(Store *store, const char *sha256, GError **error)
{
	const StoreValue value = {.text = sha256};
	gint64 sweep;

	if (!store_query_int(store, "SELECT max(sweep_id) FROM source WHERE sha256 = ?", &value, 1, -1, &sweep, error))
		return -1;
	return sweep;
}

GPtrArray *store_boots(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store, "SELECT * FROM boot WHERE sweep_id = ? ORDER BY id", sweep, error);
}

GPtrArray *store_runs(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store, "SELECT * FROM run WHERE sweep_id = ? ORDER BY id", sweep, error);
}

GPtrArray *store_run_columns(Store *store, gint64 sweep, const char *const *columns, GError **error)
{
	g_autoptr(GString) sql = g_string_new("SELECT id, leg_id");

	for (guint i = 0; columns[i]; i++)
		g_string_append_printf(sql, ", run.%s", columns[i]);
	g_string_append(sql, " FROM run WHERE sweep_id = ? ORDER BY id");
	return of_sweep(store, sql->str, sweep, error);
}

GPtrArray *store_flags(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store,
		"SELECT flag.* FROM run JOIN flag ON flag.run_id = run.id WHERE run.sweep_id = ? ORDER BY flag.id",
		sweep, error);
}

GPtrArray *store_run_counts(Store *store, gint64 sweep, GError **error)
{
	return of_sweep(store,
		"SELECT leg_id, status, count(*) AS runs FROM run WHERE sweep_id = ? GROUP BY leg_id, status"
		" ORDER BY leg_id, status",
		sweep, error);
}

char *store_series(Store *store, gint64 run, GError **error)
{
	g_autoptr(GPtrArray) rows = of_sweep(store, "SELECT json FROM series WHERE run_id = ?", run, error);

	return rows && rows->len ? g_strdup(record_get_text(rows->pdata[0], "json")) : NULL;
}

/* The sweep that REF names as a number, else -1. */
static gboolean find_number(Store *store, const char *ref, gint64 *ret, GError **error)
{
	StoreValue value = {0};
	guint64 number;

	*ret = -1;
	if (!g_ascii_string_to_unsigned(ref, 10, 1, G_MAXINT64, &number, NULL))
		return TRUE;
	value.number = (gint64)number;
	return store_query_int(store, "SELECT id FROM sweep WHERE id = ?", &value, 1, -1, ret, error);
}

/* The sweep whose uuid begins with REF, else -1; more than one is an error. */
static gboolean find_uuid(Store *store, const char *ref, gint64 *ret, GError **error)
{
	g_autofree char *lower = g_ascii_strdown(ref, -1);
	const StoreValue value = {.text = lower};
	gint64 count;

	if (!store_query_int(store, "SELECT count(*) FROM sweep WHERE substr(uuid, 1, length(?1)) = ?1", &value,
		    1, 0, &count, error))
		return FALSE;
	if (count > 1) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"\"%s\" begins the uuid of %" G_GINT64_FORMAT " sweeps of the store %s; write more of it",
			ref, count, store->path);
		return FALSE;
	}
	return store_query_int(store, "SELECT id FROM sweep WHERE substr(uuid, 1, length(?1)) = ?1", &value, 1,
		-1, ret, error);
}

gint64 store_find_sweep(Store *store, const char *ref, GError **error)
{
	const StoreValue value = {.text = ref};
	gint64 id = -1;

	if (*ref == '\0') {
		set_no_sweep(store, ref, error);
		return -1;
	}
	if (g_str_equal(ref, "latest")) {
		if (!store_query_int(store, "SELECT id FROM sweep ORDER BY started_unix_ns DESC, id DESC LIMIT 1",
			    NULL, 0, -1, &id, error))
			return -1;
		if (id < 0)
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
				"there is no sweep in the store %s yet; `iogap sweep PROFILE` makes one",
				store->path);
		return id;
	}
	if (!find_number(store, ref, &id, error))
		return -1;
	if (id < 0 && !store_query_int(store,
			      "SELECT id FROM sweep WHERE label = ? ORDER BY started_unix_ns DESC, id DESC LIMIT 1",
			      &value, 1, -1, &id, error))
		return -1;
	if (id < 0 && !find_uuid(store, ref, &id, error))
		return -1;
	if (id < 0)
		set_no_sweep(store, ref, error);
	return id;
}

gint64 store_find_resumable(Store *store, const char *profile_name, const char *profile_text, GError **error)
{
	const StoreValue values[] = {{.text = profile_name}, {.text = profile_text}};
	gint64 id = -1;

	if (!store_query_int(store,
		    "SELECT id FROM sweep WHERE status IN ('running', 'interrupted') AND profile = ?"
		    " AND profile_text = ? ORDER BY started_unix_ns DESC, id DESC LIMIT 1",
		    values, G_N_ELEMENTS(values), -1, &id, error))
		return -1;
	return id;
}
