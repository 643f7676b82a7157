/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's JSON (json and json+) of every release: one document or several, with other text around them.
 *
 * Several documents of one run (--status-interval) are cumulative: the last stands for all. Documents of different
 * runs that somebody put into one file each count.
 */
#include <math.h>

#include "harness/import/fio.h"
#include "harness/import/formats.h"

#define RECOGNISE_BYTES (1 << 20)
#define NS_PER_MS G_GINT64_CONSTANT(1000000)
/* How far the clocks of two documents of one run may be apart from the runtimes in them. */
#define SLACK_MS 600
#define SLACK_S_MS 1600 /* timestamps in whole seconds */

/* ---- one document ---------------------------------------------------------------------------- */

static double real_of(const JsonText *doc, guint object, const char *key)
{
	return json_text_real(doc, json_text_get(doc, object, key));
}

static void read_levels(const JsonText *doc, guint job, ImportRow *row)
{
	static const char *const names[FIO_LEVELS] = {"1", "2", "4", "8", "16", "32", ">=64"};
	guint levels = json_text_get(doc, job, "iodepth_level");
	double percent[FIO_LEVELS];

	for (guint i = 0; i < FIO_LEVELS; i++)
		percent[i] = real_of(doc, levels, names[i]);
	fio_depth(row, percent);
}

/* CPU is printed as a share of the processes' time, which only job_runtime gives when they are several. */
static void read_cpu(const JsonText *doc, guint job, ImportRow *row)
{
	double user = real_of(doc, job, "usr_cpu"), kernel = real_of(doc, job, "sys_cpu");
	double ms = real_of(doc, job, "job_runtime");
	gint64 context;

	if (json_text_int(doc, json_text_get(doc, job, "ctx"), &context))
		record_set_int(row->more, "ctx", context);
	record_set_real(row->more, "usr_cpu", user);
	record_set_real(row->more, "sys_cpu", kernel);
	if (!(ms > 0) || !(user >= 0) || !(kernel >= 0) || ms > 1e12 || user > 1e6 || kernel > 1e6)
		return;
	record_set_int(row->run, "load_user_ns", llround(user / 100 * ms * 1e6));
	record_set_int(row->run, "load_system_ns", llround(kernel / 100 * ms * 1e6));
}

static void read_disk(const JsonText *doc, ImportRow *row)
{
	guint disk = json_text_child(doc, json_text_get(doc, 1, "disk_util"));
	g_autofree char *name = json_text_string(doc, json_text_get(doc, disk, "name"));

	if (!disk)
		return;
	record_set_text(row->more, "disk", name);
	record_set_real(row->more, "disk_util_percent", real_of(doc, disk, "util"));
}

static void note_text(const JsonText *doc, guint job, ImportRow *row, const char *key)
{
	g_autofree char *text = json_text_string(doc, json_text_get(doc, job, key));

	if (text)
		record_set_text(row->more, key, text);
}

static void note_int(const JsonText *doc, guint job, ImportRow *row, const char *key)
{
	gint64 value;

	if (json_text_int(doc, json_text_get(doc, job, key), &value))
		record_set_int(row->more, key, value);
}

static void judge(const JsonText *doc, guint job, ImportRow *row)
{
	guint nonfinite = json_text_count_nonfinite(doc, job);
	gint64 value = 0;

	if (nonfinite > 0)
		import_row_warn(row, "%u non-finite numbers (nan, inf) replaced by NULL", nonfinite);
	json_text_int(doc, json_text_get(doc, job, "error"), &value);
	fio_judge(row, value);
	value = 0;
	/* The largest int stands for "cannot tell", which is what fio prints of a job that failed. */
	if (json_text_int(doc, json_text_get(doc, job, "eta"), &value) && value > 0 && value < G_MAXINT32)
		import_row_warn(row, "the job had not ended: %" G_GINT64_FORMAT " s were left", value);
}

static ImportRow *read_job(JsonText *doc, guint global, guint job)
{
	static const char *const names[IMPORT_DIRECTIONS] = {"read", "write", "trim", "mixed"};
	g_autofree char *name = json_text_string(doc, json_text_get(doc, job, "jobname"));
	ImportRow *row = import_row_new(name, json_text_line(doc, job));

	note_int(doc, job, row, "groupid");
	note_int(doc, job, row, "elapsed");
	note_text(doc, job, row, "hostname");
	fio_options_read(doc, global, json_text_get(doc, job, "job options"), row);
	for (guint i = 0; i < IMPORT_DIRECTIONS; i++)
		fio_stats_read(doc, json_text_get(doc, job, names[i]), row, &row->stats[i]);
	fio_guess_rw(row);
	read_levels(doc, job, row);
	read_cpu(doc, job, row);
	read_disk(doc, row);
	judge(doc, job, row);
	return row;
}

