/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON lines into a store: what the lines of an export mean. transfer-line.c reads and checks one of them. */
#include "results/transfer.h"

#include "harness/base/error.h"
#include "results/transfer-private.h"

static void sweep_free(void *data)
{
	TransferSweep *sweep = data;

	if (!sweep)
		return;
	g_free(sweep->uuid);
	g_free(sweep->profile);
	g_free(sweep->label);
	g_free(sweep);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TransferSweep, sweep_free)

GPtrArray *transfer_sweeps_new(void)
{
	return g_ptr_array_new_with_free_func(sweep_free);
}

#define MOST_NAMED 5 /* sweeps that one message names */

/* What is known while the lines go by. */
typedef struct {
	Store *store;
	TransferLines *lines;
	GPtrArray *tables;
	GHashTable *ids;      /* table name -> (id in the file -> id in the store) */
	GChecksum *sum;	      /* of the rows of the sweep under way */
	TransferSweep *sweep; /* under way, or NULL; a transaction is open unless it is there already */
	gboolean header;
	gboolean again;	  /* the line that failed is fine but for what is missing before it: it is taken once more */
	gboolean hopeless; /* what failed is not this line: nothing of the rest can be taken */
	json_t *pending;  /* the line at hand, to be taken next, or NULL */
	GString *damages; /* what is said of them, a line each */
	guint count;	  /* of them */
} Import;

