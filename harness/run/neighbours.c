/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/neighbours.h"

#include "harness/base/error.h"
#include "harness/run/collect.h"
#include "harness/run/machine.h"

#define DROP_MS 120000

typedef struct {
	Side *side;
	char *path; /* of its disk, as it calls it */
	pid_t qemu;
	gint64 request; /* under way; -1 = none */
	MachineSnapshot begin;
	double bytes_per_s, iops; /* of the last run */
	gint64 bytes, cpu_ns;
	StoreRun *doubts; /* its flags since its disk was plugged in */
} Neighbour;

struct Neighbours {
	GPtrArray *list; /* of Neighbour * */
};

static void neighbour_free(gpointer data)
{
	Neighbour *neighbour = data;

	side_free(neighbour->side);
	store_run_free(neighbour->doubts);
	g_free(neighbour->path);
	g_free(neighbour);
}

Neighbours *neighbours_new(void)
{
	Neighbours *neighbours = g_new0(Neighbours, 1);

	neighbours->list = g_ptr_array_new_with_free_func(neighbour_free);
	return neighbours;
}

void neighbours_free(Neighbours *neighbours)
{
	if (!neighbours)
		return;
	g_ptr_array_unref(neighbours->list);
	g_free(neighbours);
}

guint neighbours_count(const Neighbours *neighbours)
{
	return neighbours ? neighbours->list->len : 0;
}

static Neighbour *get(Neighbours *neighbours, guint number)
{
	return g_ptr_array_index(neighbours->list, number);
}

/* The first guest is number 1 in every message. */
static gboolean blame(guint number, GError **error)
{
	g_prefix_error(error, "guest %u of those at work together: ", number + 2);
	return FALSE;
}

gboolean neighbours_add(Neighbours *neighbours, Side *guest, GCancellable *cancel, GError **error)
{
	Neighbour *neighbour = g_new0(Neighbour, 1);
	g_autoptr(Record) facts = record_new();

	neighbour->side = guest;
	neighbour->request = -1;
	g_ptr_array_add(neighbours->list, neighbour);
	if (!side_start(guest, cancel, error))
		return blame(neighbours->list->len - 1, error);
	side_facts(guest, facts);
	neighbour->qemu = (pid_t)record_get_int(facts, "qemu_pid", 0);
	return TRUE;
}

/* What SIDE caches of PATH; a cache that could not be dropped is a doubt about the load, not its end. */
static gboolean drop(Neighbour *neighbour, Side *side, const char *path, GCancellable *cancel, GError **error)
{
	json_t *arguments = json_pack("{s:s}", "path", path);
	json_t *answer = side_call(side, "drop", arguments, DROP_MS, NULL, NULL, cancel, error);

	json_decref(arguments);
	if (!answer)
		return FALSE;
	if (!json_is_true(json_object_get(answer, "dropped"))) {
		const char *reason = json_string_value(json_object_get(answer, "reason"));
		g_autofree char *evidence =
			g_strdup_printf("%s: %s", side->ops->name, reason ? reason : "no reason given");

		store_run_add_flag(neighbour->doubts, "DROP_FAILED", evidence);
	}
	json_decref(answer);
	return TRUE;
}

gboolean neighbours_disk(Neighbours *neighbours, guint number, Side *host, const SideDisk *disk, GCancellable *cancel,
	GError **error)
{
	Neighbour *neighbour = get(neighbours, number);

	g_free(neighbour->path);
	store_run_free(neighbour->doubts);
	neighbour->doubts = store_run_new();
	neighbour->path = side_disk(neighbour->side, disk, cancel, error);
	if (neighbour->path && drop(neighbour, neighbour->side, neighbour->path, cancel, error) &&
		drop(neighbour, host, disk->image, cancel, error))
		return TRUE;
	return blame(number, error);
}

