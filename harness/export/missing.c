/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/cells.h"
#include "harness/export/json.h"

/* Why there is no good run in one block. */
typedef struct {
	const char *kind; /* failed, skipped, missing */
	const char *reason;
} Gap;

static const char *never_run(const ReportData *data)
{
	const char *error = record_get_text(data->sweep, "error");
	const char *status = record_get_text(data->sweep, "status");

	if (error)
		return error;
	if (g_strcmp0(status, "running") == 0)
		return "the sweep is still running, or was killed";
	if (g_strcmp0(status, "interrupted") == 0)
		return "the sweep was interrupted before it";
	return "never run";
}

/* The latest run of the block says what happened. */
static Gap gap_of(const ReportData *data, const ReportLeg *leg, guint block)
{
	Gap gap = {"missing", never_run(data)};

	for (guint i = 0; i < leg->runs->len; i++) {
		const ReportRun *run = leg->runs->pdata[i];

		if (run->block != block)
			continue;
		gap.kind = g_str_equal(run->status, "skipped") ? "skipped" : "failed";
		gap.reason = record_get_text(run->row, "reason");
		if (!gap.reason)
			gap.reason = "its rate is not a positive number";
	}
	return gap;
}

static gboolean same_gap(Gap a, Gap b)
{
	return g_str_equal(a.kind, b.kind) && g_str_equal(a.reason, b.reason);
}

/* TRUE when no block has a good run, and all for one reason. */
static gboolean one_gap(const ReportData *data, const ReportLeg *leg)
{
	for (guint r = 0; r < data->blocks; r++)
		if (leg->good[r] || !same_gap(gap_of(data, leg, r), gap_of(data, leg, 0)))
			return FALSE;
	return data->blocks > 0;
}

char *missing_reason(const ReportData *data, const ReportLeg *leg)
{
	GString *text;

	if (data->blocks == 0)
		return g_strdup(never_run(data));
	if (one_gap(data, leg)) {
		Gap gap = gap_of(data, leg, 0);

		return g_strdup_printf("%s: %s", gap.kind, gap.reason);
	}
	text = g_string_new(NULL);
	for (guint r = 0; r < data->blocks; r++) {
		Gap gap = gap_of(data, leg, r);

		if (!leg->good[r])
			g_string_append_printf(
				text, "%sblock %u %s: %s", text->len ? "; " : "", r + 1, gap.kind, gap.reason);
	}
	return g_string_free(text, FALSE);
}

static void add(json_t *list, const char *kind, const char *what, int block, const char *reason)
{
	json_array_append_new(list,
		json_pack("{ss so so so}", "kind", kind, "what", json_text(what), "block",
			block < 0 ? json_null() : json_integer(block), "reason", json_text(reason)));
}

static void add_leg(json_t *list, const ReportData *data, const ReportLeg *leg)
{
	if (one_gap(data, leg)) {
		Gap gap = gap_of(data, leg, 0);

		add(list, gap.kind, leg->label, -1, gap.reason);
		return;
	}
	for (guint r = 0; r < data->blocks; r++) {
		Gap gap = gap_of(data, leg, r);

		if (!leg->good[r])
			add(list, gap.kind, leg->label, r, gap.reason);
	}
}

json_t *missing_json(const ReportData *data)
{
	json_t *list = json_array();

	for (guint i = 0; i < data->refusals->len; i++) {
		const Record *row = data->refusals->pdata[i];

		add(list, "refused", record_get_text(row, "combination"), -1, record_get_text(row, "reason"));
	}
	for (guint i = 0; i < data->boots->len; i++) {
		const Record *row = data->boots->pdata[i];
		g_autofree char *what = NULL;

		if (g_strcmp0(record_get_text(row, "status"), "failed") != 0)
			continue;
		what = g_strdup_printf("guest %" G_GINT64_FORMAT, record_get_int(row, "boot_no", 0) + 1);
		add(list, "boot", what, record_get_int(row, "block", -1), record_get_text(row, "error"));
	}
	for (guint i = 0; i < data->legs->len; i++)
		add_leg(list, data, data->legs->pdata[i]);
	return list;
}
