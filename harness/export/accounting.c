/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/accounting.h"

#include <math.h>

#include "harness/export/json.h"
#include "harness/export/summary.h"

/* Columns of the store's run table beyond those that a run of the report has under a key of its own; long texts are left out. */
static const char *const columns[] = {
	"settle_ns", "final_sync_ns", "begin_boot_ns", "end_boot_ns", "complete_p90_ns", "complete_p999_ns",
	"complete_p9999_ns", "sync_mean_ns", "cpu_percent", "load_user_ns", "load_system_ns",
	"load_voluntary_switches", "load_involuntary_switches", "machine_user_ns", "machine_system_ns",
	"machine_irq_ns", "machine_steal_ns", "machine_iowait_ns", "machine_idle_ns", "machine_switches",
	"machine_interrupts", "host_user_ns", "host_system_ns", "host_irq_ns", "host_steal_ns", "host_iowait_ns",
	"host_idle_ns", "host_kthread_ns", "host_switches", "host_interrupts", "qemu_user_ns", "qemu_system_ns", "qemu_vcpu_ns",
	"qemu_iothread_ns", "qemu_worker_ns", "qemu_main_ns", "qemu_other_ns", "qemu_unseen_ns",
	"qemu_voluntary_switches", "qemu_involuntary_switches", "device_reads", "device_read_bytes",
	"device_read_merges", "device_writes", "device_write_bytes", "device_write_merges", "device_flushes",
	"device_io_ns", "host_device_reads", "host_device_read_bytes", "host_device_read_merges",
	"host_device_writes", "host_device_write_bytes", "host_device_write_merges", "host_device_io_ns",
	"host_device_queue_ns", "process_read_bytes", "absorbed_read", "absorbed_write", "steady", "cut_ns",
	"extended", "drift", "round_trip_ns", "host_bytes_per_s", "host_khz", "host_base_khz", "host_throttle_events",
	"drop_ok", "resident_bytes", "seen_bus", "seen_driver", "seen_scheduler", "seen_queues",
	"seen_logical_block_size", "seen_cache", "seen_host_direct", "seen_aio", "seen_iothread", "seen_ioeventfd",
	"seen_host_cache_limit", "seen_pin_vcpu", "seen_pin_iothread", "seen_pin_emulator", "seen_pin_worker", "seen_pin_load",
	"seen_numa", "seen_hugepages", "seen_governor", "seen_turbo",
	"seen_format", "seen_cluster_size", "seen_backing", "seen_extended_l2",
	"qemu_reads", "qemu_read_bytes", "qemu_read_ns", "qemu_writes", "qemu_write_bytes", "qemu_write_ns",
	"qemu_flushes", "kvm_exits", "device_interrupts", "outside_version",
	"all_guests_bytes_per_s", "all_guests_iops", "other_guests_bytes", "other_guests_cpu_ns", "seq_create_per_s", "seq_stat_per_s",
	"seq_delete_per_s", "ran_create_per_s", "ran_stat_per_s", "ran_delete_per_s",
};

typedef enum {
	PER_IO,	     /* divided by the operations of the load */
	PER_REQUEST, /* by the sum of the columns in "requests" */
	PER_TIME,    /* by the measured time */
} Per;

