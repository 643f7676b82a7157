/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store: what goes in comes out, and what does not fit does not go in. */
#include "store-fixture.h"

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 sweep = add_some_sweep(store);
	gint64 host = add_some_leg(store, sweep, "host read 8k", -1);
	gint64 guest = add_some_leg(store, sweep, "guest virtio read 8k", host);
	gint64 boot = add_some_boot(store, sweep);
	g_autoptr(StoreRun) run = some_run(0);
	g_autoptr(GPtrArray) runs = NULL;
	g_autoptr(GPtrArray) legs = NULL;
	g_autoptr(GPtrArray) flags = NULL;
	g_autoptr(GPtrArray) counts = NULL;
	g_autofree char *series = NULL;
	GError *error = NULL;
	gint64 first = store_add_run(store, host, -1, run, &error);
	gint64 second = store_add_run(store, guest, boot, run, &error);

	g_assert_no_error(error);
	runs = store_runs(store, sweep, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(runs->len, ==, 2);
	g_assert_cmpint(record_get_int(runs->pdata[0], "id", -1), ==, first);
	g_assert_cmpint(record_get_int(runs->pdata[0], "leg_id", -1), ==, host);
	g_assert_false(record_has(runs->pdata[0], "boot_id"));
	g_assert_cmpint(record_get_int(runs->pdata[1], "boot_id", -1), ==, boot);
	g_assert_cmpint(record_get_int(runs->pdata[1], "sweep_id", -1), ==, sweep);
	g_assert_cmpfloat(record_get_real(runs->pdata[1], "bytes_per_s", 0), ==, 81920000.0);
	g_assert_cmpint(record_type(runs->pdata[1], "bytes_per_s"), ==, RECORD_REAL);
	/* Not measured is NULL, and every column is there. */
	g_assert_cmpint(record_type(runs->pdata[1], "iops"), ==, RECORD_NULL);
	g_assert_cmpuint(record_size(runs->pdata[0]), ==, record_size(runs->pdata[1]));

	legs = store_legs(store, sweep, &error);
	g_assert_no_error(error);
	g_assert_cmpint(record_get_int(legs->pdata[1], "host_leg_id", -1), ==, host);
	g_assert_cmpstr(record_get_text(legs->pdata[1], "bus"), ==, "virtio");
	flags = store_flags(store, sweep, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(flags->len, ==, 2);
	g_assert_cmpint(record_get_int(flags->pdata[1], "run_id", -1), ==, second);
	g_assert_cmpstr(record_get_text(flags->pdata[1], "evidence"), ==, "accel=tcg");
	counts = store_run_counts(store, sweep, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(counts->len, ==, 2);
	g_assert_cmpint(record_get_int(counts->pdata[0], "runs", -1), ==, 1);
	series = store_series(store, second, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(series, ==, run->series);
	g_assert_null(store_series(store, 999, &error));
	g_assert_no_error(error);
}

static void test_whole_numbers_and_texts(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	g_autoptr(Record) sweep = some_sweep("finished", G_MAXINT64);
	g_autoptr(Record) back = NULL;
	GError *error = NULL;
	gint64 id;

	record_set_int(sweep, "seed", (gint64)0xfedcba9876543210u);
	record_set_text(sweep, "label", "with 'quotes', \xc3\xa4 and\nlines");
	record_set_text(sweep, "uuid", "01234567-89ab-cdef-0123-456789abcdef");
	record_set_text(sweep, "error", "");
	id = store_add_sweep(store, sweep, &error);
	g_assert_no_error(error);
	back = store_sweep(store, id, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < record_size(sweep); i++)
		g_assert_true(record_has(back, record_name(sweep, i)));
	g_assert_cmpint(record_get_int(back, "started_unix_ns", 0), ==, G_MAXINT64);
	g_assert_cmpuint((guint64)record_get_int(back, "seed", 0), ==, 0xfedcba9876543210u);
	g_assert_cmpstr(record_get_text(back, "label"), ==, record_get_text(sweep, "label"));
	g_assert_cmpstr(record_get_text(back, "uuid"), ==, "01234567-89ab-cdef-0123-456789abcdef");
	g_assert_cmpstr(record_get_text(back, "error"), ==, "");
	g_assert_cmpint(record_get_int(back, "store_version", 0), ==, store_version(store));
}

static void test_update(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 sweep = add_some_sweep(store), boot = add_some_boot(store, sweep);
	g_autoptr(Record) changes = record_new();
	g_autoptr(Record) nothing = record_new();
	g_autoptr(Record) back = NULL;
	g_autoptr(GPtrArray) boots = NULL;
	g_autoptr(GError) error = NULL;

	record_set_text(changes, "status", "finished");
	g_assert_true(store_update_boot(store, boot, changes, NULL));
	record_set_int(changes, "finished_unix_ns", 2000);
	record_set_null(changes, "blocks");
	g_assert_true(store_update_sweep(store, sweep, changes, NULL));
	g_assert_true(store_update_sweep(store, sweep, nothing, NULL));
	back = store_sweep(store, sweep, NULL);
	g_assert_cmpstr(record_get_text(back, "status"), ==, "finished");
	g_assert_cmpint(record_get_int(back, "finished_unix_ns", 0), ==, 2000);
	g_assert_false(record_has(back, "blocks"));
	boots = store_boots(store, sweep, NULL);
	g_assert_cmpstr(record_get_text(boots->pdata[0], "status"), ==, "finished");

	g_assert_false(store_update_sweep(store, 999, changes, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING);
}

/* One refused change of a good run: column, value, words of the message. */
typedef struct {
	const char *column;
	RecordType type;
	const char *text;
	double number;
	const char *message;
} BadValue;

static void set_value(Record *record, const BadValue *bad)
{
	switch (bad->type) {
	case RECORD_NULL:
		record_set_null(record, bad->column);
		break;
	case RECORD_INT:
		record_set_int(record, bad->column, (gint64)bad->number);
		break;
	case RECORD_REAL:
		record_set_real(record, bad->column, bad->number);
		break;
	case RECORD_TEXT:
		record_set_text(record, bad->column, bad->text);
		break;
	}
}

static void test_refused_values(Fixture *fixture, gconstpointer data)
{
	static const BadValue bad[] = {
		{"bytes_per_second", RECORD_REAL, NULL, 1, "\"bytes_per_second\" of run does not exist"},
		{"ns) VALUES (1); --", RECORD_INT, NULL, 1, "does not exist"},
		{"ns", RECORD_TEXT, "fast", 0, "\"ns\" of run takes an integer, not a text"},
		{"ns", RECORD_REAL, NULL, 1.5, "\"ns\" of run takes an integer, not a real number"},
		{"iops", RECORD_TEXT, "1", 0, "\"iops\" of run takes a real number, not a text"},
		{"reason", RECORD_INT, NULL, 1, "\"reason\" of run takes a text, not an integer"},
		{"ns", RECORD_INT, NULL, -1, "ns >= 0"},
		{"status", RECORD_TEXT, "good", 0, "'ok', 'failed', 'skipped'"},
		{"status", RECORD_NULL, NULL, 0, "\"status\" of run must not be NULL"},
		{"status", RECORD_TEXT, "failed", 0, "a run that is not ok needs its reason"},
		{"bytes_per_s", RECORD_NULL, NULL, 0, "a run that is ok needs its bytes_per_s or its iops"},
		{"drop_ok", RECORD_INT, NULL, 2, "drop_ok"},
		{"id", RECORD_INT, NULL, 7, "\"id\" of run is set by the store itself"},
		{"leg_id", RECORD_INT, NULL, 7, "\"leg_id\" of run is set by the store itself"},
	};
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(StoreRun) run = some_run(0);
		g_autoptr(GError) error = NULL;

		set_value(run->run, &bad[i]);
		g_assert_cmpint(store_add_run(store, leg, -1, run, &error), ==, -1);
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, bad[i].message));
		g_assert_nonnull(strstr(error->message, fixture->path));
	}
	g_assert_cmpint(count_rows(store, "run"), ==, 0);
	g_assert_cmpint(count_rows(store, "hist"), ==, 0);
}

/* What belongs to a run is refused with the run: nothing of it stays. */
static void test_all_or_nothing(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);
	const char *const words[] = {"json_valid", "does not add up", "'read', 'write', 'sync'", "flag"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
		g_autoptr(StoreRun) run = some_run(0);
		StoreHist *hist = run->hists->pdata[0];
		g_autoptr(GError) error = NULL;

		if (i == 0) {
			g_free(run->series);
			run->series = g_strdup("{\"interval_ns\":");
		} else if (i == 1) {
			hist->hist.n++;
		} else if (i == 2) {
			g_free(hist->direction);
			hist->direction = g_strdup("trim");
		} else {
			store_run_add_flag(run, NULL, "evidence without a flag");
		}
		g_assert_cmpint(store_add_run(store, leg, -1, run, &error), ==, -1);
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, words[i]));
	}
	g_assert_cmpint(count_rows(store, "run"), ==, 0);
	g_assert_cmpint(count_rows(store, "hist"), ==, 0);
	g_assert_cmpint(count_rows(store, "flag"), ==, 0);
	g_assert_cmpint(count_rows(store, "series"), ==, 0);
}

