/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_CELLS 24

struct Progress {
	ProgressMode mode; /* never AUTO */
	guint steps, finished;
	double expected_s;	/* of the whole work */
	double finished_s;	/* planned seconds of the finished steps */
	double step_s;		/* planned seconds of the step under way */
	gint64 started, step_started; /* monotonic, microseconds */
	char *what;
	gboolean drawn; /* the bar stands on the terminal's last line */
};

static const struct {
	const char *name;
	ProgressMode mode;
} modes[] = {
	{"auto", PROGRESS_AUTO},
	{"bar", PROGRESS_BAR},
	{"lines", PROGRESS_LINES},
	{"json", PROGRESS_JSON},
	{"none", PROGRESS_NONE},
};

gboolean progress_mode_parse(const char *text, ProgressMode *ret)
{
	for (guint i = 0; i < G_N_ELEMENTS(modes); i++) {
		if (g_str_equal(text, modes[i].name)) {
			*ret = modes[i].mode;
			return TRUE;
		}
	}
	return FALSE;
}

Progress *progress_new(ProgressMode mode, guint steps, double expected_s)
{
	Progress *progress = g_new0(Progress, 1);

	if (mode == PROGRESS_AUTO)
		mode = isatty(STDERR_FILENO) ? PROGRESS_BAR : PROGRESS_LINES;
	progress->mode = mode;
	progress->steps = steps;
	progress->expected_s = expected_s;
	progress->started = progress->step_started = g_get_monotonic_time();
	return progress;
}

static void clear_bar(Progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = FALSE;
}

void progress_free(Progress *progress)
{
	if (!progress)
		return;
	clear_bar(progress);
	fflush(stderr);
	g_free(progress->what);
	g_free(progress);
}

static double seconds_since(gint64 then)
{
	return (double)(g_get_monotonic_time() - then) / 1e6;
}

/*
 * Seconds left: what is planned for the rest, stretched by how the finished part compares with its plan once
 * enough of it has passed to tell.
 */
static double seconds_left(const Progress *progress)
{
	double passed = seconds_since(progress->started);
	double in_step = MIN(seconds_since(progress->step_started), progress->step_s);
	double done = progress->finished_s + in_step;
	double stretch = done > 5 ? CLAMP(passed / done, 0.2, 5) : 1;

	return MAX(0, (progress->expected_s - done) * stretch);
}

static char *clock_text(double seconds)
{
	guint s = (guint)(seconds + 0.5);

	if (s >= 3600)
		return g_strdup_printf("%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
	return g_strdup_printf("%u:%02u", s / 60, s % 60);
}

static guint terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static void draw_bar(Progress *progress)
{
	g_autofree char *left = clock_text(seconds_left(progress));
	g_autoptr(GString) line = g_string_new(NULL);
	guint filled = progress->steps ? progress->finished * BAR_CELLS / progress->steps : 0;
	guint width = terminal_width() - 1;

	g_string_append_c(line, '[');
	for (guint i = 0; i < BAR_CELLS; i++)
		g_string_append_c(line, i < filled ? '#' : '.');
	g_string_append_printf(line, "] %u/%u  %s left  %s", progress->finished, progress->steps, left,
		progress->what ? progress->what : "");
	/* A bar that wraps would leave its first line behind. */
	if (line->len > width)
		g_string_truncate(line, width);
	fprintf(stderr, "\r%s\033[K", line->str);
	fflush(stderr);
	progress->drawn = TRUE;
}

static char *json_text(const char *text)
{
	g_autoptr(GString) out = g_string_new("\"");

	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			g_string_append_printf(out, "\\%c", *p);
		else if ((guchar)*p < 0x20)
			g_string_append_printf(out, "\\u%04x", (guint)(guchar)*p);
		else
			g_string_append_c(out, *p);
	}
	g_string_append_c(out, '"');
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static void json_line(Progress *progress, const char *event, const char *key, const char *text)
{
	g_autofree char *value = json_text(text);
	char left[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(left, sizeof(left), "%.1f", seconds_left(progress));
	fprintf(stderr, "{\"event\":\"%s\",\"finished\":%u,\"steps\":%u,\"seconds_left\":%s,\"%s\":%s}\n", event,
		progress->finished, progress->steps, left, key, value);
}

void progress_expect(Progress *progress, guint steps, double expected_s)
{
	progress->steps = progress->finished + steps;
	progress->expected_s = progress->finished_s + expected_s;
}

void progress_step(Progress *progress, const char *what, double expected_s)
{
	g_free(progress->what);
	progress->what = g_strdup(what);
	progress->step_s = expected_s;
	progress->step_started = g_get_monotonic_time();
	if (progress->mode == PROGRESS_BAR)
		draw_bar(progress);
	else if (progress->mode == PROGRESS_JSON)
		json_line(progress, "begin", "what", what);
}

void progress_done(Progress *progress, const char *result)
{
	g_autofree char *left = NULL;

	progress->finished++;
	progress->finished_s += progress->step_s;
	progress->step_s = 0;
	progress->step_started = g_get_monotonic_time();
	switch (progress->mode) {
	case PROGRESS_BAR:
		draw_bar(progress);
		break;
	case PROGRESS_LINES:
		left = clock_text(seconds_left(progress));
		fprintf(stderr, "[%u/%u, %s left] %s: %s\n", progress->finished, progress->steps, left,
			progress->what ? progress->what : "", result);
		break;
	case PROGRESS_JSON:
		json_line(progress, "end", "result", result);
		break;
	case PROGRESS_AUTO:
	case PROGRESS_NONE:
		break;
	}
}

void progress_note(Progress *progress, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	if (progress->mode == PROGRESS_NONE)
		return;
	if (progress->mode == PROGRESS_JSON) {
		json_line(progress, "note", "text", text);
		return;
	}
	clear_bar(progress);
	fprintf(stderr, "%s\n", text);
	if (progress->mode == PROGRESS_BAR)
		draw_bar(progress);
}

void progress_tick(Progress *progress)
{
	if (progress->mode == PROGRESS_BAR)
		draw_bar(progress);
}
