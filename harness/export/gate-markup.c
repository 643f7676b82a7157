/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate for other programs: JUnit XML, GitHub's workflow commands, GitLab's metrics. */
#include "harness/export/gate-render.h"

#include <string.h>

#define ANNOTATIONS 9 /* GitHub shows ten errors of a step */
#define ANNOTATION_ROOM 16000 /* bytes of one annotation's text; GitHub takes 64 KiB, in which an escaped byte may be three */

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

/* The exit status, with what is not decided as a failure where the user wants it so. */
static json_int_t shown_code(const json_t *report)
{
	json_int_t code = json_integer_value(json_object_get(report, "exit"));

	return code == 3 && g_str_equal(gate_text(report, "inconclusive"), "fail") ? 1 : code;
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

/* Rows of an advisory family never fail; what they found is a skipped case, which readers show. */
static CaseKind family_case_kind(const json_t *family, const json_t *row)
{
	CaseKind kind = case_kind(row);

	if (!family || gate_is(family, "gating"))
		return kind;
	return kind == CASE_PASSED ? CASE_PASSED : CASE_SKIPPED;
}

/* FAMILY is NULL for throughput. */
static void append_case(GString *out, const json_t *family, const json_t *row)
{
	static const char *const elements[] = {NULL, "failure", "error", "skipped"};
	g_autofree char *name = xml(gate_text(row, "name")), *words = gate_row_words(row), *message = xml(words);
	const char *element = elements[family_case_kind(family, row)], *verdict = gate_text(row, "verdict");

	g_string_append_printf(out, "  <testcase classname=\"iogap.gate.%s%s%s\" name=\"%s\" time=\"0\"",
		family ? gate_text(family, "name") : "", family ? "." : "", gate_is(row, "group") ? "group" : "cell", name);
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
	json_int_t code = shown_code(report);

	g_string_append(out, "  <testcase classname=\"iogap.gate\" name=\"verdict\" time=\"0\"");
	if (code == 0)
		g_string_append_printf(out, "><system-out>%s</system-out></testcase>\n", message);
	else if (code == 3) /* JUnit's schema has no type on it */
		g_string_append_printf(out, "><skipped message=\"%s\"/></testcase>\n", message);
	else
		g_string_append_printf(out, "><%s type=\"%s\" message=\"%s\"/></testcase>\n",
			code == 1 ? "failure" : "error", gate_text(report, "verdict"), message);
}

static void append_cases(GString *out, const json_t *family, const json_t *rows, guint counts[4])
{
	const json_t *row;
	gsize i;

	json_array_foreach(rows, i, row) {
		append_case(out, family, row);
		counts[family_case_kind(family, row)]++;
	}
}

/* The rules that were in force, in the order of their weight; a property needs a name of its own. */
static void append_properties(GString *out, const json_t *report)
{
	g_autoptr(GPtrArray) in_force = gate_in_force(report);

	if (in_force->len == 0)
		return;
	g_string_append(out, "  <properties>\n");
	for (guint i = 0; i < in_force->len; i++) {
		g_autofree char *value = xml(in_force->pdata[i]);

		g_string_append_printf(out, "   <property name=\"iogap.in_force.%u\" value=\"%s\"/>\n", i + 1, value);
	}
	g_string_append(out, "  </properties>\n");
}

void gate_render_junit(const json_t *report, GString *out)
{
	json_int_t code = shown_code(report);
	guint counts[4] = {0}, n = 0;
	const json_t *family;
	g_autoptr(GString) cases = g_string_new(NULL);
	g_autoptr(GString) properties = g_string_new(NULL);
	gsize i;

	append_properties(properties, report);
	append_verdict(cases, report);
	counts[code == 0 ? CASE_PASSED : code == 1 ? CASE_FAILURE : code == 3 ? CASE_SKIPPED : CASE_ERROR]++;
	append_cases(cases, NULL, json_object_get(report, "rows"), counts);
	json_array_foreach(json_object_get(report, "families"), i, family)
		append_cases(cases, family, json_object_get(family, "rows"), counts);
	n = counts[0] + counts[1] + counts[2] + counts[3];
	g_string_append_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n <testsuite name=\"iogap gate\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n%s%s"
		" </testsuite>\n</testsuites>\n",
		n, counts[CASE_FAILURE], counts[CASE_ERROR], counts[CASE_SKIPPED], properties->str,
		cases->str);
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

/* How many annotations of a level were written, and how many more there would have been. */
typedef struct {
	const char *level;
	guint said, more;
} Annotations;

static void annotate(GString *out, Annotations *annotations, const json_t *family, const json_t *row)
{
	g_autofree char *words = gate_row_words(row), *title = NULL;

	if (annotations->said >= ANNOTATIONS) {
		annotations->more++;
		return;
	}
	annotations->said++;
	title = g_strdup_printf("%s %s%s%s", gate_text(row, "verdict"), gate_text(row, "name"), family ? " " : "",
		family ? gate_text(family, "what") : "");
	command(out, annotations->level, title, words);
}

static void annotate_rows(GString *out, Annotations *annotations, const json_t *family, const json_t *rows)
{
	gboolean advisory = family && !gate_is(family, "gating");
	const json_t *row;
	gsize i;

	json_array_foreach(rows, i, row) {
		CaseKind kind = case_kind(row);

		if (kind == CASE_FAILURE || (kind == CASE_ERROR && !advisory))
			annotate(out, annotations, family, row);
	}
}

static void annotate_more(GString *out, const Annotations *annotations)
{
	g_autofree char *text = g_strdup_printf("and %u more", annotations->more);

	if (annotations->more)
		command(out, annotations->level, "iogap gate", text);
}

/* One notice for all rules in force; what is beyond the room of an annotation is counted. */
static void annotate_in_force(GString *out, const json_t *report)
{
	g_autoptr(GPtrArray) in_force = gate_in_force(report);
	g_autoptr(GString) text = g_string_new(NULL);
	guint i;

	for (i = 0; i < in_force->len; i++) {
		g_autofree char *line = gate_one_line(in_force->pdata[i]);

		if (text->len + strlen(line) > ANNOTATION_ROOM)
			break;
		g_string_append_printf(text, "%s%s", i ? "\n" : "", line);
	}
	if (i < in_force->len)
		g_string_append_printf(text, "\nand %u more; the JSON has them all", in_force->len - i);
	if (in_force->len)
		command(out, "notice", "iogap gate in force", text->str);
}

void gate_render_github(const json_t *report, GString *out)
{
	g_autofree char *headline = gate_headline(report);
	json_int_t code = shown_code(report);
	Annotations errors = {.level = "error"}, warnings = {.level = "warning"};
	const json_t *family;
	gsize i;

	annotate_rows(out, &errors, NULL, json_object_get(report, "rows"));
	json_array_foreach(json_object_get(report, "families"), i, family)
		annotate_rows(out, gate_is(family, "gating") ? &errors : &warnings, family, json_object_get(family, "rows"));
	annotate_more(out, &errors);
	annotate_more(out, &warnings);
	command(out, code == 0 ? "notice" : code == 3 ? "warning" : errors.said ? "notice" : "error", "iogap gate", headline);
	annotate_in_force(out, report);
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

/* A doubt is no figure: the rows that show one of flagged runs, under the name of the metrics that they belong to. */
static void append_flagged(GString *out, const json_t *rows, const char *prefix)
{
	const json_t *row;
	gsize i;

	g_string_append_printf(out, "# HELP %s_flagged Flags of the runs behind the figures of this row.\n# TYPE %s_flagged info\n", prefix, prefix);
	json_array_foreach(rows, i, row) {
		g_autofree char *flags = gate_row_flags(row);

		if (!*flags)
			continue;
		g_string_append_printf(out, "%s_flagged_info{cell=\"", prefix);
		append_label(out, gate_text(row, "name"));
		g_string_append(out, "\",flags=\"");
		append_label(out, flags + strlen("flagged: "));
		g_string_append(out, "\"} 1\n");
	}
}

/* One metric after another, as OpenMetrics wants it. PREFIX begins their names: "iogap_gate". */
static void append_metrics(GString *out, const json_t *rows, const char *prefix, const char *of)
{
	static const struct {
		const char *name, *key, *help;
	} metrics[] = {
		{"slowdown", "slowdown", "Loss of the candidate%s, a fraction; negative is a gain."},
		{"slowdown_upper", "high", "Upper one-sided 95 % bound of its loss%s."},
		{"detectable", "detectable", "Smallest loss%s seen with 95 % power."},
	};
	const json_t *row;
	gsize i;

	for (guint m = 0; m < G_N_ELEMENTS(metrics); m++) {
		g_autofree char *name = g_strdup_printf("%s_%s", prefix, metrics[m].name);
		g_auto(GStrv) help = g_strsplit(metrics[m].help, "%s", 2);

		g_string_append_printf(out, "# HELP %s %s%s%s\n# TYPE %s gauge\n", name, help[0], of, help[1], name);
		json_array_foreach(rows, i, row)
			append_metric(out, name, row, metrics[m].key);
	}
	append_flagged(out, rows, prefix);
}

/* Rules are no figures: OpenMetrics has the type info for such facts. */
static void append_info(GString *out, const json_t *report)
{
	g_autoptr(GPtrArray) in_force = gate_in_force(report);

	if (in_force->len == 0)
		return;
	g_string_append(out, "# HELP iogap_gate_in_force By which rules it was judged, and every exception.\n# TYPE iogap_gate_in_force info\n");
	for (guint i = 0; i < in_force->len; i++) {
		g_string_append_printf(out, "iogap_gate_in_force_info{number=\"%u\",text=\"", i + 1);
		append_label(out, in_force->pdata[i]);
		g_string_append(out, "\"} 1\n");
	}
}

void gate_render_gitlab(const json_t *report, GString *out)
{
	const json_t *family;
	gsize i;

	g_string_append_printf(out, "# HELP iogap_gate_exit Exit status of the gate.\n# TYPE iogap_gate_exit gauge\n"
				    "iogap_gate_exit %" JSON_INTEGER_FORMAT "\n",
		json_integer_value(json_object_get(report, "exit")));
	append_info(out, report);
	append_metrics(out, json_object_get(report, "rows"), "iogap_gate", "");
	json_array_foreach(json_object_get(report, "families"), i, family) {
		g_autofree char *prefix = g_strconcat("iogap_gate_", gate_text(family, "name"), NULL);
		g_autofree char *of = g_strconcat(" in ", gate_text(family, "what"), NULL);

		append_metrics(out, json_object_get(family, "rows"), prefix, of);
	}
	g_string_append(out, "# EOF\n");
}