static guint jobs_of(const JsonText *doc)
{
	guint jobs = json_text_get(doc, 1, "jobs");

	return jobs ? jobs : json_text_get(doc, 1, "client_stats");
}

static gboolean is_sum_of_clients(const JsonText *doc, guint job)
{
	g_autofree char *name = json_text_string(doc, json_text_get(doc, job, "jobname"));

	return json_text_get(doc, 1, "client_stats") != 0 && g_strcmp0(name, "All clients") == 0;
}

/* Entries of one group ran at the same time, each with a share of the storage. */
static void mark_concurrent(GPtrArray *rows, guint first)
{
	g_autoptr(GHashTable) groups = g_hash_table_new(g_direct_hash, g_direct_equal);

	for (guint i = first; i < rows->len; i++) {
		const ImportRow *row = rows->pdata[i];
		gpointer group = GINT_TO_POINTER((gint)record_get_int(row->more, "groupid", -1));
		guint count = GPOINTER_TO_UINT(g_hash_table_lookup(groups, group));

		g_hash_table_insert(groups, group, GUINT_TO_POINTER(count + 1));
	}
	for (guint i = first; i < rows->len; i++) {
		ImportRow *row = rows->pdata[i];
		gint group = (gint)record_get_int(row->more, "groupid", -1);
		guint count = GPOINTER_TO_UINT(g_hash_table_lookup(groups, GINT_TO_POINTER(group)));

		if (group >= 0 && count > 1)
			import_row_warn(row, "%u more job%s of its group ran at the same time: its figures are a share", count - 1,
				count > 2 ? "s" : "");
	}
}

static gboolean add_document(JsonText *doc, ImportResult *result, GError **error)
{
	guint global = json_text_get(doc, 1, "global options"), first = result->rows->len, sums = 0;

	for (guint job = json_text_child(doc, jobs_of(doc)); job; job = json_text_next(doc, job)) {
		if (json_text_node(doc, job)->kind != JSON_TEXT_OBJECT)
			return import_fail_at(error, doc->input, json_text_node(doc, job)->value, "a job is an object");
		if (is_sum_of_clients(doc, job)) {
			sums++;
			continue;
		}
		if (!import_result_add(result, doc->input, read_job(doc, global, job), error))
			return FALSE;
	}
	if (sums > 0)
		import_result_warn(result, "the entry \"All clients\" is left out: it is the sum of the others");
	fio_join(result->rows, first);
	mark_concurrent(result->rows, first);
	return TRUE;
}

/* ---- several documents ------------------------------------------------------------------------ */

/* When it was printed, ms since 1970; *ret_slack is how exact that is. */
static double printed_at(const JsonText *doc, double *ret_slack)
{
	double ms = real_of(doc, 1, "timestamp_ms");

	*ret_slack = SLACK_MS;
	if (!isnan(ms))
		return ms;
	*ret_slack = SLACK_S_MS;
	return real_of(doc, 1, "timestamp") * 1000;
}

typedef struct {
	double ops, runtime_ms; /* over all directions */
	double latency;		/* sum of the mean latencies: it cannot change while ops does not */
} Progress;

static double mean_latency(const JsonText *doc, guint direction)
{
	static const char *const names[] = {"lat_ns", "lat", "clat_ns", "clat"};
	double mean = NAN;

	for (guint i = 0; i < G_N_ELEMENTS(names) && isnan(mean); i++)
		mean = real_of(doc, json_text_get(doc, direction, names[i]), "mean");
	return isnan(mean) ? 0 : mean;
}

static Progress progress_of(const JsonText *doc, guint job)
{
	static const char *const names[] = {"read", "write", "trim", "mixed"};
	Progress sum = {0};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		guint object = json_text_get(doc, job, names[i]);

		if (!object)
			continue;
		sum.ops += MAX(0, real_of(doc, object, "total_ios"));
		sum.runtime_ms = MAX(sum.runtime_ms, real_of(doc, object, "runtime"));
		sum.latency += mean_latency(doc, object);
	}
	return sum;
}

static gboolean same_name(const JsonText *a, guint x, const JsonText *b, guint y)
{
	g_autofree char *m = json_text_string(a, json_text_get(a, x, "jobname"));
	g_autofree char *n = json_text_string(b, json_text_get(b, y, "jobname"));

	return g_strcmp0(m, n) == 0;
}

/*
 * TRUE when LATER is a later state of the run that EARLIER shows: the same jobs, no count gone down, and as much time
 * passed between the two as the jobs ran meanwhile, unless nothing changed at all.
 */
