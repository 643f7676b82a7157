/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/measure.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "guest-agent/common/units.h"
#include "harness/base/error.h"
#include "harness/cli/verb.h"

MeasureOptions measure_options;

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

const char *measure_option_given(void)
{
	const MeasureOptions *o = &measure_options;
	const struct {
		const char *name;
		gboolean given;
	} options[] = {
		{"resume", o->resume}, {"strict", o->strict}, {"seed", o->seed != NULL}, {"connect", o->connect != NULL},
		{"data", o->folder != NULL}, {"overwrite-device", o->devices != NULL}, {"probe", o->probe},
		{"label", o->label != NULL}, {"commit", o->commit != NULL}, {"branch", o->branch != NULL},
		{"identify", o->identify}, {"progress", o->progress != NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

static gboolean usage_error(GError **error, const char *option, const char *value, const char *expected)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--%s %s: expected %s", option, value, expected);
	return FALSE;
}

gboolean measure_fill(SweepOptions *o, const char *store, GError **error)
{
	const char *seed = measure_options.seed, *progress = measure_options.progress;

	*o = (SweepOptions){
		.store = store,
		.uri = measure_options.connect,
		.folder = measure_options.folder,
		.consent = (const char *const *)measure_options.devices,
		.label = measure_options.label,
		.commit = measure_options.commit,
		.branch = measure_options.branch,
		.strict = measure_options.strict,
		.resume = measure_options.resume,
		.probe_again = measure_options.probe,
		.identify = measure_options.identify,
		.has_seed = seed != NULL,
	};
	/* The store keeps seeds as whole numbers that every JSON reader keeps exact. */
	if (seed && (units_parse_uint(seed, &o->seed) < 0 || o->seed >= (1ull << 53)))
		return usage_error(error, "seed", seed, "a whole number below 2^53");
	if (seed && measure_options.resume)
		return usage_error(error, "seed", seed, "no --resume beside it: a resumed sweep keeps its own seed");
	if (!progress_mode_parse(progress ? progress : "auto", &o->progress))
		return usage_error(error, "progress", progress, "auto, bar, lines, json or none");
	return TRUE;
}

int measure_run(const Profile *profile, const SweepOptions *options, const char *again, SweepOutcome *ret)
{
	g_autoptr(GCancellable) cancel = g_cancellable_new();
	g_autoptr(GError) error = NULL;

	g_unix_signal_add(SIGINT, on_sigint, cancel);
	g_unix_signal_add(SIGTERM, on_sigterm, cancel);
	g_unix_signal_add(SIGHUP, on_sigterm, cancel);
	if (sweep_run(profile, options, cancel, ret, &error))
		return -1;
	if (!caught)
		return verb_fail(error);
	if (ret->resumable)
		fprintf(stderr, "iogap: %u runs of sweep %" G_GINT64_FORMAT " are kept; `%s` goes on\n", ret->ok + ret->already,
			ret->sweep, again);
	return 128 + caught;
}

char *measure_summary(const SweepOutcome *outcome)
{
	return g_strdup_printf("sweep %" G_GINT64_FORMAT ": %u runs finished, %u failed, %u kept from before; "
			       "%.0f s of measuring in %.0f s (%.0f %%)",
		outcome->sweep, outcome->ok, outcome->failed, outcome->already, outcome->measured_s, outcome->wall_s,
		outcome->wall_s > 0 ? 100 * outcome->measured_s / outcome->wall_s : 0);
}
