/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key table: everything that a profile may say. A new key is one row here. */
#include "harness/profile/profile.h"

#include "guest-agent/common/units.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define KiB 1024ull
#define MiB (1024 * KiB)
#define GiB (1024 * MiB)
#define TiB (1024 * GiB)
#define MS 1000000ull
#define SECOND (1000 * MS)

static const ProfileKey keys[] = {
	{"", "name", PROFILE_TYPE_NAME, .required = TRUE,
		.help = "Name of the profile, shown by `iogap list` and in every report"},
	{"", "accel", PROFILE_TYPE_WORD, .fallback = "kvm", .words = WORDS("kvm", "auto", "tcg"),
		.help = "Accelerator of the guests. kvm fails when no guest runs in it; auto then takes tcg and "
			"says so with every figure; tcg emulates the processor"},
	{"", "targets", PROFILE_TYPE_LIST, .required = TRUE,
		.help = "The storage under test: a list of mappings, one for each target"},
	{"", "workload", PROFILE_TYPE_SECTION, .help = "What the load does, on both sides alike"},
	{"", "guest", PROFILE_TYPE_SECTION, .help = "How the guest sees the target"},
	{"", "host", PROFILE_TYPE_SECTION, .help = "Settings of the host while legs of both sides run"},
	{"", "measure", PROFILE_TYPE_SECTION, .help = "How long and how often every leg is measured"},
	{"", "gate", PROFILE_TYPE_SECTION, .help = "What `iogap gate` holds against the cells of this profile"},
	{"", "include", PROFILE_TYPE_LIST,
		.help = "Entries that extend combinations of the matrix or add some"},
	{"", "exclude", PROFILE_TYPE_LIST, .help = "Entries that take combinations out of the matrix"},

	{"targets", "name", PROFILE_TYPE_NAME, .required = TRUE,
		.help = "Short name of the target in labels, rules and reports"},
	{"targets", "type", PROFILE_TYPE_WORD, .fallback = "file", .words = WORDS("file", "tmpfs", "block", "loop",
		"lvm", "dm-delay", "dm-zero", "null_blk", "nbd"),
		.help = "file: a file made in a folder; tmpfs: a file made on a tmpfs; block: a "
			"device of yours, its content is lost; loop: a loop device over a file; lvm: a logical volume over one; dm-delay: one "
			"that device-mapper slows down; dm-zero: device-mapper's zeros, which take every write; null_blk: the kernel's empty "
			"disk; nbd: a network block device that nbdkit serves on a local socket"},
	{"targets", "path", PROFILE_TYPE_PATH,
		.help = "file, loop, lvm, dm-delay: folder in which the file is made (default: beside the store); tmpfs: a folder "
			"that is on one (default: /dev/shm); block: the device. A file that exists is never taken"},
	{"targets", "size", PROFILE_TYPE_SIZE, .min = MiB, .max = 64 * TiB,
		.help = "Size of the data set, a multiple of 4k; required but for block, where the default is the "
			"whole device. It should be more than twice every cache that is not bypassed"},
	{"targets", "filesystem", PROFILE_TYPE_WORD, .words = WORDS("ext4", "ext3", "ext2", "xfs", "btrfs"),
		.help = "loop, lvm, dm-delay: made on the device, and the data set is a file in it; default: the device itself"},
	{"targets", "delay", PROFILE_TYPE_DURATION, .min = MS / 1000, .max = 60 * SECOND,
		.help = "dm-delay: time added to every request, in whole milliseconds, required; null_blk: time that each request takes; "
			"default: none"},
	{"targets", "memory_backed", PROFILE_TYPE_BOOL, .fallback = "false",
		.help = "null_blk only: it keeps what is written, in memory; else reads give nothing that was written"},
	{"targets", "nbd_plugin", PROFILE_TYPE_WORD, .words = WORDS("memory", "null", "pattern"),
		.help = "nbd only: what is served: a disk in memory, zeros that take every write, or a fixed pattern that cannot be "
			"written; default: memory"},
	{"targets", "nbd_delay", PROFILE_TYPE_DURATION, .min = MS, .max = 60 * SECOND,
		.help = "nbd only: time added to every request, in whole milliseconds; default: none"},
	{"targets", "nbd_rate", PROFILE_TYPE_SIZE, .min = KiB, .max = TiB,
		.help = "nbd only: most bytes per second of all connections together. After a pause what would pass in 0.1 s passes at once, so "
			"settle must be as long; requests of more than that are served more slowly; default: no limit"},
	{"targets", "nbd_error_rate", PROFILE_TYPE_PERCENT, .min = 1, .max = 100000,
		.help = "nbd only: share of requests that fail; default: none"},
	{"targets", "consent", PROFILE_TYPE_BOOL, .fallback = "false",
		.help = "block only: the device may be overwritten; the command line must name the device as well"},

	{"workload", "rw", PROFILE_TYPE_WORD, TRUE, .fallback = "read",
		.words = WORDS("read", "write", "randread", "randwrite", "rw", "randrw"),
		.help = "Direction and pattern; rw and randrw mix reads with writes"},
	{"workload", "mix_read", PROFILE_TYPE_UINT, TRUE, .fallback = "50", .min = 1, .max = 99,
		.help = "Percentage of reads, for rw and randrw only"},
	{"workload", "block_size", PROFILE_TYPE_SIZE, TRUE, .fallback = "64k", .min = 1, .max = 256 * MiB,
		.help = "Bytes of one request; suffixes are binary, 8k is 8192"},
	{"workload", "direct", PROFILE_TYPE_BOOL, TRUE, .fallback = "true",
		.help = "Open with O_DIRECT: past the page cache of the side that the load runs on"},
	{"workload", "sync", PROFILE_TYPE_WORD, TRUE, .fallback = "none",
		.words = WORDS("none", "dsync", "sync", "fsync"),
		.help = "Durability of writes: O_DSYNC, O_SYNC, or an fsync after every fsync_every writes"},
	{"workload", "fsync_every", PROFILE_TYPE_UINT, TRUE, .fallback = "1", .min = 1, .max = 1000000,
		.help = "Writes between two fsync calls, for sync: fsync only"},
	{"workload", "queue_depth", PROFILE_TYPE_UINT, TRUE, .fallback = "1", .min = 1, .max = 4096,
		.help = "Requests that each job keeps in flight; more than 1 needs libaio or io_uring"},
	{"workload", "jobs", PROFILE_TYPE_UINT, TRUE, .fallback = "1", .min = 1, .max = 256,
		.help = "Threads of the load, each on its own slice of the target"},
	{"workload", "engine", PROFILE_TYPE_WORD, TRUE, .fallback = "psync",
		.words = WORDS("psync", "libaio", "io_uring", "null", "fio", "fio:psync", "fio:libaio", "fio:io_uring", "dd",
			"ioping", "bonnie++", "bonnie++:char"),
		.help = "How requests are made: pread and pwrite, Linux AIO, io_uring, or not at all (the cost of the "
			"load itself). fio:NAME: the same load by the program fio with its ioengine of that name, as a second opinion; "
			"fio alone is fio:io_uring, which takes every load. {fio: FILE}: a job file of yours, beside the profile, that says what the "
			"load does in place of the other keys of workload. dd (GNU's) and ioping: those programs with the same block size, flags and range, one "
			"request in flight; dd begins at the first byte and writes zeros. bonnie++: its tests on files of its own, in the folder of the "
			"target and on an ext4 that the guest makes on its disk, three quarters of the target large: rw write, read, rw (rewrite) and "
			"randrw (seeks), all from one run for each block size; bonnie++:char: its write and read by single bytes"},
	{"workload", "rate", PROFILE_TYPE_UINT, TRUE, .fallback = "none", .min = 1, .max = 1000000000,
		.words = WORDS("none"), .help = "Most operations per second of all jobs together"},

	{"guest", "bus", PROFILE_TYPE_WORD, TRUE, .fallback = "virtio",
		.words = WORDS("virtio", "virtio-scsi", "ide", "sata", "usb", "nvme"),
		.help = "How the disk is attached; usb is a mass storage device on a USB 3 controller"},
	{"guest", "cache", PROFILE_TYPE_WORD, TRUE, .fallback = "none",
		.words = WORDS("none", "writeback", "writethrough", "directsync", "unsafe"),
		.help = "QEMU's cache mode; none and directsync open the image with O_DIRECT"},
	{"guest", "io", PROFILE_TYPE_WORD, TRUE, .fallback = "native", .words = WORDS("threads", "native", "io_uring"),
		.help = "How QEMU does asynchronous I/O; native goes with cache none and directsync only"},
	{"guest", "iothread", PROFILE_TYPE_BOOL, TRUE, .fallback = "false",
		.help = "The disk (virtio-scsi: its controller) is served by a thread of its own"},
	{"guest", "ioeventfd", PROFILE_TYPE_BOOL, TRUE, .fallback = "true",
		.help = "A kick of the guest ends in an eventfd rather than in an exit to QEMU; virtio and "
			"virtio-scsi only"},
	{"guest", "iothread_map", PROFILE_TYPE_UINT, TRUE, .fallback = "none", .min = 1, .max = 64, .words = WORDS("none"),
		.help = "I/O threads that the queues of a virtio disk are dealt out to, instead of the one of iothread; needs libvirt "
			"10.0 and QEMU 9.0"},
	{"guest", "event_idx", PROFILE_TYPE_BOOL, TRUE, .fallback = "true",
		.help = "Guest and QEMU tell each other from which request on they want to be notified; virtio only"},
	{"guest", "packed", PROFILE_TYPE_BOOL, TRUE, .fallback = "false",
		.help = "Packed virtqueues, one ring in place of three; virtio and virtio-scsi only"},
	{"guest", "queue_size", PROFILE_TYPE_UINT, TRUE, .fallback = "default", .min = 2, .max = 1024, .words = WORDS("default"),
		.help = "Requests that a queue of a virtio disk can hold, a power of two; default: QEMU's own"},
	{"guest", "queues", PROFILE_TYPE_UINT, TRUE, .fallback = "vcpus", .min = 1, .max = 64,
		.words = WORDS("vcpus"),
		.help = "Request queues of the disk (virtio-scsi: of its controller), at most one per vCPU; vcpus: as many as "
			"vCPUs. Always set, since QEMU's own default moves the guest's scheduler with it"},
	{"guest", "format", PROFILE_TYPE_WORD, TRUE, .fallback = "raw", .words = WORDS("raw", "qcow2"),
		.help = "Image format; the host leg of a qcow2 disk runs on a raw file of the same content"},
	{"guest", "cluster_size", PROFILE_TYPE_SIZE, TRUE, .fallback = "64k", .min = 512, .max = 2 * MiB,
		.help = "Bytes of a cluster of a qcow2 image, a power of two"},
	{"guest", "preallocation", PROFILE_TYPE_WORD, TRUE, .fallback = "off", .words = WORDS("off", "metadata", "falloc", "full"),
		.help = "What a qcow2 image has of its own before the data go in: nothing, its tables, space that is reserved, or zeros that are "
			"written. With backing this is about the image that the guest opens, which gets no data"},
	{"guest", "backing", PROFILE_TYPE_UINT, TRUE, .fallback = "0", .min = 0, .max = 16,
		.help = "Images below the qcow2 image that the guest opens. The lowest has the data and all others are empty, so that reads go "
			"through the whole chain and the first write to a cluster copies the rest of it"},
	{"guest", "extended_l2", PROFILE_TYPE_BOOL, TRUE, .fallback = "false",
		.help = "32 parts of each cluster of a qcow2 image are allocated one by one; needs clusters of 16k or more"},
	{"guest", "logical_block_size", PROFILE_TYPE_SIZE, TRUE, .fallback = "512", .words = WORDS("512", "4k"),
		.only_words = TRUE, .help = "Sector size that the guest sees"},
	{"guest", "physical_block_size", PROFILE_TYPE_SIZE, TRUE, .fallback = "logical", .words = WORDS("logical", "512", "4k"),
		.only_words = TRUE,
		.help = "Physical sector size that the guest is told, never below the logical one; logical: the same as that"},
	{"guest", "discard", PROFILE_TYPE_WORD, TRUE, .fallback = "ignore", .words = WORDS("ignore", "unmap"),
		.help = "What QEMU does with a discard of the guest: nothing, or give the blocks of the image back"},
	{"guest", "rotation_rate", PROFILE_TYPE_UINT, TRUE, .fallback = "none", .min = 1, .max = 65534, .words = WORDS("none"),
		.help = "Revolutions per minute that the disk claims, 1 = it has no moving parts; virtio-scsi, IDE and SATA only"},
	{"guest", "iops_limit", PROFILE_TYPE_UINT, TRUE, .fallback = "none", .min = 1, .max = 1000000000,
		.words = WORDS("none"),
		.help = "Most operations per second that QEMU lets this disk do (total_iops_sec of libvirt's iotune); the host's "
			"leg is not limited"},
	{"guest", "scheduler", PROFILE_TYPE_WORD, TRUE, .fallback = "keep",
		.words = WORDS("keep", "none", "mq-deadline", "kyber", "bfq"),
		.help = "I/O scheduler inside the guest; keep: what its kernel chose"},
	{"guest", "vcpus", PROFILE_TYPE_UINT, TRUE, .fallback = "1", .min = 1, .max = 64,
		.help = "Virtual processors"},
	{"guest", "memory", PROFILE_TYPE_SIZE, TRUE, .fallback = "512M", .min = 128 * MiB, .max = TiB,
		.help = "Memory of the guest, which is also the bound of its page cache"},
	{"guest", "machine", PROFILE_TYPE_WORD, TRUE, .fallback = "pc", .words = WORDS("pc", "q35"),
		.help = "Machine type; q35 has no IDE"},
	{"guest", "kernel", PROFILE_TYPE_PATH, TRUE, .fallback = "default", .words = WORDS("default"),
		.help = "Kernel that the appliance boots, with the modules of lib/modules/VERSION beside its file or one folder up, else of the "
			"host; default: the newest usable one of this host"},
	{"guest", "image", PROFILE_TYPE_TEXT, TRUE, .fallback = "none",
		.help = "Distribution image to boot instead of the appliance: its name in `iogap image list`, or the path of the image "
			"or of its overlay; none: the appliance. It brings its own kernel, and the "
			"programs of outside engines (fio, bonnie++ with mkfs.ext4, dd, ioping), which are those installed in it"},
	{"guest", "emulator", PROFILE_TYPE_PATH, TRUE, .fallback = "default", .words = WORDS("default"),
		.help = "QEMU program; default: the one that libvirt chooses"},
	{"guest", "guests", PROFILE_TYPE_UINT, TRUE, .fallback = "1", .min = 1, .max = 16,
		.help = "Guests that do the same load at the same time, each on a disk of its own, a copy of the target. The figures "
			"are those of the first one, with the sum of all beside them; the host's leg is alone"},
	{"guest", "pin_vcpu", PROFILE_TYPE_CPUS, TRUE, .fallback = "none", .max = 64, .words = WORDS("none"),
		.help = "Processors of the host that the vCPUs may run on: one list for all, or one for each with '/' between: 0/1 is vCPU 0 "
			"on processor 0 and vCPU 1 on processor 1; none: they run where the host lets them"},
	{"guest", "pin_iothread", PROFILE_TYPE_CPUS, TRUE, .fallback = "none", .max = 1, .words = WORDS("none"),
		.help = "Processors of the I/O threads"},
	{"guest", "pin_emulator", PROFILE_TYPE_CPUS, TRUE, .fallback = "none", .max = 1, .words = WORDS("none"),
		.help = "Processors of the rest of QEMU: its main loop and the workers of io: threads, but those of an I/O thread, which follow it"},
	{"guest", "numa", PROFILE_TYPE_CPUS, TRUE, .fallback = "none", .max = 1, .words = WORDS("none"),
		.help = "NUMA nodes of the host that the guest's memory comes from, strictly; none: wherever the host has some"},
	{"guest", "hugepages", PROFILE_TYPE_SIZE, TRUE, .fallback = "none", .min = 64 * KiB, .max = 16 * GiB, .words = WORDS("none"),
		.help = "Size of the huge pages that the guest's memory is made of, 2M or 1G on most machines; they must have been set aside"},

	{"host", "pin_load", PROFILE_TYPE_CPUS, TRUE, .fallback = "none", .max = 1, .words = WORDS("none"),
		.help = "Processors that the load of the host's legs may run on. A guest's load runs where its vCPUs do"},
	{"host", "scheduler", PROFILE_TYPE_WORD, TRUE, .fallback = "keep",
		.words = WORDS("keep", "none", "mq-deadline", "kyber", "bfq"),
		.help = "I/O scheduler of the disk below the target, set for the legs of both sides and set back; "
			"keep: as it is"},
	{"host", "host_cache_limit", PROFILE_TYPE_SIZE, TRUE, .fallback = "none", .min = 16 * MiB, .max = TiB, .words = WORDS("none"),
		.help = "Most memory that the guests' QEMU and the host's load may have together, page cache included: they are put into "
			"a control group of their own, so that the host can cache no more of the data set than that. A data set of "
			"twice the limit is large enough. None: as much as the host has"},
	{"host", "governor", PROFILE_TYPE_WORD, TRUE, .fallback = "keep",
		.words = WORDS("keep", "performance", "powersave", "schedutil", "ondemand", "conservative"),
		.help = "Frequency governor of all processors of the host, set for the legs of both sides and set back; keep: as it is"},
	{"host", "turbo", PROFILE_TYPE_WORD, TRUE, .fallback = "keep", .words = WORDS("keep", "on", "off"),
		.help = "Frequencies above the nominal one, likewise; keep: as it is"},

	{"measure", "settle", PROFILE_TYPE_DURATION, .fallback = "2s", .min = 0, .max = 3600 * SECOND,
		.help = "Time under load before measuring begins, per run"},
	{"measure", "run", PROFILE_TYPE_DURATION, .fallback = "8s", .min = 10 * MS, .max = 24 * 3600 * SECOND,
		.help = "Measured time of a run"},
	{"measure", "extend", PROFILE_TYPE_BOOL, .fallback = "true",
		.help = "Measure for as long again, once, when the rate of a run was not steady; what is still not steady then is "
			"marked. Buffered writes are never extended"},
	{"measure", "interval", PROFILE_TYPE_DURATION, .fallback = "10ms", .min = MS, .max = 60 * SECOND,
		.help = "Step of the stored time series; at most 10000 steps make a run"},
	{"measure", "blocks", PROFILE_TYPE_UINT, .fallback = "6", .min = 1, .max = 1000,
		.help = "Repetitions: each block boots every guest anew and runs every leg once, in a new order. With precision "
			"this is the most that are measured, and 20 if not given"},
	{"measure", "precision", PROFILE_TYPE_PERCENT, .min = 100, .max = 50000,
		.help = "Stop adding blocks, from the sixth on, as soon as the 95 % interval of every cell's guest/host ratio "
			"reaches no further than this to each side, never by where the ratio lies; default: measure all blocks"},
	{"measure", "max_load", PROFILE_TYPE_PERCENT, .min = 100, .max = 100000,
		.help = "Before each block the host is looked at for a second, and waited for while others use more of the time of all its "
			"processors than this; default: nothing is waited for"},
	{"measure", "max_load_wait", PROFILE_TYPE_DURATION, .fallback = "1m", .min = 0, .max = 3600 * SECOND,
		.help = "Longest time to wait before a block; it is measured then all the same, and each of its runs is marked THROTTLED"},
	{"measure", "boot_limit", PROFILE_TYPE_DURATION, .min = SECOND, .max = 3600 * SECOND,
		.help = "Longest time from the start of a guest to the first word of its agent; the boot fails then, and its legs with it. "
			"Default: 20 s under KVM and 2 minutes under tcg, with an image 90 s and 10 minutes. The trial whether KVM works keeps "
			"its 20 s"},
	{"measure", "seed", PROFILE_TYPE_UINT, .min = 0, .max = (1ull << 53) - 1, /* whole in every JSON reader */
		.help = "Seed of the orders and of the offsets; default: a new one for each sweep, which is stored"},

	{"gate", "alpha", PROFILE_TYPE_PERCENT, .fallback = "5%", .min = 10, .max = 50000,
		.help = "Chance of a false alarm per sweep, over all cells together"},
	{"gate", "detect", PROFILE_TYPE_PERCENT, .fallback = "5%", .min = 100, .max = 90000,
		.help = "Loss that is never called OK, for each cell with 95 % confidence"},
	{"gate", "least", PROFILE_TYPE_PERCENT, .fallback = "2.5%", .min = 0, .max = 90000,
		.help = "Smallest loss that is REGRESSED, however significant"},
	{"gate", "group_detect", PROFILE_TYPE_PERCENT, .fallback = "2%", .min = 100, .max = 90000,
		.help = "The same as detect, for the geometric means of groups of cells"},
	{"gate", "group_least", PROFILE_TYPE_PERCENT, .fallback = "1%", .min = 0, .max = 90000,
		.help = "The same as least, for groups"},
	{"gate", "latency", PROFILE_TYPE_WORD, .fallback = "advisory", .words = WORDS("off", "advisory", "gating"),
		.help = "Judge the p99 latency of each cell too: advisory shows what it finds, gating lets it decide like throughput, and "
			"alpha is then shared out equally among all that decide"},
	{"gate", "latency_least", PROFILE_TYPE_PERCENT, .fallback = "10%", .min = 0, .max = 90000,
		.help = "Smallest loss of latency that is REGRESSED; a loss of 20 % is 25 % more of it. Groups: 0.4 times that"},
	{"gate", "latency_detect", PROFILE_TYPE_PERCENT, .fallback = "20%", .min = 100, .max = 90000,
		.help = "Loss of latency that is never called OK; groups: 0.4 times that"},
	{"gate", "cpu", PROFILE_TYPE_WORD, .fallback = "advisory", .words = WORDS("off", "advisory", "gating"),
		.help = "The same for the CPU time of QEMU per operation"},
	{"gate", "cpu_least", PROFILE_TYPE_PERCENT, .fallback = "5%", .min = 0, .max = 90000, .help = "Its smallest REGRESSED loss"},
	{"gate", "cpu_detect", PROFILE_TYPE_PERCENT, .fallback = "10%", .min = 100, .max = 90000, .help = "Its loss that is never OK"},
	{"gate", "switches", PROFILE_TYPE_WORD, .fallback = "advisory", .words = WORDS("off", "advisory", "gating"),
		.help = "The same for the context switches of QEMU's threads per operation"},
	{"gate", "switches_least", PROFILE_TYPE_PERCENT, .fallback = "10%", .min = 0, .max = 90000,
		.help = "Its smallest REGRESSED loss"},
	{"gate", "switches_detect", PROFILE_TYPE_PERCENT, .fallback = "20%", .min = 100, .max = 90000,
		.help = "Its loss that is never OK"},
	{"gate", "screen_blocks", PROFILE_TYPE_UINT, .fallback = "5", .min = 2, .max = 20,
		.help = "Blocks that only choose which cells the others confirm"},
	{"gate", "confirm_blocks", PROFILE_TYPE_UINT, .fallback = "12", .min = 5, .max = 20,
		.help = "Blocks in which `iogap gate PROFILE` measures what the screen chose, once more and afresh"},
	{"gate", "min_blocks", PROFILE_TYPE_UINT, .fallback = "6", .min = 5, .max = 20,
		.help = "Fewest further blocks in which a cell can be judged; more where alpha needs it"},
	{"gate", "waivers", PROFILE_TYPE_LIST,
		.help = "Cells or groups that are measured and shown, but do not decide: a list of mappings"},

	{"waivers", "cell", PROFILE_TYPE_TEXT, .required = TRUE, .help = "Name of the cell or group as `iogap gate` prints it"},
	{"waivers", "reason", PROFILE_TYPE_TEXT, .required = TRUE, .help = "Why; printed in every output"},
	{"waivers", "until", PROFILE_TYPE_DATE, .required = TRUE,
		.help = "Last day on which a sweep may have begun for the waiver to hold, in UTC"},

	{"rule", "target", PROFILE_TYPE_NAME, TRUE,
		.help = "Name of a target; beside it, an entry takes every key of workload, guest and host. Their two "
			"`scheduler` keys are written guest.scheduler and host.scheduler"},
};

