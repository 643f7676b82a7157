/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/sweep.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/run/device.h"
#include "harness/run/extents.h"
#include "harness/run/facts.h"
#include "harness/run/lock.h"
#include "harness/run/stage.h"
#include "harness/run/sweep-environment.h"
#include "harness/side/host.h"

/* Slowest disk that a fill is waited for, in bytes per second, and what opening and syncing may add. */
#define FILL_FLOOR (8 << 20)
#define FILL_GRACE_MS 60000
#define PROBE_MS 20000

static char *target_folder(const SweepOptions *options)
{
	return options->folder ? g_canonicalize_filename(options->folder, NULL) : g_path_get_dirname(options->store);
}

static guint64 fresh_seed(void)
{
	/* 53 bits: every JSON reader and spreadsheet keeps it whole. */
	return (((guint64)g_random_int() << 32) | g_random_int()) >> 11;
}

/* Builds the plan; the accelerator is part of its facts, so it is built again once that is known. */
static gboolean make_plan(Sweep *sweep, const char *accel, guint64 seed, GError **error)
{
	g_autofree char *folder = target_folder(sweep->options);
	g_auto(PlanFacts) facts;

	plan_facts_init(&facts, sweep->profile, accel);
	if (!facts_collect(&facts, sweep->profile, sweep->host, folder, sweep->options->consent, sweep->cancel, error))
		return FALSE;
	g_clear_pointer(&sweep->plan, plan_free);
	sweep->plan = plan_build(sweep->profile, &facts, sweep->options->strict, seed, error);
	return sweep->plan != NULL;
}

static gboolean plan_has_guests(const Plan *plan)
{
	return plan->boots->len > 0;
}

static gboolean decide_accel(Sweep *sweep, Record *row, GError **error)
{
	GuestConfig config = stage_guest_config(sweep, 0);
	g_autofree char *remark = NULL;

	sweep->accel = accel_decide(sweep->hypervisor, &config, sweep->profile->accel, sweep->options->probe_again,
		&remark, sweep->cancel, error);
	if (!sweep->accel)
		return FALSE;
	record_set_text(row, "accel", sweep->accel);
	record_set_text(row, "accel_remark", remark);
	hypervisor_facts(sweep->hypervisor, config.emulator, row);
	if (g_str_equal(sweep->accel, "tcg"))
		progress_note(sweep->progress,
			"WARNING: guests run under emulation (TCG), not KVM: the figures describe the emulator%s%s%s",
			remark ? " (" : "", remark ? remark : "", remark ? ")" : "");
	return TRUE;
}

/* Kernels, emulators and the agent are looked at before anything is made or stored. */
static gboolean check_guests(Sweep *sweep, GError **error)
{
	for (guint i = 0; i < sweep->plan->boots->len; i++) {
		GuestConfig config = stage_guest_config(sweep, i);
		g_autoptr(Side) guest = guest_side_new(sweep->hypervisor, &config, error);
		g_autoptr(Record) facts = record_new();

		if (!guest)
			return FALSE;
		hypervisor_facts(sweep->hypervisor, config.emulator, facts);
		if (!record_has(facts, "qemu_version")) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"the emulator %s does not answer `--version` as a QEMU does; name a working one (emulator:)",
				record_get_text(facts, "emulator") ? record_get_text(facts, "emulator") : "(none found)");
			return FALSE;
		}
	}
	return TRUE;
}

static void set_optional(Record *row, const char *column, const char *text)
{
	if (text)
		record_set_text(row, column, text);
}

/* The order as it is carried out: a list of blocks, each a list of stages, each with its boot (-1 = none) and the labels of
 * its legs. */
