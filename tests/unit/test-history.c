/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histories of known shape: "--make FILE COMMIT..." puts one sweep per commit into FILE for the test of the command line. All
 * figures are made up, and every sweep says so in its label.
 */
#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/export/history.h"

static gint64 must(gint64 id, GError **error)
{
	g_assert_no_error(*error);
	g_assert_cmpint(id, >, 0);
	return id;
}

/* RATE 0: the run failed. */
static void add_run(Store *store, gint64 leg, guint block, double rate, const char *flag)
{
	g_autoptr(StoreRun) run = store_run_new();
	GError *error = NULL;

	record_set_int(run->run, "block", block);
	record_set_text(run->run, "status", rate > 0 ? "ok" : "failed");
	if (rate > 0) {
		record_set_real(run->run, "bytes_per_s", rate);
		record_set_real(run->run, "complete_p99_ns", 1e15 / rate);
		record_set_int(run->run, "qemu_user_ns", 900);
		record_set_int(run->run, "qemu_system_ns", 100);
		record_set_int(run->run, "ops_read", 10);
	} else {
		record_set_text(run->run, "reason", "read: Input/output error");
	}
	if (flag)
		store_run_add_flag(run, flag, "made up");
	must(store_add_run(store, leg, -1, run, &error), &error);
}

static gint64 add_leg(Store *store, gint64 sweep, const char *label, gint64 host)
{
	g_autoptr(Record) leg = record_new();
	GError *error = NULL;

	record_set_text(leg, "label", label);
	record_set_text(leg, "side", host ? "guest" : "host");
	record_set_text(leg, "rw", "read");
	if (host)
		record_set_int(leg, "host_leg_id", host);
	return must(store_add_leg(store, sweep, leg, &error), &error);
}

/*
 * Sweep I of N. "steps" loses 10 % from the middle on; "steady" does not; "late" is there in the second half only. Every fifth
 * sweep has a flagged run of half the rate, which does not count. From sweep OTHER on the machine is another, and twice as fast.
 */
static void add_sweep(Store *store, guint i, guint n, guint other, const char *commit)
{
	static const double wobble[] = {1, 1.004, 0.997, 1.002, 0.995, 1.001, 0.999};
	g_autoptr(Record) row = record_new();
	g_autofree char *uuid = g_strdup_printf("0f8fad5b-d9cb-469f-a165-%012u", i + 1);
	double machine = i >= other ? 2 : 1;
	GError *error = NULL;
	gint64 sweep, host;

	record_set_text(row, "uuid", uuid);
	record_set_text(row, "label", "synthetic");
	record_set_text(row, "status", "finished");
	record_set_int(row, "started_unix_ns", (1764500000 + 3600 * (gint64)i) * 1000000000);
	record_set_text(row, "profile", "made-up");
	record_set_text(row, "branch", "main");
	record_set_text(row, "commit_id", commit);
	record_set_text(row, "cpu_model", i >= other ? "model-y" : "model-x");
	record_set_text(row, "fingerprint", i >= other ? "f2" : "f1");
	sweep = must(store_add_sweep(store, row, &error), &error);
	host = add_leg(store, sweep, "host read", 0);
	for (guint b = 0; b < 2; b++)
		add_run(store, host, b, 4e8 * machine, NULL);
	for (guint c = 0; c < 3; c++) {
		static const char *const names[] = {"guest steps", "guest steady", "guest late"};
		double rate = 2e8 * machine * wobble[(i * 3 + c) % 7] * (c == 0 && i >= n / 2 ? 0.9 : 1);
		gint64 leg = c == 2 && i < n / 2 ? -1 : add_leg(store, sweep, names[c], host);

		for (guint b = 0; b < 2 && leg > 0; b++)
			add_run(store, leg, b, i % 5 == 4 && b ? rate / 2 : rate, i % 5 == 4 && b ? "CACHED" : NULL);
		if (leg > 0 && i == 3)
			add_run(store, leg, 2, 0, NULL);
	}
}

static Store *make(const char *path, guint n, guint other, char **commits)
{
	GError *error = NULL;
	Store *store = store_open(path, STORE_WRITE, &error);

	g_assert_no_error(error);
	for (guint i = 0; i < n; i++)
		add_sweep(store, i, n, other, commits ? commits[i] : NULL);
	return store;
}

static json_t *history_of(Store *store, const char *metric, const char *const *cells)
{
	GError *error = NULL;
	HistoryChoice choice = {.metric = history_metric_find(metric, NULL), .cells = cells, .alpha = 0.05, .least = 0.03, .length = 3};
	json_t *history = history_json(store, &choice, &error);

	g_assert_no_error(error);
	return history;
}

static const json_t *cell_of(const json_t *history, guint i, const char *name)
{
	const json_t *cell = json_array_get(json_object_get(history, "cells"), i);

	g_assert_cmpstr(json_string_value(json_object_get(cell, "name")), ==, name);
	return cell;
}

