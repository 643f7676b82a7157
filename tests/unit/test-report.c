/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of fixture sweeps. `test-report` runs the tests; `test-report --make NAME STORE` makes the store of a
 * fixture, for the tests of the command line, `--make-many RUNS STORE` a large one, for the bench. IOGAP_REGENERATE=1 writes the golden files anew: review the diff.
 */
#include "tests/unit/report-fixture.h"

#include "harness/base/error.h"
#include "harness/export/report.h"

static Store *fixture_store(const char *path, const FixtureRow *row, gint64 *ret_sweep)
{
	GError *error = NULL;
	Store *store = store_open(path, STORE_WRITE, &error);

	g_assert_no_error(error);
	*ret_sweep = row->make(store);
	return store;
}

static const FixtureRow *fixture_named(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(fixtures); i++)
		if (g_str_equal(fixtures[i].name, name))
			return &fixtures[i];
	g_error("no fixture %s", name);
}

static char *rendered(Store *store, gint64 sweep, const char *format)
{
	GError *error = NULL;
	GString *text = g_string_new(NULL);

	report_render(store, sweep, format, NULL, text, &error);
	g_assert_no_error(error);
	return g_string_free(text, FALSE);
}

/* ---- golden files ---- */

/* The first line of GOT that is not EXPECTED's: a whole report would hide it. */
static char *first_difference(const char *got, const char *expected)
{
	g_auto(GStrv) a = g_strsplit(got, "\n", 0), b = g_strsplit(expected, "\n", 0);
	guint i = 0;

	while (a[i] && b[i] && g_str_equal(a[i], b[i]))
		i++;
	return g_strdup_printf("line %u: got \"%.300s\", expected \"%.300s\"", i + 1, a[i] ? a[i] : "(the end)",
		b[i] ? b[i] : "(the end)");
}

static void check_golden(const FixtureRow *row, Store *store, gint64 sweep, const char *format)
{
	g_autofree char *suffix = g_strdelimit(g_strdup(format), ":", '-');
	g_autofree char *name = g_strdup_printf("tests/data/report/%s.%s", row->name, suffix);
	g_autofree char *path = source_file(name);
	g_autofree char *got = rendered(store, sweep, format);
	g_autofree char *expected = NULL;

	g_assert_true(g_utf8_validate(got, -1, NULL));
	if (g_getenv("IOGAP_REGENERATE"))
		g_assert_true(g_file_set_contents(path, got, -1, NULL));
	g_assert_true(g_file_get_contents(path, &expected, NULL, NULL));
	if (!g_str_equal(got, expected)) {
		g_autofree char *where = first_difference(got, expected);

		g_error("%s differs from the golden file, %s; IOGAP_REGENERATE=1 writes it anew", name, where);
	}
}

static void test_golden(gconstpointer data)
{
	const FixtureRow *row = data;
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", row, &sweep);

	for (const ReportFormat *format = report_formats; format->name; format++) {
		check_golden(row, store, sweep, format->name);
		for (guint i = 0; format->shapes && format->shapes[i]; i++) {
			g_autofree char *name = g_strdup_printf("%s:%s", format->name, format->shapes[i]);

			check_golden(row, store, sweep, name);
		}
	}
}

/* ---- figures ---- */

static json_t *cell_of(const json_t *report, const char *label)
{
	json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(report, "cells"), i, cell)
		if (g_str_equal(json_string_value(json_object_get(cell, "label")), label))
			return cell;
	g_error("no cell %s", label);
}

static double number_at(const json_t *object, const char *a, const char *b, const char *c)
{
	const json_t *value = json_object_get(object, a);

	if (b)
		value = json_object_get(value, b);
	if (c)
		value = json_object_get(value, c);
	g_assert_true(json_is_number(value));
	return json_number_value(value);
}

static void near(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
		g_error("got %.12g, expected %.12g", got, expected);
}

