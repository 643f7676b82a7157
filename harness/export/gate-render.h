/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the outputs of the gate share. All take the document of gate-report.h. Who may include it: harness/export. */
#ifndef IOGAP_EXPORT_GATE_RENDER_H
#define IOGAP_EXPORT_GATE_RENDER_H

#include "harness/export/gate-report.h"

void gate_render_text(const json_t *report, GString *out);
void gate_render_markdown(const json_t *report, GString *out);
void gate_render_junit(const json_t *report, GString *out);
void gate_render_github(const json_t *report, GString *out);
void gate_render_gitlab(const json_t *report, GString *out);

/* "" instead of NULL. Borrowed. */
const char *gate_text(const json_t *object, const char *key);
gboolean gate_is(const json_t *object, const char *key);
guint gate_count(const json_t *object, const char *key);
/* The row's verdict is VERDICT. */
gboolean gate_row_is(const json_t *row, const char *verdict);
/* Percent of a fraction, "+5.0 %" with SIGN, "-" for null. New text. */
char *gate_percent(const json_t *object, const char *key, gboolean sign);
/* "PASS", "REGRESSION" ... and why, one line without a newline. New text. */
char *gate_headline(const json_t *report);
/* How slow, in words: "5.3 % slower (4.1 to 6.6 %), p = 1/4096". New text. */
char *gate_row_words(const json_t *row);
/* "flagged: EMULATED; CACHED (left out)": those of the runs that count and of those that do not; "" = none. New text. */
char *gate_row_flags(const json_t *row);
/*
 * Sentences (GPtrArray of char *, new): by which rules it was judged, and every exception that was made, the most important first, which no
 * output may leave out; what else has to be known of the figures; both, one after the other.
 */
GPtrArray *gate_in_force(const json_t *report);
GPtrArray *gate_remarks(const json_t *report);
GPtrArray *gate_statements(const json_t *report);
/* Verdicts that are a finding in an advisory family; its other rows are only counted. NULL-terminated. */
extern const char *const gate_decided[];
/* How many rows of a report or family have which verdict: "2 REGRESSED, 9 OK". New text. */
char *gate_tally(const json_t *family);
/* Control characters and line ends become spaces; not UTF-8 becomes U+FFFD. New text. */
char *gate_one_line(const char *text);

#endif
