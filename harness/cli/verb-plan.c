/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap plan PROFILE: what a sweep would do. Boots nothing, writes nothing. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/common/units.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/plan-print.h"
#include "harness/cli/verb.h"
#include "harness/cli/verbs.h"
#include "harness/plan/plan.h"
#include "harness/run/facts-machine.h"
#include "harness/run/facts.h"
#include "harness/run/guest-config.h"
#include "harness/run/plan-xml.h"
#include "harness/side/host.h"

static char *seed_text, *format, *folder, *store, *uri, *boot_text;
static char **arms;
static gboolean strict, skeleton, xml;

static const GOptionEntry options[] = {
	{"arm", 0, 0, G_OPTION_ARG_STRING_ARRAY, &arms,
		"measure this variant in every block, NAME:KEY=VALUE,... (\"base:\" = as the profile says); give two or more", "ARM"},
	{"strict", 0, 0, G_OPTION_ARG_NONE, &strict,
		"a combination that cannot be measured is an error instead of being left out and listed", NULL},
	{"seed", 0, 0, G_OPTION_ARG_STRING, &seed_text, "seed of the order (default: the profile's, else a new one)", "N"},
	{"format", 0, 0, G_OPTION_ARG_STRING, &format, "text or json (default: text)", "FORMAT"},
	{"data", 0, 0, G_OPTION_ARG_FILENAME, &folder, "folder for target files (default: beside the store)", "FOLDER"},
	{"store", 0, 0, G_OPTION_ARG_FILENAME, &store,
		"store that the sweep would use (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"xml", 0, 0, G_OPTION_ARG_NONE, &xml,
		"print the guests of the boots as libvirt's XML instead, each with all of its disks; RUN stands for what a sweep draws when it "
		"begins. Makes the guest's kernel and initramfs in the cache", NULL},
	{"boot", 0, 0, G_OPTION_ARG_STRING, &boot_text, "with --xml: the guest of this boot only, from 1: one document", "N"},
	{"connect", 0, 0, G_OPTION_ARG_STRING, &uri,
		"with --xml: for this libvirt connection (default: the embedded driver); for xen:///system too, which a sweep refuses", "URI"},
	{"skeleton", 0, 0, G_OPTION_ARG_NONE, &skeleton, "print a profile with every key at its default, and stop", NULL},
	{NULL},
};

static gboolean usage(GError **error, const char *what, const char *value)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s, not \"%s\"", what, value);
	return FALSE;
}

/* A new seed is short, so that people can type it again. */
static gboolean choose_seed(const Profile *profile, guint64 *ret, GError **error)
{
	uint64_t given;

	*ret = profile->has_seed ? profile->seed : g_random_int();
	if (!seed_text)
		return TRUE;
	if (units_parse_uint(seed_text, &given) < 0 || given > profile_key("measure", "seed")->max)
		return usage(error, "--seed takes a whole number below 2^53", seed_text);
	*ret = given;
	return TRUE;
}

static void remark(GPtrArray *remarks, const char *text_format, ...) G_GNUC_PRINTF(2, 3);
static void remark(GPtrArray *remarks, const char *text_format, ...)
{
	va_list args;

	va_start(args, text_format);
	g_ptr_array_add(remarks, g_strdup_vprintf(text_format, args));
	va_end(args);
}

/* Whether a guest really runs under KVM shows only when one is booted; this is the guess. */
static const char *guess_accel(const Profile *profile, GPtrArray *remarks)
{
	gboolean there = access("/dev/kvm", R_OK | W_OK) == 0;
	const char *why = there ? "" : g_strerror(errno);

	if (g_str_equal(profile->accel, "tcg"))
		return "tcg";
	if (g_str_equal(profile->accel, "kvm")) {
		if (there)
			remark(remarks, "assumed that guests run under KVM; `iogap doctor --probe` tries it");
		else
			remark(remarks, "the profile asks for KVM, and /dev/kvm cannot be used (%s): a sweep would fail; accel: "
				"auto takes emulation instead", why);
		return "kvm";
	}
	if (there)
		remark(remarks, "assumed that guests run under KVM; `iogap doctor --probe` tries it, and a sweep takes "
			"emulation if they do not");
	else
		remark(remarks, "/dev/kvm cannot be used (%s): the guest is emulated, and its figures describe emulation", why);
	return there ? "kvm" : "tcg";
}

/* The nearest folder above PATH that exists: the file system that a sweep would make the rest on. */
static char *existing_folder(const char *path)
{
	char *at = g_strdup(path);

	while (!g_file_test(at, G_FILE_TEST_IS_DIR) && strcmp(at, "/") != 0) {
		char *up = g_path_get_dirname(at);

		g_free(at);
		at = up;
	}
	return at;
}

static char *target_folder(void)
{
	g_autofree char *path = folder ? g_canonicalize_filename(folder, NULL) : NULL;
	g_autofree char *file = store ? g_canonicalize_filename(store, NULL) : paths_store();

	if (!path)
		path = g_path_get_dirname(file);
	return existing_folder(path);
}

static void note_block(const ProfileTarget *target, const char *name, GPtrArray *remarks)
{
	remark(remarks,
		"everything on %s would be overwritten; if that is wanted, say so: iogap sweep %s " TARGET_CONSENT_OPTION "=%s",
		target->path, name, target->path);
}

