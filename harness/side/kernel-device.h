/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that the kernel makes when it is asked, by device-mapper and by null_blk: taken away again by their name. Made by
 * target-kernel.c; the keeper takes them away too, without any program.
 *
 * Who may include it: side. Needs libc and GLib only.
 */
#ifndef IOGAP_SIDE_KERNEL_DEVICE_H
#define IOGAP_SIDE_KERNEL_DEVICE_H

#include <glib.h>

/* Where null_blk is told what to make; a folder in it is a device. */
#define KERNEL_DEVICE_NULLB "/sys/kernel/config/nullb"
/* The names of ours. Anything else is left alone. */
#define KERNEL_DEVICE_PREFIX "iogap"
#define KERNEL_DEVICE_NULLB_PREFIX "nullb-iogap-"

/* Whether device-mapper runs in this kernel. */
gboolean kernel_device_has_mapper(void);
/* Whether device-mapper has a device NAME. */
gboolean kernel_device_is_mapped(const char *name);

/* Makes the node of device-mapper's device NAME, which no udev was asked to make; its path (g_free), NULL with errno. */
char *kernel_device_node(const char *name);

/*
 * Takes device NAME away, of KIND "mapper" or "nullb" (see keeper.h), with its nodes in /dev/mapper. 0 when it is gone or was never
 * there, else the errno of the last try: a device that is in use is tried for half a second. DETACH: one that stays in use goes when
 * its last user does, which counts as gone (device-mapper; null_blk's go at once in any case). *ret_was_there (may be NULL) is set to
 * TRUE when this call ended it.
 */
int kernel_device_remove(const char *kind, const char *name, gboolean detach, gboolean *ret_was_there);

#endif
