/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/gate-report.h"

#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/export/gate-render.h"
#include "harness/export/json.h"
#include "harness/export/render.h"

static json_t *texts(const char *const *list)
{
	json_t *out = json_array();

	for (guint i = 0; list && list[i]; i++)
		json_array_append_new(out, json_text(list[i]));
	return out;
}

static json_t *texts_of(const GPtrArray *list)
{
	json_t *out = json_array();

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(out, json_text(list->pdata[i]));
	return out;
}

static json_t *settings_json(const GateSettings *s, const GateReportExtra *extra)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:I, s:o}", "alpha", s->alpha, "detect", s->detect,
		"group_detect", s->group_detect, "least", s->least, "group_least", s->group_least, "screen_blocks",
		(int)s->screen_blocks, "min_blocks", (int)gate_min_blocks(s), "seed", (json_int_t)s->seed,
		"accepted_flags", texts(extra->accept));
}

static json_t *numbers(const double *values, guint n)
{
	json_t *out = json_array();

	for (guint i = 0; i < n; i++)
		json_array_append_new(out, json_number(values[i]));
	return out;
}

static void set_tests(json_t *json, const GateRow *row)
{
	gboolean counted = row->test.in_family;

	json_object_set_new(json, "p_raw", json_number(row->p_raw));
	json_object_set_new(json, "p_adjusted", json_number(row->p_slower));
	json_object_set_new(json, "p_improved", json_number(row->p_faster));
	json_object_set_new(json, "k_adjusted", counted ? json_integer((json_int_t)row->test.k_slower) : json_null());
	json_object_set_new(json, "k_improved", counted ? json_integer((json_int_t)row->test.k_faster) : json_null());
	json_object_set_new(json, "t", row->confirmed ? json_number(row->test.t) : json_null());
	json_object_set_new(json, "clipped", counted ? json_integer(row->test.clipped) : json_null());
}

static json_t *row_json(const GateRow *row)
{
	json_t *json = json_pack("{s:o, s:b, s:s, s:o}", "name", json_text(row->name), "group", row->group, "verdict",
		gate_verdict_name(row->verdict), "reason", json_text(row->reason));

	json_object_set_new(json, "promoted", json_boolean(row->promoted));
	json_object_set_new(json, "confirmed", json_boolean(row->confirmed));
	json_object_set_new(json, "waived", json_boolean(row->waived));
	json_object_set_new(json, "required", json_boolean(row->required));
	json_object_set_new(json, "too_noisy", json_boolean(row->too_noisy));
	json_object_set_new(json, "n", json_integer(row->n));
	json_object_set_new(json, "n_screen", json_integer(row->n_screen));
	json_object_set_new(json, "flagged", json_integer(row->flagged));
	json_object_set_new(json, "failed", json_integer(row->failed));
	json_object_set_new(json, "flags", texts_of(row->flags));
	json_object_set_new(json, "flags_left_out", texts_of(row->flags_out));
	json_object_set_new(json, "slowdown", json_number(row->slowdown));
	json_object_set_new(json, "low", json_number(row->low));
	json_object_set_new(json, "high", json_number(row->high));
	json_object_set_new(json, "spread", json_number(row->screen_sd));
	json_object_set_new(json, "detectable", json_number(row->mde));
	json_object_set_new(json, "v0", json_number(row->v0));
	set_tests(json, row);
	json_object_set_new(json, "differences", numbers(row->d, row->blocks));
	return json;
}

static json_t *rows_json(const GateResult *result)
{
	json_t *rows = json_array();

	for (guint i = 0; i < result->rows->len; i++)
		json_array_append_new(rows, row_json(result->rows->pdata[i]));
	return rows;
}

static json_t *control_json(const GateResult *result)
{
	if (result->control_n == 0)
		return json_null();
	return json_pack("{s:b, s:i, s:o, s:o}", "drift", result->drift, "n", (int)result->control_n, "mean",
		json_number(result->control_mean), "p",
		json_number(result->control_p));
}

