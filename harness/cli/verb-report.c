/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap report: a stored sweep as tables, JSON and what else reports/ can make of it. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/verbs.h"
#include "harness/export/report.h"

static char *option_store, *option_format, *option_output, *option_plots;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format,
		"text, thread, markdown, csv, html or json (default: text; with -o, all of them)", "FORMAT"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
		"write into this folder (made if missing) instead of printing; with --format, to this file unless it is a "
		"folder or ends in \"/\"",
		"PATH"},
	{"plots", 'p', 0, G_OPTION_ARG_FILENAME, &option_plots,
		"write every plot into this folder (made if missing), as PNG with its gnuplot script and data; without --format "
		"and --output, nothing else",
		"DIR"},
	{NULL},
};

static gboolean print_report(Store *store, gint64 sweep, const char *format, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!report_render(store, sweep, format, text, error))
		return FALSE;
	if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout) != 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot print the report: %s", g_strerror(errno));
		return FALSE;
	}
	return TRUE;
}

static gboolean write_one(Store *store, gint64 sweep, const char *format, const char *path, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) local = NULL;

	if (!report_render(store, sweep, format, text, error))
		return FALSE;
	if (g_file_set_contents_full(path, text->str, text->len,
		    G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0644, &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write the report: %s", local->message);
	return FALSE;
}

static gboolean write_plots(Store *store, gint64 sweep, GError **error)
{
	g_autofree char *done = report_plots(store, sweep, option_plots, error);

	if (!done)
		return FALSE;
	fprintf(stderr, "%s\n", done);
	return TRUE;
}

static gboolean is_folder(const char *path)
{
	return g_str_has_suffix(path, "/") || g_file_test(path, G_FILE_TEST_IS_DIR);
}

static gboolean report(const char *ref, GError **error)
{
	g_autofree char *path = option_store ? g_strdup(option_store) : paths_store();
	const char *const formats[] = {option_format, NULL};
	g_autoptr(Store) store = NULL;
	gint64 sweep;

	/* A wrong word is found before anything is opened. */
	if (option_format && !report_format_find(option_format, error))
		return FALSE;
	store = store_open(path, STORE_READ, error);
	if (!store)
		return FALSE;
	sweep = store_find_sweep(store, ref, error);
	if (sweep < 0)
		return FALSE;
	if (option_plots && !write_plots(store, sweep, error))
		return FALSE;
	if (option_plots && !option_output && !option_format)
		return TRUE;
	if (!option_output)
		return print_report(store, sweep, option_format ? option_format : "text", error);
	if (option_format && !is_folder(option_output))
		return write_one(store, sweep, option_format, option_output, error);
	return report_write(store, sweep, option_output, option_format ? formats : NULL, error);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int code = verb_parse(verb, argc, argv, &arguments);

	if (code >= 0)
		return code;
	if (!report(arguments[0] ? arguments[0] : "latest", &error))
		return verb_fail(error);
	return EXIT_OK;
}

const Verb verb_report = {
	.name = "report",
	.arguments = "[SWEEP]",
	.summary = "print a stored sweep as tables, or write its report",
	.description =
		"Prints the comparison of guest and host from a stored sweep: the latest one, or SWEEP, which is a number, "
		"\"latest\", a uuid or its beginning, or a label (see `iogap list`). A report depends on the store alone: "
		"the same sweep gives the same bytes, again and again.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 1,
	.run = run,
};
