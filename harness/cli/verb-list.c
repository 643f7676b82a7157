/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap list: the sweeps of a store, one a line. */
#include <stdio.h>

#include "harness/cli/stored.h"
#include "harness/cli/table.h"
#include "harness/cli/verbs.h"

static char *option_store, *option_format;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format, "text (default) or json", "FORMAT"},
	{NULL},
};

static char *text_of(const GPtrArray *sweeps)
{
	static const char *const heads[] = {">ID", "<STARTED (UTC)", "<STATUS", "<PROFILE", "<ACCEL", ">LEGS", ">OK",
		">FAILED", ">SKIPPED", ">REFUSED", "<UUID", "<LABEL", NULL};
	g_autoptr(Table) table = table_new(heads);

	for (guint i = 0; i < sweeps->len; i++) {
		const Record *sweep = sweeps->pdata[i];
		g_autofree char *started = stored_time(sweep, "started_unix_ns");
		g_autofree char *uuid = g_strndup(record_get_text(sweep, "uuid"), 8);

		table_cell_int(table, record_get_int(sweep, "id", 0));
		table_cell(table, started);
		table_cell(table, record_get_text(sweep, "status"));
		table_cell(table, record_get_text(sweep, "profile"));
		table_cell(table, record_get_text(sweep, "accel"));
		table_cell_int(table, record_get_int(sweep, "legs", 0));
		table_cell_int(table, record_get_int(sweep, "runs_ok", 0));
		table_cell_int(table, record_get_int(sweep, "runs_failed", 0));
		table_cell_int(table, record_get_int(sweep, "runs_skipped", 0));
		table_cell_int(table, record_get_int(sweep, "refusals", 0));
		table_cell(table, uuid);
		table_cell(table, record_get_text(sweep, "label"));
	}
	return table_text(table, "");
}

static gboolean list(GError **error)
{
	g_autoptr(Store) store = NULL;
	g_autoptr(GPtrArray) sweeps = NULL;
	g_autofree char *text = NULL;
	gboolean json;

	if (!stored_format(option_format, &json, error))
		return FALSE;
	store = stored_open(option_store, error);
	sweeps = store ? store_overview(store, error) : NULL;
	if (!sweeps)
		return FALSE;
	if (json)
		return stored_print_json(json_pack("{s:s, s:i, s:o}", "store", store_path(store), "version",
						 store_version(store), "sweeps", stored_json_rows(sweeps)),
			error);
	if (sweeps->len == 0) {
		fprintf(stderr, "iogap: there is no sweep in the store %s yet\n", store_path(store));
		return TRUE;
	}
	text = text_of(sweeps);
	return stored_print(text, error);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	return list(&error) ? EXIT_OK : verb_fail(error);
}

const Verb verb_list = {
	.name = "list",
	.summary = "list the sweeps of a store",
	.description = "Lists the sweeps of a store, oldest first: when each was started, how it ended, and how many of its\n"
		       "legs' runs are ok, failed or skipped. `iogap show SWEEP` says more of one, `iogap report SWEEP`\n"
		       "prints its results. SWEEP is an id, the beginning of a uuid, a label, or `latest`.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 0,
	.run = run,
};