static void expect_no_run(Store *store, gint64 leg, gint64 boot, const char *words)
{
	g_autoptr(StoreRun) run = some_run(0);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(store_add_run(store, leg, boot, run, &error), ==, -1);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, words));
}

static void test_relations(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 one = add_some_sweep(store), other = add_some_sweep(store);
	gint64 leg = add_some_leg(store, one, "host read 8k", -1);
	gint64 foreign = add_some_boot(store, other);
	g_autoptr(StoreRun) run = some_run(0);
	g_autoptr(Record) twin = record_new();
	g_autoptr(GError) error = NULL;

	expect_no_run(store, 999, -1, "no leg 999");
	expect_no_run(store, leg, foreign, "another sweep");
	expect_no_run(store, leg, 999, "a row that is not there");
	g_assert_cmpint(store_add_run(store, leg, -1, run, NULL), >, 0);
	expect_no_run(store, leg, -1, "run.leg_id, run.block");

	record_set_text(twin, "label", "host read 8k");
	record_set_text(twin, "side", "guest");
	record_set_text(twin, "rw", "read");
	g_assert_cmpint(store_add_leg(store, one, twin, &error), ==, -1);
	g_assert_nonnull(strstr(error->message, "leg.sweep_id, leg.label"));
	g_clear_error(&error);
	record_set_int(twin, "host_leg_id", leg);
	g_assert_cmpint(store_add_leg(store, other, twin, &error), ==, -1);
	g_assert_nonnull(strstr(error->message, "another sweep"));
	g_clear_error(&error);
	record_set_text(twin, "label", "host with a host");
	record_set_text(twin, "side", "host");
	g_assert_cmpint(store_add_leg(store, one, twin, &error), ==, -1);
	g_assert_nonnull(strstr(error->message, "host_leg_id"));
	g_clear_error(&error);
	g_assert_cmpint(store_add_leg(store, 999, twin, &error), ==, -1);
}

