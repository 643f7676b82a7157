/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap show: what is stored of one sweep, but for its results. */
#include "harness/base/error.h"
#include "harness/cli/show-accounting.h"
#include "harness/cli/show-environment.h"
#include "harness/cli/show-text.h"
#include "harness/cli/stored.h"
#include "harness/cli/verbs.h"

static char *option_store, *option_format;
static gboolean option_accounting, option_xml, option_cmdline, option_profile, option_dictionary, option_keys;
static gint option_boot = -1;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format,
		"text (default) or json (every column of all rows, histograms and series excepted)", "FORMAT"},
	{"accounting", 0, 0, G_OPTION_ARG_NONE, &option_accounting,
		"print what each leg's I/O cost (CPU by kind of thread, switches, requests, interrupts) and the settings in effect, nothing else", NULL},
	{"profile", 0, 0, G_OPTION_ARG_NONE, &option_profile, "print the profile as it was read, nothing else", NULL},
	{"xml", 0, 0, G_OPTION_ARG_NONE, &option_xml, "print a boot's domain XML, nothing else", NULL},
	{"cmdline", 0, 0, G_OPTION_ARG_NONE, &option_cmdline, "print a boot's QEMU command line, nothing else", NULL},
	{"boot", 0, 0, G_OPTION_ARG_INT, &option_boot, "the boot that --xml and --cmdline mean (default: the first)", "ID"},
	{"dictionary", 0, 0, G_OPTION_ARG_NONE, &option_dictionary,
		"print what the columns of a store mean (docs/data-dictionary.md); needs no store", NULL},
	{"keys", 0, 0, G_OPTION_ARG_NONE, &option_keys,
		"print the keys of an environment: what they mean, how a difference weighs, what is stored unasked; needs no store", NULL},
	{NULL},
};

/* COLUMN of the boot that was asked for, or of the first that has it. */
static gboolean print_boot(const Show *show, const char *column, const char *what, GError **error)
{
	for (guint i = 0; i < show->boots->len; i++) {
		const Record *boot = show->boots->pdata[i];
		const char *text = record_get_text(boot, column);

		if (option_boot >= 0 ? record_get_int(boot, "id", -1) != option_boot : !text)
			continue;
		if (!text)
			break;
		return stored_print(text, error) && (g_str_has_suffix(text, "\n") || stored_print("\n", error));
	}
	if (option_boot >= 0)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
			"sweep %" G_GINT64_FORMAT " has no boot %d with a %s; `iogap show` lists its boots",
			record_get_int(show->sweep, "id", 0), option_boot, what);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
			"sweep %" G_GINT64_FORMAT " has no boot with a %s", record_get_int(show->sweep, "id", 0),
			what);
	return FALSE;
}

static gboolean print_profile(const Show *show, GError **error)
{
	const char *text = record_get_text(show->sweep, "profile_text");

	if (text)
		return stored_print(text, error);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING, "sweep %" G_GINT64_FORMAT " was stored without its profile",
		record_get_int(show->sweep, "id", 0));
	return FALSE;
}

static gboolean print_json(const Show *show, GError **error)
{
	json_t *all = json_object();

	json_object_set_new(all, "sweep", stored_json(show->sweep));
	json_object_set_new(all, "sources", stored_json_rows(show->sources));
	json_object_set_new(all, "refusals", stored_json_rows(show->refusals));
	json_object_set_new(all, "boots", stored_json_rows(show->boots));
	json_object_set_new(all, "legs", stored_json_rows(show->legs));
	json_object_set_new(all, "runs", stored_json_rows(show->runs));
	json_object_set_new(all, "flags", stored_json_rows(show->flags));
	return stored_print_json(all, error);
}

static gboolean print_dictionary(GError **error)
{
	g_autofree char *text = store_dictionary_markdown(error);

	return text && stored_print(text, error);
}

static gboolean print_keys(GError **error)
{
	g_autofree char *text = show_environment_keys();

	return stored_print(text, error);
}

static gboolean show_sweep(const char *ref, GError **error)
{
	g_autoptr(Store) store = NULL;
	g_auto(Show) show = {NULL};
	g_autofree char *text = NULL;
	gboolean json;
	gint64 sweep;

	if (!stored_format(option_format, &json, error))
		return FALSE;
	store = stored_open(option_store, error);
	sweep = store ? store_find_sweep(store, ref, error) : -1;
	if (sweep >= 0 && option_accounting)
		return (text = show_accounting(store, sweep, error)) && stored_print(text, error);
	if (sweep < 0 || !show_load(store, sweep, &show, error))
		return FALSE;
	if (option_profile)
		return print_profile(&show, error);
	if (option_xml)
		return print_boot(&show, "domain_xml", "domain XML", error);
	if (option_cmdline)
		return print_boot(&show, "qemu_cmdline", "QEMU command line", error);
	if (json)
		return print_json(&show, error);
	text = show_text(&show);
	return stored_print(text, error);
}

static gboolean check_options(GError **error)
{
	int chosen = option_accounting + option_xml + option_cmdline + option_profile + option_dictionary + option_keys + (option_format != NULL);

	if (chosen > 1)
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"--format, --accounting, --profile, --xml, --cmdline, --dictionary and --keys exclude each other; use one of them");
	else if (option_boot >= 0 && !option_xml && !option_cmdline)
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--boot goes with --xml or --cmdline");
	else
		return TRUE;
	return FALSE;
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	if (!check_options(&error) || (option_dictionary && !print_dictionary(&error)) ||
		(option_keys && !print_keys(&error)) ||
		(!option_dictionary && !option_keys && !show_sweep(arguments[0] ? arguments[0] : "latest", &error)))
		return verb_fail(error);
	return EXIT_OK;
}

const Verb verb_show = {
	.name = "show",
	.arguments = "[SWEEP]",
	.summary = "show what is stored of a sweep",
	.description = "Shows everything stored of a sweep but its results, which `iogap report` prints: when it was made, from\n"
		       "which profile and seed, on what machine and software, which combinations were refused and why, its\n"
		       "boots, its legs with their runs, failures with their reasons, flags with their evidence, and the environment\n"
		       "of host and guests: enough to repeat it. The fingerprint is a SHA-256 over the keys that must be equal, or\n"
		       "count for it, as `iogap show --keys` lists them: sweeps that share it were made alike.\n"
		       "SWEEP is an id, the beginning of a uuid, a label, or `latest` (the default).",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 1,
	.run = run,
};
