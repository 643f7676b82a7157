/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap import: outputs of other programs become a sweep. */
#include <stdio.h>
#include <sys/stat.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/progress.h"
#include "harness/cli/verbs.h"
#include "harness/import/archive.h"
#include "harness/import/convert.h"
#include "harness/import/load.h"
#include "harness/import/stream.h"
#include "harness/import/unmatched.h"
#include "results/transfer.h"

#define NS_PER_US 1000
#define MANY 8		     /* files from which on progress is shown without being asked for */
#define BYTES_PER_SECOND 5e7 /* that are read and parsed, about, for the time left */

static char *option_store, *option_format, *option_side, *option_name, *option_commit, *option_branch, *option_progress;
static char **option_host, **option_guest, **option_labels;
static gboolean option_again;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"write to this store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format,
		"read the files as this format instead of recognising it", "FORMAT"},
	{"side", 0, 0, G_OPTION_ARG_STRING, &option_side, "where the files were measured: host or guest", "SIDE"},
	{"host", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &option_host, "one more file, measured on the host", "FILE"},
	{"guest", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &option_guest, "one more file, measured in the guest", "FILE"},
	{"label", 'l', 0, G_OPTION_ARG_STRING_ARRAY, &option_labels,
		"say what the files do not: a setting (bus, cache, target, block_size ...) or any word; may be repeated",
		"KEY=VALUE"},
	{"name", 'n', 0, G_OPTION_ARG_STRING, &option_name, "name of the sweep", "NAME"},
	{"commit", 0, 0, G_OPTION_ARG_STRING, &option_commit, "commit that was measured", "COMMIT"},
	{"branch", 0, 0, G_OPTION_ARG_STRING, &option_branch, "branch of that commit", "BRANCH"},
	{"again", 0, 0, G_OPTION_ARG_NONE, &option_again, "import files that are in the store already", NULL},
	{"progress", 0, 0, G_OPTION_ARG_STRING, &option_progress,
		"auto, bar, lines, json or none (default: auto, and only of many files)", "MODE"},
	{NULL},
};

/* A file of the command line. */
typedef struct {
	const char *path, *side; /* side NULL = nobody said */
} Named;

typedef struct {
	Store *store;
	Progress *progress; /* NULL = not shown */
	const ImportFormat *format; /* NULL = recognise */
	ImportLabels *labels;	    /* of the command line */
	GPtrArray *files;	    /* of ImportFile * */
	ImportUnmatched *unmatched; /* names in YAML */
	guint broken, known;	    /* files with errors; files that are in the store already */
	guint exports;		    /* files that are exports of iogap */
	GError *misuse;		    /* options do not fit a file: nothing is imported */
} Import;

/* Never into the bar. */
static void G_GNUC_PRINTF(2, 3) say(const Import *import, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	if (import->progress)
		progress_note(import->progress, "iogap: %s", text);
	else
		fprintf(stderr, "iogap: %s\n", text);
}

static gboolean set_option(ImportLabels *labels, const char *key, const char *value, GError **error)
{
	return !value || import_labels_set(labels, key, value, error);
}

static ImportLabels *labels_of_options(GError **error)
{
	g_autoptr(ImportLabels) labels = import_labels_new();

	if (!set_option(labels, "side", option_side, error) || !set_option(labels, "name", option_name, error) ||
		!set_option(labels, "commit", option_commit, error) || !set_option(labels, "branch", option_branch, error))
		return NULL;
	for (guint i = 0; option_labels && option_labels[i]; i++)
		if (!import_labels_set_pair(labels, option_labels[i], error))
			return NULL;
	return g_steal_pointer(&labels);
}

/* The command line goes before the YAML beside the file. */
static ImportLabels *labels_of_file(const Import *import, const char *path, const char *side, GError **error)
{
	g_autoptr(ImportLabels) labels = import_labels_new();

	if (side && !import_labels_set(labels, "side", side, error))
		return NULL;
	import_labels_merge(labels, import->labels);
	if (!g_str_equal(path, "-") && !import_labels_beside(labels, path, error))
		return NULL;
	return g_steal_pointer(&labels);
}

/* *ret_known: the sweep that has it already; -1 = none, 0 = it stands twice on the command line. */
static gboolean is_known(const Import *import, const ImportLoaded *loaded, gint64 *ret_known, GError **error)
{
	g_autoptr(GError) local = NULL;

	*ret_known = 0;
	for (guint i = 0; i < import->files->len; i++)
		if (g_str_equal(((const ImportFile *)import->files->pdata[i])->sha256, loaded->sha256))
			return TRUE;
	*ret_known = store_find_source(import->store, loaded->sha256, &local);
	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	return TRUE;
}

