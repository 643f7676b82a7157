/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap history: every cell over the commits, with change points as advice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/cli/history-git.h"
#include "harness/cli/stored.h"
#include "harness/cli/verbs.h"
#include "harness/export/history.h"

static char *option_store, *option_metric, *option_branch, *option_profile, *option_order, *option_format, *option_output;
static char **option_cells;
static double option_alpha = 0.05, option_least = 3;
static int option_length = 3;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"metric", 'm', 0, G_OPTION_ARG_STRING, &option_metric,
		"rate (default), ratio (guest over host), iops, latency, p99, cpu or switches (per I/O)", "METRIC"},
	{"cell", 'c', 0, G_OPTION_ARG_STRING_ARRAY, &option_cells,
		"only cells whose name fits, * and ? standing for any text and letter; may be given several times", "PATTERN"},
	{"branch", 'b', 0, G_OPTION_ARG_STRING, &option_branch, "only sweeps of this branch", "BRANCH"},
	{"profile", 'p', 0, G_OPTION_ARG_STRING, &option_profile, "only sweeps of the profile of this name", "NAME"},
	{"order", 0, 0, G_OPTION_ARG_STRING, &option_order,
		"git (default: ancestors first, when the working folder's checkout knows all commits) or time", "ORDER"},
	{"alpha", 0, 0, G_OPTION_ARG_DOUBLE, &option_alpha,
		"chance of any change point in a history without a change, all cells together (default 0.05)", "P"},
	{"least", 0, 0, G_OPTION_ARG_DOUBLE, &option_least, "smallest step worth a word, in percent (default 3)", "PERCENT"},
	{"length", 0, 0, G_OPTION_ARG_INT, &option_length, "fewest sweeps between two change points (default 3)", "SWEEPS"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format, "text (default), json, csv, html, or plot, which needs -o", "FORMAT"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
		"write into this file instead of printing; for plot a folder: SVG, PNG, figures, and the gnuplot script of every cell", "PATH"},
	{NULL},
};

static const char *const formats[] = {"text", "json", "csv", "html", "plot", NULL};

static gboolean usage(GError **error, const char *text)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, text);
	return FALSE;
}

static gboolean check_options(GError **error)
{
	if (option_format && !g_strv_contains(formats, option_format)) {
		const char *hint = nearest(option_format, formats);

		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"there is no format \"%s\"; there are text, json, csv, html and plot%s%s%s", option_format,
			hint ? "; did you mean \"" : "", hint ? hint : "", hint ? "\"?" : "");
		return FALSE;
	}
	if (g_strcmp0(option_format, "plot") == 0 && !option_output)
		return usage(error, "--format plot writes several files; name their folder with -o");
	if (option_order && !g_str_equal(option_order, "git") && !g_str_equal(option_order, "time"))
		return usage(error, "--order takes git or time");
	if (!(option_alpha > 0 && option_alpha < 1))
		return usage(error, "--alpha takes a chance between 0 and 1, such as 0.05");
	if (!(option_least >= 0 && option_least < 100))
		return usage(error, "--least takes a percentage from 0 to 100");
	if (option_length < 2 || option_length > 1000)
		return usage(error, "--length takes a number of sweeps from 2 to 1000");
	return TRUE;
}

static gboolean fits(const Record *sweep)
{
	return (!option_branch || g_strcmp0(record_get_text(sweep, "branch"), option_branch) == 0) &&
		(!option_profile || g_strcmp0(record_get_text(sweep, "profile"), option_profile) == 0) &&
		g_strcmp0(record_get_text(sweep, "status"), "finished") == 0;
}

/* The order of git, or NULL and why not. FALSE: the store cannot be read. */
static gboolean order_commits(Store *store, char ***ret_commits, char **ret_why, GError **error)
{
	g_autoptr(GPtrArray) sweeps = NULL;
	g_autoptr(GPtrArray) commits = g_ptr_array_new();

	if (option_order && g_str_equal(option_order, "time"))
		return TRUE;
	sweeps = store_sweeps(store, error);
	if (!sweeps)
		return FALSE;
	for (guint i = 0; i < sweeps->len; i++) {
		const char *commit = record_get_text(sweeps->pdata[i], "commit_id");

		if (!fits(sweeps->pdata[i]))
			continue;
		if (!commit) {
			*ret_why = g_strdup_printf("sweep %" G_GINT64_FORMAT " names no commit",
				record_get_int(sweeps->pdata[i], "id", 0));
			return TRUE;
		}
		if (!g_ptr_array_find_with_equal_func(commits, commit, g_str_equal, NULL))
			g_ptr_array_add(commits, (char *)commit);
	}
	if (commits->len)
		*ret_commits = history_git_order(commits, ret_why);
	return TRUE;
}

static json_t *make(GError **error)
{
	g_autoptr(Store) store = NULL;
	g_auto(GStrv) commits = NULL;
	g_autofree char *why = NULL;
	HistoryChoice choice = {.cells = (const char *const *)option_cells, .branch = option_branch, .profile = option_profile,
		.alpha = option_alpha, .least = option_least / 100, .length = (guint)option_length};

	if (!check_options(error))
		return NULL;
	choice.metric = history_metric_find(option_metric, error);
	store = choice.metric ? stored_open(option_store, error) : NULL;
	if (!store || !order_commits(store, &commits, &why, error))
		return NULL;
	choice.commits = (const char *const *)commits;
	choice.why_time = why;
	return history_json(store, &choice, error);
}

static gboolean write_text(const char *text, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (!option_output)
		return stored_print(text, error);
	if (g_file_set_contents(option_output, text, -1, &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write the history: %s", local->message);
	return FALSE;
}

static gboolean write_html(const json_t *history, GError **error)
{
	g_autoptr(GString) page = g_string_new(NULL);

	return history_html(history, page, error) && write_text(page->str, error);
}

static gboolean write_history(const json_t *history, GError **error)
{
	const char *format = option_format ? option_format : "text";
	g_autofree char *text = NULL;

	if (g_str_equal(format, "html"))
		return write_html(history, error);
	if (g_str_equal(format, "plot")) {
		text = history_plots(history, option_output, error);
		if (text)
			fprintf(stderr, "iogap: %s\n", text);
		return text != NULL;
	}
	if (g_str_equal(format, "json")) {
		char *dump = json_dumps(history, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

		text = g_strconcat(dump, "\n", NULL);
		free(dump);
	} else {
		text = g_str_equal(format, "csv") ? history_csv(history) : history_text(history);
	}
	return write_text(text, error);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	json_t *history;
	int code = verb_parse(verb, argc, argv, &arguments);

	if (code >= 0)
		return code;
	history = make(&error);
	code = history && write_history(history, &error) ? EXIT_OK : verb_fail(error);
	json_decref(history);
	return code;
}

const Verb verb_history = {
	.name = "history",
	.summary = "follow every cell over the commits, with change points as advice",
	.description =
		"Shows one figure per cell and finished sweep, in the order of git when the working folder's checkout knows all measured "
		"commits, else by time, and where the level changed. Runs whose flags take them out of `iogap gate` are left out.\n\n"
		"Change points are advice and never change the exit status. They come from a permutation test over the sweeps of one "
		"fingerprint (`iogap show --keys`), with one rate of false alarms for all cells together; a change of the environment is "
		"shown as such.\n\n"
		"Exit status: 0 done, 2 usage, 4 no finished sweep or no cell fits.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 0,
	.run = run,
};
