/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-judge.h"

#include "harness/cli/gate-options.h"
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

/* The exact test tries all signs of the blocks that confirm; those of the screen come on top. */
static guint most_blocks(const GateSettings *settings)
{
	return settings->screen_blocks + SIGNFLIP_MAX_BLOCKS;
}

/* Which blocks count is decided by their number alone, so that no result can choose them. */
static void note_blocks(GateData *data, const GateSettings *settings)
{
	guint most = most_blocks(settings);

	if (!data->candidates && data->input.blocks > most)
		g_ptr_array_add(data->notes, g_strdup_printf("of %u blocks the first %u are judged: the exact test takes no more",
			data->input.blocks, most));
}

static gboolean judge_family(GateFamily *family, const GateRules *rules, guint blocks, GError **error)
{
	const GateSettings *settings = &rules->settings[family->metric];
	GateData *data = family->data;

	gate_rules_waive(data, rules);
	if (blocks)
		data->input.blocks = MIN(data->input.blocks, blocks);
	data->input.blocks = MIN(data->input.blocks, most_blocks(settings));
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
	GateReportExtra extra = {.accept = gate->choice.accept, .inconclusive = gate->inconclusive};

	if (!data || !gate_rules_of(data->sweep, &rules, error))
		return NULL;
	if (!gate_names_known(gate->choice.required, data, error))
		return NULL;
	gate_rules_note(data, &rules);
	note_blocks(data, &rules.settings[GATE_THROUGHPUT]);
	extra.waivers = (const char *const *)rules.waivers.words->pdata;
	extra.forced = gate->choice.ignore_environment && data->differences->len;
	extra.alpha = rules.alpha;
	extra.settings = rules.settings;
	extra.modes = rules.modes;
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
