/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-judge.h"

#include "harness/cli/gate-settings.h"
#include "harness/cli/verb.h"
#include "harness/export/gate-report.h"

GateData *gate_case_load(const GateCase *gate, GateMetricId metric, GError **error)
{
	GateChoice choice = gate->choice;

	choice.metric = metric;
	return gate->baselines ? gate_load_sweeps(gate->store, gate->baselines, gate->candidates, &choice, error)
			       : gate_load_arms(gate->store, gate->sweep, gate->base_arm, gate->new_arm, &choice, error);
}

static gboolean judge_family(GateFamily *family, const GateRules *rules, guint blocks, GError **error)
{
	const GateSettings *settings = &rules->settings[family->metric];
	GateData *data = family->data;

	gate_rules_waive(data, rules);
	if (blocks)
		data->input.blocks = MIN(data->input.blocks, blocks);
	if (data->input.n_cells == 0 && family->metric != GATE_THROUGHPUT)
		return TRUE;
	family->result = data->candidates ? gate_against(settings, &data->input, data->baselines, data->candidates, error)
					  : gate_judge(settings, &data->input, error);
	return family->result != NULL;
}

/* FIRST is the data of throughput; it is taken over. */
static GPtrArray *judge_all(const GateCase *gate, GateData *first, const GateRules *rules, guint blocks, gboolean only_gating,
	GError **error)
{
	g_autoptr(GPtrArray) families = g_ptr_array_new_with_free_func((GDestroyNotify)gate_family_free);

	for (guint m = 0; m < GATE_METRICS; m++) {
		GateFamily *family;

		if (rules->modes[m] == GATE_FAMILY_OFF || (only_gating && rules->modes[m] != GATE_FAMILY_GATING))
			continue;
		family = gate_family_new(m, rules->modes[m]);
		g_ptr_array_add(families, family);
		family->data = m == GATE_THROUGHPUT ? g_steal_pointer(&first) : gate_case_load(gate, m, error);
		if (!family->data || !judge_family(family, rules, blocks, error))
			return NULL;
	}
	return g_steal_pointer(&families);
}

GPtrArray *gate_case_families(const GateCase *gate, guint blocks, gboolean only_gating, GError **error)
{
	g_autoptr(GateData) data = gate_case_load(gate, GATE_THROUGHPUT, error);
	g_auto(GateRules) rules = {.alpha = 0};

	if (!data || !gate_rules_of(data->sweep, &rules, error))
		return NULL;
	return judge_all(gate, g_steal_pointer(&data), &rules, blocks, only_gating, error);
}

static char *differences_text(const GateData *data)
{
	return g_strdup_printf("the environments differ in %u point%s", data->differences->len,
		data->differences->len == 1 ? "" : "s");
}

/* Precedence: failed before not comparable before what the rows say. */
json_t *gate_case_report(const GateCase *gate, GError **error)
{
	g_autoptr(GateData) data = gate_case_load(gate, GATE_THROUGHPUT, error);
	g_auto(GateRules) rules = {.alpha = 0};
	g_autoptr(GPtrArray) families = NULL;
	g_autofree char *why = NULL;
	const GateData *shown = data;
	GateReportExtra extra = {.accept = gate->choice.accept};

	if (!data || !gate_rules_of(data->sweep, &rules, error))
		return NULL;
	gate_rules_note(data, &rules);
	extra.waivers = (const char *const *)rules.waivers.words->pdata;
	extra.forced = gate->choice.ignore_environment && data->differences->len;
	extra.alpha = rules.alpha;
	if (data->interrupted) {
		extra.exit_code = EXIT_MEASUREMENT;
		why = g_strdup_printf("the sweep is %s", record_get_text(data->sweep, "status"));
	} else if (data->differences->len && !extra.forced) {
		extra.exit_code = EXIT_NOTHING;
		why = differences_text(data);
	} else {
		families = judge_all(gate, g_steal_pointer(&data), &rules, 0, FALSE, error);
		if (!families)
			return NULL;
		shown = ((GateFamily *)families->pdata[0])->data;
		extra.exit_code = gate_families_exit_code(families, &why);
	}
	extra.why = why;
	return gate_report_json(shown, families, &extra);
}

/* Too few baselines say nothing against the candidate: without it no first baseline could ever be. */
static const char *verdict_of(const json_t *report)
{
	gboolean stored = g_strcmp0(json_string_value(json_object_get(report, "method")), "stored") == 0;

	if (stored && json_integer_value(json_object_get(report, "exit")) == EXIT_INCONCLUSIVE &&
		json_integer_value(json_object_get(report, "baseline_sweeps")) < GATE_MIN_BASELINES)
		return "TOO_FEW_BASELINES";
	return json_string_value(json_object_get(report, "verdict"));
}

gboolean gate_case_record(Store *store, gint64 sweep, const json_t *report, GError **error)
{
	g_autoptr(Record) before = store_sweep(store, sweep, error);
	g_autoptr(Record) changes = record_new();

	if (!before)
		return FALSE;
	record_set_text(changes, "gate_verdict", verdict_of(report));
	record_set_text(changes, "gate_why", json_string_value(json_object_get(report, "why")));
	record_set_text(changes, "gate_against", json_string_value(json_object_get(report, "baseline")));
	for (guint i = 0; i < record_size(changes); i++) {
		const char *name = record_name(changes, i);

		if (g_strcmp0(record_get_text(before, name), record_get_text(changes, name)) != 0)
			return store_update_sweep(store, sweep, changes, error);
	}
	return TRUE;
}
