/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate as plain text, and the words that all outputs share. */
#include "harness/export/gate-render.h"

#include <math.h>
#include <string.h>

const char *gate_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

gboolean gate_is(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

guint gate_count(const json_t *object, const char *key)
{
	return (guint)json_integer_value(json_object_get(object, key));
}

gboolean gate_row_is(const json_t *row, const char *verdict)
{
	return g_str_equal(gate_text(row, "verdict"), verdict);
}

char *gate_percent(const json_t *object, const char *key, gboolean sign)
{
	const json_t *value = json_object_get(object, key);
	char number[64];

	if (!json_is_number(value))
		return g_strdup("-");
	g_ascii_formatd(number, sizeof(number), sign ? "%+.1f" : "%.1f", 100 * json_number_value(value));
	return g_strdup_printf("%s %%", g_str_equal(number, "-0.0") ? (sign ? "+0.0" : "0.0") : number);
}

char *gate_one_line(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *c = valid; *c; c = g_utf8_next_char(c)) {
		gunichar u = g_utf8_get_char(c);

		g_string_append_unichar(out, g_unichar_iscntrl(u) || u == 0x2028 || u == 0x2029 ? ' ' : u);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

char *gate_headline(const json_t *report)
{
	g_autofree char *line = g_strdup_printf("%s: %s (%s against %s)", gate_text(report, "verdict"), gate_text(report, "why"),
		gate_text(report, "candidate"), gate_text(report, "baseline"));

	return gate_one_line(line);
}

/* p as a fraction where it is one. */
static void append_p(GString *out, const json_t *row, const char *k_key, const char *p_key)
{
	const json_t *k = json_object_get(row, k_key), *p = json_object_get(row, p_key);
	char number[64];

	if (json_is_integer(k) && json_is_number(p))
		g_string_append_printf(out, ", p = %" JSON_INTEGER_FORMAT "/%.0f", json_integer_value(k),
			(double)json_integer_value(k) / json_number_value(p));
	else if (json_is_number(p) && !(json_number_value(p) > 0)) /* too small for a double, and still not 0 */
		g_string_append(out, ", p < 1e-300");
	else if (json_is_number(p))
		g_string_append_printf(out, ", p = %s", g_ascii_formatd(number, sizeof(number), "%.2g", json_number_value(p)));
}

static void append_flags(GString *out, const json_t *row, const char *key, const char *words)
{
	const json_t *flag;
	gsize i;

	json_array_foreach(json_object_get(row, key), i, flag)
		g_string_append_printf(out, "%s%s", i ? ", " : out->len ? "; " : "", json_string_value(flag));
	if (i)
		g_string_append(out, words);
}

char *gate_row_flags(const json_t *row)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *line = NULL;

	append_flags(out, row, "flags", "");
	append_flags(out, row, "flags_left_out", " (left out)");
	line = gate_one_line(out->str);
	return *line ? g_strconcat("flagged: ", line, NULL) : g_strdup("");
}

char *gate_row_words(const json_t *row)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *slow = gate_percent(row, "slowdown", TRUE), *low = gate_percent(row, "low", TRUE);
	g_autofree char *high = gate_percent(row, "high", TRUE), *reason = gate_one_line(gate_text(row, "reason"));
	g_autofree char *flags = gate_row_flags(row);
	gboolean improved = gate_row_is(row, "IMPROVED");

	if (json_is_number(json_object_get(row, "slowdown")))
		g_string_append_printf(out, "slowdown %s (%s to %s)", slow, low, high);
	append_p(out, row, improved ? "k_improved" : "k_adjusted", improved ? "p_improved" : "p_adjusted");
	if (*reason)
		g_string_append_printf(out, "%s%s", out->len ? "; " : "", reason);
	if (*flags)
		g_string_append_printf(out, "%s%s", out->len ? "; " : "", flags);
	if (gate_is(row, "waived"))
		g_string_append_printf(out, "%swaived", out->len ? "; " : "");
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static void say(GPtrArray *list, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void say(GPtrArray *list, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(list, g_strdup_vprintf(format, args));
	va_end(args);
}

/* Cells of which it is known that they can see a loss of DETECT; one without a figure cannot. */
static guint count_able(const json_t *report, double detect)
{
	const json_t *row;
	guint n = 0;
	gsize i;

	json_array_foreach(json_object_get(report, "rows"), i, row) {
		const json_t *seen = json_object_get(row, "detectable");

		n += !gate_is(row, "group") && json_is_number(seen) && json_number_value(seen) <= detect;
	}
	return n;
}

/* Shares of alpha, and what holds in the families beside throughput. */
static void say_families(GPtrArray *list, const json_t *report)
{
	g_autofree char *alpha = gate_percent(report, "alpha", FALSE);
	const json_t *family;
	gsize i;

	if (gate_count(report, "gating") > 1)
		say(list, "Alpha of %s is shared equally by the %u families that decide.", alpha, gate_count(report, "gating"));
	json_array_foreach(json_object_get(report, "families"), i, family) {
		const json_t *settings = json_object_get(family, "settings");
		g_autofree char *own = gate_percent(settings, "alpha", FALSE), *least = gate_percent(settings, "least", FALSE);
		g_autofree char *group = gate_percent(settings, "group_least", FALSE), *detect = gate_percent(settings, "detect", FALSE);
		g_autofree char *group_detect = gate_percent(settings, "group_detect", FALSE);

		if (settings)
			say(list, "%s (%s is better, %s): REGRESSED from a loss of %s (groups %s), OK below %s (groups %s), false alarms at "
				"most %s for this family alone.", gate_text(family, "what"), gate_text(family, "better"),
				gate_is(family, "gating") ? "gating" : "advisory: never an exit status", least, group, detect, group_detect, own);
		else
			say(list, "%s (%s): no run has it.", gate_text(family, "what"), gate_is(family, "gating") ? "gating" : "advisory");
	}
}

/* The rules stand in every report; what came out only where rows were judged. */
static gboolean is_judged(const json_t *report)
{
	return json_object_get(report, "family") != NULL;
}

static void say_method(GPtrArray *list, const json_t *report, const json_t *settings)
{
	g_autofree char *alpha = gate_percent(settings, "alpha", FALSE);
	g_autofree char *detect = gate_percent(settings, "detect", FALSE);
	g_autofree char *least = gate_percent(settings, "least", FALSE);
	g_autofree char *group_least = gate_percent(settings, "group_least", FALSE);
	g_autofree char *group_detect = gate_percent(settings, "group_detect", FALSE);

	say(list, "In force: REGRESSED from %s (groups %s); OK below %s (groups %s) with 95 %% confidence for each row alone.", least,
		group_least, detect, group_detect);
	if (!is_judged(report))
		say(list, "False alarms: at most %s of %s without a change; nothing is judged here.", alpha,
			g_str_equal(gate_text(report, "method"), "paired") ? "sweeps" : "candidates");
	else if (g_str_equal(gate_text(report, "method"), "paired"))
		say(list, "False alarms: at most %s of sweeps without a change (sign-flip max-T over %u rows, resolution 1/%u).", alpha,
			gate_count(report, "family"), gate_count(report, "flips"));
	else
		say(list, "False alarms: at most %s of candidates without a change, if sweeps vary normally (prediction interval from "
			"%u baseline sweeps, Bonferroni over %u rows).", alpha, gate_count(report, "baseline_sweeps"),
			gate_count(report, "family"));
}

static void say_reach(GPtrArray *list, const json_t *report, const json_t *settings)
{
	g_autofree char *detect = gate_percent(settings, "detect", FALSE);

	say(list, "With the spread measured %u of %u cells can see a loss of %s.",
		count_able(report, json_number_value(json_object_get(settings, "detect"))), gate_count(report, "cells"), detect);
}

static void say_control(GPtrArray *list, const json_t *report)
{
	const json_t *control = json_object_get(report, "control");
	g_autofree char *mean = gate_percent(control, "mean", TRUE);

	if (json_is_object(control) && g_strcmp0(json_string_value(json_object_get(report, "method")), "stored") == 0)
		say(list, "Control: the host's own rate differs by %s from that of %u baseline sweeps%s.", mean, gate_count(control, "n"),
			gate_is(control, "drift") ? ": CONTROL_DRIFT, no verdict is given" : "; no drift found is no proof of none");
	else if (json_is_object(control))
		say(list, "Control: the host's own rate differs by %s between the arms over %u blocks%s.", mean, gate_count(control, "n"),
			gate_is(control, "drift") ? ": CONTROL_DRIFT, no verdict is given" : "; no drift found is no proof of none");
	else
		say(list, "Control: there is none in this data.");
}

GPtrArray *gate_in_force(const json_t *report)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
	const json_t *settings = json_object_get(report, "settings"), *text;
	const char *inconclusive = gate_text(report, "inconclusive");
	gsize i;

	if (gate_is(report, "forced"))
		say(list, "WARNING: the environments differ, and the figures are shown because the user insists.");
	if (*inconclusive)
		say(list, "What is not decided counts as %s (--inconclusive=%s).", g_str_equal(inconclusive, "pass") ? "passed" : "failed",
			inconclusive);
	json_array_foreach(json_object_get(settings, "accepted_flags"), i, text)
		say(list, "Accepted by the user: runs flagged %s count.", json_string_value(text));
	if (settings) {
		say_method(list, report, settings);
		say_families(list, report);
	}
	json_array_foreach(json_object_get(report, "waivers"), i, text)
		say(list, "Waived: %s", json_string_value(text));
	return list;
}

GPtrArray *gate_remarks(const json_t *report)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
	const json_t *settings = json_object_get(report, "settings"), *text;
	gsize i;

	if (settings && is_judged(report)) {
		say_reach(list, report, settings);
		say_control(list, report);
	}
	json_array_foreach(json_object_get(report, "notes"), i, text)
		say(list, "Note: %s.", json_string_value(text));
	json_array_foreach(json_object_get(report, "differences"), i, text)
		say(list, "Differs: %s", json_string_value(text));
	return list;
}

