/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The appliance: a host kernel and an initramfs made by us (agent as /init, the modules it needs,
 * /modules.list in load order), cached by content below paths_cache().
 *
 * Who may include it: harness/side/guest and, for the doctor, cli. Needs no hypervisor.
 */
#ifndef IOGAP_SIDE_GUEST_APPLIANCE_H
#define IOGAP_SIDE_GUEST_APPLIANCE_H

#include <glib.h>

typedef struct {
	char *kernel_file;    /* what was asked or found: /boot/vmlinuz-6.1.0-57-amd64 */
	char *kernel_version; /* 6.1.0-57-amd64, read from the image itself */
	char *boot_file; /* what QEMU gets: the unpacked ELF vmlinux in the cache, or kernel_file */
	gboolean unpacked; /* boot_file is the unpacked one (PVH) */
	char *remark;      /* why it could not be unpacked; NULL when it was */
	char *initramfs;   /* path in the cache */
	char *initramfs_sha256;
} Appliance;

/*
 * KERNEL: a file, or NULL for the newest usable of /boot/vmlinuz-* and
 * /lib/modules/VERSION/vmlinuz. AGENT: the static agent. Fails with IOGAP_ERROR_FAILED, naming the
 * file and the mend: unreadable kernel, not a kernel, no modules folder, a module that is neither
 * built in nor there, an agent that is missing or not static, a cache that cannot be written. Takes
 * about 1.5 s when it has to unpack a kernel, else 0.3 s.
 */
Appliance *appliance_build(const char *kernel, const char *agent, GError **error);
void appliance_free(Appliance *appliance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Appliance, appliance_free)

/* The same with programs of the host added, and with all places named; any may be NULL for its default. */
typedef struct {
	const char *kernel, *agent;
	const char *programs; /* put in with their libraries, with spaces between: "fio dd"; NULL = none */
	gboolean usb; /* with the modules of USB disks, which cost every boot some of its time */
	/* /boot; and lib/modules beside a kernel's file or one folder up, where it has one of its version, else /lib/modules */
	const char *boot_dir, *modules_dir;
	const char *cache_dir;              /* paths_cache() */
} ApplianceSource;
Appliance *appliance_build_from(const ApplianceSource *source, GError **error);

/* Whether the kernel FILE and its modules could be used: fails as appliance_build does, and writes nothing. */
gboolean appliance_check_kernel(const char *file, GError **error);

/* Sets boot_file, unpacked and remark of one that has a kernel_file. A kernel that cannot be unpacked is no failure; one that cannot
 * be read is. */
gboolean appliance_unpack_kernel(Appliance *appliance, const char *cache_dir, GError **error);

/* The kernel's command line, for domain_xml; see appliance.c for the reason of every word. ACCEL:
 * kvm, tcg. */
const char *appliance_cmdline(const char *accel);

#endif
