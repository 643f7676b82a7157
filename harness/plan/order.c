/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/stages.h"

#include "harness/plan/rng.h"

static void stage_free(PlanStage *stage)
{
	g_array_unref(stage->legs);
	g_free(stage);
}

/* Boots in random order, none of them with legs yet. */
static GPtrArray *empty_stages(const Plan *plan, Rng *rng)
{
	GPtrArray *stages = g_ptr_array_new_with_free_func((GDestroyNotify)stage_free);
	g_autofree guint *boots = g_new(guint, plan->boots->len);

	for (guint i = 0; i < plan->boots->len; i++)
		boots[i] = i;
	rng_shuffle(rng, boots, plan->boots->len);
	for (guint i = 0; i < plan->boots->len; i++) {
		PlanStage *stage = g_new0(PlanStage, 1);

		stage->boot = boots[i];
		stage->legs = g_array_new(FALSE, FALSE, sizeof(guint));
		g_ptr_array_add(stages, stage);
	}
	return stages;
}

static PlanStage *stage_of(GPtrArray *stages, guint boot)
{
	for (guint i = 0; i < stages->len; i++) {
		PlanStage *stage = g_ptr_array_index(stages, i);

		if (stage->boot == boot)
			return stage;
	}
	g_error("no stage has boot %u", boot);
}

/*
 * A host leg goes to a boot of one of its guest legs, at random: each guest leg with the same chance
 * (reservoir of one), so a boot with more of its cells has it nearby more often.
 */
static void place_host_legs(const Plan *plan, GPtrArray *stages, Rng *rng)
{
	g_autofree guint *chosen = g_new0(guint, plan->legs->len);
	g_autofree guint *seen = g_new0(guint, plan->legs->len);

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST && rng_below(rng, ++seen[leg->host]) == 0)
			chosen[leg->host] = leg->boot;
	}
	for (guint i = 0; i < plan->legs->len; i++)
		if (((PlanLeg *)g_ptr_array_index(plan->legs, i))->side == PLAN_HOST)
			g_array_append_val(stage_of(stages, chosen[i])->legs, i);
}

static void turn_legs(GArray *legs)
{
	guint *leg = (guint *)(void *)legs->data;

	for (guint i = 0; i < legs->len / 2; i++) {
		guint other = leg[legs->len - 1 - i];

		leg[legs->len - 1 - i] = leg[i];
		leg[i] = other;
	}
}

/* The whole block backwards: what ran before its partner now runs after it. */
static void turn_block(GPtrArray *stages)
{
	for (guint i = 0; i < stages->len / 2; i++) {
		gpointer other = g_ptr_array_index(stages, stages->len - 1 - i);

		g_ptr_array_index(stages, stages->len - 1 - i) = g_ptr_array_index(stages, i);
		g_ptr_array_index(stages, i) = other;
	}
	for (guint i = 0; i < stages->len; i++)
		turn_legs(((PlanStage *)g_ptr_array_index(stages, i))->legs);
}

/* Drawn for two blocks together; the second is turned round, so that over both the host is first in a cell as often as the guest. */
static GPtrArray *order_block(const Plan *plan, guint block)
{
	Rng rng = rng_new(plan->seed, block / 2);
	GPtrArray *stages = empty_stages(plan, &rng);

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST)
			g_array_append_val(stage_of(stages, leg->boot)->legs, i);
	}
	place_host_legs(plan, stages, &rng);
	for (guint i = 0; i < stages->len; i++) {
		GArray *legs = ((PlanStage *)g_ptr_array_index(stages, i))->legs;

		rng_shuffle(&rng, (guint *)(void *)legs->data, legs->len);
	}
	if (block % 2)
		turn_block(stages);
	return stages;
}

void plan_order(Plan *plan)
{
	for (guint block = 0; block < plan->profile->blocks; block++)
		g_ptr_array_add(plan->blocks,
			plan->profile->arms->len ? plan_order_arms(plan, block) : order_block(plan, block));
}
