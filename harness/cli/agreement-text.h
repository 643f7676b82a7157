/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What export/agreement.h says, as text for people. */
#ifndef IOGAP_CLI_AGREEMENT_TEXT_H
#define IOGAP_CLI_AGREEMENT_TEXT_H

#include <glib.h>
#include <jansson.h>

/* Owned by the caller. */
char *agreement_text(const json_t *agreement);

#endif
