/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of several files become one sweep: legs by what was measured, runs as their repetitions, guest legs paired with host legs.
 *
 * Rows of one side with the same name and settings are repetitions of one leg, in the order of the files. A guest leg's host leg is
 * the one with the same workload (of the same target, and name, where there are several).
 *
 * Who may include it: harness/cli, tests.
 */
#ifndef IOGAP_IMPORT_CONVERT_H
#define IOGAP_IMPORT_CONVERT_H

#include "harness/import/import.h"
#include "harness/import/labels.h"
#include "results/store.h"

/* One file that was parsed. Owns all of it. */
typedef struct {
	char *name, *sha256;
	gsize bytes;
	const ImportFormat *format;
	ImportResult *result;
	ImportLabels *labels;
} ImportFile;
void import_file_free(ImportFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportFile, import_file_free)

typedef struct {
	gint64 sweep;
	guint legs, runs_ok, runs_failed;
	guint no_side;	/* rows whose side nobody said: taken as host */
	guint unpaired; /* guest legs without a host leg of the same workload, where the sweep has host legs */
} ImportOutcome;

/*
 * Stores FILES (of ImportFile *, at least one) as one sweep in one transaction: all of it or nothing. Labels are applied to the rows
 * here, and rows whose figures contradict each other get flags. NOW: when the import happens, ns since 1970; it stands for the start where no file tells its own.
 */
gboolean import_store(Store *store, GPtrArray *files, gint64 now, ImportOutcome *ret, GError **error);

#endif
