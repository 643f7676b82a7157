/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/leg.h"

#include "guest-agent/common/bonnie.h"
#include "guest-agent/common/clock.h"
#include "harness/base/error.h"
#include "harness/run/collect.h"
#include "harness/run/environment.h"
#include "harness/run/frequency.h"
#include "harness/run/judge.h"
#include "harness/run/kthreads.h"
#include "harness/run/memory-limit.h"
#include "harness/run/placement.h"
#include "harness/run/scheduler.h"
#include "harness/run/threads.h"
#include "harness/run/trail.h"
#include "harness/run/window.h"

#define DROP_MS 120000
#define PING_MS 60000
#define PINGS 3
/* Beyond settle and run: set-up, the last requests, and the final fsync of what a cache took in. */
#define RUN_GRACE_MS 180000
#define REFILL_BYTES_PER_MS 5000 /* of the slowest disk that is waited for */

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
	/* One run of bonnie++ holds all its tests, so that its job is the same whichever is asked for. */
	gboolean bonnie = bonnie_is(w->engine);
	int mix = bonnie ? 50 : w->mix_read;

	/* A rate stands in the options of a job file, if there is one. */
	return json_pack("{s:{s:s, s:i, s:I, s:s, s:o, s:I, s:b, s:s, s:o, s:i, s:i, s:s, s:o, s:I, s:I, s:I, s:I, s:s?, s:b}}", "job",
		"path", path, "offset", 0, "size", (json_int_t)run->size, "rw",
		bonnie ? "rw" : w->rw, "mix_read", optional_int(mix, mix >= 0), "block_size", (json_int_t)w->block_size, "direct",
		w->direct, "sync", w->sync, "fsync_every", optional_int(w->fsync_every, w->fsync_every > 0),
		"queue_depth", (int)w->queue_depth, "jobs", (int)w->jobs, "engine", plan_engine_of_agent(w), "rate_iops",
		optional_int(w->rate_iops, w->rate_iops >= 0 && !w->fio_file), "seed", (json_int_t)job_seed(run, leg), "settle_ns",
		(json_int_t)profile->settle_ns, "run_ns", (json_int_t)profile->run_ns, "interval_ns",
		(json_int_t)profile->interval_ns, "fio_options", w->fio_file ? w->fio_file->options : NULL, "extend",
		/* The others would be idle in the second half. */
		profile->extend && neighbours_count(run->neighbours) == 0);
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

/* Everything that is watched from outside while the load runs. */
typedef struct {
	const LegRun *run;
	StoreRun *row;
	char *path;	/* as the load's side calls the disk */
	json_t *disk;	/* what that side says of it */
	json_t *disk_after;
	Device *device; /* on the host, below the image; NULL = none */
	Device *queue;	/* likewise, those that are memory too: where requests may be scheduled */
	char *no_queue; /* why there is none */
	pid_t io_process; /* whose bytes are counted; 0 = of nobody */
	Window *window;
	CheckStamp before, after;
	KthreadWatch *kthreads;
	ThreadWatch *threads;
	FrequencyWatch *frequency;
} Watch;

static void watch_clear(Watch *watch)
{
	g_free(watch->path);
	json_decref(watch->disk);
	json_decref(watch->disk_after);
	window_free(watch->window);
	device_free(watch->device);
	device_free(watch->queue);
	g_free(watch->no_queue);
	threads_free(watch->threads);
	kthreads_unwatch(watch->kthreads);
	frequency_unwatch(watch->frequency);
}

static void note_absent(const LegRun *run, const char *column, const char *reason)
{
	if (run->absent)
		absent_note(run->absent, column, reason);
}

/* REASONS: by column a text why it is NULL. */
static void note_reasons(const LegRun *run, const Record *reasons)
{
	for (guint i = 0; i < record_size(reasons); i++)
		note_absent(run, record_name(reasons, i), record_get_text(reasons, record_name(reasons, i)));
}

static void find_device(Watch *watch)
{
	static const char *const columns[] = {"host_device_reads", "host_device_read_bytes", "host_device_read_merges",
		"host_device_writes", "host_device_write_bytes", "host_device_write_merges", "host_device_io_ns",
		"host_device_queue_ns", "absorbed_read", "absorbed_write"};
	g_autofree char *reason = NULL;

	watch->queue = device_find_queue(watch->run->disk->image, &watch->no_queue);
	watch->device = device_find(watch->run->disk->image, &reason);
	for (guint i = 0; reason && i < G_N_ELEMENTS(columns); i++)
		note_absent(watch->run, columns[i], reason);
}

