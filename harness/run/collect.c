/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/collect.h"

#include "harness/base/error.h"
#include "harness/run/collect-tool.h"
#include "harness/run/contradictions.h"

/* Counters that go from the answer to the store under another name, NULL staying NULL. */
static const struct {
	const char *group, *key, *column;
} counters[] = {
	{NULL, "ns", "ns"},
	{NULL, "final_sync_ns", "final_sync_ns"},
	{NULL, "settle_ns", "settle_ns"},
	{"begin", "boot_ns", "begin_boot_ns"},
	{"end", "boot_ns", "end_boot_ns"},
	{"cpu", "load_user_ns", "load_user_ns"},
	{"cpu", "load_system_ns", "load_system_ns"},
	{"cpu", "load_voluntary_switches", "load_voluntary_switches"},
	{"cpu", "load_involuntary_switches", "load_involuntary_switches"},
	{"cpu", "machine_user_ns", "machine_user_ns"},
	{"cpu", "machine_system_ns", "machine_system_ns"},
	{"cpu", "machine_irq_ns", "machine_irq_ns"},
	{"cpu", "machine_steal_ns", "machine_steal_ns"},
	{"cpu", "machine_iowait_ns", "machine_iowait_ns"},
	{"cpu", "machine_idle_ns", "machine_idle_ns"},
	{"cpu", "machine_switches", "machine_switches"},
	{"cpu", "machine_interrupts", "machine_interrupts"},
	{"device", "reads", "device_reads"},
	{"device", "read_bytes", "device_read_bytes"},
	{"device", "read_merges", "device_read_merges"},
	{"device", "writes", "device_writes"},
	{"device", "write_bytes", "device_write_bytes"},
	{"device", "write_merges", "device_write_merges"},
	{"device", "flushes", "device_flushes"},
	{"device", "io_ns", "device_io_ns"},
	{"device", "interrupts", "device_interrupts"},
};

static gboolean fail(GError **error, const char *what)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT, "the agent's result contradicts itself: %s", what);
	return FALSE;
}

static gboolean get_count(const json_t *object, const char *key, guint64 *ret)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return FALSE;
	*ret = (guint64)json_integer_value(value);
	return TRUE;
}

/* min_ns and max_ns are null while n is 0. */
static gboolean get_extremes(const json_t *object, Hist *hist)
{
	if (hist->n == 0)
		return TRUE;
	return get_count(object, "min_ns", &hist->min_ns) && get_count(object, "max_ns", &hist->max_ns);
}

gboolean collect_hist(const json_t *object, Hist *ret)
{
	const json_t *slots = json_object_get(object, "slots");
	guint64 total = 0;

	hist_clear(ret);
	if (!get_count(object, "n", &ret->n) || !get_count(object, "sum_ns", &ret->sum_ns) ||
		!get_count(object, "below", &ret->below) || !get_count(object, "above", &ret->above) ||
		!get_extremes(object, ret) || !json_is_array(slots))
		return FALSE;
	for (gsize i = 0; i < json_array_size(slots); i++) {
		const json_t *pair = json_array_get(slots, i);
		const json_t *slot = json_array_get(pair, 0), *count = json_array_get(pair, 1);

		if (!json_is_integer(slot) || !json_is_integer(count) || json_integer_value(slot) < 0 ||
			json_integer_value(slot) >= HIST_SLOTS || json_integer_value(count) <= 0)
			return FALSE;
		ret->slots[json_integer_value(slot)] += (guint64)json_integer_value(count);
		total += (guint64)json_integer_value(count);
	}
	return total + ret->below + ret->above == ret->n;
}

typedef struct {
	guint64 ops, bytes;
	Hist submit, complete;
} Direction;

static gboolean get_direction(const json_t *result, const char *name, const PlanWorkload *workload, Direction *ret,
	GError **error)
{
	gint64 slack = (gint64)workload->queue_depth * workload->jobs;
	const json_t *object = json_object_get(result, name);

	if (!get_count(object, "ops", &ret->ops) || !get_count(object, "bytes", &ret->bytes) ||
		!collect_hist(json_object_get(object, "submit"), &ret->submit) ||
		!collect_hist(json_object_get(object, "complete"), &ret->complete))
		return fail(error, "counters or histograms are missing or do not add up");
	if (ret->bytes != ret->ops * workload->block_size)
		return fail(error, "bytes are not operations times block size");
	if (ret->complete.n != ret->ops)
		return fail(error, "its latency histogram does not hold every operation");
	/* Requests that cross an end of the measured time are submitted on its other side. */
	if (ret->submit.n != 0 && (gint64)ret->submit.n - (gint64)ret->ops > slack)
		return fail(error, "its submit histogram holds operations that never completed");
	if (ret->submit.n != 0 && (gint64)ret->ops - (gint64)ret->submit.n > slack)
		return fail(error, "its submit histogram does not hold every operation");
	return TRUE;
}

