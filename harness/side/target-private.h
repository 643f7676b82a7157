/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the target*.c files and their unit test only. */
#ifndef IOGAP_SIDE_TARGET_PRIVATE_H
#define IOGAP_SIDE_TARGET_PRIVATE_H

#include "harness/side/target.h"

typedef struct TargetNbd TargetNbd;

struct Target {
	Keeper *keeper; /* may be NULL */
	char *name, *type, *folder, *stem;
	char *path;
	GCancellable *cancel;
	GHashTable *twins; /* paths of the copies; NULL until the first is made */
	gboolean block;
	guint64 size;
	int fd; /* keeps the loop device; block: the claim; -1 = none */
	char *loop_device;
	TargetNbd *nbd;
	gboolean forgets; /* what is written is not kept */
	GPtrArray *made;  /* target-made.c */
	Record *facts;
};

/* ---- target-file.c: files and folders, for all types that need them ------------------------ */

/* Always FALSE, with IOGAP_ERROR_USAGE. */
gboolean target_usage(GError **error, const char *what);
/* What is about to be made, for the keeper and for the way back; KIND is static. */
void target_announce(Target *target, const char *kind, const char *what);
/* The latest announcement was wrong: nothing was made, or the thing is somebody else's. */
void target_take_back(Target *target);
/* The deepest existing folder on the way to PATH: where a missing one would be made. New text. */
char *target_existing_part(const char *path);
/* The folder that a profile names, or the default one. */
const char *target_folder_of(const TargetSpec *spec);
gboolean target_check_size(const TargetSpec *spec, GError **error);
/* Size, folder, permission, and room for SPACE bytes there; fills what a probe of the folder tells, and the size. */
gboolean target_check_files(const TargetSpec *spec, guint64 space, Record *record, GError **error);
gboolean target_make_folder(Target *target, const char *path, GError **error);
/* Makes PATH with SIZE reserved bytes. Never opens what exists: O_EXCL follows no links either. */
gboolean target_make_file(Target *target, const char *path, guint64 size, GError **error);
/* FOLDER, the target's stem and ENDING. New text. */
char *target_in_folder(const Target *target, const char *folder, const char *ending);
/* Mounts SOURCE in a folder made for it: *ret_folder (g_free). */
gboolean target_mount_on(Target *target, const char *source, const char *type, const char *data, char **ret_folder,
	GError **error);

/* ---- how the types are checked and made: rows of the table in target.c ----------------------- */

const char *target_tmpfs_folder(const TargetSpec *spec);
gboolean target_file_check(const TargetSpec *spec, Record *record, GError **error);
gboolean target_file_make(Target *target, const TargetSpec *spec, GError **error);
gboolean target_tmpfs_check(const TargetSpec *spec, Record *record, GError **error);
gboolean target_tmpfs_make(Target *target, const TargetSpec *spec, GError **error);
/* target-stack.c: loop, lvm, dm-delay */
gboolean target_stack_check(const TargetSpec *spec, Record *record, GError **error);
gboolean target_stack_make(Target *target, const TargetSpec *spec, GError **error);
/* target-kernel.c: dm-zero, null_blk */
gboolean target_nothing_check(const TargetSpec *spec, Record *record, GError **error);
gboolean target_zero_make(Target *target, const TargetSpec *spec, GError **error);
gboolean target_null_make(Target *target, const TargetSpec *spec, GError **error);

/* ---- target-probe.c: what a folder or an open file can do ---------------------------------- */

/*
 * Whether direct I/O is to be trusted, from what was tried: 0 = refused, 1 = works. OPEN_ERRNO and WRITE_ERRNO are 0 for
 * success. *ret_reason is static or newly allocated text (g_free), NULL when all is well.
 */
int target_direct_verdict(const char *filesystem, gboolean memory, int open_errno, int write_errno,
	char **ret_reason);

/* The type of the file system that PATH lies in ("ext4"), or NULL when it cannot be told. */
char *target_filesystem(const char *path);

/* "16.0 MiB", for messages. */
char *target_size_text(guint64 bytes);

/* Tries direct I/O in FOLDER with an unnamed file and fills filesystem, memory, direct, direct_reason, sector_size. */
void target_probe_folder(const char *folder, Record *record);

/* TRUE when this user may make files in FOLDER; the error names the component that is in the way. */
gboolean target_may_write(const char *folder, GError **error);

