/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value per cell and sweep to the document with levels and change points. */
#include <math.h>

#include "harness/base/environment.h"
#include "harness/compare/change.h"
#include "harness/export/history-private.h"
#include "harness/export/json.h"

/* The values of one cell in one environment. */
typedef struct {
	const HistoryCell *cell;
	guint environment;
	GArray *sweeps; /* of guint: where they are */
	GArray *y;	/* of double */
} Line;

static void line_free(Line *line)
{
	g_array_unref(line->sweeps);
	g_array_unref(line->y);
	g_free(line);
}

static Line *line_new(const History *history, const HistoryCell *cell, guint environment)
{
	Line *line = g_new0(Line, 1);

	line->cell = cell;
	line->environment = environment;
	line->sweeps = g_array_new(FALSE, FALSE, sizeof(guint));
	line->y = g_array_new(FALSE, FALSE, sizeof(double));
	for (guint i = 0; i < history->sweeps->len; i++)
		if (history->environments[i] == environment && isfinite(cell->points[i].y)) {
			g_array_append_val(line->sweeps, i);
			g_array_append_val(line->y, cell->points[i].y);
		}
	return line;
}

/* Sweeps without a fingerprint ([0]) are compared with nothing. */
static GPtrArray *lines_of(const History *history)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)line_free);

	for (guint c = 0; c < history->cells->len; c++)
		for (guint e = 1; e < history->fingerprints->len; e++) {
			Line *line = line_new(history, history->cells->pdata[c], e);

			if (line->y->len)
				g_ptr_array_add(lines, line);
			else
				line_free(line);
		}
	return lines;
}

static guint sweep_at(const Line *line, guint i)
{
	return g_array_index(line->sweeps, guint, i);
}

/* The values FROM to before TO of a line: one level. */
static json_t *level_json(const Line *line, guint from, guint to)
{
	double mean = 0;

	for (guint i = from; i < to; i++)
		mean += g_array_index(line->y, double, i) / (to - from);
	return json_pack("{s:i, s:i, s:i, s:i, s:o}", "environment", (int)line->environment, "from", (int)sweep_at(line, from), "to",
		(int)sweep_at(line, to - 1), "n", (int)(to - from), "value", json_number(exp(mean)));
}

static json_t *change_json(const Line *line, const ChangePoint *point, gboolean higher_is_better)
{
	return json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:b}", "environment", (int)line->environment, "before",
		(int)sweep_at(line, point->at - 1), "sweep", (int)sweep_at(line, point->at), "step", json_number(point->step),
		"low", json_number(point->low), "high", json_number(point->high), "p", json_number(point->p), "better",
		(point->step > 0) == higher_is_better);
}

static void append_line(const Line *line, const ChangeSettings *settings, const HistoryMetric *metric, json_t *levels,
	json_t *changes)
{
	g_autoptr(GArray) found = change_find(settings, (const double *)line->y->data, line->y->len);
	guint from = 0;

	for (guint i = 0; i <= found->len; i++) {
		guint to = i < found->len ? g_array_index(found, ChangePoint, i).at : line->y->len;

		json_array_append_new(levels, level_json(line, from, to));
		if (i < found->len)
			json_array_append_new(changes,
				change_json(line, &g_array_index(found, ChangePoint, i), metric->higher_is_better));
		from = to;
	}
}

/* By sweep; null where the sweep does not have the cell. */
static json_t *points_json(const History *history, const HistoryCell *cell)
{
	json_t *points = json_array();

	for (guint i = 0; i < history->sweeps->len; i++) {
		const HistoryPoint *point = &cell->points[i];

		json_array_append_new(points,
			cell->there[i] ? json_pack("{s:o, s:i, s:i}", "value", json_number(exp(point->y)), "runs", (int)point->runs,
						 "left_out", (int)point->left_out)
				       : json_null());
	}
	return points;
}

static json_t *cell_json(const History *history, const HistoryCell *cell, const GPtrArray *lines, const ChangeSettings *settings,
	const HistoryMetric *metric)
{
	json_t *levels = json_array(), *changes = json_array();

	for (guint i = 0; i < lines->len; i++)
		if (((const Line *)lines->pdata[i])->cell == cell)
			append_line(lines->pdata[i], settings, metric, levels, changes);
	return json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(cell->name), "points", points_json(history, cell), "levels", levels,
		"changes", changes);
}

