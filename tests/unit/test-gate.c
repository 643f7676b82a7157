/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/gate/gate.h"

/* ---- vectors: tests/data/gate/vectors.json ---------------------------------------------------------------------- */

typedef struct {
	GPtrArray *owned;
	GArray *cells, *groups;
	GateInput input;
} Request;

static double *values_of(Request *request, const json_t *list)
{
	double *values = g_new(double, json_array_size(list) + 1);

	for (guint i = 0; i < json_array_size(list); i++) {
		const json_t *value = json_array_get(list, i);

		values[i] = json_is_null(value) ? NAN : json_number_value(value);
	}
	g_ptr_array_add(request->owned, values);
	return values;
}

static gboolean is_promoted(const json_t *request, const char *name)
{
	const json_t *list = json_object_get(request, "promoted");

	if (!list)
		return TRUE;
	for (guint i = 0; i < json_array_size(list); i++)
		if (g_str_equal(json_string_value(json_array_get(list, i)), name))
			return TRUE;
	return FALSE;
}

static guint cell_index(const Request *request, const char *name)
{
	for (guint i = 0; i < request->cells->len; i++)
		if (g_str_equal(g_array_index(request->cells, GateCell, i).name, name))
			return i;
	g_error("the vector has no cell %s", name);
}

static void request_groups(Request *request, json_t *json)
{
	const char *name;
	json_t *members;

	json_object_foreach(json_object_get(json, "groups"), name, members) {
		GateGroup group = {.name = name, .n_cells = json_array_size(members), .promoted = is_promoted(json, name)};
		guint *cells = g_new(guint, group.n_cells);

		for (guint i = 0; i < group.n_cells; i++)
			cells[i] = cell_index(request, json_string_value(json_array_get(members, i)));
		g_ptr_array_add(request->owned, cells);
		group.cells = cells;
		group.v0 = json_number_value(json_object_get(json_object_get(json, "v0"), name));
		g_array_append_val(request->groups, group);
	}
}

/* BACKWARDS: cells from last to first. */
static void request_init(Request *request, json_t *json, gboolean backwards)
{
	json_t *baseline = json_object_get(json, "baseline"), *candidate = json_object_get(json, "candidate"), *values;
	json_t *control = json_object_get(json, "control");
	const char *name;

	request->owned = g_ptr_array_new_with_free_func(g_free);
	request->cells = g_array_new(FALSE, TRUE, sizeof(GateCell));
	request->groups = g_array_new(FALSE, TRUE, sizeof(GateGroup));
	request->input = (GateInput){.screened = TRUE};
	json_object_foreach(baseline, name, values) {
		GateCell cell = {.name = name, .promoted = is_promoted(json, name)};

		cell.baseline = values_of(request, values);
		cell.candidate = values_of(request, json_object_get(candidate, name));
		cell.v0 = json_number_value(json_object_get(json_object_get(json, "v0"), name));
		request->input.blocks = json_array_size(values);
		if (backwards)
			g_array_prepend_val(request->cells, cell);
		else
			g_array_append_val(request->cells, cell);
	}
	request_groups(request, json);
	if (control)
		request->input.control = values_of(request, control);
	request->input.cells = (const GateCell *)(void *)request->cells->data;
	request->input.n_cells = request->cells->len;
	request->input.groups = (const GateGroup *)(void *)request->groups->data;
	request->input.n_groups = request->groups->len;
}

static void request_clear(Request *request)
{
	g_ptr_array_unref(request->owned);
	g_array_unref(request->cells);
	g_array_unref(request->groups);
}

static void expect_number(const json_t *expected, const char *key, double got)
{
	const json_t *value = json_object_get(expected, key);

	if (value)
		g_assert_cmpfloat_with_epsilon(got, json_number_value(value), 1e-9 * MAX(1, fabs(got)));
}

static void expect_share(const json_t *expected, const char *key, guint64 k, guint blocks)
{
	const json_t *pair = json_object_get(expected, key);

	if (!pair)
		return;
	g_assert_cmpuint(k, ==, json_integer_value(json_array_get(pair, 0)));
	g_assert_cmpuint(signflip_flips(blocks), ==, json_integer_value(json_array_get(pair, 1)));
	g_assert_cmpuint(k, >, 0);
}