static char *order_json(const Plan *plan)
{
	json_t *blocks = json_array();
	char *text, *copy;

	for (guint b = 0; b < plan->blocks->len; b++) {
		const GPtrArray *planned = g_ptr_array_index(plan->blocks, b);
		json_t *stages = json_array();

		for (guint s = 0; s < planned->len; s++) {
			const PlanStage *stage = g_ptr_array_index(planned, s);
			json_t *legs = json_array();

			for (guint i = 0; i < stage->legs->len; i++) {
				const PlanLeg *leg =
					g_ptr_array_index(plan->legs, g_array_index(stage->legs, guint, i));

				json_array_append_new(legs, json_string(leg->label));
			}
			json_array_append_new(stages,
				json_pack("{s:i, s:o}", "boot", stage->boot == G_MAXUINT ? -1 : (int)stage->boot, "legs",
					legs));
		}
		json_array_append_new(blocks, stages);
	}
	text = json_dumps(blocks, JSON_COMPACT);
	copy = g_strdup(text);
	free(text);
	json_decref(blocks);
	return copy;
}

static void describe(Sweep *sweep, Record *row)
{
	const Profile *profile = sweep->profile;
	const SweepOptions *options = sweep->options;
	g_autofree char *uuid = g_uuid_string_random();
	g_autofree char *plan = order_json(sweep->plan);

	record_set_text(row, "uuid", uuid);
	record_set_int(row, "started_unix_ns", g_get_real_time() * 1000);
	record_set_text(row, "status", "running");
	record_set_text(row, "profile", profile->name);
	record_set_text(row, "profile_text", profile->text);
	record_set_int(row, "seed", (gint64)sweep->plan->seed);
	record_set_text(row, "plan_json", plan);
	record_set_int(row, "blocks", profile->blocks);
	record_set_int(row, "strict", options->strict);
	record_set_int(row, "settle_ns", (gint64)profile->settle_ns);
	record_set_int(row, "run_ns", (gint64)profile->run_ns);
	record_set_int(row, "interval_ns", (gint64)profile->interval_ns);
	set_optional(row, "label", options->label);
	set_optional(row, "commit_id", options->commit);
	set_optional(row, "branch", options->branch);
}

/* What the target turned out to be; the rest of its facts decided the plan and is not kept with each leg. */
static void set_target(const Target *target, Record *row)
{
	g_autoptr(Record) facts = record_new();

	target_facts(target, facts);
	record_set_int(row, "target_size", (gint64)target_size(target));
	record_set_text(row, "filesystem", record_get_text(facts, "filesystem"));
	if (record_has(facts, "sector_size"))
		record_set_int(row, "sector_size", record_get_int(facts, "sector_size", 0));
}

static void set_device(const Target *target, Record *row)
{
	g_autofree char *reason = NULL;
	g_autoptr(Device) device = device_find(target_path(target), &reason);

	record_set_text(row, "host_device", device ? device_names(device) : NULL);
}

/* The store's columns of leg LEG. Owned by the sweep. */
static Record *leg_row(Sweep *sweep, guint leg)
{
	const PlanLeg *plan = g_ptr_array_index(sweep->plan->legs, leg);
	Record *row = plan_leg_record(sweep->plan, leg);

	g_ptr_array_index(sweep->leg_rows, leg) = row;
	set_device(g_ptr_array_index(sweep->targets, plan->target), row);

	set_target(g_ptr_array_index(sweep->targets, plan->target), row);
	if (plan->side == PLAN_GUEST) {
		record_set_text(row, "accel", sweep->accel);
		record_set_int(row, "host_leg_id", sweep->legs[plan->host]);
	}
	return row;
}

/* Host legs first: a guest's leg names its host's row. */
static gboolean add_legs(Sweep *sweep, PlanSide side, GError **error)
{
	for (guint i = 0; i < sweep->plan->legs->len; i++) {
		const PlanLeg *plan = g_ptr_array_index(sweep->plan->legs, i);
		const Record *row;

		if (plan->side != side)
			continue;
		row = leg_row(sweep, i);
		sweep->legs[i] = store_add_leg(sweep->store, sweep->sweep, row, error);
		if (sweep->legs[i] < 0)
			return FALSE;
	}
	return TRUE;
}

