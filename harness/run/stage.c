/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/stage.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/environment.h"
#include "harness/run/guest-config.h"
#include "harness/run/leg.h"
#include "harness/run/memory-limit.h"

#define PROBE_MS 60000
/* A guest that is lost in the middle is booted again for the legs that are left, this many times in a stage. */
#define MAX_BOOTS 3

typedef struct {
	Sweep *sweep;
	guint block, number;
	const PlanStage *stage;
	Side *guest;	/* NULL when none is running */
	Neighbours *neighbours; /* beside it, where the boot has several guests */
	gint64 boot;	/* row of the store, -1 = none */
	pid_t qemu;
	guint boots;	/* tried so far */
	char *trouble;	/* why there is no guest, for the rows of its legs */
} Stage;

gboolean stage_wants(const Sweep *sweep, guint leg, guint block)
{
	const SweepSelection *selection = sweep->options->selection;
	g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT " %u", sweep->legs[leg], block);

	if (sweep->wanted && block >= selection->from && !sweep->wanted[leg])
		return FALSE;
	if (sweep->options->host_only && ((const PlanLeg *)g_ptr_array_index(sweep->plan->legs, leg))->side == PLAN_GUEST)
		return FALSE;
	return !g_hash_table_contains(sweep->done, key);
}

static const PlanLeg *plan_leg(const Stage *stage, guint leg)
{
	return g_ptr_array_index(stage->sweep->plan->legs, leg);
}

/* The image of disk NUMBER of the plan for guest GUEST, from 0: each has one of its own. */
static const char *image_of(Sweep *sweep, guint guest, guint number, GError **error)
{
	const PlanDisk *plan = &g_array_index(sweep->plan->disks, PlanDisk, number);
	Target *target = g_ptr_array_index(sweep->targets, plan->target);
	TargetQcow2 form = qcow2_form_of(plan);

	if (g_str_equal(plan->format, "qcow2"))
		return target_qcow2(target, guest * sweep->plan->disks->len + number, &form, error);
	return guest == 0 ? target_path(target) : target_copy(target, guest - 1, error);
}

/* Fills DISK for disk NUMBER of the plan in guest GUEST; the texts are borrowed from the plan and the target. */
static gboolean make_disk(Sweep *sweep, guint guest, guint number, SideDisk *disk, GError **error)
{
	const PlanDisk *plan = &g_array_index(sweep->plan->disks, PlanDisk, number);
	Target *target = g_ptr_array_index(sweep->targets, plan->target);
	gboolean qcow2 = g_str_equal(plan->format, "qcow2");

	disk_settings_of(plan, disk);
	disk->image = image_of(sweep, guest, number, error);
	disk->block = !qcow2 && target_is_block(target);
	disk->nbd_socket = target_nbd_socket(target);
	disk->size = target_size(target);
	return disk->image != NULL;
}

GuestConfig stage_guest_config(const Sweep *sweep, guint boot)
{
	GuestConfig config = guest_config_of(sweep->plan, boot, sweep->accel, sweep->agent);

	config.members = memory_group_members(sweep->group);
	return config;
}

/* Guest NUMBER of the boot, from 0. */
static Side *make_guest(Stage *stage, guint number, GError **error)
{
	Sweep *sweep = stage->sweep;
	const PlanBoot *boot = g_ptr_array_index(sweep->plan->boots, stage->stage->boot);
	g_autofree SideDisk *cold = g_new0(SideDisk, boot->disks->len);
	GuestConfig config = stage_guest_config(sweep, stage->stage->boot);

	config.disks = cold;
	for (guint i = 0; i < boot->disks->len; i++) {
		guint disk = g_array_index(boot->disks, guint, i);

		if (!g_array_index(sweep->plan->disks, PlanDisk, disk).hotplug &&
			!make_disk(sweep, number, disk, &cold[config.n_disks++], error))
			return NULL;
	}
	return guest_side_new(sweep->hypervisor, &config, error);
}

static void set_probe(Record *row, const char *column, const json_t *value)
{
	if (json_is_string(value))
		record_set_text(row, column, json_string_value(value));
	else if (json_is_integer(value))
		record_set_int(row, column, json_integer_value(value));
	else if (json_is_real(value))
		record_set_real(row, column, json_real_value(value));
}

