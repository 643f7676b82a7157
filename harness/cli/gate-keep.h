/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict that stays with a sweep and decides whether it may be a baseline later. Asking another question, or one that cannot be
 * answered, never turns a bad verdict into a good one.
 */
#ifndef IOGAP_CLI_GATE_KEEP_H
#define IOGAP_CLI_GATE_KEEP_H

#include <jansson.h>

#include "harness/cli/gate-judge.h"

/*
 * What was asked: "arm new against arm base", or the names of stored sweeps (NULL or empty for arms), and the options that decide. Two
 * questions are the same when their texts are. New text.
 */
char *gate_question(const GateChoice *choice, const json_t *report, const char *const *baselines, const char *const *candidates);

/*
 * Keeps the verdict of REPORT, the answer to QUESTION, with each of SWEEPS (of gint64). An earlier verdict gives way to another
 * one of the same question, or to a worse one: NOT_COMPARABLE, TOO_FEW_BASELINES, PASS, INCONCLUSIVE, FAILED, REGRESSION is from nothing said
 * to worst. NOT_COMPARABLE never replaces anything. Nothing is kept while one of SWEEPS has not ended by itself. What was not kept is said on
 * stderr.
 */
gboolean gate_keep(Store *store, const GArray *sweeps, const json_t *report, const char *question, GError **error);

#endif
