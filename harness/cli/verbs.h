/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs, one per file verb-NAME.c; verbs.c puts them in order. */
#ifndef IOGAP_CLI_VERBS_H
#define IOGAP_CLI_VERBS_H

#include "harness/cli/verb.h"

extern const Verb verb_compare;
extern const Verb verb_doctor;
extern const Verb verb_export;
extern const Verb verb_image;
extern const Verb verb_import;
extern const Verb verb_gate;
extern const Verb verb_history;
extern const Verb verb_keeper;
extern const Verb verb_list;
extern const Verb verb_manual;
extern const Verb verb_plan;
extern const Verb verb_report;
extern const Verb verb_show;
extern const Verb verb_sweep;

#endif
