/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store-bench FILE ADDED READ...: what the store costs. Adds ADDED realistic runs one by one, beside bare
 * commits of one small row in the same file, then multiplies them and reads READ runs as records, beside a bare loop
 * that fetches the same columns. Prints one "name value unit" a line.
 */
#include <time.h>

#include "guest-agent/common/units.h"
#include "results/store-private.h"

static double now(void)
{
	return (double)g_get_monotonic_time() / 1e6;
}

/* CPU seconds of this program: reading waits for nothing, and others may use the machine meanwhile. */
static double cpu(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Every figure of a guest run under TCG, with four histograms of some hundred slots and a series of a second. */
static StoreRun *realistic_run(Store *store, gint64 block)
{
	static const char *const booleans[] = {"drop_ok", "steady", "extended", "seen_host_direct", "seen_iothread", "seen_ioeventfd",
		"seen_extended_l2"};
	StoreRun *run = store_run_new();
	g_autoptr(GPtrArray) rows = store_dictionary(store, NULL);
	g_autofree Hist *hist = g_new0(Hist, 1);
	GString *series = g_string_new("{\"interval_ns\":10000000,\"read_bytes\":[");

	for (guint i = 0; i < rows->len; i++) {
		const char *name = record_get_text(rows->pdata[i], "column");
		const char *type = record_get_text(rows->pdata[i], "type");

		if (!g_str_equal(record_get_text(rows->pdata[i], "table"), "run") || g_str_has_suffix(name, "id"))
			continue;
		if (g_str_equal(type, "INTEGER"))
			record_set_int(run->run, name, 123456789 + (gint64)i * 1000003);
		else if (g_str_equal(type, "REAL"))
			record_set_real(run->run, name, 12345.678 * i);
	}
	record_set_int(run->run, "block", block);
	record_set_text(run->run, "status", "ok");
	for (guint i = 0; i < G_N_ELEMENTS(booleans); i++)
		record_set_int(run->run, booleans[i], 1);
	record_set_text(run->run, "effective_json", "{\"direct\":true,\"sync_flags\":\"none\",\"engine\":\"psync\"}");
	for (guint slot = 900; slot < 900 + 3 * 256; slot += 3) {
		hist->slots[slot] = 1 + (slot * 7919) % 300;
		hist->n += hist->slots[slot];
	}
	hist->sum_ns = hist->n * 50000;
	hist->min_ns = 13000;
	hist->max_ns = 900000;
	for (guint i = 0; i < 4; i++)
		store_run_add_hist(run, i < 2 ? "read" : "write", i % 2 ? "submit" : "complete", hist);
	store_run_add_flag(run, "EMULATED", "accel=tcg");
	for (guint i = 0; i < 100; i++)
		g_string_append_printf(series, "%s%u", i ? "," : "", 819200 + i * 8192);
	g_string_append(series, "],\"write_bytes\":[0]}");
	run->series = g_string_free(series, FALSE);
	return run;
}

static gint64 make_leg(Store *store)
{
	g_autoptr(Record) sweep = record_new();
	g_autoptr(Record) leg = record_new();

	record_set_text(sweep, "status", "running");
	record_set_int(sweep, "started_unix_ns", 1);
	record_set_text(sweep, "profile", "bench");
	record_set_text(leg, "label", "host read 8k");
	record_set_text(leg, "side", "host");
	record_set_text(leg, "rw", "read");
	return store_add_leg(store, store_add_sweep(store, sweep, NULL), leg, NULL);
}

/* Seconds for one commit of one small row; the least that any durable store pays for a run. */
static double bare_commit(Store *store, guint count)
{
	double begun;

	g_assert_true(store_exec(store, "CREATE TABLE bare (x INTEGER)", "write to", NULL));
	begun = now();
	for (guint i = 0; i < count; i++)
		g_assert_true(store_exec(store, "INSERT INTO bare VALUES (1)", "write to", NULL));
	begun = now() - begun;
	g_assert_true(store_exec(store, "DROP TABLE bare", "write to", NULL));
	return begun / count;
}

static void bench_add(Store *store, gint64 leg, guint count)
{
	double bare = bare_commit(store, count), begun, add, busy;
	struct {
		gint64 bytes, slots;
	} size;

	add = busy = 0;
	for (guint i = 0; i < count; i++) {
		g_autoptr(StoreRun) run = realistic_run(store, i);

		begun = now();
		busy -= cpu();
		g_assert_cmpint(store_add_run(store, leg, -1, run, NULL), >, 0);
		busy += cpu();
		add += now() - begun;
	}
	add /= count;
	g_assert_true(store_query_int(store, "SELECT sum(length(slots)) FROM hist", NULL, 0, 0, &size.slots, NULL));
	g_assert_true(store_query_int(store,
		"SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", NULL, 0, 0, &size.bytes,
		NULL));
	printf("bare_commit %.1f us\n", bare * 1e6);
	printf("add_run %.1f us\n", add * 1e6);
	printf("add_run_cpu %.1f us\n", busy / count * 1e6);
	printf("add_run_over_bare_commit %.2f ratio\n", add / bare);
	printf("stored_per_run %.0f bytes\n", (double)size.bytes / count);
	printf("slots_per_hist %.0f bytes\n", (double)size.slots / (4.0 * count));
}

/* Brings the number of runs up to COUNT by doubling what is there. */
static void multiply(Store *store, gint64 count)
{
	gint64 there = 0;

	g_assert_true(store_exec(store, "PRAGMA synchronous = OFF", "open", NULL));
	while (store_query_int(store, "SELECT count(*) FROM run", NULL, 0, 0, &there, NULL) && there < count) {
		g_autofree char *sql = g_strdup_printf(
			"CREATE TEMP TABLE more AS SELECT * FROM run ORDER BY id LIMIT %" G_GINT64_FORMAT ";"
			"UPDATE more SET id = NULL, block = block + %" G_GINT64_FORMAT ";"
			"INSERT INTO run SELECT * FROM more; DROP TABLE more;",
			MIN(there, count - there), there);
		GError *error = NULL;

		store_exec(store, sql, "write to", &error);
		g_assert_no_error(error);
	}
}

static double bare_read(Store *store)
{
	double begun = cpu(), sum = 0;
	sqlite3_stmt *statement = store_prepare(store, "SELECT * FROM run WHERE sweep_id = 1 ORDER BY id", NULL);

	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			switch (sqlite3_column_type(statement, i)) {
			case SQLITE_TEXT:
				sum += sqlite3_column_text(statement, i)[0];
				break;
			case SQLITE_NULL:
				break;
			default:
				sum += sqlite3_column_double(statement, i);
			}
	sqlite3_reset(statement);
	g_assert_cmpfloat(sum, !=, 0);
	return cpu() - begun;
}

static void bench_read(Store *store, gint64 count)
{
	g_autoptr(GPtrArray) runs = NULL;
	g_autoptr(GPtrArray) sweeps = NULL;
	double bare, read, overview;

	multiply(store, count);
	bare_read(store);
	bare = bare_read(store);
	read = cpu();
	runs = store_runs(store, 1, NULL);
	read = cpu() - read;
	g_assert_cmpuint(runs->len, ==, count);
	overview = cpu();
	sweeps = store_overview(store, NULL);
	overview = cpu() - overview;
	printf("bare_read_%" G_GINT64_FORMAT " %.1f ms\n", count, bare * 1e3);
	printf("read_%" G_GINT64_FORMAT " %.1f ms\n", count, read * 1e3);
	printf("read_%" G_GINT64_FORMAT "_over_bare %.2f ratio\n", count, read / bare);
	printf("overview_%" G_GINT64_FORMAT " %.1f ms\n", count, overview * 1e3);
}

int main(int argc, char **argv)
{
	g_autoptr(Store) store = NULL;
	g_autoptr(GError) error = NULL;
	guint64 count;
	gint64 leg;

	if (argc < 3 || units_parse_uint(argv[2], &count) < 0 || count == 0 ||
		!(store = store_open(argv[1], STORE_WRITE, &error))) {
		fprintf(stderr, "store-bench: %s\n", error ? error->message : "usage: store-bench FILE ADDED READ...");
		return 2;
	}
	leg = make_leg(store);
	bench_add(store, leg, (guint)count);
	for (int i = 3; i < argc; i++) {
		if (units_parse_uint(argv[i], &count) < 0)
			return 2;
		bench_read(store, (gint64)count);
	}
	return 0;
}