static gboolean add_refusals(Sweep *sweep, GError **error)
{
	for (guint i = 0; i < sweep->plan->refusals->len; i++) {
		const PlanRefusal *refusal = g_ptr_array_index(sweep->plan->refusals, i);
		g_autoptr(Record) row = record_new();
		g_autofree char *text = NULL;

		record_set_int(row, "line", refusal->place.line);
		record_set_int(row, "column_no", refusal->place.column);
		record_set_text(row, "combination", refusal->combination);
		record_set_text(row, "reason", refusal->reason);
		record_set_int(row, "legs", refusal->legs);
		if (store_add_refusal(sweep->store, sweep->sweep, row, error) < 0)
			return FALSE;
		text = plan_refusal_text(sweep->plan, refusal);
		progress_note(sweep->progress, "left out: %s", text);
	}
	return TRUE;
}

/* What measuring itself costs on this side; a guest's is in its boot's row. */
static gboolean set_clock_cost(Sweep *sweep, Record *row, GError **error)
{
	json_t *probe = side_call(sweep->host, "probe", NULL, PROBE_MS, NULL, NULL, sweep->cancel, error);

	if (!probe)
		return FALSE;
	/* A cost that could not be told is 0 or null here, and NULL in the store. */
	if (json_number_value(json_object_get(probe, "clock_read_ns")) > 0)
		record_set_real(row, "host_clock_read_ns", json_number_value(json_object_get(probe, "clock_read_ns")));
	if (json_number_value(json_object_get(probe, "null_io_ns")) > 0)
		record_set_real(row, "host_null_io_ns", json_number_value(json_object_get(probe, "null_io_ns")));
	json_decref(probe);
	return TRUE;
}

static gboolean add_rows(Sweep *sweep, const Record *row, GError **error)
{
	sweep->sweep = store_add_sweep(sweep->store, row, error);
	if (sweep->sweep < 0)
		return FALSE;
	return add_legs(sweep, PLAN_HOST, error) && add_legs(sweep, PLAN_GUEST, error) && add_refusals(sweep, error);
}

static gboolean begin(Sweep *sweep, Record *row, GError **error)
{
	gboolean ok;

	describe(sweep, row);
	if (!set_clock_cost(sweep, row, error))
		return FALSE;
	sweep_environment(sweep, row);
	/* All or nothing: a sweep with some of its legs could not be resumed. */
	if (!store_bulk_begin(sweep->store, error))
		return FALSE;
	ok = add_rows(sweep, row, error);
	if (!store_bulk_end(sweep->store, ok, ok ? error : NULL))
		ok = FALSE;
	if (!ok)
		sweep->sweep = -1;
	return ok;
}

/* Finds the rows of an interrupted sweep's legs again, by their labels, and what it has measured. */
static gboolean rejoin(Sweep *sweep, Record *row, GError **error)
{
	g_autoptr(GPtrArray) legs = store_legs(sweep->store, sweep->sweep, error);
	g_autoptr(GPtrArray) runs = legs ? store_runs(sweep->store, sweep->sweep, error) : NULL;
	g_autoptr(GHashTable) by_label = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(Record) changes = record_new();

	if (!runs)
		return FALSE;
	for (guint i = 0; i < legs->len; i++) {
		Record *leg = g_ptr_array_index(legs, i);

		g_hash_table_insert(by_label, (char *)record_get_text(leg, "label"), leg);
	}
	for (guint i = 0; i < sweep->plan->legs->len; i++) {
		const PlanLeg *plan = g_ptr_array_index(sweep->plan->legs, i);
		const Record *leg = g_hash_table_lookup(by_label, plan->label);
		leg_row(sweep, i);
		if (!leg || (plan->side == PLAN_GUEST &&
				    g_strcmp0(record_get_text(leg, "accel"), sweep->accel) != 0)) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"sweep %" G_GINT64_FORMAT " cannot be resumed: \"%s\" is not among its legs, or ran under "
				"another accelerator; this machine has changed since. Start a new sweep without --resume",
				sweep->sweep, plan->label);
			return FALSE;
		}
		sweep->legs[i] = record_get_int(leg, "id", -1);
	}
	for (guint i = 0; i < runs->len; i++) {
		const Record *run = g_ptr_array_index(runs, i);

		g_hash_table_add(sweep->done,
			g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, record_get_int(run, "leg_id", -1),
				record_get_int(run, "block", -1)));
		sweep->outcome->already++;
	}
	describe(sweep, row);
	sweep_environment(sweep, row);
	if (!sweep_environment_same(sweep, row, error))
		return FALSE;
	record_set_text(changes, "status", "running");
	return store_update_sweep(sweep->store, sweep->sweep, changes, error);
}

