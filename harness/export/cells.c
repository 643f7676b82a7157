/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/cells.h"

#include <math.h>

#include "harness/compare/compare.h"
#include "harness/export/axes.h"
#include "harness/export/flags.h"
#include "harness/export/json.h"
#include "harness/export/summary.h"
#include "harness/export/withheld.h"

static double rate_of(const ReportLeg *leg, guint block)
{
	return leg && leg->good[block] ? leg->good[block]->bytes_per_s : NAN;
}

static double iops_of(const ReportLeg *leg, guint block)
{
	return leg && leg->good[block] ? record_get_real(leg->good[block]->row, "iops", NAN) : NAN;
}

/* Some imported results are operations per second alone (seeks, creates): those are compared by them. */
static void pair_of(const ReportLeg *guest, guint block, double *ret_host, double *ret_own)
{
	*ret_host = rate_of(guest->host, block);
	*ret_own = rate_of(guest, block);
	if (isnan(*ret_host) && isnan(*ret_own)) {
		*ret_host = iops_of(guest->host, block);
		*ret_own = iops_of(guest, block);
	}
}

static CompareCell compare_legs(const ReportData *data, const ReportLeg *guest)
{
	g_autofree double *own = g_new(double, data->blocks + 1);
	g_autofree double *host = g_new(double, data->blocks + 1);

	for (guint r = 0; r < data->blocks; r++)
		pair_of(guest, r, &host[r], &own[r]);
	return compare_cell(host, own, data->blocks);
}

/* The good runs of LEG in the blocks where its cell is paired; all of them where there is no host leg to pair with. */
static GPtrArray *paired_runs(const ReportData *data, const ReportLeg *guest, const ReportLeg *leg)
{
	GPtrArray *runs = g_ptr_array_new();

	for (guint r = 0; leg && r < data->blocks; r++) {
		double host, own;

		pair_of(guest, r, &host, &own);
		if (leg->good[r] && (!guest->host || compare_paired(host, own)))
			g_ptr_array_add(runs, leg->good[r]);
	}
	return runs;
}

static json_t *side_summary(const ReportData *data, const ReportLeg *guest, const ReportLeg *leg, GError **error)
{
	g_autoptr(GPtrArray) runs = paired_runs(data, guest, leg);

	return leg ? summary_json(data, leg, runs, error) : json_null();
}

static json_t *blocks_json(const ReportData *data, const ReportLeg *guest)
{
	gboolean shown = !withheld_reason(guest);
	json_t *blocks = json_array();

	for (guint r = 0; r < data->blocks; r++) {
		double host, own;

		pair_of(guest, r, &host, &own);
		json_array_append_new(blocks,
			json_pack("{si so so so}", "block", (int)r, "host_bytes_per_s", json_number(rate_of(guest->host, r)),
				"guest_bytes_per_s", json_number(rate_of(guest, r)), "ratio",
				json_number(shown && compare_paired(host, own) ? own / host : NAN)));
	}
	return blocks;
}

static char *no_ratio_reason(const ReportData *data, const ReportLeg *guest, const CompareCell *compared)
{
	g_autofree char *own = NULL, *host = NULL;

	if (compared->n > 0)
		return g_strdup(withheld_reason(guest));
	if (!guest->host)
		return g_strdup("the store names no host leg for it");
	if (guest->n_good && guest->host->n_good)
		return g_strdup("no block holds a good run of both sides");
	own = guest->n_good ? NULL : missing_reason(data, guest);
	host = guest->host->n_good ? NULL : missing_reason(data, guest->host);
	if (own && host)
		return g_strdup_printf("guest: %s; host: %s", own, host);
	return own ? g_strdup_printf("guest: %s", own) : g_strdup_printf("host: %s", host);
}

static json_t *measured_json(const ReportData *data, const ReportLeg *guest, GError **error)
{
	json_t *host = side_summary(data, guest, guest->host, error);
	json_t *own = host ? side_summary(data, guest, guest, error) : NULL;

	if (!own) {
		json_decref(host);
		return NULL;
	}
	return json_pack("{so so}", "host", host, "guest", own);
}

static json_t *cell_json(const ReportData *data, const ReportLeg *guest, GError **error)
{
	CompareCell compared = compare_legs(data, guest);
	g_autofree char *reason = no_ratio_reason(data, guest, &compared);
	gboolean shown = compared.n > 0 && !reason;
	json_t *measured = measured_json(data, guest, error);
	json_t *cell;

	if (!measured)
		return NULL;
	cell = json_pack("{so so sI}", "label", json_text(guest->label), "target", json_text(guest->target),
		"guest_leg", (json_int_t)guest->id);
	json_object_set_new(cell, "host_leg", guest->host ? json_integer(guest->host->id) : json_null());
	json_object_set_new(cell, "workload", axes_values(guest, AXIS_WORKLOAD));
	json_object_set_new(cell, "guest", axes_values(guest, AXIS_GUEST));
	json_object_set_new(cell, "pairs", json_integer(compared.n));
	json_object_set_new(cell, "ratio", json_number(shown ? compared.ratio : NAN));
	json_object_set_new(cell, "low", json_number(shown ? compared.low : NAN));
	json_object_set_new(cell, "high", json_number(shown ? compared.high : NAN));
	json_object_set_new(cell, "sd_ln", json_number(shown ? compared.sd_ln : NAN));
	json_object_set_new(cell, "reason", json_text(reason));
	json_object_set_new(cell, "measured", measured);
	json_object_set_new(cell, "blocks", blocks_json(data, guest));
	json_object_set_new(cell, "flags", flags_of_cell(guest, &compared));
	return cell;
}

json_t *cells_json(const ReportData *data, GError **error)
{
	json_t *cells = json_array();

	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];
		json_t *cell;

		if (!leg->guest)
			continue;
		cell = cell_json(data, leg, error);
		if (!cell) {
			json_decref(cells);
			return NULL;
		}
		json_array_append_new(cells, cell);
	}
	return cells;
}