/* The other side's clock, looked at PINGS times; the look that took the shortest tells the most. */
static gboolean look_at_clock(Side *side, CheckStamp *ret, GCancellable *cancel, GError **error)
{
	for (guint i = 0; i < PINGS; i++) {
		guint64 sent = clock_read(CLOCK_BOOTTIME), came;
		json_t *answer = side_call(side, "ping", NULL, PING_MS, NULL, NULL, cancel, error);

		if (!answer)
			return FALSE;
		came = clock_read(CLOCK_BOOTTIME);
		if (i == 0 || came - sent < ret->came_ns - ret->sent_ns)
			*ret = (CheckStamp){sent, (guint64)json_integer_value(json_object_get(answer, "boot_ns")), came};
		json_decref(answer);
	}
	return TRUE;
}

/* A moment of the other side's clock on the host's. */
static gint64 host_moment(const CheckStamp *stamp, gint64 other_ns)
{
	return other_ns - (gint64)stamp->other_ns + (gint64)(stamp->sent_ns + (stamp->came_ns - stamp->sent_ns) / 2);
}

/* The threads that do the I/O are there now. */
static void see_threads(Watch *watch)
{
	const LegRun *run = watch->run;
	gboolean guest = run->side != run->host;

	placement_threads("", guest ? run->qemu : run->side->pid, guest, watch->row->run);
}

static void begin_watch(Watch *watch, gint64 host_ns)
{
	window_begin(watch->window, host_ns);
	threads_begin(watch->threads, host_ns);
	kthreads_begin(watch->kthreads, host_ns);
	frequency_begin(watch->frequency, host_ns);
}

static void on_phase(const char *phase, gint64 boot_ns, void *data)
{
	Watch *watch = data;

	if (!g_str_equal(phase, "measure"))
		return;
	side_begin(watch->run->side, watch->run->disk);
	begin_watch(watch, host_moment(&watch->before, boot_ns));
	see_threads(watch);
}

static guint timeout_ms(const Profile *profile, const PlanWorkload *workload)
{
	/* Twice the measured time: a run that is not steady is extended once. */
	return (guint)((profile->settle_ns + 2 * profile->run_ns) / 1000000) + RUN_GRACE_MS +
		(bonnie_is(workload->engine) ? BONNIE_S * 1000 : 0);
}

/*
 * What the load's side says of the disk. The host may open a loop or a mapped device, whose own scheduler schedules nothing: that
 * of the disks below is the one that was asked for, and none where there are none.
 */
static json_t *inspect(const Watch *watch, GCancellable *cancel, GError **error)
{
	const LegRun *run = watch->run;
	json_t *arguments = json_pack("{s:s}", "path", watch->path);
	json_t *answer = side_call(run->side, "inspect", arguments, DROP_MS, NULL, NULL, cancel, error);

	json_decref(arguments);
	if (answer && run->side == run->host) {
		g_autofree char *scheduler = watch->queue ? schedulers_seen(watch->queue) : NULL;

		json_object_set_new(answer, "scheduler", scheduler ? json_string(scheduler) : json_null());
	}
	return answer;
}

/* The guest's own cache first: dropping it may still write through the host's. */
static gboolean make_ready(Watch *watch, GCancellable *cancel, GError **error)
{
	const LegRun *run = watch->run;

	watch->path = side_disk(run->side, run->disk, cancel, error);
	if (!watch->path)
		return FALSE;
	find_device(watch);
	watch->disk = inspect(watch, cancel, error);
	if (!watch->disk)
		return FALSE;
	if (run->side != run->host && !drop(run->side, watch->path, watch->row, cancel, error))
		return FALSE;
	if (!drop(run->host, run->disk->image, watch->row, cancel, error))
		return FALSE;
	return look_at_clock(run->side, &watch->before, cancel, error);
}

/* Who does the I/O on this host: QEMU, or the agent. Another program is a child of it that is not known here: 0. */
static pid_t io_process(const LegRun *run, const PlanWorkload *workload)
{
	if (run->side != run->host)
		return run->qemu;
	return plan_engine_program(workload->engine) ? 0 : run->side->pid;
}

static void set_seen(Record *run, const char *column, const json_t *value)
{
	if (json_is_string(value))
		record_set_text(run, column, json_string_value(value));
	else if (json_is_integer(value))
		record_set_int(run, column, json_integer_value(value));
}