static void set_environment(const json_t *probe, gboolean identify, Record *row)
{
	g_autoptr(Record) environment = record_new();
	g_autofree char *json = NULL;

	environment_guest(probe, environment);
	json = environment_json(environment, identify);
	record_set_text(row, "environment_json", json);
}

/* Paths can name a user. */
static void clear_names(Record *row)
{
	static const char *const columns[] = {"domain_xml", "qemu_cmdline", "kernel", "kernel_booted", "cmdline"};
	g_auto(EnvironmentNames) names = {NULL, NULL};

	environment_names(&names);
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		g_autofree char *text = environment_filter_document(&names, record_get_text(row, columns[i]));

		record_set_text(row, columns[i], text);
	}
}

static gboolean probe_guest(Side *guest, gboolean identify, Record *row, GCancellable *cancel, GError **error)
{
	static const char *const columns[][2] = {
		{"kernel", "guest_kernel"},
		{"clocksource", "clocksource"},
		{"clock_read_ns", "clock_read_ns"},
		{"null_io_ns", "null_io_ns"},
	};
	json_t *probe = side_call(guest, "probe", NULL, PROBE_MS, NULL, NULL, cancel, error);

	if (!probe)
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		set_probe(row, columns[i][1], json_object_get(probe, columns[i][0]));
	set_environment(probe, identify, row);
	json_decref(probe);
	return TRUE;
}

static gboolean keep_boot(Stage *stage, Record *row, const GError *trouble, GError **error)
{
	record_set_int(row, "block", stage->block);
	record_set_int(row, "boot_no", stage->number);
	record_set_text(row, "accel", stage->sweep->accel);
	record_set_text(row, "status", trouble ? "failed" : "running");
	record_set_text(row, "error", trouble ? trouble->message : NULL);
	stage->boot = store_add_boot(stage->sweep->store, stage->sweep->sweep, row, error);
	return stage->boot >= 0;
}

/* The other guests of a boot that has several, one after the other. */
static gboolean boot_neighbours(Stage *stage, GError **error)
{
	Sweep *sweep = stage->sweep;
	guint guests = ((const PlanBoot *)g_ptr_array_index(sweep->plan->boots, stage->stage->boot))->machine.guests;

	if (guests <= 1)
		return TRUE;
	stage->neighbours = neighbours_new();
	for (guint i = 1; i < guests; i++) {
		Side *guest = make_guest(stage, i, error);

		progress_tick(sweep->progress);
		if (!guest || !neighbours_add(stage->neighbours, guest, sweep->cancel, error))
			return FALSE;
	}
	return TRUE;
}

/* Boots the guest. A guest that does not come up leaves its reason in stage->trouble. */
static gboolean boot(Stage *stage, GError **error)
{
	Sweep *sweep = stage->sweep;
	g_autoptr(GError) local = NULL;
	g_autoptr(Record) row = record_new();
	g_autofree char *what = g_strdup_printf("block %u: boot %u", stage->block + 1, stage->number + 1);
	gint64 begun = g_get_monotonic_time();

	stage->boots++;
	progress_tick(sweep->progress);
	record_set_int(row, "started_unix_ns", g_get_real_time() * 1000);
	/* That of the leg before may be too little for this guest. */
	stage->guest = memory_group_limit(sweep->group, 0, &local) ? make_guest(stage, 0, &local) : NULL;
	if (stage->guest) {
		if (side_start(stage->guest, sweep->cancel, &local) &&
			probe_guest(stage->guest, sweep->options->identify, row, sweep->cancel, &local))
			boot_neighbours(stage, &local);
		side_facts(stage->guest, row);
		if (!sweep->options->identify)
			clear_names(row);
	}
	if (g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	if (!keep_boot(stage, row, local, error))
		return FALSE;
	if (local) {
		g_clear_pointer(&stage->neighbours, neighbours_free);
		g_clear_pointer(&stage->guest, side_free);
		g_free(stage->trouble);
		stage->trouble = g_strdup(local->message);
		progress_note(sweep->progress, "%s failed: %s", what, local->message);
		return TRUE;
	}
	stage->qemu = (pid_t)record_get_int(row, "qemu_pid", 0);
	progress_note(sweep->progress, "%s: guest ready after %.1f s", what,
		(double)(g_get_monotonic_time() - begun) / 1e6);
	return TRUE;
}

static gboolean is_ok(const StoreRun *row)
{
	return g_strcmp0(record_get_text(row->run, "status"), "ok") == 0;
}

/* The names of a run's flags, each once: one flag may have evidence of several kinds. */
static void append_flags(GString *text, const GPtrArray *flags)
{
	g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < flags->len; i++) {
		const StoreFlag *flag = g_ptr_array_index(flags, i);

		if (g_hash_table_add(said, flag->flag))
			g_string_append_printf(text, " %s", flag->flag);
	}
}

