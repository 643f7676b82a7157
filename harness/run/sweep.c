/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/sweep.h"

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/run/blocks.h"
#include "harness/run/facts.h"
#include "harness/run/lock.h"
#include "harness/run/stage.h"
#include "harness/run/sweep-rows.h"
#include "harness/run/sweep-targets.h"
#include "harness/side/host.h"

static guint64 fresh_seed(void)
{
	/* 53 bits: every JSON reader and spreadsheet keeps it whole. */
	return (((guint64)g_random_int() << 32) | g_random_int()) >> 11;
}

/* Builds the plan; the accelerator is part of its facts, so it is built again once that is known. */
static gboolean make_plan(Sweep *sweep, const char *accel, guint64 seed, GError **error)
{
	g_autofree char *folder = sweep_target_folder(sweep->options);
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
		if (!record_has(facts, "qemu_version"))
			return hypervisor_check_emulator(record_get_text(facts, "emulator"), error);
	}
	return TRUE;
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
	guint left = blocks_left(sweep, 0, &seconds);
	guint ticker;

	g_clear_pointer(&sweep->progress, progress_free);
	sweep->progress = progress_new(sweep->options->progress, left, seconds);
	ticker = g_timeout_add(250, on_tick, sweep->progress);
	if (sweep_targets_fill(sweep, &local))
		blocks_measure(sweep, &local);
	g_source_remove(ticker);
	/* Whatever failed while everything was being ended is the interruption, and can be resumed. */
	if (local && g_cancellable_is_cancelled(sweep->cancel) &&
		!g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED)) {
		g_clear_error(&local);
		g_set_error_literal(&local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
	}
	wall_s = (double)(g_get_monotonic_time() - begun) / 1e6;
	sweep->outcome->wall_s = wall_s;
	if (!sweep_rows_finish(sweep, local, wall_s, local ? NULL : error))
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
	g_clear_pointer(&sweep->hashes, g_hash_table_unref);
	absent_free(sweep->absent);
	sweep->absent = absent_new(record_get_text(row, "absent_json"));
	return TRUE;
}

/* Before the first guest boots, be it only to try KVM: booting disturbs the other sweep as measuring does. */
static gboolean have_machine(Sweep *sweep, GError **error)
{
	g_autoptr(GError) local = NULL;

	sweep->machine_lock = lock_take_machine(LOCK_MACHINE, &local);
	if (sweep->machine_lock >= 0)
		return TRUE;
	if (!g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_BUSY) || !lock_parallel_allowed()) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	sweep->parallel = TRUE;
	progress_note(sweep->progress,
		"WARNING: another sweep is measuring on this machine; IOGAP_ALLOW_PARALLEL lets this one go on, and each of its runs "
		"is marked THROTTLED");
	return TRUE;
}

/* The host's agent joins before it fills anything: what it has cached then is charged to the group. */
static gboolean make_group(Sweep *sweep, GError **error)
{
	gboolean limited = FALSE;

	for (guint i = 0; i < sweep->plan->legs->len; i++)
		limited |= ((const PlanLeg *)g_ptr_array_index(sweep->plan->legs, i))->host_cache_limit > 0;
	if (!limited)
		return TRUE;
	sweep->group = memory_group_new(sweep->keeper, error);
	return sweep->group && memory_group_add(sweep->group, sweep->host->pid, error);
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
	if (sweep->lock < 0 || !sweep_rows_bury(sweep, error) || !choose_seed(sweep, &seed, error))
		return FALSE;
	sweep->host = host_side_new(sweep->agent);
	if (!side_start(sweep->host, sweep->cancel, error))
		return FALSE;
	sweep->load_pin = load_pin_new(sweep->host->pid);
	if (!make_plan(sweep, g_str_equal(sweep->profile->accel, "kvm") ? "kvm" : "tcg", seed, error) || !have_machine(sweep, error))
		return FALSE;
	record_set_text(row, "accel", NULL);
	if (plan_has_guests(sweep->plan) && !sweep->options->host_only) {
		sweep->hypervisor = hypervisor_open(sweep->options->uri, sweep->keeper, error);
		if (!sweep->hypervisor || !decide_accel(sweep, row, error) ||
			!make_plan(sweep, sweep->accel, seed, error) || !check_guests(sweep, error))
			return FALSE;
	}
	sweep_rows_set(row, "uri", sweep->options->uri);
	if (!sweep_targets_open(sweep, error) || !make_group(sweep, error))
		return FALSE;
	progress_note(sweep->progress, "%u legs in %u blocks, %u boot(s) a block, order seed %" G_GUINT64_FORMAT,
		sweep->plan->legs->len, sweep->plan->blocks->len, sweep->plan->boots->len, seed);
	return sweep_rows_begin(sweep, row, error);
}

static void release(Sweep *sweep)
{
	side_free(sweep->host);
	sweep_targets_end(sweep);
	hypervisor_close(sweep->hypervisor);
	shared_free(sweep->shared);
	memory_group_free(sweep->group);
	stopping_free(sweep->stopping);
	plan_free(sweep->plan);
	store_close(sweep->store);
	lock_release(sweep->lock);
	lock_release(sweep->machine_lock);
	progress_free(sweep->progress);
	schedulers_free(sweep->schedulers);
	load_pin_free(sweep->load_pin);
	cpu_clock_free(sweep->cpu_clock);
	keeper_stop(sweep->keeper);
	g_hash_table_unref(sweep->done);
	g_clear_pointer(&sweep->leg_rows, g_ptr_array_unref);
	absent_free(sweep->absent);
	g_free(sweep->busy);
	g_free(sweep->legs);
	g_free(sweep->wanted);
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
		.machine_lock = -1,
		.agent = paths_agent(),
		.progress = progress_new(options->progress == PROGRESS_BAR || options->progress == PROGRESS_AUTO
				? PROGRESS_LINES
				: options->progress,
			0, 0),
		.done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.absent = absent_new(NULL),
		.shared = shared_new(),
	};
	gboolean ok;

	*ret = (SweepOutcome){.sweep = -1};
	recover(&sweep);
	sweep.keeper = keeper_start(error);
	sweep.schedulers = schedulers_new(sweep.keeper);
	sweep.cpu_clock = cpu_clock_new("", sweep.keeper);
	ok = sweep.keeper && prepare(&sweep, error) && run_all(&sweep, error);
	ret->sweep = sweep.sweep;
	ret->busy = !ok && error && g_error_matches(*error, IOGAP_ERROR, IOGAP_ERROR_BUSY);
	release(&sweep);
	return ok;
}
