/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a profile to what is measured: legs, cells, boot groups, the order of each block, and what is
 * refused with its reason. Pure: no I/O, no clock; the same profile, facts and seed give the same plan.
 *
 * Who may include it: run, cli. Must not depend on side or results.
 */
#ifndef IOGAP_PLAN_PLAN_H
#define IOGAP_PLAN_PLAN_H

#include "harness/base/record.h"
#include "harness/profile/profile.h"

/* Lower-case texts are those of the profile; a negative number or NULL text = not set or not applicable. */
typedef struct {
	const char *rw, *sync, *engine; /* engine: as the agent calls it, so never "fio" alone; or a job file's name */
	int mix_read; /* percent, -1 unless rw is rw or randrw */
	guint64 block_size;
	gboolean direct;
	guint fsync_every; /* 0 = none */
	guint queue_depth, jobs;
	gint64 rate_iops; /* -1 = unlimited */
	const ProfileFioFile *fio_file; /* that says all this; borrowed from the profile; NULL = the profile does */
} PlanWorkload;

/* What needs a boot of its own when it differs. */
typedef struct {
	const char *machine; /* pc, q35 */
	const char *kernel, *emulator; /* paths, NULL = default */
	const char *image; /* prepared distribution image, NULL = the appliance */
	guint vcpus;
	guint64 memory; /* bytes, of each guest */
	guint guests;	/* that work at the same time; 1 = alone */
	const char *pin_vcpu; /* processors of all vCPUs, or of each with '/' between; NULL = any */
	const char *pin_iothread, *pin_emulator; /* processors; NULL = any */
	const char *numa;     /* nodes of its memory; NULL = any */
	guint64 hugepages;    /* bytes of a page of its memory; 0 = ordinary ones */
	const char *arm;     /* NULL = there are no arms; arms never share a boot */
} PlanMachine;

/* One disk of a guest; equal structs are one disk. */
typedef struct {
	guint target;	     /* index into profile->targets */
	const char *bus;     /* virtio, virtio-scsi, ide, sata, usb */
	const char *cache;   /* none, writeback, writethrough, directsync, unsafe */
	const char *io;	     /* threads, native, io_uring; network on an nbd target */
	const char *format;  /* raw, qcow2 */
	/* qcow2 only: 0, NULL and -1 on raw */
	guint cluster_size;	   /* bytes */
	const char *preallocation; /* off, metadata, falloc, full */
	int backing;		   /* images below the one that the guest opens */
	int extended_l2;	   /* 0, 1 */
	int iothread;	     /* 0, 1; -1 = does not apply to this bus */
	int ioeventfd;	     /* 0, 1; -1 = does not apply */
	int queues;	     /* -1 = does not apply */
	int iothread_map;    /* I/O threads that share the queues; 0 = none, -1 = does not apply */
	int event_idx;	     /* 0, 1; -1 = does not apply */
	int packed;	     /* 0, 1; -1 = does not apply */
	int queue_size;	     /* requests of a queue; -1 = QEMU's own, or does not apply */
	guint logical_block_size;  /* 512, 4096 */
	guint physical_block_size; /* 512, 4096; not below the logical one */
	const char *discard;	   /* ignore, unmap */
	int rotation_rate;	   /* per minute, 1 = no moving parts; -1 = not told, or does not apply */
	gint64 iops_limit;	  /* operations per second; -1 = unlimited */
	const char *scheduler;	  /* in the guest; NULL = leave it */
	char serial[21];	  /* "iogap-" + 14 hex digits: 10 of the seed, 4 of the index */
	gboolean hotplug;	  /* virtio, virtio-scsi: TRUE; ide, sata, usb: FALSE */
} PlanDisk;

typedef struct {
	PlanMachine machine;
	GArray *disks; /* of guint: indexes into plan->disks; at most the slots of the machine */
} PlanBoot;

typedef enum { PLAN_HOST, PLAN_GUEST } PlanSide;

