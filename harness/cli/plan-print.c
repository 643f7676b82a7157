/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/plan-print.h"

#include <string.h>

#include "guest-agent/common/units.h"

#define COLUMNS 100

static const PlanLeg *leg_at(const Plan *plan, guint leg)
{
	return g_ptr_array_index(plan->legs, leg);
}

static guint count_hosts(const Plan *plan)
{
	guint count = 0;

	for (guint i = 0; i < plan->legs->len; i++)
		count += leg_at(plan, i)->side == PLAN_HOST;
	return count;
}

static const char *plural(guint n)
{
	return n == 1 ? "" : "s";
}

static void append_time(GString *out, double seconds)
{
	guint64 s = (guint64)(seconds + 0.5);

	if (s >= 3600)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " h %" G_GUINT64_FORMAT " min", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " min %" G_GUINT64_FORMAT " s", s / 60, s % 60);
	else
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " s", s);
}

static void append_gate(GString *out, const Plan *plan)
{
	const ProfileGate *gate = &plan->profile->gate;
	double least, most;

	if (plan->profile->arms->len != 2)
		return;
	plan_gate_seconds(plan, &least, &most);
	g_string_append_printf(out, "As `iogap gate`: %u blocks screen everything, %u more confirm what they choose; about ",
		gate->screen_blocks, gate->confirm_blocks);
	append_time(out, least);
	g_string_append(out, " (nothing chosen) to ");
	append_time(out, most);
	g_string_append(out, " (everything)\n");
}

/* A range where runs can be extended, or blocks left out. */
static void append_seconds(GString *out, const Plan *plan)
{
	g_string_append(out, "Time: about ");
	append_time(out, plan->seconds);
	if (plan->seconds_most < plan->seconds + 0.5)
		return;
	g_string_append(out, " to ");
	append_time(out, plan->seconds_most);
	if (plan->profile->precision > 0)
		g_string_append_printf(out, " (until every interval is within %g %%%s)", 100 * plan->profile->precision,
			plan->profile->extend ? "; more where runs are not steady" : "");
	else
		g_string_append(out, " (most when no run is steady and all are extended)");
}

static void append_head(GString *out, const Plan *plan, const char *accel)
{
	guint hosts = count_hosts(plan), legs = plan->legs->len, blocks = plan->profile->blocks, least = plan_least_blocks(plan);
	g_autofree char *range = least < blocks ? g_strdup_printf("%u to ", least) : g_strdup("");
	g_autofree char *runs = least < blocks ? g_strdup_printf("%u to ", least * legs) : g_strdup("");

	g_string_append_printf(out, "Profile %s: %u legs (%u host, %u guest) in %s%u block%s, %s%u runs; %u boot%s in each block\n",
		plan->profile->name, legs, hosts, legs - hosts, range, blocks, plural(blocks), runs, legs * blocks, plan->boots->len,
		plural(plan->boots->len));
	append_seconds(out, plan);
	g_string_append_printf(out, ", with accelerator %s\nSeed: %" G_GUINT64_FORMAT "\n", accel, plan->seed);
	append_gate(out, plan);
	if (plan->folded)
		g_string_append_printf(out, "Of %u combinations, %u are equal to another one: what they differ in does "
			"not apply to them\n", plan->asked, plan->folded);
}

static void append_disk(GString *out, const PlanDisk *disk)
{
	char buf[32];

	g_string_append_printf(out, "%s %s/%s %s", disk->bus, disk->cache, disk->io, disk->format);
	if (disk->cluster_size)
		g_string_append_printf(out, " cluster_size=%s", units_format_size(disk->cluster_size, buf, sizeof(buf)));
	if (disk->preallocation && !g_str_equal(disk->preallocation, "off"))
		g_string_append_printf(out, " preallocation=%s", disk->preallocation);
	if (disk->backing > 0)
		g_string_append_printf(out, " backing=%d", disk->backing);
	if (disk->extended_l2 == 1)
		g_string_append(out, " extended_l2=1");
	if (disk->queues > 0)
		g_string_append_printf(out, " queues=%d iothread=%d ioeventfd=%d", disk->queues, disk->iothread,
			disk->ioeventfd);
	if (disk->logical_block_size != 512)
		g_string_append_printf(out, " sector=%s",
			units_format_size(disk->logical_block_size, buf, sizeof(buf)));
	if (disk->iothread_map > 0)
		g_string_append_printf(out, " iothread_map=%d", disk->iothread_map);
	if (disk->event_idx == 0)
		g_string_append(out, " event_idx=0");
	if (disk->packed == 1)
		g_string_append(out, " packed=1");
	if (disk->queue_size > 0)
		g_string_append_printf(out, " queue_size=%d", disk->queue_size);
	if (disk->physical_block_size != disk->logical_block_size)
		g_string_append_printf(out, " physical=%s", units_format_size(disk->physical_block_size, buf, sizeof(buf)));
	if (!g_str_equal(disk->discard, "ignore"))
		g_string_append_printf(out, " discard=%s", disk->discard);
	if (disk->rotation_rate > 0)
		g_string_append_printf(out, " rotation_rate=%d", disk->rotation_rate);
	if (disk->iops_limit > 0)
		g_string_append_printf(out, " iops_limit=%" G_GINT64_FORMAT, disk->iops_limit);
	if (disk->scheduler)
		g_string_append_printf(out, " scheduler=%s", disk->scheduler);
}

