/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms: from the command line to the order of blocks. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/plan/plan.h"

#define TEXT \
	"name: arms\naccel: tcg\ntargets: [{name: t, size: 1M}]\n" \
	"workload: {rw: [read, write], block_size: [4k, 64k, 1M]}\nguest: {bus: [virtio, ide]}\nmeasure: {blocks: 12}\n"

static Profile *load(void)
{
	GError *error = NULL;
	Profile *profile = profile_parse("p.yaml", TEXT, -1, &error);

	g_assert_no_error(error);
	return profile;
}

static Plan *build(Profile *profile, char **arms, guint64 seed)
{
	g_auto(PlanFacts) facts = {NULL};
	GError *error = NULL;
	Plan *plan;

	g_assert_true(profile_add_arms(profile, arms, &error));
	g_assert_no_error(error);
	plan_facts_init(&facts, profile, "tcg");
	plan = plan_build(profile, &facts, FALSE, seed, &error);
	g_assert_no_error(error);
	return plan;
}

static const PlanLeg *leg_at(const Plan *plan, guint leg)
{
	return g_ptr_array_index(plan->legs, leg);
}

/* Labels of a stage's legs without the arm, in order. */
static char *order_of(const Plan *plan, const PlanStage *stage)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < stage->legs->len; i++) {
		const char *label = leg_at(plan, g_array_index(stage->legs, guint, i))->label;

		g_string_append_len(text, label, (gssize)(strrchr(label, '@') - label));
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static const char *arm_of(const Plan *plan, const PlanStage *stage)
{
	return ((PlanBoot *)g_ptr_array_index(plan->boots, stage->boot))->machine.arm;
}

static void check_block(const Plan *plan, const GPtrArray *stages, GHashTable *orders)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

	for (guint s = 0; s < stages->len; s++) {
		const PlanStage *stage = g_ptr_array_index(stages, s);

		for (guint i = 0; i < stage->legs->len; i++) {
			guint leg = g_array_index(stage->legs, guint, i);

			g_assert_cmpstr(leg_at(plan, leg)->arm, ==, arm_of(plan, stage));
			g_assert_true(g_hash_table_add(seen, GUINT_TO_POINTER(leg + 1)));
		}
	}
	g_assert_cmpuint(g_hash_table_size(seen), ==, plan->legs->len);
	for (guint s = 0; s + 1 < stages->len; s += 2) {
		const PlanStage *one = g_ptr_array_index(stages, s), *two = g_ptr_array_index(stages, s + 1);
		g_autofree char *a = order_of(plan, one), *b = order_of(plan, two);

		g_assert_cmpstr(arm_of(plan, one), !=, arm_of(plan, two));
		g_assert_cmpstr(a, ==, b);
		g_hash_table_add(orders, g_steal_pointer(&a));
	}
}

/* Each leg once per block in a boot of its arm; twins beside each other, in the same order; either arm first equally often. */
static void test_order(void)
{
	char *arms[] = {(char *)"base:", (char *)"new:memory=256M", NULL};
	g_autoptr(Profile) profile = load();
	g_autoptr(Plan) plan = build(profile, arms, 5);
	g_autoptr(GHashTable) orders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	guint first = 0;

	g_assert_cmpuint(plan->legs->len, ==, 2 * (6 + 12));
	for (guint b = 0; b < plan->blocks->len; b++) {
		const GPtrArray *stages = g_ptr_array_index(plan->blocks, b);

		check_block(plan, stages, orders);
		first += g_str_equal(arm_of(plan, g_ptr_array_index(stages, 0)), "base");
	}
	g_assert_cmpuint(first, ==, plan->blocks->len / 2);
	g_assert_cmpuint(g_hash_table_size(orders), ==, plan->blocks->len);
}

static void test_settings(void)
{
	char *arms[] = {(char *)"base:", (char *)"new:memory=256M,vcpus=2", (char *)"new:kernel=/boot/vmlinuz", NULL};
	g_autoptr(Profile) profile = load();
	g_autoptr(Plan) plan = build(profile, arms, 5);
	guint of_new = 0;

	for (guint i = 0; i < plan->legs->len; i++) {
		g_autoptr(Record) row = plan_leg_record(plan, i);
		gboolean guest = leg_at(plan, i)->side == PLAN_GUEST, new = g_str_equal(record_get_text(row, "arm"), "new");

		of_new += new;
		g_assert_true(g_str_has_suffix(record_get_text(row, "label"), new ? " @new" : " @base"));
		/* The label tells cells apart, and both arms of a cell alike. */
		g_assert_null(strstr(record_get_text(row, "label"), "vcpus"));
		if (!guest)
			continue;
		g_assert_cmpint(record_get_int(row, "vcpus", 0), ==, new ? 2 : 1);
		g_assert_cmpint(record_get_int(row, "memory", 0), ==, (new ? 256 : 512) << 20);
		g_assert_cmpstr(record_get_text(row, "kernel"), ==, new ? "/boot/vmlinuz" : NULL);
	}
	g_assert_cmpuint(of_new, ==, plan->legs->len / 2);
	g_assert_true(g_str_has_suffix(profile->text,
		"\n# --arm base:\n# --arm new:memory=256M,vcpus=2\n# --arm new:kernel=/boot/vmlinuz\n"));
}

static void test_errors(void)
{
	static const struct {
		const char *arms[3];
		const char *message;
	} bad[] = {
		{{"x"}, "--arm x: an arm is NAME:KEY=VALUE, such as new:emulator=/usr/local/bin/qemu-system-x86_64"},
		{{"base:"}, "--arm base:: one arm alone is nothing to compare; give another one, such as --arm base:"},
		{{"a:", "b:vcpus"}, "--arm b:vcpus: \"vcpus\" is no KEY=VALUE"},
		{{"a:", "b:vcpu=2"}, "--arm b:vcpu=2: unknown key \"vcpu\"; did you mean \"vcpus\"?"},
		{{"a:", "b:vcpus=0"}, "--arm b:vcpus=0: vcpus cannot be \"0\": it takes whole number, 1 to 64"},
		{{"a:", "b:bus=ide"}, "--arm b:bus=ide: the profile has several values of bus; an arm sets keys that have one"},
		{{"a:", "b:vcpus=2,vcpus=3"}, "--arm b:vcpus=2,vcpus=3: the arm sets vcpus twice"},
		{{"a:", "b:scheduler=none"},
			"--arm b:scheduler=none: scheduler is a key of two sections; write guest.scheduler or host.scheduler"},
		{{"a:", "b:target=t"}, "--arm b:target=t: unknown key \"target\"; an arm takes the keys of workload, guest and host"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(Profile) profile = load();
		g_autoptr(GError) error = NULL;

		g_assert_false(profile_add_arms(profile, (char **)bad[i].arms, &error));
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
		g_assert_cmpstr(error->message, ==, bad[i].message);
	}
}

/* The gate's blocks are counted beforehand. */
static void test_precision(void)
{
	char *arms[] = {(char *)"base:", (char *)"new:memory=256M", NULL};
	g_autoptr(Profile) profile = load();
	g_autoptr(GError) error = NULL;

	profile->precision = 0.02;
	g_assert_false(profile_add_arms(profile, arms, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, "--arm base:: the profile has a precision, which would end the arms' blocks early"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/arms/order", test_order);
	g_test_add_func("/arms/settings", test_settings);
	g_test_add_func("/arms/errors", test_errors);
	g_test_add_func("/arms/precision", test_precision);
	return g_test_run();
}
