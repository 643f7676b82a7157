/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From combinations to cells, legs and refusals. */
#include "harness/plan/plan.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/plan/cell.h"
#include "harness/plan/rng.h"
#include "harness/plan/stages.h"

typedef struct {
	Plan *plan;
	const PlanFacts *facts;
	GArray *machines; /* of PlanMachine */
	GArray *needs;	  /* of guint: machine of each leg, G_MAXUINT for host legs */
	GHashTable *legs; /* label -> leg index + 1 */
	GHashTable *refusals; /* text -> PlanRefusal, borrowed */
} Builder;

static void boot_free(PlanBoot *boot)
{
	g_array_unref(boot->disks);
	g_free(boot);
}

static void leg_free(PlanLeg *leg)
{
	g_free(leg->label);
	g_free(leg);
}

static void refusal_free(PlanRefusal *refusal)
{
	g_free(refusal->combination);
	g_free(refusal->reason);
	g_free(refusal);
}

void plan_free(Plan *plan)
{
	if (!plan)
		return;
	g_array_unref(plan->workloads);
	g_array_unref(plan->disks);
	g_ptr_array_unref(plan->boots);
	g_ptr_array_unref(plan->legs);
	g_ptr_array_unref(plan->refusals);
	g_ptr_array_unref(plan->blocks);
	g_free(plan);
}

static Plan *plan_new(const Profile *profile, const PlanFacts *facts, guint64 seed)
{
	Plan *plan = g_new0(Plan, 1);

	plan->profile = profile;
	plan->seed = seed;
	plan->boot_s = facts->boot_s;
	plan->workloads = g_array_new(FALSE, TRUE, sizeof(PlanWorkload));
	plan->disks = g_array_new(FALSE, TRUE, sizeof(PlanDisk));
	plan->boots = g_ptr_array_new_with_free_func((GDestroyNotify)boot_free);
	plan->legs = g_ptr_array_new_with_free_func((GDestroyNotify)leg_free);
	plan->refusals = g_ptr_array_new_with_free_func((GDestroyNotify)refusal_free);
	plan->blocks = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	return plan;
}

gboolean plan_legs_share(const Plan *plan, guint leg, guint other)
{
	const PlanLeg *a = g_ptr_array_index(plan->legs, leg), *b = g_ptr_array_index(plan->legs, other);
	PlanWorkload x = g_array_index(plan->workloads, PlanWorkload, a->workload);

	x.rw = g_array_index(plan->workloads, PlanWorkload, b->workload).rw;
	return workload_bonnie(&x) && workload_equal(&x, &g_array_index(plan->workloads, PlanWorkload, b->workload)) && a->side == b->side &&
		a->target == b->target && a->boot == b->boot && a->disk == b->disk && a->host_scheduler == b->host_scheduler &&
		a->arm == b->arm;
}

static guint workload_index(GArray *workloads, const PlanWorkload *workload)
{
	for (guint i = 0; i < workloads->len; i++)
		if (workload_equal(&g_array_index(workloads, PlanWorkload, i), workload))
			return i;
	g_array_append_vals(workloads, workload, 1);
	return workloads->len - 1;
}

static guint machine_index(GArray *machines, const PlanMachine *machine)
{
	for (guint i = 0; i < machines->len; i++)
		if (machine_equal(&g_array_index(machines, PlanMachine, i), machine))
			return i;
	g_array_append_vals(machines, machine, 1);
	return machines->len - 1;
}

static guint disk_index(Plan *plan, const PlanDisk *disk)
{
	PlanDisk *added;
	Rng rng;

	for (guint i = 0; i < plan->disks->len; i++)
		if (disk_equal(&g_array_index(plan->disks, PlanDisk, i), disk))
			return i;
	g_array_append_vals(plan->disks, disk, 1);
	added = &g_array_index(plan->disks, PlanDisk, plan->disks->len - 1);
	rng = rng_new(plan->seed, G_MAXUINT64);
	g_snprintf(added->serial, sizeof(added->serial), "iogap-%010" G_GINT64_MODIFIER "x%04x",
		(guint64)(rng_next(&rng) & 0xffffffffffull), (plan->disks->len - 1) & 0xffff);
	return plan->disks->len - 1;
}

