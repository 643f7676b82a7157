/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/axes.h"

#include "harness/export/json.h"

/* Kinds tell a renderer how to print a value. */
typedef struct {
	AxisSection section;
	const char *key;  /* in report.json */
	const char *column; /* in the store */
	const char *title, *kind;
	const char *const *order; /* known words in their order, or NULL */
	gboolean partial; /* NULL = some buses have no such thing, rather than a setting of its own */
} Axis;

#define WORDS(...) (const char *const[]) {__VA_ARGS__, NULL}

/* The order of the rows is the order of columns and of sorting: block size last among the workload, since it
 * is what people read down a column. */
static const Axis axes[] = {
	{AXIS_WORKLOAD, "rw", "rw", "rw", "text",
		WORDS("read", "write", "randread", "randwrite", "rw", "randrw")},
	{AXIS_WORKLOAD, "mix_read", "mix_read", "read%", "count"},
	{AXIS_WORKLOAD, "direct", "direct", "direct", "bool", WORDS("1", "0")},
	{AXIS_WORKLOAD, "sync", "sync", "sync", "text", WORDS("none", "dsync", "sync", "fsync")},
	{AXIS_WORKLOAD, "fsync_every", "fsync_every", "fsync every", "count"},
	{AXIS_WORKLOAD, "engine", "engine", "engine", "text",
		WORDS("psync", "libaio", "io_uring", "null", "fio:psync", "fio:libaio", "fio:io_uring", "dd", "ioping", "bonnie++",
			"bonnie++:char")},
	{AXIS_WORKLOAD, "queue_depth", "queue_depth", "depth", "count"},
	{AXIS_WORKLOAD, "effective_depth", "effective_depth", "reached", "count"},
	{AXIS_WORKLOAD, "jobs", "jobs", "jobs", "count"},
	{AXIS_WORKLOAD, "rate_iops", "rate_iops", "rate", "count"},
	{AXIS_WORKLOAD, "host_scheduler", "host_scheduler", "host sched", "text"},
	{AXIS_WORKLOAD, "host_cache_limit", "host_cache_limit", "host cache", "size"},
	{AXIS_WORKLOAD, "pin_load", "pin_load", "load on", "text"},
	{AXIS_WORKLOAD, "governor", "governor", "governor", "text"},
	{AXIS_WORKLOAD, "turbo", "turbo", "turbo", "text", WORDS("on", "off")},
	{AXIS_WORKLOAD, "block_sizes", "block_sizes", "blocks", "text"},
	{AXIS_WORKLOAD, "block_size", "block_size", "block", "size"},
	{AXIS_GUEST, "arm", "arm", "arm", "text"},
	{AXIS_GUEST, "bus", "bus", "bus", "text", WORDS("virtio", "virtio-scsi", "ide", "sata", "usb")},
	{AXIS_GUEST, "cache", "cache", "cache", "text",
		WORDS("none", "writeback", "writethrough", "directsync", "unsafe")},
	{AXIS_GUEST, "io", "io", "io", "text", WORDS("threads", "native", "io_uring")},
	{AXIS_GUEST, "format", "format", "format", "text", WORDS("raw", "qcow2")},
	{AXIS_GUEST, "cluster_size", "cluster_size", "cluster", "size", NULL, TRUE},
	{AXIS_GUEST, "preallocation", "preallocation", "preallocation", "text", WORDS("off", "metadata", "falloc", "full"), TRUE},
	{AXIS_GUEST, "backing", "backing", "backing", "count", NULL, TRUE},
	{AXIS_GUEST, "extended_l2", "extended_l2", "extended l2", "bool", NULL, TRUE},
	{AXIS_GUEST, "iothread", "iothread", "iothread", "bool", NULL, TRUE},
	{AXIS_GUEST, "ioeventfd", "ioeventfd", "ioeventfd", "bool", NULL, TRUE},
	{AXIS_GUEST, "queues", "queues", "queues", "count", NULL, TRUE},
	{AXIS_GUEST, "iothread_map", "iothread_map", "iothread map", "count", NULL, TRUE},
	{AXIS_GUEST, "event_idx", "event_idx", "event_idx", "bool", NULL, TRUE},
	{AXIS_GUEST, "packed", "packed", "packed", "bool", NULL, TRUE},
	{AXIS_GUEST, "queue_size", "queue_size", "queue size", "count"},
	{AXIS_GUEST, "logical_block_size", "logical_block_size", "sector", "size"},
	{AXIS_GUEST, "physical_block_size", "physical_block_size", "physical", "size"},
	{AXIS_GUEST, "discard", "discard", "discard", "text", WORDS("ignore", "unmap")},
	{AXIS_GUEST, "rotation_rate", "rotation_rate", "rpm", "count"},
	{AXIS_GUEST, "iops_limit", "iops_limit", "iops limit", "count"},
	{AXIS_GUEST, "scheduler", "guest_scheduler", "sched", "text"},
	{AXIS_GUEST, "guests", "guests", "guests", "count", NULL, TRUE},
	{AXIS_GUEST, "vcpus", "vcpus", "vcpus", "count"},
	{AXIS_GUEST, "memory", "memory", "memory", "size"},
	{AXIS_GUEST, "machine", "machine", "machine", "text", WORDS("pc", "q35")},
	{AXIS_GUEST, "kernel", "kernel", "kernel", "text"},
	{AXIS_GUEST, "emulator", "emulator", "emulator", "text"},
	{AXIS_GUEST, "pin_vcpu", "pin_vcpu", "vCPUs on", "text"},
	{AXIS_GUEST, "pin_iothread", "pin_iothread", "I/O thread on", "text"},
	{AXIS_GUEST, "pin_emulator", "pin_emulator", "emulator on", "text"},
	{AXIS_GUEST, "numa", "numa", "node", "text"},
	{AXIS_GUEST, "hugepages", "hugepages", "pages", "size"},
	{AXIS_GUEST, "accel", "accel", "accel", "text", WORDS("kvm", "tcg")},
};