const ProfileKey *profile_keys(guint *n)
{
	if (n)
		*n = G_N_ELEMENTS(keys);
	return keys;
}

const ProfileKey *profile_key(const char *section, const char *key)
{
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
		if (g_str_equal(keys[i].section, section) && g_str_equal(keys[i].key, key))
			return &keys[i];
	return NULL;
}

static char *range(const ProfileKey *key, const char *kind)
{
	char low[32], high[32];

	switch (key->type) {
	case PROFILE_TYPE_SIZE:
		units_format_size(key->min, low, sizeof(low));
		units_format_size(key->max, high, sizeof(high));
		break;
	case PROFILE_TYPE_PERCENT:
		g_snprintf(low, sizeof(low), "%g%%", (double)key->min / 1000);
		g_snprintf(high, sizeof(high), "%g%%", (double)key->max / 1000);
		break;
	case PROFILE_TYPE_DURATION:
		units_format_duration(key->min, low, sizeof(low));
		units_format_duration(key->max, high, sizeof(high));
		break;
	default:
		g_snprintf(low, sizeof(low), "%" G_GUINT64_FORMAT, key->min);
		g_snprintf(high, sizeof(high), "%" G_GUINT64_FORMAT, key->max);
	}
	return g_strdup_printf("%s, %s to %s", kind, low, high);
}