static char *outcome_text(const StoreRun *row)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!is_ok(row))
		return g_strdup_printf("failed: %s", record_get_text(row->run, "reason"));
	if (record_has(row->run, "bytes_per_s"))
		g_string_append_printf(text, "%.1f MB/s", record_get_real(row->run, "bytes_per_s", 0) / 1e6);
	if (record_has(row->run, "iops"))
		g_string_append_printf(text, "%s%.0f IOPS", text->len ? ", " : "", record_get_real(row->run, "iops", 0));
	append_flags(text, row->flags);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Before the run whose columns are explained by it. */
static gboolean keep_absent(Sweep *sweep, GError **error)
{
	g_autofree char *json = absent_json(sweep->absent);
	g_autoptr(Record) changes = record_new();

	if (!json)
		return TRUE;
	record_set_text(changes, "absent_json", json);
	return store_update_sweep(sweep->store, sweep->sweep, changes, error);
}

static gboolean keep_run(Stage *stage, guint leg, const StoreRun *row, GError **error)
{
	Sweep *sweep = stage->sweep;
	gboolean guest = plan_leg(stage, leg)->side == PLAN_GUEST;
	g_autofree char *text = outcome_text(row);

	if (!keep_absent(sweep, error))
		return FALSE;
	stopping_add(sweep->stopping, leg, stage->block, row->run);
	if (store_add_run(sweep->store, sweep->legs[leg], guest ? stage->boot : -1, row, error) < 0)
		return FALSE;
	if (is_ok(row)) {
		sweep->outcome->ok++;
		sweep->outcome->measured_s +=
			(double)(record_get_int(row->run, "ns", 0) + record_get_int(row->run, "settle_ns", 0)) / 1e9;
	} else {
		sweep->outcome->failed++;
	}
	progress_done(sweep->progress, text);
	return TRUE;
}

static gboolean ready_neighbours(Stage *stage, guint number, GError **error)
{
	Sweep *sweep = stage->sweep;
	SideDisk disk;

	for (guint i = 0; i < neighbours_count(stage->neighbours); i++)
		if (!make_disk(sweep, i + 1, number, &disk, error) ||
			!neighbours_disk(stage->neighbours, i, sweep->host, &disk, sweep->cancel, error))
			return FALSE;
	return TRUE;
}

/* Measures LEG on its side and returns the row; NULL only when interrupted. */
static StoreRun *measure(Stage *stage, guint leg, gboolean *ret_lost, GError **error)
{
	Sweep *sweep = stage->sweep;
	const PlanLeg *plan = plan_leg(stage, leg);
	Target *target = g_ptr_array_index(sweep->targets, plan->target);
	g_autoptr(GError) local = NULL;
	SideDisk disk = {.image = target_path(target), .block = target_is_block(target), .size = target_size(target)};
	LegRun run = {
		.plan = sweep->plan,
		.leg = leg,
		.block = stage->block,
		.position = sweep->position,
		.host = sweep->host,
		.side = sweep->host,
		.disk = &disk,
		.size = target_size(target),
		.row = g_ptr_array_index(sweep->leg_rows, leg),
		.rows = sweep->leg_rows,
		.shared = sweep->shared,
		.cpus = g_get_num_processors(),
		.absent = sweep->absent,
	};

	if (plan->side == PLAN_GUEST) {
		if (!stage->guest)
			return leg_not_run(stage->block, sweep->position, stage->trouble);
		if (!make_disk(sweep, 0, plan->disk, &disk, &local) || !ready_neighbours(stage, plan->disk, &local)) {
			*ret_lost = g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_LOST);
			return leg_not_run(stage->block, sweep->position, local->message);
		}
		run.neighbours = stage->neighbours;
		run.side = stage->guest;
		run.qemu = stage->qemu;
	}
	if (!schedulers_use(sweep->schedulers, disk.image, plan->host_scheduler, &local) ||
		!memory_group_limit(sweep->group, plan->host_cache_limit, &local) ||
		!load_pin_use(sweep->load_pin, plan->pin_load, &local) ||
		!cpu_clock_use(sweep->cpu_clock, plan->governor, plan->turbo, &local))
		return leg_not_run(stage->block, sweep->position, local->message);
	run.host_memory = memory_for_cache(plan->side == PLAN_GUEST ? stage->qemu : sweep->host->pid);
	return leg_run(&run, sweep->cancel, ret_lost, error);
}