/* Whose values are rivals (the rest says what was done, or how large the guest is). */
static const char *const rivals[] = {"direct", "sync", "engine", "host_scheduler", "host_cache_limit",
	"pin_load", "governor", "turbo", "arm", "bus", "cache", "io", "format", "cluster_size", "preallocation",
	"backing", "extended_l2", "iothread", "ioeventfd", "queues", "iothread_map", "event_idx", "packed",
	"queue_size", "discard", "scheduler", "pin_vcpu", "pin_iothread", "pin_emulator", "numa", "hugepages", NULL};

/* A value as text, for comparing only; NULL stays NULL. */
static char *axis_text(const Axis *axis, const ReportLeg *leg)
{
	if (!record_has(leg->row, axis->column))
		return NULL;
	if (record_type(leg->row, axis->column) == RECORD_TEXT)
		return g_strdup(record_get_text(leg->row, axis->column));
	return g_strdup_printf("%" G_GINT64_FORMAT, record_get_int(leg->row, axis->column, 0));
}

static int rank(const Axis *axis, const char *text)
{
	int n = 0;

	for (; axis->order && axis->order[n]; n++)
		if (g_str_equal(axis->order[n], text))
			return n;
	return n;
}

static int compare_axis(const Axis *axis, const ReportLeg *a, const ReportLeg *b)
{
	g_autofree char *x = axis_text(axis, a), *y = axis_text(axis, b);
	gint64 m, n;

	if (!x || !y)
		return (x != NULL) - (y != NULL);
	if (axis->order && rank(axis, x) != rank(axis, y))
		return rank(axis, x) - rank(axis, y);
	if (record_type(a->row, axis->column) == RECORD_TEXT)
		return strcmp(x, y);
	m = record_get_int(a->row, axis->column, 0);
	n = record_get_int(b->row, axis->column, 0);
	return m < n ? -1 : m > n;
}

static gint compare_legs(gconstpointer a, gconstpointer b)
{
	const ReportLeg *x = *(ReportLeg *const *)a, *y = *(ReportLeg *const *)b;
	int order;

	if (x->target_no != y->target_no)
		return x->target_no < y->target_no ? -1 : 1;
	for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
		order = compare_axis(&axes[i], x, y);
		if (order)
			return order;
	}
	return x->id < y->id ? -1 : x->id > y->id;
}

void axes_sort(GPtrArray *legs)
{
	g_ptr_array_sort(legs, compare_legs);
}

/* Host legs have no guest settings: they say nothing about whether those vary. */
static gboolean concerns(const Axis *axis, const ReportLeg *leg)
{
	return axis->section == AXIS_WORKLOAD || leg->guest;
}

static gboolean axis_varies(const Axis *axis, const ReportData *data, gboolean *ret_set)
{
	const ReportLeg *first = NULL;
	gboolean varies = FALSE;

	*ret_set = FALSE;
	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];

		if (!concerns(axis, leg) || (axis->partial && !record_has(leg->row, axis->column)))
			continue;
		if (!first)
			first = leg;
		*ret_set |= record_has(leg->row, axis->column);
		varies |= compare_axis(axis, first, leg) != 0;
	}
	return varies;
}

static const char *section_name(AxisSection section)
{
	return section == AXIS_WORKLOAD ? "workload" : "guest";
}

json_t *axes_json(const ReportData *data)
{
	json_t *list = json_array();

	for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
		gboolean set;
		gboolean varies = axis_varies(&axes[i], data, &set);

		if (set)
			json_array_append_new(list,
				json_pack("{ss ss ss ss sb}", "section", section_name(axes[i].section), "key",
					axes[i].key, "title", axes[i].title, "kind", axes[i].kind, "varies", varies));
	}
	return list;
}

json_t *axes_value(guint axis, const ReportLeg *leg)
{
	const Axis *own = &axes[axis];

	if (g_str_equal(own->kind, "bool") && record_has(leg->row, own->column))
		return json_boolean(record_get_int(leg->row, own->column, 0));
	return json_column(leg->row, own->column);
}

json_t *axes_values(const ReportLeg *leg, AxisSection section)
{
	json_t *values = json_object();

	for (guint i = 0; i < G_N_ELEMENTS(axes); i++)
		if (axes[i].section == section)
			json_object_set_new(values, axes[i].key, axes_value(i, leg));
	return values;
}

guint axes_count(void)
{
	return G_N_ELEMENTS(axes);
}

guint axes_find(const char *key)
{
	for (guint i = 0; i < G_N_ELEMENTS(axes); i++)
		if (g_str_equal(axes[i].key, key))
			return i;
	g_assert_not_reached();
}

const char *axes_name(guint axis)
{
	return axes[axis].key;
}

gboolean axes_rival(guint axis)
{
	return g_strv_contains(rivals, axes[axis].key);
}

char *axes_key(const ReportLeg *leg, guint axis)
{
	gboolean bus = g_str_equal(axes[axis].key, "bus");
	GString *key = g_string_new(NULL);

	/* Every part ends with a character that no value has. */
	g_string_append_printf(key, "%d\x1f%u\x1f", leg->guest, leg->target_no);
	for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
		g_autofree char *text = NULL;

		if (i == axis || g_str_equal(axes[i].key, "block_size") || (bus && axes[i].partial))
			continue;
		text = axis_text(&axes[i], leg);
		g_string_append_printf(key, "%s\x1f", text ? text : "\x1e");
	}
	return g_string_free(key, FALSE);
}
