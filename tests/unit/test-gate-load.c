/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a store to verdicts. `test-gate-load --make NAME FILE` makes a store of synthetic sweeps for tests/cli/gate.sh. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/gate/load.h"
#include "tests/unit/gate-fixture.h"

static int make_only(const char *name, const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Store) store = store_open(path, STORE_WRITE, &error);

	if (!store || !make_named(store, name)) {
		fprintf(stderr, "cannot make %s: %s\n", name, error ? error->message : "no such scenario");
		return 1;
	}
	return 0;
}

static Store *memory(const char *name)
{
	GError *error = NULL;
	Store *store = store_open(":memory:", STORE_WRITE, &error);

	g_assert_no_error(error);
	g_assert_true(make_named(store, name));
	return store;
}

static GateResult *judge(const GateData *data)
{
	GError *error = NULL;
	GateSettings settings;
	GateResult *result;

	gate_settings_init(&settings);
	result = data->candidates ? gate_against(&settings, &data->input, data->baselines, data->candidates, &error)
				  : gate_judge(&settings, &data->input, &error);
	g_assert_no_error(error);
	return result;
}

static void test_arms(void)
{
	static const struct {
		const char *name;
		int code;
		const char *why, *row, *verdict;
	} expected[] = {
		{"pass", 0, "0 regressions in 11 rows", "virtio none/native read 4k direct depth=1", "OK"},
		{"regressed", 1, NULL, "virtio none/native read 4k direct depth=1", "REGRESSED"},
		{"improved", 0, NULL, "virtio none/native read 4k direct depth=1", "IMPROVED"},
		{"drift", 3, NULL, "virtio none/native read 4k direct depth=1", "WITHHELD"},
		{"invalid", 3, "1 row INVALID", "virtio none/native read 4k direct depth=1", "INVALID"},
		{"emulated", 0, "0 regressions in 11 rows", "virtio none/native read 4k direct depth=1", "OK"},
		{"missing", 3, "1 row MISSING", "virtio none/native read 4k direct depth=6", "MISSING"},
		{"new", 0, "0 regressions in 11 rows", "virtio none/native read 4k direct depth=6", "NEW"},
		{"failed", 5, "all runs of 1 cell failed, on one side at least", "virtio none/native read 4k direct depth=1", "INVALID"},
		{"some-failed", 3, "1 row INVALID", "virtio none/native read 4k direct depth=1", "INVALID"},
		{"failed-and-regressed", 1, NULL, "virtio none/native read 4k direct depth=1", "REGRESSED"},
		{"few-blocks", 3, NULL, "virtio none/native read 4k direct depth=1", "INCONCLUSIVE"},
	};
	const GateChoice choice = {NULL};

	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		g_autoptr(Store) store = memory(expected[i].name);
		GError *error = NULL;
		g_autoptr(GateData) data = gate_load_arms(store, 1, NULL, NULL, &choice, &error);
		g_autoptr(GateResult) result = NULL;
		g_autofree char *why = NULL;

		g_test_message("%s", expected[i].name);
		g_assert_no_error(error);
		result = judge(data);
		g_assert_cmpint(gate_exit_code(result, &why), ==, expected[i].code);
		if (expected[i].why)
			g_assert_cmpstr(why, ==, expected[i].why);
		g_assert_nonnull(gate_row(result, expected[i].row));
		g_assert_cmpstr(gate_verdict_name(gate_row(result, expected[i].row)->verdict), ==, expected[i].verdict);
		g_assert_nonnull(gate_row(result, "geomean:reads"));
		g_assert_nonnull(gate_row(result, "geomean:target file"));
	}
}

/* The arms named the other way round: what was lost is gained. */
static void test_exchanged(void)
{
	const GateChoice choice = {NULL};
	g_autoptr(Store) store = memory("regressed");
	GError *error = NULL;
	g_autoptr(GateData) data = gate_load_arms(store, 1, "new", "base", &choice, &error);
	g_autoptr(GateResult) result = NULL;

	g_assert_no_error(error);
	result = judge(data);
	g_assert_cmpint(gate_row(result, "virtio none/native read 4k direct depth=1")->verdict, ==, GATE_IMPROVED);
	g_assert_cmpint(gate_exit_code(result, NULL), ==, 0);
}

