/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The appliance's initramfs: a newc cpio archive whose bytes depend on its content only (sorted
 * names, no times, owner root, numbered inodes). It is not compressed: unpacking costs an emulated
 * guest more than reading. Who may include it: harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_INITRAMFS_H
#define IOGAP_SIDE_GUEST_INITRAMFS_H

#include <glib.h>

/*
 * AGENT becomes /init. MODULES (of char *, paths in load order) become /modules/NN-NAME.ko,
 * unpacked, and /modules.list names them in that order. FILES (of char *, absolute paths, sorted; NULL = none) are
 * programs and libraries of the host, which keep their paths. Beside these there are /dev with console
 * and null, /proc and /sys.
 */
GBytes *initramfs_pack(GBytes *agent, const GPtrArray *modules, const GPtrArray *files, GError **error);

#endif
