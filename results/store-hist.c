/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms: a few hundred of 3840 slots are used, so only those are stored, as LEB128 numbers. */
#include "results/store-private.h"

#include <inttypes.h>

#include "harness/base/error.h"

static void put(GByteArray *out, guint64 value)
{
	guint8 byte;

	do {
		byte = value & 0x7f;
		value >>= 7;
		if (value)
			byte |= 0x80;
		g_byte_array_append(out, &byte, 1);
	} while (value);
}

/* Reads one number at *AT and moves *AT behind it; FALSE at the end or when it has over 64 bits. */
static gboolean get(const guint8 *data, gsize size, gsize *at, guint64 *ret)
{
	guint64 value = 0;

	for (guint shift = 0; *at < size && shift < 64; shift += 7) {
		guint8 byte = data[(*at)++];

		if (shift == 63 && byte > 1)
			return FALSE;
		value |= (guint64)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return TRUE;
		}
	}
	return FALSE;
}

GByteArray *store_hist_encode(const Hist *hist)
{
	GByteArray *out = g_byte_array_new();
	guint last = 0;

	for (guint i = 0; i < HIST_SLOTS; i++) {
		if (hist->slots[i] == 0)
			continue;
		put(out, i - last);
		put(out, hist->slots[i]);
		last = i;
	}
	return out;
}

gboolean store_hist_decode(const guint8 *data, gsize size, Hist *hist, guint64 *ret_sum)
{
	guint64 slot = 0, gap, count;
	gsize at = 0;

	while (at < size) {
		gboolean first = at == 0;

		if (!get(data, size, &at, &gap) || !get(data, size, &at, &count) || count == 0)
			return FALSE;
		if ((gap == 0 && !first) || gap >= HIST_SLOTS || slot + gap >= HIST_SLOTS)
			return FALSE;
		slot += gap;
		hist->slots[slot] += count;
		*ret_sum += count;
	}
	return TRUE;
}

/* The counts as they must be, or a reason why this is no histogram. */
static const char *wrong_with(const Hist *hist)
{
	guint64 sum = hist->below + hist->above;

	for (guint i = 0; i < HIST_SLOTS; i++)
		sum += hist->slots[i];
	if (hist->n > G_MAXINT64 || hist->sum_ns > G_MAXINT64)
		return "holds more than 64-bit integers can";
	if (sum != hist->n)
		return "does not add up: slots, below and above are not n";
	if (hist->n > 0 && (hist->min_ns > hist->max_ns || hist->max_ns > G_MAXINT64))
		return "has a minimum over its maximum";
	return NULL;
}

gboolean store_insert_hist(Store *store, gint64 run, const StoreHist *added, GError **error)
{
	static const char sql[] = "INSERT INTO hist (run_id, direction, kind, n, sum_ns, min_ns, max_ns, below, "
				  "above, slots) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	const Hist *hist = &added->hist;
	g_autoptr(GByteArray) slots = NULL;
	const char *wrong = wrong_with(hist);
	sqlite3_stmt *statement;
	int rc;

	if (wrong) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"cannot write to the store %s: the histogram %s/%s %s", store->path, added->direction,
			added->kind, wrong);
		return FALSE;
	}
	statement = store_prepare(store, sql, error);
	if (!statement)
		return FALSE;
	slots = store_hist_encode(hist);
	sqlite3_bind_int64(statement, 1, run);
	sqlite3_bind_text(statement, 2, added->direction, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, added->kind, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 4, (gint64)hist->n);
	sqlite3_bind_int64(statement, 5, (gint64)hist->sum_ns);
	if (hist->n > 0) {
		sqlite3_bind_int64(statement, 6, (gint64)hist->min_ns);
		sqlite3_bind_int64(statement, 7, (gint64)hist->max_ns);
	}
	sqlite3_bind_int64(statement, 8, (gint64)hist->below);
	sqlite3_bind_int64(statement, 9, (gint64)hist->above);
	/* An empty histogram is an empty blob: without data SQLite would bind NULL. */
	sqlite3_bind_blob(statement, 10, slots->len ? (const void *)slots->data : "", slots->len, SQLITE_STATIC);
	rc = sqlite3_step(statement);
	if (rc != SQLITE_DONE)
		store_fail(store, rc, "write to table hist of", error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return rc == SQLITE_DONE;
}

/* Adds the row that STATEMENT stands on: n, sum_ns, min_ns, max_ns, below, above, slots, run_id. */
static gboolean add_row(Store *store, sqlite3_stmt *statement, Hist *into, GError **error)
{
	guint64 n = (guint64)sqlite3_column_int64(statement, 0);
	guint64 below = (guint64)sqlite3_column_int64(statement, 4);
	guint64 above = (guint64)sqlite3_column_int64(statement, 5);
	guint64 sum = below + above;

	if (!store_hist_decode(sqlite3_column_blob(statement, 6), sqlite3_column_bytes(statement, 6), into, &sum) ||
		sum != n) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the store %s is damaged: a histogram of run %" G_GINT64_FORMAT " does not add up",
			store->path, (gint64)sqlite3_column_int64(statement, 7));
		return FALSE;
	}
	into->n += n;
	into->sum_ns += (guint64)sqlite3_column_int64(statement, 1);
	into->below += below;
	into->above += above;
	if (n > 0) {
		into->min_ns = MIN(into->min_ns, (guint64)sqlite3_column_int64(statement, 2));
		into->max_ns = MAX(into->max_ns, (guint64)sqlite3_column_int64(statement, 3));
	}
	return TRUE;
}

/* The sum of the histograms that SQL finds for ID; *RET is touched only when there is one. */
static gboolean sum_of(Store *store, const char *sql, gint64 id, const char *direction, const char *kind,
	Hist *ret, GError **error)
{
	sqlite3_stmt *statement = store_prepare(store, sql, error);
	g_autofree Hist *sum = NULL;
	gboolean fine = TRUE;
	int rc = SQLITE_DONE;

	if (!statement)
		return FALSE;
	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_text(statement, 2, direction, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, kind, -1, SQLITE_STATIC);
	while (fine && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
		if (!sum) {
			sum = g_new0(Hist, 1);
			sum->min_ns = UINT64_MAX;
		}
		fine = add_row(store, statement, sum, error);
	}
	if (fine && rc != SQLITE_DONE)
		fine = store_fail(store, rc, "read", error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	if (!fine || !sum)
		return FALSE;
	*ret = *sum;
	return TRUE;
}

gboolean store_hist(Store *store, gint64 run, const char *direction, const char *kind, Hist *ret, GError **error)
{
	return sum_of(store,
		"SELECT n, sum_ns, min_ns, max_ns, below, above, slots, run_id FROM hist"
		" WHERE run_id = ? AND direction = ? AND kind = ?",
		run, direction, kind, ret, error);
}

gboolean store_leg_hist(Store *store, gint64 leg, const char *direction, const char *kind, Hist *ret, GError **error)
{
	return sum_of(store,
		"SELECT n, sum_ns, min_ns, max_ns, below, above, slots, run_id FROM hist"
		" WHERE run_id IN (SELECT id FROM run WHERE leg_id = ? AND status = 'ok')"
		" AND direction = ? AND kind = ?",
		leg, direction, kind, ret, error);
}
