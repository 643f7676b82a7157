/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of an export: what is stored is whole, and nothing is stored of what is not. */
#include "results/store-private.h"
#include "results/transfer.h"
#include "tests/fuzz/fuzz.h"

#define MOST_SWEEPS 500

static Store *store;
static gint64 sweeps;

/* One store serves many inputs, and is made anew before it grows. */
static void open_store(void)
{
	if (store && sweeps < MOST_SWEEPS)
		return;
	store_close(store);
	store = store_open(":memory:", STORE_WRITE, NULL);
	g_assert_nonnull(store);
	sweeps = 0;
}

static gint64 count(const char *sql)
{
	gint64 ret = -1;

	g_assert_true(store_query_int(store, sql, NULL, 0, -1, &ret, NULL));
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GInputStream) in = g_memory_input_stream_new_from_data(data, (gssize)size, NULL);
	g_autoptr(GPtrArray) done = transfer_sweeps_new();
	g_autoptr(GError) error = NULL;
	gboolean fine;

	open_store();
	transfer_recognise((const char *)data, size);
	fine = transfer_import(store, in, "input", done, &error);
	g_assert_true(fine == (error == NULL));
	for (guint i = 0; i < done->len; i++)
		sweeps += ((const TransferSweep *)done->pdata[i])->outcome == TRANSFER_ADDED;
	g_assert_cmpint(count("SELECT count(*) FROM sweep"), ==, sweeps);
	if (done->len > 0)
		g_assert_cmpint(count("SELECT count(*) FROM pragma_foreign_key_check"), ==, 0);
	g_assert_cmpint(sqlite3_get_autocommit(store->db), !=, 0);
	return 0;
}
