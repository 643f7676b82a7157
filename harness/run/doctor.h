/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this machine and this user can do for a sweep: one finding per row of the table in doctor.c.
 *
 * Nothing is changed but our own runtime and cache folders; what is tried is really tried. Texts are plain
 * English without a newline. Who may include it: cli.
 */
#ifndef IOGAP_RUN_DOCTOR_H
#define IOGAP_RUN_DOCTOR_H

#include <gio/gio.h>

typedef struct {
	gboolean probe;	   /* boot a guest under KVM even when an earlier answer is remembered */
	const char *uri;   /* libvirt; NULL = the embedded driver */
	const char *store; /* the store's file: its folder gets the targets */
} DoctorOptions;

typedef enum {
	DOCTOR_OK,
	DOCTOR_WARN,	/* works, with a limit that a reader of figures should know */
	DOCTOR_MISSING, /* does not work or is not there */
} DoctorLevel;

typedef struct {
	const char *what;  /* static: "kvm", "emulator" ... */
	gboolean needed;   /* no sweep without it */
	DoctorLevel level;
	char *detail;	   /* what was found, or what is wrong */
	char *mend;	   /* the command that mends it, or NULL */
} DoctorFinding;

/* All findings, in the order of the table; free with g_ptr_array_unref. Ends early when CANCEL is triggered. */
GPtrArray *doctor_examine(const DoctorOptions *options, GCancellable *cancel);

/* TRUE when nothing that is needed is missing. */
gboolean doctor_can_sweep(const GPtrArray *findings);

/* "ok", "warn", "missing". */
const char *doctor_level_name(DoctorLevel level);

#endif
