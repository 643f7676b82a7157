/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap(1), iogap-agent(1) and the completion. */
#include "harness/cli/manual.h"

#include <string.h>

#include "harness/base/paths.h"
#include "harness/base/subprocess.h"
#include "harness/cli/verbs.h"

/* All that the program reads: harness/base/paths.h, and harness/export for the last. */
static const struct {
	const char *name, *meaning;
} environment[] = {
	{"IOGAP_STORE", "The store. Default: results/data/iogap.sqlite below the working folder."},
	{"IOGAP_RUNTIME", "Short folder for sockets and locks. Default: /run/iogap for root, else $XDG_RUNTIME_DIR/iogap, "
			  "else /tmp/iogap-UID."},
	{"IOGAP_CACHE", "Folder of caches, which may be deleted at any time. Default: $XDG_CACHE_HOME/iogap, else "
			"~/.cache/iogap."},
	{"IOGAP_SHARE", "Folder of the shipped profiles, schema and templates."},
	{"IOGAP_AGENT", "The agent program. Default: iogap-agent beside iogap."},
	{"IOGAP_ALLOW_PARALLEL", "1 lets a sweep measure while another one does on this machine; its runs are marked THROTTLED then."},
	{"IOGAP_PYTHON", "The Python that renders reports. Default: /usr/bin/python3, else python3."},
};

static const struct {
	const char *status, *meaning;
} statuses[] = {
	{"0", "Done; a gate passed."},
	{"1", "A gate found a regression."},
	{"2", "The command line or the profile is wrong; nothing was started."},
	{"3", "A gate could not tell."},
	{"4", "Nothing to compare or to show: no such sweep."},
	{"5", "A measurement failed; from doctor: a sweep cannot run here."},
	{"130, 143", "Interrupted by SIGINT or SIGTERM; everything finished so far was kept."},
};

static void append_term(GString *page, const char *term)
{
	g_string_append(page, ".TP\n.B ");
	roff_text(page, term);
	g_string_append_c(page, '\n');
}

static void append_option(GString *page, const GOptionEntry *option)
{
	g_string_append(page, ".TP\n");
	if (option->short_name)
		g_string_append_printf(page, "\\fB\\-%c\\fR, ", option->short_name);
	g_string_append(page, "\\fB\\-\\-");
	roff_text(page, option->long_name);
	g_string_append(page, "\\fR");
	if (option->arg_description) {
		g_string_append(page, "=\\fI");
		roff_text(page, option->arg_description);
		g_string_append(page, "\\fR");
	}
	g_string_append_c(page, '\n');
	roff_sentence(page, option->description);
}

static void append_verb(GString *page, const Verb *verb)
{
	g_autofree char *list = verb->list ? verb->list() : NULL;

	g_string_append(page, ".SS \"");
	roff_text(page, verb->name);
	g_string_append(page, " \\- ");
	roff_text(page, verb->summary);
	g_string_append(page, "\"\n.PP\n.B iogap ");
	roff_text(page, verb->name);
	if (verb->options)
		g_string_append(page, " \\fR[\\fIoptions\\fR]");
	if (verb->arguments) {
		g_string_append(page, " \\fI");
		roff_text(page, verb->arguments);
		g_string_append(page, "\\fR");
	}
	g_string_append_c(page, '\n');
	roff_paragraphs(page, verb->description);
	if (list)
		roff_paragraphs(page, list);
	for (guint i = 0; verb->options && verb->options[i].long_name; i++)
		if (!(verb->options[i].flags & G_OPTION_FLAG_HIDDEN))
			append_option(page, &verb->options[i]);
}

char *manual_iogap(GError **error)
{
	GString *page = g_string_new(NULL);

	roff_head(page, "iogap", 1, "measure the gap between guest and host disk I/O");
	g_string_append(page, ".SH SYNOPSIS\n.B iogap\n\\fIVERB\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n.br\n"
			      ".B iogap \\-\\-help\n.br\n.B iogap \\-\\-version\n.SH DESCRIPTION\n");
	roff_paragraphs(page,
		"iogap runs the same disk I/O in a guest and on its host, to the same storage, and reports the ratio of "
		"the two with an interval, with its likely causes, and with every reason not to trust it.\n"
		"\n"
		"Results go to standard output, everything else to standard error. Every verb has --help.");
	g_string_append(page, ".SH VERBS\n");
	for (guint i = 0; verbs[i]; i++)
		if (!verbs[i]->hidden)
			append_verb(page, verbs[i]);
	g_string_append(page, ".SH EXIT STATUS\n");
	for (guint i = 0; i < G_N_ELEMENTS(statuses); i++) {
		append_term(page, statuses[i].status);
		roff_text(page, statuses[i].meaning);
		g_string_append_c(page, '\n');
	}
	g_string_append(page, ".SH ENVIRONMENT\n");
	for (guint i = 0; i < G_N_ELEMENTS(environment); i++) {
		append_term(page, environment[i].name);
		roff_text(page, environment[i].meaning);
		g_string_append_c(page, '\n');
	}
	g_string_append(page, ".SH SEE ALSO\n.BR iogap\\-profile (5),\n.BR iogap\\-agent (1)\n");
	return g_string_free(page, FALSE);
}

char *manual_agent(GError **error)
{
	g_autofree char *agent = paths_agent();
	const char *argv[] = {agent, "--help", NULL};
	g_autofree char *help = NULL;
	GString *page;

	if (!subprocess_run(argv, 20, &help, NULL, NULL, error))
		return NULL;
	page = g_string_new(NULL);
	roff_head(page, "iogap-agent", 1, "generate and time the disk I/O of iogap, on the host and in the guest");
	g_string_append(page, ".SH DESCRIPTION\n");
	roff_paragraphs(page,
		"iogap starts this program itself: as its child on the host, and as the first process of the guest. It "
		"takes requests as JSON lines and answers each with one line; docs/protocol.md of the source describes "
		"them.");
	g_string_append(page, ".SH USAGE\n.nf\n");
	roff_text(page, help);
	g_string_append(page, "\n.fi\n.SH SEE ALSO\n.BR iogap (1)\n");
	return g_string_free(page, FALSE);
}

char *manual_completion(GError **error)
{
	GString *text = g_string_new("# bash completion of iogap, made from its verb table\n_iogap()\n{\n"
				     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n"
				     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords=\"--help --version");

	for (guint i = 0; verbs[i]; i++)
		if (!verbs[i]->hidden)
			g_string_append_printf(text, " %s", verbs[i]->name);
	g_string_append(text, "\"\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n");
	for (guint i = 0; verbs[i]; i++) {
		if (verbs[i]->hidden)
			continue;
		g_string_append_printf(text, "\t\t%s) words=\"--help", verbs[i]->name);
		for (guint j = 0; verbs[i]->options && verbs[i]->options[j].long_name; j++)
			g_string_append_printf(text, " --%s", verbs[i]->options[j].long_name);
		g_string_append(text, "\" ;;\n");
	}
	g_string_append(text, "\t\tesac\n\tfi\n"
			      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
			      "complete -o default -F _iogap iogap\n");
	return g_string_free(text, FALSE);
}
