/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a store as JSON lines. */
#include "results/transfer.h"

#include <jansson.h>

#include "harness/base/error.h"
#include "results/store-rows.h"

typedef struct {
	Store *store;
	GOutputStream *out;
	GPtrArray *tables;
	GChecksum *sum; /* of the sweep under way */
	guint64 rows;
} Export;

/* Takes JSON; SUMMED: the line counts as a row of the sweep under way. */
static gboolean put_line(Export *export, json_t *json, gboolean summed, GError **error)
{
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
	gsize length = text ? strlen(text) : 0;
	gboolean fine = FALSE;

	json_decref(json);
	if (!text)
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make JSON of a row: no memory");
	else if (length > TRANSFER_MOST_LINE)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"a row of the store %s makes a line of %" G_GSIZE_FORMAT " bytes; an export takes %u at most",
			export->store->path, length, TRANSFER_MOST_LINE);
	else
		fine = g_output_stream_write_all(export->out, text, length, NULL, NULL, error) &&
		       g_output_stream_write_all(export->out, "\n", 1, NULL, NULL, error);
	if (fine && summed) {
		g_checksum_update(export->sum, (const guchar *)text, (gssize)length);
		g_checksum_update(export->sum, (const guchar *)"\n", 1);
		export->rows++;
	}
	free(text);
	return fine;
}

static json_t *bytes_json(const void *data, int size)
{
	/* g_base64_encode refuses NULL, which SQLite gives for an empty value. */
	g_autofree char *text = g_base64_encode(size > 0 ? data : (const void *)"", (gsize)size);

	return json_pack("{s:s}", "base64", text);
}

/* The value of column I; NULL when it cannot be told in JSON. */
static json_t *value_json(sqlite3_stmt *row, int i)
{
	const char *text;
	int size;

	switch (sqlite3_column_type(row, i)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(row, i));
	case SQLITE_FLOAT:
		return json_real(sqlite3_column_double(row, i));
	case SQLITE_TEXT:
		text = (const char *)sqlite3_column_text(row, i);
		size = sqlite3_column_bytes(row, i);
		/* FALSE for a NUL within, too. */
		if (g_utf8_validate_len(text, (gsize)size, NULL))
			return json_stringn(text, (gsize)size);
		return bytes_json(text, size);
	default:
		return bytes_json(sqlite3_column_blob(row, i), sqlite3_column_bytes(row, i));
	}
}

static gboolean put_row(Export *export, const StoreRowTable *table, sqlite3_stmt *row, GError **error)
{
	json_t *object = json_object();

	for (int i = 0; i < sqlite3_column_count(row); i++) {
		json_t *value;

		if (sqlite3_column_type(row, i) == SQLITE_NULL)
			continue;
		value = value_json(row, i);
		if (!value) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"column %s of a row of %s in the store %s is no number that JSON has",
				sqlite3_column_name(row, i), table->name, export->store->path);
			json_decref(object);
			return FALSE;
		}
		json_object_set_new(object, sqlite3_column_name(row, i), value);
	}
	return put_line(export, json_pack("{s:o}", table->name, object), TRUE, error);
}

static gboolean put_table(Export *export, const StoreRowTable *table, gint64 sweep, GError **error)
{
	sqlite3_stmt *statement = store_prepare(export->store, table->select, error);
	gboolean fine = TRUE;
	int rc = SQLITE_DONE;

	if (!statement)
		return FALSE;
	sqlite3_bind_int64(statement, 1, sweep);
	while (fine && (rc = sqlite3_step(statement)) == SQLITE_ROW)
		fine = put_row(export, table, statement, error);
	if (fine && rc != SQLITE_DONE)
		fine = store_fail(export->store, rc, "read", error);
	sqlite3_reset(statement);
	return fine;
}

static gboolean put_sweep(Export *export, gint64 sweep, GError **error)
{
	g_autoptr(Record) record = store_sweep(export->store, sweep, error);

	if (!record)
		return FALSE;
	g_checksum_reset(export->sum);
	export->rows = 0;
	for (guint i = 0; i < export->tables->len; i++)
		if (!put_table(export, export->tables->pdata[i], sweep, error))
			return FALSE;
	return put_line(export,
		json_pack("{s:{s:s, s:I, s:s}}", "end", "uuid", record_get_text(record, "uuid"), "rows",
			(json_int_t)export->rows, "sha256", g_checksum_get_string(export->sum)),
		FALSE, error);
}

static gboolean put_all(Export *export, const gint64 *sweeps, guint count, GError **error)
{
	if (!put_line(export,
		    json_pack("{s:i, s:i, s:s}", "iogap_export", TRANSFER_FORMAT, "store_version", export->store->version,
			    "iogap_version", IOGAP_VERSION),
		    FALSE, error))
		return FALSE;
	for (guint i = 0; i < count; i++)
		if (!put_sweep(export, sweeps[i], error))
			return FALSE;
	return TRUE;
}

gboolean transfer_export(Store *store, const gint64 *sweeps, guint count, GOutputStream *out, GError **error)
{
	g_autoptr(GPtrArray) tables = store_row_tables(store, error);
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	Export export = {.store = store, .out = out, .tables = tables, .sum = sum};
	gboolean fine;

	/* One transaction, so that a sweep that goes on meanwhile is seen as of one moment. */
	if (!tables || !store_exec(store, "BEGIN", "read", error))
		return FALSE;
	fine = put_all(&export, sweeps, count, error);
	store_rollback(store);
	return fine;
}
