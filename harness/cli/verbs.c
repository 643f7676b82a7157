/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/verbs.h"

/* One row per verb, in the order of --help: what a newcomer needs first comes first, internal verbs last. */

const Verb *const verbs[] = {
	/* clang-format off */
	&verb_doctor,
	&verb_plan,
	&verb_sweep,
	&verb_list,
	&verb_show,
	&verb_report,
	&verb_compare,
	&verb_gate,
	&verb_history,
	&verb_export,
	&verb_import,
	&verb_image,
	&verb_keeper,
	&verb_manual,
	NULL,
	/* clang-format on */
};
