/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a block whose legs come in arms: what is compared lies close together, and neither arm is always first. */
#include "harness/plan/stages.h"

#include <string.h>

#include "harness/plan/rng.h"

/* Streams of the seed beside those of the blocks. */
#define STREAM_ARMS (1ull << 40)
#define STREAM_BOOTS (2ull << 40)

static void stage_free(PlanStage *stage)
{
	g_array_unref(stage->legs);
	g_free(stage);
}

/* Drawn for two blocks together; the second has it turned round, so that an arm is first as often as last. */
static void order_of_arms(const Plan *plan, guint block, guint *arms)
{
	guint n = plan->profile->arms->len;
	Rng rng = rng_new(plan->seed, STREAM_ARMS + block / 2);

	for (guint i = 0; i < n; i++)
		arms[i] = i;
	rng_shuffle(&rng, arms, n);
	for (guint i = 0; block % 2 && i < n / 2; i++) {
		guint other = arms[n - 1 - i];

		arms[n - 1 - i] = arms[i];
		arms[i] = other;
	}
}

/* Boots of ARM; legs that differ in nothing but the arm are packed alike, so equal places are twins. */
static GArray *boots_of(const Plan *plan, const ProfileArm *arm)
{
	GArray *boots = g_array_new(FALSE, FALSE, sizeof(guint));

	for (guint i = 0; i < plan->boots->len; i++)
		if (g_str_equal(((PlanBoot *)g_ptr_array_index(plan->boots, i))->machine.arm, arm->name))
			g_array_append_val(boots, i);
	return boots;
}

/* A lot for LEG in this block that depends on its label without the arm: twins draw the same. */
static guint64 lot_of(const Plan *plan, guint leg, guint block, guint64 salt)
{
	const PlanLeg *l = g_ptr_array_index(plan->legs, leg);
	gsize length = strlen(l->label) - strlen(l->arm);
	guint64 hash = 14695981039346656037ull; /* FNV-1a */
	Rng rng;

	for (gsize i = 0; i < length; i++)
		hash = (hash ^ (guchar)l->label[i]) * 1099511628211ull;
	rng = rng_new(plan->seed ^ hash ^ salt, block);
	return rng_next(&rng);
}

typedef struct {
	const Plan *plan;
	guint block;
} Lots;

static gint compare_lots(gconstpointer a, gconstpointer b, gpointer data)
{
	const Lots *lots = data;
	guint64 x = lot_of(lots->plan, *(const guint *)a, lots->block, 0), y = lot_of(lots->plan, *(const guint *)b, lots->block, 0);

	return (x > y) - (x < y);
}

/* The boot next to which HOST is measured: that of one of its guest legs, the same one in every arm. */
static guint boot_of_host(const Plan *plan, guint host, guint block)
{
	guint64 salt = lot_of(plan, host, block, 0), least = G_MAXUINT64;
	guint boot = G_MAXUINT;

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);
		guint64 lot;

		if (leg->side != PLAN_GUEST || leg->host != (int)host)
			continue;
		lot = lot_of(plan, i, block, salt);
		if (lot <= least) {
			least = lot;
			boot = leg->boot;
		}
	}
	return boot;
}

static void add_stage(const Plan *plan, GPtrArray *stages, guint boot)
{
	PlanStage *stage = g_new0(PlanStage, 1);

	stage->boot = boot;
	stage->legs = g_array_new(FALSE, FALSE, sizeof(guint));
	g_ptr_array_add(stages, stage);
}

/* Boots of all arms, interleaved; places are in random order. */
static void add_stages(const Plan *plan, GPtrArray *stages, guint block)
{
	guint n = plan->profile->arms->len, most = 0;
	g_autofree guint *arms = g_new(guint, n);
	g_autofree guint *places = NULL;
	g_autoptr(GPtrArray) boots = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	Rng rng = rng_new(plan->seed, STREAM_BOOTS + block);

	order_of_arms(plan, block, arms);
	for (guint i = 0; i < n; i++) {
		g_ptr_array_add(boots, boots_of(plan, g_ptr_array_index(plan->profile->arms, i)));
		most = MAX(most, ((GArray *)g_ptr_array_index(boots, i))->len);
	}
	places = g_new(guint, most + 1);
	for (guint i = 0; i < most; i++)
		places[i] = i;
	rng_shuffle(&rng, places, most);
	for (guint p = 0; p < most; p++)
		for (guint i = 0; i < n; i++) {
			const GArray *own = g_ptr_array_index(boots, arms[i]);

			if (places[p] < own->len)
				add_stage(plan, stages, g_array_index(own, guint, places[p]));
		}
}

GPtrArray *plan_order_arms(const Plan *plan, guint block)
{
	GPtrArray *stages = g_ptr_array_new_with_free_func((GDestroyNotify)stage_free);
	g_autofree PlanStage **by_boot = g_new0(PlanStage *, plan->boots->len + 1);
	Lots lots = {plan, block};

	add_stages(plan, stages, block);
	for (guint i = 0; i < stages->len; i++) {
		PlanStage *stage = g_ptr_array_index(stages, i);

		by_boot[stage->boot] = stage;
	}
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);
		guint boot = leg->side == PLAN_GUEST ? leg->boot : boot_of_host(plan, i, block);

		g_array_append_val(by_boot[boot]->legs, i);
	}
	for (guint i = 0; i < stages->len; i++)
		g_array_sort_with_data(((PlanStage *)g_ptr_array_index(stages, i))->legs, compare_lots, &lots);
	return stages;
}