static void append_placement(GString *out, const PlanMachine *m)
{
	const struct {
		const char *what, *value;
	} lists[] = {{"vCPUs", m->pin_vcpu}, {"I/O thread", m->pin_iothread}, {"emulator", m->pin_emulator}};
	char size[32];

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
		if (lists[i].value)
			g_string_append_printf(out, ", %s on processor %s", lists[i].what, lists[i].value);
	if (m->numa)
		g_string_append_printf(out, ", memory of node %s", m->numa);
	if (m->hugepages)
		g_string_append_printf(out, ", pages of %s", units_format_size(m->hugepages, size, sizeof(size)));
}

static void append_boots(GString *out, const Plan *plan)
{
	char memory[32];

	g_string_append(out, "\nBoots of each block:\n");
	for (guint b = 0; b < plan->boots->len; b++) {
		const PlanBoot *boot = g_ptr_array_index(plan->boots, b);
		const PlanMachine *m = &boot->machine;

		units_format_size(m->memory, memory, sizeof(memory));
		g_string_append_printf(out, "%4u. %s, %u vCPU%s, %s", b + 1, m->machine, m->vcpus, plural(m->vcpus), memory);
		if (m->guests > 1)
			g_string_append_printf(out, ", %u guests at once", m->guests);
		if (m->kernel)
			g_string_append_printf(out, ", kernel %s", m->kernel);
		if (m->emulator)
			g_string_append_printf(out, ", emulator %s", m->emulator);
		append_placement(out, m);
		if (m->arm)
			g_string_append_printf(out, " (arm %s)", m->arm);
		g_string_append_c(out, '\n');
		for (guint d = 0; d < boot->disks->len; d++) {
			const PlanDisk *disk = &g_array_index(plan->disks, PlanDisk, g_array_index(boot->disks, guint, d));
			const ProfileTarget *target = g_ptr_array_index(plan->profile->targets, disk->target);

			g_string_append(out, "      ");
			append_disk(out, disk);
			g_string_append_printf(out, " on %s\n", target->name);
		}
	}
}

static void append_legs(GString *out, const Plan *plan)
{
	g_string_append(out, "\nLegs:\n");
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = leg_at(plan, i);

		g_string_append_printf(out, "%4u. %s", i + 1, leg->label);
		if (leg->side == PLAN_GUEST)
			g_string_append_printf(out, " (host: %d)", leg->host + 1);
		g_string_append_c(out, '\n');
	}
}

static void append_refusals(GString *out, const Plan *plan)
{
	g_string_append(out, plan->refusals->len ? "\nRefused:\n" : "\nRefused: nothing\n");
	for (guint i = 0; i < plan->refusals->len; i++) {
		g_autofree char *text = plan_refusal_text(plan, g_ptr_array_index(plan->refusals, i));

		g_string_append_printf(out, "  %s\n", text);
	}
}

/* "  block 1, boot 1: 3 1 2", broken at COLUMNS. */
static void append_stage(GString *out, guint block, const PlanStage *stage)
{
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_append_printf(line, "  block %u, boot %u:", block + 1, stage->boot + 1);
	for (guint i = 0; i < stage->legs->len; i++) {
		g_autofree char *leg = g_strdup_printf(" %u", g_array_index(stage->legs, guint, i) + 1);

		if (line->len + strlen(leg) > COLUMNS) {
			g_string_append_printf(out, "%s\n", line->str);
			g_string_assign(line, "   ");
		}
		g_string_append(line, leg);
	}
	g_string_append_printf(out, "%s\n", line->str);
}

