/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/agreement.h"

#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/compare/engines.h"
#include "harness/export/json.h"

typedef struct {
	Record *sweep;
	GPtrArray *legs, *runs, *flags;
} Rows;

static void rows_clear(Rows *rows)
{
	g_clear_pointer(&rows->sweep, record_free);
	g_clear_pointer(&rows->legs, g_ptr_array_unref);
	g_clear_pointer(&rows->runs, g_ptr_array_unref);
	g_clear_pointer(&rows->flags, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rows, rows_clear)

static gboolean is_same(const Record *a, const Record *b, const char *column)
{
	if (!record_has(a, column) || !record_has(b, column))
		return record_has(a, column) == record_has(b, column);
	if (record_type(a, column) == RECORD_TEXT)
		return g_strcmp0(record_get_text(a, column), record_get_text(b, column)) == 0;
	return record_get_int(a, column, 0) == record_get_int(b, column, 0);
}

/* Every column of a leg but those that an engine changes is what is measured. */
static gboolean is_partner(const Record *outside, const Record *own)
{
	static const char *const others[] = {"id", "label", "engine", "host_leg_id", NULL};
	const char *engine = record_get_text(outside, "engine");

	if (g_strcmp0(strchr(engine, ':') + 1, record_get_text(own, "engine")) != 0)
		return FALSE;
	for (guint i = 0; i < record_size(outside); i++) {
		const char *column = record_name(outside, i);

		if (!g_strv_contains(others, column) && !is_same(outside, own, column))
			return FALSE;
	}
	return TRUE;
}

static gboolean is_outside(const Record *leg)
{
	const char *engine = record_get_text(leg, "engine");

	return engine && g_str_has_prefix(engine, "fio:");
}

static const Record *find_partner(const Rows *rows, const Record *outside)
{
	for (guint i = 0; i < rows->legs->len; i++)
		if (is_partner(outside, g_ptr_array_index(rows->legs, i)))
			return g_ptr_array_index(rows->legs, i);
	return NULL;
}

static guint count_blocks(const Rows *rows)
{
	guint blocks = 0;

	for (guint i = 0; i < rows->runs->len; i++)
		blocks = MAX(blocks, 1 + (guint)record_get_int(g_ptr_array_index(rows->runs, i), "block", 0));
	return blocks;
}

/* The good runs of LEG by block. */
static EnginesRun *runs_of(const Rows *rows, const Record *leg, guint blocks)
{
	EnginesRun *found = g_new(EnginesRun, MAX(blocks, 1));

	for (guint b = 0; b < blocks; b++)
		found[b] = (EnginesRun){NAN, NAN, NAN};
	for (guint i = 0; i < rows->runs->len; i++) {
		const Record *run = g_ptr_array_index(rows->runs, i);

		if (record_get_int(run, "leg_id", -1) != record_get_int(leg, "id", -2) ||
			g_strcmp0(record_get_text(run, "status"), "ok") != 0)
			continue;
		found[record_get_int(run, "block", 0)] = (EnginesRun){
			record_get_real(run, "iops", NAN),
			record_get_real(run, "complete_mean_ns", NAN),
			record_get_real(run, "complete_p99_ns", NAN),
		};
	}
	return found;
}

/* Names of the flags of any run of LEG, each once. */
static json_t *flags_of(const Rows *rows, const Record *leg)
{
	g_autoptr(GHashTable) own = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	json_t *names = json_array();

	for (guint i = 0; i < rows->runs->len; i++) {
		const Record *run = g_ptr_array_index(rows->runs, i);
		gint64 id = record_get_int(run, "id", -1);

		if (record_get_int(run, "leg_id", -1) == record_get_int(leg, "id", -2))
			g_hash_table_add(own, g_memdup2(&id, sizeof(id)));
	}
	for (guint i = 0; i < rows->flags->len; i++) {
		const Record *flag = g_ptr_array_index(rows->flags, i);
		gint64 id = record_get_int(flag, "run_id", -1);
		char *name = (char *)record_get_text(flag, "flag");

		if (g_hash_table_contains(own, &id) && g_hash_table_add(seen, name))
			json_array_append_new(names, json_text(name));
	}
	return names;
}

static json_t *ratio_json(const EnginesRatio *ratio)
{
	const CompareCell *pairs = &ratio->pairs;
	gboolean any = pairs->n > 0;

	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:s}", "pairs", (int)pairs->n, "own",
		json_number(any ? pairs->guest : NAN), "outside", json_number(any ? pairs->host : NAN), "ratio",
		json_number(any ? pairs->ratio : NAN), "low", json_number(pairs->low), "high", json_number(pairs->high),
		"limit", ratio->limit, "verdict", engines_verdict_name(ratio->verdict));
}

