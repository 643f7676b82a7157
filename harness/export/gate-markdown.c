/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate as Markdown for a pull request: what matters first, what is long folded, and never too long. */
#include "harness/export/gate-render.h"

#include <string.h>

#define LONGEST_NAME 160
#define LONGEST_LINE 600
#define ROOM_FOR_END 400

/* A cell of a table: nothing in it can become markup, a mention, a link or another cell. */
static char *cell(const char *text, glong longest)
{
	g_autofree char *line = gate_one_line(text);
	g_autoptr(GString) out = g_string_new(NULL);
	glong n = 0;

	for (const char *c = line; *c; c = g_utf8_next_char(c)) {
		gunichar u = g_utf8_get_char(c);

		if (n++ >= longest) {
			g_string_append(out, "...");
			break;
		}
		/* Numeric references cover what GitHub and GitLab read as markup. */
		if (u < 0x80 && strchr("|<>&`*_[]()#@!~\\:", (int)u))
			g_string_append_printf(out, "&#%u;", u);
		else
			g_string_append_unichar(out, u);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static gboolean in_section(const json_t *row, const char *const *verdicts)
{
	return g_strv_contains(verdicts, gate_text(row, "verdict"));
}

static guint count_in(const json_t *report, const char *const *verdicts)
{
	const json_t *row;
	guint n = 0;
	gsize i;

	json_array_foreach(json_object_get(report, "rows"), i, row)
		n += in_section(row, verdicts);
	return n;
}

/* Rows until the room is used up; the rest is counted. */
static void append_table(GString *out, const json_t *report, const char *const *verdicts)
{
	guint left = count_in(report, verdicts);
	const json_t *row;
	gsize i;

	g_string_append(out, "| verdict | row | slowdown | 95 % bounds | p | n | spread | sees |\n|---|---|---|---|---|---|---|---|\n");
	json_array_foreach(json_object_get(report, "rows"), i, row) {
		g_autofree char *name = cell(gate_text(row, "name"), LONGEST_NAME), *slow = gate_percent(row, "slowdown", TRUE);
		g_autofree char *low = gate_percent(row, "low", TRUE), *high = gate_percent(row, "high", TRUE);
		g_autofree char *mde = gate_percent(row, "detectable", FALSE), *spread = gate_percent(row, "spread", FALSE);
		g_autofree char *line = NULL, *words = gate_row_flags(row), *flags = cell(words, LONGEST_NAME);
		const json_t *p = json_object_get(row, gate_row_is(row, "IMPROVED") ? "p_improved" : "p_adjusted");
		char number[64] = "-";

		if (!in_section(row, verdicts))
			continue;
		if (json_is_number(p) && !(json_number_value(p) > 0))
			g_strlcpy(number, "&lt; 1e-300", sizeof(number));
		else if (json_is_number(p))
			g_ascii_formatd(number, sizeof(number), "%.2g", json_number_value(p));
		line = g_strdup_printf("| %s%s | %s%s%s | %s | %s to %s | %s | %u | %s | %s |\n", gate_text(row, "verdict"),
			gate_is(row, "waived") ? " (waived)" : "", name, *flags ? "<br>" : "", flags, slow, low, high, number, gate_count(row, "n"), spread, mde);
		if (out->len + strlen(line) > GATE_MARKDOWN_MAX - ROOM_FOR_END)
			break;
		g_string_append(out, line);
		left--;
	}
	if (left)
		g_string_append_printf(out, "\n%u more rows are left out here; the JSON has them all.\n", left);
}

static void append_section(GString *out, const json_t *report, const char *title, const char *const *verdicts, gboolean folded)
{
	guint n = count_in(report, verdicts);

	if (n == 0 || out->len > GATE_MARKDOWN_MAX - 2 * ROOM_FOR_END)
		return;
	if (folded)
		g_string_append_printf(out, "\n<details><summary>%s (%u)</summary>\n\n", title, n);
	else
		g_string_append_printf(out, "\n### %s (%u)\n\n", title, n);
	append_table(out, report, verdicts);
	if (folded)
		g_string_append(out, "\n</details>\n");
}

/* Sentences up to byte END of the output; the rest is counted. */
static void append_statements(GString *out, const GPtrArray *statements, gsize end)
{
	guint left = statements->len;

	if (left == 0)
		return;
	g_string_append_c(out, '\n');
	for (guint i = 0; i < statements->len; i++) {
		g_autofree char *text = cell(statements->pdata[i], LONGEST_LINE);

		if (out->len + strlen(text) > end)
			break;
		g_string_append_printf(out, "- %s\n", text);
		left--;
	}
	if (left)
		g_string_append_printf(out, "- and %u more; the JSON has them all\n", left);
}

/* A family beside throughput: what it found, and the rest folded where it decides. */
static void append_family(GString *out, const json_t *family)
{
	static const char *const rest[] = {"OK", "INCONCLUSIVE", "TOO_NOISY", "WITHHELD", "MISSING", "INVALID", "NEW", "NO_CHANGE",
		"SENTINEL", NULL};
	gboolean gating = gate_is(family, "gating");
	g_autofree char *tally = gate_tally(family);
	g_autofree char *title = g_strdup_printf("%s (%s): %s", gate_text(family, "what"), gating ? "gating" : "advisory", tally);
	g_autofree char *others = g_strdup_printf("%s, all others", gate_text(family, "what"));

	if (count_in(family, gate_decided))
		append_section(out, family, title, gate_decided, !gating);
	else if (*tally && out->len < GATE_MARKDOWN_MAX - 2 * ROOM_FOR_END)
		g_string_append_printf(out, "\n%s\n", title);
	if (gating)
		append_section(out, family, others, rest, TRUE);
}

void gate_render_markdown(const json_t *report, GString *out)
{
	static const char *const bad[] = {"REGRESSED", "MISSING", "INVALID", NULL};
	static const char *const open[] = {"INCONCLUSIVE", "TOO_NOISY", "WITHHELD", NULL};
	static const char *const rest[] = {"OK", "IMPROVED", "NEW", "NO_CHANGE", "SENTINEL", NULL};
	g_autofree char *headline = gate_headline(report), *safe = cell(headline, LONGEST_LINE);
	/* The caller's text is not counted, ours alone. */
	g_autoptr(GString) own = g_string_new(NULL);
	g_autoptr(GPtrArray) in_force = gate_in_force(report);
	g_autoptr(GPtrArray) remarks = gate_remarks(report);
	const json_t *family;
	gsize i;

	g_string_append_printf(own, "## iogap gate\n\n**%s**\n", safe);
	/* The rules come before the rows, so that no number of rows takes their place; half of the room is for the rows. */
	append_statements(own, in_force, GATE_MARKDOWN_MAX / 2);
	append_section(own, report, "Regressed, missing or invalid", bad, FALSE);
	append_section(own, report, "Not decided", open, FALSE);
	json_array_foreach(json_object_get(report, "families"), i, family)
		append_family(own, family);
	append_statements(own, remarks, GATE_MARKDOWN_MAX - 2 * ROOM_FOR_END);
	append_section(own, report, "All others", rest, TRUE);
	g_string_append_len(out, own->str, (gssize)own->len);
}
