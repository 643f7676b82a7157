/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment of a stored sweep and of its boots as text, and the table of keys. */
#ifndef IOGAP_CLI_SHOW_ENVIRONMENT_H
#define IOGAP_CLI_SHOW_ENVIRONMENT_H

#include "harness/cli/show-text.h"

/* Appends what is known of host, software and targets, of the guests (once where all boots agree), and what could not be measured. */
void show_environment(GString *text, const Show *show);

/* environment-keys.c as a table: every key, how much a difference weighs, whether it is stored unasked. Owned by the caller. */
char *show_environment_keys(void);

/* "must be equal", "fingerprint", "noted", "of the moment". Static. */
const char *show_weight(EnvironmentWeight weight);

#endif
