/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest side: one libvirt domain that boots the appliance and hot-plugs disks into it.
 * Nothing outside this folder includes libvirt, libarchive, libkmod or libguestfs headers.
 */
#ifndef IOGAP_SIDE_GUEST_GUEST_H
#define IOGAP_SIDE_GUEST_GUEST_H

#include "harness/side/keeper.h"
#include "harness/side/side.h"

/*
 * A hypervisor: the connection and the lock of its runtime folder.
 * URI NULL = the embedded driver below paths_runtime(). Opening the embedded driver takes its lock (IOGAP_ERROR_BUSY
 * "another sweep is running" when it is held), which this process then keeps until it ends. Everything it makes is announced
 * to KEEPER (borrowed; NULL = nothing is announced, for those who start no guest). A URI that leads to another machine is
 * IOGAP_ERROR_USAGE. The first opening takes 2 to 7 s, in which libvirt runs QEMU to learn what it can do.
 */
typedef struct Hypervisor Hypervisor;
Hypervisor *hypervisor_open(const char *uri, Keeper *keeper, GError **error);
void hypervisor_close(Hypervisor *hypervisor); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Hypervisor, hypervisor_close)

/* For keeper_main and keeper_recover: destroys the domain of "URI NAME"; see KeeperDomain. */
gboolean hypervisor_destroy_domain(const char *what, gboolean *ret_was_there);

/* What is installed: versions and paths, as columns of the sweep table (libvirt_version, qemu_version, emulator, uri). */
void hypervisor_facts(Hypervisor *hypervisor, const char *emulator, Record *record);

/* Whether EMULATOR (NULL = none was found) says that it is a QEMU. */
gboolean hypervisor_check_emulator(const char *emulator, GError **error);

/*
 * Why the libvirt and the QEMU that are installed here lack FEATURE, naming the versions there are and the version needed (new
 * text), or NULL when they have it. FEATURE: "iothread_map", "nvme". Needs no connection; a daemon's libvirt may be another one.
 */
char *hypervisor_lacks(const char *feature);

typedef struct {
	const char *accel;   /* kvm or tcg: decided beforehand by accel_decide */
	const char *machine; /* pc, q35 */
	const char *kernel;  /* NULL = newest usable below /boot */
	const char *image;   /* prepared distribution image (image_find) to boot instead of the appliance; NULL = none */
	const char *emulator; /* NULL = libvirt's default */
	const char *agent;   /* path of the static agent */
	const char *programs; /* outside engines that legs need in the guest, with spaces between: "fio dd"; NULL = none */
	guint vcpus;
	guint64 memory; /* bytes */
	const SideDisk *disks; /* present from the boot: IDE, SATA and USB */
	guint n_disks;
	SideTuning tuning;
	const char *members; /* file of a control group that takes the id of QEMU's process once it has started; NULL = none */
	guint hello_timeout_s; /* create to hello; 0 = 20 under KVM, 120 under TCG; 90 and 600 with an image */
} GuestConfig;

/* Copies CONFIG. Validates what can be told before a boot. */
Side *guest_side_new(Hypervisor *hypervisor, const GuestConfig *config, GError **error);

/*
 * What CONFIG names of its own (kernel, image, emulator; what is NULL is not looked at), checked as a sweep does before its first
 * guest boots and with the same words. Boots nothing, opens no hypervisor, writes nothing.
 */
gboolean guest_check_named(const GuestConfig *config, GError **error);

/*
 * The domain that a sweep would start for CONFIG on the hypervisor of URI (NULL = embedded; xen: too), as libvirt's XML. Nothing is
 * connected to or started; kernel and initramfs are made in the cache, as for a boot. Disks in CONFIG that a sweep would plug in later
 * stand in it all the same, and the word RUN in names and paths is what a sweep draws when it begins. New text.
 */
char *guest_domain_xml(const char *uri, const GuestConfig *config, GError **error);

/*
 * Which accelerator to use. ASKED: kvm, auto, tcg. Under kvm and auto a guest that says hello within 20 s is the
 * proof; the answer is remembered per host boot, kernel and emulator (PROBE_AGAIN ignores it).
 * Returns "kvm" or "tcg" (static). *ret_remark (may be NULL) gets the reason why auto chose tcg, or NULL.
 * Fails (IOGAP_ERROR_FAILED) when kvm is asked for and no guest runs in it.
 */
const char *accel_decide(Hypervisor *hypervisor, const GuestConfig *config, const char *asked, gboolean probe_again,
	char **ret_remark, GCancellable *cancel, GError **error);

/*
 * What accel_decide would say of KVM without booting a guest: 1 works, 0 does not (*ret_reason gets why, new text), -1 no guest
 * was tried yet on this boot, kernel and emulator. *ret_reason is NULL but for 0.
 */
int accel_remembered(Hypervisor *hypervisor, const GuestConfig *config, char **ret_reason);

/*
 * For programs that start guests of their own (libguestfs), which take a /dev/kvm that opens for one that works and wait for ever where it
 * does not: "kvm" when a guest of ours ran in it since this host was booted, else "tcg" (static). Needs no hypervisor, tries nothing.
 */
const char *accel_for_tools(void);

#endif