/* Why a sweep has no more blocks stands in every format. */
static void test_stopped(void)
{
	static const struct {
		const char *stopped, *format, *words;
	} rows[] = {
		{"reached", "text", "every interval within 2 % after 2 of at most 20 blocks (widest 1.7 %)"},
		{"reached", "markdown", "every interval within 2 % after 2 of at most 20 blocks (widest 1.7 %)"},
		{"reached", "html", "every interval within 2 % after 2 of at most 20 blocks (widest 1.7 %)"},
		{"reached", "thread", "every interval within 2 % after 2 of at most 20 blocks (widest 1.7 %)"},
		{"reached", "csv", ",reached\n"},
		{"reached", "json", "\"stopped\": \"reached\""},
		{"ceiling", "text", "at the ceiling of 20 blocks; 3 cell(s) without an interval within 2 % (widest 1.7 %)"},
		{"ceiling", "markdown", "at the ceiling of 20 blocks; 3 cell"},
		{"ceiling", "html", "at the ceiling of 20 blocks; 3 cell(s) without an interval within 2 %"},
		{"ceiling", "thread", "at the ceiling of 20 blocks; 3 cell(s)"},
		{"ceiling", "csv", ",ceiling\n"},
		{NULL, "text", "not yet; asked for every interval within 2 %, at most 20 blocks"},
		{NULL, "json", "\"stopped\": null"},
	};
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("quick"), &sweep);
	g_autofree char *without = rendered(store, sweep, "text");

	g_assert_null(strstr(without, "stopped"));
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Record) changes = record_new();
		g_autofree char *text = NULL;

		record_set_real(changes, "precision", 0.02);
		record_set_int(changes, "most_blocks", 20);
		record_set_text(changes, "stopped", rows[i].stopped);
		record_set_real(changes, "half_width", 0.0171);
		record_set_int(changes, "wide_cells", 3);
		g_assert_true(store_update_sweep(store, sweep, changes, NULL));
		text = rendered(store, sweep, rows[i].format);
		if (!strstr(text, rows[i].words))
			g_error("%s: no \"%s\" in %.2000s", rows[i].format, rows[i].words, text);
	}
}

static gboolean has_flag(const json_t *item, const char *name, int host, int guest)
{
	json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(item, "flags"), i, flag)
		if (g_str_equal(json_string_value(json_object_get(flag, "flag")), name))
			return json_integer_value(json_object_get(flag, "host")) == host &&
			       json_integer_value(json_object_get(flag, "guest")) == guest;
	return FALSE;
}

static void test_cell(void)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("quick"), &sweep);
	GError *error = NULL;
	json_t *report = report_json(store, sweep, &error);
	const json_t *cell, *host, *guest;
	double d, half;

	g_assert_no_error(error);
	/* Host 16000 and 17600 operations of 64 KiB a second, virtio 8000 and 8400. */
	cell = cell_of(report, "virtio none read65536 direct");
	host = json_object_get(json_object_get(cell, "measured"), "host");
	guest = json_object_get(json_object_get(cell, "measured"), "guest");
	near(number_at(host, "bytes_per_s", NULL, NULL), 65536 * sqrt(16000.0 * 17600));
	near(number_at(guest, "bytes_per_s", NULL, NULL), 65536 * sqrt(8000.0 * 8400));
	near(number_at(cell, "ratio", NULL, NULL), sqrt(0.5 * 8400 / 17600));
	d = (log(0.5) - log(8400.0 / 17600)) / 2; /* half the distance of the two d: s = d sqrt 2 */
	half = 12.706204736432095 * d;
	near(number_at(cell, "low", NULL, NULL), number_at(cell, "ratio", NULL, NULL) * exp(-half));
	near(number_at(cell, "high", NULL, NULL), number_at(cell, "ratio", NULL, NULL) * exp(half));
	near(number_at(host, "cpu_percent", NULL, NULL), 36);
	near(number_at(guest, "cpu_percent", NULL, NULL), 125);
	near(number_at(guest, "load_cpu_percent", NULL, NULL), 30);
	near(number_at(guest, "host_switches_per_io", NULL, NULL), 5);
	near(number_at(guest, "load_switches_per_io", NULL, NULL), 1.1);
	/* Merged: 8000 values of 112500 ns and 8400 of 107142 ns, one in a hundred ten times that. */
	near(number_at(guest, "latency", "ios", NULL), 16400);
	near(number_at(guest, "latency", "mean_ns", NULL), (8000 * 112500 * 1.09 + 8400 * 107142 * 1.09) / 16400);
	g_assert_cmpfloat(number_at(guest, "latency", "p99_ns", NULL), <, 115000);
	g_assert_cmpfloat(number_at(guest, "latency", "p999_ns", NULL), >, 1060000);
	g_assert_true(json_is_null(json_object_get(json_object_get(guest, "latency"), "submit_mean_ns")));
	g_assert_true(has_flag(cell, "EMULATED", 0, 2));
	g_assert_true(has_flag(cell, "SOLAR_FLARE", 0, 2));
	/* A flag of the host's run is the cell's too. */
	g_assert_true(has_flag(cell_of(report, "ide none write8192 direct"), "NOT_STEADY", 1, 0));
	/* No ratio without a good run; the figures of the others are not touched by it. */
	cell = cell_of(report, "ide none write1048576 direct");
	g_assert_true(json_is_null(json_object_get(cell, "ratio")));
	g_assert_nonnull(strstr(json_string_value(json_object_get(cell, "reason")), "killed by signal 9"));
	json_decref(report);
}

