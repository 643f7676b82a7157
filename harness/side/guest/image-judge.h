/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an inspection says, and the verdict on it. Pure functions of their arguments.
 *
 * Facts are a JSON object:
 *   filesystems  device -> type as libguestfs names it ("ext4", "crypto_LUKS", "swap")
 *   systems      list of operating systems: root, type ("linux", "windows"), distro, product, arch, init (systemd, openrc,
 *                sysvinit; absent = not known), selinux ("enforcing" ... ; absent = none), uuid (of the root file system), free (bytes
 *                that the root file system has left), kernels
 *     kernels    list, newest first: file, version, initrd (absent = none), modules (TRUE = its folder of modules is there),
 *                drivers (virtio_pci, virtio_console, virtio_blk -> "builtin", "module"; absent = not there)
 *     boot       file -> text of the boot loader's configurations
 *
 * Who may include it: harness/side/guest, image.
 */
#ifndef IOGAP_SIDE_GUEST_IMAGE_JUDGE_H
#define IOGAP_SIDE_GUEST_IMAGE_JUDGE_H

#include <glib.h>
#include <jansson.h>

/* The system and the kernel that would be booted, both borrowed from the facts. */
typedef struct {
	const json_t *os, *kernel;
} ImageChoice;

/*
 * Whether a guest can be measured in it. IMAGE is for messages; NEEDED: bytes that will be written to the root file system. Fails with
 * IOGAP_ERROR_USAGE: encrypted, no operating system, not Linux, several, another architecture, no known init, SELinux enforcing, no kernel,
 * drivers missing, full.
 */
gboolean image_judge(const char *image, const json_t *facts, guint64 needed, ImageChoice *ret_choice, GError **error);

/*
 * The command line that the image's own boot loader gives KERNEL (its path in the image): from grub.cfg, extlinux.conf or an entry of
 * the Boot Loader Specification. TEXT is the configuration. NULL when it has none, or one that only the boot loader could work out
 * (variables). Without initrd= and BOOT_IMAGE=. New text.
 */
char *image_cmdline_parse(const char *text, const char *kernel);

/*
 * The command line to boot with: that of the boot loader, else "ro" alone; root= is replaced by, or becomes, the root file system's UUID
 * when it names a disk that is called otherwise here. *ret_from: the configuration it came from (borrowed), or NULL.
 */
char *image_cmdline(const ImageChoice *choice, const char **ret_from);

#endif
