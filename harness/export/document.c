/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document as a whole: docs/report-json.md describes it, docs/report.schema.json checks it. */
#include <math.h>

#include "harness/compare/compare.h"
#include "harness/export/accounting.h"
#include "harness/export/axes.h"
#include "harness/export/cells.h"
#include "harness/export/crossings.h"
#include "harness/export/flags.h"
#include "harness/export/imported.h"
#include "harness/export/json.h"
#include "harness/export/latency.h"
#include "harness/export/report.h"
#include "harness/export/runs.h"
#include "harness/export/summary.h"

/* A text: the store keeps 64 bits in a signed integer, and readers of JSON lose those over 2^53. */
static json_t *seed_json(const Record *sweep)
{
	char text[32];

	if (!record_has(sweep, "seed"))
		return json_null();
	g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT, (guint64)record_get_int(sweep, "seed", 0));
	return json_string(text);
}

static json_t *sweep_json(const ReportData *data)
{
	static const char *const names[] = {"id", "uuid", "status", "error", "profile", "accel", "accel_remark",
		"settle_ns", "run_ns", "interval_ns", "measured_ns", "wall_ns", "iogap_version", "commit_id", "branch",
		"profile_text", NULL};
	static const char *const stopping[] = {"precision", "most_blocks", "stopped", "half_width", "wide_cells", NULL};
	json_t *sweep = json_columns(data->sweep, names);

	json_object_set_new(sweep, "name", json_column(data->sweep, "label"));
	json_object_set_new(sweep, "started", json_when(data->sweep, "started_unix_ns"));
	json_object_set_new(sweep, "ended", json_when(data->sweep, "finished_unix_ns"));
	json_object_set_new(sweep, "seed", seed_json(data->sweep));
	json_object_set_new(sweep, "blocks", json_integer(data->blocks));
	if (record_has(data->sweep, "precision"))
		json_object_set_new(sweep, "stopping", json_columns(data->sweep, stopping));
	json_object_set_new(sweep, "emulated", json_boolean(data->emulated));
	return sweep;
}

static json_t *environment_json(const Record *sweep)
{
	static const char *const names[] = {"uri", "emulator", "qemu_version", "libvirt_version", "host_kernel",
		"host_cmdline", "cpu_model", "cpus", "memory", "host_clocksource", "agent_sha256", "fingerprint", NULL};
	json_t *environment = json_columns(sweep, names);
	const char *more = record_get_text(sweep, "environment_json");
	json_t *parsed = more ? json_loads(more, JSON_DECODE_ANY, NULL) : NULL;

	json_object_set_new(environment, "more", parsed ? parsed : json_null());
	return environment;
}

static json_t *target_json(const ReportLeg *leg)
{
	return json_pack("{so so so so so}", "name", json_text(leg->target), "type",
		json_column(leg->row, "target_type"), "size", json_column(leg->row, "target_size"), "filesystem",
		json_column(leg->row, "filesystem"), "sector_size", json_column(leg->row, "sector_size"));
}

/* Legs are sorted by target: the first of each stands for it. */
static json_t *targets_json(const ReportData *data)
{
	json_t *targets = json_array();
	guint last = G_MAXUINT;

	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];

		if (leg->target_no != last)
			json_array_append_new(targets, target_json(leg));
		last = leg->target_no;
	}
	return targets;
}

static GPtrArray *good_runs(const ReportData *data, const ReportLeg *leg)
{
	GPtrArray *runs = g_ptr_array_new();

	for (guint r = 0; r < data->blocks; r++)
		if (leg->good[r])
			g_ptr_array_add(runs, leg->good[r]);
	return runs;
}

static json_t *leg_runs(const ReportData *data, const ReportLeg *leg, GError **error)
{
	json_t *runs = json_array();

	for (guint i = 0; i < leg->runs->len; i++) {
		json_t *run = runs_json(data, leg, leg->runs->pdata[i], error);

		if (!run) {
			json_decref(runs);
			return NULL;
		}
		json_array_append_new(runs, run);
	}
	return runs;
}

/* What has to be read from the store for LEG: summary, distribution and runs, set in OBJECT. */
static gboolean set_measured(json_t *object, const ReportData *data, const ReportLeg *leg, GError **error)
{
	g_autoptr(GPtrArray) good = good_runs(data, leg);
	json_t *summary = summary_json(data, leg, good, error);
	json_t *distribution = summary ? latency_distribution(data->store, good, error) : NULL;
	json_t *runs = distribution ? leg_runs(data, leg, error) : NULL;

	if (!runs) {
		json_decref(summary);
		json_decref(distribution);
		return FALSE;
	}
	json_object_set_new(object, "summary", summary);
	json_object_set_new(object, "distribution", distribution);
	json_object_set_new(object, "flags", flags_of_leg(leg));
	json_object_set_new(object, "seen", accounting_seen(good));
	json_object_set_new(object, "runs", runs);
	return TRUE;
}