/* A flag that the user accepts does not take the run out. */
static void test_accepted(void)
{
	static const char *const accept[] = {"CACHED", NULL};
	const GateChoice choice = {.accept = accept}, none = {NULL};
	g_autoptr(Store) store = memory("invalid");
	g_autoptr(GateData) data = gate_load_arms(store, 1, NULL, NULL, &choice, NULL);
	g_autoptr(GateData) strict = gate_load_arms(store, 1, NULL, NULL, &none, NULL);
	g_autoptr(GateResult) result = judge(data);

	g_assert_cmpint(gate_exit_code(result, NULL), ==, 0);
	g_assert_cmpuint(data->notes->len, ==, 1);
	g_assert_cmpstr(data->notes->pdata[0], ==, "17 runs that count are flagged CACHED");
	g_assert_cmpuint(strict->notes->len, ==, 1);
	g_assert_cmpstr(strict->notes->pdata[0], ==, "17 runs flagged CACHED left out of the verdict");
}

static void expect_refused(const char *name, const char *base, const char *candidate, int code, const char *message)
{
	const GateChoice choice = {NULL};
	g_autoptr(Store) store = memory(name);
	g_autoptr(GError) error = NULL;

	g_assert_null(gate_load_arms(store, 1, base, candidate, &choice, &error));
	g_assert_error(error, IOGAP_ERROR, code);
	g_assert_cmpstr(error->message, ==, message);
}

static void test_refused(void)
{
	expect_refused("no-arms", NULL, NULL, IOGAP_ERROR_NOTHING,
		"sweep 1 was measured without arms; compare it with stored sweeps by --baseline, or measure with `iogap sweep "
		"--arm` (its arms: none)");
	expect_refused("pass", "base", NULL, IOGAP_ERROR_USAGE,
		"sweep 1 needs both --base-arm and --new-arm (its arms: base, new)");
	expect_refused("pass", "base", "old", IOGAP_ERROR_NOTHING,
		"sweep 1 does not have both of these arms (its arms: base, new)");
	expect_refused("pass", "base", "base", IOGAP_ERROR_USAGE,
		"sweep 1 cannot be judged by one arm against itself (its arms: base, new)");
}

static GateData *history(Store *store, guint baselines)
{
	g_autoptr(GArray) base = g_array_new(FALSE, FALSE, sizeof(gint64));
	g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(gint64));
	const GateChoice choice = {NULL};
	GError *error = NULL;
	GateData *data;

	for (gint64 id = 1; id <= (gint64)baselines + 3; id++)
		g_array_append_val(id <= (gint64)baselines ? base : own, id);
	data = gate_load_sweeps(store, base, own, &choice, &error);
	g_assert_no_error(error);
	return data;
}

static void expect(const GateResult *result, const char *name, GateVerdict verdict)
{
	const GateRow *row = gate_row(result, name);

	g_assert_nonnull(row);
	g_test_message("%s: slowdown %.4f (%.4f to %.4f), p %.4g, %s", name, row->slowdown, row->low, row->high, row->p_slower,
		row->reason ? row->reason : "-");
	g_assert_cmpstr(gate_verdict_name(row->verdict), ==, gate_verdict_name(verdict));
}

/* Noise is no regression, a small loss of steady values is, a failed run is left out. */
static void test_history(void)
{
	g_autoptr(Store) store = memory("history");
	g_autoptr(GateData) data = history(store, 7);
	g_autoptr(GateResult) result = judge(data);

	g_assert_cmpuint(data->differences->len, ==, 0);
	expect(result, "equal", GATE_REGRESSED);
	expect(result, "faster", GATE_IMPROVED);
	expect(result, "broken", GATE_OK);
	g_assert_cmpint(gate_row(result, "steady")->verdict, !=, GATE_REGRESSED);
	g_assert_cmpuint(gate_row(result, "broken")->n, ==, 6);
	g_assert_cmpstr(data->notes->pdata[0], ==, "1 failed run is left out");
	g_assert_cmpint(gate_exit_code(result, NULL), ==, 1);
}

