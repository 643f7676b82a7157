/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person says about a file to import: its side, settings of its legs, anything else by name.
 *
 * From options (KEY=VALUE) and from YAML beside the files: FILE.yaml for one file, iogap-import.yaml for a folder, with keys
 * like those of --label, "rows" (settings by the name of a row) and, for a folder, "files" (settings by the name of a file).
 *
 * Who may include it: harness/import, harness/cli, tests.
 */
#ifndef IOGAP_IMPORT_LABELS_H
#define IOGAP_IMPORT_LABELS_H

#include "harness/import/import.h"

#define IMPORT_FOLDER_LABELS "iogap-import.yaml"
#define IMPORT_OWN_LABEL "x-"

typedef struct ImportLabels ImportLabels;
struct ImportLabels {
	Record *leg;   /* side, and columns of the leg table */
	Record *sweep; /* commit_id, branch, label */
	Record *free;  /* every other key, as text */
	GHashTable *rows; /* name -> ImportLabels *, or NULL */
	gboolean matched; /* of a row's settings: whether a row with their name was there when they were applied */
	GPtrArray *names; /* of ImportLabelsName * */
};

/* A name under "rows" or "files" of a YAML, for those that match nothing (harness/import/unmatched.h). */
typedef struct {
	char *place; /* FILE:LINE:COLUMN */
	char *name;
	gboolean is_file;
	gboolean matched; /* of a file: it is the one that is imported, or lies beside the YAML */
} ImportLabelsName;

ImportLabels *import_labels_new(void);
void import_labels_free(ImportLabels *labels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportLabels, import_labels_free)

/*
 * One setting. KEY is side, commit, branch, name, a setting of legs (bus, cache, block_size ...) or any other word, which becomes a free
 * label. IOGAP_ERROR_USAGE for a value that the key cannot have, and for a word that is a known key but for a slip ("sides"); one that
 * begins with IMPORT_OWN_LABEL is never taken for a slip.
 */
gboolean import_labels_set(ImportLabels *labels, const char *key, const char *value, GError **error);
/* "KEY=VALUE". */
gboolean import_labels_set_pair(ImportLabels *labels, const char *pair, GError **error);

/* Adds to the names of LABELS one that nothing matched yet. Borrowed from LABELS. */
ImportLabelsName *import_labels_name(ImportLabels *labels, const char *place, const char *text, gboolean is_file);

/* What LABELS do not have is taken from MORE, settings of rows too; names are added. */
void import_labels_merge(ImportLabels *labels, const ImportLabels *more);

/* Adds what TEXT, the YAML of FILE, says of the file with the base name NAME. The same errors as import_labels_beside. */
gboolean import_labels_read(ImportLabels *labels, const char *file, const char *text, gsize size, const char *name, GError **error);

/* Adds what the YAML beside PATH says; nothing when there is none. IOGAP_ERROR_USAGE FILE:LINE:COLUMN. */
gboolean import_labels_beside(ImportLabels *labels, const char *path, GError **error);

/*
 * Applies them to ROW: what the source did not say is set, and columns of guests only to a guest's row. Settings of the row's own name come
 * first. A label that contradicts the source is a warning of the row, and the source wins.
 */
void import_labels_apply(const ImportLabels *labels, ImportRow *row);

#endif
