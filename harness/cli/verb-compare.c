/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap compare: stored sweeps side by side. */
#include "harness/base/error.h"
#include "harness/cli/compare-text.h"
#include "harness/cli/stored.h"
#include "harness/cli/verbs.h"
#include "harness/export/comparison.h"

static char *option_store, *option_format;
static gboolean option_force;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format, "text (default) or json", "FORMAT"},
	{"force", 0, 0, G_OPTION_ARG_NONE, &option_force, "show the figures of unlike sweeps too; the output says so", NULL},
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

/* The list of differences is printed even when the figures are withheld: it says why. */
static gboolean print(json_t *comparison, gboolean json, GError **error)
{
	g_autofree char *text = NULL;

	if (json)
		return stored_print_json(json_incref(comparison), error);
	text = compare_text(comparison);
	return stored_print(text, error);
}

static gboolean compare(char **refs, GError **error)
{
	guint n = g_strv_length(refs);
	g_autofree gint64 *sweeps = g_new0(gint64, n);
	g_autoptr(Store) store = NULL;
	json_t *comparison;
	gboolean json, ok;

	if (!stored_format(option_format, &json, error))
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
	ok = print(comparison, json, error) && check(comparison, error);
	json_decref(comparison);
	return ok;
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	return compare(arguments, &error) ? EXIT_OK : verb_fail(error);
}

const Verb verb_compare = {
	.name = "compare",
	.arguments = "SWEEP SWEEP...",
	.summary = "compare stored sweeps, environments first",
	.description = "Compares the first sweep (A) with each of the others (B): where their environments differ, what matters\n"
		       "most first, then every leg that both measured: B/A of its rate, of its host's rate and of the ratio\n"
		       "guest/host, with intervals. Sweeps are unlike when a key that must be equal (`iogap show --keys`)\n"
		       "differs: accelerator, processor, type, size, file system or device of a target. Their figures are\n"
		       "withheld, exit status 4, unless --force is given, which then shows in the output.\n"
		       "SWEEP is an id, the beginning of a uuid, a label, or `latest`.",
	.options = options,
	.min_arguments = 2,
	.max_arguments = -1,
	.run = run,
};