/* JOB is the arguments of a run: {"job": {"path": ...}}. */
static json_t *own_job(const json_t *job, const char *path)
{
	json_t *own = json_deep_copy(job);

	json_object_set_new(json_object_get(own, "job"), "path", json_string(path));
	return own;
}

gboolean neighbours_begin(Neighbours *neighbours, const json_t *job, GCancellable *cancel, GError **error)
{
	for (guint i = 0; i < neighbours_count(neighbours); i++) {
		Neighbour *neighbour = get(neighbours, i);
		json_t *own = own_job(job, neighbour->path);

		neighbour->request = link_begin(neighbour->side->link, "run", own, cancel, error);
		json_decref(own);
		if (neighbour->request < 0)
			return blame(i, error);
		machine_snapshot(neighbour->qemu, &neighbour->begin);
	}
	return TRUE;
}

static void add_flags(StoreRun *to, const StoreRun *from, const char *whose)
{
	for (guint i = 0; i < from->flags->len; i++) {
		const StoreFlag *flag = g_ptr_array_index(from->flags, i);
		g_autofree char *evidence = g_strconcat(whose, flag->evidence, NULL);

		store_run_add_flag(to, flag->flag, evidence);
	}
}

/* Checked as every answer is; sums and flags are kept of it. */
static gboolean keep(Neighbour *neighbour, const json_t *result, const PlanWorkload *workload, GError **error)
{
	g_autoptr(StoreRun) row = store_run_new();
	MachineSnapshot end;

	machine_snapshot(neighbour->qemu, &end);
	if (!collect_result(result, workload, row, error))
		return FALSE;
	neighbour->cpu_ns = MAX(0, machine_process_spent(&neighbour->begin, &end));
	neighbour->bytes = record_get_int(row->run, "bytes_read", 0) + record_get_int(row->run, "bytes_written", 0);
	neighbour->bytes_per_s = record_get_real(row->run, "bytes_per_s", 0);
	neighbour->iops = record_get_real(row->run, "iops", 0);
	add_flags(neighbour->doubts, row, "");
	return TRUE;
}

gboolean neighbours_finish(Neighbours *neighbours, const PlanWorkload *workload, guint timeout_ms, GCancellable *cancel,
	GError **error)
{
	gboolean ok = TRUE;

	/* All of them, whatever happens to one: a request that stays open would spoil the next call. */
	for (guint i = 0; i < neighbours_count(neighbours); i++) {
		Neighbour *neighbour = get(neighbours, i);
		json_t *result;

		if (neighbour->request < 0)
			continue;
		result = link_finish(neighbour->side->link, neighbour->request, "run", timeout_ms, NULL, NULL, cancel,
			ok ? error : NULL);
		neighbour->request = -1;
		if (ok && !(result && keep(neighbour, result, workload, error)))
			ok = blame(i, error);
		json_decref(result);
	}
	return ok;
}

void neighbours_sum(const Neighbours *neighbours, StoreRun *row)
{
	Record *run = row->run;
	double bytes_per_s = record_get_real(run, "bytes_per_s", 0), iops = record_get_real(run, "iops", 0);
	gint64 bytes = 0, cpu_ns = 0;

	if (neighbours_count(neighbours) == 0)
		return;
	for (guint i = 0; i < neighbours->list->len; i++) {
		const Neighbour *neighbour = g_ptr_array_index(neighbours->list, i);
		g_autofree char *whose = g_strdup_printf("guest %u: ", i + 2);

		bytes_per_s += neighbour->bytes_per_s;
		iops += neighbour->iops;
		bytes += neighbour->bytes;
		cpu_ns += neighbour->cpu_ns;
		add_flags(row, neighbour->doubts, whose);
	}
	record_set_real(run, "all_guests_bytes_per_s", bytes_per_s);
	record_set_real(run, "all_guests_iops", iops);
	record_set_int(run, "other_guests_bytes", bytes);
	record_set_int(run, "other_guests_cpu_ns", cpu_ns);
}