/* Takes LABELS on success. */
static ImportFile *parse_file(const Import *import, const ImportLoaded *loaded, ImportLabels *labels, gint64 *ret_known,
	GError **error)
{
	g_autoptr(ImportFile) file = g_new0(ImportFile, 1);

	if (!option_again && !is_known(import, loaded, ret_known, error))
		return NULL;
	if (*ret_known >= 0)
		return NULL;
	file->result = import_parse(&loaded->input, import->format, &file->format, error);
	if (!file->result)
		return NULL;
	file->name = g_utf8_make_valid(loaded->name, -1);
	file->sha256 = g_strdup(loaded->sha256);
	file->bytes = loaded->bytes;
	file->labels = labels;
	return g_steal_pointer(&file);
}

static ImportFile *read_file(const Import *import, const char *path, const char *side, const ImportLoaded *loaded,
	gint64 *ret_known, GError **error)
{
	g_autoptr(ImportLabels) labels = labels_of_file(import, path, side, error);
	ImportFile *file;

	*ret_known = -1;
	if (!labels)
		return NULL;
	file = parse_file(import, loaded, labels, ret_known, error);
	if (file)
		g_steal_pointer(&labels);
	else
		import_unmatched_note(import->unmatched, labels, FALSE);
	return file;
}

static void say_known(const Import *import, const char *path, gint64 sweep)
{
	if (sweep > 0)
		say(import, "%s is in the store already, as sweep %" G_GINT64_FORMAT
			    ": not imported again; --again imports it all the same", path, sweep);
	else
		say(import, "%s has the same content as a file before it: left out; --again imports both", path);
}

static void say_warnings(const Import *import, const ImportFile *file)
{
	for (guint i = 0; i < file->result->warnings->len; i++)
		say(import, "%s: warning: %s", file->name, (const char *)file->result->warnings->pdata[i]);
	if (file->result->more_warnings > 0)
		say(import, "%s: warning: %u more", file->name, file->result->more_warnings);
}

static const char *name_of(const ImportRow *row)
{
	return row->name ? row->name : "(no name)";
}

/* After storing: labels may have added warnings. */
static void say_rows(const ImportFile *file)
{
	for (guint i = 0; i < file->result->rows->len; i++) {
		const ImportRow *row = file->result->rows->pdata[i];

		if (row->failure)
			fprintf(stderr, "iogap: %s:%u: %s: failed: %s\n", file->name, row->line, name_of(row), row->failure);
		for (guint k = 0; k < row->flags->len; k++)
			fprintf(stderr, "iogap: %s:%u: %s: warning: %s\n", file->name, row->line, name_of(row),
				((const ImportFlag *)row->flags->pdata[k])->evidence);
		for (guint k = 0; k < row->warnings->len; k++)
			fprintf(stderr, "iogap: %s:%u: %s: warning: %s\n", file->name, row->line, name_of(row),
				(const char *)row->warnings->pdata[k]);
	}
}

/* ---- exports of iogap: whole sweeps, as they are ------------------------------------------------ */

static void say_sweep(const Import *import, const TransferSweep *sweep, const char *path)
{
	switch (sweep->outcome) {
	case TRANSFER_ADDED:
		printf("sweep %" G_GINT64_FORMAT ": %s, runs %" G_GUINT64_FORMAT ", from %s\n", sweep->id, sweep->uuid, sweep->runs,
			path);
		break;
	case TRANSFER_THERE:
		say(import, "sweep %s of %s is in the store already, as sweep %" G_GINT64_FORMAT ": left as it is", sweep->uuid, path,
			sweep->id);
		break;
	case TRANSFER_DIFFERS:
		say(import, "sweep %s of %s is in the store already, as sweep %" G_GINT64_FORMAT ", with %" G_GUINT64_FORMAT
			    " rows; the file has %" G_GUINT64_FORMAT ": it was left as it is in the store",
			sweep->uuid, path, sweep->id, sweep->rows_there, sweep->rows);
		break;
	}
}

