/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate for other programs: JUnit XML, GitHub's workflow commands, GitLab's metrics. */
#include "harness/export/gate-render.h"

#define ANNOTATIONS 9 /* GitHub shows ten errors of a step */

/* Characters that XML 1.0 cannot hold at all are replaced, the others escaped. */
static char *xml(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *c = valid; *c; c = g_utf8_next_char(c)) {
		gunichar u = g_utf8_get_char(c);

		switch (u) {
		case '<': g_string_append(out, "&lt;"); break;
		case '>': g_string_append(out, "&gt;"); break;
		case '&': g_string_append(out, "&amp;"); break;
		case '"': g_string_append(out, "&quot;"); break;
		case '\'': g_string_append(out, "&apos;"); break;
		case '\t': g_string_append(out, "&#9;"); break;
		case '\n': g_string_append(out, "&#10;"); break;
		case '\r': g_string_append(out, "&#13;"); break;
		default: g_string_append_unichar(out, u < 0x20 || u == 0xfffe || u == 0xffff ? 0xfffd : u);
		}
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

typedef enum { CASE_PASSED, CASE_FAILURE, CASE_ERROR, CASE_SKIPPED } CaseKind;

static CaseKind case_kind(const json_t *row)
{
	static const char *const skipped[] = {"INCONCLUSIVE", "TOO_NOISY", "WITHHELD", "SENTINEL", NULL};

	if (gate_is(row, "waived"))
		return gate_row_is(row, "OK") || gate_row_is(row, "IMPROVED") ? CASE_PASSED : CASE_SKIPPED;
	if (gate_row_is(row, "REGRESSED"))
		return CASE_FAILURE;
	if (gate_row_is(row, "INVALID") || gate_row_is(row, "MISSING"))
		return CASE_ERROR;
	return g_strv_contains(skipped, gate_text(row, "verdict")) ? CASE_SKIPPED : CASE_PASSED;
}

static void append_case(GString *out, const json_t *row)
{
	static const char *const elements[] = {NULL, "failure", "error", "skipped"};
	g_autofree char *name = xml(gate_text(row, "name")), *words = gate_row_words(row), *message = xml(words);
	const char *element = elements[case_kind(row)], *verdict = gate_text(row, "verdict");

	g_string_append_printf(out, "  <testcase classname=\"iogap.gate.%s\" name=\"%s\" time=\"0\"",
		gate_is(row, "group") ? "group" : "cell", name);
	if (!element)
		g_string_append_printf(out, "><system-out>%s%s%s</system-out></testcase>\n", verdict, *message ? ": " : "", message);
	else if (g_str_equal(element, "skipped"))
		g_string_append_printf(out, "><skipped message=\"%s: %s\"/></testcase>\n", verdict, message);
	else
		g_string_append_printf(out, "><%s type=\"%s\" message=\"%s\"/></testcase>\n", element, verdict, message);
}

/* The gate itself is a case too: without it a file of skipped cells would look like success. */
static void append_verdict(GString *out, const json_t *report)
{
	g_autofree char *headline = gate_headline(report), *message = xml(headline);
	json_int_t code = json_integer_value(json_object_get(report, "exit"));

	g_string_append(out, "  <testcase classname=\"iogap.gate\" name=\"verdict\" time=\"0\"");
	if (code == 0)
		g_string_append_printf(out, "><system-out>%s</system-out></testcase>\n", message);
	else if (code == 3) /* JUnit's schema has no type on it */
		g_string_append_printf(out, "><skipped message=\"%s\"/></testcase>\n", message);
	else
		g_string_append_printf(out, "><%s type=\"%s\" message=\"%s\"/></testcase>\n",
			code == 1 ? "failure" : "error", gate_text(report, "verdict"), message);
}

void gate_render_junit(const json_t *report, GString *out)
{
	json_int_t code = json_integer_value(json_object_get(report, "exit"));
	guint counts[4] = {0}, n = 0;
	const json_t *row;
	g_autoptr(GString) cases = g_string_new(NULL);
	gsize i;

	append_verdict(cases, report);
	counts[code == 0 ? CASE_PASSED : code == 1 ? CASE_FAILURE : code == 3 ? CASE_SKIPPED : CASE_ERROR]++;
	json_array_foreach(json_object_get(report, "rows"), i, row) {
		append_case(cases, row);
		counts[case_kind(row)]++;
	}
	n = counts[0] + counts[1] + counts[2] + counts[3];
	g_string_append_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n <testsuite name=\"iogap gate\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n%s"
		" </testsuite>\n</testsuites>\n",
		n, counts[CASE_FAILURE], counts[CASE_ERROR], counts[CASE_SKIPPED], cases->str);
}

