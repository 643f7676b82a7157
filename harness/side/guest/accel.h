/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision behind accel_decide, with its three questions to the world as functions, so that
 * tests can answer them (a machine whose /dev/kvm is there but runs no guest is not at hand
 * everywhere).
 *
 * Who may include it: accel.c and its test.
 */
#ifndef IOGAP_SIDE_GUEST_ACCEL_H
#define IOGAP_SIDE_GUEST_ACCEL_H

#include <gio/gio.h>

typedef struct {
	/* NULL when /dev/kvm makes virtual machines, else the reason and the mend (new text). */
	char *(*device)(void *data);
	/* The same for libvirt: does it know KVM for this emulator and machine. */
	char *(*capabilities)(void *data);
	/* Boots a guest under KVM. TRUE with *ret_reason NULL: it said hello; TRUE with a reason:
	 * it did not, and *ret_silent tells whether it was silent until the deadline, which is
	 * KVM's doing and is remembered; a panic or a QEMU that died may be gone the next time.
	 * FALSE: it could not be tried, which is no answer. */
	gboolean (*boot)(void *data, char **ret_reason, gboolean *ret_silent, GCancellable *cancel,
		GError **error);
	void *data;
} AccelProber;

/*
 * ASKED: kvm, auto, tcg. MEMO: the JSON file of answers; KEY: what the answer holds for (boot,
 * the host's and the guest's kernel, emulator). Everything else as accel_decide in guest.h.
 */
const char *accel_choose(const AccelProber *prober, const char *asked, const char *memo,
	const char *key, gboolean probe_again, char **ret_remark, GCancellable *cancel,
	GError **error);

/* The real answer about a device file. */
char *accel_check_device(const char *path);

#endif
