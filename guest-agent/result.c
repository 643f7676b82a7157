/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/result.h"

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *result_hist(const Hist *hist)
{
	json_t *slots = json_array();

	for (unsigned i = 0; i < HIST_SLOTS; i++)
		if (hist->slots[i])
			json_array_append_new(slots, json_pack("[i,I]", (int)i, (json_int_t)hist->slots[i]));
	return json_pack("{s:I,s:I,s:o,s:o,s:I,s:I,s:o}", "n", (json_int_t)hist->n, "sum_ns", (json_int_t)hist->sum_ns, "min_ns",
		hist->n ? integer(hist->min_ns) : json_null(), "max_ns", hist->n ? integer(hist->max_ns) : json_null(), "below",
		(json_int_t)hist->below, "above", (json_int_t)hist->above, "slots", slots);
}

json_t *result_side(const Hist *submit, const Hist *complete, uint64_t block_size)
{
	return json_pack("{s:I,s:I,s:o,s:o}", "ops", (json_int_t)complete->n, "bytes", (json_int_t)(complete->n * block_size),
		"submit", result_hist(submit), "complete", result_hist(complete));
}

json_t *result_sync(const Hist *sync)
{
	return json_pack("{s:I,s:o}", "ops", (json_int_t)sync->n, "latency", result_hist(sync));
}

static json_t *make_side(const Load *load, int direction)
{
	return result_side(&load->total->submit[direction], &load->total->complete[direction], load->job->block_size);
}

static json_t *make_series(const Load *load)
{
	json_t *bytes[2];

	for (int i = 0; i < 2; i++) {
		bytes[i] = json_array();
		for (unsigned j = 0; j < load->intervals; j++)
			json_array_append_new(bytes[i], integer(load->series[i][j] * load->job->block_size));
	}
	return json_pack("{s:I,s:o,s:o}", "interval_ns", (json_int_t)load->job->interval_ns, "read_bytes", bytes[0],
		"write_bytes", bytes[1]);
}

static uint64_t timeval_ns(const struct timeval *begin, const struct timeval *end)
{
	return (uint64_t)((end->tv_sec - begin->tv_sec) * 1000000000 + (end->tv_usec - begin->tv_usec) * 1000);
}

static json_t *make_cpu(const Load *load, const Sample *begin, const Sample *end)
{
	const struct rusage *a = &load->usage[0], *b = &load->usage[1];
	json_t *cpu = json_pack("{s:I,s:I,s:I,s:I}", "load_user_ns", (json_int_t)timeval_ns(&a->ru_utime, &b->ru_utime),
		"load_system_ns", (json_int_t)timeval_ns(&a->ru_stime, &b->ru_stime), "load_voluntary_switches",
		(json_int_t)(b->ru_nvcsw - a->ru_nvcsw), "load_involuntary_switches", (json_int_t)(b->ru_nivcsw - a->ru_nivcsw));

	sample_add_machine(cpu, begin, end);
	return cpu;
}

json_t *result_effective(const Job *job, const Storage *storage, bool direct, const char *sync_flags)
{
	bool aligned = storage->fd >= 0 && !storage->facts.direct;
	char scheduler[128];
	const char *active = storage->sysfs[0] ? disk_scheduler(storage->sysfs, scheduler, sizeof(scheduler)) : NULL;
	json_t *effective = json_pack("{s:b,s:s,s:s,s:I,s:I,s:I,s:b,s:b}", "direct", direct, "sync_flags", sync_flags,
		"engine", engine_names[job->engine], "queue_depth", (json_int_t)job->queue_depth, "jobs",
		(json_int_t)job->jobs, "block_size", (json_int_t)job->block_size, "fixed_buffers", false, "fixed_files", false);

	json_object_set_new(effective, "dio_mem_align", aligned ? integer(storage->facts.mem_align) : json_null());
	json_object_set_new(effective, "dio_offset_align", aligned ? integer(storage->facts.offset_align) : json_null());
	json_object_set_new(effective, "scheduler", active ? json_string(active) : json_null());
	return effective;
}

static json_t *make_effective(const Load *load)
{
	const Storage *storage = load->storage;
	json_t *effective = result_effective(load->job, storage, storage->direct, storage->sync_flags);

	json_object_set_new(effective, "fixed_buffers", json_boolean(load->fixed_buffers));
	json_object_set_new(effective, "fixed_files", json_boolean(load->fixed_files));
	return effective;
}

json_t *result_moment(const Sample *near, uint64_t mono_ns)
{
	ClockMoment moment = clock_moment_at(&near->moment, mono_ns);

	return json_pack("{s:I,s:I}", "boot_ns", (json_int_t)moment.boot_ns, "real_ns", (json_int_t)moment.real_ns);
}

json_t *result_make(const Load *load, const Sample *begin, const Sample *end)
{
	uint64_t finish = load->pauses ? load->finish_ns : load->end_ns;
	uint64_t ns = finish - load->begin_ns;
	json_t *result = json_object();

	json_object_set_new(result, "read", make_side(load, 0));
	json_object_set_new(result, "write", make_side(load, 1));
	json_object_set_new(result, "sync", result_sync(&load->total->sync));
	json_object_set_new(result, "ns", integer(ns));
	json_object_set_new(result, "final_sync_ns", load->pauses ? integer(load->finish_ns - load->sync_ns) : json_null());
	json_object_set_new(result, "extended", json_boolean(load->extended));
	json_object_set_new(result, "settle_ns", integer(load->job->settle_ns));
	json_object_set_new(result, "begin", result_moment(begin, load->begin_ns));
	json_object_set_new(result, "end", result_moment(end, finish));
	json_object_set_new(result, "cpu", make_cpu(load, begin, end));
	json_object_set_new(result, "device", sample_device(begin, end));
	json_object_set_new(result, "depth_mean", json_real(load->total->area / (double)ns));
	json_object_set_new(result, "effective", make_effective(load));
	json_object_set_new(result, "series", make_series(load));
	return result;
}