static void ask_targets(const Profile *profile, const char *name, PlanFacts *facts, GPtrArray *remarks)
{
	g_autofree char *where = target_folder();

	for (guint i = 0; i < profile->targets->len; i++) {
		const ProfileTarget *target = g_ptr_array_index(profile->targets, i);
		/* Nothing is written here, so no consent is needed to look. */
		const char *consent[] = {target->path, NULL};
		g_autoptr(GError) error = NULL;

		if (g_str_equal(target->type, "block"))
			note_block(target, name, remarks);
		if (!facts_target(facts, profile, i, where, consent, &error))
			remark(remarks, "the target \"%s\" cannot be used as it is: %s", target->name, error->message);
	}
}

static void ask_engines(PlanFacts *facts, GPtrArray *remarks)
{
	g_autofree char *agent = paths_agent();
	g_autoptr(Side) host = host_side_new(agent);
	g_autoptr(GError) error = NULL;

	if (!side_start(host, NULL, &error) || !facts_engines(facts, host, NULL, &error))
		remark(remarks, "the agent could not be asked, so every engine is assumed to work: %s", error->message);
}

/* A kernel, image or emulator that the profile names and that is none: the profile is wrong. One look at each is enough. */
static gboolean check_guests(const Plan *plan, const char *accel, GError **error)
{
	g_autofree char *agent = paths_agent();
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < plan->boots->len; i++) {
		GuestConfig config = guest_config_of(plan, i, accel, agent);
		char *names = g_strdup_printf("%s\n%s\n%s", config.kernel ? config.kernel : "", config.image ? config.image : "",
			config.emulator ? config.emulator : "");

		if (!g_hash_table_add(seen, names) || guest_check_named(&config, error))
			continue;
		if (error && g_error_matches(*error, IOGAP_ERROR, IOGAP_ERROR_FAILED))
			(*error)->code = IOGAP_ERROR_USAGE;
		return FALSE;
	}
	return TRUE;
}

static int print_plan(const Plan *plan, const char *accel, const GPtrArray *remarks)
{
	g_autofree char *text = NULL;
	json_t *json;

	if (!format || g_str_equal(format, "text")) {
		text = plan_text(plan, accel, remarks);
		fputs(text, stdout);
		return EXIT_OK;
	}
	json = plan_json(plan, accel, remarks);
	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	return EXIT_OK;
}

static int print_domains(const Plan *plan, const char *accel)
{
	g_autofree char *where = target_folder();
	g_autoptr(GError) error = NULL;
	uint64_t only = 0;

	if (boot_text && (units_parse_uint(boot_text, &only) < 0 || only == 0 || only > plan->boots->len)) {
		g_set_error(&error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--boot takes the number of a boot, 1 to %u, not \"%s\"", plan->boots->len,
			boot_text);
		return verb_fail(error);
	}
	for (guint i = 0; i < plan->boots->len; i++) {
		g_autofree char *text = only && only != i + 1 ? NULL : plan_xml(plan, i, accel, where, uri, &error);

		if (error)
			return verb_fail(error);
		if (text && !only && plan->boots->len > 1)
			printf("<!-- boot %u of %u -->\n", i + 1, plan->boots->len);
		fputs(text ? text : "", stdout);
	}
	return EXIT_OK;
}

static int plan_profile(const char *name)
{
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);
	g_auto(PlanFacts) facts = {NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = profile_load(name, &error);
	g_autoptr(Plan) plan = NULL;
	const char *accel;
	guint64 seed;

	if (!profile || !profile_add_arms(profile, arms, &error) || !choose_seed(profile, &seed, &error))
		return verb_fail(error);
	accel = guess_accel(profile, remarks);
	plan_facts_init(&facts, profile, accel);
	facts_machine("", &facts);
	ask_targets(profile, name, &facts, remarks);
	ask_engines(&facts, remarks);
	plan = plan_build(profile, &facts, strict, seed, &error);
	if (!plan || !check_guests(plan, accel, &error))
		return verb_fail(error);
	return xml ? print_domains(plan, accel) : print_plan(plan, accel, remarks);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	if (format && !g_str_equal(format, "text") && !g_str_equal(format, "json")) {
		usage(&error, "--format takes text or json", format);
		return verb_fail(error);
	}
	if (!xml && (uri || boot_text)) {
		g_set_error(&error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s goes with --xml only", uri ? "--connect" : "--boot");
		return verb_fail(error);
	}
	if (skeleton) {
		text = profile_skeleton();
		fputs(text, stdout);
		return EXIT_OK;
	}
	if (!arguments[0]) {
		fprintf(stderr, "iogap plan: an argument is missing: a profile; see `iogap plan --help`\n");
		return EXIT_USAGE;
	}
	return plan_profile(arguments[0]);
}

const Verb verb_plan = {
	.name = "plan",
	.arguments = "PROFILE",
	.summary = "show what a sweep would measure, and what it refuses",
	.description =
		"Reads PROFILE (a file, the name of a shipped profile, or - for standard input) and prints the legs, the\n"
		"boots of each block, the combinations that cannot be measured with place and reason, the order of the\n"
		"legs, and the time that a sweep would need. A kernel, image or emulator that PROFILE names is looked at as a\n"
		"sweep does before its first boot, and one that cannot be used is an error. Nothing is booted and nothing is\n"
		"written. What could not be found out without a boot is assumed, and said so.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 1,
	.run = run,
};
