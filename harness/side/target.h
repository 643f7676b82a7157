/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets: the storage under test, set up and torn down. Nothing is ever written to what this run did
 * not make itself, but for a block device named with explicit consent that passed the checks: not mounted, no
 * partitions, no signature, not in use (libblkid, libmount, O_EXCL).
 */
#ifndef IOGAP_SIDE_TARGET_H
#define IOGAP_SIDE_TARGET_H

#include <glib.h>
#include "harness/base/record.h"
#include "harness/side/keeper.h"

typedef struct {
	const char *name;
	const char *type;	/* file, tmpfs, block, loop */
	const char *path;	/* NULL = FOLDER */
	guint64 size;		/* bytes; 0 = the whole block device */
	const char *filesystem; /* loop: made on it, the file lies inside; NULL = the raw loop device */
	gboolean consent;	/* block: the user named this device on the command line */
	const char *folder;	/* default place of files */
} TargetSpec;

typedef struct Target Target;

/*
 * What can be said without making anything: does the device exist, is there space (size plus 5 %, less nothing), may we
 * write there, is it mounted, in use, signed; the logical sector size. Fills RECORD with sector_size, filesystem, memory (RAM-backed),
 * direct (0/1) and direct_reason. Used by plan, doctor and target_open.
 */
gboolean target_check(const TargetSpec *spec, Record *record, GError **error);

/* Checks, then makes the file, mount or loop device. On failure nothing is left. Everything made is in KEEPER. */
Target *target_open(const TargetSpec *spec, Keeper *keeper, GError **error);

/* Path that the host's agent opens; guests get the same as a raw disk. */
const char *target_path(const Target *target);
gboolean target_is_block(const Target *target);
guint64 target_size(const Target *target);
/* The columns of the store that describe it: target_type, filesystem, sector_size ... */
void target_facts(const Target *target, Record *record);

/* Path of a qcow2 image with the same content, made beside the (filled) raw one by qemu-img at the first call. */
const char *target_qcow2(Target *target, GError **error);

/* Removes all that was made. NULL is allowed. */
void target_close(Target *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Target, target_close)

#endif
