/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distribution images: prepared once with libguestfs, booted again and again.
 *
 * Preparing looks into an image (raw or qcow2, of a Linux distribution), puts the static agent and its start-up unit into a qcow2
 * overlay of it, and copies the image's own kernel and initrd out of it: a guest boots these directly, with the image's own
 * command line. The image itself is never written to. A prepared image is a folder below paths_cache(): images/NAME with
 * image.json (the record: what the image is, what was written), kernel, initrd and, unless it was asked for elsewhere,
 * overlay.qcow2. The overlay is not written to either after that: every boot gets an overlay of its own that is thrown away.
 *
 * Who may include it: harness/side/guest, run, cli.
 */
#ifndef IOGAP_SIDE_GUEST_IMAGE_H
#define IOGAP_SIDE_GUEST_IMAGE_H

#include <gio/gio.h>
#include <jansson.h>

#define IMAGE_TIMEOUT_S 900

typedef struct ImageRequest ImageRequest;

struct ImageRequest {
	const char *image;   /* raw or qcow2 file, or block device */
	const char *format;  /* what it is declared to be: raw, qcow2; NULL = look */
	const char *overlay; /* where the overlay goes; NULL = into the image's folder of the cache */
	const char *name;    /* NULL = the file's name without its suffix */
	const char *accel;   /* kvm or tcg, for libguestfs's own guest */
	const char *agent;   /* path of the static agent */
	guint timeout_s;     /* of libguestfs; 0 = IMAGE_TIMEOUT_S */
	void (*starting)(const ImageRequest *request); /* called when all is well so far and libguestfs is started; may be NULL */
};

/* A prepared image. */
typedef struct {
	char *name, *folder;
	char *image;   /* the original, absolute */
	char *overlay; /* absolute */
	char *kernel, *initrd; /* absolute, in the folder; initrd NULL = the image has none */
	char *kernel_version;
	char *cmdline; /* the image's own, with root= by UUID */
	json_t *record; /* all of image.json */
} Image;

void image_free(Image *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Image, image_free)

/*
 * Looks into an image without writing anything: what image_prepare would find. Returns facts (see image-judge.h), owned by the
 * caller; IOGAP_ERROR_USAGE when the image cannot be measured, with the reason and the mend. Takes a start of libguestfs's guest:
 * some seconds under KVM, a minute and more under emulation. CANCEL may be NULL.
 */
json_t *image_inspect(const ImageRequest *request, GCancellable *cancel, GError **error);

/*
 * Prepares an image. What was prepared of the same image under the same name before is removed when all went well, its overlay too;
 * IOGAP_ERROR_USAGE when the name stands for another image, or something else lies where the overlay shall go. On failure nothing is left.
 */
Image *image_prepare(const ImageRequest *request, GCancellable *cancel, GError **error);

/* The prepared image of this name, or of this path of an original or an overlay (a text with a slash). IOGAP_ERROR_USAGE when there is
 * none. */
Image *image_find(const char *name_or_path, GError **error);

/* All prepared images (of Image *), by name; what is no record is left out, with a line in REMARKS (of char *; may be NULL). */
GPtrArray *image_list(GPtrArray *remarks);

/* Whether a guest can boot it still: the original is as it was, nothing is missing. IOGAP_ERROR_FAILED with the mend. */
gboolean image_usable(const Image *image, GError **error);

/* Removes what image_prepare made, an overlay elsewhere too; never the original. */
gboolean image_remove(const Image *image, GError **error);

#endif
