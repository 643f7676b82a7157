/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/collect-tool.h"

#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/import/import.h"

static gboolean G_GNUC_PRINTF(3, 4) fail(GError **error, const char *name, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT, "what %s printed cannot be used: %s", name, text);
	return FALSE;
}

static void set_latency(Record *row, const char *column, double ns)
{
	if (isfinite(ns))
		record_set_real(row, column, ns);
	else
		record_set_null(row, column);
}

static gboolean set_figures(const char *name, const ImportStats *total, const PlanWorkload *workload, Record *row, GError **error)
{
	gboolean writes = g_str_has_suffix(workload->rw, "write");
	gint64 ops = total->bytes / (gint64)workload->block_size;
	double seconds = (double)total->ns / 1e9;

	if (total->bytes <= 0 || total->ns <= 0)
		return fail(error, name, "it tells no bytes or no time; measure longer (measure: run)");
	if (total->bytes % (gint64)workload->block_size)
		return fail(error, name, "%" G_GINT64_FORMAT " bytes are not whole blocks of %" G_GUINT64_FORMAT, total->bytes,
			(guint64)workload->block_size);
	record_set_int(row, "ns", total->ns);
	record_set_int(row, "bytes_read", writes ? 0 : total->bytes);
	record_set_int(row, "bytes_written", writes ? total->bytes : 0);
	record_set_int(row, "ops_read", writes ? 0 : ops);
	record_set_int(row, "ops_write", writes ? ops : 0);
	record_set_int(row, "ops_sync", 0);
	record_set_real(row, "bytes_per_s", (double)total->bytes / seconds);
	record_set_real(row, "iops", (double)ops / seconds);
	/* dd tells no latency, and neither tells percentiles. */
	set_latency(row, "complete_mean_ns", total->total.mean_ns);
	set_latency(row, "complete_max_ns", total->total.max_ns);
	return TRUE;
}

/* The command as one line, for people: nothing of it goes to a shell. */
static char *command_of(const json_t *tool)
{
	const json_t *arguments = json_object_get(tool, "arguments"), *argument;
	GString *line = g_string_new(NULL);
	gsize i;

	json_array_foreach(arguments, i, argument)
		g_string_append_printf(line, "%s%s", i ? " " : "", json_is_string(argument) ? json_string_value(argument) : "?");
	return g_string_free(line, FALSE);
}

static void keep_output(const json_t *tool, const char *output, Record *row)
{
	g_autofree char *command = command_of(tool);
	json_t *lines = json_array();
	g_auto(GStrv) parts = g_strsplit(output, "\n", -1);
	char *text;

	for (char **part = parts; *part; part++)
		if (**part)
			json_array_append_new(lines, json_string(*part));
	text = json_dumps(lines, JSON_COMPACT);
	record_set_text(row, "outside_version", json_string_value(json_object_get(tool, "version")));
	record_set_text(row, "outside_job", command);
	record_set_text(row, "outside_messages", text);
	free(text);
	json_decref(lines);
}

gboolean collect_tool(const json_t *tool, const PlanWorkload *workload, StoreRun *run, GError **error)
{
	const char *name = json_string_value(json_object_get(tool, "name"));
	const char *output = json_string_value(json_object_get(tool, "output"));
	const ImportFormat *format, *found;
	g_autoptr(ImportResult) result = NULL;
	g_autoptr(GError) cause = NULL;
	const ImportRow *row;
	ImportStats total;

	if (!name || !output || !g_str_equal(name, workload->engine))
		return fail(error, workload->engine, "the agent sent none of it");
	const ImportInput input = {.name = name, .data = output, .size = strlen(output)};

	format = import_format_find(name, &cause);
	result = format ? import_parse(&input, format, &found, &cause) : NULL;
	if (!result)
		return fail(error, name, "%s", cause->message);
	row = result->rows->pdata[0];
	if (result->rows->len > 1)
		return fail(error, name, "it holds %u results", result->rows->len);
	if (row->failure)
		return fail(error, name, "%s", row->failure);
	import_row_total(row, &total);
	if (!set_figures(name, &total, workload, run->run, error))
		return FALSE;
	keep_output(tool, output, run->run);
	return TRUE;
}
