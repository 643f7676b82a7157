/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and closing. */
#include "results/store-private.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"

const char *store_path(const Store *store)
{
	return store->path;
}

int store_version(const Store *store)
{
	return store->version;
}

static void finalize(void *statement)
{
	sqlite3_finalize(statement);
}

static void disconnect(Store *store)
{
	g_hash_table_remove_all(store->statements);
	sqlite3_close(store->db);
	store->db = NULL;
}

void store_close(Store *store)
{
	if (!store)
		return;
	disconnect(store);
	g_hash_table_destroy(store->statements);
	store_tables_free(store);
	g_free(store->path);
	g_free(store);
}

static Store *store_new(const char *path)
{
	Store *store = g_new0(Store, 1);

	store->path = g_str_equal(path, ":memory:") ? g_strdup(path) : g_canonicalize_filename(path, NULL);
	store->statements = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, finalize);
	return store;
}

static gboolean connect_to(Store *store, const char *name, int flags, GError **error)
{
	int rc = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_EXRESCODE, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_busy_timeout(store->db, STORE_BUSY_MS);
		return TRUE;
	}
	store_fail(store, rc, "open", error);
	disconnect(store);
	return FALSE;
}

/* Makes SQLite read the file for the first time: only then does it find out what it cannot do. */
static int first_read(Store *store)
{
	return sqlite3_exec(store->db, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL);
}

/*
 * A store in a folder that cannot be written needs no write-ahead log if nobody is writing: then the
 * file alone is complete and is read as unchanging.
 */
static gboolean connect_immutable(Store *store, GError **error)
{
	g_autofree char *wal = g_strconcat(store->path, "-wal", NULL);
	g_autofree char *escaped = g_uri_escape_string(store->path, "/", FALSE);
	g_autofree char *uri = g_strconcat("file:", escaped, "?immutable=1", NULL);
	struct stat st;

	if (stat(wal, &st) == 0 && st.st_size > 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"cannot read the store %s: its last changes are in %s, which cannot be used in a folder "
			"that this user cannot write to; copy both files to another folder and read them there",
			store->path, wal);
		return FALSE;
	}
	return connect_to(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
}

/* Opened for writing where allowed, so that the log of a killed writer is taken in and put away. */
static gboolean connect_reader(Store *store, GError **error)
{
	int rc;

	if (!connect_to(store, store->path, SQLITE_OPEN_READWRITE, error))
		return FALSE;
	rc = first_read(store);
	if ((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY) {
		disconnect(store);
		if (!connect_immutable(store, error))
			return FALSE;
		rc = first_read(store);
	}
	if (rc != SQLITE_OK)
		return store_fail(store, rc, "read", error);
	return store_exec(store, "PRAGMA query_only = ON", "read", error);
}

static gboolean refuse_newer(Store *store, int version, int latest, GError **error)
{
	if (version <= latest)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"the store %s has version %d and this iogap (" IOGAP_VERSION
		") knows versions up to %d; use a newer iogap, or name another store with --store",
		store->path, version, latest);
	return FALSE;
}

static Store *open_reader(const char *path, GError **error)
{
	g_autoptr(Store) store = store_new(path);
	int latest = store_schema_latest(error);
	struct stat st;

	if (latest < 0)
		return NULL;
	if (stat(store->path, &st) < 0) {
		g_set_error(error, IOGAP_ERROR, errno == ENOENT ? IOGAP_ERROR_NOTHING : IOGAP_ERROR_FAILED,
			"cannot read the store %s: %s; `iogap sweep` makes one, --store names another",
			store->path, g_strerror(errno));
		return NULL;
	}
	if (!connect_reader(store, error) || !store_identify(store, &store->version, error))
		return NULL;
	if (store->version == 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
			"the store %s is empty; `iogap sweep` fills it, --store names another", store->path);
		return NULL;
	}
	if (!refuse_newer(store, store->version, latest, error))
		return NULL;
	return g_steal_pointer(&store);
}

/* The log lies beside the store, so that its folder must be writable even when the file is there already. */
static gboolean make_folder(Store *store, GError **error)
{
	g_autofree char *dir = g_path_get_dirname(store->path);

	if (g_str_equal(store->path, ":memory:") ||
		(g_mkdir_with_parents(dir, 0777) == 0 && access(dir, W_OK | X_OK) == 0))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"cannot make or write to the folder of the store %s: %s; name another store with --store",
		store->path, g_strerror(errno));
	return FALSE;
}

/* Readers go on while a sweep writes (WAL); what was committed survives a power cut (FULL). */
static gboolean set_modes(Store *store, GError **error)
{
	gint64 deadline = g_get_monotonic_time() + STORE_BUSY_MS * 1000;
	int rc;

	/* SQLite does not always wait by itself while it changes the journal mode. */
	while ((rc = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff) == SQLITE_BUSY &&
		g_get_monotonic_time() < deadline)
		g_usleep(20000);
	if (rc != SQLITE_OK)
		return store_fail(store, rc, "open", error);
	return store_exec(store, "PRAGMA synchronous = FULL", "open", error);
}

static Store *open_writer(const char *path, GError **error)
{
	g_autoptr(Store) store = store_new(path);
	int latest = store_schema_latest(error);

	if (latest < 0 || !make_folder(store, error) ||
		!connect_to(store, store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error))
		return NULL;
	if (sqlite3_db_readonly(store->db, "main") == 1) {
		store_fail(store, SQLITE_READONLY, "write to", error);
		return NULL;
	}
	if (!store_identify(store, &store->version, error) ||
		!refuse_newer(store, store->version, latest, error) || !set_modes(store, error))
		return NULL;
	/* Asked again after an upgrade: a newer iogap may have been faster. */
	if (store->version < latest && (!store_upgrade(store, latest, error) ||
					       !refuse_newer(store, store->version, latest, error)))
		return NULL;
	if (!store_exec(store, "PRAGMA foreign_keys = ON", "open", error))
		return NULL;
	return g_steal_pointer(&store);
}

Store *store_open(const char *path, StoreMode mode, GError **error)
{
	return mode == STORE_READ ? open_reader(path, error) : open_writer(path, error);
}
