/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stored sweep as text for people: everything but the results, which are `iogap report`'s. */
#ifndef IOGAP_CLI_SHOW_TEXT_H
#define IOGAP_CLI_SHOW_TEXT_H

#include "harness/base/environment.h"
#include "results/store.h"

/* All rows that belong to one sweep; free the parts with show_clear. */
typedef struct {
	Record *sweep;
	GPtrArray *legs, *refusals, *sources, *boots, *runs, *flags;
} Show;

gboolean show_load(Store *store, gint64 sweep, Show *ret, GError **error);
void show_clear(Show *show);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Show, show_clear)

/* Owned by the caller. */
char *show_text(const Show *show);

#endif
