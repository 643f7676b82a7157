/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap VERB [options] [arguments]: finds the verb and runs it. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>

#include "harness/base/nearest.h"
#include "harness/cli/verb.h"

static void usage(FILE *out)
{
	fputs("usage: iogap VERB [options] [arguments]\n"
	      "\n"
	      "Measures the gap between guest and host disk I/O, says where it comes from,\n"
	      "and stops a commit that makes it worse.\n"
	      "\n"
	      "Verbs:\n",
		out);
	for (guint i = 0; verbs[i]; i++)
		if (!verbs[i]->hidden)
			fprintf(out, "  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\n"
	      "`iogap VERB --help` describes a verb; iogap(1) and iogap-profile(5) are the manual.\n"
	      "Exit status: 0 ok, 1 regression, 2 usage or profile error, 3 inconclusive,\n"
	      "4 nothing comparable, 5 measurement failed, 130 or 143 interrupted.\n",
		out);
}

static int unknown(const char *name)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *hint;

	for (guint i = 0; verbs[i]; i++)
		if (!verbs[i]->hidden)
			g_ptr_array_add(names, (char *)verbs[i]->name);
	g_ptr_array_add(names, NULL);
	hint = nearest(name, (const char *const *)names->pdata);
	if (hint)
		fprintf(stderr, "iogap: there is no verb \"%s\"; did you mean \"%s\"?\n", name, hint);
	else
		fprintf(stderr, "iogap: there is no verb \"%s\"; see `iogap --help`\n", name);
	return EXIT_USAGE;
}

/* What was printed into a full disk was not printed: one place for every verb. STATUS, unless that says 0. */
static int printed(int status)
{
	/* A reader that had enough (head) ends the program by SIGPIPE, and never comes here. */
	gboolean failed = ferror(stdout) != 0;

	if (fflush(stdout) == 0 && !failed)
		return status;
	fprintf(stderr, "iogap: cannot write to standard output: %s\n", errno ? g_strerror(errno) : "it failed earlier");
	return status == EXIT_OK ? EXIT_MEASUREMENT : status;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (g_str_equal(argv[1], "--help") || g_str_equal(argv[1], "-h") || g_str_equal(argv[1], "help")) {
		usage(stdout);
		return EXIT_OK;
	}
	if (g_str_equal(argv[1], "--version")) {
		puts("iogap " IOGAP_VERSION);
		return EXIT_OK;
	}
	for (guint i = 0; verbs[i]; i++)
		if (g_str_equal(verbs[i]->name, argv[1]))
			return verbs[i]->run(verbs[i], argc - 1, argv + 1);
	return unknown(argv[1]);
}

int main(int argc, char **argv)
{
	/* Messages may be in any language, numbers never are. */
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	return printed(run(argc, argv));
}
