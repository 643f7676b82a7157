/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which stored sweeps a name of `iogap gate` means. */
#ifndef IOGAP_CLI_GATE_REFS_H
#define IOGAP_CLI_GATE_REFS_H

#include "results/store.h"

/*
 * Appends the sweeps (gint64) that REF means, each once: a label, a branch or a commit (whole or 7 digits and more) takes
 * all sweeps that have it; else an id, "latest" or the beginning of a uuid. Inside a git checkout REF may also be a
 * revision ("HEAD^"), and "merge-base:BRANCH". IOGAP_ERROR_NOTHING when there is none; for a name that only git can have
 * given the message says why git could not tell: no checkout, no such branch, a shallow history.
 */
gboolean gate_refs_add(Store *store, const char *ref, GArray *sweeps, GError **error);

#endif
