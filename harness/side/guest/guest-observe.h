/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking at a QEMU from outside while its guest does I/O: the parts that only read files, so that tests can feed them.
 *
 * Who may include it: harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_OBSERVE_H
#define IOGAP_SIDE_GUEST_OBSERVE_H

#include <glib.h>
#include <sys/types.h>

/* Sums that only grow; -1 = cannot be read. */
typedef struct {
	gint64 characters; /* rchar + wchar: what its read and write calls moved, asynchronous I/O excepted */
	gint64 ring_tail;  /* submissions to its io_uring instances */
} ProcessIo;
void observe_process(pid_t pid, ProcessIo *ret);

/*
 * How a QEMU did BYTES in OPERATIONS between two looks: "threads" when its read and write calls moved at least half of them,
 * "io_uring" when its rings took at least half as many submissions, else "native". No query tells it. NULL when there were
 * fewer than 8 operations, or nothing could be read. Static.
 */
const char *observe_aio(const ProcessIo *before, const ProcessIo *after, gint64 bytes, gint64 operations);

/*
 * Adds VALUE to *EXITS (-1 = none so far) when FIELD is libvirt's name for all exits of one processor since its start ("vcpu.3.exits.sum",
 * from QEMU's query-stats); kinds of exits ("vcpu.3.io_exits.sum"), which are parts of it, and everything else add nothing.
 */
void observe_add_exits(const char *field, guint64 value, gint64 *exits);

/*
 * Exits of the guest of PID from the kernel's debugfs (FOLDER/PID-FD/exits), -1 when it is not there, closed to this user, or
 * holds no number.
 */
gint64 observe_debugfs_exits(const char *folder, pid_t pid);

/* Why a run of a guest of KVM (else of TCG) has no count of exits; FOLDER as above. The same text for every run of a sweep. New text. */
char *observe_why_no_exits(gboolean kvm, const char *folder);

/*
 * O_DIRECT of the descriptors by which PID has IMAGE open: 1, 0; -1 when there is none, -2 when some have it and some have not
 * (disks of several cache modes share the image). ONLY: the descriptors that count, or NULL for all; those of them that are closed by
 * now do not.
 */
int observe_direct(pid_t pid, const char *image, const GArray *only);

/* The descriptors (of int) by which PID has IMAGE open. Owned by the caller. */
GArray *observe_descriptors(pid_t pid, const char *image);

/* "none", "writeback" ... from what query-block says of a disk's cache. Static. */
const char *observe_cache(gboolean writeback, gboolean direct, gboolean no_flush);

#endif
