/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap manual PAGE: what `make` builds the manual pages with; not for people. */
#include <stdio.h>

#include "harness/cli/manual.h"
#include "harness/cli/verbs.h"

static const struct {
	const char *name;
	char *(*make)(GError **error);
} pages[] = {
	{"iogap.1", manual_iogap},
	{"iogap-agent.1", manual_agent},
	{"iogap-profile.5", manual_profile},
	{"iogap.bash", manual_completion},
};

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);
	g_autoptr(GError) error = NULL;

	if (status >= 0)
		return status;
	for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
		g_autofree char *text = NULL;

		if (!g_str_equal(pages[i].name, arguments[0]))
			continue;
		text = pages[i].make(&error);
		if (!text)
			return verb_fail(error);
		fputs(text, stdout);
		return EXIT_OK;
	}
	fprintf(stderr, "iogap manual: there is no page \"%s\"\n", arguments[0]);
	return EXIT_USAGE;
}

const Verb verb_manual = {
	.name = "manual",
	.arguments = "PAGE",
	.summary = "print a manual page",
	.description = "PAGE: iogap.1, iogap-agent.1, iogap-profile.5 (roff), or iogap.bash (completion).",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = run,
	.hidden = TRUE,
};
