/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The manual pages and the shell completion, made from the tables that --help and the parsers use.
 */
#ifndef IOGAP_CLI_MANUAL_H
#define IOGAP_CLI_MANUAL_H

#include <glib.h>

/* roff for man(7): iogap(1) from verbs[], iogap-profile(5) from the key table, iogap-agent(1) from what the agent's
 * own --help prints. New text. */
char *manual_iogap(GError **error);
char *manual_profile(GError **error);
char *manual_agent(GError **error);
/* A completion script for bash. */
char *manual_completion(GError **error);

/* ---- roff ------------------------------------------------------------------------------------- */

/* Appends TEXT with roff's own characters made harmless; newlines stay. */
void roff_text(GString *page, const char *text);
/* Appends .TH of NAME(SECTION), .SH NAME and its one-line PURPOSE. */
void roff_head(GString *page, const char *name, int section, const char *purpose);
/* Appends TEXT as one sentence and ends the line; NULL is nothing. */
void roff_sentence(GString *page, const char *text);
/* Paragraphs are parted by empty lines; an indented line is kept as it stands. TEXT may be NULL. */
void roff_paragraphs(GString *page, const char *text);

#endif
