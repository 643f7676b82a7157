/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history for people, made of its document alone. */
#include <math.h>
#include <string.h>

#include "harness/export/gate-render.h"
#include "harness/export/history-private.h"
#include "harness/export/render.h"

#define MOST_POINTS 4 /* cells whose every point is listed */

char *history_value_text(const json_t *history, double value)
{
	static const struct {
		double scale;
		const char *letter;
	} steps[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
	const char *unit = gate_text(json_object_get(history, "metric"), "unit");
	char number[64];

	for (guint i = 0; g_str_equal(unit, "bytes/s") || g_str_equal(unit, "1/s"); i++)
		if (value >= steps[i].scale || i == G_N_ELEMENTS(steps) - 1) {
			g_ascii_formatd(number, sizeof(number), "%.4g", value / steps[i].scale);
			return g_strconcat(number, " ", steps[i].letter, g_str_equal(unit, "1/s") ? "/s" : "B/s", NULL);
		}
	if (value >= 1e4)
		g_ascii_formatd(number, sizeof(number), "%.0f", value);
	else
		g_ascii_formatd(number, sizeof(number), "%.4g", value);
	return g_str_equal(unit, "guest/host") ? g_strdup(number) : g_strconcat(number, " ", unit, NULL);
}

char *history_percent(double fraction)
{
	char number[64];

	return g_strdup(g_ascii_formatd(number, sizeof(number), "%.1f", 100 * fraction));
}

char *history_name_of(const json_t *sweep)
{
	const char *commit = json_string_value(json_object_get(sweep, "commit_id"));
	g_autofree char *name = commit ? g_strndup(commit, 12) : NULL;

	return name ? gate_one_line(name)
		    : g_strdup_printf("#%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(sweep, "id")));
}

static const json_t *sweep_of(const json_t *history, const json_t *object, const char *key)
{
	return json_array_get(json_object_get(history, "sweeps"), (gsize)json_integer_value(json_object_get(object, key)));
}

static double real(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

char *history_change_text(const json_t *history, const json_t *change)
{
	const json_t *metric = json_object_get(history, "metric");
	g_autofree char *now = history_name_of(sweep_of(history, change, "sweep"));
	g_autofree char *last = history_name_of(sweep_of(history, change, "before"));
	double step = real(change, "step"), low = real(change, "low"), high = real(change, "high");
	g_autofree char *size = history_percent(fabs(step));
	g_autofree char *a = history_percent(low), *b = history_percent(high);
	g_autofree char *interval = isfinite(low) ? g_strdup_printf(" (95 %%: %s to %s %%)", a, b) : g_strdup("");
	char p[64];

	g_ascii_formatd(p, sizeof(p), "%.2g", real(change, "p"));
	return g_strdup_printf("%s: %s %s by %s %%%s in %s, last seen before in %s, p = %s",
		gate_is(change, "better") ? "BETTER" : "WORSE", gate_text(metric, "name"), step > 0 ? "rose" : "fell", size, interval,
		now, last, p);
}

static void append_changes(GString *out, const json_t *history)
{
	const json_t *cell, *change;
	gsize i, k;
	guint n = 0;

	json_array_foreach(json_object_get(history, "cells"), i, cell) {
		json_array_foreach(json_object_get(cell, "changes"), k, change) {
			g_autofree char *name = gate_one_line(gate_text(cell, "name"));
			g_autofree char *text = history_change_text(history, change);

			if (n++ == 0)
				g_string_append(out, "\nChange points (advice; no verdict)\n");
			g_string_append_printf(out, "  %s\n    %s\n", name, text);
		}
	}
	if (n == 0)
		g_string_append(out, "\nNo change point.\n");
}

static void append_breaks(GString *out, const json_t *history)
{
	const json_t *one, *difference;
	gsize i, k;

	json_array_foreach(json_object_get(history, "breaks"), i, one) {
		g_autofree char *name = history_name_of(sweep_of(history, one, "sweep"));

		g_string_append_printf(out, "%sThe environment changes at %s:", i ? "" : "\n", name);
		json_array_foreach(json_object_get(one, "differences"), k, difference) {
			const json_t *a = json_object_get(difference, "before"), *b = json_object_get(difference, "after");
			g_autofree char *text = g_strdup_printf("%s %s -> %s", gate_text(difference, "name"),
				json_is_string(a) ? json_string_value(a) : "not known",
				json_is_string(b) ? json_string_value(b) : "not known");
			g_autofree char *line = gate_one_line(text);

			g_string_append_printf(out, "%s %s", k ? ";" : "", line);
		}
		if (k == 0)
			g_string_append(out, " one of the sweeps has no fingerprint, so that nobody can tell what differs");
		g_string_append(out, ".\n");
	}
}

/* The level of the newest sweep that has the cell. */
static const json_t *newest(const json_t *cell)
{
	const json_t *level, *best = NULL;
	gsize i;

	json_array_foreach(json_object_get(cell, "levels"), i, level)
		if (!best || json_integer_value(json_object_get(level, "to")) > json_integer_value(json_object_get(best, "to")))
			best = level;
	return best;
}

static void append_cells(GString *out, const json_t *history)
{
	const json_t *cell;
	gsize i;

	g_string_append(out, "\nLevels now (geometric mean of the sweeps since the last change)\n");
	json_array_foreach(json_object_get(history, "cells"), i, cell) {
		const json_t *level = newest(cell);
		g_autofree char *name = gate_one_line(gate_text(cell, "name"));
		g_autofree char *value = level ? history_value_text(history, real(level, "value")) : NULL;
		g_autofree char *since = level ? history_name_of(sweep_of(history, level, "from")) : NULL;
		guint n = level ? gate_count(level, "n") : 0;

		if (level)
			g_string_append_printf(out, "  %-16s %u sweep%s since %s: %s\n", value, n, n == 1 ? "" : "s", since, name);
		else
			g_string_append_printf(out, "  %-16s %s\n", "-", name);
	}
}

static void append_points(GString *out, const json_t *history, const json_t *cell)
{
	g_autofree char *title = gate_one_line(gate_text(cell, "name"));
	const json_t *point, *change;
	gsize i, k;

	g_string_append_printf(out, "\n%s\n", title);
	json_array_foreach(json_object_get(cell, "points"), i, point) {
		const json_t *sweep = json_array_get(json_object_get(history, "sweeps"), i);
		g_autofree char *name = history_name_of(sweep), *value = NULL;
		const char *mark = "";

		if (json_is_null(point))
			continue;
		json_array_foreach(json_object_get(cell, "changes"), k, change)
			if ((gsize)json_integer_value(json_object_get(change, "sweep")) == i)
				mark = gate_is(change, "better") ? "  <- BETTER" : "  <- WORSE";
		value = isfinite(real(point, "value")) ? history_value_text(history, real(point, "value")) : g_strdup("-");
		g_string_append_printf(out, "  %s  %-12s  env %u  %u run%s  %s%s\n", gate_text(sweep, "started"), name,
			gate_count(sweep, "environment"), gate_count(point, "runs"), gate_count(point, "runs") == 1 ? "" : "s", value,
			mark);
	}
}

/* What the change points rest on, and what they cannot say. */
static void append_statement(GString *out, const json_t *history)
{
	g_autofree char *alpha = history_percent(real(history, "alpha")), *least = history_percent(real(history, "least"));
	guint tested = gate_count(history, "tested"), blind = gate_count(history, "blind");

	g_string_append_printf(out,
		"\nFalse alarms: at most %s %% of histories without a change have any change point (permutation test, %u line%s, "
		"Bonferroni), if sweeps are exchangeable: a machine that drifts looks like a change. Steps under %s %% and levels of "
		"fewer than %u sweeps are not reported.\n",
		alpha, tested, tested == 1 ? "" : "s", least, gate_count(history, "length"));
	if (blind)
		g_string_append_printf(out, "%u line%s too few sweeps for any change to be told at that rate.\n", blind,
			blind == 1 ? " has" : "s have");
	if (gate_count(history, "unfinished"))
		g_string_append_printf(out, "%u unfinished sweep%s left out.\n", gate_count(history, "unfinished"),
			gate_count(history, "unfinished") == 1 ? " is" : "s are");
	if (*gate_text(history, "why_time"))
		g_string_append_printf(out, "Not ordered by git: %s.\n", gate_text(history, "why_time"));
}

char *history_text(const json_t *history)
{
	GString *out = g_string_new(NULL);
	const json_t *metric = json_object_get(history, "metric"), *cells = json_object_get(history, "cells"), *cell;
	gsize n = json_array_size(json_object_get(history, "sweeps")), i;

	g_string_append_printf(out, "History of %s (%s; %s is better): %zu cell%s in %zu sweep%s, by %s\n", gate_text(metric, "name"),
		gate_text(metric, "meaning"), gate_is(metric, "higher_is_better") ? "more" : "less", json_array_size(cells),
		json_array_size(cells) == 1 ? "" : "s", n, n == 1 ? "" : "s",
		g_str_equal(gate_text(history, "order"), "git") ? "git's order" : "time");
	append_changes(out, history);
	append_breaks(out, history);
	append_cells(out, history);
	if (json_array_size(cells) <= MOST_POINTS)
		json_array_foreach(cells, i, cell)
			append_points(out, history, cell);
	append_statement(out, history);
	return g_string_free(out, FALSE);
}

gboolean history_html(const json_t *history, GString *out, GError **error)
{
	g_autofree char *text = render_document(history, "history", error);

	if (text)
		g_string_append(out, text);
	return text != NULL;
}

char *history_plots(const json_t *history, const char *folder, GError **error)
{
	return render_document_files(history, "history-plots", folder, error);
}
