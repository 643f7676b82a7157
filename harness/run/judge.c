/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/judge.h"

#include "harness/run/reasons.h"

typedef struct {
	StoreRun *row;
	Absent *absent;
} Out;

static void on_flag(const char *flag, const char *evidence, void *data)
{
	store_run_add_flag(((Out *)data)->row, flag, evidence);
}

static void on_absent(const char *column, const char *reason, void *data)
{
	Out *out = data;

	if (out->absent)
		absent_note(out->absent, column, reason);
}

static guint64 step(const json_t *series, const char *key, gsize i)
{
	json_int_t bytes = json_integer_value(json_array_get(json_object_get(series, key), i));

	return bytes > 0 ? (guint64)bytes : 0;
}

/* Whole intervals only: the last one is shorter where they do not divide the measured time. */
static void judge_series(const JudgeRun *judge, const json_t *result, StoreRun *row, const CheckSink *sink)
{
	const json_t *series = json_object_get(result, "series");
	gint64 interval = json_integer_value(json_object_get(series, "interval_ns"));
	guint64 size = (guint64)record_get_int(judge->leg, "block_size", 0);
	gboolean extended = json_is_true(json_object_get(result, "extended"));
	g_autofree guint64 *ops = NULL;
	gint64 n;

	record_set_int(row->run, "extended", extended);
	if (interval <= 0 || size == 0)
		return;
	n = MIN(record_get_int(row->run, "ns", 0) / interval,
		(gint64)json_array_size(json_object_get(series, "read_bytes")));
	ops = g_new(guint64, n + 1);
	for (gint64 i = 0; i < n; i++)
		ops[i] = (step(series, "read_bytes", i) + step(series, "write_bytes", i)) / size;
	check_steady(judge->leg, ops, (guint)n, (guint64)interval, extended, row->run, sink);
}

static gint64 number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static CheckDisk disk_of(const json_t *answer)
{
	return (CheckDisk){
		.bus = json_string_value(json_object_get(answer, "bus")),
		.driver = json_string_value(json_object_get(answer, "driver")),
		.scheduler = json_string_value(json_object_get(answer, "scheduler")),
		.queues = number_of(answer, "queues"),
		.logical_block_size = number_of(answer, "logical_block_size"),
	};
}

static void judge_disk(const JudgeRun *judge, const CheckSink *sink)
{
	const CheckDisk before = disk_of(judge->disk), after = disk_of(judge->disk_after);

	check_disk(judge->leg, &before, sink);
	check_changed(&before, &after, sink);
}

void judge_run(const JudgeRun *judge, const json_t *result, StoreRun *row)
{
	Out out = {row, judge->absent};
	const CheckSink sink = {on_flag, on_absent, &out};
	Record *run = row->run;

	/* The cut changes the rate that the clocks are told with; their uncertainty is what byte counts are forgiven. */
	judge_series(judge, result, row, &sink);
	if (judge->before && judge->after)
		check_clock(judge->before, judge->after, run, &sink);
	check_bytes(run, MAX(0, number_of(result, "placed_ns")), &sink);
	check_dataset(judge->leg, judge->host_memory, run, &sink);
	check_little(judge->leg, run, &sink);
	check_emulated(judge->leg, &sink);
	check_throttled(judge->leg, run, judge->cpus, &sink);
	if (judge->disk)
		judge_disk(judge, &sink);
	check_qemu(judge->leg, run, &sink);
	reasons_note(judge->leg, run, judge->absent);
	check_isolation(judge->leg, run, &sink);
}
