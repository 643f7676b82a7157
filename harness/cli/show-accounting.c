/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/show-accounting.h"

#include <math.h>

#include "harness/cli/table.h"
#include "harness/export/report.h"

typedef struct {
	const char *head, *group, *key; /* GROUP NULL: of the summary itself */
	double factor;
} Column;

static const Column cpu[] = {
	{">HOST", "cpu_ns_per_io", "host", 1e-3},
	{">MACHINE", "cpu_ns_per_io", "machine", 1e-3},
	{">LOAD", "cpu_ns_per_io", "load", 1e-3},
	{">QEMU", "cpu_ns_per_io", "qemu", 1e-3},
	{">VCPU", "cpu_ns_per_io", "qemu_vcpu", 1e-3},
	{">IOTHREAD", "cpu_ns_per_io", "qemu_iothread", 1e-3},
	{">WORKER", "cpu_ns_per_io", "qemu_worker", 1e-3},
	{">MAIN", "cpu_ns_per_io", "qemu_main", 1e-3},
	{">OTHER", "cpu_ns_per_io", "qemu_other", 1e-3},
	{">UNSEEN", "cpu_ns_per_io", "qemu_unseen", 1e-3},
	{NULL},
};

static const Column events[] = {
	{">SW HOST", NULL, "host_switches_per_io", 1},
	{">SW MACHINE", NULL, "machine_switches_per_io", 1},
	{">SW LOAD", NULL, "load_switches_per_io", 1},
	{">SW QEMU", NULL, "qemu_switches_per_io", 1},
	{">INT HOST", "accounting", "host_interrupts_per_io", 1},
	{">INT MACHINE", "accounting", "machine_interrupts_per_io", 1},
	{">INT DISK", "accounting", "device_interrupts_per_io", 1},
	{">KVM EXITS", "accounting", "kvm_exits_per_io", 1},
	{">STEAL %", "accounting", "machine_steal_percent", 1},
	{">HOST STEAL %", "accounting", "host_steal_percent", 1},
	{NULL},
};

static const Column requests[] = {
	{">DISK", "accounting", "device_requests_per_io", 1},
	{">KIB", "accounting", "device_request_bytes", 1.0 / 1024},
	{">MERGES", "accounting", "device_merges_per_io", 1},
	{">QEMU", "accounting", "qemu_requests_per_io", 1},
	{">KIB", "accounting", "qemu_request_bytes", 1.0 / 1024},
	{">HOST DEVICE", "accounting", "host_requests_per_io", 1},
	{">KIB", "accounting", "host_request_bytes", 1.0 / 1024},
	{">MERGES", "accounting", "host_merges_per_io", 1},
	{">IN FLIGHT", "accounting", "host_device_depth", 1},
	{NULL},
};

/* Three digits that count, and no "0.00" for something. */
static char *number_text(double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(text, sizeof(text), fabs(value) >= 99.95 || value == 0 ? "%.0f" : fabs(value) >= 0.0995 ? "%.2f" : "%.2g", value);
	return g_strdup(text);
}

static void add_row(Table *table, const json_t *leg, const Column *columns)
{
	const json_t *summary = json_object_get(leg, "summary");

	table_cell_int(table, json_integer_value(json_object_get(leg, "id")));
	for (const Column *column = columns; column->head; column++) {
		const json_t *group = column->group ? json_object_get(summary, column->group) : summary;
		const json_t *value = json_object_get(group, column->key);
		g_autofree char *text = json_is_number(value) ? number_text(column->factor * json_number_value(value)) : NULL;

		table_cell(table, text);
	}
	table_cell(table, json_string_value(json_object_get(leg, "label")));
}

static void add_table(GString *text, const char *title, const json_t *legs, const Column *columns)
{
	g_autoptr(GPtrArray) heads = g_ptr_array_new();
	g_autoptr(Table) table = NULL;
	g_autofree char *drawn = NULL;
	json_t *leg;
	size_t i;

	g_ptr_array_add(heads, (char *)">LEG");
	for (const Column *column = columns; column->head; column++)
		g_ptr_array_add(heads, (char *)column->head);
	g_ptr_array_add(heads, (char *)"<LABEL");
	g_ptr_array_add(heads, NULL);
	table = table_new((const char *const *)heads->pdata);
	json_array_foreach((json_t *)legs, i, leg)
		add_row(table, leg, columns);
	drawn = table_text(table, "  ");
	g_string_append_printf(text, "%s%s\n%s", text->len ? "\n" : "", title, drawn);
}

static void add_values(GString *line, const char *name, const json_t *values)
{
	g_string_append_printf(line, "%s%s ", line->len ? ", " : "", name);
	for (size_t i = 0; i < json_array_size(values); i++) {
		const json_t *value = json_array_get(values, i);

		g_string_append(line, i ? " or " : "");
		if (json_is_string(value))
			g_string_append(line, json_string_value(value));
		else
			g_string_append_printf(line, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	}
}

/* In a table, since it keeps what a guest said of itself from breaking lines. */
static void add_seen(GString *text, const json_t *legs)
{
	static const char *const heads[] = {">LEG", "<READ BACK", NULL};
	g_autoptr(Table) table = table_new(heads);
	g_autofree char *drawn = NULL;
	gboolean any = FALSE;
	json_t *leg, *values;
	size_t i;

	json_array_foreach((json_t *)legs, i, leg) {
		g_autoptr(GString) line = g_string_new(NULL);
		const char *name;

		json_object_foreach(json_object_get(leg, "seen"), name, values)
			add_values(line, name, values);
		if (line->len == 0)
			continue;
		table_cell_int(table, json_integer_value(json_object_get(leg, "id")));
		table_cell(table, line->str);
		any = TRUE;
	}
	drawn = any ? table_text(table, "  ") : NULL;
	if (drawn)
		g_string_append_printf(text, "\nSettings in effect\n%s", drawn);
}

static void add_absent(GString *text, const json_t *absent)
{
	const char *column;
	json_t *reasons;

	if (json_object_size(absent) > 0)
		g_string_append(text, "\nNot measured, and why\n");
	json_object_foreach((json_t *)absent, column, reasons)
		for (size_t i = 0; i < json_array_size(reasons); i++)
			g_string_append_printf(text, "  %s: %s\n", column, json_string_value(json_array_get(reasons, i)));
}

char *show_accounting(Store *store, gint64 sweep, GError **error)
{
	json_t *report = report_json(store, sweep, error);
	const json_t *legs = json_object_get(report, "legs");
	GString *text;

	if (!report)
		return NULL;
	text = g_string_new(NULL);
	add_table(text, "CPU time per I/O, us: whole host, machine of the load, the load, QEMU and its threads by kind", legs, cpu);
	add_table(text, "Context switches, interrupts and KVM exits per I/O; steal in % of a processor", legs, events);
	add_table(text, "Requests per I/O, their mean size and merges: at the load's disk, in QEMU, at the host's device", legs, requests);
	add_seen(text, legs);
	add_absent(text, json_object_get(report, "absent"));
	json_decref(report);
	return g_string_free(text, FALSE);
}