static gboolean damaged(const Import *import, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
static gboolean damaged(const Import *import, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s", text);
	return FALSE;
}

/* ---- header ----------------------------------------------------------------------------------- */

static gboolean take_header(Import *import, json_t *line, GError **error)
{
	json_t *format = json_object_get(line, "iogap_export");
	json_t *version = json_object_get(line, "store_version");
	const char *by = json_string_value(json_object_get(line, "iogap_version"));

	if (import->sweep) {
		import->again = TRUE;
		return damaged(import, error, "a new header within a sweep: its end is missing");
	}
	import->header = FALSE;
	if (!json_is_integer(format) || json_integer_value(format) < 1 || !json_is_integer(version) ||
		json_integer_value(version) < 1)
		return damaged(import, error, "the header does not tell the versions of its format and of its store");
	if (json_integer_value(format) > TRANSFER_FORMAT)
		return damaged(import, error,
			"this export has format %" JSON_INTEGER_FORMAT ", written by iogap %s, and this iogap (" IOGAP_VERSION
			") reads formats up to %d; use a newer iogap",
			json_integer_value(format), by ? by : "of an unknown version", TRANSFER_FORMAT);
	if (json_integer_value(version) > import->store->version)
		return damaged(import, error,
			"this export comes from a store of version %" JSON_INTEGER_FORMAT
			", written by iogap %s, and this iogap (" IOGAP_VERSION ") knows versions up to %d; use a newer iogap",
			json_integer_value(version), by ? by : "of an unknown version", import->store->version);
	import->header = TRUE;
	return TRUE;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static GHashTable *ids_of(Import *import, const char *table)
{
	GHashTable *ids = g_hash_table_lookup(import->ids, table);

	if (!ids) {
		ids = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
		g_hash_table_insert(import->ids, g_strdup(table), ids);
	}
	return ids;
}

/* The id that the row referred to by VALUE has in the store. */
static gboolean bind_reference(Import *import, sqlite3_stmt *statement, int at, const StoreRowColumn *column,
	json_t *value, GError **error)
{
	gint64 old = json_integer_value(value);
	const gint64 *now;

	if (!json_is_integer(value))
		return damaged(import, error, "column \"%s\" takes an integer", column->name);
	now = g_hash_table_lookup(ids_of(import, column->parent), &old);
	if (!now)
		return damaged(import, error, "its %s is %" G_GINT64_FORMAT ", and no %s with this id came before it",
			column->name, old, column->parent);
	sqlite3_bind_int64(statement, at, *now);
	return TRUE;
}

static gboolean bind_row(Import *import, const StoreRowTable *table, json_t *row, sqlite3_stmt *statement,
	GError **error)
{
	const char *name;
	json_t *value;

	json_object_foreach(row, name, value) {
		gpointer index;
		const StoreRowColumn *column;

		if (!g_hash_table_lookup_extended(table->by_name, name, NULL, &index))
			return damaged(import, error, "table %s has no column of the name \"%s\"", table->name, name);
		column = table->columns->pdata[GPOINTER_TO_UINT(index)];
		if (json_is_null(value) || g_str_equal(name, "id"))
			continue;
		if (column->parent) {
			if (!bind_reference(import, statement, (int)GPOINTER_TO_UINT(index) + 1, column, value, error))
				return FALSE;
		} else if (!transfer_bind(statement, (int)GPOINTER_TO_UINT(index) + 1, column, value, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean note_id(Import *import, const StoreRowTable *table, json_t *row, GError **error)
{
	json_t *id = json_object_get(row, "id");
	gint64 old = json_integer_value(id), now = sqlite3_last_insert_rowid(import->store->db);
	GHashTable *ids;

	if (!g_hash_table_contains(table->by_name, "id"))
		return TRUE;
	if (!json_is_integer(id))
		return damaged(import, error, "a row of %s without its id", table->name);
	ids = ids_of(import, table->name);
	if (!g_hash_table_insert(ids, g_memdup2(&old, sizeof(old)), g_memdup2(&now, sizeof(now))))
		return damaged(import, error, "a second row of %s with the id %" G_GINT64_FORMAT, table->name, old);
	if (g_str_equal(table->name, "sweep"))
		import->sweep->id = now;
	return TRUE;
}

/* Whether SQLite refused what the row says; anything else (no space, a lock) would befall the next sweep too. */
static gboolean is_of_row(int rc)
{
	rc &= 0xff;
	return rc == SQLITE_CONSTRAINT || rc == SQLITE_MISMATCH || rc == SQLITE_TOOBIG;
}

static gboolean store_row(Import *import, const StoreRowTable *table, json_t *row, GError **error)
{
	sqlite3_stmt *statement = store_prepare(import->store, table->insert, error);
	g_autofree char *what = g_strdup_printf("write to table %s of", table->name);
	int rc = SQLITE_DONE;
	gboolean fine;

	if (!statement)
		return FALSE;
	fine = bind_row(import, table, row, statement, error);
	if (fine)
		rc = sqlite3_step(statement);
	if (rc != SQLITE_DONE) {
		import->hopeless = !is_of_row(rc);
		fine = store_fail(import->store, rc, what, error);
	}
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return fine && note_id(import, table, row, error);
}

/* ---- sweeps ----------------------------------------------------------------------------------- */

static gboolean begin_sweep(Import *import, json_t *row, GError **error)
{
	const char *uuid = json_string_value(json_object_get(row, "uuid"));
	StoreValue value = {.text = uuid};
	gint64 there, rows = 0;

	if (!uuid || !g_uuid_string_is_valid(uuid))
		return damaged(import, error, "a sweep without a valid uuid");
	if (!store_begin(import->store, error)) {
		import->hopeless = TRUE;
		return FALSE;
	}
	import->sweep = g_new0(TransferSweep, 1);
	import->sweep->uuid = g_strdup(uuid);
	import->sweep->profile = g_strdup(json_string_value(json_object_get(row, "profile")));
	import->sweep->label = g_strdup(json_string_value(json_object_get(row, "label")));
	g_hash_table_remove_all(import->ids);
	g_checksum_reset(import->sum);
	if (!store_query_int(import->store, "SELECT id FROM sweep WHERE uuid = ?", &value, 1, -1, &there, error) ||
		(there >= 0 && !store_row_count(import->store, import->tables, there, &rows, error))) {
		import->hopeless = TRUE;
		return FALSE;
	}
	if (there < 0)
		return TRUE;
	store_rollback(import->store);
	import->sweep->outcome = TRANSFER_THERE;
	import->sweep->id = there;
	import->sweep->rows_there = (guint64)rows;
	return TRUE;
}

static gboolean take_row(Import *import, const char *name, json_t *row, GError **error)
{
	const StoreRowTable *table = store_row_table(import->tables, name);

	if (!table)
		return damaged(import, error, "there is no table of the name \"%s\"", name);
	if (g_str_equal(name, "sweep")) {
		if (import->sweep) {
			import->again = TRUE;
			return damaged(import, error, "a new sweep, and the end of the one before it is missing");
		}
		if (!begin_sweep(import, row, error))
			return FALSE;
	} else if (!import->sweep)
		return damaged(import, error, "a row of %s outside a sweep", name);
	g_checksum_update(import->sum, (const guchar *)import->lines->text, (gssize)import->lines->length);
	g_checksum_update(import->sum, (const guchar *)"\n", 1);
	import->sweep->rows++;
	import->sweep->runs += g_str_equal(name, "run");
	if (g_str_equal(name, "hist") && !transfer_check_hist(row, error))
		return FALSE;
	/* What is in the store already is only read past. */
	return import->sweep->outcome == TRANSFER_ADDED ? store_row(import, table, row, error) : TRUE;
}

static gboolean take_end(Import *import, json_t *end, GPtrArray *sweeps, GError **error)
{
	TransferSweep *sweep = import->sweep;
	const char *sum = json_string_value(json_object_get(end, "sha256"));
	const char *uuid = json_string_value(json_object_get(end, "uuid"));
	json_int_t rows = json_integer_value(json_object_get(end, "rows"));

	if (!sweep)
		return damaged(import, error, "an end outside a sweep");
	if (!uuid || !g_str_equal(uuid, sweep->uuid))
		return damaged(import, error, "the end of another sweep");
	if (rows < 0 || (guint64)rows != sweep->rows)
		return damaged(import, error,
			"the sweep has %" G_GUINT64_FORMAT " rows, and its end says %" JSON_INTEGER_FORMAT ": lines are missing "
			"or were added",
			sweep->rows, rows);
	if (sum && !g_str_equal(sum, g_checksum_get_string(import->sum)))
		return damaged(import, error,
			"the %" G_GUINT64_FORMAT " lines before it are not those that were exported (sha256); take \"sha256\" "
			"out of this line if they were changed on purpose",
			sweep->rows);
	if (sweep->outcome == TRANSFER_ADDED && !store_commit(import->store, error)) {
		import->hopeless = TRUE;
		return FALSE;
	}
	if (sweep->outcome == TRANSFER_THERE && sweep->rows != sweep->rows_there)
		sweep->outcome = TRANSFER_DIFFERS;
	g_ptr_array_add(sweeps, g_steal_pointer(&import->sweep));
	return TRUE;
}

static gboolean take_line(Import *import, json_t *line, GPtrArray *sweeps, GError **error)
{
	void *member = json_object_iter(line);
	json_t *row = member ? json_object_iter_value(member) : NULL;

	if (json_object_get(line, "iogap_export"))
		return take_header(import, line, error);
	if (!import->header)
		return damaged(import, error, "no export of iogap, or one without its first line, {\"iogap_export\":...}, "
			"which tells the versions of what follows");
	if (json_object_size(line) != 1 || !json_is_object(row))
		return damaged(import, error, "a line holds one row: {\"TABLE\":{...}}");
	if (g_str_equal(json_object_iter_key(member), "end"))
		return take_end(import, row, sweeps, error);
	return take_row(import, json_object_iter_key(member), row, error);
}

/* Takes the next line; *ret_more is FALSE at the end of the file. */
static gboolean take_next(Import *import, GPtrArray *sweeps, gboolean *ret_more, GError **error)
{
	json_t *line = g_steal_pointer(&import->pending);
	gboolean fine;

	if (!line && !transfer_lines_next(import->lines, &line, error)) {
		import->hopeless = import->lines->broken;
		if (!import->header && !import->hopeless)
			g_prefix_error(error, "the header of an export, which tells the versions of what follows, cannot be read: ");
		return FALSE;
	}
	*ret_more = line != NULL;
	if (!line && import->sweep)
		return damaged(import, error, "the file ends within a sweep");
	if (!line)
		return import->header || import->count > 0 || damaged(import, error, "it is empty");
	fine = take_line(import, line, sweeps, error);
	if (import->again)
		import->pending = line;
	else
		json_decref(line);
	import->again = FALSE;
	return fine;
}

/* ---- damage ------------------------------------------------------------------------------------ */

/* Whether reading can go on with LINE; the rows of a sweep mean nothing without their header. */
static gboolean begins(const Import *import, json_t *line)
{
	return json_object_get(line, "iogap_export") || (import->header && json_object_get(line, "sweep"));
}

/* An end without its sweep tells which sweep the line was of. */
static void note_lost(GPtrArray *lost, json_t *line)
{
	const char *uuid = json_string_value(json_object_get(json_object_get(line, "end"), "uuid"));

	if (uuid && g_uuid_string_is_valid(uuid) &&
		(lost->len == 0 || !g_str_equal(lost->pdata[lost->len - 1], uuid)))
		g_ptr_array_add(lost, g_strdup(uuid));
}

/* On to the next line that reading can go on with: pending is set, or *ret_more is FALSE. FALSE when the input cannot be read. */
static gboolean skip(Import *import, GPtrArray *lost, gboolean *ret_more, GError **error)
{
	while (!import->pending) {
		g_autoptr(GError) local = NULL;
		json_t *line;

		if (!transfer_lines_next(import->lines, &line, &local)) {
			if (!import->lines->broken)
				continue;
			g_propagate_error(error, g_steal_pointer(&local));
			import->hopeless = TRUE;
			return FALSE;
		}
		*ret_more = line != NULL;
		if (!line)
			return TRUE;
		if (begins(import, line)) {
			import->pending = line;
			return TRUE;
		}
		note_lost(lost, line);
		json_decref(line);
	}
	return TRUE;
}

static void say_lost(GString *text, const GPtrArray *lost)
{
	if (lost->len == 0)
		return;
	g_string_append_printf(text, "; nothing of sweep%s ", lost->len == 1 ? "" : "s");
	for (guint i = 0; i < MIN(lost->len, MOST_NAMED); i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)lost->pdata[i]);
	if (lost->len > MOST_NAMED)
		g_string_append_printf(text, " and %u more", lost->len - MOST_NAMED);
	g_string_append(text, " is stored");
}

/* Says where it happened and what that means for the store, and goes on behind it. FALSE when nothing more can be taken. */
static gboolean recover(Import *import, const GError *cause, gboolean *ret_more)
{
	g_autoptr(GPtrArray) lost = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(TransferSweep) left = g_steal_pointer(&import->sweep);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) unreadable = NULL;

	store_rollback(import->store);
	g_string_printf(text, "%s:%" G_GUINT64_FORMAT ": %s", import->lines->name, import->lines->number, cause->message);
	if (left && left->outcome == TRANSFER_ADDED)
		g_ptr_array_add(lost, g_strdup(left->uuid));
	else if (left)
		g_string_append_printf(text, "; sweep %s is in the store already and stays as it is there", left->uuid);
	if (!import->hopeless && *ret_more)
		skip(import, lost, ret_more, &unreadable);
	/* The end of the sweep that was there already is no loss. */
	if (left && left->outcome != TRANSFER_ADDED && lost->len > 0 && g_str_equal(lost->pdata[0], left->uuid))
		g_ptr_array_remove_index(lost, 0);
	say_lost(text, lost);
	if (unreadable)
		g_string_append_printf(text, "; and then: %s", unreadable->message);
	if (import->count++ < TRANSFER_MOST_DAMAGES)
		g_string_append_printf(import->damages, "%s%s", import->damages->len ? "\n" : "", text->str);
	return !import->hopeless;
}

/* TRUE when nothing was damaged; else the error tells all that was. */
static gboolean take_all(Import *import, GPtrArray *sweeps, GError **error)
{
	int code = IOGAP_ERROR_FAILED;
	gboolean more = TRUE;

	while (more) {
		g_autoptr(GError) local = NULL;

		if (take_next(import, sweeps, &more, &local))
			continue;
		code = local->code;
		if (!recover(import, local, &more))
			break;
	}
	if (import->count > TRANSFER_MOST_DAMAGES)
		g_string_append_printf(import->damages, "\n%s: %u more places are damaged", import->lines->name,
			import->count - TRANSFER_MOST_DAMAGES);
	if (import->count > 0)
		g_set_error_literal(error, IOGAP_ERROR, code, import->damages->str);
	return import->count == 0;
}

gboolean transfer_import(Store *store, GInputStream *in, const char *name, GPtrArray *sweeps, GError **error)
{
	g_autoptr(GPtrArray) tables = store_row_tables(store, error);
	g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
		(GDestroyNotify)g_hash_table_unref);
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autoptr(TransferLines) lines = transfer_lines_new(in, name);
	g_autoptr(GString) damages = g_string_new(NULL);
	Import import = {.store = store, .lines = lines, .tables = tables, .ids = ids, .sum = sum, .damages = damages};

	return tables && take_all(&import, sweeps, error);
}