/* Runs that are not in the store yet, and the seconds that they will take. */
static guint runs_left(const Sweep *sweep, double *ret_seconds)
{
	guint left = 0;

	*ret_seconds = 0;
	for (guint b = 0; b < sweep->plan->blocks->len; b++) {
		guint before = left;

		for (guint leg = 0; leg < sweep->plan->legs->len; leg++) {
			if (stage_is_done(sweep, leg, b))
				continue;
			left++;
			*ret_seconds += plan_leg_seconds(sweep->plan, leg);
		}
		if (left > before)
			*ret_seconds += sweep->plan->boots->len * sweep->plan->boot_s;
	}
	return left;
}

static gboolean open_targets(Sweep *sweep, GError **error)
{
	g_autofree char *folder = target_folder(sweep->options);

	sweep->targets = g_ptr_array_new();
	for (guint i = 0; i < sweep->profile->targets->len; i++) {
		TargetSpec spec;
		Target *target;

		facts_target_spec(g_ptr_array_index(sweep->profile->targets, i), folder, sweep->options->consent, &spec);
		spec.cancel = sweep->cancel;
		target = target_open(&spec, sweep->keeper, error);
		if (!target)
			return FALSE;
		g_ptr_array_add(sweep->targets, target);
	}
	return TRUE;
}

/* Every byte of every target is written before anything is read: no hole, no unwritten extent is ever measured. */
static gboolean fill_targets(Sweep *sweep, GError **error)
{
	for (guint i = 0; i < sweep->targets->len; i++) {
		Target *target = g_ptr_array_index(sweep->targets, i);
		guint64 size = target_size(target);
		guint timeout_ms = (guint)MIN(size / FILL_FLOOR * 1000 + FILL_GRACE_MS, (guint64)G_MAXINT);
		json_t *arguments = json_pack("{s:s, s:i, s:I, s:I}", "path", target_path(target), "offset", 0, "size",
			(json_int_t)size, "seed", (json_int_t)(sweep->plan->seed & 0xffffffff));
		const ProfileTarget *wanted = g_ptr_array_index(sweep->profile->targets, i);
		json_t *answer;

		progress_note(sweep->progress, "filling target %s (%" G_GUINT64_FORMAT " MiB)", wanted->name, size >> 20);
		answer = side_call(sweep->host, "fill", arguments, timeout_ms, NULL, NULL, sweep->cancel, error);
		json_decref(arguments);
		if (!answer)
			return FALSE;
		json_decref(answer);
		if (!extents_check(target_path(target), size, error))
			return FALSE;
	}
	return TRUE;
}