static void test_failed_runs_may_be_repeated(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 sweep = add_some_sweep(store);
	gint64 leg = add_some_leg(store, sweep, "host read 8k", -1);
	g_autoptr(StoreRun) failed = store_run_new();
	g_autoptr(StoreRun) good = some_run(3);
	g_autoptr(GPtrArray) runs = NULL;

	record_set_int(failed->run, "block", 3);
	record_set_text(failed->run, "status", "failed");
	record_set_text(failed->run, "reason", "the guest died");
	g_assert_cmpint(store_add_run(store, leg, -1, failed, NULL), >, 0);
	g_assert_cmpint(store_add_run(store, leg, -1, failed, NULL), >, 0);
	g_assert_cmpint(store_add_run(store, leg, -1, good, NULL), >, 0);
	runs = store_runs(store, sweep, NULL);
	g_assert_cmpuint(runs->len, ==, 3);
	g_assert_cmpstr(record_get_text(runs->pdata[1], "reason"), ==, "the guest died");
	g_assert_cmpint(record_get_int(runs->pdata[2], "block", -1), ==, 3);
}

static void test_hist(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);
	g_autofree Hist *full = g_new0(Hist, 1);
	g_autofree Hist *back = g_new0(Hist, 1);
	g_autoptr(GError) error = NULL;
	gint64 ids[2];

	for (guint i = 0; i < HIST_SLOTS - 1; i += 1 + i % 7) {
		full->slots[i] = 1 + (guint64)i * i * i * i;
		full->n += full->slots[i];
	}
	full->slots[HIST_SLOTS - 1] = 1;
	full->n += 1;
	full->below = 5;
	full->above = 7;
	full->n += 12;
	full->sum_ns = 123456789;
	full->min_ns = 3;
	full->max_ns = 200000000000;
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
		g_autoptr(StoreRun) run = some_run(i);

		g_ptr_array_set_size(run->hists, 0);
		store_run_add_hist(run, "write", "submit", full);
		fill_hist(back, 0, 0, 0);
		store_run_add_hist(run, "sync", "complete", back);
		ids[i] = store_add_run(store, leg, -1, run, &error);
		g_assert_no_error(error);
	}
	g_assert_true(store_hist(store, ids[1], "write", "submit", back, &error));
	g_assert_cmpmem(full, sizeof(*full), back, sizeof(*back));
	/* Measured, and nothing happened: not the same as not there. */
	g_assert_true(store_hist(store, ids[1], "sync", "complete", back, &error));
	g_assert_cmpuint(back->n, ==, 0);
	g_assert_cmpuint(back->min_ns, ==, UINT64_MAX);
	back->n = 77;
	g_assert_false(store_hist(store, ids[1], "read", "submit", back, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(back->n, ==, 77);
	g_assert_true(store_leg_hist(store, leg, "write", "submit", back, &error));
	g_assert_cmpuint(back->n, ==, 2 * full->n);
	g_assert_cmpuint(back->slots[HIST_SLOTS - 1], ==, 2);
	g_assert_cmpuint(back->min_ns, ==, 3);

	/* A blob that another program spoiled is not taken for a measurement. */
	g_assert_true(store_exec(store, "UPDATE hist SET slots = x'0102' WHERE direction = 'write'", "write to",
		&error));
	g_assert_false(store_hist(store, ids[1], "write", "submit", back, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "does not add up"));
}

static void test_bad_slots(void)
{
	static const struct {
		const char *bytes;
		gsize size;
	} bad[] = {
		{"\x01", 1},			 /* a slot without a count */
		{"\x01\x81", 2},		 /* a number that does not end */
		{"\x01\x00", 2},		 /* an empty slot */
		{"\x01\x01\x00\x01", 4},	 /* the same slot twice */
		{"\x80\x1e\x01", 3},		 /* slot 3840 */
		{"\x01\x01\xff\x1d\x01", 5},	 /* 1 + 3839 */
		{"\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11}, /* over 64 bits */
	};
	g_autofree Hist *hist = g_new0(Hist, 1);
	guint64 sum = 0;

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_false(store_hist_decode((const guint8 *)bad[i].bytes, bad[i].size, hist, &sum));
	g_assert_true(store_hist_decode((const guint8 *)"\xff\x1d\x02", 3, hist, &sum));
	g_assert_cmpuint(hist->slots[HIST_SLOTS - 1], ==, 2);
}

static void expect_find(Store *store, const char *ref, gint64 expected, int code)
{
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(store_find_sweep(store, ref, &error), ==, expected);
	if (expected >= 0)
		g_assert_no_error(error);
	else
		g_assert_error(error, IOGAP_ERROR, code);
}

static gint64 add_named(Store *store, const char *uuid, const char *label, const char *status, gint64 started)
{
	g_autoptr(Record) sweep = some_sweep(status, started);

	record_set_text(sweep, "uuid", uuid);
	record_set_text(sweep, "label", label);
	return store_add_sweep(store, sweep, NULL);
}

static void test_find(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	GError *error = NULL;

	expect_find(store, "latest", -1, IOGAP_ERROR_NOTHING);
	g_assert_cmpint(store_find_resumable(store, "quick", "name: quick\n", &error), ==, -1);
	g_assert_no_error(error);
	g_assert_cmpint(add_named(store, "aaaa1111-0000-4000-8000-000000000001", "before", "finished", 10), ==, 1);
	g_assert_cmpint(add_named(store, "aaaa2222-0000-4000-8000-000000000002", "after", "interrupted", 40), ==, 2);
	g_assert_cmpint(add_named(store, "bbbb3333-0000-4000-8000-000000000003", "after", "running", 30), ==, 3);
	expect_find(store, "latest", 2, 0);
	expect_find(store, "3", 3, 0);
	expect_find(store, "4", -1, IOGAP_ERROR_NOTHING);
	expect_find(store, "before", 1, 0);
	expect_find(store, "after", 2, 0);
	expect_find(store, "bbbb", 3, 0);
	expect_find(store, "AAAA2", 2, 0);
	expect_find(store, "aaaa", -1, IOGAP_ERROR_USAGE);
	expect_find(store, "aaaa1111-0000-4000-8000-000000000001", 1, 0);
	expect_find(store, "aaaa%", -1, IOGAP_ERROR_NOTHING);
	expect_find(store, "", -1, IOGAP_ERROR_NOTHING);
	g_assert_cmpint(store_find_resumable(store, "quick", "name: quick\n", NULL), ==, 2);
	g_assert_cmpint(store_find_resumable(store, "quick", "name: quick \n", NULL), ==, -1);
	g_assert_cmpint(store_find_resumable(store, "full", "name: quick\n", NULL), ==, -1);
}

/* Every column has its one row in the dictionary, with the type that the table has. */
static void test_dictionary(Fixture *fixture, gconstpointer data)
{
	static const char *const sql =
		"SELECT t.name || '.' || c.name AS what FROM sqlite_schema AS t, pragma_table_info(t.name) AS c"
		" LEFT JOIN metric AS m ON m.table_name = t.name AND m.column_name = c.name AND m.type = c.type"
		" WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND m.rowid IS NULL";
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	g_autoptr(GPtrArray) missing = store_query(store, sql, NULL, 0, NULL);
	g_autoptr(GPtrArray) rows = store_dictionary(store, NULL);
	gint64 columns;

	for (guint i = 0; i < missing->len; i++)
		g_test_message("not in the dictionary, or with another type: %s",
			record_get_text(missing->pdata[i], "what"));
	g_assert_cmpuint(missing->len, ==, 0);
	g_assert_true(store_query_int(store,
		"SELECT count(*) FROM sqlite_schema AS t, pragma_table_info(t.name)"
		" WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
		NULL, 0, -1, &columns, NULL));
	g_assert_cmpint(columns, ==, rows->len);
	g_assert_cmpstr(record_get_text(rows->pdata[0], "table"), ==, "store_meta");
}

/* IOGAP_UPDATE=1 writes the page anew. */
static void test_dictionary_page(void)
{
	const char *source = g_getenv("IOGAP_SRC");
	g_autofree char *file = g_build_filename(source ? source : ".", "docs", "data-dictionary.md", NULL);
	GError *error = NULL;
	g_autofree char *made = store_dictionary_markdown(&error);
	g_autofree char *kept = NULL;

	g_assert_no_error(error);
	if (g_getenv("IOGAP_UPDATE"))
		g_assert_true(g_file_set_contents(file, made, -1, NULL));
	g_assert_true(g_file_get_contents(file, &kept, NULL, NULL));
	g_assert_cmpstr(kept, ==, made);
}

#define ADD(name, function) g_test_add(name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

/* Inside a bulk nothing is seen from outside, and nothing stays unless it is kept. */
static void test_bulk(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	GError *error = NULL;

	for (guint keep = 0; keep < 2; keep++) {
		g_autoptr(Store) other = fixture_open(fixture, STORE_READ);
		g_autoptr(GPtrArray) before = NULL;
		g_autoptr(GPtrArray) after = NULL;
		g_autoptr(StoreRun) run = some_run(0);
		gint64 leg;

		g_assert_true(store_bulk_begin(store, &error));
		leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);
		g_assert_cmpint(store_add_run(store, leg, -1, run, &error), >, 0);
		g_assert_no_error(error);
		before = store_sweeps(other, &error);
		g_assert_cmpint(before->len, ==, 0);
		g_assert_true(store_bulk_end(store, keep, &error));
		g_assert_no_error(error);
		after = store_sweeps(other, &error);
		g_assert_cmpint(after->len, ==, keep);
	}
}

static void test_sources(Fixture *fixture, gconstpointer data)
{
	static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	g_autoptr(Record) source = record_new();
	g_autoptr(GPtrArray) rows = NULL;
	GError *error = NULL;
	gint64 sweep = add_some_sweep(store);

	g_assert_cmpint(store_find_source(store, hash, &error), ==, -1);
	g_assert_no_error(error);
	record_set_text(source, "name", "a.json");
	record_set_text(source, "format", "fio-json");
	record_set_text(source, "sha256", hash);
	record_set_int(source, "bytes", 10);
	record_set_int(source, "rows", 1);
	g_assert_cmpint(store_add_source(store, sweep, source, &error), >, 0);
	g_assert_no_error(error);
	g_assert_cmpint(store_find_source(store, hash, &error), ==, sweep);
	rows = store_sources(store, sweep, &error);
	g_assert_cmpint(rows->len, ==, 1);
	g_assert_cmpstr(record_get_text(rows->pdata[0], "name"), ==, "a.json");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	fixture_find_schema();
	ADD("/store/round-trip", test_round_trip);
	ADD("/store/whole-numbers-and-texts", test_whole_numbers_and_texts);
	ADD("/store/update", test_update);
	ADD("/store/refused-values", test_refused_values);
	ADD("/store/all-or-nothing", test_all_or_nothing);
	ADD("/store/relations", test_relations);
	ADD("/store/failed-runs-may-be-repeated", test_failed_runs_may_be_repeated);
	ADD("/store/hist", test_hist);
	g_test_add_func("/store/bad-slots", test_bad_slots);
	ADD("/store/bulk", test_bulk);
	ADD("/store/sources", test_sources);
	ADD("/store/find", test_find);
	ADD("/store/dictionary", test_dictionary);
	g_test_add_func("/store/dictionary-page", test_dictionary_page);
	return g_test_run();
}