/* Line by line: an export may be larger than memory. */
static const char *take_export(Import *import, GInputStream *stream, const char *side)
{
	g_autoptr(GPtrArray) sweeps = transfer_sweeps_new();
	g_autoptr(GError) error = NULL;
	const char *name = import_stream_name(stream);
	g_auto(GStrv) lines = NULL;
	gboolean fine = FALSE;

	/* A setting is never silently left out. */
	if (import->format || side || option_side || option_name || option_commit || option_branch || option_labels) {
		g_set_error(&import->misuse, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"%s is an export of iogap, whose sweeps are taken as they are: import it without --format, --side, --host, "
			"--guest, --label, --name, --commit and --branch%s",
			name, import->exports > 0 ? "; the exports before it are imported" : "; nothing was imported");
		return "failed";
	}
	fine = transfer_import(import->store, stream, name, sweeps, &error);
	for (guint i = 0; i < sweeps->len; i++)
		say_sweep(import, sweeps->pdata[i], name);
	import->exports++;
	if (fine)
		return "ok, an export";
	lines = g_strsplit(error->message, "\n", -1);
	for (guint i = 0; lines[i]; i++)
		say(import, "%s", lines[i]);
	import->broken++;
	return "failed";
}

/* What became of it, in a word or two. */
static const char *take_output(Import *import, GInputStream *stream, const Named *named)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(ImportLoaded) loaded = import_load_stream(stream, &error);
	gint64 known = -1;
	ImportFile *file = loaded ? read_file(import, named->path, named->side, loaded, &known, &error) : NULL;

	if (file) {
		say_warnings(import, file);
		g_ptr_array_add(import->files, file);
		return "ok";
	}
	if (known >= 0 && !error) {
		say_known(import, named->path, known);
		import->known++;
		return "there already";
	}
	say(import, "%s", error->message);
	import->broken++;
	return "failed";
}

/* The first bytes of a file that may hold results. */
static const char *begin_of(GInputStream *stream, gsize *ret_size, GError **error)
{
	const char *begin = import_stream_peek(stream, ret_size, error);
	const char *kind = begin ? import_archive_kind(begin, *ret_size) : NULL;

	if (!kind)
		return begin;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"%s: it is an archive (%s): unpack it and name the files in it", import_stream_name(stream), kind);
	return NULL;
}

static const char *take_file(Import *import, const Named *named)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GInputStream) stream = import_stream_open(named->path, &error);
	const char *begin = NULL;
	gsize size;

	if (stream)
		begin = begin_of(stream, &size, &error);
	if (!begin) {
		say(import, "%s", error->message);
		import->broken++;
		return "failed";
	}
	return transfer_recognise(begin, size) ? take_export(import, stream, named->side) : take_output(import, stream, named);
}

static double seconds_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (double)st.st_size / BYTES_PER_SECOND : 0;
}

static Progress *progress_of(const GArray *named, ProgressMode mode)
{
	double seconds = 0;

	if (mode == PROGRESS_NONE || (!option_progress && named->len < MANY))
		return NULL;
	for (guint i = 0; i < named->len; i++)
		seconds += seconds_of(g_array_index(named, Named, i).path);
	return progress_new(mode, named->len, seconds);
}

static void take_all(Import *import, const GArray *named)
{
	for (guint i = 0; i < named->len && !import->misuse; i++) {
		const Named *file = &g_array_index(named, Named, i);
		const char *result;

		if (import->progress)
			progress_step(import->progress, file->path, seconds_of(file->path));
		result = take_file(import, file);
		if (import->progress)
			progress_done(import->progress, result);
	}
}

static void name_all(GArray *named, char **paths, const char *side)
{
	for (guint i = 0; paths && paths[i]; i++) {
		const Named file = {paths[i], side};

		g_array_append_val(named, file);
	}
}

/* After storing, which applies the labels. */
static void say_unmatched(const Import *import)
{
	g_autoptr(GPtrArray) texts = NULL;

	for (guint i = 0; i < import->files->len; i++)
		import_unmatched_note(import->unmatched, ((const ImportFile *)import->files->pdata[i])->labels, TRUE);
	texts = import_unmatched_texts(import->unmatched);
	for (guint i = 0; i < texts->len; i++)
		fprintf(stderr, "iogap: warning: %s\n", (const char *)texts->pdata[i]);
}

