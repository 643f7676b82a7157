/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap export: sweeps as JSON lines, which `iogap import` reads into another store. */
#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/cli/stored.h"
#include "harness/cli/verbs.h"
#include "results/transfer.h"

static char *option_store, *option_output;
static gboolean option_all;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"read this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"all", 'a', 0, G_OPTION_ARG_NONE, &option_all, "all sweeps of the store", NULL},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
		"write to this file, which appears only when it is complete (default: print)", "FILE"},
	{NULL},
};

/* The ids of REFS, each once; all of the store with --all. */
static GArray *find_sweeps(Store *store, char **refs, GError **error)
{
	static char latest[] = "latest";
	static char *fallback[] = {latest, NULL};
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(gint64));
	g_autoptr(GPtrArray) all = NULL;

	if (option_all) {
		all = store_overview(store, error);
		for (guint i = 0; all && i < all->len; i++) {
			gint64 id = record_get_int(all->pdata[i], "id", -1);

			g_array_append_val(ids, id);
		}
		return all ? g_steal_pointer(&ids) : NULL;
	}
	for (char **ref = *refs ? refs : fallback; *ref; ref++) {
		gint64 id = store_find_sweep(store, *ref, error);
		gboolean known = FALSE;

		if (id < 0)
			return NULL;
		for (guint i = 0; i < ids->len; i++)
			known |= g_array_index(ids, gint64, i) == id;
		if (!known)
			g_array_append_val(ids, id);
	}
	return g_steal_pointer(&ids);
}

/* Writes to the open FD and closes it. */
static gboolean write_to(int fd, gboolean sync, Store *store, const GArray *ids, GError **error)
{
	g_autoptr(GOutputStream) plain = g_unix_output_stream_new(fd, TRUE);
	g_autoptr(GOutputStream) out = g_buffered_output_stream_new_sized(plain, 65536);

	if (!transfer_export(store, (const gint64 *)(const void *)ids->data, ids->len, out, error) ||
		!g_output_stream_flush(out, NULL, error))
		return FALSE;
	if (sync && fsync(fd) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s", g_strerror(errno));
		return FALSE;
	}
	return g_output_stream_close(out, NULL, error);
}

/* A file beside PATH takes its place once it is complete. */
static gboolean write_file(const char *path, Store *store, const GArray *ids, GError **error)
{
	g_autofree char *fresh = g_strconcat(path, ".XXXXXX", NULL);
	int fd = g_mkstemp_full(fresh, O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s", g_strerror(errno));
		return FALSE;
	}
	if (write_to(fd, TRUE, store, ids, error)) {
		if (g_rename(fresh, path) == 0)
			return TRUE;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s", g_strerror(errno));
	}
	g_unlink(fresh);
	return FALSE;
}

/* What is no regular file (a pipe, a device) cannot be replaced: it is written to. */
static gboolean write_special(const char *path, Store *store, const GArray *ids, GError **error)
{
	int fd = g_open(path, O_WRONLY | O_CLOEXEC, 0);

	if (fd >= 0)
		return write_to(fd, FALSE, store, ids, error);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s", g_strerror(errno));
	return FALSE;
}

static gboolean write_out(Store *store, const GArray *ids, GError **error)
{
	g_autoptr(GError) local = NULL;
	struct stat st;
	gboolean fine;

	if (!option_output || g_str_equal(option_output, "-"))
		fine = write_to(dup(STDOUT_FILENO), FALSE, store, ids, &local);
	else if (stat(option_output, &st) == 0 && !S_ISREG(st.st_mode))
		fine = write_special(option_output, store, ids, &local);
	else
		fine = write_file(option_output, store, ids, &local);
	if (fine)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, local->domain == IOGAP_ERROR ? local->code : IOGAP_ERROR_FAILED,
		"cannot write the export%s%s: %s", option_output ? " " : "", option_output ? option_output : "",
		local->message);
	return FALSE;
}

static gboolean export_sweeps(char **refs, GError **error)
{
	g_autoptr(Store) store = NULL;
	g_autoptr(GArray) ids = NULL;

	if (option_all && *refs) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "name sweeps or give --all, not both");
		return FALSE;
	}
	store = stored_open(option_store, error);
	ids = store ? find_sweeps(store, refs, error) : NULL;
	return ids && write_out(store, ids, error);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	return export_sweeps(arguments, &error) ? EXIT_OK : verb_fail(error);
}

const Verb verb_export = {
	.name = "export",
	.arguments = "[SWEEP...]",
	.summary = "write sweeps as JSON lines for another store",
	.description =
		"Writes whole sweeps, the latest one if none is named, as JSON lines: every column of every table, nothing\n"
		"rounded. `iogap import FILE` takes them into another store under new numbers and keeps their uuids, so that a\n"
		"sweep that is there already is noticed. Exports may be compressed, and joined with cat. A sweep that is\n"
		"still running is exported as far as it is. SWEEP is an id, the beginning of a uuid, a label, or `latest`.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = -1,
	.run = run,
};