static json_t *leg_json(const ReportData *data, const ReportLeg *leg, GError **error)
{
	g_autofree char *reason = leg->n_good ? NULL : missing_reason(data, leg);
	g_autofree char *name = imported_name(leg);
	json_t *object;

	object = json_pack("{sI so so ss so}", "id", (json_int_t)leg->id, "label", json_text(leg->label), "imported_as", json_text(name),
		"side", leg->guest ? "guest" : "host", "target", json_text(leg->target));
	json_object_set_new(object, "workload", axes_values(leg, AXIS_WORKLOAD));
	json_object_set_new(object, "guest", leg->guest ? axes_values(leg, AXIS_GUEST) : json_null());
	json_object_set_new(object, "runs_total", json_integer(leg->runs->len));
	json_object_set_new(object, "runs_good", json_integer(leg->n_good));
	json_object_set_new(object, "reason", json_text(reason));
	if (!set_measured(object, data, leg, error)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *legs_json(const ReportData *data, GError **error)
{
	json_t *legs = json_array();

	for (guint i = 0; i < data->legs->len; i++) {
		json_t *leg = leg_json(data, data->legs->pdata[i], error);

		if (!leg) {
			json_decref(legs);
			return NULL;
		}
		json_array_append_new(legs, leg);
	}
	return legs;
}

static json_t *boots_json(const ReportData *data)
{
	static const char *const names[] = {"id", "block", "boot_no", "status", "error", "hello_ns", "accel", "machine",
		"kernel_booted", "guest_kernel", "cmdline", "clocksource", "clock_read_ns", "null_io_ns", "qemu_cmdline",
		"domain_xml", NULL};
	json_t *boots = json_array();

	for (guint i = 0; i < data->boots->len; i++)
		json_array_append_new(boots, json_columns(data->boots->pdata[i], names));
	return boots;
}

static void count_runs(const ReportData *data, guint *ret_good, guint *ret_failed)
{
	*ret_good = *ret_failed = 0;
	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];

		for (guint k = 0; k < leg->runs->len; k++) {
			const ReportRun *run = leg->runs->pdata[k];

			*ret_good += run->good;
			*ret_failed += !run->good && !g_str_equal(run->status, "skipped");
		}
	}
}

/* Indexes of the cells with the smallest and the largest ratio. */
static json_t *totals_json(const ReportData *data, const json_t *cells)
{
	int worst = -1, best = -1, compared = 0;
	double least = INFINITY, most = -INFINITY;
	guint good, failed;
	json_t *cell;
	size_t i;

	count_runs(data, &good, &failed);
	json_array_foreach((json_t *)cells, i, cell) {
		const json_t *ratio = json_object_get(cell, "ratio");
		double value = json_number_value(ratio);

		if (!json_is_number(ratio))
			continue;
		compared++;
		if (value < least) {
			least = value;
			worst = i;
		}
		if (value > most) {
			most = value;
			best = i;
		}
	}
	return json_pack("{si si si si so so}", "cells", (int)json_array_size(cells), "cells_compared", compared,
		"runs_ok", (int)good, "runs_failed", (int)failed, "worst", worst < 0 ? json_null() : json_integer(worst),
		"best", best < 0 ? json_null() : json_integer(best));
}

static const char *cpu_meaning(const ReportData *data)
{
	if (data->cpu == SUMMARY_CPU_QEMU)
		return "CPU % is user plus system time over the measured time, 100 = one processor: of the whole host for "
		       "host rows, of the QEMU process for guest rows (the host's own was not stored).";
	if (data->cpu == SUMMARY_CPU_SOURCE)
		return "CPU % is as the imported source printed it.";
	return "CPU % is user plus system time of the whole host over the measured time, 100 = one processor; for guest "
	       "rows it is what the host spent while the guest's load ran.";
}

json_t *report_json(Store *store, gint64 sweep, GError **error)
{
	g_autoptr(ReportData) data = report_data_load(store, sweep, error);
	json_t *report, *cells, *legs;

	if (!data)
		return NULL;
	cells = cells_json(data, error);
	legs = cells ? legs_json(data, error) : NULL;
	if (!legs) {
		json_decref(cells);
		return NULL;
	}
	report = json_pack("{ss si ss}", "format", REPORT_FORMAT, "version", REPORT_VERSION, "made_by",
		"iogap " IOGAP_VERSION);
	json_object_set_new(report, "sweep", sweep_json(data));
	json_object_set_new(report, "environment", environment_json(data->sweep));
	json_object_set_new(report, "targets", targets_json(data));
	json_object_set_new(report, "axes", axes_json(data));
	json_object_set_new(report, "summary", totals_json(data, cells));
	json_object_set_new(report, "level", json_real(COMPARE_LEVEL));
	json_object_set_new(report, "cpu_meaning", json_string(cpu_meaning(data)));
	json_object_set_new(report, "flags", flags_legend(cells, legs));
	json_object_set_new(report, "cells", cells);
	json_object_set_new(report, "crossovers", crossings_json(data));
	json_object_set_new(report, "not_measured", missing_json(data));
	json_object_set_new(report, "absent", accounting_absent(data->sweep));
	json_object_set_new(report, "run_columns", accounting_columns());
	json_object_set_new(report, "legs", legs);
	json_object_set_new(report, "boots", boots_json(data));
	return report;
}
