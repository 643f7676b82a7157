/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap sweep PROFILE: measures a profile and prints its table. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/measure.h"
#include "harness/cli/verb.h"
#include "harness/cli/verbs.h"
#include "harness/export/report.h"

static char *store;
static gboolean host_only;

static const GOptionEntry options[] = {
	{"store", 0, 0, G_OPTION_ARG_FILENAME, &store,
		"store to keep the results in (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"host-only", 0, 0, G_OPTION_ARG_NONE, &host_only,
		"measure the host's legs alone and boot nothing; the table has their figures, and no ratio, which needs both sides", NULL},
	MEASURE_ENTRIES,
	{NULL},
};

/*
 * Prints the table on stdout and writes the whole report beside the store, into *ret_folder. A format that cannot be
 * rendered here (no Jinja2, say) costs a remark: the figures are in the store, and the report can be made later.
 */
static gboolean report(const char *store_file, gint64 sweep, char **ret_folder, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autoptr(Store) opened = store_open(store_file, STORE_READ, error);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *beside = g_path_get_dirname(store_file);
	g_autofree char *name = g_strdup_printf("sweep-%" G_GINT64_FORMAT, sweep);
	g_autofree char *dir = g_build_filename(beside, name, NULL);

	if (!opened || !report_render(opened, sweep, "text", NULL, text, error))
		return FALSE;
	fputs(text->str, stdout);
	fflush(stdout);
	if (!report_write(opened, sweep, dir, NULL, NULL, &local))
		fprintf(stderr, "iogap: the report is not complete: %s; `iogap report %" G_GINT64_FORMAT " -o %s` makes it again\n",
			local->message, sweep, dir);
	*ret_folder = g_steal_pointer(&dir);
	return TRUE;
}

static int conclude(const SweepOptions *o, const SweepOutcome *outcome)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = NULL, *summary = measure_summary(outcome);

	if (!report(o->store, outcome->sweep, &dir, &error))
		return verb_fail(error);
	fprintf(stderr, "\n%s\nstore:  %s\nreport: %s\n", summary, o->store, dir);
	return outcome->failed ? EXIT_MEASUREMENT : EXIT_OK;
}

static int sweep_profile(const char *name, const char *store_file)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = NULL;
	g_autofree char *again = g_strdup_printf("iogap sweep %s --resume", name);
	SweepOptions o;
	SweepOutcome outcome;
	int code;

	if (!measure_fill(&o, store_file, &error))
		return verb_fail(error);
	o.host_only = host_only;
	profile = profile_load(name, &error);
	if (!profile || !profile_add_arms(profile, measure_options.arms, &error))
		return verb_fail(error);
	code = measure_run(profile, &o, again, &outcome);
	return code >= 0 ? code : conclude(&o, &outcome);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autofree char *store_file = NULL;
	int code = verb_parse(verb, argc, argv, &arguments);

	if (code >= 0)
		return code;
	store_file = store ? g_canonicalize_filename(store, NULL) : paths_store();
	return sweep_profile(arguments[0], store_file);
}

const Verb verb_sweep = {
	.name = "sweep",
	.arguments = "PROFILE",
	.summary = "measure a profile on host and guests, store the results, print the table",
	.description =
		"Measures every leg of PROFILE (a file, or the name of a shipped profile such as `quick`): the host's "
		"and each guest's, in blocks, in random order. Every finished run is stored at once; Ctrl-C ends the "
		"run under way, cleans up and keeps the rest, and --resume goes on later.\n\n"
		"With --arm every block measures each leg once in every arm, close together and in balanced order, with a host leg "
		"beside each; `iogap gate` then says whether one arm is slower. It needs 11 blocks at least, 17 are usual; `iogap gate PROFILE "
		"--arm` measures only what it needs.\n\n"
		"The table goes to standard output, progress and remarks to standard error. A full report lies beside "
		"the store and can be made again with `iogap report`.",
	.options = options,
	.min_arguments = 1,
	.max_arguments = 1,
	.run = run,
};