static void test_history_short(void)
{
	g_autoptr(Store) store = memory("history-short");
	g_autoptr(GateData) data = history(store, 3);
	g_autoptr(GateResult) result = judge(data);

	expect(result, "equal", GATE_INCONCLUSIVE);
	g_assert_cmpstr(gate_row(result, "equal")->reason, ==, "2 more baseline sweeps are needed: 3 of at least 5");
	g_assert_cmpint(gate_exit_code(result, NULL), ==, 3);
}

static void test_history_other(void)
{
	g_autoptr(Store) store = memory("history-other");
	g_autoptr(GateData) data = history(store, 7);

	g_assert_cmpuint(data->baselines, ==, 0);
	g_assert_cmpuint(data->differences->len, ==, 1);
	g_assert_true(g_str_has_suffix(data->differences->pdata[0], ": model-x 8c in the baseline, model-y 4c in the candidate"));
}

/* Where a build lies is no part of the cell: what was tested is said beside the verdict. */
static void test_builds(void)
{
	g_autoptr(Store) store = memory("history-builds");
	g_autoptr(GateData) data = history(store, 7);
	g_autoptr(GateResult) result = judge(data);

	g_assert_cmpuint(data->input.n_cells, ==, 2);
	expect(result, "virtio none/native read 4k direct", GATE_REGRESSED);
	expect(result, "virtio none/native read 4k direct depth=2", GATE_OK);
	g_assert_cmpint(gate_exit_code(result, NULL), ==, 1);
	g_assert_cmpuint(data->notes->len, ==, 2);
	g_assert_cmpstr(data->notes->pdata[0], ==,
		"kernel: /boot/a b/vmlinuz in the baseline, /boot/c/vmlinuz (SHA-256 5891b5b522d5), the default in the candidate");
	g_assert_cmpstr(data->notes->pdata[1], ==, "emulator: /opt/1/qemu, /opt/2/qemu, /opt/3/qemu, /opt/4/qemu, /opt/5/qemu, "
		"/opt/6/qemu, /opt/7/qemu in the baseline, /opt/10/qemu, /opt/8/qemu, /opt/9/qemu in the candidate");
}

/* A sweep over two kernels needs the paths: there the emulator's alone is left out. */
static void test_builds_beside(void)
{
	g_autoptr(Store) store = memory("history-beside");
	g_autoptr(GateData) data = history(store, 7);
	g_autoptr(GateResult) result = judge(data);

	g_assert_cmpuint(data->input.n_cells, ==, 2);
	expect(result, "virtio none/native kernel=/boot/a b/vmlinuz read 4k direct", GATE_REGRESSED);
	expect(result, "virtio none/native kernel=/boot/b/vmlinuz read 4k direct", GATE_OK);
	g_assert_cmpuint(data->notes->len, ==, 2);
	g_assert_cmpstr(data->notes->pdata[0], ==, "cells of one sweep differ in their kernel alone, so that its path is part of their "
		"names: in another path they are other cells");
	g_assert_true(g_str_has_prefix(data->notes->pdata[1], "emulator: /opt/1/qemu, "));
}

int main(int argc, char **argv)
{
	const char *build = g_getenv("IOGAP_BUILD");
	g_autofree char *share = g_build_filename(build ? build : "build", "share", NULL);

	g_setenv("IOGAP_SHARE", share, TRUE);
	if (argc == 4 && g_str_equal(argv[1], "--make"))
		return make_only(argv[2], argv[3]);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gate-load/arms", test_arms);
	g_test_add_func("/gate-load/exchanged", test_exchanged);
	g_test_add_func("/gate-load/accepted", test_accepted);
	g_test_add_func("/gate-load/refused", test_refused);
	g_test_add_func("/gate-load/history", test_history);
	g_test_add_func("/gate-load/history-short", test_history_short);
	g_test_add_func("/gate-load/history-other", test_history_other);
	g_test_add_func("/gate-load/builds", test_builds);
	g_test_add_func("/gate-load/builds-beside", test_builds_beside);
	return g_test_run();
}