/* TRUE when FOLDER has room for SIZE bytes plus 5 %; in RAM-backed file systems memory counts too. */
gboolean target_has_space(const char *folder, guint64 size, GError **error);

/* ---- target-made.c: what must be undone ------------------------------------------------------ */

/* An empty list of things made. KEEPER may be NULL everywhere. */
GPtrArray *target_made_new(void);
/* Before the thing is made. KIND as in keeper.h, static. */
void target_made_add(GPtrArray *list, Keeper *keeper, const char *kind, const char *what);
/* The latest one was not made by us after all. */
void target_made_take_back(GPtrArray *list, Keeper *keeper);
/* Empties LIST; what is really gone leaves the keeper's list too. As target_end. */
gboolean target_made_undo(GPtrArray *list, Keeper *keeper, GPtrArray *remarks);

/* ---- target-user.c --------------------------------------------------------------------------- */

/* "process 12 (bash)" that has PATH, or something below it, open or as its folder; NULL = none that this user may see. */
char *target_user_of(const char *path);

/* ---- target-block.c ------------------------------------------------------------------------ */

/* All refusals for a block device but consent; fills sector_size, memory, direct, direct_reason, size. SPEC_SIZE 0 = all. */
gboolean target_block_check(const char *device, guint64 spec_size, Record *record, GError **error);
/*
 * The same for a device that this run has just made, which nothing forbids: fills RECORD, without a search for signatures, of whose
 * many reads a slow device would make a long wait.
 */
gboolean target_block_look(const char *device, guint64 spec_size, Record *record, GError **error);
/* Opens the device for writing and claims it; -1 with the error set. */
int target_block_claim(const char *device, GError **error);

/* ---- target-nbd.c ---------------------------------------------------------------------------- */

/* Whether the programs are there and this user may use them; else IOGAP_ERROR_UNSUPPORTED. */
gboolean target_nbd_check(GError **error);
/*
 * Starts the server and the file, with names that begin with STEM in the keeper's folder; all that is made goes into MADE, whose
 * undoing ends both programs. NULL leaves it to MADE too.
 */
TargetNbd *target_nbd_start(const TargetSpec *spec, const char *stem, GPtrArray *made, Keeper *keeper, GError **error);
/* The file and the socket. Borrowed. */
const char *target_nbd_path(const TargetNbd *nbd);
const char *target_nbd_socket_of(const TargetNbd *nbd);
gboolean target_nbd_alive(const TargetNbd *nbd, GError **error);
void target_nbd_free(TargetNbd *nbd);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TargetNbd, target_nbd_free)

/* ---- target-kernel.c ------------------------------------------------------------------------- */

/* Whether this kernel, this user and the programs at hand can make a target of TYPE: lvm, dm-zero, dm-delay, null_blk;
 * else IOGAP_ERROR_UNSUPPORTED. */
gboolean target_kernel_check(const char *type, GError **error);
/* Bytes that a logical volume of SIZE bytes takes. */
guint64 target_lvm_backing_size(guint64 size);
/* Layers of target-stack.c: a device of SIZE bytes over DEVICE, announced; its path (g_free). */
char *target_lvm_over(Target *target, const TargetSpec *spec, const char *device, guint64 size, GError **error);
char *target_delay_over(Target *target, const TargetSpec *spec, const char *device, guint64 size, GError **error);

/* ---- target-loop.c ------------------------------------------------------------------------- */

/* Whether loop devices and mkfs.FILESYSTEM (NULL = none) are at hand for this user; else IOGAP_ERROR_UNSUPPORTED. */
gboolean target_loop_check(const char *filesystem, GError **error);
/* Bytes of backing file that a file of SIZE bytes on FILESYSTEM needs. */
guint64 target_loop_backing_size(const char *filesystem, guint64 size);
/*
 * Attaches BACKING to a free loop device that detaches itself when nobody has it open; returns the descriptor that keeps
 * it, and *ret_device (g_free); -1 with the error set.
 */
int target_loop_attach(const char *backing, char **ret_device, GError **error);
/* Detaches now, waiting at most a second for the kernel to let go. Closes FD. */
void target_loop_detach(int fd, const char *device);
gboolean target_loop_mkfs(const char *device, const char *filesystem, GCancellable *cancel, GError **error);

#endif
