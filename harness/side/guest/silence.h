/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a guest stands that does not answer any more: two looks at its QEMU, and what they tell in words. The parts that need no
 * libvirt, so that tests can feed them.
 *
 * A request of a virtio disk goes: the guest offers it, QEMU is notified and takes it, does it, returns it, and interrupts the guest, which
 * consumes it. All five counts are in the rings, modulo 65 536; where two of them differ for good, there it hangs.
 *
 * Who may include it: harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_SILENCE_H
#define IOGAP_SIDE_GUEST_SILENCE_H

#include <glib.h>
#include <sys/types.h>

/* CPU time of a QEMU's threads so far, in ns, and how many of them sleep uninterruptibly ("D"), as for a device of the host. */
typedef struct {
	gint64 vcpu_ns, other_ns; /* -1 = cannot be read */
	guint blocked;
	char state; /* of its main thread, as in /proc; 0 = not known, 'T' = stopped */
} SilenceCpu;
void silence_cpu(pid_t pid, SilenceCpu *ret);

/* A virtqueue, as QEMU's x-query-virtio-queue-status and the guest's memory have it. -1 = not known. */
typedef struct {
	gint offered;  /* the guest's avail index */
	gint taken;    /* QEMU's last avail index */
	gint returned; /* QEMU's used index */
	gint inuse;    /* taken and not returned */
	gint wanted;   /* used_event: the guest asked to be interrupted when more than this were returned; -1 too without event_idx */
} SilenceQueue;
#define SILENCE_QUEUE_UNKNOWN ((SilenceQueue){-1, -1, -1, -1, -1})

/* One look. Sums since QEMU's start; -1 = not known. */
typedef struct {
	SilenceCpu cpu;
	gint64 reads, writes;
	SilenceQueue queue;
} SilenceLook;

/*
 * What two looks SECONDS apart tell, DONE being the operations that QEMU finished between the begin of the measuring and the first of them (-1 = not
 * known) and DISK the disk's name for the message: clauses joined by "; ". New text.
 */
char *silence_text(const SilenceLook *first, const SilenceLook *second, double seconds, const char *disk, gint64 done);

#endif
