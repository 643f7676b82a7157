/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hypervisor.c, guest.c, guest-disk.c, guest-event.c and accel.c share. Nobody else includes
 * it.
 */
#ifndef IOGAP_SIDE_GUEST_PRIVATE_H
#define IOGAP_SIDE_GUEST_PRIVATE_H

#include <libvirt/libvirt.h>

#include "harness/side/guest/appliance.h"
#include "harness/side/guest/guest.h"
#include "harness/side/guest/image.h"

struct Hypervisor {
	char *uri;
	char *identity; /* see hypervisor_identity */
	Keeper *keeper; /* borrowed; may be NULL */
	virConnectPtr connection;
	guint guests; /* how many were made, for their names */
	GPtrArray *listening; /* of GuestSide *, borrowed: those that hear libvirt's events */
	int callbacks[4];
	guint n_callbacks;
};

/* TRUE for the embedded driver: guests are children of this process. */
gboolean hypervisor_is_embedded(const Hypervisor *hypervisor);
/*
 * User and group that a guest's QEMU has to be given so that it can open what this process made: those of this process, as
 * "+UID:+GID", under a daemon that otherwise takes a user of its own (qemu:///system). NULL: QEMU runs as this user anyway.
 * Borrowed.
 */
const char *hypervisor_identity(const Hypervisor *hypervisor);
/* keeper_add and keeper_drop, or nothing without a keeper. */
void hypervisor_announce(Hypervisor *hypervisor, const char *kind, const char *what);
void hypervisor_withdraw(Hypervisor *hypervisor, const char *kind, const char *what);
/* The domain capabilities of this emulator (NULL = default) and machine for kvm or tcg: new XML
 * text. */
char *hypervisor_capabilities(Hypervisor *hypervisor, const char *emulator, const char *machine,
	const char *accel, GError **error);
/* Path of the emulator that a guest without one of its own gets. */
char *hypervisor_default_emulator(Hypervisor *hypervisor, GError **error);

/* A disk of a guest, cold or hot-plugged. */
typedef struct {
	char *serial, *bus, *xml, *path; /* path: in the guest, NULL until it was found */
	guint slot;                      /* number among the disks of its bus */
	int controller;                  /* virtio-scsi: index; -1 otherwise */
	gboolean cold;                   /* there since the boot: cannot be unplugged */
	guint64 last_used;               /* a counter, not a time */
	GArray *descriptors;             /* of int: those that QEMU opened for it; NULL = not told apart */
	Record *seen;                    /* its settings as QEMU has them, NULL until they were asked for */
} GuestDisk;

/* A run under way; guest-observe.c. */
typedef struct GuestObservation GuestObservation;

/* A virtio-scsi controller that was plugged in for disks with these settings. */
typedef struct {
	int queues, iothread, ioeventfd, packed;
	guint units; /* how many were ever used: never given twice */
} GuestController;

typedef struct {
	Side side; /* first: a Side is this */
	Hypervisor *hypervisor;

	/* a copy of the configuration */
	char *accel, *machine, *kernel, *emulator, *agent, *programs, *members;
	SideTuning tuning; /* with texts of its own */
	Image *image; /* NULL = the appliance */
	guint vcpus, hello_timeout_s;
	guint64 memory;
	GArray *cold; /* of SideDisk, with texts of their own */

	/* this start */
	Appliance *appliance;
	virDomainPtr domain;
	char *name, *socket, *console, *announced;
	char *overlay; /* of the image, for this boot only; NULL = none */
	char *words;   /* the kernel's command line */
	GSocketConnection *connection;
	pid_t pid;           /* of QEMU, 0 = not known */
	gint64 hello_ns;     /* -1 = no hello */
	char *xml, *cmdline; /* as libvirt and QEMU had it, latest reading */
	char *agent_version; /* from its hello */
	gboolean silent; /* its last start ended at the deadline, without a word */
	gboolean stopping, gone; /* gone: libvirt said that the domain has stopped */
	char *reason;            /* why the guest was lost, from events */
	/* a device was removed, or the guest stopped; cleared before a detachment */
	gboolean removed;

	GPtrArray *disks;    /* of GuestDisk * */
	GArray *controllers; /* of GuestController */
	int iothreads; /* made so far */
	guint64 uses;
	GuestObservation *observation; /* NULL between runs */
} GuestSide;

/* TRUE for URIs of Xen, whose domains are written and never started. */
gboolean hypervisor_is_xen(const char *uri);
/* One that is not connected, to write down what its domains would be: NULL = the embedded driver; of Xen too. IOGAP_ERROR_USAGE for a
 * URI of another kind. hypervisor_close frees it. */
Hypervisor *hypervisor_named(const char *uri, GError **error);

/* ---- guest.c and guest-xml.c ---------------- */

