/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versions of the schema: numbered SQL files, 001-NAME.sql and so on, applied in order. */
#include "results/store-private.h"

#include "harness/base/error.h"
#include "harness/base/paths.h"

/* The number of a schema file's name, 0 for any other file. */
static int number_of(const char *name)
{
	if (!g_str_has_suffix(name, ".sql") || !g_ascii_isdigit(name[0]) || !g_ascii_isdigit(name[1]) ||
		!g_ascii_isdigit(name[2]) || name[3] != '-')
		return 0;
	return (name[0] - '0') * 100 + (name[1] - '0') * 10 + (name[2] - '0');
}

/* Paths by number; index 0 is unused. Fails when a number is missing or there twice. */
static GPtrArray *schema_files(GError **error)
{
	g_autofree char *folder = paths_share("schema");
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		guint number = number_of(name);

		if (number == 0)
			continue;
		if (files->len <= number)
			g_ptr_array_set_size(files, number + 1);
		if (files->pdata[number]) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"there are two schema files of number %u in %s; install iogap again", number,
				folder);
			return NULL;
		}
		files->pdata[number] = g_build_filename(folder, name, NULL);
	}
	for (guint i = 1; i < MAX(files->len, 2); i++) {
		if (i < files->len && files->pdata[i])
			continue;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the schema file %03u-*.sql is missing in %s; install iogap again, or point IOGAP_SHARE "
			"at its shared files",
			i, folder);
		return NULL;
	}
	return g_steal_pointer(&files);
}

int store_schema_latest(GError **error)
{
	g_autoptr(GPtrArray) files = schema_files(error);

	return files ? (int)files->len - 1 : -1;
}

gboolean store_identify(Store *store, int *ret_version, GError **error)
{
	gint64 tables, id, ours, version = 0;

	if (!store_query_int(store, "SELECT count(*) FROM sqlite_schema", NULL, 0, 0, &tables, error) ||
		!store_query_int(store, "PRAGMA application_id", NULL, 0, 0, &id, error) ||
		!store_query_int(store, "SELECT count(*) FROM sqlite_schema WHERE name = 'store_meta'", NULL, 0,
			0, &ours, error))
		return FALSE;
	if (tables > 0 && (id != STORE_APPLICATION_ID || ours == 0)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is a database of another program, not a store of iogap; it was left as it is: name "
			"another store with --store",
			store->path);
		return FALSE;
	}
	if (tables > 0 &&
		!store_query_int(store, "SELECT version FROM store_meta", NULL, 0, 0, &version, error))
		return FALSE;
	if (tables > 0 && version < 1) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the store %s does not say which version it has: it is damaged; it was left as it is",
			store->path);
		return FALSE;
	}
	*ret_version = (int)version;
	return TRUE;
}

static gboolean apply(Store *store, const char *file, GError **error)
{
	g_autofree char *sql = NULL;
	g_autoptr(GError) unreadable = NULL;
	int rc;

	if (!g_file_get_contents(file, &sql, NULL, &unreadable)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot upgrade the store %s: %s",
			store->path, unreadable->message);
		return FALSE;
	}
	rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
	if (rc == SQLITE_OK && !sqlite3_get_autocommit(store->db))
		return TRUE;
	if (rc == SQLITE_OK) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"cannot upgrade the store %s: %s ends the transaction by itself", store->path, file);
		return FALSE;
	}
	store_fail(store, rc, "upgrade", error);
	g_prefix_error(error, "%s: ", file);
	return FALSE;
}

static gboolean note_version(Store *store, int latest, GError **error)
{
	g_autofree char *sql = g_strdup_printf("DELETE FROM store_meta;"
					       "INSERT INTO store_meta (version) VALUES (%d);"
					       "PRAGMA application_id = %d;",
		latest, STORE_APPLICATION_ID);
	gint64 broken;

	if (!store_exec(store, sql, "upgrade", error) ||
		!store_query_int(store, "SELECT count(*) FROM pragma_foreign_key_check", NULL, 0, 0, &broken,
			error))
		return FALSE;
	if (broken == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"cannot upgrade the store %s: %" G_GINT64_FORMAT " rows would refer to rows that are not there",
		store->path, broken);
	return FALSE;
}

static gboolean upgrade_locked(Store *store, int latest, GError **error)
{
	g_autoptr(GPtrArray) files = NULL;
	int version;

	/* Another process may have done it while this one waited for the lock. */
	if (!store_identify(store, &version, error))
		return FALSE;
	if (version < latest) {
		files = schema_files(error);
		if (!files)
			return FALSE;
		for (int i = version + 1; i <= latest; i++)
			if (!apply(store, files->pdata[i], error))
				return FALSE;
		if (!note_version(store, latest, error))
			return FALSE;
	}
	store->version = MAX(version, latest);
	return TRUE;
}

gboolean store_upgrade(Store *store, int latest, GError **error)
{
	if (!store_begin(store, error))
		return FALSE;
	if (upgrade_locked(store, latest, error))
		return store_commit(store, error);
	store_rollback(store);
	return FALSE;
}