static const json_t *leg_named(const json_t *report, const char *label)
{
	json_t *leg;
	size_t i;

	json_array_foreach(json_object_get(report, "legs"), i, leg)
		if (g_str_equal(json_string_value(json_object_get(leg, "label")), label))
			return leg;
	g_error("no leg %s", label);
}

/* The figures that rich_guest_columns stored for each I/O. */
static void test_accounting(void)
{
	static const struct {
		const char *key;
		double expected;
	} rows[] = {{"device_requests_per_io", 2}, {"device_request_bytes", 4096}, {"qemu_requests_per_io", 1},
		{"host_request_bytes", 16384}, {"machine_interrupts_per_io", 1}, {"host_interrupts_per_io", 3},
		{"kvm_exits_per_io", 4}, {"machine_steal_percent", 3}, {"host_steal_percent", 1}};
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("rich"), &sweep);
	json_t *report = report_json(store, sweep, NULL);
	const json_t *guest = leg_named(report, "virtio none read4096 direct"), *host = leg_named(report, "host  read4096 direct");
	const json_t *run = json_array_get(json_object_get(guest, "runs"), 0), *absent;

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
		near(number_at(guest, "summary", "accounting", rows[i].key), rows[i].expected);
	g_assert_true(json_is_null(json_object_get(json_object_get(json_object_get(guest, "summary"), "accounting"), "qemu_request_bytes")));
	guest = json_object_get(guest, "seen");
	g_assert_cmpstr(json_string_value(json_array_get(json_object_get(guest, "aio"), 0)), ==, "native");
	g_assert_cmpuint(json_array_size(json_object_get(guest, "aio")), ==, 1);
	g_assert_cmpuint(json_object_size(json_object_get(host, "seen")), ==, 0);
	g_assert_true(json_is_null(json_object_get(json_object_get(json_object_get(host, "summary"), "accounting"), "kvm_exits_per_io")));
	near(number_at(run, "accounting", "machine_steal_ns", NULL), 3e7);
	g_assert_null(json_object_get(json_object_get(run, "accounting"), "host_khz"));
	absent = json_object_get(json_object_get(report, "absent"), "host_khz");
	g_assert_cmpstr(json_string_value(json_array_get(absent, 0)), ==, "the host does not tell");
	json_decref(report);
}

/* No column of a run is left out by mistake. */
static void test_columns(void)
{
	static const char *const elsewhere[] = {"started_unix_ns", "effective_json", "outside_job", "outside_messages", NULL};
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("rich"), &sweep);
	g_autoptr(GPtrArray) dictionary = store_dictionary(store, NULL);
	json_t *report = report_json(store, sweep, NULL);
	const json_t *run = json_array_get(json_object_get(json_array_get(json_object_get(report, "legs"), 0), "runs"), 0);
	guint columns = 0;

	for (guint i = 0; i < dictionary->len; i++) {
		const char *column = record_get_text(dictionary->pdata[i], "column");
		gboolean found = g_strv_contains(elsewhere, column) || json_object_get(run, column) || g_str_has_suffix(column, "_id");
		json_t *name;
		size_t k;

		if (!g_str_equal(record_get_text(dictionary->pdata[i], "table"), "run"))
			continue;
		json_array_foreach(json_object_get(report, "run_columns"), k, name)
			found |= g_str_equal(json_string_value(name), column);
		if (!found)
			g_error("the report does not have run.%s: add it to harness/export/accounting.c", column);
		columns++;
	}
	g_assert_cmpuint(columns, >, json_array_size(json_object_get(report, "run_columns")));
	json_decref(report);
}