static void end_host(Watch *watch)
{
	set_seen(watch->row->run, "seen_scheduler", json_object_get(watch->disk, "scheduler"));
	if (!record_has(watch->row->run, "seen_scheduler"))
		note_absent(watch->run, "seen_scheduler", watch->no_queue ? watch->no_queue
			: "the disks below the target have no I/O scheduler, or not all the same one");
}

/* The disk as the guest sees it, and what its side knows of what lies below; QEMU's own word on its queues counts more. */
static void end_side(Watch *watch)
{
	const LegRun *run = watch->run;
	g_autoptr(Record) reasons = record_new();

	if (run->side == run->host) {
		end_host(watch);
		return;
	}
	set_seen(watch->row->run, "seen_bus", json_object_get(watch->disk, "bus"));
	set_seen(watch->row->run, "seen_driver", json_object_get(watch->disk, "driver"));
	set_seen(watch->row->run, "seen_scheduler", json_object_get(watch->disk, "scheduler"));
	set_seen(watch->row->run, "seen_queues", json_object_get(watch->disk, "queues"));
	set_seen(watch->row->run, "seen_logical_block_size", json_object_get(watch->disk, "logical_block_size"));
	side_end(run->side, run->disk, watch->row->run, reasons);
	note_reasons(run, reasons);
}

/* The load on this side and on its neighbours; the answer of this side. */
static json_t *run_together(Watch *watch, const PlanWorkload *workload, const json_t *job, GCancellable *cancel, GError **error)
{
	const LegRun *run = watch->run;
	guint timeout = timeout_ms(run->plan->profile, workload);
	json_t *answer = NULL;

	if (neighbours_begin(run->neighbours, job, cancel, error))
		answer = side_call(run->side, "run", job, timeout, on_phase, watch, cancel, error);
	if (neighbours_finish(run->neighbours, workload, timeout, cancel, answer ? error : NULL) || !answer)
		return answer;
	json_decref(answer);
	return NULL;
}

static json_t *measure(Watch *watch, GCancellable *cancel, GError **error)
{
	const LegRun *run = watch->run;
	const PlanLeg *leg = g_ptr_array_index(run->plan->legs, run->leg);
	const PlanWorkload *workload = &g_array_index(run->plan->workloads, PlanWorkload, leg->workload);
	json_t *job = make_job(run, leg, workload, watch->path);
	json_t *answer;

	record_set_int(watch->row->run, "started_unix_ns", g_get_real_time() * 1000);
	watch->io_process = io_process(run, workload);
	watch->window = window_open(watch->device, watch->io_process, run->qemu);
	watch->threads = threads_watch(run->qemu);
	watch->kthreads = kthreads_watch("/proc");
	watch->frequency = frequency_watch("", run->cpus);
	answer = run_together(watch, workload, job, cancel, error);
	json_decref(job);
	if (!answer)
		return NULL;
	window_stop(watch->window);
	threads_stop(watch->threads);
	kthreads_stop(watch->kthreads);
	frequency_stop(watch->frequency);
	end_side(watch);
	if (look_at_clock(run->side, &watch->after, cancel, error) &&
		(watch->disk_after = inspect(watch, cancel, error)))
		return answer;
	json_decref(answer);
	return NULL;
}

static void end_kthreads(const Watch *watch, gint64 end_ns)
{
	gint64 spent = kthreads_end(watch->kthreads, end_ns);

	record_set_null(watch->row->run, "host_kthread_ns");
	if (spent >= 0)
		record_set_int(watch->row->run, "host_kthread_ns", spent);
	else if (end_ns != TRAIL_NONE)
		note_absent(watch->run, "host_kthread_ns",
			"the kernel's threads cannot be seen from here, as in a container with process ids of its own: no run is looked at for other load on the processors");
}

/* By another way than they were set: a service of the host's may have set them since. */
static void see_frequency(Record *row)
{
	g_autoptr(Record) environment = record_new();

	environment_cpu("", environment);
	record_set_text(row, "seen_governor", record_get_text(environment, "host.cpu.governor"));
	record_set_text(row, "seen_turbo", record_get_text(environment, "host.cpu.turbo"));
}