static void set_mean(Record *run, const char *column, const Hist *hist)
{
	if (hist->n)
		record_set_real(run, column, hist_mean(hist));
	else
		record_set_null(run, column);
}

static void set_latencies(Record *run, const Hist *complete)
{
	static const struct {
		const char *column;
		double q;
	} quantiles[] = {
		{"complete_p50_ns", 0.5},
		{"complete_p90_ns", 0.9},
		{"complete_p99_ns", 0.99},
		{"complete_p999_ns", 0.999},
		{"complete_p9999_ns", 0.9999},
	};

	set_mean(run, "complete_mean_ns", complete);
	for (guint i = 0; i < G_N_ELEMENTS(quantiles); i++) {
		double ns;

		if (hist_quantile(complete, quantiles[i].q, false, &ns))
			record_set_real(run, quantiles[i].column, ns);
		else
			record_set_null(run, quantiles[i].column);
	}
	if (complete->n)
		record_set_int(run, "complete_max_ns", (gint64)complete->max_ns);
	else
		record_set_null(run, "complete_max_ns");
}

static void set_counters(Record *run, const json_t *result)
{
	for (guint i = 0; i < G_N_ELEMENTS(counters); i++) {
		const json_t *group =
			counters[i].group ? json_object_get(result, counters[i].group) : result;
		const json_t *value = json_object_get(group, counters[i].key);

		if (json_is_integer(value))
			record_set_int(run, counters[i].column, json_integer_value(value));
		else
			record_set_null(run, counters[i].column);
	}
}

static void differ(StoreRun *run, const char *what, const char *asked, const char *got)
{
	g_autofree char *evidence = g_strdup_printf("%s: asked %s, in effect %s", what, asked, got);

	store_run_add_flag(run, "NOT_AS_ASKED", evidence);
}

static void differ_number(StoreRun *run, const char *what, guint64 asked, const json_t *value)
{
	g_autofree char *want = g_strdup_printf("%" G_GUINT64_FORMAT, asked);
	g_autofree char *got = json_is_integer(value)
		? g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value))
		: g_strdup("unknown");

	if (!g_str_equal(want, got))
		differ(run, what, want, got);
}

static void check_effective(StoreRun *run, const json_t *effective, const PlanWorkload *workload)
{
	const char *engine = json_string_value(json_object_get(effective, "engine"));
	const json_t *direct = json_object_get(effective, "direct");
	const char *flags = json_string_value(json_object_get(effective, "sync_flags"));
	gboolean by_flag = g_str_equal(workload->sync, "dsync") || g_str_equal(workload->sync, "sync");
	const char *expected = by_flag ? workload->sync : "none";

	if (g_strcmp0(engine, plan_engine_of_agent(workload)) != 0)
		differ(run, "engine", plan_engine_of_agent(workload), engine ? engine : "unknown");
	/* The null engine opens no file, so it has no flags to read back. */
	if (g_str_equal(workload->engine, "null"))
		return;
	if (!json_is_boolean(direct) || json_is_true(direct) != !!workload->direct)
		differ(run, "direct", workload->direct ? "true" : "false",
			json_is_boolean(direct) ? (json_is_true(direct) ? "true" : "false") : "unknown");
	if (g_strcmp0(flags, expected) != 0)
		differ(run, "sync", expected, flags ? flags : "unknown");
	differ_number(run, "queue_depth", workload->queue_depth, json_object_get(effective, "queue_depth"));
	differ_number(run, "jobs", workload->jobs, json_object_get(effective, "jobs"));
	differ_number(run, "block_size", workload->block_size, json_object_get(effective, "block_size"));
}

static char *dump(const json_t *value)
{
	char *text = value && !json_is_null(value) ? json_dumps(value, JSON_COMPACT) : NULL;
	char *copy = g_strdup(text);

	free(text);
	return copy;
}

/* What an outside program was told and what it said; NULL where the agent made the load itself. */
static void add_outside(Record *row, const json_t *outside)
{
	g_autofree char *messages = dump(json_object_get(outside, "messages"));

	record_set_text(row, "outside_version", json_string_value(json_object_get(outside, "version")));
	record_set_text(row, "outside_job", json_string_value(json_object_get(outside, "job")));
	record_set_text(row, "outside_messages", messages);
}

