/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/verb.h"

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The words sorted, so that the order on the command line makes no other question. */
static void append_words(GString *out, const char *before, const char *const *words)
{
	g_autofree char **sorted = NULL;
	guint n = words ? g_strv_length((char **)words) : 0;

	if (n == 0)
		return;
	sorted = g_memdup2(words, n * sizeof(*words));
	qsort(sorted, n, sizeof(*sorted), compare_words);
	g_string_append(out, before);
	for (guint i = 0; i < n; i++)
		if (i == 0 || !g_str_equal(sorted[i], sorted[i - 1]))
			g_string_append_printf(out, "%s%s", i ? ", " : "", sorted[i]);
}

/* "arm new of sweep 7" without the sweep, whose number is another one in another store. */
static void append_arm(GString *out, const json_t *report, const char *key)
{
	const char *text = json_string_value(json_object_get(report, key));
	const char *end = text ? g_strrstr(text, " of sweep ") : NULL;

	g_string_append_len(out, text ? text : "", end ? end - text : -1);
}

char *gate_question(const GateChoice *choice, const json_t *report, const char *const *baselines, const char *const *candidates)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (baselines && *baselines) {
		append_words(out, "", candidates);
		append_words(out, " against ", baselines);
	} else {
		append_arm(out, report, "candidate");
		g_string_append(out, " against ");
		append_arm(out, report, "baseline");
	}
	append_words(out, "; accepted flags: ", choice->accept);
	append_words(out, "; required: ", choice->required);
	if (choice->ignore_environment)
		g_string_append(out, "; whatever the environments");
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/* A cell neither passed nor failed, and no waiver says that it does not matter. A group has only what its cells have. */
static gboolean is_open(const json_t *row)
{
	static const char *const open[] = {"INCONCLUSIVE", "TOO_NOISY", "INVALID", "MISSING", "WITHHELD", NULL};
	const char *verdict = json_string_value(json_object_get(row, "verdict"));

	return verdict && g_strv_contains(open, verdict) && !json_is_true(json_object_get(row, "waived")) &&
		!json_is_true(json_object_get(row, "group"));
}

/* Open although both sides have figures, and only because the baseline's are few. */
static gboolean wants_baselines(const json_t *row)
{
	return g_strcmp0(json_string_value(json_object_get(row, "verdict")), "INCONCLUSIVE") == 0 &&
		json_is_number(json_object_get(row, "slowdown")) &&
		json_integer_value(json_object_get(row, "n")) < GATE_MIN_BASELINES;
}

static gboolean all_want_baselines(const json_t *rows)
{
	const json_t *row;
	gsize i;

	json_array_foreach(rows, i, row)
		if (is_open(row) && !wants_baselines(row))
			return FALSE;
	return TRUE;
}

static gboolean too_few_baselines(const json_t *report)
{
	const json_t *family;
	gsize i;

	if (g_strcmp0(json_string_value(json_object_get(report, "method")), "stored") != 0 ||
		json_integer_value(json_object_get(report, "exit")) != EXIT_INCONCLUSIVE ||
		json_integer_value(json_object_get(report, "baseline_sweeps")) >= GATE_MIN_BASELINES)
		return FALSE;
	json_array_foreach(json_object_get(report, "families"), i, family)
		if (json_is_true(json_object_get(family, "gating")) && (json_array_size(json_object_get(family, "rows")) == 0 ||
			!all_want_baselines(json_object_get(family, "rows"))))
			return FALSE;
	return all_want_baselines(json_object_get(report, "rows"));
}

/* Too few baselines say nothing against the candidate: without it no first baseline could ever be. */
static const char *verdict_of(const json_t *report)
{
	return too_few_baselines(report) ? "TOO_FEW_BASELINES" : json_string_value(json_object_get(report, "verdict"));
}

/* How much a verdict says against a sweep; -1 for none. */
static int weight(const char *verdict)
{
	static const char *const words[] = {"NOT_COMPARABLE", "TOO_FEW_BASELINES", "PASS", "INCONCLUSIVE", "FAILED", "REGRESSION"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_strcmp0(verdict, words[i]) == 0)
			return (int)i;
	return -1;
}

static gboolean gives_way(const Record *sweep, const char *verdict, const char *question)
{
	const char *before = record_get_text(sweep, "gate_verdict");

	if (!before || weight(verdict) > weight(before))
		return TRUE;
	return weight(verdict) > 0 && g_strcmp0(record_get_text(sweep, "gate_against"), question) == 0;
}

static gboolean write_verdict(Store *store, gint64 id, const Record *before, const Record *changes, GError **error)
{
	for (guint i = 0; i < record_size(changes); i++) {
		const char *name = record_name(changes, i);

		if (g_strcmp0(record_get_text(before, name), record_get_text(changes, name)) != 0)
			return store_update_sweep(store, id, changes, error);
	}
	return TRUE;
}

static gboolean keep_one(Store *store, gint64 id, const json_t *report, const char *question, GError **error)
{
	g_autoptr(Record) before = store_sweep(store, id, error);
	g_autoptr(Record) changes = record_new();
	const char *verdict = verdict_of(report), *earlier;

	if (!before)
		return FALSE;
	if (gives_way(before, verdict, question)) {
		record_set_text(changes, "gate_verdict", verdict);
		record_set_text(changes, "gate_why", json_string_value(json_object_get(report, "why")));
		record_set_text(changes, "gate_against", question);
		return write_verdict(store, id, before, changes, error);
	}
	earlier = record_get_text(before, "gate_verdict");
	if (g_strcmp0(earlier, verdict) != 0)
		fprintf(stderr, "iogap: sweep %" G_GINT64_FORMAT " keeps its verdict %s (%s), and %s (%s) is not kept: a sweep has the "
			"worst answer of all that was asked of it\n", id, earlier, record_get_text(before, "gate_against"), verdict, question);
	return TRUE;
}

gboolean gate_keep(Store *store, const GArray *sweeps, const json_t *report, const char *question, GError **error)
{
	for (guint i = 0; i < sweeps->len; i++) {
		gint64 id = g_array_index(sweeps, gint64, i);
		g_autoptr(Record) sweep = store_sweep(store, id, error);

		if (!sweep)
			return FALSE;
		if (g_strcmp0(record_get_text(sweep, "status"), "finished") == 0)
			continue;
		fprintf(stderr, "iogap: the verdict is not kept in the store: sweep %" G_GINT64_FORMAT " is %s\n", id,
			record_get_text(sweep, "status"));
		return TRUE;
	}
	for (guint i = 0; i < sweeps->len; i++)
		if (!keep_one(store, g_array_index(sweeps, gint64, i), report, question, error))
			return FALSE;
	return TRUE;
}