static json_t *sweeps_json(const History *history)
{
	static const char *const columns[] = {"id", "uuid", "label", "profile", "commit_id", "branch", NULL};
	json_t *sweeps = json_array();

	for (guint i = 0; i < history->sweeps->len; i++) {
		const Record *row = history->sweeps->pdata[i];
		json_t *sweep = json_columns(row, columns);

		json_object_set_new(sweep, "started", json_when(row, "started_unix_ns"));
		json_object_set_new(sweep, "environment", json_integer(history->environments[i]));
		json_array_append_new(sweeps, sweep);
	}
	return sweeps;
}

static json_t *differences_json(const Record *a, const Record *b)
{
	g_autoptr(Record) x = environment_of_sweep(a);
	g_autoptr(Record) y = environment_of_sweep(b);
	g_autoptr(GPtrArray) list = environment_compare(x, y);
	json_t *out = json_array();

	for (guint i = 0; i < list->len; i++) {
		const EnvironmentDifference *d = list->pdata[i];

		if (d->weight <= ENVIRONMENT_FINGERPRINT)
			json_array_append_new(out,
				json_pack("{s:o, s:o, s:o}", "name", json_text(d->name), "before", json_text(d->a), "after",
					json_text(d->b)));
	}
	return out;
}

/* Where the environment differs from that of the sweep before. */
static json_t *breaks_json(const History *history)
{
	json_t *breaks = json_array();

	for (guint i = 1; i < history->sweeps->len; i++)
		if (history->environments[i] != history->environments[i - 1] || history->environments[i] == 0)
			json_array_append_new(breaks,
				json_pack("{s:i, s:o}", "sweep", (int)i, "differences",
					differences_json(history->sweeps->pdata[i - 1], history->sweeps->pdata[i])));
	return breaks;
}

static json_t *metric_json(const HistoryMetric *metric)
{
	return json_pack("{s:s, s:s, s:s, s:b}", "name", metric->name, "unit", metric->unit, "meaning", metric->meaning,
		"higher_is_better", metric->higher_is_better);
}

json_t *history_json(Store *store, const HistoryChoice *choice, GError **error)
{
	g_autoptr(History) history = history_load(store, choice, error);
	g_autoptr(GPtrArray) lines = NULL;
	ChangeSettings settings;
	guint tested = 0, blind = 0;
	json_t *report, *cells;

	if (!history)
		return NULL;
	change_settings_init(&settings);
	settings.least = choice->least;
	settings.length = choice->length;
	lines = lines_of(history);
	for (guint i = 0; i < lines->len; i++)
		tested += change_smallest_p(&settings, ((const Line *)lines->pdata[i])->y->len) < 1;
	settings.level = choice->alpha / MAX(tested, 1);
	for (guint i = 0; i < lines->len; i++)
		blind += change_smallest_p(&settings, ((const Line *)lines->pdata[i])->y->len) > settings.level;
	report = json_pack("{s:s, s:i, s:o, s:o, s:o, s:s, s:o, s:f, s:f, s:i, s:i, s:i, s:f, s:i}", "format", HISTORY_FORMAT, "version",
		HISTORY_VERSION, "metric", metric_json(choice->metric), "branch", json_text(choice->branch), "profile",
		json_text(choice->profile), "order", choice->commits ? "git" : "time", "why_time",
		json_text(choice->commits ? NULL : choice->why_time), "alpha", choice->alpha, "least", choice->least, "length",
		(int)choice->length, "tested", (int)tested, "blind", (int)blind, "level", settings.level, "unfinished",
		(int)history->unfinished);
	json_object_set_new(report, "sweeps", sweeps_json(history));
	json_object_set_new(report, "environments", json_integer(history->fingerprints->len - 1));
	json_object_set_new(report, "breaks", breaks_json(history));
	json_object_set_new(report, "cells", cells = json_array());
	for (guint i = 0; i < history->cells->len; i++)
		json_array_append_new(cells, cell_json(history, history->cells->pdata[i], lines, &settings, choice->metric));
	return report;
}
