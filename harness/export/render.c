/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.json through reports/render.py to every other format, and files that appear whole or not at all. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/subprocess.h"
#include "harness/export/render.h"
#include "harness/export/report.h"

#define RENDER_TIMEOUT_S 120
/* How often a bar is drawn anew while a child renders. */
#define TICK_MS 250
/* Exit status of render.py when the Python at hand lacks a module. */
#define RENDER_LACKING 3

static char *json_lines(const json_t *report)
{
	char *dump = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	char *text = g_strconcat(dump, "\n", NULL);

	free(dump);
	return text;
}

static gboolean on_tick(gpointer progress)
{
	progress_tick(progress);
	return G_SOURCE_CONTINUE;
}

/* As subprocess_run, and the bar of PROGRESS (may be NULL) moves meanwhile. */
static gboolean run_child(const char *const *argv, Progress *progress, char **ret_out, char **ret_err, int *ret_status,
	GError **error)
{
	g_autoptr(GCancellable) never = g_cancellable_new();
	guint tick = progress ? g_timeout_add(TICK_MS, on_tick, progress) : 0;
	gboolean fine = subprocess_run_long(argv, RENDER_TIMEOUT_S, progress ? never : NULL, ret_out, ret_err, ret_status, error);

	if (tick)
		g_source_remove(tick);
	return fine;
}

/* TRUE: rendered or failed for good (*error set). FALSE: this Python will not do, *why says why not. */
static gboolean try_python(const char *python, const char *script, const char *format, const char *json,
	const char *folder, Progress *progress, char **ret_text, char **why, GError **error)
{
	/* -I: what PYTHON* variables and the working folder hold must not change a report; -B: nothing is written beside
	 * the installed script. */
	const char *const argv[] = {python, "-I", "-B", script, format, json, folder, NULL};
	g_autofree char *err = NULL;
	g_autofree char *out = NULL;
	g_autoptr(GError) local = NULL;
	int status;

	if (!run_child(argv, progress, &out, &err, &status, &local)) {
		*why = g_strdup(local->message);
		return FALSE;
	}
	if (status == RENDER_LACKING) {
		*why = g_steal_pointer(&err);
		return FALSE;
	}
	if (status != 0) {
		const char *line = strrchr(err, '\n');

		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s %s ended with status %d: %s", python, script,
			status, line ? line + 1 : err);
		return TRUE;
	}
	*ret_text = g_steal_pointer(&out);
	return TRUE;
}

/* The Pythons to try: the user's choice alone, else the distribution's, which has Debian's Jinja2, then PATH's. */
static char *run_python(const char *script, const char *format, const char *json, const char *folder, Progress *progress,
	GError **error)
{
	const char *chosen = g_getenv("IOGAP_PYTHON");
	const char *const usual[] = {"/usr/bin/python3", "python3", NULL};
	const char *const own[] = {chosen, NULL};
	g_autoptr(GPtrArray) whys = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *tried = NULL;

	for (const char *const *python = chosen && *chosen ? own : usual; *python; python++) {
		char *text = NULL, *why = NULL;

		if (try_python(*python, script, format, json, folder, progress, &text, &why, error))
			return text;
		g_ptr_array_add(whys, why);
	}
	g_ptr_array_add(whys, NULL);
	tried = g_strjoinv("; ", (char **)whys->pdata);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"no Python can render the %s report (%s): install the packages python3 and python3-jinja2, or name a "
		"Python that has them in IOGAP_PYTHON",
		format, tried);
	return NULL;
}

static gboolean write_fd(int fd, const char *path, const char *text, GError **error)
{
	gsize left = strlen(text);

	while (left > 0) {
		gssize done = write(fd, text, left);

		if (done < 0) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write %s: %s", path,
				g_strerror(errno));
			return FALSE;
		}
		text += done;
		left -= done;
	}
	return TRUE;
}

/* FOLDER: where the format "plots" writes its files; NULL for all others. */
static char *render_json(const char *json, const char *format, const char *folder, Progress *progress, GError **error)
{
	g_autofree char *script = paths_share("reports/render.py");
	g_autofree char *path = NULL;
	g_autoptr(GError) local = NULL;
	char *text = NULL;
	int fd;

	if (!g_file_test(script, G_FILE_TEST_EXISTS)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the renderer %s is missing: install iogap again, or name its shared files in IOGAP_SHARE", script);
		return NULL;
	}
	fd = g_file_open_tmp("iogap-report-XXXXXX.json", &path, &local);
	if (fd < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make a temporary file for the report: %s",
			local->message);
		return NULL;
	}
	if (write_fd(fd, path, json, error))
		text = run_python(script, format, path, folder, progress, error);
	close(fd);
	g_unlink(path);
	return text;
}