/* A run by an outside program that failed: what it was told and said is kept, the error is the agent's own. */
static gboolean fail_outside(const json_t *failed, const json_t *result, Record *row, GError **error)
{
	const char *message = json_string_value(json_object_get(failed, "message"));
	const char *code = json_string_value(json_object_get(failed, "code"));

	add_outside(row, json_object_get(result, "fio"));
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT, "run: %s (%s)", message ? message : "failed without a message",
		code ? code : "no code");
	return FALSE;
}

static void add_direction(StoreRun *run, const char *name, const Direction *direction)
{
	if (direction->submit.n)
		store_run_add_hist(run, name, "submit", &direction->submit);
	if (direction->complete.n)
		store_run_add_hist(run, name, "complete", &direction->complete);
}

/* Another tool's run: its figures are in what it printed, everything around it is as ever. */
static gboolean collect_of_tool(const json_t *result, const PlanWorkload *workload, StoreRun *run, GError **error)
{
	g_autofree char *effective = dump(json_object_get(result, "effective"));

	gint64 ns;

	if (!collect_tool(json_object_get(result, "tool"), workload, run, error))
		return FALSE;
	/* The tool's own time, of which the agent's counters know nothing. */
	ns = record_get_int(run->run, "ns", -1);
	set_counters(run->run, result);
	if (ns >= 0)
		record_set_int(run->run, "ns", ns);
	record_set_text(run->run, "effective_json", effective);
	check_effective(run, json_object_get(result, "effective"), workload);
	return TRUE;
}

gboolean collect_result(const json_t *result, const PlanWorkload *workload, StoreRun *run, GError **error)
{
	/* Histograms are 30 KiB each: too many of them for the stack's comfort. */
	g_autofree Direction *read = g_new0(Direction, 1);
	g_autofree Direction *write = g_new0(Direction, 1);
	g_autofree Hist *submit = g_new(Hist, 1);
	g_autofree Hist *complete = g_new(Hist, 1);
	g_autofree Hist *sync = g_new(Hist, 1);
	g_autofree char *effective = dump(json_object_get(result, "effective"));
	const json_t *syncs = json_object_get(result, "sync");
	const json_t *depth = json_object_get(result, "depth_mean");
	const json_t *failed = json_object_get(result, "failed");
	g_autofree char *wrong = NULL;
	Record *row = run->run;
	guint64 ns, sync_ops;
	double seconds;

	if (failed)
		return fail_outside(failed, result, row, error);
	if (json_object_get(result, "tool"))
		return collect_of_tool(result, workload, run, error);
	if (!get_count(result, "ns", &ns) || ns == 0)
		return fail(error, "no measured time");
	if (!get_direction(result, "read", workload, read, error) ||
		!get_direction(result, "write", workload, write, error))
		return FALSE;
	if (!get_count(syncs, "ops", &sync_ops) || !collect_hist(json_object_get(syncs, "latency"), sync) ||
		sync->n != sync_ops)
		return fail(error, "its sync histogram does not hold every sync");
	seconds = (double)ns / 1e9;
	if (read->ops + write->ops == 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT,
			"not one operation finished in the measured %.3g s; measure longer (measure: run)", seconds);
		return FALSE;
	}
	wrong = contradictions_find(result, workload, &(Counted){ns, read->ops, write->ops});
	if (wrong)
		return fail(error, wrong);
	set_counters(row, result);
	record_set_int(row, "bytes_read", (gint64)read->bytes);
	record_set_int(row, "bytes_written", (gint64)write->bytes);
	record_set_int(row, "ops_read", (gint64)read->ops);
	record_set_int(row, "ops_write", (gint64)write->ops);
	record_set_int(row, "ops_sync", (gint64)sync_ops);
	record_set_real(row, "bytes_per_s", (double)(read->bytes + write->bytes) / seconds);
	record_set_real(row, "iops", (double)(read->ops + write->ops) / seconds);
	*submit = read->submit;
	hist_merge(submit, &write->submit);
	*complete = read->complete;
	hist_merge(complete, &write->complete);
	set_mean(row, "submit_mean_ns", submit);
	set_mean(row, "sync_mean_ns", sync);
	set_latencies(row, complete);
	if (json_is_number(depth))
		record_set_real(row, "depth_mean", json_number_value(depth));
	else
		record_set_null(row, "depth_mean");
	record_set_text(row, "effective_json", effective);
	add_outside(row, json_object_get(result, "fio"));
	add_direction(run, "read", read);
	add_direction(run, "write", write);
	if (sync->n)
		store_run_add_hist(run, "sync", "complete", sync);
	g_free(run->series);
	run->series = dump(json_object_get(result, "series"));
	check_effective(run, json_object_get(result, "effective"), workload);
	return TRUE;
}
