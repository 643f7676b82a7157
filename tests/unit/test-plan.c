/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells, refusals, boots and orders of plans. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/plan/plan.h"
#include "harness/plan/rng.h"
#include "harness/plan/stages.h"

#define HEAD "name: x\ntargets: [{name: t, size: 1G}]\n"

static Profile *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	Profile *profile = profile_parse("p.yaml", text, -1, &error);

	g_assert_no_error(error);
	return profile;
}

static Plan *build(const Profile *profile, guint64 seed)
{
	g_auto(PlanFacts) facts = {NULL};
	g_autoptr(GError) error = NULL;
	Plan *plan;

	plan_facts_init(&facts, profile, "tcg");
	plan = plan_build(profile, &facts, FALSE, seed, &error);
	g_assert_no_error(error);
	return plan;
}

static const PlanLeg *leg_at(const Plan *plan, guint leg)
{
	return g_ptr_array_index(plan->legs, leg);
}

static guint count_side(const Plan *plan, PlanSide side)
{
	guint count = 0;

	for (guint i = 0; i < plan->legs->len; i++)
		count += leg_at(plan, i)->side == side;
	return count;
}

static const PlanLeg *leg_named(const Plan *plan, const char *label, guint *ret_index)
{
	for (guint i = 0; i < plan->legs->len; i++) {
		if (g_str_equal(leg_at(plan, i)->label, label)) {
			if (ret_index)
				*ret_index = i;
			return leg_at(plan, i);
		}
	}
	g_error("there is no leg \"%s\"", label);
}

/* What every plan must keep, whatever its matrix. */
static void check_plan(const Plan *plan)
{
	g_autoptr(GHashTable) labels = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) serials = g_hash_table_new(g_str_hash, g_str_equal);
	guint legs = 0;

	g_assert_cmpuint(plan->blocks->len, ==, plan->profile->blocks);
	g_assert_cmpfloat(plan->seconds, >, 0);
	for (guint i = 0; i < plan->refusals->len; i++)
		legs += ((PlanRefusal *)g_ptr_array_index(plan->refusals, i))->legs;
	g_assert_cmpuint(plan->asked, ==, legs + plan->folded + count_side(plan, PLAN_GUEST));
	for (guint d = 0; d < plan->disks->len; d++) {
		const PlanDisk *disk = &g_array_index(plan->disks, PlanDisk, d);

		g_assert_cmpuint(strlen(disk->serial), ==, 20);
		g_assert_true(g_hash_table_add(serials, (char *)disk->serial));
	}
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = leg_at(plan, i);
		g_autoptr(Record) record = plan_leg_record(plan, i);
		gboolean has = FALSE;

		g_assert_true(g_hash_table_add(labels, leg->label));
		g_assert_cmpuint(record_size(record), ==, 53);
		g_assert_cmpint(record_has(record, "bus"), ==, leg->side == PLAN_GUEST);
		if (leg->side == PLAN_HOST) {
			g_assert_cmpint(leg->host, ==, -1);
			continue;
		}
		g_assert_cmpint(leg->host, >=, 0);
		g_assert_cmpint(leg_at(plan, leg->host)->side, ==, PLAN_HOST);
		g_assert_cmpuint(leg_at(plan, leg->host)->workload, ==, leg->workload);
		g_assert_cmpuint(leg_at(plan, leg->host)->target, ==, leg->target);
		g_assert_cmpstr(leg_at(plan, leg->host)->host_scheduler, ==, leg->host_scheduler);
		g_assert_cmpuint(leg_at(plan, leg->host)->host_cache_limit, ==, leg->host_cache_limit);
		g_assert_cmpuint(g_array_index(plan->disks, PlanDisk, leg->disk).target, ==, leg->target);
		for (guint d = 0; d < ((PlanBoot *)g_ptr_array_index(plan->boots, leg->boot))->disks->len; d++)
			has = has || g_array_index(((PlanBoot *)g_ptr_array_index(plan->boots, leg->boot))->disks, guint,
					     d) == leg->disk;
		g_assert_true(has);
	}
}

