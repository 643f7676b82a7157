/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap compare: stored sweeps side by side. */
#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/cli/agreement-text.h"
#include "harness/cli/compare-text.h"
#include "harness/cli/stored.h"
#include "harness/cli/verbs.h"
#include "harness/export/agreement.h"
#include "harness/export/comparison.h"
#include "harness/export/render.h"

static char *option_store, *option_format, *option_output;
static gboolean option_force, option_engines;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format,
		"text (default), markdown, csv, html or json; with --engines text or json", "FORMAT"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output, "write to this file instead of printing", "FILE"},
	{"force", 0, 0, G_OPTION_ARG_NONE, &option_force, "show the figures of unlike sweeps too; the output says so", NULL},
	{"engines", 0, 0, G_OPTION_ARG_NONE, &option_engines,
		"compare the agent's engines with fio's inside one SWEEP (default: latest)", NULL},
	{NULL},
};

static void append_keys(GString *list, const json_t *unlike)
{
	const json_t *key;
	gsize i;

	json_array_foreach(unlike, i, key)
		g_string_append_printf(list, "%s%s", list->len ? ", " : "", json_string_value(key));
}

/* FALSE when some pair has no figure to show: unlike, or without a leg that both measured. */
static gboolean check(const json_t *comparison, GError **error)
{
	const json_t *list = json_object_get(comparison, "with"), *with;
	gsize i;

	json_array_foreach(list, i, with) {
		const json_t *cells = json_object_get(with, "cells");
		json_int_t id = json_integer_value(json_object_get(json_object_get(with, "sweep"), "id"));
		g_autoptr(GString) keys = g_string_new(NULL);

		if (json_array_size(cells) > 0)
			continue;
		append_keys(keys, json_object_get(with, "unlike"));
		if (json_is_null(cells))
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
				"sweep %" JSON_INTEGER_FORMAT " is not comparable with the first one: %s must be equal; --force shows the "
				"figures all the same",
				id, keys->str);
		else
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
				"sweep %" JSON_INTEGER_FORMAT " has no leg in common with the first one (same target, workload and guest "
				"configuration)",
				id);
		return FALSE;
	}
	return TRUE;
}

/* Text and JSON are made here, the others by the renderer of reports. */
static const char *const formats[] = {"text", "json", "markdown", "csv", "html", NULL};

static gboolean check_format(GError **error)
{
	const char *hint;

	if (!option_format || g_strv_contains(formats, option_format))
		return TRUE;
	hint = nearest(option_format, formats);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no format \"%s\"; %s%s%s", option_format,
		hint ? "did you mean \"" : "use text, markdown, csv, html or json", hint ? hint : "", hint ? "\"?" : "");
	return FALSE;
}

static char *text_of(const json_t *comparison, const char *format, GError **error)
{
	g_autofree char *text = NULL;
	char *dump;

	if (g_str_equal(format, "text"))
		return compare_text(comparison);
	if (!g_str_equal(format, "json"))
		return render_document(comparison, format, error);
	dump = json_dumps(comparison, JSON_INDENT(2));
	text = g_strconcat(dump, "\n", NULL);
	free(dump);
	return g_steal_pointer(&text);
}

/* The list of differences is printed even when the figures are withheld: it says why. */
static gboolean put(const json_t *comparison, GError **error)
{
	g_autofree char *text = text_of(comparison, option_format ? option_format : "text", error);
	g_autoptr(GError) local = NULL;

	if (!text || !option_output)
		return text && stored_print(text, error);
	if (g_file_set_contents_full(option_output, text, -1, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0644,
		    &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write the comparison: %s", local->message);
	return FALSE;
}

static gboolean compare(char **refs, GError **error)
{
	guint n = g_strv_length(refs);
	g_autofree gint64 *sweeps = g_new0(gint64, n);
	g_autoptr(Store) store = NULL;
	json_t *comparison;
	gboolean ok;

	if (!check_format(error))
		return FALSE;
	store = stored_open(option_store, error);
	if (!store)
		return FALSE;
	for (guint i = 0; i < n; i++) {
		sweeps[i] = store_find_sweep(store, refs[i], error);
		if (sweeps[i] < 0)
			return FALSE;
	}
	comparison = comparison_json(store, sweeps, n, option_force, error);
	if (!comparison)
		return FALSE;
	ok = put(comparison, error) && check(comparison, error);
	json_decref(comparison);
	return ok;
}

static int print_agreement(json_t *agreement, gboolean json, GError **error)
{
	const char *verdict = json_string_value(json_object_get(agreement, "verdict"));
	g_autofree char *text = json ? NULL : agreement_text(agreement);

	if (!(json ? stored_print_json(json_incref(agreement), error) : stored_print(text, error)))
		return -1;
	if (g_str_equal(verdict, "agree"))
		return EXIT_OK;
	return g_str_equal(verdict, "differ") ? EXIT_REGRESSION : EXIT_INCONCLUSIVE;
}

/* The exit code, or -1 with ERROR set. */
static int compare_engines(const char *ref, GError **error)
{
	g_autoptr(Store) store = NULL;
	json_t *agreement;
	gboolean json;
	gint64 sweep;
	int status;

	if (!stored_format(option_format, &json, error))
		return -1;
	store = stored_open(option_store, error);
	sweep = store ? store_find_sweep(store, ref, error) : -1;
	agreement = sweep < 0 ? NULL : agreement_json(store, sweep, error);
	if (!agreement)
		return -1;
	status = print_agreement(agreement, json, error);
	json_decref(agreement);
	return status;
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	if (option_engines ? g_strv_length(arguments) > 1 : g_strv_length(arguments) < 2) {
		g_set_error(&error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s; see `iogap compare --help`",
			option_engines ? "--engines takes one sweep" : "two or more sweeps are needed (or --engines and one)");
		return verb_fail(error);
	}
	if (option_engines) {
		status = compare_engines(arguments[0] ? arguments[0] : "latest", &error);
		return status >= 0 ? status : verb_fail(error);
	}
	return compare(arguments, &error) ? EXIT_OK : verb_fail(error);
}

const Verb verb_compare = {
	.name = "compare",
	.arguments = "SWEEP...",
	.summary = "compare stored sweeps, environments first",
	.description = "Compares the first sweep (A) with each of the others (B): where their environments differ, what matters\n"
		       "most first, then every leg that both measured: B/A of its rate, of its host's rate and of the ratio\n"
		       "guest/host, with intervals. Sweeps are unlike when a key that must be equal (`iogap show --keys`)\n"
		       "differs: accelerator, processor, type, size, file system or device of a target. Their figures are\n"
		       "withheld, exit status 4, unless --force is given, which then shows in the output.\n"
		       "With --engines: whether the agent and fio agree on the legs of one sweep that both ran, paired by block: the\n"
		       "whole interval of IOPS within 1 %, of mean latency within 3 %, overlapping intervals of the 99th percentile. Judged\n"
		       "are legs with a rate or an iops_limit, from 6 pairs, 1 s of settling and 4 s of measuring on. Exit status\n"
		       "0: they agree, 1: they differ, 3: it cannot be told, 4: there is no such leg.\n"
		       "Markdown, CSV and the HTML page set all sweeps beside the first in one table; text goes pair by pair.\n"
		       "SWEEP is an id, the beginning of a uuid, a label, or `latest`.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = -1,
	.run = run,
};
