/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels: finding one, reading its version, unpacking the ELF file inside.
 *
 * A bzImage unpacks itself when it boots, which takes an emulated CPU 5 to 6 s. Kernels that carry
 * the note XEN_ELFNOTE_PHYS32_ENTRY ("PVH") can be booted by QEMU as the ELF file inside, so it is
 * unpacked once on the host. Header layout: Documentation/x86/boot.rst of the kernel, protocol 2.08
 * and later. Who may include it: harness/side/guest, image.
 */
#ifndef IOGAP_SIDE_GUEST_KERNEL_H
#define IOGAP_SIDE_GUEST_KERNEL_H

#include <glib.h>

typedef struct {
	char *file;
	char *version; /* "6.1.0-57-amd64": the image says it itself; also the name of its modules
			  folder */
} Kernel;

void kernel_free(Kernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Kernel, kernel_free)

/* Reads the header of FILE. Fails (IOGAP_ERROR_FAILED) for what cannot be read, with the mend, and
 * for what is no x86 kernel image. */
Kernel *kernel_open(const char *file, GError **error);

/*
 * The newest by version of BOOT_DIR/vmlinuz-* and MODULES_DIR/VERSION/vmlinuz that can be read and
 * has a folder MODULES_DIR/VERSION. Fails when there is none, listing each that was looked at with
 * the reason against it.
 */
Kernel *kernel_find(const char *boot_dir, const char *modules_dir, GError **error);

/*
 * The ELF kernel inside, complete and checked. Fails with IOGAP_ERROR_UNSUPPORTED when this kernel
 * cannot be booted that way (form of compression, no PVH note): boot its file as it is. Fails with
 * IOGAP_ERROR_FAILED when it is cut short.
 */
GBytes *kernel_unpack(const void *image, gsize size, const char *name, GError **error);

/* TRUE when DATA is a 64-bit x86 ELF file that carries the PVH note. */
gboolean kernel_has_pvh(const void *data, gsize size);

#endif
