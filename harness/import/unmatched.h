/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names under "rows" and "files" of the YAML beside imported files that match nothing: mostly slips, so worth a warning.
 *
 * The YAML of a folder is read once for each file of it, so a name is one place in a YAML, and it matches when it does for any file.
 * Who may include it: harness/cli, tests.
 */
#ifndef IOGAP_IMPORT_UNMATCHED_H
#define IOGAP_IMPORT_UNMATCHED_H

#include "harness/import/labels.h"

typedef struct ImportUnmatched ImportUnmatched;

ImportUnmatched *import_unmatched_new(void);
void import_unmatched_free(ImportUnmatched *all);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportUnmatched, import_unmatched_free)

/* Adds what LABELS name. SEEN: they were applied to the rows of their file; else its rows are not known, and names of rows are taken to
 * match. */
void import_unmatched_note(ImportUnmatched *all, const ImportLabels *labels, gboolean seen);

/* Of char *, in the order of the notes: "FILE:LINE:COLUMN: what is wrong". Free with g_ptr_array_unref. */
GPtrArray *import_unmatched_texts(const ImportUnmatched *all);

#endif