static const struct {
	const char *key;
	Per per;
	const char *a, *b;
	const char *requests[2];
	double factor;
	gboolean of_guest; /* a host's leg has none of it: its machine is the host */
} figures[] = {
	{"device_requests_per_io", PER_IO, "device_reads", "device_writes", {NULL}, 1},
	{"device_request_bytes", PER_REQUEST, "device_read_bytes", "device_write_bytes", {"device_reads", "device_writes"}, 1},
	{"device_merges_per_io", PER_IO, "device_read_merges", "device_write_merges", {NULL}, 1},
	{"qemu_requests_per_io", PER_IO, "qemu_reads", "qemu_writes", {NULL}, 1, TRUE},
	{"qemu_request_bytes", PER_REQUEST, "qemu_read_bytes", "qemu_write_bytes", {"qemu_reads", "qemu_writes"}, 1, TRUE},
	{"host_requests_per_io", PER_IO, "host_device_reads", "host_device_writes", {NULL}, 1},
	{"host_request_bytes", PER_REQUEST, "host_device_read_bytes", "host_device_write_bytes",
		{"host_device_reads", "host_device_writes"}, 1},
	{"host_merges_per_io", PER_IO, "host_device_read_merges", "host_device_write_merges", {NULL}, 1},
	{"host_device_depth", PER_TIME, "host_device_queue_ns", NULL, {NULL}, 1},
	{"device_interrupts_per_io", PER_IO, "device_interrupts", NULL, {NULL}, 1},
	{"machine_interrupts_per_io", PER_IO, "machine_interrupts", NULL, {NULL}, 1},
	{"host_interrupts_per_io", PER_IO, "host_interrupts", NULL, {NULL}, 1, TRUE},
	{"kvm_exits_per_io", PER_IO, "kvm_exits", NULL, {NULL}, 1, TRUE},
	{"machine_steal_percent", PER_TIME, "machine_steal_ns", NULL, {NULL}, 100},
	{"host_steal_percent", PER_TIME, "host_steal_ns", NULL, {NULL}, 100, TRUE},
};

json_t *accounting_summary(const ReportLeg *leg, const GPtrArray *runs)
{
	double ops = summary_ops(runs), ns = summary_sum(runs, "ns", NULL);
	json_t *object = json_object();

	for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
		double sum = figures[i].of_guest && !leg->guest ? NAN : summary_sum(runs, figures[i].a, figures[i].b);
		double by = figures[i].per == PER_IO ? ops
			: figures[i].per == PER_TIME ? ns
						     : summary_sum(runs, figures[i].requests[0], figures[i].requests[1]);

		json_object_set_new(object, figures[i].key, json_number(by > 0 ? figures[i].factor * sum / by : NAN));
	}
	return object;
}

static gboolean has_value(const json_t *values, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(values); i++)
		if (json_equal(json_array_get(values, i), value))
			return TRUE;
	return FALSE;
}

json_t *accounting_seen(const GPtrArray *runs)
{
	json_t *seen = json_object();

	for (guint i = 0; i < runs->len; i++) {
		const Record *row = ((const ReportRun *)runs->pdata[i])->row;

		for (guint c = 0; c < G_N_ELEMENTS(columns); c++) {
			const char *name = columns[c] + strlen("seen_");
			json_t *values;

			if (!g_str_has_prefix(columns[c], "seen_") || !record_has(row, columns[c]))
				continue;
			json_auto_t *value = json_column(row, columns[c]);

			values = json_object_get(seen, name);
			if (!values) {
				values = json_array();
				json_object_set_new(seen, name, values);
			}
			if (!has_value(values, value))
				json_array_append(values, value);
		}
	}
	return seen;
}

json_t *accounting_run(const Record *row)
{
	json_t *object = json_object();

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (record_has(row, columns[i]))
			json_object_set_new(object, columns[i], json_column(row, columns[i]));
	return object;
}

json_t *accounting_columns(void)
{
	json_t *names = json_array();

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		json_array_append_new(names, json_string(columns[i]));
	return names;
}

/* Lists of texts only, whatever an old or foreign store has there. */
json_t *accounting_absent(const Record *sweep)
{
	const char *stored = record_get_text(sweep, "absent_json");
	json_t *read = stored ? json_loads(stored, JSON_REJECT_DUPLICATES, NULL) : NULL;
	json_t *absent = json_object(), *reasons, *reason;
	const char *column;
	size_t i;

	json_object_foreach(read, column, reasons) {
		json_t *texts = json_array();

		json_array_foreach(reasons, i, reason)
			if (json_is_string(reason))
				json_array_append(texts, reason);
		json_object_set_new(absent, column, texts);
	}
	json_decref(read);
	return absent;
}
