/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job file of fio's as an engine: `engine: {fio: mixed.fio}`. Read strictly: an option that this table does not know, or that the
 * harness decides, is an error with its line, never left out. One job for each file, since a run is one number; [global] may stand
 * before it.
 *
 * Who may include it: plan and everything above.
 */
#ifndef IOGAP_PROFILE_FIO_FILE_H
#define IOGAP_PROFILE_FIO_FILE_H

#include <glib.h>

#define FIO_FILE_BYTES (16 * 1024) /* a longer file does not fit into one request to the agent */

typedef struct ProfileFioFile {
	char *name;    /* "fio:mixed.fio#1a2b3c4d5e6f": what the matrix and the store call it, with the first digits of its hash */
	char *path;
	char *sha256;  /* of the whole file */
	char *options; /* what is handed on to fio, one KEY=VALUE a line, [global] and the job in one */

	/* What it asks for, in the words of the profile. */
	char *rw, *sync, *ioengine;
	int mix_read; /* percent; -1 unless mixed */
	guint64 block_size;
	gboolean direct;
	guint fsync_every; /* 0 = none */
	guint queue_depth, jobs;
	gint64 rate_iops; /* of all jobs together; -1 = none */
} ProfileFioFile;

/* IOGAP_ERROR_USAGE "FILE:LINE: what is wrong, and what would be right"; FILE without a line when it cannot be read. */
ProfileFioFile *fio_file_read(const char *path, GError **error);
ProfileFioFile *fio_file_parse(const char *path, const char *text, gsize length, GError **error);
void fio_file_free(ProfileFioFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileFioFile, fio_file_free)

/* Its ioengine keeps one request in flight, whatever iodepth says. */
gboolean fio_file_is_synchronous(const ProfileFioFile *file);

#endif