/* What was seen from outside, up to END_BOOT_NS of the load's side, goes into the row; 0: nobody knows when it ended. */
static void end_watch(Watch *watch, gint64 end_boot_ns)
{
	const LegRun *run = watch->run;
	Record *row = watch->row->run;
	g_autoptr(Record) reasons = record_new();
	gint64 end_ns = end_boot_ns ? host_moment(&watch->after, end_boot_ns) : TRAIL_NONE;
	guint64 limit = memory_limit("", run->side == run->host ? run->side->pid : run->qemu);

	if (run->side != run->host && run->row && (record_has(run->row, "numa") || record_has(run->row, "hugepages")))
		placement_memory("", run->qemu, row);
	if (run->row && (record_has(run->row, "governor") || record_has(run->row, "turbo")))
		see_frequency(row);
	if (limit)
		record_set_int(row, "seen_host_cache_limit", (gint64)limit);
	window_end(watch->window, end_ns, row);
	if (run->side != run->host)
		threads_end(watch->threads, end_ns, row);
	if (end_ns != TRAIL_NONE && watch->io_process && !record_has(row, "process_read_bytes"))
		note_absent(run, "process_read_bytes", "the counters of the process that does the I/O cannot be read");
	end_kthreads(watch, end_ns);
	frequency_end(watch->frequency, end_ns, row, reasons);
	if (end_ns != TRAIL_NONE)
		note_reasons(run, reasons);
}

/* What was counted on the host over another time than the measured one is not kept. */
static void forget_counters(const LegRun *run, Record *row, const char *reason)
{
	static const char *const ours[] = {"host_device_", "qemu_", "host_user_", "host_system_", "host_irq_", "host_steal_",
		"host_iowait_", "host_idle_", "host_switches", "host_interrupts", "host_kthread_", "process_read_", "kvm_exits"};

	for (guint i = 0; i < record_size(row); i++) {
		const char *name = record_name(row, i);

		for (guint k = 0; k < G_N_ELEMENTS(ours); k++)
			if (g_str_has_prefix(name, ours[k])) {
				record_set_null(row, name);
				note_absent(run, name, reason);
			}
	}
}

/* Another program's time that could not be found on our clock: its figures stand, but no counter beside them does. */
static void end_unplaced(const LegRun *run, const json_t *answer, Record *row)
{
	static const char *const ours[] = {"begin_boot_ns", "end_boot_ns", "machine_user_ns", "machine_system_ns", "machine_irq_ns",
		"machine_steal_ns", "machine_iowait_ns", "machine_idle_ns", "machine_switches", "machine_interrupts", "device_reads",
		"device_read_bytes", "device_read_merges", "device_writes", "device_write_bytes", "device_write_merges", "device_flushes",
		"device_io_ns", "device_interrupts", "absorbed_read", "absorbed_write", "host_khz", "host_base_khz",
		"host_throttle_events"};
	const char *reason = json_string_value(json_object_get(answer, "unplaced"));

	if (!reason)
		return;
	forget_counters(run, row, reason);
	for (guint i = 0; i < G_N_ELEMENTS(ours); i++)
		note_absent(run, ours[i], reason);
}

/* Everything is looked at: the flags of ROW, a run of the leg whose columns are LEG. */
static void judge(const Watch *watch, const Record *leg, const json_t *answer, StoreRun *row)
{
	const LegRun *run = watch->run;
	const JudgeRun judge = {
		.leg = leg,
		.host_memory = run->host_memory,
		.cpus = run->cpus,
		.before = &watch->before,
		.after = &watch->after,
		.disk = watch->disk,
		.disk_after = watch->disk_after,
		.absent = run->absent,
	};

	if (leg)
		judge_run(&judge, answer, row);
}

/* ---- a run that several legs share -------------------------------------------------------------- */

static StoreRun *copy_of(const StoreRun *row)
{
	StoreRun *copy = store_run_new();

	record_free(copy->run);
	copy->run = record_copy(row->run);
	for (guint i = 0; i < row->flags->len; i++) {
		const StoreFlag *flag = row->flags->pdata[i];

		store_run_add_flag(copy, flag->flag, flag->evidence);
	}
	return copy;
}

