/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `iogap gate PROFILE` goes on measuring after its screen. The runs are made up: what is under test is the choice. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/cli/gate-measure.h"

#define BLOCKS 5
#define TEXT \
	"name: choose\naccel: tcg\ntargets: [{name: t, size: 1M}]\n" \
	"workload: {rw: [read, write], block_size: [4k, 8k, 12k, 16k, 20k, 24k, 28k, 32k, 36k, 40k, 44k, 48k, 52k, 56k, 60k, 64k]}\n"

static Plan *make_plan(Profile **ret_profile)
{
	char *arms[] = {"base:", "new:io=threads", NULL};
	g_auto(PlanFacts) facts = {NULL};
	GError *error = NULL;
	Plan *plan;

	*ret_profile = profile_parse("p.yaml", TEXT, -1, &error);
	g_assert_no_error(error);
	g_assert_true(profile_add_arms(*ret_profile, arms, &error));
	profile_for_gate(*ret_profile);
	plan_facts_init(&facts, *ret_profile, "tcg");
	plan = plan_build(*ret_profile, &facts, FALSE, 1, &error);
	g_assert_no_error(error);
	return plan;
}

static const PlanLeg *leg_at(const Plan *plan, guint leg)
{
	return g_ptr_array_index(plan->legs, leg);
}

static gboolean is_new(const PlanLeg *leg)
{
	return g_str_equal(leg->arm, "new");
}

/* A rate that differs a little from block to block, alike in both arms but for LOSS. */
static void add_run(Store *store, gint64 leg, guint block, double loss)
{
	g_autoptr(StoreRun) run = store_run_new();
	GError *error = NULL;

	record_set_int(run->run, "block", block);
	record_set_text(run->run, "status", "ok");
	record_set_real(run->run, "bytes_per_s", 1e8 * (1 + 0.001 * ((leg * 7 + block * 3) % 5)) * (1 - loss));
	g_assert_cmpint(store_add_run(store, leg, -1, run, &error), >, 0);
	g_assert_no_error(error);
}

/* CELL: part of the label of the guest legs that lose GUEST in the candidate; its host legs lose HOST. */
static gint64 make_sweep(Store *store, const Plan *plan, const char *cell, double guest, double host)
{
	g_autoptr(Record) row = record_new();
	g_autofree gint64 *ids = g_new0(gint64, plan->legs->len);
	GError *error = NULL;
	gint64 sweep;

	record_set_text(row, "status", "running");
	record_set_int(row, "started_unix_ns", 1);
	record_set_text(row, "profile", "choose");
	record_set_text(row, "profile_text", plan->profile->text);
	sweep = store_add_sweep(store, row, &error);
	g_assert_no_error(error);
	for (guint side = PLAN_HOST; side <= PLAN_GUEST; side++)
		for (guint i = 0; i < plan->legs->len; i++) {
			g_autoptr(Record) leg = plan_leg_record(plan, i);
			const PlanLeg *p = leg_at(plan, i);
			double loss = !is_new(p) ? 0 : side == PLAN_HOST ? host : strstr(p->label, cell) ? guest : 0;

			if (p->side != side)
				continue;
			if (side == PLAN_GUEST)
				record_set_int(leg, "host_leg_id", ids[p->host]);
			ids[i] = store_add_leg(store, sweep, leg, &error);
			g_assert_no_error(error);
			for (guint b = 0; b < BLOCKS; b++)
				add_run(store, ids[i], b, loss);
		}
	return sweep;
}

typedef struct {
	guint guests, hosts;
	gboolean balanced; /* as many of one arm as of the other */
	char *labels, *note;
} Choice;

static Choice choose(const char *cell, double guest, double host)
{
	g_autoptr(Store) store = store_open(":memory:", STORE_WRITE, NULL);
	Profile *profile;
	g_autoptr(Plan) plan = make_plan(&profile);
	g_autofree gboolean *wanted = g_new0(gboolean, plan->legs->len);
	g_autoptr(GString) labels = g_string_new(NULL);
	GateChoice all = {NULL};
	GError *error = NULL;
	Choice out = {0};
	int arms = 0;

	g_assert_true(gate_choose(store, make_sweep(store, plan, cell, guest, host), plan, wanted, &out.note, &all, &error));
	g_assert_no_error(error);
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = leg_at(plan, i);

		if (!wanted[i])
			continue;
		*(leg->side == PLAN_GUEST ? &out.guests : &out.hosts) += 1;
		arms += is_new(leg) ? 1 : -1;
		g_string_append_printf(labels, "%s; ", leg->label);
		if (leg->side == PLAN_GUEST)
			g_assert_true(wanted[leg->host]);
	}
	out.balanced = arms == 0;
	out.labels = g_string_free(g_steal_pointer(&labels), FALSE);
	profile_free(profile);
	return out;
}

static void release(Choice *choice)
{
	g_free(choice->labels);
	g_free(choice->note);
}

/* One slow cell of 32: it and its host leg, in both arms, and nothing else. */
static void test_cell(void)
{
	Choice c = choose("read 8k", 0.05, 0);

	g_assert_cmpstr(c.labels, ==, "host read 8k direct @base; guest virtio none/native read 8k direct @base; "
		"host read 8k direct @new; guest virtio none/native read 8k direct @new; ");
	g_assert_cmpstr(c.note, ==, "the screen chose 1 of 35 rows; 1 cell will be confirmed in 12 fresh blocks");
	release(&c);
}

/* All cells slower by less than what promotes a cell: the groups are promoted, and few cells stand for them. */
static void test_groups(void)
{
	Choice c = choose("guest", 0.015, 0);

	g_assert_cmpuint(c.guests, >=, 2 * 12);
	g_assert_cmpuint(c.guests, <, 2 * 32);
	g_assert_true(c.balanced);
	g_assert_nonnull(strstr(c.note, "the screen chose 3 of 35 rows"));
	release(&c);
}

static void test_nothing(void)
{
	Choice c = choose("guest", 0, 0);

	g_assert_cmpstr(c.labels, ==, "");
	g_assert_cmpstr(c.note, ==, "the screen chose nothing of 35 rows; nothing is left to confirm");
	release(&c);
}

/* The host alone seems to move: no guest is booted for it. */
static void test_control(void)
{
	Choice c = choose("guest", 0, 0.03);

	g_assert_cmpuint(c.guests, ==, 0);
	g_assert_cmpuint(c.hosts, ==, 2);
	g_assert_true(c.balanced);
	g_assert_cmpstr(c.note, ==, "the screen chose nothing, but the host's own rate differs by -3.0 %: one of its legs will be "
		"measured in 12 more blocks");
	release(&c);
}

int main(int argc, char **argv)
{
	const char *build = g_getenv("IOGAP_BUILD");
	g_autofree char *share = g_build_filename(build ? build : "build", "share", NULL);

	g_setenv("IOGAP_SHARE", share, TRUE);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gate-choose/cell", test_cell);
	g_test_add_func("/gate-choose/groups", test_groups);
	g_test_add_func("/gate-choose/nothing", test_nothing);
	g_test_add_func("/gate-choose/control", test_control);
	return g_test_run();
}