/* Arms of one cell have the cell's label, whatever they change, and their own name. */
static char *arm_label(const Profile *profile, const Cell *named, const char *arm, PlanSide side)
{
	g_autofree char *label = cell_label(profile, named, side);

	return arm ? g_strdup_printf("%s @%s", label, arm) : g_steal_pointer(&label);
}

/* The leg with this label, made when it is new: a label holds all that tells two legs apart. */
static guint leg_index(Builder *builder, const Cell *named, const Cell *cell, PlanSide side, gboolean *ret_new)
{
	Plan *plan = builder->plan;
	g_autofree char *label = arm_label(plan->profile, named, cell->arm, side);
	guint found = GPOINTER_TO_UINT(g_hash_table_lookup(builder->legs, label));
	guint machine = G_MAXUINT;
	PlanLeg *leg;

	*ret_new = !found;
	if (found)
		return found - 1;
	leg = g_new0(PlanLeg, 1);
	leg->side = side;
	leg->workload = workload_index(plan->workloads, &cell->workload);
	leg->target = cell->target;
	leg->host = -1;
	leg->host_scheduler = cell->host_scheduler;
	leg->host_cache_limit = cell->host_cache_limit;
	leg->pin_load = cell->pin_load;
	leg->governor = cell->governor;
	leg->turbo = cell->turbo;
	leg->arm = cell->arm;
	if (side == PLAN_GUEST) {
		leg->disk = disk_index(plan, &cell->disk);
		machine = machine_index(builder->machines, &cell->machine);
	}
	leg->label = g_steal_pointer(&label);
	g_ptr_array_add(plan->legs, leg);
	g_array_append_val(builder->needs, machine);
	g_hash_table_insert(builder->legs, leg->label, GUINT_TO_POINTER(plan->legs->len));
	return plan->legs->len - 1;
}

/* MEASURED is what ARM makes of COMBINATION; NULL = there are no arms. */
static void add_cell(Builder *builder, const Combination *combination, const Combination *measured, const ProfileArm *arm)
{
	Cell named = cell_of(builder->plan->profile, combination), cell = cell_of(builder->plan->profile, measured);
	gboolean new;
	guint host, guest;

	cell.arm = cell.machine.arm = arm ? g_intern_string(arm->name) : NULL;
	host = leg_index(builder, &named, &cell, PLAN_HOST, &new);
	guest = leg_index(builder, &named, &cell, PLAN_GUEST, &new);

	((PlanLeg *)g_ptr_array_index(builder->plan->legs, guest))->host = host;
	builder->plan->folded += !new;
}

/* "bus=ide logical_block_size=4k", in the order of the matrix so that it reads as in the profile. */
static char *combination_text(const Combination *combination, const MatrixDim *dims)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint d = 0; dims[d] != DIM_NONE; d++)
		g_string_append_printf(text, "%s%s=%s", d ? " " : "", matrix_row(dims[d])->key,
			matrix_text(combination, dims[d]));
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void add_refusal(Builder *builder, const Combination *combination, const MatrixDim *dims, char *reason)
{
	g_autofree char *text = combination_text(combination, dims);
	g_autofree char *id = g_strdup_printf("%s\n%s", text, reason);
	PlanRefusal *refusal = g_hash_table_lookup(builder->refusals, id);

	if (!refusal) {
		refusal = g_new0(PlanRefusal, 1);
		refusal->combination = g_steal_pointer(&text);
		refusal->reason = g_strdup(reason);
		for (guint d = 0; dims[d] != DIM_NONE && refusal->place.line == 0; d++)
			refusal->place = combination->dims[dims[d]].place;
		if (refusal->place.line == 0)
			refusal->place = (ProfilePlace){1, 1};
		g_ptr_array_add(builder->plan->refusals, refusal);
		g_hash_table_insert(builder->refusals, g_steal_pointer(&id), refusal);
	}
	refusal->legs++;
	g_free(reason);
}