static void check_boot(const Plan *plan, const PlanBoot *boot)
{
	const PlanDisk *controller = NULL;
	guint ide = 0, sata = 0;

	g_assert_cmpuint(boot->disks->len, >, 0);
	for (guint i = 0; i < boot->disks->len; i++) {
		const PlanDisk *disk = &g_array_index(plan->disks, PlanDisk, g_array_index(boot->disks, guint, i));

		ide += g_str_equal(disk->bus, "ide");
		sata += g_str_equal(disk->bus, "sata");
		g_assert_true(disk->hotplug == g_str_has_prefix(disk->bus, "virtio"));
		g_assert_true(disk->hotplug == (disk->queues > 0));
		g_assert_true(disk->hotplug == (disk->iothread >= 0));
		if (!g_str_equal(disk->bus, "virtio-scsi"))
			continue;
		if (controller) {
			g_assert_cmpint(disk->queues, ==, controller->queues);
			g_assert_cmpint(disk->iothread, ==, controller->iothread);
			g_assert_cmpint(disk->ioeventfd, ==, controller->ioeventfd);
		}
		controller = disk;
	}
	g_assert_cmpuint(ide, <=, SLOTS_IDE);
	g_assert_cmpuint(sata, <=, SLOTS_SATA);
	g_assert_true(ide == 0 || g_str_equal(boot->machine.machine, "pc"));
}

/* Every leg once per block, in a stage of its own boot or of one of its guests' boots. */
static void check_block(const Plan *plan, const GPtrArray *stages)
{
	g_autofree guint *seen = g_new0(guint, plan->legs->len);
	g_autofree guint *booted = g_new0(guint, plan->boots->len);

	g_assert_cmpuint(stages->len, ==, plan->boots->len);
	for (guint s = 0; s < stages->len; s++) {
		const PlanStage *stage = g_ptr_array_index(stages, s);

		booted[stage->boot]++;
		for (guint i = 0; i < stage->legs->len; i++) {
			guint index = g_array_index(stage->legs, guint, i);
			gboolean near = leg_at(plan, index)->side == PLAN_GUEST &&
				leg_at(plan, index)->boot == stage->boot;

			seen[index]++;
			for (guint g = 0; g < plan->legs->len; g++)
				near = near || (leg_at(plan, g)->host == (int)index &&
						       leg_at(plan, g)->boot == stage->boot);
			g_assert_true(near);
		}
	}
	for (guint i = 0; i < plan->legs->len; i++)
		g_assert_cmpuint(seen[i], ==, 1);
	for (guint i = 0; i < plan->boots->len; i++)
		g_assert_cmpuint(booted[i], ==, 1);
}

static void check_all(const Plan *plan)
{
	check_plan(plan);
	for (guint i = 0; i < plan->boots->len; i++)
		check_boot(plan, g_ptr_array_index(plan->boots, i));
	for (guint i = 0; i < plan->blocks->len; i++)
		check_block(plan, g_ptr_array_index(plan->blocks, i));
}

