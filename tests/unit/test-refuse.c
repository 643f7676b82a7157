/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cannot be measured, and what include and exclude do to the matrix. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/plan/plan.h"

#define HEAD "name: x\ntargets: [{name: t, size: 1G}]\n"

typedef struct {
	const char *engine;	 /* does not work */
	const char *io_uring;	 /* reason */
	const char *no_direct;	 /* of the first target */
	const char *path;	 /* of it */
	const char *lacking;	 /* what it needs */
	const char *in_memory;	 /* the file system that it lies in */
	const char *schedulers, *no_scheduler; /* of the disk below it */
	guint sector;
	guint64 size;
	gboolean old_libvirt;
	const char *memory_limit; /* reason */
	const char *cpus, *nodes; /* NULL = unknown */
	guint64 huge;		  /* bytes of free pages of 2M */
	const char *no_hugepages; /* reason */
	const char *governors, *no_governor, *no_turbo;
} Machine;

static Profile *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	Profile *profile = profile_parse("p.yaml", text, -1, &error);

	g_assert_no_error(error);
	return profile;
}

static Plan *build_on(const Profile *profile, const Machine *machine, gboolean strict, GError **error)
{
	g_auto(PlanFacts) facts = {NULL};

	plan_facts_init(&facts, profile, "tcg");
	if (machine) {
		plan_facts_target(&facts, 0, machine->sector, machine->size, machine->no_direct);
		plan_facts_path(&facts, 0, machine->path);
		plan_facts_lacking(&facts, 0, machine->lacking);
		plan_facts_in_memory(&facts, 0, machine->in_memory);
		plan_facts_scheduler(&facts, 0, machine->schedulers, machine->no_scheduler);
		plan_facts_io_uring(&facts, machine->io_uring);
		plan_facts_memory_limit(&facts, machine->memory_limit);
		plan_facts_frequency(&facts, machine->governors, machine->no_governor, machine->no_turbo);
		plan_facts_cpus(&facts, machine->cpus, machine->nodes);
		plan_facts_hugepages(&facts, 2 << 20, machine->huge);
		plan_facts_no_hugepages(&facts, machine->no_hugepages);
		if (machine->old_libvirt)
			plan_facts_hypervisor(&facts, "dealing out needs a newer libvirt", "an NVMe disk needs a newer libvirt");
		if (machine->engine)
			plan_facts_engine(&facts, machine->engine, "not in this kernel");
	}
	return plan_build(profile, &facts, strict, 1, error);
}

static guint guests(const Plan *plan)
{
	guint count = 0;

	for (guint i = 0; i < plan->legs->len; i++)
		count += ((PlanLeg *)g_ptr_array_index(plan->legs, i))->side == PLAN_GUEST;
	return count;
}

static gboolean has_leg(const Plan *plan, const char *label)
{
	for (guint i = 0; i < plan->legs->len; i++)
		if (g_str_equal(((PlanLeg *)g_ptr_array_index(plan->legs, i))->label, label))
			return TRUE;
	return FALSE;
}

static const Machine large_sectors = {.sector = 4096}, no_aio = {.engine = "libaio"}, no_fio = {.engine = "fio:io_uring"}, no_ring = {.io_uring = "switched "
													       "off"},
		     no_direct = {.no_direct = "tmpfs of an old kernel"}, odd_path = {.path = "/a;b"}, fine_path = {.path = "/a b:c"},
		     small_device = {.size = 4 << 20}, old_libvirt = {.old_libvirt = TRUE},
		     two_cpus = {.cpus = "0-1", .nodes = "0", .huge = 300 << 20},
		     fixed_clock = {.no_governor = "there is none", .no_turbo = "no switch"}, one_governor = {.governors = "performance powersave"},
		     no_mount = {.no_hugepages = "hugetlbfs is not mounted"},
		     in_tmpfs = {.in_memory = "tmpfs"}, in_ramfs = {.in_memory = "ramfs"},
		     two_schedulers = {.schedulers = "none mq-deadline"},
		     no_disk = {.no_scheduler = "below /data there is no disk that could have one: an overlay"},
		     fixed_scheduler = {.schedulers = "none", .no_scheduler = "this user may not"},
		     no_groups = {.memory_limit = "nothing is mounted"};

