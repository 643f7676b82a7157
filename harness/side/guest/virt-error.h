/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libvirt's and QEMU's errors as ours: what kind of failure a message tells of, and the one hint
 * that helps.
 *
 * Who may include it: harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_VIRT_ERROR_H
#define IOGAP_SIDE_GUEST_VIRT_ERROR_H

#include <glib.h>
#include "harness/base/error.h"

typedef enum {
	VIRT_OTHER,
	VIRT_IMAGE_LOCKED, /* another process has the image open for writing */
	VIRT_PERMISSION,   /* the image, or a folder above it, is closed to QEMU's user */
	VIRT_MISSING_IMAGE,
	VIRT_MISSING_EMULATOR,
	VIRT_KVM_PERMISSION, /* /dev/kvm is there, closed to this user */
	VIRT_KVM_MISSING,    /* no /dev/kvm, or libvirt knows no KVM */
	VIRT_FELL_BACK,      /* QEMU went on under TCG by itself */
	VIRT_NO_USER,        /* the user libvirt-qemu does not exist */
	VIRT_NO_DAEMON,      /* libvirtd, or virtqemud, is not running */
	VIRT_NO_LOG_DAEMON,  /* virtlogd, which holds the consoles of a daemon's guests, is not running */
	VIRT_BUSY,           /* the embedded driver's folder is in use */
	VIRT_NO_SPACE,
	VIRT_NO_MEMORY,
	VIRT_FORMAT,      /* the image is not of the format that was named */
	VIRT_UNSUPPORTED, /* this combination of settings is refused by libvirt or QEMU */
} VirtClass;

/* The class of a message, from libvirt or from QEMU's stderr. *ret_hint (may be NULL): static text,
 * NULL for VIRT_OTHER. */
VirtClass virt_classify(const char *message, const char **ret_hint);

/* The name of a class, for stores and tests: "image-locked". */
const char *virt_class_name(VirtClass class);

/* The exit and refusal code that belongs to a class. */
IogapError virt_class_code(VirtClass class);

/* Sets "WHAT: libvirt's last error of this thread (code N); hint". Call it right after the call
 * that failed. */
void virt_set_error(GError **error, const char *what);

/* libvirt prints no errors and warnings by itself; its log goes to FILE. Once, before the first
 * connection. */
void virt_quiet(const char *file);

#endif
