/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap sweep PROFILE: measures a profile and prints its table. */
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "guest-agent/common/units.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/verb.h"
#include "harness/cli/verbs.h"
#include "harness/export/report.h"
#include "harness/run/sweep.h"

static char *store, *connect, *folder, *seed, *label, *commit, *branch, *progress;
static char **devices, **arms;
static gboolean strict, resume, probe, identify;

static const GOptionEntry options[] = {
	{"store", 0, 0, G_OPTION_ARG_FILENAME, &store,
		"store to keep the results in (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"resume", 0, 0, G_OPTION_ARG_NONE, &resume,
		"go on with the newest interrupted sweep of this very profile; nothing is measured twice", NULL},
	{"arm", 0, 0, G_OPTION_ARG_STRING_ARRAY, &arms,
		"measure this variant in every block, NAME:KEY=VALUE,... (\"base:\" = as the profile says); give two or more", "ARM"},
	{"strict", 0, 0, G_OPTION_ARG_NONE, &strict,
		"a combination that cannot be measured is an error instead of being left out and listed", NULL},
	{"seed", 0, 0, G_OPTION_ARG_STRING, &seed,
		"seed of the order, the offsets and the data (default: a new one, printed)", "N"},
	{"connect", 0, 0, G_OPTION_ARG_STRING, &connect,
		"libvirt connection instead of the embedded driver, as in `virsh --connect`", "URI"},
	{"data", 0, 0, G_OPTION_ARG_FILENAME, &folder,
		"folder for target files (default: beside the store)", "FOLDER"},
	{"overwrite-device", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &devices,
		"consent to lose everything on this block device of the profile; may be given several times", "DEVICE"},
	{"probe", 0, 0, G_OPTION_ARG_NONE, &probe, "try KVM again instead of using what is remembered", NULL},
	{"label", 0, 0, G_OPTION_ARG_STRING, &label, "free text to find the sweep by", "TEXT"},
	{"commit", 0, 0, G_OPTION_ARG_STRING, &commit, "commit that this sweep measures", "ID"},
	{"branch", 0, 0, G_OPTION_ARG_STRING, &branch, "branch that this sweep measures", "NAME"},
	{"identify", 0, 0, G_OPTION_ARG_NONE, &identify,
		"store serial numbers, the host's and the user's name, and addresses too, which are left out otherwise", NULL},
	{"progress", 0, 0, G_OPTION_ARG_STRING, &progress, "auto, bar, lines, json or none (default: auto)", "MODE"},
	{NULL},
};

static int caught; /* the signal that interrupted the sweep, 0 = none */

static gboolean interrupt(GCancellable *cancel, int signal)
{
	/* The second one does not wait: the keeper undoes what is left. */
	if (caught)
		_exit(128 + signal);
	caught = signal;
	fputs("\niogap: interrupted; ending the run under way and cleaning up (once more ends at once)\n", stderr);
	g_cancellable_cancel(cancel);
	return G_SOURCE_CONTINUE;
}

static gboolean on_sigint(gpointer cancel)
{
	return interrupt(cancel, SIGINT);
}

static gboolean on_sigterm(gpointer cancel)
{
	return interrupt(cancel, SIGTERM);
}

static gboolean usage_error(GError **error, const char *option, const char *value, const char *expected)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--%s %s: expected %s", option, value, expected);
	return FALSE;
}

static gboolean fill_options(SweepOptions *o, const char *store_file, GError **error)
{
	*o = (SweepOptions){
		.store = store_file,
		.uri = connect,
		.folder = folder,
		.consent = (const char *const *)devices,
		.label = label,
		.commit = commit,
		.branch = branch,
		.strict = strict,
		.resume = resume,
		.probe_again = probe,
		.identify = identify,
		.has_seed = seed != NULL,
	};
	/* The store keeps seeds as whole numbers that every JSON reader keeps exact. */
	if (seed && (units_parse_uint(seed, &o->seed) < 0 || o->seed >= (1ull << 53)))
		return usage_error(error, "seed", seed, "a whole number below 2^53");
	if (seed && resume)
		return usage_error(error, "seed", seed, "no --resume beside it: a resumed sweep keeps its own seed");
	if (!progress_mode_parse(progress ? progress : "auto", &o->progress))
		return usage_error(error, "progress", progress, "auto, bar, lines, json or none");
	return TRUE;
}

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

	if (!opened || !report_render(opened, sweep, "text", text, error))
		return FALSE;
	fputs(text->str, stdout);
	fflush(stdout);
	if (!report_write(opened, sweep, dir, NULL, &local))
		fprintf(stderr, "iogap: the report is not complete: %s; `iogap report %" G_GINT64_FORMAT " -o %s` makes it again\n",
			local->message, sweep, dir);
	*ret_folder = g_steal_pointer(&dir);
	return TRUE;
}

static int conclude(const SweepOptions *o, const SweepOutcome *outcome)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = NULL;

	if (!report(o->store, outcome->sweep, &dir, &error))
		return verb_fail(error);
	fprintf(stderr,
		"\nsweep %" G_GINT64_FORMAT ": %u runs finished, %u failed, %u kept from before; "
		"%.0f s of measuring in %.0f s (%.0f %%)\nstore:  %s\nreport: %s\n",
		outcome->sweep, outcome->ok, outcome->failed, outcome->already, outcome->measured_s, outcome->wall_s,
		outcome->wall_s > 0 ? 100 * outcome->measured_s / outcome->wall_s : 0, o->store, dir);
	return outcome->failed ? EXIT_MEASUREMENT : EXIT_OK;
}

static int sweep_profile(const char *name, const char *store_file)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = NULL;
	g_autoptr(GCancellable) cancel = g_cancellable_new();
	SweepOptions o;
	SweepOutcome outcome;
	gboolean ok;

	if (!fill_options(&o, store_file, &error))
		return verb_fail(error);
	profile = profile_load(name, &error);
	if (!profile || !profile_add_arms(profile, arms, &error))
		return verb_fail(error);
	g_unix_signal_add(SIGINT, on_sigint, cancel);
	g_unix_signal_add(SIGTERM, on_sigterm, cancel);
	g_unix_signal_add(SIGHUP, on_sigterm, cancel);
	ok = sweep_run(profile, &o, cancel, &outcome, &error);
	if (ok)
		return conclude(&o, &outcome);
	if (caught) {
		if (outcome.resumable)
			fprintf(stderr, "iogap: %u runs of sweep %" G_GINT64_FORMAT " are kept; "
				"`iogap sweep %s --resume` goes on\n",
				outcome.ok + outcome.already, outcome.sweep, name);
		return 128 + caught;
	}
	return verb_fail(error);
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
		"beside each; `iogap gate` then says whether one arm is slower. It needs 11 blocks at least, 17 are usual.\n\n"
		"The table goes to standard output, progress and remarks to standard error. A full report lies beside "
		"the store and can be made again with `iogap report`.",
	.options = options,
	.min_arguments = 1,
	.max_arguments = 1,
	.run = run,
};