/* Each profile has one combination, or two of which the second is refused; the refusal in full. */
static const struct {
	const char *text;
	const Machine *machine;
	guint left; /* guest legs */
	const char *refusal;
} cases[] = {
	{"host: {scheduler: [mq-deadline, kyber]}\n", &two_schedulers, 1,
		"p.yaml:3:33: scheduler=kyber target=t: the disks below the target have no such scheduler; they have: none mq-deadline (1 leg)"},
	{"host: {scheduler: [keep, none]}\n", &no_disk, 1,
		"p.yaml:3:26: scheduler=none target=t: the I/O scheduler cannot be set: below /data there is no disk that could have one: an "
		"overlay (1 leg)"},
	{"host: {scheduler: [none, bfq]}\n", &fixed_scheduler, 1,
		"p.yaml:3:26: scheduler=bfq target=t: the I/O scheduler cannot be set: this user may not (1 leg)"},
	/* By the file system that the target's folder lies in, not by the name of its type. */
	{"host: {host_cache_limit: [none, 2G]}\n", &in_tmpfs, 1,
		"p.yaml:3:33: host_cache_limit=2G target=t: a tmpfs lies in memory as a whole, whatever the page cache may have (1 leg)"},
	{"host: {scheduler: [keep, none]}\n", &in_ramfs, 1,
		"p.yaml:3:26: scheduler=none target=t: a ramfs lies in memory, and no I/O scheduler works below it (1 leg)"},
	{"guest: {cache: [none, writeback]}\n", NULL, 1,
		"p.yaml:3:23: cache=writeback io=native: QEMU refuses native AIO on an image that is not opened with O_DIRECT"},
	{"guest: {format: qcow2, cluster_size: [64k, 12k]}\n", NULL, 1,
		"p.yaml:3:44: cluster_size=12k: clusters are powers of two; use 512, 1k, 2k ... 2M (1 leg)"},
	{"guest: {cluster_size: [64k, 4k]}\n", NULL, 1, "p.yaml:3:29: cluster_size=4k format=raw: a raw image has no clusters; use format qcow2"},
	{"guest: {preallocation: [off, falloc]}\n", NULL, 1,
		"p.yaml:3:30: preallocation=falloc format=raw: every byte of a raw image is written before anything is measured"},
	{"guest: {backing: [0, 1]}\n", NULL, 1, "p.yaml:3:22: backing=1 format=raw: a raw image has no images below it; use format qcow2"},
	{"guest: {extended_l2: [false, true]}\n", NULL, 1, "p.yaml:3:30: extended_l2=true format=raw: a raw image has no tables that could"},
	{"guest: {format: qcow2, extended_l2: true, cluster_size: [16k, 8k]}\n", NULL, 1,
		"p.yaml:3:37: extended_l2=true cluster_size=8k: QEMU divides clusters of 16k and more only"},
	{"guest: {format: qcow2, backing: [0, 2], preallocation: metadata}\n", NULL, 1,
		"p.yaml:3:56: preallocation=metadata backing=2 extended_l2=false: QEMU refuses it: allocated clusters of the upper image"},
	{"guest: {format: qcow2, backing: 2, preallocation: metadata, extended_l2: [true, false]}\n", NULL, 1,
		"p.yaml:3:51: preallocation=metadata backing=2 extended_l2=false: QEMU refuses it"},
	{"guest: {bus: ide, machine: [pc, q35]}\n", NULL, 1,
		"p.yaml:3:14: bus=ide machine=q35: q35 has no IDE controller; use machine pc or bus sata (1 leg)"},
	{"guest: {bus: [virtio, ide], logical_block_size: 4096}\n", NULL, 1,
		"p.yaml:3:49: logical_block_size=4k bus=ide: QEMU refuses 4096-byte sectors on IDE; use virtio or virtio-scsi "
		"(1 leg)"},
	{"guest: {bus: [virtio, sata], logical_block_size: 4k}\n", NULL, 1,
		"p.yaml:3:50: logical_block_size=4k bus=sata: QEMU refuses 4096-byte sectors on SATA"},
	{"guest: {bus: [virtio, ide], iothread: true}\n", NULL, 1,
		"p.yaml:3:39: iothread=true bus=ide: IDE disks are served by QEMU's main loop, never by an iothread"},
	{"guest: {bus: [virtio-scsi, sata], ioeventfd: false}\n", NULL, 1,
		"p.yaml:3:46: ioeventfd=false bus=sata: SATA has no ioeventfd to switch off"},
	{"guest: {bus: [virtio, ide], queues: 2, vcpus: 2}\n", NULL, 1, "p.yaml:3:37: queues=2 bus=ide: IDE has one queue"},
	{"guest: {queues: [vcpus, 4], vcpus: 2}\n", NULL, 1,
		"p.yaml:3:25: queues=4 vcpus=2: a guest with 2 vCPUs uses no more queues than that; give it more vcpus (1 leg)"},
	{"guest: {iothread: true, ioeventfd: [true, false]}\n", NULL, 1,
		"p.yaml:3:19: iothread=true ioeventfd=false: QEMU refuses an iothread without ioeventfd (1 leg)"},
	{"guest: {bus: virtio-scsi, iothread: true, ioeventfd: [true, false]}\n", NULL, 1,
		"p.yaml:3:37: iothread=true ioeventfd=false: QEMU refuses an iothread without ioeventfd (1 leg)"},
	{"guest: {bus: [virtio, usb], cache: directsync}\n", NULL, 1,
		"p.yaml:3:36: cache=directsync bus=usb: QEMU leaves the write cache of a USB disk on without a word, so this would be none"},
	{"guest: {bus: [virtio, usb], logical_block_size: 4k}\n", NULL, 1,
		"p.yaml:3:49: logical_block_size=4k bus=usb: QEMU gives a USB disk sectors of 512 bytes whatever is asked"},
	{"guest: {bus: [virtio, usb], physical_block_size: 4k}\n", NULL, 1,
		"p.yaml:3:50: physical_block_size=4k logical_block_size=512 bus=usb: QEMU gives a USB disk sectors of 512 bytes"},
	{"guest: {bus: [virtio, nvme]}\n", &old_libvirt, 1, "p.yaml:3:23: bus=nvme: an NVMe disk needs a newer libvirt (1 leg)"},
	{"guest: {bus: [virtio, nvme]}\n", NULL, 1, "p.yaml:3:23: bus=nvme: libvirt can, but iogap has only been taught"},
	{"guest: {iothread_map: [none, 2], vcpus: 2}\n", &old_libvirt, 1,
		"p.yaml:3:30: iothread_map=2 bus=virtio queues=vcpus: dealing out needs a newer libvirt; use iothread, which is one "
		"thread for all queues (1 leg)"},
	{"guest: {iothread_map: [none, 2], bus: ide}\n", NULL, 1,
		"p.yaml:3:30: iothread_map=2 bus=ide queues=vcpus: only a virtio disk can have its queues served by several"},
	{"guest: {iothread_map: [none, 2]}\n", NULL, 1,
		"p.yaml:3:30: iothread_map=2 bus=virtio queues=vcpus: 1 queue cannot keep more threads busy"},
	{"guest: {iothread_map: [none, 2], iothread: true, vcpus: 2}\n", NULL, 1,
		"p.yaml:3:30: iothread_map=2 bus=virtio queues=vcpus: the queues go either to the one thread of iothread or"},
	{"guest: {bus: [virtio, virtio-scsi], event_idx: false}\n", NULL, 1,
		"p.yaml:3:48: event_idx=false bus=virtio-scsi: libvirt can switch event_idx off on virtio disks only"},
	{"guest: {bus: [virtio-scsi, usb], packed: true}\n", NULL, 1,
		"p.yaml:3:42: packed=true bus=usb: USB has no virtqueues that could be packed"},
	{"guest: {bus: [virtio, sata], queue_size: 64}\n", NULL, 1,
		"p.yaml:3:42: queue_size=64 bus=sata: libvirt sets the size of queues on virtio disks only, and leaves it out"},
	{"guest: {queue_size: [default, 100]}\n", NULL, 1,
		"p.yaml:3:31: queue_size=100 bus=virtio: QEMU takes powers of two only"},
	{"guest: {logical_block_size: 4k, physical_block_size: [logical, 512]}\nworkload: {block_size: 64k}\n", NULL, 1,
		"p.yaml:3:64: physical_block_size=512 logical_block_size=4k bus=virtio: a physical sector cannot be smaller than a logical one"},
	{"guest: {bus: [virtio, sata], rotation_rate: 7200}\n", NULL, 1,
		"p.yaml:3:45: rotation_rate=7200 bus=virtio: a virtio disk tells no rotation rate; use virtio-scsi, ide or sata"},
	{"guest: {bus: sata, rotation_rate: [1, 100]}\n", NULL, 1,
		"p.yaml:3:39: rotation_rate=100 bus=sata: rates of 2 to 1024 mean nothing in the standards"},
	{"workload: {queue_depth: [1, 8]}\n", NULL, 1,
		"p.yaml:3:29: queue_depth=8 engine=psync: psync has one request in flight per job whatever is asked"},
	{"workload: {engine: libaio, direct: [true, false]}\n", NULL, 1,
		"p.yaml:3:20: engine=libaio direct=false: Linux AIO on a buffered file blocks"},
	{"workload: {rw: [read, write], sync: dsync}\n", NULL, 1,
		"p.yaml:3:37: sync=dsync rw=read: a pure read has nothing to sync"},
	{"workload: {rw: [randread, randrw], sync: fsync}\n", NULL, 1,
		"p.yaml:3:42: sync=fsync rw=randread: a pure read has nothing to sync"},
	{"workload: {block_size: [1000, 512]}\n", NULL, 1,
		"p.yaml:3:25: block_size=1000 direct=true logical_block_size=512: direct I/O must be a multiple of the guest's "
		"sectors of 512 (1 leg)"},
	{"workload: {block_size: [512, 4k]}\nguest: {logical_block_size: 4k}\n", NULL, 1,
		"p.yaml:3:25: block_size=512 direct=true logical_block_size=4k: direct I/O cannot be smaller than the guest's "
		"sectors of 4k (1 leg)"},
	{"workload: {block_size: [512, 4k]}\n", &large_sectors, 1,
		"p.yaml:3:25: block_size=512 direct=true target=t: direct I/O cannot be smaller than the target's sectors of 4k "
		"(1 leg)"},
	{"workload: {block_size: [1M, 256M], jobs: 8}\nguest: {memory: 64G}\n", NULL, 1,
		"p.yaml:3:29: block_size=256M jobs=8 target=t: one block is larger than the slice of a job, which is 1/8 of 1G "
		"(1 leg)"},
	{"workload: {engine: io_uring, queue_depth: [8, 4096], block_size: 64k}\n", NULL, 1,
		"p.yaml:3:66: block_size=64k queue_depth=4096 jobs=1: the requests in flight need 256M of buffers, more than a "
		"quarter of the guest's memory"},
	{"workload: {direct: [false, true]}\nguest: {cache: writeback, io: threads}\n", &no_direct, 1,
		"p.yaml:3:28: direct=true target=t: the target \"t\" takes no direct I/O: tmpfs of an old kernel (1 leg)"},
	{"workload: {direct: false}\nguest: {cache: [none, writeback], io: threads}\n", &no_direct, 1,
		"p.yaml:4:17: cache=none target=t: QEMU opens the image with O_DIRECT for this cache mode, and the target \"t\" "
		"takes no direct I/O: tmpfs of an old kernel (1 leg)"},
	{"guest: {io: [threads, io_uring]}\n", &no_ring, 1, "p.yaml:3:23: io=io_uring: QEMU cannot use io_uring here: switched "
							   "off (1 leg)"},
	{"workload: {engine: [psync, \"fio:psync\"], queue_depth: [1, 4]}\nexclude: [{engine: psync, queue_depth: 4}]\n", NULL, 2,
		"p.yaml:3:59: queue_depth=4 engine=fio:psync: fio:psync has one request in flight per job whatever is asked (fio caps "
		"its iodepth and goes on); use libaio or io_uring, or jobs (1 leg)"},
	{"workload: {engine: [psync, fio]}\n", &odd_path, 1,
		"p.yaml:2:11: target=t engine=fio: fio reads \";\" in the path /a;b as something else; use another folder "
		"(--data) or path (1 leg)"},
	{"workload: {engine: [psync, dd], rw: [read, randread]}\n", NULL, 3,
		"p.yaml:3:44: rw=randread sync=none engine=dd: dd goes from the first byte to the last; use rw: read or write (1 leg)"},
	{"workload: {engine: ioping, jobs: [1, 2]}\n", NULL, 1,
		"p.yaml:3:38: jobs=2 rate=none engine=ioping: ioping is one process; use jobs: 1 (1 leg)"},
	{"workload: {engine: dd, rate: [none, 5]}\n", NULL, 1, "p.yaml:3:37: jobs=1 rate=5 engine=dd: dd cannot be given a rate"},
	{"workload: {engine: [psync, ioping], rw: rw, mix_read: 50}\n", NULL, 1, "p.yaml:3:41: rw=rw sync=none engine=ioping: ioping either reads or writes (1 leg)"},
	{"workload: {engine: dd, rw: write, sync: [dsync, fsync]}\n", NULL, 1, "p.yaml:3:28: rw=write sync=fsync engine=dd: dd has no fsync between its writes; use sync: dsync or sync (1 leg)"},
	{"workload: {engine: [dd, ioping], rw: write, direct: false}\n", NULL, 1, "p.yaml:3:53: direct=false sync=none engine=ioping: ioping leaves buffered writes in the page cache; use direct: true, or sync: dsync (1 leg)"},
	{"workload: {engine: dd, queue_depth: [1, 4]}\n", NULL, 1, "p.yaml:3:41: queue_depth=4 engine=dd: dd has one request in flight per job whatever is asked; use libaio or io_uring, or jobs (1 leg)"},
	{"workload: {engine: bonnie++, rw: [write, randread]}\n", NULL, 1,
		"p.yaml:3:42: rw=randread sync=none engine=bonnie++: bonnie++ has no such test; use rw: write, read, rw (its rewrite) or "
		"randrw (its seeks) (1 leg)"},
	{"workload: {engine: bonnie++, rw: write, sync: [none, dsync]}\n", NULL, 1,
		"p.yaml:3:34: rw=write sync=dsync engine=bonnie++: bonnie++ syncs at the end of its tests only; use sync: none (1 leg)"},
	{"workload: {engine: [bonnie++, \"bonnie++:char\"], direct: false, rw: rw}\n", NULL, 1,
		"p.yaml:3:68: rw=rw sync=none engine=bonnie++:char: bonnie++ writes or reads single bytes; use rw: write or read (1 leg)"},
	{"workload: {engine: [bonnie++, \"bonnie++:char\"], rw: write}\n", NULL, 1,
		"p.yaml:3:31: direct=true engine=bonnie++:char: bonnie++ cannot write single bytes with direct I/O; use direct: false (1 leg)"},
	{"workload: {engine: bonnie++, block_size: [8k, 2M]}\n", NULL, 1,
		"p.yaml:3:47: block_size=2M engine=bonnie++: bonnie++ takes blocks of 256 bytes to 1 MiB, in powers of two (1 leg)"},
	{"workload: {engine: bonnie++, block_size: [8k, 12k]}\n", NULL, 1, "p.yaml:3:47: block_size=12k engine=bonnie++: bonnie++ takes"},
	{"workload: {engine: bonnie++, jobs: [1, 2]}\n", NULL, 1, "p.yaml:3:40: jobs=2 rate=none engine=bonnie++: bonnie++ is one process"},
	{"workload: {engine: bonnie++}\nguest: {guests: [1, 2]}\n", NULL, 1,
		"p.yaml:4:21: guests=2 engine=bonnie++: the tests of bonnie++ in several guests would drift apart; use guests: 1 (1 leg)"},
	{"workload: {engine: [fio, \"fio:libaio\"], direct: false}\n", NULL, 1,
		"p.yaml:3:26: engine=fio:libaio direct=false: Linux AIO on a buffered file blocks"},
	{"workload: {engine: fio, jobs: 3, rate: [300, 100]}\n", NULL, 1,
		"p.yaml:3:46: rate=100 jobs=3 engine=fio: fio cannot share a rate of 100 evenly: each of its jobs must get a whole "
		"number of operations per second; use a rate that divides (1 leg)"},
	{"workload: {engine: [psync, fio], rw: randrw, mix_read: 33, rate: 10}\n", NULL, 1,
		"p.yaml:3:66: rate=10 jobs=1 engine=fio: fio cannot share a rate of 10 evenly: each of its jobs, and its reads and writes, "
		"must get"},
	{"guest: {memory: 256M}\nhost: {host_cache_limit: [none, 300M]}\n", NULL, 1,
		"p.yaml:4:33: host_cache_limit=300M memory=256M guests=1: QEMU would be killed for want of memory: its guest's memory and "
		"128M beside it are 384M; use a higher limit or less guest memory (1 leg)"},
	{"guest: {memory: 256M, guests: [1, 2]}\nhost: {host_cache_limit: 384M}\n", NULL, 1,
		"p.yaml:4:26: host_cache_limit=384M memory=256M guests=2: QEMU would be killed for want of memory: its guests' memory and "
		"128M each beside it are 768M; use a higher limit or less guest memory (1 leg)"},
	{"guest: {memory: 256M, hugepages: 2M}\nhost: {host_cache_limit: [128M, 127M]}\n", &two_cpus, 1,
		"p.yaml:4:33: host_cache_limit=127M memory=256M guests=1: QEMU would be killed for want of memory: beside the guest's memory, which "
		"is of huge pages and counts for nothing here, 128M are needed; use a higher limit (1 leg)"},
	{"host: {host_cache_limit: [none, 1G]}\n", &no_groups, 1,
		"p.yaml:3:33: host_cache_limit=1G memory=512M guests=1: no memory can be limited here: nothing is mounted (1 leg)"},
	{"guest: {pin_vcpu: [0, 0-2]}\n", &two_cpus, 1,
		"p.yaml:3:23: pin_vcpu=0-2 vcpus=1: processor 2 is offline or not there; those that can be used are 0-1 (1 leg)"},
	{"guest: {vcpus: 2, pin_vcpu: [0/1, 0/7]}\n", &two_cpus, 1,
		"p.yaml:3:35: pin_vcpu=0/7 vcpus=2: processor 7 is offline or not there; those that can be used are 0-1 (1 leg)"},
	{"guest: {vcpus: [2, 3], pin_vcpu: 0/1}\n", NULL, 1,
		"p.yaml:3:34: pin_vcpu=0/1 vcpus=3: there are 2 lists for 3 vCPUs; give one for all of them, or one for each (1 leg)"},
	{"guest: {iothread: [true, false], pin_iothread: 1}\n", &two_cpus, 1,
		"p.yaml:3:48: pin_iothread=1 iothread=false: no I/O thread serves this disk; use iothread: true, or leave it out (1 leg)"},
	{"guest: {iothread: true, pin_iothread: [1, 2]}\n", &two_cpus, 1,
		"p.yaml:3:43: pin_iothread=2 iothread=true: processor 2 is offline or not there"},
	{"guest: {pin_emulator: [1, \"2,4-5\"]}\n", &two_cpus, 1, "p.yaml:3:27: pin_emulator=2,4-5: processor 2,4-5 is offline or not there"},
	{"host: {pin_load: [1, 2]}\n", &two_cpus, 1, "p.yaml:3:22: pin_load=2: processor 2 is offline or not there"},
	{"guest: {numa: [0, 1]}\n", &two_cpus, 1, "p.yaml:3:19: numa=1: the host has no NUMA node 1; it has 0 (1 leg)"},
	{"guest: {hugepages: [none, 1G]}\n", &two_cpus, 1,
		"p.yaml:3:27: hugepages=1G memory=512M guests=1: the host's kernel has no huge pages of 1G (/sys/kernel/mm/hugepages) (1 leg)"},
	{"guest: {memory: [256M, 512M], hugepages: 2M}\n", &two_cpus, 1,
		"p.yaml:3:42: hugepages=2M memory=512M guests=1: 256 pages of 2M are needed and 150 are free; as root: echo 256 "
		">/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages (1 leg)"},
	{"guest: {memory: [256M, 257M], hugepages: 2M}\n", &two_cpus, 1,
		"p.yaml:3:42: hugepages=2M memory=257M guests=1: the guest's memory is no multiple of pages of 2M (1 leg)"},
	{"guest: {hugepages: [none, 2M]}\n", &no_mount, 1,
		"p.yaml:3:27: hugepages=2M memory=512M guests=1: hugetlbfs is not mounted (1 leg)"},
	{"host: {governor: [keep, performance]}\n", &fixed_clock, 1,
		"p.yaml:3:25: governor=performance: the governor cannot be set: there is none (1 leg)"},
	{"host: {governor: [performance, schedutil]}\n", &one_governor, 1,
		"p.yaml:3:32: governor=schedutil: the host's processors have no such governor; they have: performance powersave (1 leg)"},
	{"host: {turbo: [keep, off]}\n", &fixed_clock, 1, "p.yaml:3:22: turbo=off: turbo cannot be switched: no switch (1 leg)"},
	{"workload: {engine: fio}\nguest: {memory: [256M, 384M]}\n", NULL, 1,
		"p.yaml:4:18: memory=256M engine=fio image=none: fio and its libraries do not fit into so small a guest; give it memory 384M or "
		"more (1 leg)"},
	{"workload: {engine: fio}\nguest: {memory: 256M, image: [none, debian]}\n", NULL, 1,
		"p.yaml:4:17: memory=256M engine=fio image=none: fio and its libraries do not fit into so small a guest"},
	{"workload: {engine: [psync, fio]}\n", &no_fio, 1,
		"p.yaml:3:28: engine=fio: the engine fio:io_uring does not work here: not in this kernel (1 leg)"},
	{"workload: {engine: [psync, libaio]}\n", &no_aio, 1,
		"p.yaml:3:28: engine=libaio: the engine libaio does not work here: not in this kernel (1 leg)"},
};