/* The qcow2 twins are made of the filled file before any guest has it open, which would lock it. */
static gboolean make_twins(Sweep *sweep, GError **error)
{
	for (guint i = 0; i < sweep->plan->disks->len; i++) {
		const PlanDisk *disk = &g_array_index(sweep->plan->disks, PlanDisk, i);

		if (!g_str_equal(disk->format, "qcow2"))
			continue;
		progress_note(sweep->progress, "making qcow2 image %u", i + 1);
		if (!target_qcow2(g_ptr_array_index(sweep->targets, disk->target), i, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean measure(Sweep *sweep, GError **error)
{
	for (guint b = 0; b < sweep->plan->blocks->len; b++) {
		GPtrArray *stages = g_ptr_array_index(sweep->plan->blocks, b);

		sweep->position = 0;
		for (guint s = 0; s < stages->len; s++)
			if (!stage_run(sweep, b, s, g_ptr_array_index(stages, s), error))
				return FALSE;
	}
	return TRUE;
}

/* The end of the sweep's row. What cannot be written here is reported, but never hides an earlier error. */
static gboolean finish(Sweep *sweep, const GError *trouble, double wall_s, GError **error)
{
	g_autoptr(Record) changes = record_new();
	g_autoptr(Record) before = store_sweep(sweep->store, sweep->sweep, error);
	const char *status = "finished";

	if (!before)
		return FALSE;

	if (g_error_matches(trouble, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED))
		status = "interrupted";
	else if (trouble)
		status = "failed";
	record_set_text(changes, "status", status);
	record_set_text(changes, "error", trouble ? trouble->message : NULL);
	record_set_int(changes, "finished_unix_ns", g_get_real_time() * 1000);
	/* A resumed sweep adds to what it had. */
	record_set_int(changes, "measured_ns",
		record_get_int(before, "measured_ns", 0) + (gint64)(sweep->outcome->measured_s * 1e9));
	record_set_int(changes, "wall_ns", record_get_int(before, "wall_ns", 0) + (gint64)(wall_s * 1e9));
	return store_update_sweep(sweep->store, sweep->sweep, changes, error);
}

static gboolean on_tick(gpointer data)
{
	progress_tick(data);
	return G_SOURCE_CONTINUE;
}

/* Everything that is measured, once the sweep has its row in the store. */
static gboolean run_all(Sweep *sweep, GError **error)
{
	g_autoptr(GError) local = NULL;
	gint64 begun = g_get_monotonic_time();
	double seconds, wall_s;
	guint left = runs_left(sweep, &seconds);
	guint ticker;

	g_clear_pointer(&sweep->progress, progress_free);
	sweep->progress = progress_new(sweep->options->progress, left, seconds);
	ticker = g_timeout_add(250, on_tick, sweep->progress);
	if (fill_targets(sweep, &local) && make_twins(sweep, &local))
		measure(sweep, &local);
	g_source_remove(ticker);
	/* Whatever failed while everything was being ended is the interruption, and can be resumed. */
	if (local && g_cancellable_is_cancelled(sweep->cancel) &&
		!g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED)) {
		g_clear_error(&local);
		g_set_error_literal(&local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
	}
	wall_s = (double)(g_get_monotonic_time() - begun) / 1e6;
	sweep->outcome->wall_s = wall_s;
	if (!finish(sweep, local, wall_s, local ? NULL : error))
		return FALSE;
	sweep->outcome->resumable = g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED);
	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	return TRUE;
}

/* The seed of the plan, and for --resume the sweep to go on with. */
static gboolean choose_seed(Sweep *sweep, guint64 *ret_seed, GError **error)
{
	const SweepOptions *options = sweep->options;
	const Profile *profile = sweep->profile;
	g_autoptr(Record) row = NULL;

	*ret_seed = options->has_seed ? options->seed : profile->has_seed ? profile->seed : fresh_seed();
	if (!options->resume)
		return TRUE;
	sweep->sweep = store_find_resumable(sweep->store, profile->name, profile->text, error);
	if (sweep->sweep < 0) {
		if (error && !*error)
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
				"there is no interrupted sweep of this very profile (%s) in %s; start one without --resume",
				profile->name, store_path(sweep->store));
		return FALSE;
	}
	row = store_sweep(sweep->store, sweep->sweep, error);
	if (!row)
		return FALSE;
	*ret_seed = (guint64)record_get_int(row, "seed", 0);
	absent_free(sweep->absent);
	sweep->absent = absent_new(record_get_text(row, "absent_json"));
	return TRUE;
}

static void free_record(gpointer record)
{
	if (record)
		record_free(record);
}

/* With the lock in hand, a sweep that the store calls running was killed. */
static gboolean bury_dead(Sweep *sweep, GError **error)
{
	g_autoptr(GPtrArray) sweeps = store_overview(sweep->store, error);
	g_autoptr(Record) changes = record_new();

	if (!sweeps)
		return FALSE;
	record_set_text(changes, "status", "interrupted");
	record_set_text(changes, "error", "killed while it was running");
	for (guint i = 0; i < sweeps->len; i++) {
		const Record *row = g_ptr_array_index(sweeps, i);

		if (g_strcmp0(record_get_text(row, "status"), "running") == 0 &&
			!store_update_sweep(sweep->store, record_get_int(row, "id", -1), changes, error))
			return FALSE;
	}
	return TRUE;
}

/* Up to the sweep's row: all that can be refused is refused before anything boots or is written. */
static gboolean prepare(Sweep *sweep, GError **error)
{
	g_autoptr(Record) row = record_new();
	guint64 seed;

	sweep->store = store_open(sweep->options->store, STORE_WRITE, error);
	if (!sweep->store)
		return FALSE;
	sweep->lock = lock_take(sweep->options->store, error);
	if (sweep->lock < 0 || !bury_dead(sweep, error) || !choose_seed(sweep, &seed, error))
		return FALSE;
	sweep->host = host_side_new(sweep->agent);
	if (!side_start(sweep->host, sweep->cancel, error))
		return FALSE;
	if (!make_plan(sweep, g_str_equal(sweep->profile->accel, "kvm") ? "kvm" : "tcg", seed, error))
		return FALSE;
	record_set_text(row, "accel", NULL);
	if (plan_has_guests(sweep->plan)) {
		sweep->hypervisor = hypervisor_open(sweep->options->uri, sweep->keeper, error);
		if (!sweep->hypervisor || !decide_accel(sweep, row, error) ||
			!make_plan(sweep, sweep->accel, seed, error) || !check_guests(sweep, error))
			return FALSE;
	}
	set_optional(row, "uri", sweep->options->uri);
	sweep->legs = g_new0(gint64, sweep->plan->legs->len);
	sweep->leg_rows = g_ptr_array_new_full(sweep->plan->legs->len, free_record);
	g_ptr_array_set_size(sweep->leg_rows, (gint)sweep->plan->legs->len);
	if (!open_targets(sweep, error))
		return FALSE;
	progress_note(sweep->progress, "%u legs in %u blocks, %u boot(s) a block, order seed %" G_GUINT64_FORMAT,
		sweep->plan->legs->len, sweep->plan->blocks->len, sweep->plan->boots->len, seed);
	return sweep->sweep >= 0 ? rejoin(sweep, row, error) : begin(sweep, row, error);
}

/* What cannot be removed is said; the keeper tries again when it ends. */
static void end_targets(Sweep *sweep)
{
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; sweep->targets && i < sweep->targets->len; i++)
		target_end(g_ptr_array_index(sweep->targets, i), remarks);
	for (guint i = 0; i < remarks->len; i++)
		progress_note(sweep->progress, "%s", (const char *)g_ptr_array_index(remarks, i));
	g_clear_pointer(&sweep->targets, g_ptr_array_unref);
}

static void release(Sweep *sweep)
{
	side_free(sweep->host);
	end_targets(sweep);
	hypervisor_close(sweep->hypervisor);
	plan_free(sweep->plan);
	store_close(sweep->store);
	lock_release(sweep->lock);
	progress_free(sweep->progress);
	schedulers_free(sweep->schedulers);
	keeper_stop(sweep->keeper);
	g_hash_table_unref(sweep->done);
	g_clear_pointer(&sweep->leg_rows, g_ptr_array_unref);
	absent_free(sweep->absent);
	g_free(sweep->legs);
	g_free(sweep->agent);
}

static void recover(Sweep *sweep)
{
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);

	keeper_recover(hypervisor_destroy_domain, remarks);
	for (guint i = 0; i < remarks->len; i++)
		progress_note(sweep->progress, "cleaned up after a killed sweep: %s",
			(const char *)g_ptr_array_index(remarks, i));
}

gboolean sweep_run(const Profile *profile, const SweepOptions *options, GCancellable *cancel, SweepOutcome *ret,
	GError **error)
{
	Sweep sweep = {
		.profile = profile,
		.options = options,
		.cancel = cancel,
		.outcome = ret,
		.sweep = -1,
		.lock = -1,
		.agent = paths_agent(),
		.progress = progress_new(options->progress == PROGRESS_BAR || options->progress == PROGRESS_AUTO
				? PROGRESS_LINES
				: options->progress,
			0, 0),
		.done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.absent = absent_new(NULL),
	};
	gboolean ok;

	*ret = (SweepOutcome){.sweep = -1};
	recover(&sweep);
	sweep.keeper = keeper_start(error);
	sweep.schedulers = schedulers_new(sweep.keeper);
	ok = sweep.keeper && prepare(&sweep, error) && run_all(&sweep, error);
	ret->sweep = sweep.sweep;
	release(&sweep);
	return ok;
}