GPtrArray *gate_statements(const json_t *report)
{
	g_autoptr(GPtrArray) remarks = gate_remarks(report);
	GPtrArray *list = gate_in_force(report);

	g_ptr_array_extend_and_steal(list, g_steal_pointer(&remarks));
	return list;
}

static void append_row(GString *out, const json_t *row, int width)
{
	g_autofree char *name = gate_one_line(gate_text(row, "name")), *words = gate_row_words(row);
	g_autofree char *mde = gate_percent(row, "detectable", FALSE), *spread = gate_percent(row, "spread", FALSE);

	g_string_append_printf(out, "%-13s%s %s%*s  n %2u  spread %-7s sees %-7s %s\n", gate_text(row, "verdict"),
		gate_is(row, "waived") ? "*" : " ", name, width - (int)g_utf8_strlen(name, -1), "", gate_count(row, "n"), spread, mde, words);
}

const char *const gate_decided[] = {"REGRESSED", "IMPROVED", NULL};

/* "2 REGRESSED, 9 OK", by the order of first appearance. */
char *gate_tally(const json_t *family)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GString) out = g_string_new(NULL);
	const json_t *row;
	gsize i;

	json_array_foreach(json_object_get(family, "rows"), i, row)
		if (!g_ptr_array_find_with_equal_func(names, gate_text(row, "verdict"), g_str_equal, NULL))
			g_ptr_array_add(names, (char *)gate_text(row, "verdict"));
	for (guint n = 0; n < names->len; n++) {
		guint count = 0;

		json_array_foreach(json_object_get(family, "rows"), i, row)
			count += gate_row_is(row, names->pdata[n]);
		g_string_append_printf(out, "%s%u %s", n ? ", " : "", count, (char *)names->pdata[n]);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static int width_of(const json_t *rows)
{
	const json_t *row;
	int width = 0;
	gsize i;

	json_array_foreach(rows, i, row) {
		g_autofree char *name = gate_one_line(gate_text(row, "name"));

		width = MAX(width, (int)g_utf8_strlen(name, -1));
	}
	return width;
}

/* All rows of a family that gates; what was decided of an advisory one, and the rest counted. */
static void append_family(GString *out, const json_t *family, int width)
{
	g_autofree char *tally = gate_tally(family);
	const json_t *row;
	gsize i;

	if (json_array_size(json_object_get(family, "rows")) == 0)
		return;
	g_string_append_printf(out, "%s (%s): %s\n", gate_text(family, "what"), gate_is(family, "gating") ? "gating" : "advisory", tally);
	json_array_foreach(json_object_get(family, "rows"), i, row)
		if (gate_is(family, "gating") || g_strv_contains(gate_decided, gate_text(row, "verdict")))
			append_row(out, row, width);
	g_string_append_c(out, '\n');
}

void gate_render_text(const json_t *report, GString *out)
{
	g_autofree char *headline = gate_headline(report);
	g_autoptr(GPtrArray) statements = gate_statements(report);
	int width = width_of(json_object_get(report, "rows"));
	const json_t *row, *family;
	gsize i;

	g_string_append_printf(out, "%s\n\n", headline);
	json_array_foreach(json_object_get(report, "rows"), i, row)
		append_row(out, row, width);
	if (i)
		g_string_append_c(out, '\n');
	json_array_foreach(json_object_get(report, "families"), i, family)
		append_family(out, family, width);
	for (guint s = 0; s < statements->len; s++) {
		g_autofree char *line = gate_one_line(statements->pdata[s]);

		g_string_append_printf(out, "%s\n", line);
	}
}