/* The figures of leg LEG from the answer that it shares, into ROW. */
static void take_share(const Watch *watch, guint leg, const json_t *answer, StoreRun *row)
{
	const LegRun *run = watch->run;
	const PlanLeg *plan = g_ptr_array_index(run->plan->legs, leg);
	const PlanWorkload *workload = &g_array_index(run->plan->workloads, PlanWorkload, plan->workload);
	g_autoptr(GError) local = NULL;

	if (collect_result(answer, workload, row, &local)) {
		record_set_text(row->run, "status", "ok");
		judge(watch, leg == run->leg ? run->row : g_ptr_array_index(run->rows, leg), answer, row);
	} else {
		record_set_text(row->run, "status", "failed");
		record_set_text(row->run, "reason", local->message);
	}
	/* It has told whether others were in the way. */
	forget_counters(run, row->run, "bonnie++ runs all its tests in one go, and what was counted meanwhile is of all of them");
}

/* Each leg that shares the run gets its figures now; those of other legs wait for their turn. */
static void share(Watch *watch, const json_t *answer)
{
	const LegRun *run = watch->run;
	g_autoptr(StoreRun) base = NULL;

	end_watch(watch, json_integer_value(json_object_get(json_object_get(answer, "end"), "boot_ns")));
	base = copy_of(watch->row);
	take_share(watch, run->leg, answer, watch->row);
	for (guint i = 0; run->shared && i < run->plan->legs->len; i++) {
		StoreRun *row;

		if (i == run->leg || !plan_legs_share(run->plan, run->leg, i))
			continue;
		row = copy_of(base);
		take_share(watch, i, answer, row);
		shared_put(run->shared, i, run->block, row);
	}
}

/*
 * The file system that the guest made has left holes, which later legs refuse to read, and data that can be compressed. The
 * image is filled as it was before the sweep; where that fails, those legs say what they find.
 */
static void refill(const Watch *watch, GCancellable *cancel)
{
	const LegRun *run = watch->run;
	gboolean raw = g_strcmp0(run->disk->format, "qcow2") != 0; /* the host never writes into a qcow2 file */
	json_t *arguments = json_pack("{s:s, s:i, s:I, s:I}", "path", raw ? run->disk->image : watch->path, "offset", 0, "size",
		(json_int_t)run->size, "seed", (json_int_t)(run->plan->seed & 0xffffffff));

	json_decref(side_call(raw ? run->host : run->side, "fill", arguments, RUN_GRACE_MS + (guint)(run->size / REFILL_BYTES_PER_MS), NULL,
		NULL, cancel, NULL));
	json_decref(arguments);
}

/* A run that failed is that of all who share it. */
static void share_failure(const LegRun *run, const char *reason)
{
	for (guint i = 0; run->shared && i < run->plan->legs->len; i++)
		if (i != run->leg && plan_legs_share(run->plan, run->leg, i))
			shared_put(run->shared, i, run->block, leg_not_run(run->block, run->position, reason));
}

StoreRun *leg_run(const LegRun *run, GCancellable *cancel, gboolean *ret_lost, GError **error)
{
	const PlanLeg *leg = g_ptr_array_index(run->plan->legs, run->leg);
	const PlanWorkload *workload = &g_array_index(run->plan->workloads, PlanWorkload, leg->workload);
	g_autoptr(StoreRun) row = new_row(run->block, run->position);
	g_autoptr(GError) local = NULL;
	Watch watch = {.run = run, .row = row};
	json_t *answer = NULL;

	*ret_lost = FALSE;
	if (make_ready(&watch, cancel, &local))
		answer = measure(&watch, cancel, &local);
	if (answer && bonnie_is(workload->engine)) {
		share(&watch, answer);
	} else if (answer && collect_result(answer, workload, row, &local)) {
		record_set_text(row->run, "status", "ok");
		neighbours_sum(run->neighbours, row);
		/* Of another program it is known only now when it began. */
		if (json_is_integer(json_object_get(answer, "placed_ns")))
			begin_watch(&watch, host_moment(&watch.before, record_get_int(row->run, "begin_boot_ns", 0)));
		end_watch(&watch, record_get_int(row->run, "end_boot_ns", 0));
		end_unplaced(run, answer, row->run);
		judge(&watch, run->row, answer, row);
	}
	json_decref(answer);
	if (watch.path && run->side != run->host && bonnie_is(workload->engine) && (!local || g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_AGENT)))
		refill(&watch, cancel);
	watch_clear(&watch);
	if (g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return NULL;
	}
	if (local) {
		*ret_lost = g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_LOST);
		if (!*ret_lost)
			share_failure(run, local->message);
		record_set_text(row->run, "status", "failed");
		record_set_text(row->run, "reason", local->message);
	}
	return g_steal_pointer(&row);
}
