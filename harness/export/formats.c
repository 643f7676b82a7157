/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/export/report.h"

/* reports/formats/thread.py has them too. */
static const char *const thread_shapes[] = {"integrity", "bonnie", "compact", NULL};

const ReportFormat report_formats[] = {
	{"text", "report.txt", "tables for a terminal"},
	{"thread", "report-thread.txt", "the tables that people paste in mailing-list threads, 80 columns", thread_shapes},
	{"markdown", "report.md", "for issues, commits and wikis, 60 000 bytes at most"},
	{"csv", "report.csv", "one row per cell and one per run, every setting a column"},
	{"html", "report.html", "one page with plots that needs nothing else"},
	{"json", "report.json", "every figure, versioned (docs/report-json.md)"},
	{NULL},
};

/* NAME is none of NAMES. */
static void set_unknown(GError **error, const char *what, const char *name, const char *const *names)
{
	const char *hint = nearest(name, names);
	g_autofree char *all = g_strjoinv(", ", (char **)names);

	if (hint)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no %s \"%s\"; did you mean \"%s\"?", what, name, hint);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no %s \"%s\"; there are %s", what, name, all);
}

static const ReportFormat *with_shape(const ReportFormat *format, const char *shape, GError **error)
{
	g_autofree char *what = g_strdup_printf("shape of the %s report", format->name);

	if (!shape || (format->shapes && g_strv_contains(format->shapes, shape)))
		return format;
	if (format->shapes)
		set_unknown(error, what, shape, format->shapes);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "the %s report has no shapes", format->name);
	return NULL;
}

const ReportFormat *report_format_find(const char *name, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_auto(GStrv) parts = g_strsplit(name, ":", 2);

	for (const ReportFormat *format = report_formats; format->name; format++) {
		if (g_strcmp0(format->name, parts[0]) == 0)
			return with_shape(format, parts[1], error);
		g_ptr_array_add(names, (char *)format->name);
	}
	g_ptr_array_add(names, NULL);
	set_unknown(error, "report format", name, (const char *const *)names->pdata);
	return NULL;
}

double report_expected_s(const char *format, gsize json_bytes)
{
	/* Starting Python and reading the JSON; a page has its plots and templates too. */
	double megabytes = (double)json_bytes / 1e6;

	if (g_str_equal(format, "plots"))
		return 1 + 0.1 * megabytes;
	if (g_str_equal(format, "html"))
		return 1 + 0.06 * megabytes;
	return 0.2 + 0.06 * megabytes;
}