typedef struct {
	PlanSide side;
	guint workload; /* index into plan->workloads */
	guint target;	/* index into profile->targets */
	guint boot;	/* guest: index into plan->boots */
	guint disk;	/* guest: index into plan->disks */
	int host;	/* guest: the leg of its host side; -1 on the host side */
	const char *host_scheduler; /* NULL = leave it */
	guint64 host_cache_limit; /* bytes that QEMU and the host's load may have, page cache included; 0 = no limit */
	const char *pin_load; /* processors of the host's load; NULL = any */
	const char *governor, *turbo; /* of the host's processors; turbo: on, off; NULL = leave it */
	const char *arm; /* both sides; NULL = there are no arms */
	char *label;	/* short and unique: "guest virtio none/native read 8k direct"; " @ARM" at the end */
} PlanLeg;

/* What was asked and cannot be measured. */
typedef struct {
	ProfilePlace place;
	char *combination; /* "bus=ide logical_block_size=4096" */
	char *reason;	   /* "QEMU refuses 4096-byte sectors on IDE; use virtio or virtio-scsi" */
	guint legs;	   /* how many guest legs it took away */
} PlanRefusal;

/* The order of one block: boots in random order, in each boot its guest legs and the host legs that
 * pair with them, mixed at random. A host leg is measured once per block. Every second block is the one before it, backwards: in each
 * cell the host runs first as often as the guest, and what changes steadily over time (a disk that warms up) cancels out.
 *
 * With arms, every boot of one arm is followed by the same boot of the others, in an order that is drawn for each pair of blocks
 * and turned round in the second of them; the legs of a boot run in the same order in every arm, host legs too. */
typedef struct {
	guint boot; /* index into plan->boots; G_MAXUINT = no guest is running (host legs only) */
	GArray *legs; /* of guint */
} PlanStage;

typedef struct {
	const Profile *profile; /* borrowed, must outlive the plan */
	guint64 seed;
	GArray *workloads; /* of PlanWorkload */
	GArray *disks;	   /* of PlanDisk */
	GPtrArray *boots;  /* of PlanBoot * */
	GPtrArray *legs;   /* of PlanLeg * */
	GPtrArray *refusals; /* of PlanRefusal * */
	GPtrArray *blocks; /* of GPtrArray * of PlanStage *, one per block */
	double seconds;	   /* expected wall seconds, boots and set-up included: the fewest blocks, no run extended */
	double seconds_most; /* every block that is allowed, and every run that can be extended is */
	double boot_s;	   /* expected seconds of one boot, from the facts */
	guint asked;	   /* combinations of the matrix in every arm, those refused and folded included */
	guint folded;	   /* of these, equal to another one once what does not apply is left out */
} Plan;

/* Huge pages of one size that the host's kernel has, in bytes. */
typedef struct {
	guint64 size, free;
} PlanHugepages;

/* What the planner must know of this machine; from side/ or typed in by a test. */
typedef struct {
	const char *accel;	  /* accelerator that will be used: kvm, tcg */
	guint memory_alignment;	  /* unused targets have 0 */
	GArray *sector_sizes;	  /* of guint, per target: logical sector size on the host, 0 = unknown */
	char *io_uring;		  /* NULL = QEMU and the kernel can; else the reason why not */
	GHashTable *engines;	  /* agent engine -> NULL (works) or the reason why not; a missing one works */
	double boot_s;		  /* seconds from create to hello, expected */
	GPtrArray *no_direct;	  /* per target: NULL = O_DIRECT works or is unknown, else the reason why not */
	char *iothread_map;	  /* NULL = queues can be dealt out to I/O threads; else the reason why not */
	char *nvme;		  /* NULL = libvirt has NVMe disks; else the reason why not */
	GPtrArray *lacking;	  /* per target: NULL = it can be made here, else what the kernel, the user or a program lacks */
	GPtrArray *in_memory;	  /* per target: the memory file system that its files lie in ("tmpfs"), NULL = none or unknown */
	GPtrArray *schedulers;	  /* per target: I/O schedulers that every disk below it can have, with blanks between; NULL = unknown */
	GPtrArray *no_scheduler;  /* per target: NULL = they can be set, else the reason why no other one can */
	GPtrArray *paths;	  /* per target: where its file or device lies, NULL = unknown */
	guint64 memory;		  /* bytes of RAM and swap of the host, 0 = unknown */
	char *memory_limit;	  /* NULL = a control group with a limit can be made; else the reason why not */
	char *cpus, *nodes;	  /* processors that can be pinned to and NUMA nodes, as lists; NULL = unknown */
	GArray *hugepages;	  /* of PlanHugepages */
	char *no_hugepages;	  /* NULL = QEMU can be given huge pages; else the reason why not */
	char *governors;	  /* frequency governors that every processor has, with blanks between */
	char *no_governor, *no_turbo; /* NULL = they can be set; else the reason why not */
	GArray *sizes;		  /* of guint64, per target: bytes of a whole block device; 0 = the profile's */
} PlanFacts;

