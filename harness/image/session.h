/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session with libguestfs: its own small guest that mounts an image, so that this host's kernel never does.
 *
 * This folder is the program iogap-image, which iogap starts for every look into an image. It includes <guestfs.h>, which nobody else
 * does: a libguestfs that hangs can then be ended, and a program that has nothing to do with images does not carry a library that starts
 * libvirt before main.
 */
#ifndef IOGAP_IMAGE_SESSION_H
#define IOGAP_IMAGE_SESSION_H

#include <glib.h>
#include <guestfs.h>
#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(guestfs_h, guestfs_close)

/*
 * Starts libguestfs's guest with DISK, of FORMAT. ACCEL: tcg tells it to leave KVM alone, since it takes a /dev/kvm that opens for one that
 * works and then waits for ever. Errors are IOGAP_ERROR_FAILED.
 */
guestfs_h *image_session(const char *disk, const char *format, gboolean read_only, const char *accel, GError **error);
/* Writes back and ends it: only then is everything in the image. */
gboolean image_session_end(guestfs_h *g, GError **error);
/* Sets "WHAT: the last error of G"; returns FALSE. */
gboolean image_session_error(guestfs_h *g, const char *what, GError **error);
/* TRUE when PATH is there, as a file or a link to one. */
gboolean image_has_file(guestfs_h *g, const char *path);

/* gather.c: the facts of image-judge.h. Leaves the system mounted when there is exactly one. */
json_t *image_gather(guestfs_h *g, GError **error);

/*
 * install.c: puts AGENT and the unit for INIT (systemd, openrc, sysvinit) into the mounted system. Returns the list of paths that were
 * written, owned by the caller.
 */
json_t *image_install(guestfs_h *g, const char *init, const char *agent, GError **error);
/* What image_install writes beside the agent, in bytes; generous. */
#define IMAGE_INSTALL_EXTRA (1u << 20)

#endif