static void test_nbd(void)
{
	g_autoptr(Profile) profile = parse("name: x\ntargets: [{name: t, type: nbd, size: 16M, nbd_plugin: pattern}]\n"
					   "workload: {rw: [read, write]}\nguest: {cache: [none, writeback], format: [raw, qcow2]}\n");
	g_autoptr(GError) error = NULL;
	g_autoptr(Plan) plan = build_on(profile, NULL, FALSE, &error);
	const PlanRefusal *refusal;

	g_assert_no_error(error);
	/* io says nothing here, so native goes with every cache mode. */
	g_assert_cmpuint(guests(plan), ==, 2);
	g_assert_true(has_leg(plan, "guest virtio writeback/network read 64k direct"));
	g_assert_cmpuint(plan->refusals->len, >=, 2);
	for (guint i = 0; i < plan->refusals->len; i++) {
		refusal = g_ptr_array_index(plan->refusals, i);
		g_assert_true(strstr(refusal->reason, "a fixed pattern that cannot be written") ||
			strstr(refusal->reason, "a qcow2 image is a file"));
	}
}

/* dm-zero has neither a scheduler below it nor room for an image in a file; a file system on a volume has both. */
static void test_kernel_targets(void)
{
	g_autoptr(Profile) profile = parse("name: x\ntargets: [{name: z, type: dm-zero, size: 16M}, {name: v, type: lvm, size: 16M, "
					   "filesystem: ext4}]\nhost: {scheduler: [keep, none]}\nguest: {format: [raw, qcow2]}\n");
	g_autoptr(GError) error = NULL;
	g_autoptr(Plan) plan = build_on(profile, NULL, FALSE, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(guests(plan), ==, 5);
	g_assert_cmpuint(plan->refusals->len, >=, 2);
	for (guint i = 0; i < plan->refusals->len; i++) {
		const PlanRefusal *refusal = g_ptr_array_index(plan->refusals, i);

		g_assert_true(strstr(refusal->reason, "device-mapper makes zeros of nothing, and no I/O scheduler works below it") ||
			strstr(refusal->reason, "the target \"z\" is a device, and a qcow2 image is a file"));
	}
}

/* What a host cannot make is refused as a whole, in one line, whatever else would be refused of it. */
static void test_lacking(void)
{
	static const Machine no_driver = {.lacking = "this kernel has no such driver"};
	g_autoptr(Profile) profile = parse("name: x\ntargets: [{name: z, type: dm-zero, size: 16M}, {name: f, size: 16M}]\n"
					   "host: {scheduler: [keep, none]}\nworkload: {rw: [read, write]}\n");
	g_autoptr(Profile) alone = parse("name: x\ntargets: [{name: z, type: dm-zero, size: 16M}]\n");
	g_autoptr(GError) error = NULL, strict = NULL, nothing = NULL;
	g_autoptr(Plan) plan = build_on(profile, &no_driver, FALSE, &error);
	g_autofree char *refusal = NULL;

	g_assert_no_error(error);
	g_assert_cmpuint(plan->refusals->len, ==, 1);
	refusal = plan_refusal_text(plan, g_ptr_array_index(plan->refusals, 0));
	g_assert_cmpstr(refusal, ==, "p.yaml:2:11: target=z: this kernel has no such driver (4 legs)");
	g_assert_cmpuint(guests(plan), ==, 4);
	for (guint i = 0; i < plan->legs->len; i++)
		g_assert_cmpuint(((PlanLeg *)g_ptr_array_index(plan->legs, i))->target, ==, 1);
	g_assert_null(build_on(profile, &no_driver, TRUE, &strict));
	g_assert_error(strict, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_null(build_on(alone, &no_driver, FALSE, &nothing));
	g_assert_error(nothing, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_nonnull(strstr(nothing->message, "target=z: this kernel has no such driver (1 leg)"));
}

/* The burst that a rate lets through belongs into the time that is thrown away. */
static void test_rate(void)
{
	g_autoptr(Profile) brief = parse("name: x\ntargets: [{name: n, type: nbd, size: 16M, nbd_rate: 16M}, {name: f, size: 16M}]\n"
					 "measure: {settle: 0.09s}\n");
	g_autoptr(Profile) enough = parse("name: x\ntargets: [{name: n, type: nbd, size: 16M, nbd_rate: 16M}]\nmeasure: {settle: 0.1s}\n");
	g_autoptr(GError) error = NULL, none = NULL;
	g_autoptr(Plan) plan = build_on(brief, NULL, FALSE, &error), all = build_on(enough, NULL, TRUE, &none);
	const PlanRefusal *refusal;

	g_assert_no_error(error);
	g_assert_no_error(none);
	g_assert_nonnull(all);
	g_assert_cmpuint(plan->refusals->len, ==, 1);
	refusal = g_ptr_array_index(plan->refusals, 0);
	g_assert_cmpstr(refusal->combination, ==, "target=n");
	g_assert_nonnull(strstr(refusal->reason, "use settle: 0.1s or more"));
	g_assert_cmpuint(guests(plan), ==, 1);
}

static void test_refusals(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(HEAD, cases[i].text, NULL), *refusal = NULL;
		g_autoptr(Profile) profile = parse(text);
		g_autoptr(GError) error = NULL, strict = NULL;
		g_autoptr(Plan) plan = build_on(profile, cases[i].machine, FALSE, &error);

		g_assert_no_error(error);
		g_assert_cmpuint(plan->refusals->len, ==, 1);
		refusal = plan_refusal_text(plan, g_ptr_array_index(plan->refusals, 0));
		if (!g_str_has_prefix(refusal, cases[i].refusal))
			g_error("for\n%s\nexpected %s\n     got %s", text, cases[i].refusal, refusal);
		g_assert_cmpuint(guests(plan), ==, cases[i].left);
		g_assert_null(build_on(profile, cases[i].machine, TRUE, &strict));
		g_assert_error(strict, IOGAP_ERROR, IOGAP_ERROR_USAGE);
		g_assert_nonnull(strstr(strict->message, refusal));
	}
}

/* Devices and tmpfs refuse what needs a file system or a disk below. */
static void test_target_refusals(void)
{
	g_autoptr(Profile) device = parse("name: x\ntargets: [{name: b, type: block, path: /dev/vdz}, {name: f, size: 1G}]\n"
					  "workload: {block_size: [64k, 8M]}\nguest: {format: [raw, qcow2]}\n");
	g_autoptr(Profile) memory = parse("name: x\ntargets: [{name: m, type: tmpfs, size: 1G}]\n"
					  "host: {scheduler: [keep, none]}\n");
	g_autoptr(GError) error = NULL;
	g_autoptr(Plan) a = build_on(device, &small_device, FALSE, &error);
	g_autoptr(Plan) b = build_on(memory, NULL, FALSE, &error);
	g_autofree char *qcow2 = NULL, *large = NULL, *scheduler = NULL;

	g_assert_no_error(error);
	g_assert_cmpuint(a->refusals->len, ==, 2);
	qcow2 = plan_refusal_text(a, g_ptr_array_index(a->refusals, 0));
	large = plan_refusal_text(a, g_ptr_array_index(a->refusals, 1));
	g_assert_cmpstr(qcow2, ==,
		"p.yaml:4:23: format=qcow2 target=b: the target \"b\" is a device, and a qcow2 image is a file beside the raw "
		"one; use a target in a file system" " (2 legs)");
	g_assert_cmpstr(large, ==,
		"p.yaml:3:30: block_size=8M jobs=1 target=b: one block is larger than the target, which has 4M (1 leg)");
	g_assert_cmpuint(guests(a), ==, 5);
	scheduler = plan_refusal_text(b, g_ptr_array_index(b->refusals, 0));
	g_assert_cmpstr(scheduler, ==,
		"p.yaml:3:26: scheduler=none target=m: a tmpfs lies in memory, and no I/O scheduler works below it (1 leg)");
}

/* What a bus does anyway may be asked for; it just does not apply. */
static void test_not_refused(void)
{
	g_autoptr(Profile) profile = parse(HEAD "guest: {bus: [ide, sata], iothread: false, ioeventfd: true, queues: [1, vcpus]}\n");
	g_autoptr(GError) error = NULL;
	g_autoptr(Plan) plan = build_on(profile, NULL, TRUE, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(guests(plan), ==, 2);
	g_assert_cmpuint(plan->folded, ==, 2);
}

static Profile *load(const char *name)
{
	g_autofree char *file = g_build_filename(g_getenv("IOGAP_SRC") ? g_getenv("IOGAP_SRC") : ".", "tests/data/plan", name,
		NULL);
	g_autoptr(GError) error = NULL;
	Profile *profile = profile_load(file, &error);

	g_assert_no_error(error);
	return profile;
}

/* 15 combinations of AIO and cache mode, 12 of which can run; with strict the error lists the other three. */
static void test_aio_cache(void)
{
	g_autoptr(Profile) profile = load("aio-cache.yaml");
	g_autoptr(GError) error = NULL, strict = NULL;
	g_autoptr(Plan) plan = build_on(profile, NULL, FALSE, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(plan->asked, ==, 15);
	g_assert_cmpuint(guests(plan), ==, 12);
	g_assert_cmpuint(plan->refusals->len, ==, 3);
	g_assert_null(build_on(profile, NULL, TRUE, &strict));
	g_assert_nonnull(strstr(strict->message, "combinations that cannot be measured (--strict):"));
	g_assert_nonnull(strstr(strict->message, "8:17: cache=writeback io=native: "));
	g_assert_nonnull(strstr(strict->message, "8:28: cache=writethrough io=native: "));
	g_assert_nonnull(strstr(strict->message, "8:54: cache=unsafe io=native: "));
	for (guint i = 0; i < plan->legs->len; i++)
		g_assert_false(g_str_equal("guest virtio writeback/native read 4k direct",
			((PlanLeg *)g_ptr_array_index(plan->legs, i))->label));
}

static void check_sizes(const Plan *plan, const char *can, const char *cannot)
{
	g_auto(GStrv) good = g_strsplit(can, " ", -1), bad = g_strsplit(cannot, " ", -1);

	for (guint i = 0; good[i]; i++) {
		g_autofree char *label = g_strdup_printf("host read %s direct", good[i]);

		g_assert_true(has_leg(plan, label));
	}
	for (guint i = 0; bad[i]; i++) {
		g_autofree char *label = g_strdup_printf("host read %s direct", bad[i]);

		g_assert_false(has_leg(plan, label));
	}
	g_assert_cmpuint(plan->refusals->len, ==, g_strv_length(bad));
	g_assert_cmpuint(guests(plan), ==, g_strv_length(good));
}

static void test_alignment(void)
{
	g_autoptr(Profile) profile = load("alignment.yaml");
	g_autoptr(GError) error = NULL;
	Machine small = {.sector = 512};
	g_autoptr(Plan) a = build_on(profile, &large_sectors, FALSE, &error);
	g_autoptr(Plan) b = build_on(profile, &small, FALSE, &error);

	check_sizes(a, "4k 64k", "512 1000 6k");
	check_sizes(b, "512 4k 6k 64k", "1000");
}

static void test_ide(void)
{
	g_autoptr(Profile) five = load("ide-five.yaml"), q35 = load("ide-q35.yaml");
	g_autoptr(GError) error = NULL;
	g_autoptr(Plan) plan = build_on(five, NULL, TRUE, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(guests(plan), ==, 5);
	g_assert_cmpuint(plan->boots->len, ==, 2);
	g_assert_null(build_on(q35, NULL, FALSE, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, "ide-q35.yaml: nothing is left to measure; every combination is impossible:\n"));
	g_assert_nonnull(strstr(error->message, "ide-q35.yaml:7:8: bus=ide machine=q35: q35 has no IDE controller"));
}

static char *labels(const char *text)
{
	g_autofree char *whole = g_strconcat(HEAD, text, NULL);
	g_autoptr(Profile) profile = parse(whole);
	g_autoptr(GError) error = NULL;
	g_autoptr(Plan) plan = build_on(profile, NULL, FALSE, &error);
	g_autoptr(GString) out = g_string_new(NULL);

	if (!plan)
		return g_strdup(error->message);
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST)
			g_string_append_printf(out, "%s\n", leg->label + strlen("guest "));
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/* Profiles and the guest legs that they come to, or the error. */
static const struct {
	const char *text, *legs;
} rules[] = {
	/* exclude takes out what matches all of its keys */
	{"workload: {rw: [read, write]}\nguest: {bus: [virtio, ide]}\nexclude: [{rw: write, bus: ide}]\n",
		"virtio none/native read 64k direct\nide none/native read 64k direct\nvirtio none/native write 64k direct\n"},
	{"workload: {rw: [read, write, randread]}\nexclude: [{rw: [read, randread]}]\n",
		"virtio none/native write 64k direct\n"},
	{"exclude: [{bus: ide}]\n",
		"p.yaml:3:11: this entry of exclude takes nothing out: no combination is left that has bus=ide"},
	{"exclude: [{bus: virtio}]\n", "p.yaml:3:11: the matrix is empty: exclude takes out every combination"},
	/* include extends by keys that the profile does not give */
	{"guest: {bus: [virtio, ide]}\ninclude: [{bus: virtio, iothread: true}]\n",
		"virtio none/native iothread read 64k direct\nide none/native read 64k direct\n"},
	{"guest: {bus: [virtio, ide]}\ninclude: [{bus: virtio, iothread: [false, true]}]\n",
		"virtio none/native read 64k direct\nvirtio none/native iothread read 64k direct\nide none/native read 64k direct\n"},
	{"guest: {bus: [virtio, virtio-scsi]}\ninclude: [{cache: directsync}]\n",
		"virtio directsync/native read 64k direct\nvirtio-scsi directsync/native read 64k direct\n"},
	/* or adds, the other keys at the first value of their axes */
	{"workload: {rw: [write, read]}\ninclude: [{rw: randread, block_size: [4k, 8k]}]\n",
		"virtio none/native write 64k direct\nvirtio none/native read 64k direct\n"
		"virtio none/native randread 4k direct\nvirtio none/native randread 8k direct\n"},
	{"workload: {rw: [write, read], block_size: [8k, 4k]}\ninclude: [{bus: ide, rw: rw}]\n",
		"virtio none/native write 8k direct\nvirtio none/native write 4k direct\nvirtio none/native read 8k direct\n"
		"virtio none/native read 4k direct\nide none/native rw 8k direct\n"},
	/* what include added is not extended */
	{"workload: {rw: read}\ninclude: [{rw: write}, {jobs: 2}]\n",
		"virtio none/native read 64k direct jobs=2\nvirtio none/native write 64k direct\n"},
	/* exclude comes first, wherever it stands */
	{"include: [{rw: write, bus: ide}]\nexclude: [{rw: write}]\nworkload: {rw: [read, write]}\n",
		"virtio none/native read 64k direct\nide none/native write 64k direct\n"},
	{"exclude: [{rw: read}]\ninclude: [{bus: ide}]\n", "ide none/native read 64k direct\n"},
	{"workload: {rw: [read, write]}\ninclude: [{rw: read}]\n",
		"p.yaml:4:11: this entry of include adds nothing: the matrix has rw=read already"},
	/* settings that nothing can use */
	{"workload: {mix_read: 30}\n", "p.yaml:3:22: mix_read has no effect in this profile: it needs rw: rw or randrw"},
	{"workload: {fsync_every: 30, sync: dsync}\n",
		"p.yaml:3:25: fsync_every has no effect in this profile: it needs sync: fsync"},
	/* too much of it */
	{"measure: {blocks: 1}\nworkload: {rw: [read, write, randread, randwrite, rw, randrw], block_size: [1k, 2k, 3k, 4k, 5k, "
	 "6k, 7k, 8k], jobs: [1, 2, 3, 4, 5, 6, 7, 8], mix_read: [1, 2, 3, 4, 5, 6, 7, 8], rate: [1, 2, 3, 4, 5, 6, 7]}\n",
		"p.yaml:1:1: the matrix has more than 20000 combinations; take axes apart into several profiles"},
};

static void test_rules(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(rules); i++) {
		g_autofree char *got = labels(rules[i].text);

		g_assert_cmpstr(got, ==, rules[i].legs);
	}
}

/* Blanks in between, and colons, which the job file escapes, keep nothing from fio. */
static void test_fine_path(void)
{
	g_autoptr(Profile) profile = parse("name: x\ntargets: [{name: t, type: file, size: 1G}]\nworkload: {engine: [psync, fio]}\n");
	GError *error = NULL;
	g_autoptr(Plan) plan = build_on(profile, &fine_path, TRUE, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(plan->refusals->len, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/refuse/refusals", test_refusals);
	g_test_add_func("/refuse/nbd", test_nbd);
	g_test_add_func("/refuse/kernel-targets", test_kernel_targets);
	g_test_add_func("/refuse/lacking", test_lacking);
	g_test_add_func("/refuse/rate", test_rate);
	g_test_add_func("/refuse/targets", test_target_refusals);
	g_test_add_func("/refuse/not-refused", test_not_refused);
	g_test_add_func("/refuse/aio-cache", test_aio_cache);
	g_test_add_func("/refuse/alignment", test_alignment);
	g_test_add_func("/refuse/ide", test_ide);
	g_test_add_func("/refuse/rules", test_rules);
	g_test_add_func("/refuse/fine-path", test_fine_path);
	return g_test_run();
}