/* What is judged of one family; the report itself is throughput's. */
static void set_result(json_t *report, const GateResult *result, const GateReportExtra *extra)
{
	json_object_set_new(report, "settings", settings_json(&result->settings, extra));
	json_object_set_new(report, "family", json_integer(result->family));
	json_object_set_new(report, "promoted", json_integer(result->promoted));
	json_object_set_new(report, "cells", json_integer(result->cells));
	json_object_set_new(report, "too_noisy", json_integer(result->noisy));
	json_object_set_new(report, "blocks", json_integer(result->blocks));
	json_object_set_new(report, "flips",
		result->stored ? json_null() : json_integer((json_int_t)signflip_flips(result->confirm_blocks)));
	json_object_set_new(report, "control", control_json(result));
	json_object_set_new(report, "rows", rows_json(result));
}

/* RESULT is NULL where no run has the metric, or nothing was judged; then SETTINGS are those that would have held, or NULL. */
static json_t *family_json(GateMetricId id, GateFamilyMode mode, const GateData *data, const GateResult *result,
	const GateSettings *settings, const GateReportExtra *extra)
{
	const GateMetric *metric = gate_metric(id);
	json_t *json = json_pack("{s:s, s:s, s:s, s:b, s:s}", "name", metric->name, "what", metric->what, "better",
		metric->lower ? "lower" : "higher", "gating", mode == GATE_FAMILY_GATING, "method",
		data->candidates ? "stored" : "paired");

	json_object_set_new(json, "baseline_sweeps", json_integer(data->baselines));
	if (result)
		set_result(json, result, extra);
	else
		json_object_set_new(json, "rows", json_array());
	if (!result && settings)
		json_object_set_new(json, "settings", settings_json(settings, extra));
	return json;
}

static void set_families(json_t *report, const GateData *data, const GPtrArray *families, const GateReportExtra *extra)
{
	json_t *list = json_array();
	guint gating = 0;

	for (guint i = 0; families && i < families->len; i++) {
		const GateFamily *family = families->pdata[i];

		if (family->metric != GATE_THROUGHPUT)
			json_array_append_new(list, family_json(family->metric, family->mode, family->data, family->result, NULL, extra));
	}
	for (guint m = 0; m < GATE_METRICS; m++) {
		gating += extra->modes[m] == GATE_FAMILY_GATING;
		if (!families && m != GATE_THROUGHPUT && extra->modes[m] != GATE_FAMILY_OFF)
			json_array_append_new(list, family_json(m, extra->modes[m], data, NULL, &extra->settings[m], extra));
	}
	json_object_set_new(report, "families", list);
	json_object_set_new(report, "alpha", json_number(extra->alpha));
	json_object_set_new(report, "gating", json_integer(gating));
}

static const char *const words[] = {"PASS", "REGRESSION", "USAGE", "INCONCLUSIVE", "NOT_COMPARABLE", "FAILED"};

json_t *gate_report_json(const GateData *data, const GPtrArray *families, const GateReportExtra *extra)
{
	static const char *const columns[] = {"id", "uuid", "label", "profile", "commit_id", "branch", "seed", "accel",
		"fingerprint", "iogap_version", "qemu_version", "host_kernel", NULL};
	json_t *report = json_pack("{s:s, s:i, s:s, s:i, s:o, s:s}", "format", GATE_REPORT_FORMAT, "version",
		GATE_REPORT_VERSION, "verdict", words[CLAMP(extra->exit_code, 0, 5)], "exit", extra->exit_code, "why",
		json_text(extra->why), "method", data->candidates ? "stored" : "paired");

	json_object_set_new(report, "baseline", json_text(data->baseline));
	json_object_set_new(report, "candidate", json_text(data->candidate));
	json_object_set_new(report, "baseline_sweeps", json_integer(data->baselines));
	json_object_set_new(report, "sweep", json_columns(data->sweep, columns));
	json_object_set_new(report, "waivers", texts(extra->waivers));
	json_object_set_new(report, "notes", texts_of(data->notes));
	json_object_set_new(report, "differences", texts_of(data->differences));
	json_object_set_new(report, "forced", json_boolean(extra->forced));
	json_object_set_new(report, "inconclusive", json_text(extra->inconclusive));
	if (families) {
		set_result(report, ((const GateFamily *)families->pdata[0])->result, extra);
	} else {
		json_object_set_new(report, "settings", settings_json(&extra->settings[GATE_THROUGHPUT], extra));
		json_object_set_new(report, "rows", json_array());
	}
	set_families(report, data, families, extra);
	return report;
}

