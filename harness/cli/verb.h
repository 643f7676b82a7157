/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verb is one file in harness/cli (verb-NAME.c) and one row of the table in verbs.c.
 *
 * Results go to stdout, everything else to stderr. A verb parses its own options with
 * verb_parse() from a static GOptionEntry table, does its work through the other rooms, and returns an
 * exit code. Only harness/cli prints messages and chooses exit codes.
 */
#ifndef IOGAP_CLI_VERB_H
#define IOGAP_CLI_VERB_H

#include <glib.h>

typedef struct Verb {
	const char *name;
	const char *arguments;	 /* synopsis of the positional arguments, e.g. "PROFILE"; may be NULL */
	const char *summary;	 /* one line for `iogap --help`, lower case, no full stop */
	const char *description; /* paragraphs for `iogap VERB --help` and iogap(1) */
	char *(*list)(void);	 /* one more paragraph, made from a table; NULL = none. Free with g_free */
	/* The option table that both --help and iogap(1) are made from; NULL-terminated. */
	const GOptionEntry *options;
	int min_arguments, max_arguments; /* max -1 = any number */
	int (*run)(const struct Verb *verb, int argc, char **argv);
	gboolean hidden; /* internal verbs: not in --help */
} Verb;

enum {
	EXIT_OK = 0,
	EXIT_REGRESSION = 1,
	EXIT_USAGE = 2,
	EXIT_INCONCLUSIVE = 3,
	EXIT_NOTHING = 4,
	EXIT_MEASUREMENT = 5,
	EXIT_SIGINT = 130,
	EXIT_SIGTERM = 143,
};

extern const Verb *const verbs[]; /* NULL-terminated, in the order of --help */

/*
 * Parses ARGV by the verb's options and checks the number of arguments; prints the error or --help
 * itself. Returns -1 to go on, else the exit code to return. *ret_arguments is then a NULL-terminated
 * array of the positional arguments, owned by the caller (g_strfreev).
 */
int verb_parse(const Verb *verb, int argc, char **argv, char ***ret_arguments);

/* Prints "iogap: MESSAGE" on stderr and returns the exit code that belongs to the error's code. */
int verb_fail(const GError *error);

#endif
