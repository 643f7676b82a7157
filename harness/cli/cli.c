/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/verb.h"

#include <stdio.h>

#include "harness/base/error.h"

static int exit_code_of(const GError *error)
{
	if (error->domain != IOGAP_ERROR)
		return EXIT_MEASUREMENT;
	switch ((IogapError)error->code) {
	case IOGAP_ERROR_USAGE:
		return EXIT_USAGE;
	case IOGAP_ERROR_NOTHING:
		return EXIT_NOTHING;
	case IOGAP_ERROR_INTERRUPTED:
		return EXIT_SIGINT;
	case IOGAP_ERROR_FAILED:
	case IOGAP_ERROR_BUSY:
	case IOGAP_ERROR_UNSUPPORTED:
	case IOGAP_ERROR_AGENT:
	case IOGAP_ERROR_LOST:
		return EXIT_MEASUREMENT;
	}
	return EXIT_MEASUREMENT;
}

int verb_fail(const GError *error)
{
	fprintf(stderr, "iogap: %s\n", error->message);
	return exit_code_of(error);
}

static int complain(const Verb *verb, const char *what)
{
	fprintf(stderr, "iogap %s: %s; see `iogap %s --help`\n", verb->name, what, verb->name);
	return EXIT_USAGE;
}

int verb_parse(const Verb *verb, int argc, char **argv, char ***ret_arguments)
{
	g_autoptr(GOptionContext) context = g_option_context_new(verb->arguments);
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) arguments = g_new0(char *, argc + 1);
	g_autofree char *list = verb->list ? verb->list() : NULL;
	g_autofree char *description = list ? g_strconcat(verb->description, "\n\n", list, NULL) : g_strdup(verb->description);
	gboolean help = FALSE;
	const GOptionEntry own[] = {
		{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this help", NULL},
		{NULL},
	};
	int count;

	for (int i = 0; i < argc; i++)
		arguments[i] = g_strdup(argv[i]);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context, description);
	if (verb->options)
		g_option_context_add_main_entries(context, verb->options, NULL);
	g_option_context_add_main_entries(context, own, NULL);
	if (!g_option_context_parse_strv(context, &arguments, &error))
		return complain(verb, error->message);
	if (help) {
		g_autofree char *program = g_strdup_printf("iogap %s", verb->name);
		g_autofree char *text = NULL;

		g_set_prgname(program);
		text = g_option_context_get_help(context, TRUE, NULL);
		fputs(text, stdout);
		return EXIT_OK;
	}
	/* The verb's own name stands first; "--" may follow it. */
	g_free(arguments[0]);
	for (count = 0; arguments[count + 1]; count++)
		arguments[count] = arguments[count + 1];
	arguments[count] = NULL;
	if (count > 0 && g_str_equal(arguments[0], "--")) {
		g_free(arguments[0]);
		for (count = 0; arguments[count + 1]; count++)
			arguments[count] = arguments[count + 1];
		arguments[count] = NULL;
	}
	if (count < verb->min_arguments)
		return complain(verb, "an argument is missing");
	if (verb->max_arguments >= 0 && count > verb->max_arguments) {
		g_autofree char *what = g_strdup_printf(
			"\"%s\" is one argument too many", arguments[verb->max_arguments]);

		return complain(verb, what);
	}
	*ret_arguments = g_steal_pointer(&arguments);
	return -1;
}
