/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/collect-tool.h"

#include <math.h>
#include <string.h>

#include "guest-agent/common/bonnie.h"
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

static void add_lines(json_t *lines, const char *text)
{
	g_auto(GStrv) parts = text ? g_strsplit(text, "\n", -1) : NULL;

	for (char **part = parts; part && *part; part++)
		if (**part)
			json_array_append_new(lines, json_string(*part));
}

static void keep_output(const json_t *tool, Record *row)
{
	g_autofree char *command = command_of(tool);
	json_t *lines = json_array();
	char *text;

	add_lines(lines, json_string_value(json_object_get(tool, "output")));
	add_lines(lines, json_string_value(json_object_get(tool, "said")));
	text = json_dumps(lines, JSON_COMPACT);
	record_set_text(row, "outside_version", json_string_value(json_object_get(tool, "version")));
	record_set_text(row, "outside_job", command);
	record_set_text(row, "outside_messages", text);
	free(text);
	json_decref(lines);
}

/* ---- bonnie++ ------------------------------------------------------------------------------------ */

/* The test that WORKLOAD is; both sides of the store call it by the same engine and rw. */
static const ImportRow *find_test(const ImportResult *result, const PlanWorkload *workload)
{
	for (guint i = 0; i < result->rows->len; i++) {
		const ImportRow *row = result->rows->pdata[i];

		if (g_strcmp0(record_get_text(row->leg, "engine"), workload->engine) == 0 &&
			g_strcmp0(record_get_text(row->leg, "rw"), workload->rw) == 0)
			return row;
	}
	return NULL;
}

/* It tells rates alone: how long a test took, and what it moved, is not known. */
static gboolean set_test(const ImportRow *test, const PlanWorkload *workload, StoreRun *run, GError **error)
{
	ImportStats total;

	for (guint i = 0; test && i < test->flags->len; i++) {
		const ImportFlag *flag = test->flags->pdata[i];

		store_run_add_flag(run, flag->flag, flag->evidence);
	}
	if (!test || test->failure)
		return fail(error, "bonnie++", "%s", test ? test->failure : "this test is not in it");
	import_row_total(test, &total);
	record_set_real(run->run, "bytes_per_s", total.bytes_per_s);
	/* A rewrite is a read and a write of each block, and its rate counts the block once. */
	record_set_real(run->run, "iops", isfinite(total.iops) ? total.iops :
		g_str_equal(workload->rw, "rw") ? NAN : total.bytes_per_s / (double)workload->block_size);
	set_latency(run->run, "complete_max_ns", total.total.max_ns);
	record_merge(run->run, test->run);
	return TRUE;
}

/* ---- all tools ----------------------------------------------------------------------------------- */

static ImportResult *parse(const char *name, const char *format_name, const char *output, GError **error)
{
	const ImportInput input = {.name = name, .data = output, .size = strlen(output)};
	const ImportFormat *format = import_format_find(format_name, error), *found;

	return format ? import_parse(&input, format, &found, error) : NULL;
}

static gboolean set_only_row(const char *name, const ImportResult *result, const PlanWorkload *workload, Record *row, GError **error)
{
	const ImportRow *only = result->rows->pdata[0];
	ImportStats total;

	if (result->rows->len > 1)
		return fail(error, name, "it holds %u results", result->rows->len);
	if (only->failure)
		return fail(error, name, "%s", only->failure);
	import_row_total(only, &total);
	return set_figures(name, &total, workload, row, error);
}

gboolean collect_tool(const json_t *tool, const PlanWorkload *workload, StoreRun *run, GError **error)
{
	const char *name = json_string_value(json_object_get(tool, "name"));
	const char *output = json_string_value(json_object_get(tool, "output"));
	gboolean bonnie = bonnie_is(workload->engine);
	g_autoptr(ImportResult) result = NULL;
	g_autoptr(GError) cause = NULL;

	if (!name || !output || g_strcmp0(name, plan_engine_program(workload->engine)) != 0)
		return fail(error, workload->engine, "the agent sent none of it");
	keep_output(tool, run->run);
	result = parse(name, bonnie ? "bonnie" : name, output, &cause);
	if (!result)
		return fail(error, name, "%s", cause->message);
	if (bonnie)
		return set_test(find_test(result, workload), workload, run, error);
	return set_only_row(name, result, workload, run->run, error);
}