/* Copies CONFIG and makes the appliance; the disks' images need not be there yet. */
GuestSide *guest_new(Hypervisor *hypervisor, const GuestConfig *config, GError **error);
/* Names the next guest of run RUN, whose sockets and logs lie in FOLDER, and takes the names away again. */
void guest_name_things(GuestSide *guest, const char *folder, const char *run);
void guest_unname_things(GuestSide *guest);
/* The domain of a guest that has its names. New text. */
char *guest_xml(GuestSide *guest, GError **error);

/* ---- guest-call.c: libvirt calls that wait for QEMU ---------------- */

/* Runs in a thread of its own; must not touch the main loop's things. */
typedef gboolean (*GuestCall)(GuestSide *guest, gpointer data, GError **error);
/*
 * Runs CALL in a thread while the main context goes on; when it has not ended after TIMEOUT_S, or
 * CANCEL is triggered, QEMU is killed, which ends the call. The error then is IOGAP_ERROR_LOST or
 * IOGAP_ERROR_INTERRUPTED.
 */
gboolean guest_call(GuestSide *guest, const char *what, GuestCall call, gpointer data,
	guint timeout_s, GCancellable *cancel, GError **error);
/* Kills QEMU, if there is one. */
void guest_kill(GuestSide *guest);
/* Runs the main context until *FLAG, at most TIMEOUT_MS. Returns *FLAG. */
gboolean guest_wait(const gboolean *flag, guint timeout_ms);

/* ---- guest-event.c ---------------- */

gboolean guest_events_register(GuestSide *guest, GError **error);
void guest_events_deregister(GuestSide *guest);
/* For a link that broke by itself: waits a moment for what libvirt knows, and returns the better
 * reason. */
char *guest_diagnose(const char *reason, gpointer guest);

/* ---- guest-silence.c ---------------- */

/* For a guest that is silent beyond a deadline: what can be seen of it from here. Runs the main context for some
 * seconds; a QEMU that does not answer either is killed. New text, or NULL. */
char *guest_explain(const char *reason, gpointer guest);

/* ---- guest-disk.c ---------------- */

char *guest_disk(Side *side, const SideDisk *disk, GCancellable *cancel, GError **error);
/* Lists the cold disks as attached, not yet found. */
void guest_disks_begin(GuestSide *guest);
void guest_disk_free(gpointer disk);

/* disk-image.c: whether QEMU can use the image as DISK says: access, size, format of the content, locks. IOGAP_ERROR_FAILED with the mend. */
gboolean guest_disk_image_check(const SideDisk *disk, GError **error);

/* The disk of this serial, or NULL. */
GuestDisk *guest_disk_find(GuestSide *guest, const char *serial);

/* ---- guest-observe.c and guest-settings.c ---------------- */

/* SideOps.begin and SideOps.end. */
void guest_observe_begin(Side *side, const SideDisk *disk);
void guest_observe_end(Side *side, const SideDisk *disk, Record *run, Record *reasons);
/* Forgets a run that did not end. QEMU must answer or be dead. */
void guest_observe_drop(GuestSide *guest);
/* Operations of the disk that libvirt calls TARGET since QEMU's start. In a thread, as it calls libvirt. */
gboolean guest_observe_count(GuestSide *guest, const char *target, gint64 *ret_reads, gint64 *ret_writes, GError **error);
/* How many of COUNT such operations were done since measuring began; -1 = not known. Main thread; QEMU must answer. */
gint64 guest_observe_done(GuestSide *guest, gint64 count);
/* QEMU's id of the disk with this serial, NULL = none. In a thread, as it calls libvirt. New text. */
char *guest_disk_alias(GuestSide *guest, const char *serial);
/* The "return" of a QMP command, which it takes; a new reference, NULL on any failure. In a thread. */
json_t *guest_ask(GuestSide *guest, json_t *command);
/* Sets the columns seen_* of DISK in RUN, and in REASONS why one is missing. */
void guest_settings(GuestSide *guest, GuestDisk *disk, const SideDisk *asked, Record *run, Record *reasons);

/* ---- guest-tune.c: where QEMU runs ---------------- */

/* Copies what CONFIG says of it, and frees that. */
void guest_tune_copy(GuestSide *guest, const GuestConfig *config);
void guest_tune_free(GuestSide *guest);
/* Puts QEMU's process, once it is known, into the control group of the configuration. */
gboolean guest_tune_join(GuestSide *guest, GError **error);
/* Pins I/O thread ID. In a thread, as it calls libvirt. */
gboolean guest_tune_iothread(GuestSide *guest, guint id, GError **error);

/* ---- console.c ---------------- */

/* The line of the console's log that tells why a guest ended, or NULL. */
char *console_verdict(const char *path);
/* The last COUNT lines, joined by " | "; "nothing was printed" when it is empty. */
char *console_tail(const char *path, guint count);

#endif