static void test_faster_and_withheld(void)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("hostile"), &sweep);
	char *evidence;
	json_t *report = report_json(store, sweep, NULL);
	const json_t *cell = json_array_get(json_object_get(report, "cells"), 0);
	LegSpec spec = {.target = "scratch", .rw = "read", .block_size = 8192, .direct = 1};
	g_autoptr(StoreRun) host = good_run(0, 1e8), guest = good_run(0, 3e8);

	near(number_at(cell, "ratio", NULL, NULL), 100);
	g_assert_true(json_is_null(json_object_get(cell, "low")));
	g_assert_true(has_flag(cell, "FASTER_THAN_HOST", 0, 1));
	json_decref(report);

	/* Cached guest against a host that went to the disk: the rates are there, the quotient is not. */
	sweep = make_empty(store);
	spec.host = add_leg(store, sweep, spec);
	store_run(store, spec.host, host);
	spec.bus = "virtio";
	spec.cache = "writeback";
	store_run_add_flag(guest, "CACHED", "absorbed 100 %");
	store_run(store, add_leg(store, sweep, spec), guest);
	report = report_json(store, sweep, NULL);
	cell = json_array_get(json_object_get(report, "cells"), 0);
	g_assert_true(json_is_null(json_object_get(cell, "ratio")));
	near(number_at(cell, "measured", "guest", "bytes_per_s"), 3e8);
	g_assert_nonnull(strstr(json_string_value(json_object_get(cell, "reason")), "withheld"));
	g_assert_true(json_is_null(json_object_get(json_array_get(json_object_get(cell, "blocks"), 0), "ratio")));
	/* It is faster, and the evidence does not say by how much either. */
	g_assert_true(has_flag(cell, "FASTER_THAN_HOST", 0, 1));
	evidence = json_dumps(json_object_get(cell, "flags"), 0);
	g_assert_nonnull(strstr(evidence, "the ratio is withheld; cause: "));
	g_assert_null(strstr(evidence, "ratio 3.000"));
	free(evidence);
	g_assert_true(json_is_null(json_object_get(json_object_get(report, "summary"), "worst")));
	json_decref(report);
}

/* Every row of the table of 2008 stands in the thread report with every figure. */
static void test_integrity(void)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("integrity"), &sweep);
	g_autofree char *thread = rendered(store, sweep, "thread");
	g_autofree char *path = source_file("tests/data/disk-integrity-2008.csv");
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	guint rows = 0, faster = 0, inconsistent = 0;
	json_t *report = report_json(store, sweep, NULL), *cell;
	size_t k;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(g_strchomp(text), "\n", 0);
	for (guint i = 1; lines[i]; i++, rows++) {
		g_auto(GStrv) f = g_strsplit(lines[i], ",", 0);
		g_autofree char *first = f[5][0] ? g_strdup_printf("%s,%s,%-3s,%s", f[3], f[5], f[6], f[7])
						 : g_strdup_printf("%s, %s, %s, direct=1", f[2], f[3], f[1]);
		g_autofree char *line = g_strdup_printf("\n%-27s|%6.1f |%4d   |%9.2f     |%8.2f    |\n", first,
			g_ascii_strtod(f[9], NULL), (int)g_ascii_strtoll(f[10], NULL, 10), g_ascii_strtod(f[11], NULL),
			g_ascii_strtod(f[12], NULL));

		if (!strstr(thread, line))
			g_error("not in the report:%s", line);
	}
	g_assert_cmpuint(rows, ==, 33);
	/* 14 of the 27 guest rows are over 5 % faster than their host. */
	json_array_foreach(json_object_get(report, "cells"), k, cell) {
		faster += has_flag(cell, "FASTER_THAN_HOST", 0, 1);
		if (!has_flag(cell, "INCONSISTENT", 0, 1))
			continue;
		inconsistent++;
		/* Ten times too many in flight, and a twelfth of them: both are writes of 16 KiB. */
		g_assert_cmpint(json_integer_value(json_object_get(json_object_get(cell, "workload"), "block_size")), ==, 16384);
	}
	g_assert_cmpuint(faster, ==, 14);
	g_assert_cmpuint(inconsistent, ==, 2);
	json_decref(report);
}