char *render_document(const json_t *document, const char *format, GError **error)
{
	g_autofree char *json = json_lines(document);
	g_autofree char *text = render_json(json, format, NULL, NULL, error);

	/* Reading a child's output takes the closing newline away. */
	return text ? g_strconcat(text, "\n", NULL) : NULL;
}

char *render_document_files(const json_t *document, const char *format, const char *folder, GError **error)
{
	g_autofree char *json = json_lines(document);

	return render_json(json, format, folder, NULL, error);
}

/* ---- reports of a sweep ---- */

static void step(Progress *progress, const char *what, double expected_s)
{
	if (progress)
		progress_step(progress, what, expected_s);
}

static void done(Progress *progress, const char *what)
{
	if (progress)
		progress_done(progress, what);
}

/* JSON is the document's text, made once for all formats; NAME a format, with its shape or without. */
static gboolean append_format(const char *json, const char *name, Progress *progress, GString *out, GError **error)
{
	g_autofree char *text = NULL;

	if (g_str_equal(name, "json")) {
		g_string_append(out, json);
		return TRUE;
	}
	step(progress, name, report_expected_s(name, strlen(json)));
	text = render_json(json, name, NULL, progress, error);
	if (!text)
		return FALSE;
	done(progress, "rendered");
	g_string_append(out, text);
	g_string_append_c(out, '\n');
	return TRUE;
}

static char *report_text(Store *store, gint64 sweep, Progress *progress, GError **error)
{
	json_t *report;
	char *json;

	step(progress, "reading the sweep", 0);
	report = report_json(store, sweep, error);
	if (!report)
		return NULL;
	json = json_lines(report);
	json_decref(report);
	done(progress, "read");
	return json;
}

gboolean report_render(Store *store, gint64 sweep, const char *format, Progress *progress, GString *out, GError **error)
{
	const ReportFormat *found = report_format_find(format, error);
	g_autofree char *json = found ? report_text(store, sweep, progress, error) : NULL;

	return json && append_format(json, format, progress, out, error);
}

char *report_plots(Store *store, gint64 sweep, const char *dir, Progress *progress, GError **error)
{
	g_autofree char *json = report_text(store, sweep, progress, error);
	char *line;

	if (!json)
		return NULL;
	step(progress, "plots", report_expected_s("plots", strlen(json)));
	line = render_json(json, "plots", dir, progress, error);
	if (line)
		done(progress, "drawn");
	return line;
}

/* The name under which FORMAT is asked for in FORMATS (NULL: all of them), NULL when it is not. */
static const char *wanted(const ReportFormat *format, const char *const *formats)
{
	for (guint i = 0; formats && formats[i]; i++)
		if (report_format_find(formats[i], NULL) == format)
			return formats[i];
	return formats ? NULL : format->name;
}

static gboolean write_file(const char *dir, const char *name, const GString *text, GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autoptr(GError) local = NULL;

	/* Written beside it, synced, renamed over it. */
	if (g_file_set_contents_full(path, text->str, text->len,
		    G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0644, &local))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write the report: %s", local->message);
	return FALSE;
}

gboolean report_write(Store *store, gint64 sweep, const char *dir, const char *const *formats, Progress *progress,
	GError **error)
{
	g_autofree char *json = NULL;
	g_autoptr(GString) whole = NULL;

	for (guint i = 0; formats && formats[i]; i++)
		if (!report_format_find(formats[i], error))
			return FALSE;
	json = report_text(store, sweep, progress, error);
	if (!json)
		return FALSE;
	if (g_mkdir_with_parents(dir, 0755) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the folder %s: %s", dir,
			g_strerror(errno));
		return FALSE;
	}
	/* report.json is always there, written before the rest. */
	whole = g_string_new(json);
	if (!write_file(dir, "report.json", whole, error))
		return FALSE;
	for (const ReportFormat *format = report_formats; format->name; format++) {
		const char *name = g_str_equal(format->name, "json") ? NULL : wanted(format, formats);
		g_autoptr(GString) text = g_string_new(NULL);

		if (name && (!append_format(json, name, progress, text, error) || !write_file(dir, format->file, text, error)))
			return FALSE;
	}
	return TRUE;
}