static json_t *interval_json(const EnginesInterval *interval)
{
	return json_pack("[o, o, o]", json_number(interval->middle), json_number(interval->low), json_number(interval->high));
}

static gboolean is_limited(const Record *leg)
{
	return record_has(leg, "rate_iops") || record_has(leg, "iops_limit");
}

/* Why nothing is said of the legs, or NULL. */
static char *reason_of(const Rows *rows, const Record *own, const EnginesAgreement *agreement)
{
	guint pairs = agreement->iops.pairs.n;
	const char *unmet = engines_unmet(is_limited(own), record_get_int(rows->sweep, "settle_ns", 0),
		record_get_int(rows->sweep, "run_ns", 0));

	if (!unmet && pairs < ENGINES_MIN_PAIRS)
		return g_strdup_printf("%u pairs of runs, %u are needed (measure: blocks)", pairs, ENGINES_MIN_PAIRS);
	return g_strdup(unmet);
}

static json_t *leg_json(const Rows *rows, const Record *outside, const Record *own, EnginesAgreement *ret)
{
	guint blocks = count_blocks(rows);
	g_autofree EnginesRun *a = runs_of(rows, own, blocks);
	g_autofree EnginesRun *b = runs_of(rows, outside, blocks);
	g_autofree char *reason = NULL;

	*ret = engines_compare(a, b, blocks);
	reason = reason_of(rows, own, ret);
	if (reason)
		engines_withdraw(ret);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:s}, s:s, s:o, s:{s:o, s:o}}", "side",
		json_column(own, "side"), "label", json_column(own, "label"), "own", json_column(own, "engine"), "outside",
		json_column(outside, "engine"), "iops", ratio_json(&ret->iops), "mean_ns", ratio_json(&ret->mean), "p99_ns", "own",
		interval_json(&ret->own_p99), "outside", interval_json(&ret->outside_p99), "verdict",
		engines_verdict_name(ret->p99), "verdict", engines_verdict_name(ret->verdict), "reason", json_text(reason), "flags", "own",
		flags_of(rows, own), "outside", flags_of(rows, outside));
}

static gboolean read_rows(Store *store, gint64 sweep, Rows *rows, GError **error)
{
	rows->sweep = store_sweep(store, sweep, error);
	if (rows->sweep)
		rows->legs = store_legs(store, sweep, error);
	if (rows->legs)
		rows->runs = store_runs(store, sweep, error);
	if (rows->runs)
		rows->flags = store_flags(store, sweep, error);
	return rows->flags != NULL;
}

/* Every pair of legs that is one; *ret_all is what they say together. */
static json_t *legs_json(const Rows *rows, EnginesVerdict *ret_all)
{
	EnginesVerdict limited = ENGINES_AGREE;
	json_t *legs = json_array();
	guint n_limited = 0;

	for (guint i = 0; i < rows->legs->len; i++) {
		const Record *outside = g_ptr_array_index(rows->legs, i);
		const Record *own = is_outside(outside) ? find_partner(rows, outside) : NULL;
		EnginesAgreement agreement;

		if (!own)
			continue;
		json_array_append_new(legs, leg_json(rows, outside, own, &agreement));
		if (!is_limited(own))
			continue;
		n_limited++;
		limited = engines_worse(limited, agreement.verdict);
	}
	/* A limit of the guest's disk is none for its host legs, of which nothing is said then. */
	*ret_all = n_limited ? limited : ENGINES_UNCLEAR;
	return legs;
}

json_t *agreement_json(Store *store, gint64 sweep, GError **error)
{
	static const char *const columns[] = {"id", "uuid", "label", "profile", NULL};
	g_auto(Rows) rows = {NULL};
	EnginesVerdict all;
	json_t *legs;

	if (!read_rows(store, sweep, &rows, error))
		return NULL;
	legs = legs_json(&rows, &all);
	if (json_array_size(legs) == 0) {
		json_decref(legs);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
			"sweep %" G_GINT64_FORMAT " has no leg that both the agent and fio ran; measure with engine: [io_uring, fio], say",
			sweep);
		return NULL;
	}
	return json_pack("{s:s, s:i, s:o, s:s, s:o}", "format", AGREEMENT_FORMAT, "version", AGREEMENT_VERSION, "sweep",
		json_columns(rows.sweep, columns), "verdict", engines_verdict_name(all), "legs", legs);
}