/* A report shows the flags that are stored and finds none of its own: `show`, the gate and the history have the same. */
static void test_small_table(void)
{
	static const double latencies[] = {1e6, 1e6, 1e6, 5e6, 8e6, 1e6};
	g_autoptr(Store) store = store_open(":memory:", STORE_WRITE, NULL);
	gint64 sweep = make_empty(store);
	json_t *report, *leg;
	size_t k;

	for (guint i = 0; i < G_N_ELEMENTS(latencies); i++) {
		g_autofree char *label = g_strdup_printf("row %u", i);
		g_autoptr(StoreRun) run = good_run(0, 4e6);
		LegSpec spec = {.label = label, .target = "lvm", .rw = "read", .block_size = 4096, .direct = 1, .depth_unknown = TRUE};

		record_set_real(run->run, "complete_mean_ns", latencies[i]);
		store_run(store, add_leg(store, sweep, spec), run);
	}
	report = report_json(store, sweep, NULL);
	g_assert_cmpuint(json_array_size(json_object_get(report, "legs")), ==, G_N_ELEMENTS(latencies));
	json_array_foreach(json_object_get(report, "legs"), k, leg)
		g_assert_cmpuint(json_array_size(json_object_get(leg, "flags")), ==, 0);
	json_decref(report);
}

/* No flag is lost on the way from the store into any format. */
static void test_flags(void)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("flags"), &sweep);
	json_t *report = report_json(store, sweep, NULL);
	g_autofree char *json = rendered(store, sweep, "json");

	for (const ReportFormat *format = report_formats; format->name; format++) {
		g_autofree char *raw = rendered(store, sweep, format->name);
		g_auto(GStrv) parts = g_strsplit(raw, "\\", 0); /* Markdown writes CLOCK\_DRIFT */
		g_autofree char *text = g_strjoinv("", parts);

		for (guint i = 0; i < G_N_ELEMENTS(all_flags); i++)
			if (!strstr(text, all_flags[i]))
				g_error("%s is lost in %s", all_flags[i], format->name);
		if (!strstr(text, "FASTER_THAN_HOST"))
			g_error("FASTER_THAN_HOST is lost in %s", format->name);
	}
	for (guint i = 0; i < G_N_ELEMENTS(all_flags); i++) {
		g_autofree char *label = g_strdup_printf("guest %u", i);
		g_autofree char *evidence = g_strdup_printf("\"evidence %u\"", i);

		g_assert_true(has_flag(cell_of(report, label), all_flags[i], 0, 1));
		g_assert_nonnull(strstr(json, evidence));
	}
	/* Every cause that the counters show is said. */
	g_assert_nonnull(strstr(json, "absorbed before the host's device: guest 10.0, host 0.0 % of the bytes"));
	g_assert_nonnull(strstr(json, "merged into larger requests at the host's device: guest 8.0, host 4.0 KiB"));
	g_assert_nonnull(strstr(json, "depth at the host's device: guest 2.00, host 1.00 requests"));
	g_assert_null(strstr(json, "unexplained"));
	json_decref(report);
}

static const json_t *pair_of(const json_t *report, const char *axis, const char *side, guint nth)
{
	json_t *pair;
	size_t i;

	json_array_foreach(json_object_get(report, "crossovers"), i, pair)
		if (g_str_equal(json_string_value(json_object_get(pair, "axis")), axis) &&
			g_str_equal(json_string_value(json_object_get(pair, "side")), side) && nth-- == 0)
			return pair;
	g_error("no crossover of %s on the %s", axis, side);
}