static void expect_row(const GateResult *result, const char *name, const json_t *expected)
{
	const GateRow *row = gate_row(result, name);
	const json_t *interval = json_object_get(expected, "interval");

	g_test_message("row %s", name);
	g_assert_nonnull(row);
	g_assert_cmpstr(gate_verdict_name(row->verdict), ==, json_string_value(json_object_get(expected, "verdict")));
	g_assert_cmpint(row->group, ==, json_is_true(json_object_get(expected, "group")));
	expect_number(expected, "mean_d", row->mean_d);
	if (!row->promoted)
		return;
	expect_number(expected, "n", row->n);
	expect_number(expected, "s", row->slowdown);
	expect_number(expected, "mean_c", row->test.mean_c);
	expect_number(expected, "T", row->test.t);
	expect_number(expected, "v0", row->v0);
	expect_number(expected, "clipped", row->test.clipped);
	g_assert_cmpfloat_with_epsilon(row->low, json_number_value(json_array_get(interval, 0)), 1e-9);
	g_assert_cmpfloat_with_epsilon(row->high, json_number_value(json_array_get(interval, 1)), 1e-9);
	expect_share(expected, "p_raw", row->test.k_raw, result->confirm_blocks);
	expect_share(expected, "p_adj", row->test.k_slower, result->confirm_blocks);
	expect_share(expected, "p_adj_improved", row->test.k_faster, result->confirm_blocks);
}

static void expect_control(const GateResult *result, const json_t *expected)
{
	if (!json_is_object(expected))
		return;
	expect_number(expected, "n", result->control_n);
	expect_number(expected, "mean", result->control_mean);
	expect_share(expected, "p_two_sided", result->control_k, result->control_blocks);
}

static void check_vector(json_t *vector, gboolean backwards)
{
	json_t *expected = json_object_get(vector, "expect"), *row;
	g_autoptr(GateResult) result = NULL;
	GateSettings settings;
	GError *error = NULL;
	const char *name;
	Request request;

	g_test_message("vector %s", json_string_value(json_object_get(vector, "name")));
	gate_settings_init(&settings);
	request_init(&request, json_object_get(vector, "request"), backwards);
	result = gate_judge(&settings, &request.input, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(result->family, ==, json_integer_value(json_object_get(expected, "K")));
	g_assert_cmpuint(result->rows->len, ==, json_object_size(json_object_get(expected, "cells")));
	json_object_foreach(json_object_get(expected, "cells"), name, row)
		expect_row(result, name, row);
	expect_control(result, json_object_get(expected, "control"));
	g_assert_cmpint(result->drift, ==, json_is_true(json_object_get(expected, "control_drift")));
	g_assert_cmpint(gate_exit_code(result, NULL), ==, json_integer_value(json_object_get(expected, "exit")));
	request_clear(&request);
}

static void test_vectors(void)
{
	const char *source = g_getenv("IOGAP_SRC");
	g_autofree char *path = g_build_filename(source ? source : ".", "tests/data/gate/vectors.json", NULL);
	json_t *root = json_load_file(path, 0, NULL), *list = json_object_get(root, "vectors");

	g_assert_cmpuint(json_array_size(list), ==, 12);
	for (guint i = 0; i < json_array_size(list); i++) {
		check_vector(json_array_get(list, i), FALSE);
		check_vector(json_array_get(list, i), TRUE);
	}
	json_decref(root);
}

/* ---- against a plain enumeration --------------------------------------------------------------------------------- */

/* A statistic written down again, term by term, with two passes. */
static double plain_t(const double *c, guint n, guint64 flip, double v0)
{
	double mean = 0, around = 0, square = 0;

	for (guint i = 0; i < n; i++)
		mean += (flip >> i & 1 ? -c[i] : c[i]) / n;
	for (guint i = 0; i < n; i++) {
		double x = flip >> i & 1 ? -c[i] : c[i];

		around += (x - mean) * (x - mean);
		square += x * x / n;
	}
	if (around / (n - 1) <= 1e-12 * square)
		around = 0;
	around = (around + 4 * v0) / (n + 3);
	return around > 0 ? -sqrt(n) * mean / sqrt(around) : mean < 0 ? INFINITY : mean > 0 ? -INFINITY : 0;
}

/* Differences without outliers, so that nothing is clipped; SCALE 0 is exactly none. */
static void fill(double *d, guint rows, guint blocks, guint seed, double shift)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	for (guint i = 0; i < rows * blocks; i++)
		d[i] = shift + (g_rand_boolean(rand) ? 1 : -1) * g_rand_double_range(rand, 0.02, 0.03);
}

