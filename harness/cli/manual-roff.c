/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little roff that man pages need. */
#include <string.h>

#include "harness/cli/manual.h"

void roff_text(GString *page, const char *text)
{
	gboolean line_start = page->len == 0 || page->str[page->len - 1] == '\n';

	for (const char *c = text; *c; c++) {
		/* A line that begins with one of these would be a request. */
		if (line_start && (*c == '.' || *c == '\''))
			g_string_append(page, "\\&");
		if (*c == '\\')
			g_string_append(page, "\\e");
		else if (*c == '-')
			g_string_append(page, "\\-");
		else if (*c == '`')
			g_string_append(page, "\\(ga");
		else if (*c == '\'')
			g_string_append(page, "\\(aq");
		else if (*c == '~')
			g_string_append(page, "\\(ti");
		else if (*c == '^')
			g_string_append(page, "\\(ha");
		else
			g_string_append_c(page, *c);
		line_start = *c == '\n';
	}
}

void roff_sentence(GString *page, const char *text)
{
	if (!text || !*text)
		return;
	roff_text(page, text);
	g_string_append(page, g_str_has_suffix(text, ".") ? "\n" : ".\n");
}

void roff_head(GString *page, const char *name, int section, const char *purpose)
{
	g_autofree char *upper = g_ascii_strup(name, -1);

	/* No date: the same source gives the same page. */
	g_string_append_printf(page, ".\\\" made from the program's own tables\n.TH %s %d \"\" \"iogap %s\" \"iogap manual\"\n",
		upper, section, IOGAP_VERSION);
	g_string_append(page, ".nh\n.ad l\n.SH NAME\n");
	roff_text(page, name);
	g_string_append(page, " \\- ");
	roff_text(page, purpose);
	g_string_append_c(page, '\n');
}

void roff_paragraphs(GString *page, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	gboolean kept = FALSE, fresh = TRUE;

	for (guint i = 0; lines[i]; i++) {
		gboolean keep = g_ascii_isspace(lines[i][0]);

		if (kept && !keep)
			g_string_append(page, ".fi\n");
		if (lines[i][0] == '\0') {
			fresh = TRUE;
		} else {
			if (fresh || (keep && !kept))
				g_string_append(page, ".PP\n");
			if (keep && !kept)
				g_string_append(page, ".nf\n");
			roff_text(page, lines[i]);
			g_string_append_c(page, '\n');
			fresh = FALSE;
		}
		kept = keep;
	}
	if (kept)
		g_string_append(page, ".fi\n");
}