static void close_to(double got, double expected, double part)
{
	if (!(fabs(got / expected - 1) <= part))
		g_error("got %.12g, expected %.12g within %g", got, expected, part);
}

/* What only the rich sweep has: crossings, threads of QEMU, both directions of a mixed load, series. */
static void test_rich(void)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("rich"), &sweep);
	json_t *report = report_json(store, sweep, NULL);
	const json_t *pair = pair_of(report, "direct", "host", 0), *crossing, *guest, *series;

	/* Both models cross at 36000 bytes; the line between 32 KiB and 256 KiB meets that within a tenth. */
	crossing = json_array_get(json_object_get(pair, "crossings"), 0);
	close_to(number_at(crossing, "block_size", NULL, NULL), 36000, 0.1);
	g_assert_cmpstr(json_string_value(json_object_get(crossing, "leader")), ==, "a");
	g_assert_true(json_is_true(json_object_get(pair, "a")));
	g_assert_true(json_is_true(json_object_get(crossing, "has_interval")));
	g_assert_cmpuint(json_array_size(json_object_get(pair, "flags")), ==, 0);
	/* Virtio and its host never meet; the guest's flag is said. */
	pair = pair_of(report, "side", "guest", 0);
	g_assert_cmpuint(json_array_size(json_object_get(pair, "crossings")), ==, 0);
	g_assert_cmpstr(json_string_value(json_object_get(pair, "leader")), ==, "b");
	g_assert_cmpuint(json_array_size(json_object_get(pair, "flags")), ==, 1);

	guest = json_object_get(json_object_get(cell_of(report, "virtio none randrw4096 direct"), "measured"), "guest");
	/* 102.048 us for each I/O: 9799 operations in block 1, a quarter of them writes. */
	close_to(number_at(guest, "read", "iops", NULL) / number_at(guest, "write", "iops", NULL), 3, 0.001);
	close_to(number_at(guest, "iops", NULL, NULL), 1e9 / 102048 * 1.01, 0.001);
	close_to(number_at(guest, "read", "bytes_per_s", NULL) + number_at(guest, "write", "bytes_per_s", NULL),
		number_at(guest, "bytes_per_s", NULL, NULL), 1e-4);
	g_assert_cmpfloat(number_at(json_object_get(guest, "write"), "latency", "p50_ns", NULL), >,
		1.5 * number_at(json_object_get(guest, "read"), "latency", "p50_ns", NULL));
	/* 250 ms of vCPU threads in each second. */
	close_to(number_at(guest, "cpu_ns_per_io", "qemu_vcpu", NULL), 250e6 / (1e9 / 102048 * 1.01), 0.001);
	close_to(number_at(guest, "qemu_switches_per_io", NULL, NULL), 3.5, 0.001);
	/* Blocks faster by 0, 1 and 2 percent: the mean of ln is that of the middle one, s = 0.0099. */
	close_to(number_at(guest, "bytes_per_s_high", NULL, NULL) / number_at(guest, "bytes_per_s", NULL, NULL),
		exp(4.302652730 * 0.0099 / sqrt(3)), 1e-3);

	series = json_object_get(json_array_get(json_object_get(json_array_get(json_object_get(report, "legs"), 0), "runs"), 0), "series");
	g_assert_cmpuint(json_array_size(json_object_get(series, "bytes_per_s")), ==, 10);
	g_assert_cmpint(json_integer_value(json_object_get(series, "step_ns")), ==, 100000000);
	/* Host, 4 KiB direct: 22.048 us at the mean rate, a tenth less while it runs a tenth faster. */
	close_to(json_number_value(json_array_get(json_object_get(series, "latency_ns"), 0)), 22048 / 1.1, 0.001);
	json_decref(report);
}

/* ---- failures ---- */