static guint64 plain_count(const double *d, guint rows, guint blocks, double v0, double t)
{
	guint64 k = 0;

	for (guint64 flip = 0; flip < signflip_flips(blocks); flip++) {
		double largest = -INFINITY;

		for (guint i = 0; i < rows; i++)
			largest = fmax(largest, plain_t(d + i * blocks, blocks, flip, v0));
		k += isfinite(t) ? largest >= t - 1e-9 * fmax(1, fabs(t)) : largest >= t;
	}
	return k;
}

static void test_enumeration(void)
{
	for (guint seed = 0; seed < 12; seed++) {
		double d[4 * 11], v0 = seed % 3 ? 0.0003 : 0;
		guint blocks = 6 + seed % 6;
		SignflipRow rows[4];

		fill(d, 4, blocks, seed, 0);
		for (guint i = 0; i < 4; i++)
			rows[i] = (SignflipRow){.d = d + i * blocks, .v0 = v0};
		signflip_test(rows, 4, blocks, 6);
		for (guint i = 0; i < 4; i++) {
			g_assert_cmpuint(rows[i].clipped, ==, 0);
			g_assert_cmpfloat_with_epsilon(rows[i].t, plain_t(rows[i].d, blocks, 0, v0), 1e-9);
			g_assert_cmpuint(rows[i].k_slower, ==, plain_count(d, 4, blocks, v0, rows[i].t));
			g_assert_cmpuint(rows[i].k_raw, ==, plain_count(rows[i].d, 1, blocks, v0, rows[i].t));
			g_assert_cmpuint(rows[i].k_faster, ==, plain_count(d, 4, blocks, v0, -rows[i].t));
		}
	}
}

/* Constant rows without a prior: statistics of plus and minus infinity and 0/0. */
static void test_infinite(void)
{
	double loss[6] = {-0.05, -0.05, -0.05, -0.05, -0.05, -0.05}, none[6] = {0};
	double gain[6] = {0.05, 0.05, 0.05, 0.05, 0.05, 0.05};
	SignflipRow rows[3] = {{.d = loss}, {.d = none}, {.d = gain}};

	signflip_test(rows, 3, 6, 6);
	g_assert_true(isinf(rows[0].t) && rows[0].t > 0);
	g_assert_true(rows[1].t == 0);
	g_assert_true(isinf(rows[2].t) && rows[2].t < 0);
	g_assert_cmpuint(rows[0].k_raw, ==, 1);
	g_assert_cmpuint(rows[0].k_slower, ==, 2); /* the flip of all blocks makes the gain a loss */
	g_assert_cmpuint(rows[1].k_slower, ==, 64);
	g_assert_cmpuint(rows[2].k_slower, ==, 64);
	g_assert_cmpuint(rows[2].k_faster, ==, 2);
}

/* ---- the two steps ------------------------------------------------------------------------------------------------ */

#define BLOCKS 17
typedef struct {
	double base[BLOCKS], candidate[BLOCKS];
} Pair;

/* Run-to-run spread of about 0.6 %, far below any threshold, and a loss of the candidate. */
static void pair_fill(Pair *pair, guint seed, double loss)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	for (guint r = 0; r < BLOCKS; r++) {
		pair->base[r] = 18 + g_rand_double_range(rand, -0.01, 0.01);
		pair->candidate[r] = 18 + log1p(-loss) + g_rand_double_range(rand, -0.01, 0.01);
	}
}

static GateCell cell_of(const char *name, const Pair *pair)
{
	return (GateCell){.name = name, .baseline = pair->base, .candidate = pair->candidate};
}

