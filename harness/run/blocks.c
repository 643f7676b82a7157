/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/blocks.h"

#include "harness/run/host-load.h"

guint blocks_left(const Sweep *sweep, guint from, double *ret_seconds)
{
	const Plan *plan = sweep->plan;
	g_autofree gboolean *boots = g_new(gboolean, plan->boots->len + 1);
	guint left = 0;

	*ret_seconds = 0;
	for (guint b = from; b < plan->blocks->len; b++) {
		for (guint i = 0; i < plan->boots->len; i++)
			boots[i] = FALSE;
		for (guint i = 0; i < plan->legs->len; i++) {
			const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

			if (!stage_wants(sweep, i, b))
				continue;
			left++;
			*ret_seconds += plan_leg_seconds(plan, i);
			if (leg->side == PLAN_GUEST)
				boots[leg->boot] = TRUE;
		}
		for (guint i = 0; i < plan->boots->len; i++)
			*ret_seconds += boots[i] ? plan->boot_s : 0;
	}
	return left;
}

static gboolean select_legs(Sweep *sweep, GError **error)
{
	const SweepSelection *selection = sweep->options->selection;
	g_autofree char *note = NULL;
	double seconds;
	guint left;

	/* Until it is chosen, nothing is wanted. */
	sweep->wanted = g_new0(gboolean, sweep->plan->legs->len + 1);
	if (!selection->choose(sweep->store, sweep->sweep, sweep->plan, sweep->wanted, &note,
		    selection->data, error))
		return FALSE;
	left = blocks_left(sweep, selection->from, &seconds);
	progress_expect(sweep->progress, left, seconds);
	if (note)
		progress_note(sweep->progress, "%s", note);
	return TRUE;
}

static gboolean measures_any(const Sweep *sweep, guint block)
{
	for (guint i = 0; i < sweep->plan->legs->len; i++)
		if (stage_wants(sweep, i, block))
			return TRUE;
	return FALSE;
}

static gboolean wait_for_host(Sweep *sweep, guint block, GError **error)
{
	const Profile *profile = sweep->profile;
	g_autofree char *name = g_strdup_printf("block %u", block + 1);

	g_clear_pointer(&sweep->busy, g_free);
	if (profile->max_load <= 0 || !measures_any(sweep, block))
		return TRUE;
	return host_load_wait(profile->max_load, profile->max_load_wait_ns, name, sweep->progress, sweep->cancel, &sweep->busy, error);
}

gboolean blocks_measure(Sweep *sweep, GError **error)
{
	const SweepSelection *selection = sweep->options->selection;
	g_autofree char *text = NULL;

	while (sweep->blocks < sweep->plan->blocks->len && !stopping_enough(sweep->stopping, sweep->blocks)) {
		guint b = sweep->blocks;
		GPtrArray *stages = g_ptr_array_index(sweep->plan->blocks, b);

		if (selection && b == selection->from && !select_legs(sweep, error))
			return FALSE;
		if (!wait_for_host(sweep, b, error))
			return FALSE;
		sweep->position = 0;
		for (guint s = 0; s < stages->len; s++)
			if (!stage_run(sweep, b, s, g_ptr_array_index(stages, s), error))
				return FALSE;
		sweep->blocks++;
	}
	text = stopping_text(sweep->stopping, sweep->blocks);
	if (text)
		progress_note(sweep->progress, "%s", text);
	return TRUE;
}