/* Data and property values of a workflow command. */
static char *escape_command(const char *text, gboolean property)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *c = text; *c; c++) {
		if (*c == '%' || *c == '\r' || *c == '\n' || (property && (*c == ':' || *c == ',')))
			g_string_append_printf(out, "%%%02X", (guchar)*c);
		else
			g_string_append_c(out, *c);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static void command(GString *out, const char *level, const char *title, const char *text)
{
	g_autofree char *t = escape_command(title, TRUE), *d = escape_command(text, FALSE);

	g_string_append_printf(out, "::%s title=%s::%s\n", level, t, d);
}

void gate_render_github(const json_t *report, GString *out)
{
	g_autofree char *headline = gate_headline(report);
	json_int_t code = json_integer_value(json_object_get(report, "exit"));
	guint said = 0, more = 0;
	const json_t *row;
	gsize i;

	json_array_foreach(json_object_get(report, "rows"), i, row) {
		CaseKind kind = case_kind(row);
		g_autofree char *words = gate_row_words(row), *title = NULL;

		if (kind != CASE_FAILURE && kind != CASE_ERROR)
			continue;
		if (said++ >= ANNOTATIONS) {
			more++;
			continue;
		}
		title = g_strdup_printf("%s %s", gate_text(row, "verdict"), gate_text(row, "name"));
		command(out, "error", title, words);
	}
	if (more) {
		g_autofree char *text = g_strdup_printf("and %u more", more);

		command(out, "error", "iogap gate", text);
	}
	command(out, code == 0 ? "notice" : code == 3 ? "warning" : said ? "notice" : "error", "iogap gate", headline);
}

static void append_label(GString *out, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	for (const char *c = valid; *c; c++) {
		if (*c == '\\' || *c == '"')
			g_string_append_printf(out, "\\%c", *c);
		else if (*c == '\n')
			g_string_append(out, "\\n");
		else
			g_string_append_c(out, (guchar)*c < 0x20 ? ' ' : *c);
	}
}

static void append_metric(GString *out, const char *name, const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);
	char number[64];

	if (!json_is_number(value))
		return;
	g_string_append_printf(out, "%s{cell=\"", name);
	append_label(out, gate_text(row, "name"));
	g_string_append_printf(out, "\"} %s\n", g_ascii_formatd(number, sizeof(number), "%.6g", json_number_value(value)));
}

/* One family after another, as OpenMetrics wants it. */
void gate_render_gitlab(const json_t *report, GString *out)
{
	static const struct {
		const char *name, *key, *help;
	} metrics[] = {
		{"iogap_gate_slowdown", "slowdown", "Slowdown of the candidate, a fraction; negative is faster."},
		{"iogap_gate_slowdown_upper", "high", "Its one-sided upper 95 % bound."},
		{"iogap_gate_detectable", "detectable", "Smallest slowdown seen with 95 % power."},
	};
	const json_t *row;
	gsize i;

	g_string_append_printf(out, "# HELP iogap_gate_exit Exit status of the gate.\n# TYPE iogap_gate_exit gauge\n"
				    "iogap_gate_exit %" JSON_INTEGER_FORMAT "\n",
		json_integer_value(json_object_get(report, "exit")));
	for (guint m = 0; m < G_N_ELEMENTS(metrics); m++) {
		g_string_append_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", metrics[m].name, metrics[m].help, metrics[m].name);
		json_array_foreach(json_object_get(report, "rows"), i, row)
			append_metric(out, metrics[m].name, row, metrics[m].key);
	}
	g_string_append(out, "# EOF\n");
}
