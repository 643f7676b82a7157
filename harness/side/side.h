/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A side: where the agent runs. host.c starts it as a child process, guest/guest.c boots it in a
 * guest, fake.c answers from a script (tests of run/ only).
 *
 * Life: SIDE_new -> side_start -> { side_disk -> side_call("run") ... } -> side_stop -> side_free.
 * Any call may fail with IOGAP_ERROR_LOST: the side is then only good for side_facts, side_stop and side_free.
 */
#ifndef IOGAP_SIDE_SIDE_H
#define IOGAP_SIDE_SIDE_H

#include <gio/gio.h>
#include <jansson.h>
#include "harness/base/record.h"
#include "harness/side/link.h"

typedef struct Side Side;

/* One disk, as a guest should see it. On the host only image is used. */
typedef struct {
	const char *image; /* absolute path of the file or block device on the host */
	gboolean block;	   /* image is a block device */
	const char *nbd_socket; /* UNIX socket of the network block device that image shows; NULL = it is none. io is not used then */
	guint64 size;	   /* bytes, as the guest will see it */
	const char *serial, *bus, *cache, *io, *format;
	int iothread, ioeventfd, queues; /* -1 = does not apply */
	int iothread_map;      /* number of I/O threads (1, 2 ...) that share the queues; 0 or less = none */
	int event_idx, packed; /* -1 = does not apply */
	int queue_size;	       /* 0 or less = QEMU's own */
	guint logical_block_size;
	guint physical_block_size; /* 0 = the logical one */
	const char *discard;       /* ignore, unmap; NULL = QEMU's own */
	int rotation_rate;         /* 0 or less = not told */
	gint64 iops_limit;     /* operations per second that QEMU allows; 0 or less = no limit */
	const char *scheduler; /* in the guest; NULL = leave it */
} SideDisk;

/* Where a guest may run and what its memory is made of; NULL and 0 = wherever the host lets it. Lists as in harness/base/cpu-list.h. */
typedef struct {
	const char *pin_vcpu; /* processors of all vCPUs, or of each with '/' between */
	const char *pin_iothread, *pin_emulator; /* processors; emulator: QEMU's main loop and its workers */
	const char *numa;  /* nodes of its memory */
	guint64 hugepages; /* bytes of a page of its memory */
} SideTuning;

typedef struct SideOps {
	const char *name; /* "host", "guest", "fake" */

	/* Required. Brings the agent up to its hello; on failure nothing is left running. */
	gboolean (*start)(Side *side, GCancellable *cancel, GError **error);

	/* Required. Makes DISK ready for jobs and returns the path that the agent opens. Called again for a disk
	 * that is ready it returns the same path at once. */
	char *(*disk)(Side *side, const SideDisk *disk, GCancellable *cancel, GError **error);

	/* Optional. Fills RECORD with what is worth keeping of this start: columns of the store's boot table
	 * (domain_xml, qemu_cmdline, kernel, booted, accel, hello_ns ...). */
	void (*facts)(Side *side, Record *record);

	/* Optional. The load on DISK is being measured from now on: notes the counters of what lies between it and the host. Must not
	 * wait. */
	void (*begin)(Side *side, const SideDisk *disk);

	/* Optional. It has ended: sets in RUN the columns qemu_reads ... qemu_flushes, kvm_exits and seen_* (what the disk is in truth),
	 * and in REASONS, by column, a text why one is missing. May wait for the hypervisor. */
	void (*end)(Side *side, const SideDisk *disk, Record *run, Record *reasons);

	/* Required. Ends the agent and all that start made; idempotent, works on a lost or half-started side. */
	void (*stop)(Side *side);

	/* Optional. Frees private data; stop was called. */
	void (*free)(Side *side);
} SideOps;

struct Side {
	const SideOps *ops;
	AgentLink *link; /* set by start, freed by side_stop */
	pid_t pid;	 /* the agent's process where it is one of this host, else 0 */
	/* Implementations embed Side as their first member. */
};

gboolean side_start(Side *side, GCancellable *cancel, GError **error);
char *side_disk(Side *side, const SideDisk *disk, GCancellable *cancel, GError **error);
/* link_call on the side's link. */
json_t *side_call(Side *side, const char *cmd, const json_t *arguments, guint timeout_ms,
	LinkPhase phase, void *data, GCancellable *cancel, GError **error);
void side_facts(Side *side, Record *record);
void side_begin(Side *side, const SideDisk *disk);
void side_end(Side *side, const SideDisk *disk, Record *run, Record *reasons);
void side_stop(Side *side);
void side_free(Side *side); /* stops it first; NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Side, side_free)

#endif
