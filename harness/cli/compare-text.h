/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison (export/comparison.h) as text for people. */
#ifndef IOGAP_CLI_COMPARE_TEXT_H
#define IOGAP_CLI_COMPARE_TEXT_H

#include <glib.h>
#include <jansson.h>

/* Owned by the caller. */
char *compare_text(const json_t *comparison);

#endif
