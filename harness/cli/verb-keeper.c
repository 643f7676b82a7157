/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap keeper FOLDER: what harness/side/keeper.h starts; not for people. */
#include "harness/cli/verb.h"

#include "harness/side/guest/guest.h"
#include "harness/side/keeper.h"

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	int status = verb_parse(verb, argc, argv, &arguments);

	if (status >= 0)
		return status;
	return keeper_main(arguments[0], hypervisor_destroy_domain) == 0 ? EXIT_OK : EXIT_MEASUREMENT;
}

const Verb verb_keeper = {
	.name = "keeper",
	.arguments = "FOLDER",
	.summary = "undo what a dead harness made",
	.description = "Started by iogap itself. Waits until its standard input ends, then undoes what the journal of the\n"
		       "run's FOLDER lists.",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = run,
	.hidden = TRUE,
};