/* The whole order as text. */
static char *order_text(const Plan *plan, guint blocks)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint b = 0; b < blocks; b++) {
		const GPtrArray *stages = g_ptr_array_index(plan->blocks, b);

		for (guint s = 0; s < stages->len; s++) {
			const PlanStage *stage = g_ptr_array_index(stages, s);

			g_string_append_printf(text, " %u:", stage->boot);
			for (guint i = 0; i < stage->legs->len; i++)
				g_string_append_printf(text, "%u,", g_array_index(stage->legs, guint, i));
		}
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void test_quick(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *file = g_build_filename(g_getenv("IOGAP_SRC") ? g_getenv("IOGAP_SRC") : ".",
		"profiles/quick.yaml", NULL);
	g_autoptr(Profile) profile = profile_load(file, &error);
	g_autoptr(Plan) plan = NULL;
	g_autoptr(Record) record = NULL;
	guint index;

	g_assert_no_error(error);
	plan = build(profile, 1);
	check_all(plan);
	g_assert_cmpuint(count_side(plan, PLAN_HOST), ==, 12);
	g_assert_cmpuint(count_side(plan, PLAN_GUEST), ==, 24);
	g_assert_cmpuint(plan->boots->len, ==, 1);
	g_assert_cmpuint(plan->blocks->len, ==, 2);
	g_assert_cmpuint(plan->refusals->len, ==, 0);
	g_assert_cmpfloat(plan->seconds, <, 180);
	leg_named(plan, "host write 1M buffered", NULL);
	leg_named(plan, "guest virtio none/native read 8k direct", &index);
	record = plan_leg_record(plan, index);
	g_assert_cmpstr(record_get_text(record, "side"), ==, "guest");
	g_assert_cmpstr(record_get_text(record, "target"), ==, "scratch");
	g_assert_cmpint(record_get_int(record, "target_size", 0), ==, 1 << 30);
	g_assert_cmpint(record_get_int(record, "block_size", 0), ==, 8192);
	g_assert_cmpint(record_get_int(record, "direct", 0), ==, 1);
	g_assert_cmpint(record_get_int(record, "queues", 0), ==, 1);
	g_assert_cmpint(record_get_int(record, "iothread", -1), ==, 0);
	g_assert_cmpint(record_type(record, "rate_iops"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(record, "mix_read"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(record, "host_scheduler"), ==, RECORD_NULL);
	record_free(g_steal_pointer(&record));
	leg_named(plan, "guest ide none/native write 64k direct", &index);
	record = plan_leg_record(plan, index);
	g_assert_cmpint(record_type(record, "queues"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(record, "iothread"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(record, "ioeventfd"), ==, RECORD_NULL);
	g_assert_cmpint(record_get_int(record, "vcpus", 0), ==, 1);
}

static void test_determinism(void)
{
	g_autoptr(Profile) profile = parse(HEAD "workload: {rw: [read, write], block_size: [4k, 8k, 16k]}\n"
						"guest: {bus: [virtio, ide], cache: [none, directsync, writeback], io: "
						"threads}\nmeasure: {blocks: 4}\n");
	g_autoptr(Profile) longer = parse(HEAD "workload: {rw: [read, write], block_size: [4k, 8k, 16k]}\n"
					       "guest: {bus: [virtio, ide], cache: [none, directsync, writeback], io: "
					       "threads}\nmeasure: {blocks: 6}\n");
	g_autoptr(Plan) a = build(profile, 7), b = build(profile, 7), c = build(profile, 8), d = build(longer, 7);
	g_autofree char *ta = order_text(a, 4), *tb = order_text(b, 4), *tc = order_text(c, 4);
	g_autofree char *td = order_text(d, 4), *first = order_text(a, 1), *two = order_text(a, 2);

	g_assert_cmpstr(ta, ==, tb);
	g_assert_cmpstr(ta, !=, tc);
	/* More blocks leave the orders of the first ones alone, and no two blocks are alike. */
	g_assert_cmpstr(ta, ==, td);
	g_assert_cmpstr(first, !=, two + strlen(first));
	g_assert_cmpstr(g_array_index(a->disks, PlanDisk, 1).serial, ==, g_array_index(b->disks, PlanDisk, 1).serial);
	g_assert_cmpstr(g_array_index(a->disks, PlanDisk, 1).serial, !=, g_array_index(c->disks, PlanDisk, 1).serial);
}

/* Legs of BLOCK in the order in which they run. */
static GArray *legs_in_order(const Plan *plan, guint block)
{
	GArray *legs = g_array_new(FALSE, FALSE, sizeof(guint));
	const GPtrArray *stages = g_ptr_array_index(plan->blocks, block);

	for (guint s = 0; s < stages->len; s++) {
		const GArray *own = ((const PlanStage *)g_ptr_array_index(stages, s))->legs;

		g_array_append_vals(legs, own->data, own->len);
	}
	return legs;
}

/* Every second block is the one before it backwards: either side of a cell runs first equally often. */
static void test_counterbalanced(void)
{
	g_autoptr(Profile) profile = parse(HEAD "workload: {rw: [read, write], block_size: [4k, 8k, 16k]}\n"
						"guest: {bus: ide, cache: [none, directsync, writeback, unsafe, writethrough], io: threads}\n"
						"measure: {blocks: 6}\n");
	g_autoptr(Plan) plan = build(profile, 7);
	g_autofree guint *host_first = g_new0(guint, plan->legs->len);

	g_assert_cmpuint(plan->boots->len, >, 1);
	for (guint b = 0; b < 6; b++) {
		g_autoptr(GArray) legs = legs_in_order(plan, b);
		g_autoptr(GArray) before = legs_in_order(plan, b - b % 2);
		g_autofree guint *place = g_new0(guint, plan->legs->len);

		g_assert_cmpuint(legs->len, ==, plan->legs->len);
		for (guint i = 0; i < legs->len; i++) {
			place[g_array_index(legs, guint, i)] = i;
			if (b % 2)
				g_assert_cmpuint(g_array_index(legs, guint, i), ==,
					g_array_index(before, guint, legs->len - 1 - i));
		}
		for (guint i = 0; i < plan->legs->len; i++) {
			const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

			host_first[i] += leg->side == PLAN_GUEST && place[leg->host] < place[i];
		}
	}
	for (guint i = 0; i < plan->legs->len; i++)
		if (((const PlanLeg *)g_ptr_array_index(plan->legs, i))->side == PLAN_GUEST)
			g_assert_cmpuint(host_first[i], ==, 3);
}

/* The generator itself: known answers, so that a seed means the same order for ever. */
static void test_rng(void)
{
	Rng rng = {0}, a = rng_new(1, 0), b = rng_new(1, 1);
	guint counts[6] = {0}, items[3];

	/* The first outputs for state 0, as published for SplitMix64. */
	g_assert_cmphex(rng_next(&rng), ==, 0xe220a8397b1dcdafull);
	g_assert_cmphex(rng_next(&rng), ==, 0x6e789e6aa1b965f4ull);
	g_assert_cmphex(rng_next(&rng), ==, 0x06c45d188009454full);
	g_assert_cmphex(rng_next(&a), !=, rng_next(&b));
	for (guint i = 0; i < 6000; i++) {
		items[0] = 0;
		items[1] = 1;
		items[2] = 2;
		rng_shuffle(&a, items, 3);
		counts[items[0] * 2 + (items[1] > items[2])]++;
	}
	/* Six orders, 1000 of each expected, standard deviation 29. */
	for (guint i = 0; i < 6; i++)
		g_assert_cmpuint(ABS((int)counts[i] - 1000), <, 150);
}

/* For many random matrices: each leg in one stage of each block, each cell with its host leg, no boot over its slots. */
static void append_axis(GString *text, Rng *rng, const char *key, const char *values, const char **separator)
{
	g_auto(GStrv) all = g_strsplit(values, " ", -1);
	guint n = g_strv_length(all), kept = 0, must = rng_below(rng, n);

	g_string_append_printf(text, "%s%s: [", *separator, key);
	for (guint i = 0; i < n; i++)
		if (i == must || rng_below(rng, 3) == 0)
			g_string_append_printf(text, "%s%s", kept++ ? ", " : "", all[i]);
	g_string_append(text, "]");
	*separator = ", ";
}

static char *random_profile(Rng *rng)
{
	static const struct {
		const char *section, *key, *values;
	} axes[] = {
		{"workload", "rw", "read write randrw"},
		{"workload", "block_size", "512 1000 4k 64k"},
		{"workload", "direct", "true false"},
		{"workload", "engine", "psync libaio io_uring fio fio:psync"},
		{"workload", "queue_depth", "1 8"},
		{"workload", "sync", "none dsync fsync"},
		{"guest", "bus", "virtio virtio-scsi ide sata usb nvme"},
		{"guest", "cache", "none writeback directsync unsafe"},
		{"guest", "io", "threads native io_uring"},
		{"guest", "iothread", "false true"},
		{"guest", "ioeventfd", "true false"},
		{"guest", "queues", "1 2"},
		{"guest", "format", "raw qcow2"},
		{"guest", "cluster_size", "64k 4k"},
		{"guest", "logical_block_size", "512 4k"},
		{"guest", "event_idx", "true false"},
		{"guest", "packed", "false true"},
		{"guest", "queue_size", "default 128"},
		{"guest", "physical_block_size", "logical 512"},
		{"guest", "discard", "ignore unmap"},
		{"guest", "rotation_rate", "none 7200"},
		{"guest", "iops_limit", "none 500"},
		{"guest", "machine", "pc q35"},
		{"guest", "vcpus", "1 2"},
		{"guest", "pin_vcpu", "none 0"},
		{"guest", "pin_emulator", "none 0-1"},
		{"host", "scheduler", "keep none"},
		{"host", "host_cache_limit", "none 8G"},
		{"host", "pin_load", "none 1"},
	};
	g_autoptr(GString) text = g_string_new("name: x\ntargets: [{name: t, size: 1G}, {name: u, size: 2G}]\n");
	const char *section = "";

	for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
		static const char *separator;

		/* Leave many axes out, or every matrix is too large. */
		if (rng_below(rng, 2) == 0)
			continue;
		if (!g_str_equal(section, axes[i].section)) {
			g_string_append_printf(text, "%s%s: {", *section ? "}\n" : "", axes[i].section);
			section = axes[i].section;
			separator = "";
		}
		append_axis(text, rng, axes[i].key, axes[i].values, &separator);
	}
	g_string_append_printf(text, "%s" "measure: {blocks: 2}\n", *section ? "}\n" : "");
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void test_random(void)
{
	Rng rng = rng_new(2026, 0);
	guint built = 0, empty = 0;

	for (guint i = 0; i < 480; i++) {
		g_autofree char *text = random_profile(&rng);
		g_autoptr(Profile) profile = parse(text);
		g_auto(PlanFacts) facts = {NULL};
		g_autoptr(GError) error = NULL;
		g_autoptr(Plan) plan = NULL;

		plan_facts_init(&facts, profile, "tcg");
		plan = plan_build(profile, &facts, FALSE, i, &error);
		if (!plan) {
			g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
			empty++;
			continue;
		}
		/* The checks are quadratic; long plans are no different in kind. */
		if (plan->legs->len > 600)
			continue;
		check_all(plan);
		built++;
	}
	g_assert_cmpuint(built, >=, 150);
	g_test_message("%u plans checked, %u with nothing to measure", built, empty);
}

static void test_packing(void)
{
	g_autoptr(Profile) five = parse(HEAD "guest: {bus: ide, cache: [none, directsync, writeback, writethrough, unsafe], "
					     "io: threads}\n");
	g_autoptr(Profile) seven = parse("name: x\ntargets: [{name: t, size: 1G}, {name: u, size: 1G}]\n"
					 "guest: {bus: [sata, ide, virtio], cache: [none, directsync, writeback, "
					 "writethrough], io: threads}\n");
	g_autoptr(Profile) scsi = parse(HEAD "guest: {bus: [virtio-scsi, virtio], iothread: [true, false], vcpus: 2, queues: "
					     "[1, 2]}\n");
	g_autoptr(Profile) machines = parse(HEAD "guest: {machine: [pc, q35], vcpus: [1, 2]}\n");
	g_autoptr(Plan) a = build(five, 1), b = build(seven, 1), c = build(scsi, 1), d = build(machines, 1);

	/* Five IDE disks do not fit into four slots: two boots, three and two. */
	check_all(a);
	g_assert_cmpuint(a->refusals->len, ==, 0);
	g_assert_cmpuint(a->boots->len, ==, 2);
	g_assert_cmpuint(((PlanBoot *)g_ptr_array_index(a->boots, 0))->disks->len, ==, 3);
	/* Eight SATA, eight IDE and eight virtio disks: two boots carry them all. */
	check_all(b);
	g_assert_cmpuint(b->disks->len, ==, 24);
	g_assert_cmpuint(b->boots->len, ==, 2);
	/* Four kinds of virtio-scsi controller, one in each boot. */
	check_all(c);
	g_assert_cmpuint(c->boots->len, ==, 4);
	check_all(d);
	g_assert_cmpuint(d->boots->len, ==, 4);
	/* One vCPU or two: other machines, and another disk, since the queues follow. */
	g_assert_cmpuint(d->disks->len, ==, 2);
}

static void test_folded(void)
{
	g_autoptr(Profile) profile = parse(HEAD "workload: {rw: [read, randrw], mix_read: [30, 70]}\n"
						"guest: {bus: [ide, virtio], ioeventfd: [true, false]}\n");
	g_autoptr(Plan) plan = build(profile, 1);
	guint mixed;

	check_all(plan);
	/* IDE with ioeventfd false is refused (4), with true it does not apply; read has no mix. */
	g_assert_cmpuint(plan->asked, ==, 16);
	g_assert_cmpuint(count_side(plan, PLAN_HOST), ==, 3);
	g_assert_cmpuint(count_side(plan, PLAN_GUEST), ==, 9);
	g_assert_cmpuint(plan->folded, ==, 3);
	leg_named(plan, "guest virtio none/native no-ioeventfd read 64k direct", NULL);
	leg_named(plan, "guest ide none/native randrw mix_read=30 64k direct", &mixed);
	g_assert_cmpint(g_array_index(plan->workloads, PlanWorkload, leg_at(plan, mixed)->workload).mix_read, ==, 30);
}

/* One run of bonnie++ serves all its tests of one disk; nothing else is shared. */
static void test_share(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = profile_parse("p.yaml",
		"name: x\ntargets: [{name: t, size: 1G}]\nworkload: {rw: [write, read, rw], block_size: [4k, 8k], engine: [bonnie++, psync]}\n"
		"guest: {bus: [virtio, ide]}\n", -1, &error);
	g_auto(PlanFacts) facts = {NULL};
	g_autoptr(Plan) plan = NULL;
	guint own = 0, others = 0;

	g_assert_no_error(error);
	plan_facts_init(&facts, profile, "tcg");
	plan = plan_build(profile, &facts, FALSE, 1, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = plan->legs->pdata[i];
		const PlanWorkload *workload = &g_array_index(plan->workloads, PlanWorkload, leg->workload);
		guint sharers = 0;

		for (guint k = 0; k < plan->legs->len; k++)
			sharers += plan_legs_share(plan, i, k);
		g_assert_cmpuint(sharers, ==, g_str_equal(workload->engine, "bonnie++") ? 3 : 0);
		own += sharers == 3;
		others += sharers == 0;
	}
	g_assert_cmpuint(own, ==, 18);
	g_assert_cmpuint(others, ==, 18);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/quick", test_quick);
	g_test_add_func("/plan/determinism", test_determinism);
	g_test_add_func("/plan/rng", test_rng);
	g_test_add_func("/plan/packing", test_packing);
	g_test_add_func("/plan/folded", test_folded);
	g_test_add_func("/plan/counterbalanced", test_counterbalanced);
	g_test_add_func("/plan/random", test_random);
	g_test_add_func("/plan/share", test_share);
	return g_test_run();
}