char *plan_text(const Plan *plan, const char *accel, const GPtrArray *remarks)
{
	g_autoptr(GString) out = g_string_new(NULL);

	append_head(out, plan, accel);
	for (guint i = 0; i < remarks->len; i++)
		g_string_append_printf(out, "Note: %s\n", (char *)g_ptr_array_index(remarks, i));
	append_boots(out, plan);
	append_legs(out, plan);
	append_refusals(out, plan);
	g_string_append(out, "\nOrder:\n");
	for (guint b = 0; b < plan->blocks->len; b++) {
		const GPtrArray *stages = g_ptr_array_index(plan->blocks, b);

		for (guint s = 0; s < stages->len; s++)
			append_stage(out, b, g_ptr_array_index(stages, s));
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *record_json(const Record *record)
{
	json_t *object = json_object();

	for (guint i = 0; i < record_size(record); i++) {
		const char *name = record_name(record, i);
		json_t *value = json_null();

		switch (record_type(record, name)) {
		case RECORD_INT:
			value = json_integer(record_get_int(record, name, 0));
			break;
		case RECORD_REAL:
			value = json_real(record_get_real(record, name, 0));
			break;
		case RECORD_TEXT:
			value = json_string(record_get_text(record, name));
			break;
		case RECORD_NULL:
			break;
		}
		json_object_set_new(object, name, value);
	}
	return object;
}

static json_t *legs_json(const Plan *plan)
{
	json_t *legs = json_array();

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = leg_at(plan, i);
		g_autoptr(Record) record = plan_leg_record(plan, i);
		json_t *object = record_json(record);

		json_object_set_new(object, "host", leg->side == PLAN_GUEST ? json_integer(leg->host) : json_null());
		json_object_set_new(object, "boot", leg->side == PLAN_GUEST ? json_integer(leg->boot) : json_null());
		json_object_set_new(object, "disk", leg->side == PLAN_GUEST ? json_integer(leg->disk) : json_null());
		json_object_set_new(object, "seconds", json_real(plan_leg_seconds(plan, i)));
		json_array_append_new(legs, object);
	}
	return legs;
}

static json_t *indexes_json(const GArray *indexes)
{
	json_t *array = json_array();

	for (guint i = 0; i < indexes->len; i++)
		json_array_append_new(array, json_integer(g_array_index(indexes, guint, i)));
	return array;
}

static json_t *boots_json(const Plan *plan)
{
	json_t *boots = json_array();

	for (guint b = 0; b < plan->boots->len; b++) {
		const PlanBoot *boot = g_ptr_array_index(plan->boots, b);
		const PlanMachine *m = &boot->machine;

		json_array_append_new(boots,
			json_pack("{s:s, s:I, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:I, s:I, s:I, s:o}", "machine", m->machine, "guests", (json_int_t)m->guests,
				"pin_vcpu", m->pin_vcpu, "pin_iothread", m->pin_iothread, "pin_emulator", m->pin_emulator, "numa", m->numa,
				"hugepages", (json_int_t)m->hugepages, "arm", m->arm, "kernel", m->kernel, "image", m->image,
				"emulator", m->emulator, "vcpus", (json_int_t)m->vcpus, "memory", (json_int_t)m->memory,
				"disks", indexes_json(boot->disks)));
	}
	return boots;
}

static json_t *refusals_json(const Plan *plan)
{
	json_t *refusals = json_array();

	for (guint i = 0; i < plan->refusals->len; i++) {
		const PlanRefusal *r = g_ptr_array_index(plan->refusals, i);

		json_array_append_new(refusals,
			json_pack("{s:s, s:i, s:i, s:s, s:s, s:i}", "file", plan->profile->file, "line", (int)r->place.line,
				"column", (int)r->place.column, "combination", r->combination, "reason", r->reason, "legs",
				(int)r->legs));
	}
	return refusals;
}

static json_t *order_json(const Plan *plan)
{
	json_t *blocks = json_array();

	for (guint b = 0; b < plan->blocks->len; b++) {
		const GPtrArray *stages = g_ptr_array_index(plan->blocks, b);
		json_t *block = json_array();

		for (guint s = 0; s < stages->len; s++) {
			const PlanStage *stage = g_ptr_array_index(stages, s);

			json_array_append_new(block, json_pack("{s:i, s:o}", "boot", (int)stage->boot, "legs",
							     indexes_json(stage->legs)));
		}
		json_array_append_new(blocks, block);
	}
	return blocks;
}

static json_t *gate_json(const Plan *plan)
{
	const ProfileGate *gate = &plan->profile->gate;
	double least, most;

	if (plan->profile->arms->len != 2)
		return json_null();
	plan_gate_seconds(plan, &least, &most);
	return json_pack("{s:i, s:i, s:f, s:f}", "screen_blocks", (int)gate->screen_blocks, "confirm_blocks",
		(int)gate->confirm_blocks, "least_seconds", least, "most_seconds", most);
}

json_t *plan_json(const Plan *plan, const char *accel, const GPtrArray *remarks)
{
	json_t *notes = json_array();

	for (guint i = 0; i < remarks->len; i++)
		json_array_append_new(notes, json_string(g_ptr_array_index(remarks, i)));
	return json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "profile", plan->profile->name,
		"file", plan->profile->file, "accel", accel, "seed", (json_int_t)plan->seed, "seconds", plan->seconds,
		"seconds_most", plan->seconds_most, "least_blocks", (int)plan_least_blocks(plan),
		"blocks", (int)plan->profile->blocks, "combinations", (int)plan->asked, "folded", (int)plan->folded, "notes",
		notes, "boots", boots_json(plan), "legs", legs_json(plan), "refused", refusals_json(plan), "order",
		order_json(plan), "gate", gate_json(plan));
}
