/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/cli/gate-judge.h"
#include "harness/cli/gate-options.h"
#include "harness/cli/measure.h"
#include "harness/cli/verb.h"

static const PlanLeg *leg_at(const Plan *plan, guint leg)
{
	return g_ptr_array_index(plan->legs, leg);
}

static gboolean chosen_by(const GateResult *result, const char *name)
{
	const GateRow *row = gate_row(result, name);

	return row && (row->promoted || row->sentinel) && row->verdict != GATE_MISSING && row->verdict != GATE_NEW;
}

/* Every family that gates has to be able to decide. */
static gboolean goes_on(const GPtrArray *families, const PlanLeg *leg)
{
	g_autofree char *name = gate_cell_name(leg->label, leg->arm);
	gboolean chosen = FALSE;

	for (guint i = 0; i < families->len && !chosen; i++) {
		const GateFamily *family = families->pdata[i];

		chosen = family->result && chosen_by(family->result, name);
	}
	return chosen;
}

/* Guest legs of what was chosen, each with its host's leg. Returns how many cells. */
static guint want_cells(const GPtrArray *families, const Plan *plan, gboolean *wanted)
{
	guint cells = 0;

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = leg_at(plan, i);

		if (leg->side != PLAN_GUEST || !goes_on(families, leg))
			continue;
		wanted[i] = wanted[leg->host] = TRUE;
		cells++;
	}
	return cells / MAX(plan->profile->arms->len, 1);
}

/* With no cell to go on, a suspicious host is looked at by one of its legs in every arm: that with the first name. */
static void want_control(const Plan *plan, gboolean *wanted)
{
	g_autofree char *first = NULL;

	for (guint i = 0; i < plan->legs->len; i++) {
		g_autofree char *name = gate_cell_name(leg_at(plan, i)->label, leg_at(plan, i)->arm);

		if (leg_at(plan, i)->side != PLAN_HOST || (first && strcmp(name, first) >= 0))
			continue;
		g_free(first);
		first = g_steal_pointer(&name);
	}
	for (guint i = 0; i < plan->legs->len; i++) {
		g_autofree char *name = gate_cell_name(leg_at(plan, i)->label, leg_at(plan, i)->arm);

		if (leg_at(plan, i)->side == PLAN_HOST)
			wanted[i] = g_strcmp0(name, first) == 0;
	}
}

static char *say(const GPtrArray *families, guint cells)
{
	const GateResult *result = ((const GateFamily *)families->pdata[0])->result;
	guint confirm = result->settings.confirm_blocks, rows = 0, chosen = 0;

	for (guint f = 0; f < families->len; f++) {
		const GateFamily *family = families->pdata[f];

		for (guint i = 0; family->result && i < family->result->rows->len; i++, rows++)
			chosen += ((const GateRow *)family->result->rows->pdata[i])->promoted;
	}
	if (cells)
		return g_strdup_printf("the screen chose %u of %u rows; %u cell%s will be confirmed in %u fresh blocks", chosen, rows, cells,
			cells == 1 ? "" : "s", confirm);
	if (result->control_open)
		return g_strdup_printf("the screen chose nothing, but the host's own rate differs by %+.1f %%: one of its legs "
			"will be measured in %u more blocks", 100 * expm1(result->control_mean), confirm);
	return g_strdup_printf("the screen chose nothing of %u rows; nothing is left to confirm", rows);
}

gboolean gate_choose(Store *store, gint64 sweep, const Plan *plan, gboolean *wanted, char **ret_note, gpointer choice,
	GError **error)
{
	const GateCase gate = {.store = store, .sweep = sweep, .choice = *(const GateChoice *)choice};
	g_autoptr(GPtrArray) families = gate_case_families(&gate, plan->profile->gate.screen_blocks, TRUE, error);
	guint cells;

	if (!families)
		return FALSE;
	cells = want_cells(families, plan, wanted);
	if (cells == 0 && ((const GateFamily *)families->pdata[0])->result->control_open)
		want_control(plan, wanted);
	*ret_note = say(families, cells);
	return TRUE;
}

static Profile *load_profile(const char *name, GError **error)
{
	g_autoptr(Profile) profile = profile_load(name, error);

	if (!profile || !profile_add_arms(profile, measure_options.arms, error))
		return NULL;
	if (profile->arms->len != 2) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"a gate has two arms, not %u: the baseline first, then the candidate; `iogap sweep` takes more", profile->arms->len);
		return NULL;
	}
	profile_for_gate(profile);
	return g_steal_pointer(&profile);
}

/* Names are checked before hours are spent: the cells of a plan hang on the profile alone, whatever the machine can do. */
static gboolean check_required(const Profile *profile, const GateChoice *choice, GError **error)
{
	g_auto(PlanFacts) facts;
	g_autoptr(Plan) plan = NULL;

	plan_facts_init(&facts, profile, "kvm");
	plan = plan_build(profile, &facts, FALSE, 1, error);
	return plan && gate_names_planned(choice->required, plan, error);
}

int gate_measure(const char *name, const char *store, const GateChoice *choice, gint64 *ret_sweep, gboolean *ret_busy)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = NULL;
	SweepSelection selection = {.choose = gate_choose, .data = (gpointer)choice};
	SweepOptions options;
	SweepOutcome outcome;
	int code;

	*ret_busy = FALSE;
	if (!measure_fill(&options, store, &error))
		return verb_fail(error);
	profile = load_profile(name, &error);
	if (!profile || (choice->required && !check_required(profile, choice, &error)))
		return verb_fail(error);
	selection.from = profile->gate.screen_blocks;
	options.selection = &selection;
	code = measure_run(profile, &options, "the same command with --resume", &outcome);
	*ret_busy = outcome.busy;
	if (code >= 0)
		return code;
	g_autofree char *summary = measure_summary(&outcome);

	fprintf(stderr, "\n%s\nstore:  %s\n", summary, store);
	*ret_sweep = outcome.sweep;
	return -1;
}