static void test_failures(void)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(":memory:", fixture_named("one-leg"), &sweep);
	g_autoptr(GString) out = g_string_new("before");
	g_autoptr(GError) error = NULL;

	g_assert_false(report_render(store, sweep, "txet", NULL, out, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, "did you mean \"text\""));
	g_clear_error(&error);
	g_assert_false(report_render(store, sweep, "thread:bonny", NULL, out, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_cmpstr(error->message, ==, "there is no shape of the thread report \"bonny\"; did you mean \"bonnie\"?");
	g_clear_error(&error);
	g_assert_false(report_render(store, sweep, "csv:bonnie", NULL, out, &error));
	g_assert_cmpstr(error->message, ==, "the csv report has no shapes");
	g_clear_error(&error);

	g_assert_false(report_render(store, sweep + 99, "json", NULL, out, &error));
	g_assert_nonnull(error);
	g_clear_error(&error);

	g_assert_cmpstr(out->str, ==, "before");

	g_assert_false(report_write(store, sweep, "/dev/null/x", NULL, NULL, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "/dev/null/x"));
}

static int make_only(const char *name, const char *path)
{
	gint64 sweep;
	g_autoptr(Store) store = fixture_store(path, fixture_named(name), &sweep);

	return 0;
}

/* A sweep of RUNS runs for the bench: 4 blocks, and block sizes, depths and guests until there are enough. */
static int make_many(guint runs, const char *path)
{
	static const char *const buses[] = {"virtio", "ide", "sata", "virtio-scsi"}, *const caches[] = {"none", "writeback"};
	GError *error = NULL;
	g_autoptr(Store) store = store_open(path, STORE_WRITE, &error);
	gint64 boots[RICH_BLOCKS], sweep;

	g_assert_no_error(error);
	g_assert_true(store_bulk_begin(store, &error));
	sweep = add_sweep(store, "many", "kvm", "finished", RICH_BLOCKS);
	for (guint block = 0; block < RICH_BLOCKS; block++)
		boots[block] = rich_boot(store, sweep, block);
	for (guint made = 0, i = 0; made < runs; i++) {
		g_autofree char *target = g_strdup_printf("scratch%u", i / 48);
		LegSpec spec = {.target = target, .rw = i / 24 % 2 ? "write" : "read", .direct = i / 12 % 2,
			.block_size = G_GINT64_CONSTANT(512) << i % 12};

		g_autofree char *host = g_strdup_printf("host %u", i);

		spec.label = host;
		spec.host = add_leg(store, sweep, spec);
		rich_leg(store, spec.host, boots, spec);
		made += RICH_BLOCKS;
		for (guint k = 0; k < 8 && made < runs; k++, made += RICH_BLOCKS) {
			g_autofree char *label = g_strdup_printf("guest %u %u", i, k);

			spec.bus = buses[k % 4];
			spec.cache = caches[k / 4];
			spec.label = label;
			rich_leg(store, add_leg(store, sweep, spec), boots, spec);
		}
	}
	g_assert_true(store_bulk_end(store, TRUE, &error));
	return 0;
}

int main(int argc, char **argv)
{
	const char *build = g_getenv("IOGAP_BUILD");
	g_autofree char *share = g_build_filename(build ? build : "build", "share", NULL);

	g_setenv("IOGAP_SHARE", share, TRUE);
	if (argc == 4 && g_str_equal(argv[1], "--make"))
		return make_only(argv[2], argv[3]);
	if (argc == 4 && g_str_equal(argv[1], "--make-many"))
		return make_many((guint)g_ascii_strtoull(argv[2], NULL, 10), argv[3]);
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(fixtures); i++) {
		g_autofree char *path = g_strdup_printf("/report/golden/%s", fixtures[i].name);

		g_test_add_data_func(path, &fixtures[i], test_golden);
	}
	g_test_add_func("/report/cell", test_cell);
	g_test_add_func("/report/stopped", test_stopped);
	g_test_add_func("/report/faster-and-withheld", test_faster_and_withheld);
	g_test_add_func("/report/accounting", test_accounting);
	g_test_add_func("/report/columns", test_columns);
	g_test_add_func("/report/small-table", test_small_table);
	g_test_add_func("/report/integrity", test_integrity);
	g_test_add_func("/report/flags", test_flags);
	g_test_add_func("/report/rich", test_rich);
	g_test_add_func("/report/failures", test_failures);
	return g_test_run();
}