char *profile_key_values(const ProfileKey *key)
{
	g_autofree char *words = key->words ? g_strjoinv(", ", (char **)key->words) : NULL;
	g_autofree char *kind = NULL;

	if (words && (key->type == PROFILE_TYPE_WORD || key->only_words))
		return g_strdup_printf("one of %s", words);
	switch (key->type) {
	case PROFILE_TYPE_UINT:
		kind = range(key, "whole number");
		break;
	case PROFILE_TYPE_SIZE:
		kind = range(key, "size");
		break;
	case PROFILE_TYPE_DURATION:
		kind = range(key, "duration");
		break;
	case PROFILE_TYPE_BOOL:
		kind = g_strdup("true or false");
		break;
	case PROFILE_TYPE_PATH:
		kind = g_strdup("absolute path");
		break;
	case PROFILE_TYPE_NAME:
		kind = g_strdup("name");
		break;
	case PROFILE_TYPE_PERCENT:
		kind = range(key, "percentage");
		break;
	case PROFILE_TYPE_TEXT:
		kind = g_strdup("text");
		break;
	case PROFILE_TYPE_DATE:
		kind = g_strdup("date such as 2026-12-31");
		break;
	case PROFILE_TYPE_CPUS:
		kind = g_strdup(key->max > 1 ? "list of numbers such as 0-3,7, or several with '/' between" : "list of numbers such as 0-3,7");
		break;
	case PROFILE_TYPE_SECTION:
		kind = g_strdup("mapping");
		break;
	default:
		kind = g_strdup("list of mappings");
	}
	return words ? g_strdup_printf("%s, or %s", kind, words) : g_steal_pointer(&kind);
}
