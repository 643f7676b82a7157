/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/sweep-rows.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/device.h"
#include "harness/run/environment.h"
#include "harness/run/sweep-environment.h"

#define PROBE_MS 20000

void sweep_rows_set(Record *row, const char *column, const char *text)
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
	if (profile->precision > 0) {
		record_set_real(row, "precision", profile->precision);
		record_set_int(row, "most_blocks", profile->blocks);
	}
	record_set_int(row, "strict", options->strict);
	record_set_int(row, "settle_ns", (gint64)profile->settle_ns);
	record_set_int(row, "run_ns", (gint64)profile->run_ns);
	record_set_int(row, "interval_ns", (gint64)profile->interval_ns);
	sweep_rows_set(row, "label", options->label);
	sweep_rows_set(row, "commit_id", options->commit);
	sweep_rows_set(row, "branch", options->branch);
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

/* What a script runs is not told by its own content: two of one text may start what lies beside each. */
static gboolean is_script(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char start[2] = "";
	gboolean script = fd >= 0 && read(fd, start, sizeof(start)) == sizeof(start) && memcmp(start, "#!", 2) == 0;

	if (fd >= 0)
		close(fd);
	return script;
}

/* Of programs that a leg names, so that two arms can be known to be the same; each file is read once. */
static void set_hash(Sweep *sweep, Record *row, const char *path_column, const char *column)
{
	const char *path = record_get_text(row, path_column);
	char *hash;

	if (!path)
		return;
	if (!sweep->hashes)
		sweep->hashes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	hash = g_hash_table_lookup(sweep->hashes, path);
	if (!hash) {
		hash = is_script(path) ? NULL : environment_hash(path);
		g_hash_table_insert(sweep->hashes, g_strdup(path), hash ? hash : g_strdup(""));
	}
	if (hash && *hash)
		record_set_text(row, column, hash);
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
		set_hash(sweep, row, "emulator", "emulator_sha256");
		set_hash(sweep, row, "kernel", "kernel_sha256");
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

/* What an interrupted sweep has measured. */
static void keep_in_mind(Sweep *sweep, const Record *run)
{
	gint64 leg = record_get_int(run, "leg_id", -1), block = record_get_int(run, "block", -1);

	g_hash_table_add(sweep->done, g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, leg, block));
	for (guint i = 0; i < sweep->plan->legs->len; i++)
		if (sweep->legs[i] == leg && block >= 0)
			stopping_add(sweep->stopping, i, (guint)block, run);
	sweep->outcome->already++;
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
	for (guint i = 0; i < runs->len; i++)
		keep_in_mind(sweep, g_ptr_array_index(runs, i));
	describe(sweep, row);
	sweep_environment(sweep, row);
	if (!sweep_environment_same(sweep, row, error))
		return FALSE;
	record_set_text(changes, "status", "running");
	return store_update_sweep(sweep->store, sweep->sweep, changes, error);
}

static void free_record(gpointer record)
{
	if (record)
		record_free(record);
}

gboolean sweep_rows_begin(Sweep *sweep, Record *row, GError **error)
{
	sweep->legs = g_new0(gint64, sweep->plan->legs->len);
	sweep->stopping = stopping_new(sweep->plan);
	sweep->leg_rows = g_ptr_array_new_full(sweep->plan->legs->len, free_record);
	g_ptr_array_set_size(sweep->leg_rows, (gint)sweep->plan->legs->len);
	return sweep->sweep >= 0 ? rejoin(sweep, row, error) : begin(sweep, row, error);
}

gboolean sweep_rows_finish(Sweep *sweep, const GError *trouble, double wall_s, GError **error)
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
	if (!trouble)
		stopping_describe(sweep->stopping, sweep->blocks, changes);
	record_set_text(changes, "status", status);
	record_set_text(changes, "error", trouble ? trouble->message : NULL);
	record_set_int(changes, "finished_unix_ns", g_get_real_time() * 1000);
	/* A resumed sweep adds to what it had. */
	record_set_int(changes, "measured_ns",
		record_get_int(before, "measured_ns", 0) + (gint64)(sweep->outcome->measured_s * 1e9));
	record_set_int(changes, "wall_ns", record_get_int(before, "wall_ns", 0) + (gint64)(wall_s * 1e9));
	return store_update_sweep(sweep->store, sweep->sweep, changes, error);
}

gboolean sweep_rows_bury(Sweep *sweep, GError **error)
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
