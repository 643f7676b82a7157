/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets: the storage under test, set up and torn down. Nothing is ever written to what this run did
 * not make itself, but for a block device named with explicit consent that passed the checks: not mounted, no
 * partitions, no signature, not in use (libblkid, libmount, O_EXCL).
 */
#ifndef IOGAP_SIDE_TARGET_H
#define IOGAP_SIDE_TARGET_H

#include <gio/gio.h>
#include "harness/base/record.h"
#include "harness/side/keeper.h"

/* The option of sweep and plan by which a user names a device that may be overwritten. */
#define TARGET_CONSENT_OPTION "--overwrite-device"

/*
 * What path means, by type:
 *   file   the folder that gets our file; it must exist. The path of a file, even an empty one, is refused:
 *          what exists is not ours. NULL = folder, which is made if it is missing.
 *   tmpfs  a folder on a tmpfs. NULL = /dev/shm, or where that is no tmpfs a tmpfs of our own (root only).
 *   loop, lvm, dm-delay   the folder of the backing file, as for file.
 *   block  the device; required.
 *   nbd, dm-zero, null_blk   none: they live in memory or nowhere.
 * Our files are named iogap-RUN-NAME and have mode 0600.
 */
typedef struct {
	const char *name;
	const char *type;	/* file, tmpfs, block, loop, lvm, dm-delay, dm-zero, null_blk, nbd */
	const char *path;	/* see above */
	guint64 size;		/* bytes; 0 = the whole block device */
	const char *filesystem; /* loop, lvm, dm-delay: made on it, the file lies inside; NULL = the raw device */
	guint64 delay_ns;	/* dm-delay, whole ms: added to every request; null_blk: time that each takes, 0 = none */
	gboolean memory_backed; /* null_blk: keeps what is written, in memory */
	const char *nbd_plugin; /* nbd: memory, null, pattern (of nbdkit) */
	guint64 nbd_delay_ns;	/* nbd: added to every request, whole ms; 0 = none */
	guint64 nbd_rate;	/* nbd: most bytes per second; 0 = unlimited */
	guint nbd_error_rate;	/* nbd: thousandths of a percent of requests that fail with EIO */
	gboolean consent;	/* block: the user named this device on the command line */
	const char *folder;	/* default place of files */
	guint64 beside;		/* bytes of images that will be made beside the file: a file system of ours is made larger by them */
	GCancellable *cancel;	/* ends mkfs and qemu-img under way; borrowed for the target's life; may be NULL */
} TargetSpec;

typedef struct Target Target;

/*
 * What can be said without making anything that has a name: does the device exist, is there space (size plus
 * 5 %), may we write there, is it mounted, in use, signed; the logical sector size. RECORD (may be NULL) gets
 *   sector_size    smallest unit of direct I/O in bytes; NULL = unknown
 *   filesystem     the file system that the file lies in; NULL for a device
 *   memory         1 when it lies in RAM (tmpfs, ramfs, zram, brd), else 0
 *   direct         1 when one aligned write (a device: read) with O_DIRECT succeeded, else 0; NULL where that cannot be
 *                  tried before something is made (loop, a tmpfs of our own)
 *   direct_reason  with direct 0 why not, with direct 1 why it may mislead ("memory file system ..."), NULL = clean
 *   size           bytes that the target will have
 * Files are probed with an unnamed file (O_TMPFILE, or one that is unlinked at once).
 * IOGAP_ERROR_USAGE: the profile asks for what makes no sense (no path, a size that is no multiple of 4096).
 * IOGAP_ERROR_UNSUPPORTED: no target like this can be made here, since the kernel, a program or a right is missing.
 * IOGAP_ERROR_FAILED: this one cannot be made or used (no such folder, no space, a device in use). Used by plan, doctor and target_open.
 */
gboolean target_check(const TargetSpec *spec, Record *record, GError **error);

/* Where the data of SPEC will lie: the folder of its files, or the deepest one above it that exists, or the device; NULL where
 * nothing but memory is below. New text. */
char *target_place(const TargetSpec *spec);
/* The memory file system that PATH lies in ("tmpfs", "ramfs"), NULL = none. New text. */
char *target_in_memory(const char *path);

/* Whether this host uses neither DEVICE nor a partition of it: not mounted, no swap, not held by device mapper or RAID. IOGAP_ERROR_FAILED
 * with who does. */
gboolean target_device_idle(const char *device, GError **error);

/* Whether targets of TYPE can be made here at all: what the kernel, the user or a program lacks is the error
 * (IOGAP_ERROR_UNSUPPORTED). For the doctor. */
gboolean target_type_check(const char *type, GError **error);
/* The names of all types, NULL-terminated; static. */
const char *const *target_types(void);

/*
 * Checks, then makes the file, mount or device. On failure nothing is left. Everything made is in KEEPER
 * (borrowed, must outlive the target; NULL in tests), but for loop devices, which the kernel itself detaches when nobody
 * has them open any more. SPEC is copied. Space is reserved, not written: `fill` of the agent must write the whole range
 * before anything is read. A block device stays claimed (O_EXCL), so that nobody mounts it meanwhile.
 */
Target *target_open(const TargetSpec *spec, Keeper *keeper, GError **error);

/* Path that the host's agent opens; guests get the same as a raw disk. */
const char *target_path(const Target *target);
gboolean target_is_block(const Target *target);
/* nbd: the UNIX socket that guests attach to; NULL for all others. */
const char *target_nbd_socket(const Target *target);
/* FALSE when what is written is not kept (nbd: null, dm-zero, null_blk without memory), or cannot be written (nbd: pattern): it is not to be filled. */
gboolean target_keeps(const Target *target);
/* FALSE, with the reason, when the programs that serve TARGET have ended. */
gboolean target_alive(const Target *target, GError **error);
guint64 target_size(const Target *target);
/* target_type, target_size, and what target_check filled in, probed again on what was made. */
void target_facts(const Target *target, Record *record);

/* What a qcow2 image is like; docs of the profile's keys say what each means. */
typedef struct {
	guint cluster_size;	   /* bytes, a power of two from 512 to 2 MiB */
	const char *preallocation; /* off, metadata, falloc, full; of the upper image */
	guint backing;		   /* images below it; 0 = the data are in it itself */
	gboolean extended_l2;
} TargetQcow2;

/*
 * Path of qcow2 twin NUMBER, an image with the same content, made at the first call by qemu-img, beside the (filled) raw
 * file, or in the default folder for block devices. libvirt does not share qcow2 images, so every disk needs one of its own. With
 * backing the path is that of the upper image, and room is asked for as if everything were written to it. FORM is looked at in the
 * first call.
 */
const char *target_qcow2(Target *target, guint number, const TargetQcow2 *form, GError **error);

/*
 * Path of raw copy NUMBER (0, 1 ...) of the (filled) target beside it, for a further guest; made at the first call. Only of targets that
 * are files.
 */
const char *target_copy(Target *target, guint number, GError **error);

/*
 * Removes all that was made and frees TARGET (NULL is allowed). What cannot be removed, such as a mount in which a process has
 * its working folder, gets a line in REMARKS (may be NULL) that names the process, and stays in the keeper's list:
 * keeper_stop detaches it. FALSE when something is left.
 */
gboolean target_end(Target *target, GPtrArray *remarks);
/* The same without a word. */
void target_close(Target *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Target, target_close)

#endif