const GateReportFormat gate_report_formats[] = {
	{"text", "the verdict and a table", gate_render_text},
	{"markdown", "for a comment on a pull request, at most 60000 bytes", gate_render_markdown},
	{"junit", "JUnit XML, one test case for each cell", gate_render_junit},
	{"github", "workflow commands that annotate a pull request on GitHub", gate_render_github},
	{"gitlab", "metrics report of GitLab CI (OpenMetrics text)", gate_render_gitlab},
	{NULL},
};

/* The page shows what the text says in words too: sentences are made here, the page only lays out. */
static gboolean render_html(const json_t *report, GString *out, GError **error)
{
	g_autofree char *headline = gate_headline(report), *text = NULL;
	g_autoptr(GPtrArray) statements = gate_statements(report);
	json_t *page = json_deep_copy(report);

	json_object_set_new(page, "headline", json_text(headline));
	json_object_set_new(page, "statements", texts_of(statements));
	text = render_document(page, "gate", error);
	json_decref(page);
	if (text)
		g_string_append(out, text);
	return text != NULL;
}

gboolean gate_report_format(const char *format, GError **error)
{
	const char *names[G_N_ELEMENTS(gate_report_formats) + 2] = {"json", "html"};
	g_autofree char *list = NULL;
	const char *hint;

	for (guint i = 0; gate_report_formats[i].name; i++)
		names[i + 2] = gate_report_formats[i].name;
	if (g_strv_contains(names, format))
		return TRUE;
	hint = nearest(format, names);
	list = g_strjoinv(", ", (char **)names);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--format %s: expected one of %s%s%s%s", format, list,
		hint ? "; did you mean \"" : "", hint ? hint : "", hint ? "\"?" : "");
	return FALSE;
}

gboolean gate_report_render(const json_t *report, const char *format, GString *out, GError **error)
{
	char *text;

	if (g_str_equal(format, "json")) {
		text = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
		g_string_append_printf(out, "%s\n", text);
		free(text);
		return TRUE;
	}
	if (g_str_equal(format, "html"))
		return render_html(report, out, error);
	for (guint i = 0; gate_report_formats[i].name; i++)
		if (g_str_equal(format, gate_report_formats[i].name)) {
			gate_report_formats[i].render(report, out);
			return TRUE;
		}
	return gate_report_format(format, error);
}

/* What every output and the exit status need. */
static gboolean is_complete(const json_t *report)
{
	const json_t *code = json_object_get(report, "exit");
	const char *inconclusive = json_string_value(json_object_get(report, "inconclusive"));

	if (inconclusive && !g_str_equal(inconclusive, "pass") && !g_str_equal(inconclusive, "fail"))
		return FALSE;
	return json_is_array(json_object_get(report, "rows")) && json_is_integer(code) && json_integer_value(code) >= 0 &&
		json_integer_value(code) < (json_int_t)G_N_ELEMENTS(words) &&
		g_strcmp0(json_string_value(json_object_get(report, "verdict")), words[json_integer_value(code)]) == 0;
}

json_t *gate_report_load(const char *file, GError **error)
{
	json_error_t why;
	json_t *report = json_load_file(file, JSON_REJECT_DUPLICATES, &why);

	gboolean ours = report && g_strcmp0(json_string_value(json_object_get(report, "format")), GATE_REPORT_FORMAT) == 0 &&
		json_integer_value(json_object_get(report, "version")) == GATE_REPORT_VERSION;

	if (ours && is_complete(report))
		return report;
	if (!report)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s:%d: %s", file, why.line, why.text);
	else if (ours)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s is no whole report of `iogap gate`: it needs \"rows\", \"exit\" (0 to %u) "
			"and the \"verdict\" that belongs to it", file, (guint)G_N_ELEMENTS(words) - 1);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s is not a report of `iogap gate` of version %d", file,
			GATE_REPORT_VERSION);
	json_decref(report);
	return NULL;
}