static int finish(Import *import, GError **error)
{
	ImportOutcome outcome;

	if (import->files->len == 0 && import->exports > 0)
		return import->broken ? EXIT_MEASUREMENT : EXIT_OK;
	if (import->files->len == 0) {
		say_unmatched(import);
		fprintf(stderr, "iogap: nothing was imported\n");
		return import->broken ? EXIT_MEASUREMENT : EXIT_OK;
	}
	if (!import_store(import->store, import->files, g_get_real_time() * NS_PER_US, &outcome, error))
		return -1;
	for (guint i = 0; i < import->files->len; i++)
		say_rows(import->files->pdata[i]);
	say_unmatched(import);
	if (outcome.no_side > 0)
		fprintf(stderr, "iogap: %u %s taken as measured on the host: --side, --host or --guest says it\n",
			outcome.no_side, outcome.no_side == 1 ? "row was" : "rows were");
	if (outcome.unpaired > 0)
		fprintf(stderr, "iogap: no ratio for %u guest %s: no host leg of the same workload is beside\n", outcome.unpaired,
			outcome.unpaired == 1 ? "leg" : "legs");
	printf("sweep %" G_GINT64_FORMAT ": files %u, legs %u, runs ok %u, failed %u; files not imported %u, there already %u\n",
		outcome.sweep, import->files->len, outcome.legs, outcome.runs_ok, outcome.runs_failed, import->broken,
		import->known);
	return import->broken || outcome.runs_failed ? EXIT_MEASUREMENT : EXIT_OK;
}

static int import_all(char **paths, GError **error)
{
	g_autofree char *path = option_store ? g_strdup(option_store) : paths_store();
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func((GDestroyNotify)import_file_free);
	g_autoptr(GArray) named = g_array_new(FALSE, FALSE, sizeof(Named));
	g_autoptr(ImportLabels) labels = labels_of_options(error);
	g_autoptr(ImportUnmatched) unmatched = import_unmatched_new();
	g_autoptr(Progress) progress = NULL;
	g_autoptr(Store) store = NULL;
	Import import = {.labels = labels, .files = files, .unmatched = unmatched};
	ProgressMode mode;

	if (!labels)
		return -1;
	if (!progress_mode_parse(option_progress ? option_progress : "auto", &mode)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"--progress %s: expected auto, bar, lines, json or none", option_progress);
		return -1;
	}
	name_all(named, paths, NULL);
	name_all(named, option_host, "host");
	name_all(named, option_guest, "guest");
	if (named->len == 0) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"no file to import; name files, or \"-\" for standard input");
		return -1;
	}
	if (option_format && !(import.format = import_format_find(option_format, error)))
		return -1;
	store = store_open(path, STORE_WRITE, error);
	if (!store)
		return -1;
	import.store = store;
	import.progress = progress = progress_of(named, mode);
	take_all(&import, named);
	g_clear_pointer(&progress, progress_free);
	import.progress = NULL;
	if (import.misuse) {
		g_propagate_error(error, import.misuse);
		return -1;
	}
	return finish(&import, error);
}

static char *list_formats(void)
{
	GString *text = g_string_new("The formats are:");

	for (guint i = 0; import_formats[i]; i++)
		g_string_append_printf(text, "\n  %-10s  %s", import_formats[i]->name, import_formats[i]->summary);
	g_string_append(text, "\nThe columns of tables and the YAML beside files are in docs/import.md.");
	return g_string_free(text, FALSE);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int code = verb_parse(verb, argc, argv, &arguments);

	if (code >= 0)
		return code;
	code = import_all(arguments, &error);
	return code >= 0 ? code : verb_fail(error);
}

const Verb verb_import = {
	.name = "import",
	.arguments = "[FILE...]",
	.summary = "store outputs of fio and others as a sweep",
	.description =
		"Reads outputs of other programs into the store, all files of one call as one sweep with host and guest legs "
		"paired by workload, so that reports, comparisons and the gate work on them. \"-\" is standard input; gzip, xz "
		"and zstd are unpacked. The format is recognised by content. Rows with the same name and settings are "
		"repetitions of one leg. What a file does not say stays NULL. What `iogap export` wrote is taken as it is, each of its "
		"sweeps with its uuid; one that is there already is left alone.\n"
		"\n"
		"What the files do not say about themselves is said by options, by FILE.yaml beside a file, or by "
		"iogap-import.yaml in its folder (keys as for --label, and \"rows\" and \"files\" with settings by name; "
		"a name there that nothing has is warned of). A label of your own may be any word that is not nearly one of the known "
		"keys; one that begins with \"x-\" always may.\n"
		"\n"
		"A file with an error is named and left out, the others are imported. A row that its source calls failed is "
		"stored as failed. In both cases the exit status is 5. A file that is in the store already is not imported "
		"again.",
	.list = list_formats,
	.options = options,
	.min_arguments = 0,
	.max_arguments = -1,
	.run = run,
};