typedef struct {
	Pair pairs[4];
	GateCell cells[4];
	guint all[4];
	GateGroup group;
	GateInput input;
	GateSettings settings;
} Sweep;

static void sweep_init(Sweep *sweep, const double *losses)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	for (guint i = 0; i < 4; i++) {
		pair_fill(&sweep->pairs[i], 7919 * (i + 1), losses[i]);
		sweep->cells[i] = cell_of(names[i], &sweep->pairs[i]);
		sweep->all[i] = i;
	}
	sweep->group = (GateGroup){.name = "all", .cells = sweep->all, .n_cells = 4};
	sweep->input = (GateInput){.blocks = BLOCKS, .cells = sweep->cells, .n_cells = 4, .groups = &sweep->group,
		.n_groups = 1};
	gate_settings_init(&sweep->settings);
}

static GateResult *judge(Sweep *sweep)
{
	GError *error = NULL;
	GateResult *result = gate_judge(&sweep->settings, &sweep->input, &error);

	g_assert_no_error(error);
	return result;
}

static void expect_verdict(const GateResult *result, const char *name, const char *verdict)
{
	const GateRow *row = gate_row(result, name);

	g_assert_nonnull(row);
	g_test_message("%s: %s", name, row->reason ? row->reason : "-");
	g_assert_cmpstr(gate_verdict_name(row->verdict), ==, verdict);
}

static void expect_exit(const GateResult *result, int code, const char *why)
{
	g_autofree char *got = NULL;

	g_assert_cmpint(gate_exit_code(result, &got), ==, code);
	g_assert_cmpstr(got, ==, why);
}