/* Ends the guest and the boot's row, with the reason if it was lost. */
static gboolean end_guest(Stage *stage, const char *reason, GError **error)
{
	g_autoptr(Record) changes = record_new();

	if (!stage->guest)
		return TRUE;
	g_clear_pointer(&stage->neighbours, neighbours_free);
	g_clear_pointer(&stage->guest, side_free);
	stage->qemu = 0;
	record_set_text(changes, "status", reason ? "failed" : "finished");
	record_set_text(changes, "error", reason);
	return store_update_boot(stage->sweep->store, stage->boot, changes, error);
}

/* A guest that was lost is ended; the next guest leg boots another one, unless that happened too often. */
static gboolean lose_guest(Stage *stage, const StoreRun *row, GError **error)
{
	g_free(stage->trouble);
	stage->trouble = g_strdup(record_get_text(row->run, "reason"));
	return end_guest(stage, stage->trouble, error);
}

static void flag_parallel(const Sweep *sweep, StoreRun *row)
{
	if (sweep->parallel && is_ok(row))
		store_run_add_flag(row, "THROTTLED", "another sweep was measuring on this machine (IOGAP_ALLOW_PARALLEL)");
}

static gboolean one_leg(Stage *stage, guint leg, GError **error)
{
	Sweep *sweep = stage->sweep;
	const PlanLeg *plan = plan_leg(stage, leg);
	gboolean guest = plan->side == PLAN_GUEST;
	g_autoptr(StoreRun) row = NULL;
	gboolean lost = FALSE;

	row = shared_take(sweep->shared, leg, stage->block);
	if (row) {
		record_set_int(row->run, "position", sweep->position);
		/* Its share of the time that its sharers were planned with has passed. */
		progress_step(sweep->progress, plan->label, plan_leg_seconds(sweep->plan, leg));
		flag_parallel(sweep, row);
		return keep_run(stage, leg, row, error);
	}
	if (guest && !stage->guest && stage->boots < MAX_BOOTS && !boot(stage, error))
		return FALSE;
	progress_step(sweep->progress, plan->label, plan_leg_seconds(sweep->plan, leg));
	row = measure(stage, leg, &lost, error);
	if (!row)
		return FALSE;
	/* What failed while everything was being interrupted says nothing about this leg: it is measured when resumed. */
	if (g_cancellable_is_cancelled(sweep->cancel) && !is_ok(row)) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
		return FALSE;
	}
	flag_parallel(sweep, row);
	if (sweep->busy && is_ok(row))
		store_run_add_flag(row, "THROTTLED", sweep->busy);
	if (!keep_run(stage, leg, row, error))
		return FALSE;
	/* What serves the target is looked at first: guests and agents only see errors of I/O. */
	if (!is_ok(row) && !target_alive(g_ptr_array_index(sweep->targets, plan->target), error))
		return FALSE;
	if (lost && guest && !lose_guest(stage, row, error))
		return FALSE;
	if (link_lost(sweep->host->link)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the host's agent is lost: %s",
			link_lost(sweep->host->link));
		return FALSE;
	}
	return TRUE;
}

gboolean stage_run(Sweep *sweep, guint block, guint number, const PlanStage *plan, GError **error)
{
	Stage stage = {.sweep = sweep, .block = block, .number = number, .stage = plan, .boot = -1};
	gboolean ok = TRUE;

	for (guint i = 0; ok && i < plan->legs->len; i++) {
		guint leg = g_array_index(plan->legs, guint, i);

		if (stage_wants(sweep, leg, block))
			ok = one_leg(&stage, leg, error);
		sweep->position++;
	}
	/* An interrupted stage ends its guest all the same; its own error comes first. */
	if (!end_guest(&stage, NULL, ok ? error : NULL))
		ok = FALSE;
	g_free(stage.trouble);
	return ok;
}
