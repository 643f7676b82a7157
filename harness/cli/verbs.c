/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/verb.h"

/* One row per verb, in the order of --help; each lives in verb-NAME.c. */

const Verb *const verbs[] = {
	NULL,
};
