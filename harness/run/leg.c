/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/leg.h"

#include "harness/base/error.h"
#include "harness/run/collect.h"
#include "harness/run/machine.h"
#include "harness/run/threads.h"

#define DROP_MS 120000
/* Beyond settle and run: set-up, the last requests, and the final fsync of what a cache took in. */
#define RUN_GRACE_MS 180000

static StoreRun *new_row(guint block, guint position)
{
	StoreRun *row = store_run_new();

	record_set_int(row->run, "block", block);
	record_set_int(row->run, "position", position);
	record_set_int(row->run, "started_unix_ns", g_get_real_time() * 1000);
	return row;
}

StoreRun *leg_not_run(guint block, guint position, const char *reason)
{
	StoreRun *row = new_row(block, position);

	record_set_text(row->run, "status", "failed");
	record_set_text(row->run, "reason", reason);
	return row;
}

static json_t *optional_int(gint64 value, gboolean set)
{
	return set ? json_integer(value) : json_null();
}

/*
 * Both sides of a cell get the same seed in a block, and so the same offsets and data; every block another one. The mixing
 * is SplitMix64's finaliser (Steele, Lea and Flood 2014). 53 bits survive every JSON reader.
 */
static guint64 job_seed(const LegRun *run, const PlanLeg *leg)
{
	guint64 z = run->plan->seed + 0x9e3779b97f4a7c15ull * (1 + run->block * (guint64)run->plan->workloads->len + leg->workload);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ (z >> 31)) >> 11;
}

static json_t *make_job(const LegRun *run, const PlanLeg *leg, const PlanWorkload *w, const char *path)
{
	const Profile *profile = run->plan->profile;

	return json_pack("{s:{s:s, s:i, s:I, s:s, s:o, s:I, s:b, s:s, s:o, s:i, s:i, s:s, s:o, s:I, s:I, s:I, s:I}}", "job",
		"path", path, "offset", 0, "size", (json_int_t)run->size, "rw", w->rw, "mix_read",
		optional_int(w->mix_read, w->mix_read >= 0), "block_size", (json_int_t)w->block_size, "direct",
		w->direct, "sync", w->sync, "fsync_every", optional_int(w->fsync_every, w->fsync_every > 0),
		"queue_depth", (int)w->queue_depth, "jobs", (int)w->jobs, "engine", w->engine, "rate_iops",
		optional_int(w->rate_iops, w->rate_iops >= 0), "seed", (json_int_t)job_seed(run, leg), "settle_ns",
		(json_int_t)profile->settle_ns, "run_ns", (json_int_t)profile->run_ns, "interval_ns",
		(json_int_t)profile->interval_ns);
}

/* Drops what SIDE caches of PATH. A drop that the agent could not do is a flag, not a failure. */
static gboolean drop(Side *side, const char *path, StoreRun *row, GCancellable *cancel, GError **error)
{
	json_t *arguments = json_pack("{s:s}", "path", path);
	json_t *answer = side_call(side, "drop", arguments, DROP_MS, NULL, NULL, cancel, error);
	const json_t *resident;

	json_decref(arguments);
	if (!answer)
		return FALSE;
	resident = json_object_get(answer, "resident_bytes");
	if (json_is_integer(resident))
		record_set_int(row->run, "resident_bytes", json_integer_value(resident));
	if (!json_is_true(json_object_get(answer, "dropped"))) {
		const char *reason = json_string_value(json_object_get(answer, "reason"));
		g_autofree char *evidence =
			g_strdup_printf("%s: %s", side->ops->name, reason ? reason : "no reason given");

		record_set_int(row->run, "drop_ok", 0);
		store_run_add_flag(row, "DROP_FAILED", evidence);
	} else if (!record_has(row->run, "drop_ok")) {
		record_set_int(row->run, "drop_ok", 1);
	}
	json_decref(answer);
	return TRUE;
}

typedef struct {
	pid_t qemu;
	MachineSnapshot begin;
	ThreadWatch *threads;
} Phase;

static void on_phase(const char *phase, gint64 boot_ns, void *data)
{
	Phase *p = data;

	if (!g_str_equal(phase, "measure"))
		return;
	machine_snapshot(p->qemu, &p->begin);
	threads_free(p->threads);
	p->threads = threads_watch(p->qemu);
}

/* The guest's own cache first: dropping it may still write through the host's. */
static json_t *measure(const LegRun *run, const char *path, StoreRun *row, Phase *phase, GCancellable *cancel,
	GError **error)
{
	const PlanLeg *leg = g_ptr_array_index(run->plan->legs, run->leg);
	const PlanWorkload *workload = &g_array_index(run->plan->workloads, PlanWorkload, leg->workload);
	const Profile *profile = run->plan->profile;
	guint timeout_ms = (guint)((profile->settle_ns + profile->run_ns) / 1000000) + RUN_GRACE_MS;
	json_t *job, *answer;

	if (run->side != run->host && !drop(run->side, path, row, cancel, error))
		return NULL;
	if (!drop(run->host, run->disk->image, row, cancel, error))
		return NULL;
	job = make_job(run, leg, workload, path);
	record_set_int(row->run, "started_unix_ns", g_get_real_time() * 1000);
	answer = side_call(run->side, "run", job, timeout_ms, on_phase, phase, cancel, error);
	json_decref(job);
	return answer;
}

StoreRun *leg_run(const LegRun *run, GCancellable *cancel, gboolean *ret_lost, GError **error)
{
	const PlanLeg *leg = g_ptr_array_index(run->plan->legs, run->leg);
	const PlanWorkload *workload = &g_array_index(run->plan->workloads, PlanWorkload, leg->workload);
	g_autoptr(StoreRun) row = new_row(run->block, run->position);
	g_autoptr(GError) local = NULL;
	g_autofree char *path = NULL;
	Phase phase = {.qemu = run->qemu};
	MachineSnapshot end;
	json_t *answer = NULL;

	*ret_lost = FALSE;
	path = side_disk(run->side, run->disk, cancel, &local);
	if (path)
		answer = measure(run, path, row, &phase, cancel, &local);
	if (answer) {
		machine_snapshot(run->qemu, &end);
		if (collect_result(answer, workload, row, &local)) {
			record_set_text(row->run, "status", "ok");
			if (run->side != run->host) {
				machine_difference(&phase.begin, &end, row->run);
				threads_finish(g_steal_pointer(&phase.threads), row->run);
			}
		}
		json_decref(answer);
	}
	threads_free(phase.threads);
	if (g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return NULL;
	}
	if (local) {
		*ret_lost = g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_LOST);
		record_set_text(row->run, "status", "failed");
		record_set_text(row->run, "reason", local->message);
	}
	return g_steal_pointer(&row);
}
