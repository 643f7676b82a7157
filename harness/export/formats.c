/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/export/report.h"

const ReportFormat report_formats[] = {
	{"text", "report.txt", "tables for a terminal"},
	{"thread", "report-thread.txt", "the tables that people paste in mailing-list threads, 80 columns"},
	{"markdown", "report.md", "for issues, commits and wikis, 60 000 bytes at most"},
	{"csv", "report.csv", "one row per cell and one per run, every setting a column"},
	{"html", "report.html", "one page with plots that needs nothing else"},
	{"json", "report.json", "every figure, versioned (docs/report-json.md)"},
	{NULL},
};

const ReportFormat *report_format_find(const char *name, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *all = NULL;
	const char *hint;

	for (const ReportFormat *format = report_formats; format->name; format++) {
		if (g_str_equal(format->name, name))
			return format;
		g_ptr_array_add(names, (char *)format->name);
	}
	g_ptr_array_add(names, NULL);
	hint = nearest(name, (const char *const *)names->pdata);
	all = g_strjoinv(", ", (char **)names->pdata);
	if (hint)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"there is no report format \"%s\"; did you mean \"%s\"?", name, hint);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"there is no report format \"%s\"; there are %s", name, all);
	return NULL;
}