static gboolean continues(const JsonText *earlier, const JsonText *later)
{
	guint x = json_text_child(earlier, jobs_of(earlier)), y = json_text_child(later, jobs_of(later));
	double passed, slack, ran = 0;
	gboolean changed = FALSE;

	for (; x && y; x = json_text_next(earlier, x), y = json_text_next(later, y)) {
		Progress a = progress_of(earlier, x), b = progress_of(later, y);

		if (!same_name(earlier, x, later, y) || b.ops < a.ops || b.runtime_ms < a.runtime_ms)
			return FALSE;
		/* A mean moves only with its count: the same count of another run, as every job of a fixed size has. */
		if (b.ops == a.ops && b.latency != a.latency)
			return FALSE;
		changed |= b.ops != a.ops || b.runtime_ms != a.runtime_ms;
		ran = MAX(ran, b.runtime_ms - a.runtime_ms);
	}
	if (x || y)
		return FALSE;
	passed = printed_at(later, &slack) - printed_at(earlier, &slack);
	return !changed || isnan(passed) || fabs(passed - ran) <= slack;
}

typedef struct {
	JsonText *held; /* the last document of the run so far */
	guint number, run_documents; /* documents of the input, of this run */
} Pending;

static gboolean flush(Pending *pending, ImportResult *result, GError **error)
{
	gboolean fine = !pending->held || add_document(pending->held, result, error);

	if (pending->held && pending->run_documents > 1)
		import_result_warn(result, "%u documents of one run, each cumulative: the last (number %u) is used",
			pending->run_documents, pending->number);
	g_clear_pointer(&pending->held, json_text_free);
	pending->run_documents = 0;
	return fine;
}

static void set_origin(const JsonText *doc, ImportResult *result)
{
	double slack, ms = printed_at(doc, &slack);

	if (!result->producer)
		result->producer = json_text_string(doc, json_text_get(doc, 1, "fio version"));
	if (result->unix_ns < 0 && ms > 0 && ms < 9e12)
		result->unix_ns = (gint64)ms * NS_PER_MS;
}

static gboolean take(Pending *pending, JsonText *doc, ImportResult *result, GError **error)
{
	if (!jobs_of(doc)) {
		import_fail_at(error, doc->input, doc->begin, "a JSON document without \"jobs\" or \"client_stats\": not fio's");
		json_text_free(doc);
		return FALSE;
	}
	if (pending->held && !continues(pending->held, doc) && !flush(pending, result, error)) {
		json_text_free(doc);
		return FALSE;
	}
	set_origin(doc, result);
	g_clear_pointer(&pending->held, json_text_free);
	pending->held = doc;
	pending->number++;
	pending->run_documents++;
	result->documents++;
	return TRUE;
}

/* ---- the text around them --------------------------------------------------------------------- */

typedef struct {
	guint left_out;
	ImportPlace place;
} Around;

/* Messages of fio are kept; other text (the normal report, a shell's prompt) is counted. */
static void read_text(const ImportInput *input, gsize begin, gsize end, Around *around, ImportResult *result)
{
	static const char *const words[] = {"fio: ", "note: ", "rror", "arning", "failed"};
	g_autofree char *text = g_strndup(input->data + begin, MIN(end - begin, 300));

	g_strstrip(text);
	if (!*text)
		return;
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (strstr(text, words[i])) {
			import_result_warn(result, "line %u: %s", import_place_line(&around->place, input, begin), text);
			return;
		}
	around->left_out++;
}

static gsize end_of_line(const ImportInput *input, gsize at)
{
	const char *end = memchr(input->data + at, '\n', input->size - at);

	return end ? (gsize)(end - input->data) : input->size;
}

static gsize skip_space(const ImportInput *input, gsize at)
{
	while (at < input->size && g_ascii_isspace(input->data[at]))
		at++;
	return at;
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	Pending pending = {0};
	Around around = {0};
	gboolean fine = TRUE;
	gsize at = 0;

	while (fine && (at = skip_space(input, at)) < input->size) {
		JsonText *doc;
		gsize end;

		if (input->data[at] != '{') {
			end = end_of_line(input, at);
			read_text(input, at, end, &around, result);
			at = end;
			continue;
		}
		import_place_line(&around.place, input, at);
		doc = json_text_parse(input, at, &around.place, error);
		fine = doc != NULL;
		if (fine) {
			at = doc->end;
			fine = take(&pending, doc, result, error);
		}
	}
	fine = fine && flush(&pending, result, error);
	g_clear_pointer(&pending.held, json_text_free);
	if (around.left_out > 0)
		import_result_warn(result, "%u other lines of text around the JSON are left out", around.left_out);
	return fine;
}

static int recognise(const ImportInput *input)
{
	gssize size = (gssize)MIN(input->size, RECOGNISE_BYTES);

	if (g_strstr_len(input->data, size, "\"fio version\""))
		return 95;
	if (g_strstr_len(input->data, size, "\"jobname\"") && g_strstr_len(input->data, size, "\"jobs\""))
		return 80;
	return 0;
}

const ImportFormat import_fio_json = {
	.name = "fio-json",
	.summary = "fio --output-format=json or json+, of releases 2.2 to now",
	.recognise = recognise,
	.parse = parse,
};