static const json_t *only_change(const json_t *cell)
{
	const json_t *changes = json_object_get(cell, "changes");

	g_assert_cmpuint(json_array_size(changes), ==, 1);
	return json_array_get(changes, 0);
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void test_change(void)
{
	g_autoptr(Store) store = make(":memory:", 30, 99, NULL);
	json_t *history = history_of(store, "rate", NULL);
	const json_t *change = only_change(cell_of(history, 2, "steps")), *point;

	g_assert_cmpfloat(number(change, "sweep"), ==, 15);
	g_assert_cmpfloat(number(change, "before"), ==, 14);
	g_assert_cmpfloat(fabs(number(change, "step") + 0.1), <, 0.003);
	g_assert_true(json_is_false(json_object_get(change, "better")));
	g_assert_cmpuint(json_array_size(json_object_get(cell_of(history, 1, "steady"), "changes")), ==, 0);
	g_assert_cmpfloat(number(history, "tested"), ==, 3);
	/* Absent, flagged and failed are not a value. */
	g_assert_true(json_is_null(json_array_get(json_object_get(cell_of(history, 0, "late"), "points"), 14)));
	point = json_array_get(json_object_get(cell_of(history, 1, "steady"), "points"), 4);
	g_assert_cmpfloat(number(point, "runs"), ==, 1);
	g_assert_cmpfloat(number(point, "left_out"), ==, 1);
	json_decref(history);
}

/* The other machine is twice as fast: a break, never a change point. */
static void test_environments(void)
{
	g_autoptr(Store) store = make(":memory:", 40, 10, NULL);
	json_t *history = history_of(store, "rate", NULL);
	const json_t *one = json_array_get(json_object_get(history, "breaks"), 0);

	g_assert_cmpuint(json_array_size(json_object_get(history, "breaks")), ==, 1);
	g_assert_cmpfloat(number(one, "sweep"), ==, 10);
	g_assert_cmpstr(json_string_value(json_object_get(json_array_get(json_object_get(one, "differences"), 0), "after")), ==, "model-y");
	g_assert_cmpfloat(number(only_change(cell_of(history, 2, "steps")), "sweep"), ==, 20);
	g_assert_cmpfloat(number(only_change(cell_of(history, 2, "steps")), "environment"), ==, 2);
	g_assert_cmpuint(json_array_size(json_object_get(cell_of(history, 1, "steady"), "changes")), ==, 0);
	json_decref(history);
}

static void test_metrics(void)
{
	static const char *const cells[] = {"ste?s", NULL};
	g_autoptr(Store) store = make(":memory:", 30, 99, NULL);
	json_t *p99 = history_of(store, "p99", cells), *ratio = history_of(store, "ratio", cells), *cpu = history_of(store, "cpu", cells);
	const json_t *change = only_change(cell_of(p99, 0, "steps"));

	g_assert_cmpfloat(number(change, "step"), >, 0.1);
	g_assert_true(json_is_false(json_object_get(change, "better")));
	g_assert_cmpfloat(fabs(number(json_array_get(json_object_get(cell_of(ratio, 0, "steps"), "points"), 0), "value") - 0.5), <, 0.01);
	g_assert_cmpfloat(fabs(number(json_array_get(json_object_get(cell_of(cpu, 0, "steps"), "points"), 0), "value") - 100), <, 1e-9);
	json_decref(p99);
	json_decref(ratio);
	json_decref(cpu);
}

static void test_outputs(void)
{
	g_autoptr(Store) store = make(":memory:", 30, 10, NULL);
	json_t *a = history_of(store, "rate", NULL), *b = history_of(store, "rate", NULL);
	g_autofree char *text = history_text(a), *again = history_text(b), *csv = history_csv(a);
	g_auto(GStrv) lines = g_strsplit(csv, "\n", -1);

	g_assert_true(json_equal(a, b));
	g_assert_cmpstr(text, ==, again);
	g_assert_nonnull(strstr(text, "  steps\n    WORSE: rate fell by "));
	g_assert_nonnull(strstr(text, "The environment changes at #11: cpu model-x -> model-y") ?: strstr(text, "The environment changes at #11:"));
	/* 30 + 30 + 15 points, a head, and nothing after the last line. */
	g_assert_cmpuint(g_strv_length(lines), ==, 1 + 75 + 1);
	json_decref(a);
	json_decref(b);
}

static void test_nothing(void)
{
	g_autoptr(Store) store = make(":memory:", 2, 99, NULL);
	static const char *const cells[] = {"none*", NULL};
	HistoryChoice choice = {.metric = history_metric_find("rate", NULL), .branch = "topic", .alpha = 0.05, .length = 3};
	GError *error = NULL;

	g_assert_null(history_json(store, &choice, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING);
	g_clear_error(&error);
	choice.branch = NULL;
	choice.cells = cells;
	g_assert_null(history_json(store, &choice, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING);
	g_clear_error(&error);
	g_assert_null(history_metric_find("p9", &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, "did you mean \"p99\"?"));
	g_clear_error(&error);
}

int main(int argc, char **argv)
{
	const char *build = g_getenv("IOGAP_BUILD");
	g_autofree char *share = g_build_filename(build ? build : "build", "share", NULL);

	g_setenv("IOGAP_SHARE", share, TRUE);
	if (argc > 3 && g_str_equal(argv[1], "--make")) {
		store_close(make(argv[2], (guint)argc - 3, 8, argv + 3));
		return 0;
	}
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/history/change", test_change);
	g_test_add_func("/history/environments", test_environments);
	g_test_add_func("/history/metrics", test_metrics);
	g_test_add_func("/history/outputs", test_outputs);
	g_test_add_func("/history/nothing", test_nothing);
	return g_test_run();
}
