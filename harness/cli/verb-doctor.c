/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap doctor: what this machine can do, what is missing, how to get it. */
#include "harness/cli/verbs.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/paths.h"
#include "harness/run/doctor.h"

static gboolean option_probe;
static char *option_format;
static char *option_connect;
static char *option_store;

static const GOptionEntry options[] = {
	{"probe", 0, 0, G_OPTION_ARG_NONE, &option_probe,
		"boot a guest under KVM to see whether it runs, even when the answer is remembered", NULL},
	{"format", 0, 0, G_OPTION_ARG_STRING, &option_format, "text (default) or json", "FORMAT"},
	{"connect", 0, 0, G_OPTION_ARG_STRING, &option_connect,
		"libvirt connection; default: the embedded QEMU driver", "URI"},
	{"store", 0, 0, G_OPTION_ARG_FILENAME, &option_store,
		"the store whose folder gets the targets; default: $IOGAP_STORE, else results/data/iogap.sqlite", "FILE"},
	{NULL},
};

static void print_text(const GPtrArray *findings)
{
	guint missing = 0;

	for (guint i = 0; i < findings->len; i++) {
		const DoctorFinding *finding = g_ptr_array_index(findings, i);

		printf("%-8s %-16s %s\n", doctor_level_name(finding->level), finding->what, finding->detail);
		if (finding->mend)
			printf("%-8s %-16s mend: %s\n", "", "", finding->mend);
		if (finding->needed && finding->level == DOCTOR_MISSING)
			missing++;
	}
	if (missing)
		printf("\nA sweep cannot run here: %u of what it needs are missing.\n", missing);
	else
		printf("\nA sweep can run here.\n");
}

static void print_json(const GPtrArray *findings)
{
	json_t *list = json_array();
	json_t *root;

	for (guint i = 0; i < findings->len; i++) {
		const DoctorFinding *finding = g_ptr_array_index(findings, i);

		json_array_append_new(list,
			json_pack("{s:s, s:s, s:b, s:s, s:s?}", "what", finding->what, "level",
				doctor_level_name(finding->level), "needed", finding->needed, "detail",
				finding->detail, "mend", finding->mend));
	}
	root = json_pack("{s:b, s:o}", "can_sweep", doctor_can_sweep(findings), "checks", list);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);
	g_autofree char *store = NULL;
	g_autoptr(GPtrArray) findings = NULL;
	DoctorOptions examine;
	gboolean json;

	if (status >= 0)
		return status;
	json = g_strcmp0(option_format, "json") == 0;
	if (option_format && !json && !g_str_equal(option_format, "text")) {
		fprintf(stderr, "iogap doctor: there is no format \"%s\"; use text or json\n", option_format);
		return EXIT_USAGE;
	}
	store = option_store ? g_canonicalize_filename(option_store, NULL) : paths_store();
	examine = (DoctorOptions){.probe = option_probe, .uri = option_connect, .store = store};
	findings = doctor_examine(&examine, NULL);
	if (json)
		print_json(findings);
	else
		print_text(findings);
	return doctor_can_sweep(findings) ? EXIT_OK : EXIT_MEASUREMENT;
}

const Verb verb_doctor = {
	.name = "doctor",
	.arguments = NULL,
	.summary = "what this machine can do, what is missing, and how to get it",
	.description = "Tries what a sweep needs, as this user: the agent and its engines, a kernel for the guest,\n"
		       "the emulator, libvirt, KVM, the folders, and the programs that reports call.\n"
		       "\n"
		       "Each line begins with ok, warn (works, with a limit that figures may show) or missing;\n"
		       "the command that mends it follows. Whether guests run under KVM is only known when one\n"
		       "ran: with --probe it is tried, else the remembered answer is shown.\n"
		       "\n"
		       "Exit status: 0 when a sweep can run, else 5.",
	.options = options,
	.max_arguments = 0,
	.run = run,
};