static void test_pass(void)
{
	static const double losses[4] = {0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	result = judge(&sweep);
	for (guint i = 0; i < result->rows->len; i++)
		g_assert_cmpint(((GateRow *)result->rows->pdata[i])->verdict, ==, GATE_OK);
	g_assert_cmpuint(result->cells, ==, 4);
	expect_exit(result, 0, "0 regressions in 5 rows");
}

static void test_regressed(void)
{
	static const double losses[4] = {0, 0.05, 0, -0.1};
	g_autoptr(GateResult) result = NULL;
	const GateRow *row;
	Sweep sweep;

	sweep_init(&sweep, losses);
	result = judge(&sweep);
	expect_verdict(result, "b", "REGRESSED");
	expect_verdict(result, "d", "IMPROVED");
	expect_verdict(result, "a", "OK");
	row = gate_row(result, "b");
	g_assert_cmpuint(row->n, ==, 12);
	/* With all blocks flipped the gain of d is a larger loss than this one. */
	g_assert_cmpuint(row->test.k_slower, ==, 2);
	g_test_message("%.4f to %.4f", row->low, row->high);
	g_assert_true(row->low > 0.04 && row->low < row->slowdown && row->slowdown < row->high && row->high < 0.06);
	expect_exit(result, 1, "1 row REGRESSED");
	g_clear_pointer(&result, gate_result_free);
	/* A waiver takes it out of the exit code, not out of the table. */
	sweep.cells[1].waived = TRUE;
	result = judge(&sweep);
	expect_verdict(result, "b", "REGRESSED");
	expect_exit(result, 0, "1 of 5 rows IMPROVED, none slower");
}

/* The group sees what no cell does. */
static void test_group(void)
{
	static const double losses[4] = {0.018, 0.018, 0.018, 0.018};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	result = judge(&sweep);
	expect_verdict(result, "all", "REGRESSED");
	expect_verdict(result, "a", "OK");
	expect_exit(result, 1, "1 row REGRESSED");
}

static void test_absent(void)
{
	static const double losses[4] = {0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	sweep.cells[0].no_baseline = TRUE;
	result = judge(&sweep);
	expect_verdict(result, "a", "NEW");
	expect_exit(result, 0, "0 regressions in 5 rows");
	g_clear_pointer(&result, gate_result_free);
	sweep.cells[1].no_candidate = TRUE;
	result = judge(&sweep);
	expect_verdict(result, "b", "MISSING");
	expect_exit(result, 3, "1 row MISSING");
	g_clear_pointer(&result, gate_result_free);
	sweep.cells[1].waived = TRUE;
	result = judge(&sweep);
	expect_exit(result, 0, "0 regressions in 5 rows");
	g_clear_pointer(&result, gate_result_free);
	for (guint i = 0; i < 4; i++)
		sweep.cells[i].no_baseline = TRUE;
	sweep.cells[1].no_candidate = FALSE;
	result = judge(&sweep);
	expect_exit(result, 4, "no cell has both arms");
}

/* Flagged and failed values are NaN here; a cell without enough of the rest never passes. */
static void test_left_out(void)
{
	static const double losses[4] = {0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	for (guint r = 0; r < BLOCKS; r++) {
		sweep.pairs[0].candidate[r] = NAN;
		if (r != 3)
			sweep.pairs[1].base[r] = -INFINITY; /* ln(0) */
	}
	sweep.cells[0].flagged[1] = BLOCKS;
	sweep.cells[1].failed[0] = BLOCKS - 1;
	result = judge(&sweep);
	expect_verdict(result, "a", "INVALID");
	expect_verdict(result, "b", "INCONCLUSIVE");
	expect_verdict(result, "c", "OK");
	expect_exit(result, 3, "1 row INVALID");
	g_clear_pointer(&result, gate_result_free);
	sweep.cells[0].waived = TRUE;
	result = judge(&sweep);
	expect_exit(result, 3, "1 row INCONCLUSIVE");
	g_clear_pointer(&result, gate_result_free);
	/* Not one run of it came through: that is no verdict on its speed. */
	sweep.pairs[1].base[3] = NAN;
	sweep.cells[1].failed[0] = BLOCKS;
	result = judge(&sweep);
	expect_exit(result, 5, "all runs of 1 cell failed, on one side at least");
}

/* Cell a's candidate lost these of its runs, the rest of them slower by LOSS. */
static void lose(Sweep *sweep, guint first, guint n, gboolean flagged, double loss)
{
	for (guint r = 0; r < BLOCKS; r++)
		sweep->pairs[0].candidate[r] = r >= first && r < first + n ? NAN : sweep->pairs[0].candidate[r] + log1p(-loss);
	if (flagged)
		sweep->cells[0].flagged[1] = n;
	else
		sweep->cells[0].failed[1] = sweep->cells[0].lost = n;
}

/* A candidate that fails, or is flagged, in most or in some of its runs never passes. */
static void test_lost(void)
{
	static const double losses[4] = {0};
	static const struct {
		guint first, n;
		gboolean flagged;
		double loss;
		const char *verdict;
		int code;
	} rows[] = {
		{2, 15, FALSE, 0, "INVALID", 3}, {0, 17, FALSE, 0, "INVALID", 5}, {16, 1, FALSE, 0, "INVALID", 3},
		{2, 15, TRUE, 0.3, "INVALID", 3}, {0, 17, TRUE, 0.3, "INVALID", 3}, {5, 12, FALSE, 0.123, "INVALID", 3},
		{5, 12, TRUE, 0.123, "INVALID", 3}, {0, 3, TRUE, 0, "OK", 0}, {5, 2, TRUE, 0, "OK", 0}, {0, 3, TRUE, 0.1, "REGRESSED", 1},
		{0, 3, FALSE, 0.1, "REGRESSED", 1},
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GateResult) result = NULL;
		Sweep sweep;

		g_test_message("row %u", i);
		sweep_init(&sweep, losses);
		sweep.input.n_groups = 0;
		lose(&sweep, rows[i].first, rows[i].n, rows[i].flagged, rows[i].loss);
		result = judge(&sweep);
		expect_verdict(result, "a", rows[i].verdict);
		g_assert_cmpint(gate_exit_code(result, NULL), ==, rows[i].code);
	}
}

/* What fails on both sides alike is no fault of the candidate; one side without a run is exit 5 whatever the other has. */
static void test_lost_sides(void)
{
	static const double losses[4] = {0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	lose(&sweep, 16, 1, FALSE, 0);
	sweep.pairs[0].base[15] = NAN;
	sweep.cells[0].failed[0] = 1;
	result = judge(&sweep);
	expect_verdict(result, "a", "OK");
	expect_exit(result, 0, "0 regressions in 5 rows");
	g_clear_pointer(&result, gate_result_free);
	lose(&sweep, 0, BLOCKS, FALSE, 0);
	sweep.cells[0].failed[0] = 0;
	sweep.cells[0].flagged[0] = 1;
	result = judge(&sweep);
	expect_exit(result, 5, "all runs of 1 cell failed, on one side at least");
	g_clear_pointer(&result, gate_result_free);
	sweep.cells[0].waived = TRUE;
	result = judge(&sweep);
	expect_exit(result, 0, "0 regressions in 5 rows");
}

/* Two blocks are no screen of five. */
static void test_too_short(void)
{
	static const double losses[4] = {0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	sweep.input.blocks = 2;
	result = judge(&sweep);
	expect_verdict(result, "b", "INCONCLUSIVE");
	expect_exit(result, 3, "5 rows INCONCLUSIVE");
	g_clear_pointer(&result, gate_result_free);
	sweep.settings.screen_blocks = 2;
	result = judge(&sweep);
	expect_exit(result, 0, "0 regressions in 5 rows");
}

/* A known loss of one cell is no loss of its groups, and its noise no one's. */
static void test_waived_cell(void)
{
	static const double losses[4] = {0.12, 0, 0, 0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	result = judge(&sweep);
	expect_verdict(result, "all", "REGRESSED");
	g_clear_pointer(&result, gate_result_free);
	sweep.cells[0].waived = TRUE;
	result = judge(&sweep);
	expect_verdict(result, "a", "REGRESSED");
	expect_verdict(result, "all", "OK");
	g_assert_cmpuint(gate_row(result, "all")->members, ==, 3);
	g_assert_cmpuint(result->cells, ==, 3);
	expect_exit(result, 0, "0 regressions in 5 rows");
	g_clear_pointer(&result, gate_result_free);
	for (guint i = 0; i < 4; i++) {
		sweep.cells[i].waived = TRUE;
		for (guint r = 0; r < BLOCKS; r++)
			sweep.pairs[i].candidate[r] += r % 2 ? 0.5 : -0.5;
	}
	result = judge(&sweep);
	g_assert_cmpuint(result->noisy, ==, 0);
	expect_exit(result, 4, "every cell that has both arms is waived");
}

/* A control that was measured and gave nothing is not the same as none. */
static void test_control_short(void)
{
	static const double losses[4] = {0};
	g_autoptr(GateResult) result = NULL;
	double control[BLOCKS];
	Sweep sweep;

	sweep_init(&sweep, losses);
	for (guint r = 0; r < BLOCKS; r++)
		control[r] = r < 8 ? 0.001 * (r % 3) : NAN;
	sweep.input.control = control;
	result = judge(&sweep);
	expect_exit(result, 3, "the control has good runs in 8 of 17 blocks only, so that nobody can tell whether the host moved");
	g_clear_pointer(&result, gate_result_free);
	control[8] = 0;
	result = judge(&sweep);
	expect_exit(result, 0, "0 regressions in 5 rows");
	g_clear_pointer(&result, gate_result_free);
	/* The screen alone cannot tell a moved host from chance, and says so. */
	sweep.input.blocks = 5;
	for (guint r = 0; r < BLOCKS; r++)
		control[r] = -0.027;
	result = judge(&sweep);
	expect_exit(result, 3, "the host's own rate differs by -2.7 % between the arms, and too few blocks tell whether that is chance");
}

static void test_drift(void)
{
	static const double losses[4] = {0, 0.05, 0, 0};
	g_autoptr(GateResult) result = NULL;
	double control[BLOCKS];
	Sweep sweep;

	sweep_init(&sweep, losses);
	for (guint r = 0; r < BLOCKS; r++)
		control[r] = -0.03 + 0.001 * (r % 5);
	sweep.input.control = control;
	result = judge(&sweep);
	g_assert_true(result->drift);
	expect_verdict(result, "b", "WITHHELD");
	expect_verdict(result, "a", "WITHHELD");
	expect_exit(result, 3, "CONTROL_DRIFT: the host's own rate moved by -2.8 % between the arms");
	g_clear_pointer(&result, gate_result_free);
	for (guint r = 0; r < BLOCKS; r++)
		control[r] = r % 2 ? 0.02 : -0.02;
	result = judge(&sweep);
	g_assert_false(result->drift);
	expect_verdict(result, "b", "REGRESSED");
}

static void test_same(void)
{
	static const double losses[4] = {0, 0.05, 0, 0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	sweep.input.same = TRUE;
	result = judge(&sweep);
	expect_verdict(result, "b", "NO_CHANGE");
	g_assert_cmpstr(gate_row(result, "b")->reason, ==,
		"both arms are the same; otherwise this would be REGRESSED");
	expect_exit(result, 0, "NO_CHANGE, both arms are the same (2 of 5 rows would be alarms)");
}

/* Spreads of 20 %: nothing can be told, and that is what is said. */
static void test_noisy(void)
{
	static const double losses[4] = {0};
	g_autoptr(GRand) rand = g_rand_new_with_seed(5);
	g_autoptr(GateResult) result = NULL;
	g_autofree char *why = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	for (guint i = 0; i < 3; i++)
		for (guint r = 0; r < BLOCKS; r++)
			sweep.pairs[i].candidate[r] += (r % 2 ? 1 : -1) * g_rand_double_range(rand, 0.15, 0.35);
	result = judge(&sweep);
	g_assert_cmpuint(result->noisy, >=, 3);
	for (guint i = 0; i < 3; i++) {
		const GateRow *row = gate_row(result, sweep.cells[i].name);

		g_assert_true(row->too_noisy);
		g_assert_cmpint(row->verdict, ==, GATE_TOO_NOISY);
		g_assert_cmpfloat(row->mde, >, 0.10);
	}
	g_assert_cmpint(gate_exit_code(result, &why), ==, 3);
}

/* One very noisy cell among good ones is listed and does not stop the gate, unless it is required. */
static void test_required(void)
{
	static const double losses[4] = {0};
	g_autoptr(GRand) rand = g_rand_new_with_seed(5);
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	sweep.input.n_groups = 0;
	for (guint r = 0; r < BLOCKS; r++)
		sweep.pairs[0].candidate[r] += (r % 2 ? 1 : -1) * g_rand_double_range(rand, 0.15, 0.35);
	result = judge(&sweep);
	expect_verdict(result, "a", "TOO_NOISY");
	expect_exit(result, 0, "0 regressions in 4 rows");
	g_clear_pointer(&result, gate_result_free);
	sweep.cells[0].required = TRUE;
	result = judge(&sweep);
	expect_exit(result, 3, "1 required row TOO_NOISY");
}

/* Five blocks are the screen: what it suspects is inconclusive until it is confirmed. */
static void test_screen_only(void)
{
	static const double losses[4] = {0, 0.05, 0, 0};
	g_autoptr(GateResult) result = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	sweep.input.blocks = 5;
	result = judge(&sweep);
	expect_verdict(result, "b", "INCONCLUSIVE");
	g_assert_true(gate_row(result, "b")->promoted);
	expect_verdict(result, "c", "OK");
	g_assert_false(gate_row(result, "c")->promoted);
}

static void test_orders(void)
{
	static const double losses[4] = {0.01, 0.05, 0, -0.03};
	g_autoptr(GateResult) one = NULL, other = NULL;
	GateCell cells[4];
	Sweep sweep;

	sweep_init(&sweep, losses);
	one = judge(&sweep);
	for (guint i = 0; i < 4; i++)
		cells[i] = sweep.cells[3 - i];
	sweep.input.cells = cells;
	other = judge(&sweep);
	g_assert_cmpuint(one->rows->len, ==, other->rows->len);
	for (guint i = 0; i < one->rows->len; i++) {
		const GateRow *a = one->rows->pdata[i], *b = other->rows->pdata[i];

		g_assert_cmpstr(a->name, ==, b->name);
		g_assert_cmpint(a->verdict, ==, b->verdict);
		g_assert_cmpuint(a->test.k_slower, ==, b->test.k_slower);
		g_assert_true(a->slowdown == b->slowdown && a->high == b->high && a->v0 == b->v0);
	}
}

static void test_refused(void)
{
	static const double losses[4] = {0};
	g_autoptr(GError) error = NULL;
	Sweep sweep;

	sweep_init(&sweep, losses);
	sweep.cells[1].name = "a";
	g_assert_null(gate_judge(&sweep.settings, &sweep.input, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_cmpstr(error->message, ==,
		"two rows of the gate are called \"a\"; every cell and group needs its own name");
	g_clear_error(&error);
	sweep.input.blocks = 26;
	g_assert_null(gate_judge(&sweep.settings, &sweep.input, &error));
	g_assert_cmpstr(error->message, ==, "26 blocks are more than the exact test takes; judge at most 25");
	g_clear_error(&error);
	sweep.input.blocks = BLOCKS;
	sweep.input.n_cells = 0;
	g_assert_null(gate_judge(&sweep.settings, &sweep.input, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING);
}

static void test_settings(void)
{
	GateSettings settings;

	gate_settings_init(&settings);
	g_assert_cmpuint(gate_min_blocks(&settings), ==, 6);
	settings.alpha = 0.01;
	g_assert_cmpuint(gate_min_blocks(&settings), ==, 7);
	/* 0.05 x 2^12 = 204.8 */
	g_assert_true(signflip_significant(204, 12, 0.05));
	g_assert_false(signflip_significant(205, 12, 0.05));
	g_assert_true(signflip_significant(1, 2, 0.25));
	/* By tables of t and chi-squared: t(.95; 4) = 2.13185, chi2(.2; 4) = 1.64878. */
	g_assert_cmpfloat_with_epsilon(gate_mde(0.03, 4, 12, 4, 0.05, 0.025),
		1 - exp(-(3.49541 + 2.13185) * 0.03 / sqrt(12)), 1e-4);
	/* A small spread: the floor decides. */
	g_assert_cmpfloat_with_epsilon(gate_mde(0.02, 4, 12, 1, 0.05, 0.025),
		1 - 0.975 * exp(-2.13185 * 0.02 / sqrt(12)), 1e-5);
	g_assert_true(isnan(gate_mde(0.02, 0, 12, 1, 0.05, 0.025)));
}

/* 300 cells, 12 blocks, all 4 096 flips. */
static void test_cost(void)
{
	g_autofree double *d = g_new(double, 300 * 12);
	g_autofree SignflipRow *rows = g_new0(SignflipRow, 300);
	double spent;

	fill(d, 300, 12, 1, 0);
	for (guint i = 0; i < 300; i++)
		rows[i] = (SignflipRow){.d = d + 12 * i, .v0 = 0.0004};
	g_test_timer_start();
	signflip_test(rows, 300, 12, 6);
	spent = g_test_timer_elapsed();
	g_test_message("300 rows x 4096 flips: %.3f s", spent);
	/* A sanitizer or a loaded machine may take ten times as long as the second that is promised. */
	g_assert_cmpfloat(spent, <, 10);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gate/vectors", test_vectors);
	g_test_add_func("/gate/enumeration", test_enumeration);
	g_test_add_func("/gate/infinite", test_infinite);
	g_test_add_func("/gate/pass", test_pass);
	g_test_add_func("/gate/regressed", test_regressed);
	g_test_add_func("/gate/group", test_group);
	g_test_add_func("/gate/absent", test_absent);
	g_test_add_func("/gate/left-out", test_left_out);
	g_test_add_func("/gate/lost", test_lost);
	g_test_add_func("/gate/lost-sides", test_lost_sides);
	g_test_add_func("/gate/too-short", test_too_short);
	g_test_add_func("/gate/waived-cell", test_waived_cell);
	g_test_add_func("/gate/control-short", test_control_short);
	g_test_add_func("/gate/drift", test_drift);
	g_test_add_func("/gate/same", test_same);
	g_test_add_func("/gate/noisy", test_noisy);
	g_test_add_func("/gate/required", test_required);
	g_test_add_func("/gate/screen-only", test_screen_only);
	g_test_add_func("/gate/orders", test_orders);
	g_test_add_func("/gate/refused", test_refused);
	g_test_add_func("/gate/settings", test_settings);
	g_test_add_func("/gate/cost", test_cost);
	return g_test_run();
}
