/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the verbs that measure share: their options, and a sweep that a signal can interrupt. */
#ifndef IOGAP_CLI_MEASURE_H
#define IOGAP_CLI_MEASURE_H

#include "harness/run/sweep.h"

typedef struct {
	char *connect, *folder, *seed, *label, *commit, *branch, *progress;
	char **devices, **arms;
	gboolean strict, resume, probe, identify;
} MeasureOptions;
/* As the command line gave them. */
extern MeasureOptions measure_options;

/* Rows for a verb's table of options. */
#define MEASURE_ENTRIES \
	{"resume", 0, 0, G_OPTION_ARG_NONE, &measure_options.resume, \
		"go on with the newest interrupted sweep of this very profile; nothing is measured twice", NULL}, \
	{"arm", 0, 0, G_OPTION_ARG_STRING_ARRAY, &measure_options.arms, \
		"measure this variant in every block, NAME:KEY=VALUE,... (\"base:\" = as the profile says); give two or more", "ARM"}, \
	{"strict", 0, 0, G_OPTION_ARG_NONE, &measure_options.strict, \
		"a combination that cannot be measured is an error instead of being left out and listed", NULL}, \
	{"seed", 0, 0, G_OPTION_ARG_STRING, &measure_options.seed, \
		"seed of the order, the offsets and the data (default: a new one, printed)", "N"}, \
	{"connect", 0, 0, G_OPTION_ARG_STRING, &measure_options.connect, \
		"libvirt connection instead of the embedded driver, as in `virsh --connect`", "URI"}, \
	{"data", 0, 0, G_OPTION_ARG_FILENAME, &measure_options.folder, \
		"folder for target files (default: beside the store)", "FOLDER"}, \
	{"overwrite-device", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &measure_options.devices, \
		"consent to lose everything on this block device of the profile; may be given several times", "DEVICE"}, \
	{"probe", 0, 0, G_OPTION_ARG_NONE, &measure_options.probe, "try KVM again instead of using what is remembered", NULL}, \
	{"label", 0, 0, G_OPTION_ARG_STRING, &measure_options.label, "free text to find the sweep by", "TEXT"}, \
	{"commit", 0, 0, G_OPTION_ARG_STRING, &measure_options.commit, "commit that this sweep measures", "ID"}, \
	{"branch", 0, 0, G_OPTION_ARG_STRING, &measure_options.branch, "branch that this sweep measures", "NAME"}, \
	{"identify", 0, 0, G_OPTION_ARG_NONE, &measure_options.identify, \
		"store serial numbers, the host's and the user's name, and addresses too, which are left out otherwise", NULL}, \
	{"progress", 0, 0, G_OPTION_ARG_STRING, &measure_options.progress, \
		"auto, bar, lines, json or none (default: auto)", "MODE"}

/* The option among these that was given beside --arm, without its dashes, or NULL. */
const char *measure_option_given(void);

/* Borrows STORE and what measure_options holds. */
gboolean measure_fill(SweepOptions *options, const char *store, GError **error);

/*
 * sweep_run that SIGINT, SIGTERM and SIGHUP interrupt. Returns -1 when the sweep has ended, else the exit code, with the reason
 * printed; AGAIN is the command that goes on with what is kept, "iogap sweep quick --resume".
 */
int measure_run(const Profile *profile, const SweepOptions *options, const char *again, SweepOutcome *ret);

/* "sweep 4: 34 runs finished, ..." for stderr. New text. */
char *measure_summary(const SweepOutcome *outcome);

#endif