/*
 * Facts of a machine about which nothing is known: everything works, sectors and sizes unknown, boot_s by
 * ACCEL (kvm, tcg; borrowed, static). The arrays have one entry per target of PROFILE. plan_facts_* setters copy their texts; a NULL
 * reason means that it works.
 */
void plan_facts_init(PlanFacts *facts, const Profile *profile, const char *accel);
void plan_facts_clear(PlanFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlanFacts, plan_facts_clear)
void plan_facts_target(PlanFacts *facts, guint target, guint sector_size, guint64 size, const char *no_direct);
void plan_facts_lacking(PlanFacts *facts, guint target, const char *reason);
void plan_facts_in_memory(PlanFacts *facts, guint target, const char *filesystem);
void plan_facts_scheduler(PlanFacts *facts, guint target, const char *schedulers, const char *no_scheduler);
void plan_facts_path(PlanFacts *facts, guint target, const char *path);
void plan_facts_engine(PlanFacts *facts, const char *engine, const char *reason);
void plan_facts_io_uring(PlanFacts *facts, const char *reason);
void plan_facts_memory_limit(PlanFacts *facts, const char *reason);
void plan_facts_cpus(PlanFacts *facts, const char *cpus, const char *nodes);
/* Huge pages of SIZE bytes, of which FREE bytes are free. */
void plan_facts_hugepages(PlanFacts *facts, guint64 size, guint64 free);
void plan_facts_no_hugepages(PlanFacts *facts, const char *reason);
void plan_facts_frequency(PlanFacts *facts, const char *governors, const char *no_governor, const char *no_turbo);
void plan_facts_hypervisor(PlanFacts *facts, const char *iothread_map, const char *nvme);

/*
 * STRICT: refusals are an error (IOGAP_ERROR_USAGE) that lists them all. An empty plan is one always, and lists the
 * reasons. FACTS are read only here; the plan keeps nothing of them but numbers.
 */
Plan *plan_build(const Profile *profile, const PlanFacts *facts, gboolean strict, guint64 seed, GError **error);
void plan_free(Plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plan, plan_free)

/* The outside program that ENGINE needs where the load runs ("fio", "dd", "ioping", "bonnie++"; static), or NULL. */
const char *plan_engine_program(const char *engine);

/* What the agent calls the engine of WORKLOAD: a job file is an engine for the matrix alone. */
const char *plan_engine_of_agent(const PlanWorkload *workload);

/*
 * TRUE when one run of the program gives the figures of both legs: two tests of bonnie++ on the same disk (LEG and OTHER differ in rw
 * alone). A leg shares with itself when its engine is one of those.
 */
gboolean plan_legs_share(const Plan *plan, guint leg, guint other);

/* Expected wall seconds of one run of LEG: settle, run, the final sync of buffered writes and what lies around them. */
double plan_leg_seconds(const Plan *plan, guint leg);

/* The same for the whole plan as `iogap gate` carries it out: when its screen chooses nothing, and when it chooses everything. */
void plan_gate_seconds(const Plan *plan, double *ret_least, double *ret_most);

/* Seconds by which one run of LEG grows when it is extended; 0 where that cannot be. */
double plan_leg_extension(const Plan *plan, guint leg);

/* Blocks that are measured in any case: all of them without `precision:`. */
guint plan_least_blocks(const Plan *plan);

/* One refusal as FILE:LINE:COLUMN: COMBINATION: REASON (N legs). New text. */
char *plan_refusal_text(const Plan *plan, const PlanRefusal *refusal);

/*
 * The columns that describe a leg in the store (results/store.h): side, label, target, rw ... and for guest legs bus, cache ...;
 * what does not apply is NULL.
 */
Record *plan_leg_record(const Plan *plan, guint leg);

#endif
