/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap report: a stored sweep as tables, JSON and what else reports/ can make of it. */
#include <stdio.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/verbs.h"
#include "harness/export/report.h"

static char *option_store, *option_format, *option_shape, *option_output, *option_plots, *option_progress;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format,
		"text, thread, markdown, csv, html or json (default: text; with -o, all of them)", "FORMAT"},
	{"shape", 0, 0, G_OPTION_ARG_STRING, &option_shape,
		"shape of the thread format: integrity, bonnie or compact (default: what suits the sweep)", "SHAPE"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
		"write into this folder (made if missing) instead of printing; with --format, to this file unless it is a "
		"folder or ends in \"/\"",
		"PATH"},
	{"plots", 'p', 0, G_OPTION_ARG_FILENAME, &option_plots,
		"write every plot into this folder (made if missing), as PNG with its gnuplot script and data; without --format "
		"and --output, nothing else",
		"DIR"},
	{"progress", 0, 0, G_OPTION_ARG_STRING, &option_progress,
		"auto, bar, lines, json or none, on standard error (default: auto, a bar on a terminal and else nothing)", "MODE"},
	{NULL},
};

/* NULL in *RET for no progress; FALSE for a mode that is none. STEPS: see report.h. */
static gboolean open_progress(guint steps, Progress **ret, GError **error)
{
	ProgressMode mode;

	if (!progress_mode_parse(option_progress ? option_progress : "auto", &mode)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"there is no progress \"%s\"; use auto, bar, lines, json or none", option_progress);
		return FALSE;
	}
	if (mode == PROGRESS_AUTO && isatty(STDERR_FILENO))
		mode = PROGRESS_BAR;
	*ret = mode == PROGRESS_AUTO || mode == PROGRESS_NONE ? NULL : progress_new(mode, steps, 0);
	return TRUE;
}

static gboolean print_report(Store *store, gint64 sweep, const char *format, Progress **progress, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!report_render(store, sweep, format, *progress, text, error))
		return FALSE;
	/* The bar may stand on the terminal that the report goes to. */
	g_clear_pointer(progress, progress_free);
	if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout) != 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot print the report: %s", g_strerror(errno));
		return FALSE;
	}
	return TRUE;
}

static gboolean write_one(Store *store, gint64 sweep, const char *format, const char *path, Progress *progress, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) local = NULL;

	if (!report_render(store, sweep, format, progress, text, error))
		return FALSE;
	if (g_file_set_contents_full(path, text->str, text->len,
		    G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0644, &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write the report: %s", local->message);
	return FALSE;
}

static gboolean write_plots(Store *store, gint64 sweep, GError **error)
{
	g_autoptr(Progress) progress = NULL;
	g_autofree char *done = NULL;

	if (!open_progress(2, &progress, error))
		return FALSE;
	done = report_plots(store, sweep, option_plots, progress, error);
	g_clear_pointer(&progress, progress_free);

	if (!done)
		return FALSE;
	fprintf(stderr, "%s\n", done);
	return TRUE;
}

static gboolean is_folder(const char *path)
{
	return g_str_has_suffix(path, "/") || g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* The format that was asked for, with its shape ("thread:bonnie"); NULL in *RET when none was. */
static gboolean wanted_format(char **ret, GError **error)
{
	g_autofree char *name = option_shape ? g_strdup_printf("%s:%s", option_format ? option_format : "thread", option_shape)
					     : g_strdup(option_format);

	if (name && !report_format_find(name, error))
		return FALSE;
	*ret = g_steal_pointer(&name);
	return TRUE;
}

/* FORMAT may be NULL: text on standard output, all of them into a folder. */
static gboolean make_report(Store *store, gint64 sweep, const char *format, GError **error)
{
	const char *const formats[] = {format, NULL};
	g_autoptr(Progress) progress = NULL;
	guint all = 0;

	while (report_formats[all].name)
		all++;
	/* Reading, and each format; json needs no step of its own. */
	if (!open_progress(option_output && !format ? all : format && g_str_equal(format, "json") ? 1 : 2, &progress, error))
		return FALSE;
	if (!option_output)
		return print_report(store, sweep, format ? format : "text", &progress, error);
	if (format && !is_folder(option_output))
		return write_one(store, sweep, format, option_output, progress, error);
	return report_write(store, sweep, option_output, format ? formats : NULL, progress, error);
}

static gboolean report(const char *ref, GError **error)
{
	g_autofree char *path = option_store ? g_strdup(option_store) : paths_store();
	g_autofree char *format = NULL;
	g_autoptr(Store) store = NULL;
	gint64 sweep;

	/* A wrong word is found before anything is opened. */
	if (!wanted_format(&format, error))
		return FALSE;
	store = store_open(path, STORE_READ, error);
	if (!store)
		return FALSE;
	sweep = store_find_sweep(store, ref, error);
	if (sweep < 0)
		return FALSE;
	if (option_plots && !write_plots(store, sweep, error))
		return FALSE;
	return (option_plots && !option_output && !format) || make_report(store, sweep, format, error);
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
		"the same sweep gives the same bytes, again and again.\n"
		"The format thread has three shapes. integrity: host, then guests by target and direction, with rate, CPU and latencies; "
		"bonnie: the table of bonnie++, for what was imported from it; compact: host and guest, direct and buffered side by side, "
		"with rate and context switches per I/O, where both kinds of I/O were measured and either the sweep has 8 cells at most "
		"or no latency is known.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 1,
	.run = run,
};
