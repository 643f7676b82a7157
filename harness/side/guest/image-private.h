/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the image-*.c files and harness/image, whose work they ask for; nobody else includes it. */
#ifndef IOGAP_SIDE_GUEST_IMAGE_PRIVATE_H
#define IOGAP_SIDE_GUEST_IMAGE_PRIVATE_H

#include "harness/side/guest/appliance.h"
#include "harness/side/guest/image.h"

/* Files in the folder of a prepared image. */
#define IMAGE_RECORD "image.json"
#define IMAGE_KERNEL "kernel"
#define IMAGE_INITRD "initrd"
#define IMAGE_OVERLAY "overlay.qcow2"

/* The folder of all prepared images. New text. */
char *image_root(void);
/* The prepared image of FOLDER, or NULL with *ret_why (new text). */
Image *image_load(const char *folder, char **ret_why);

/* ---- image-file.c: what can be told of an image without looking inside ---------------- */

/*
 * Checks FILE: there, readable, raw or qcow2, of the DECLARED format (NULL = any), whole, not encrypted, not in use by another QEMU or, mounted or
 * attached to a loop device that may write, by this host; the backing files below it too. Sets
 * *ret_format (static) and *ret_size, the size of the disk in bytes. IOGAP_ERROR_USAGE with the reason and the mend.
 */
gboolean image_file_check(const char *file, const char *declared, const char **ret_format, guint64 *ret_size, GError **error);
/* What qemu-img finds FILE to be by its content (its JSON; owned by the caller). IOGAP_ERROR_USAGE when it cannot read it. */
json_t *image_file_info(const char *file, GError **error);
/* Whether somebody, a QEMU, holds this byte of FILE locked; see image-file.c for what the bytes say. */
gboolean image_file_locked(const char *file, guint byte);
/* A new qcow2 overlay PATH of BACKING. */
gboolean image_overlay_create(const char *path, const char *backing, const char *format, GError **error);
/* Whether PATH is a qcow2 overlay of BACKING still, as image_overlay_create made it: anything else there is somebody's own. */
gboolean image_overlay_of(const char *path, const char *backing);
/* Renames FROM, a file or folder, to TO, which must not be there: nothing is ever replaced. */
gboolean image_put(const char *from, const char *to, GError **error);
/* What tells whether FILE has changed: size and time of change. Sets "size" and "mtime_ns" of RECORD; FALSE when it is not there. */
gboolean image_file_mark(const char *file, json_t *record, GError **error);
/* Removes FOLDER with the files in it (one level, which is all that a prepared image has). */
gboolean image_folder_remove(const char *folder, GError **error);

/* ---- image-boot.c: what guest.c needs of it ---------------- */

/* The image's kernel and initrd as an appliance: unpacked once where it can be. */
Appliance *image_appliance(const Image *image, GError **error);
/* The image's command line with what a console and a loud end need; see image-boot.c. New text. */
char *image_boot_cmdline(const Image *image, const char *accel);

#endif