char *plan_refusal_text(const Plan *plan, const PlanRefusal *refusal)
{
	return g_strdup_printf("%s:%u:%u: %s: %s (%u %s)", plan->profile->file, refusal->place.line,
		refusal->place.column, refusal->combination, refusal->reason, refusal->legs,
		refusal->legs == 1 ? "leg" : "legs");
}

static gboolean refused(const Plan *plan, const char *what, GError **error)
{
	g_autoptr(GString) text = g_string_new(plan->profile->file);

	g_string_append(text, what);
	for (guint i = 0; i < plan->refusals->len; i++) {
		g_autofree char *line = plan_refusal_text(plan, g_ptr_array_index(plan->refusals, i));

		g_string_append_printf(text, "\n  %s", line);
	}
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, text->str);
	return FALSE;
}

/* A value that was asked for and that no combination can use would be ignored in silence. */
static gboolean check_use(const Profile *profile, const GArray *combinations, MatrixDim dim, MatrixDim needs,
	const char *const *values, const char *what, GError **error)
{
	const Combination *asked = NULL;

	for (guint i = 0; i < combinations->len; i++) {
		const Combination *c = &g_array_index(combinations, Combination, i);

		if (g_strv_contains(values, matrix_text(c, needs)))
			return TRUE;
		if (c->dims[dim].place.line)
			asked = c;
	}
	if (!asked)
		return TRUE;
	profile_error(error, profile->file, asked->dims[dim].place, "%s has no effect in this profile: it needs %s",
		matrix_row(dim)->key, what);
	return FALSE;
}

static gboolean check_uses(const Profile *profile, const GArray *combinations, GError **error)
{
	static const char *const mixed[] = {"rw", "randrw", NULL};
	static const char *const fsync[] = {"fsync", NULL};

	return check_use(profile, combinations, DIM_MIX_READ, DIM_RW, mixed, "rw: rw or randrw", error) &&
		check_use(profile, combinations, DIM_FSYNC_EVERY, DIM_SYNC, fsync, "sync: fsync", error);
}

static void build_arm(Builder *builder, const Combination *combination, const Combination *measured, const ProfileArm *arm)
{
	MatrixDim dims[REFUSE_DIMS];
	char *reason = refuse(builder->plan->profile, builder->facts, measured, dims);

	if (reason)
		add_refusal(builder, measured, dims, reason);
	else
		add_cell(builder, combination, measured, arm);
}

static void build_combination(Builder *builder, const Combination *combination)
{
	const GPtrArray *arms = builder->plan->profile->arms;

	if (arms->len == 0)
		build_arm(builder, combination, combination, NULL);
	for (guint i = 0; i < arms->len; i++) {
		const ProfileArm *arm = g_ptr_array_index(arms, i);
		Combination measured = matrix_arm(combination, arm);

		build_arm(builder, combination, &measured, arm);
	}
}

static gboolean build_legs(Builder *builder, gboolean strict, GError **error)
{
	Plan *plan = builder->plan;
	g_autoptr(GArray) combinations = matrix_build(plan->profile, error);

	if (!combinations || !check_uses(plan->profile, combinations, error))
		return FALSE;
	plan->asked = combinations->len * MAX(plan->profile->arms->len, 1);
	for (guint i = 0; i < combinations->len; i++)
		build_combination(builder, &g_array_index(combinations, Combination, i));
	if (plan->legs->len == 0)
		return refused(plan, ": nothing is left to measure; every combination is impossible:", error);
	if (strict && plan->refusals->len)
		return refused(plan, ": combinations that cannot be measured (--strict):", error);
	return TRUE;
}

Plan *plan_build(const Profile *profile, const PlanFacts *facts, gboolean strict, guint64 seed, GError **error)
{
	g_autoptr(Plan) plan = plan_new(profile, facts, seed);
	g_autoptr(GArray) machines = g_array_new(FALSE, TRUE, sizeof(PlanMachine));
	g_autoptr(GArray) needs = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GHashTable) legs = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) refusals = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	Builder builder = {plan, facts, machines, needs, legs, refusals};

	if (!build_legs(&builder, strict, error))
		return NULL;
	plan_pack(plan, machines, needs);
	plan_order(plan);
	plan_estimate(plan);
	return g_steal_pointer(&plan);
}
