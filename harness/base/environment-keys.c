/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/environment.h"

#define MUST ENVIRONMENT_MUST
#define PRINT ENVIRONMENT_FINGERPRINT
#define NOTE ENVIRONMENT_NOTE
#define MOMENT ENVIRONMENT_MOMENT
#define PLAIN ENVIRONMENT_PLAIN
#define TEXT ENVIRONMENT_TEXT
#define IDENTITY ENVIRONMENT_IDENTITY

/* The first row that fits a name is its row: a row with "*" comes after the names that it would swallow. */
const EnvironmentKey environment_keys[] = {
	/* clang-format off */
	{"accel", MUST, PLAIN, "accel", "accelerator of the guests"},
	{"measure.settle_ns", PRINT, PLAIN, "settle_ns", "settle time of each run"},
	{"measure.run_ns", PRINT, PLAIN, "run_ns", "measured time of each run"},

	{"iogap.version", PRINT, PLAIN, "iogap_version", "version of the harness"},
	{"iogap.sha256", NOTE, PLAIN, NULL, "SHA-256 of the harness's program"},
	{"agent.sha256", NOTE, PLAIN, "agent_sha256", "SHA-256 of the agent, one program for both sides"},
	{"dd.version", PRINT, PLAIN, NULL, "version of dd, where it is one of the engines"},
	{"ioping.version", PRINT, PLAIN, NULL, "version of ioping, where it is one of the engines"},
	{"bonnie++.version", PRINT, PLAIN, NULL, "version of bonnie++, where it is one of the engines"},
	{"fio.version", PRINT, PLAIN, NULL, "version of fio, where it is one of the engines"},
	{"qemu.version", NOTE, PLAIN, "qemu_version", "version of QEMU"},
	{"qemu.path", NOTE, TEXT, "emulator", "path of the QEMU program"},
	{"qemu.sha256", NOTE, PLAIN, NULL, "SHA-256 of the QEMU program"},
	{"libvirt.version", NOTE, PLAIN, "libvirt_version", "version of libvirt"},
	{"libvirt.uri", NOTE, TEXT, "uri", "libvirt connection"},

	{"host.name", NOTE, IDENTITY, NULL, "name of the host"},
	{"host.user", NOTE, IDENTITY, NULL, "user who ran the sweep"},
	{"host.machine", NOTE, TEXT, NULL, "maker and model of the computer, as its firmware says"},
	{"host.bios", NOTE, TEXT, NULL, "version and date of its firmware"},
	{"host.os", NOTE, TEXT, NULL, "distribution"},
	{"host.arch", MUST, PLAIN, NULL, "machine type of the kernel"},
	{"host.kernel", PRINT, PLAIN, "host_kernel", "release of the kernel"},
	{"host.kernel.build", NOTE, TEXT, NULL, "build of the kernel"},
	{"host.cmdline", PRINT, TEXT, "host_cmdline", "command line of the kernel"},
	{"host.cpu.model", MUST, PLAIN, "cpu_model", "model of the processor"},
	{"host.cpu.count", MUST, PLAIN, "cpus", "processors that the harness may use"},
	{"host.cpu.vendor", NOTE, PLAIN, NULL, "maker of the processor"},
	{"host.cpu.stepping", NOTE, PLAIN, NULL, "family, model and stepping, as numbers"},
	{"host.cpu.microcode", PRINT, PLAIN, NULL, "microcode revision"},
	{"host.cpu.flags", NOTE, PLAIN, NULL, "features of the processor"},
	{"host.cpu.hypervisor", PRINT, PLAIN, NULL, "1 = the host itself is a guest"},
	{"host.cpu.smt", PRINT, PLAIN, NULL, "simultaneous multithreading: on, off, forceoff, notsupported"},
	{"host.cpu.governor", PRINT, PLAIN, NULL, "frequency governor; several are listed"},
	{"host.cpu.frequency_driver", NOTE, PLAIN, NULL, "frequency driver"},
	{"host.cpu.frequency_max_khz", NOTE, PLAIN, NULL, "highest frequency that the governor may choose"},
	{"host.cpu.turbo", PRINT, PLAIN, NULL, "frequencies above the nominal one: on or off"},
	{"host.cpu.idle_driver", NOTE, PLAIN, NULL, "driver of the processor's sleep states"},
	{"host.mitigations.*", PRINT, PLAIN, NULL, "what the kernel does about this vulnerability of the processor"},
	{"host.memory", PRINT, PLAIN, "memory", "bytes of memory"},
	{"host.memory.available", MOMENT, PLAIN, NULL, "bytes of memory that were free or could be freed"},
	{"host.memory.swap", NOTE, PLAIN, NULL, "bytes of swap"},
	{"host.hugepages.transparent", PRINT, PLAIN, NULL, "transparent huge pages: always, madvise or never"},
	{"host.hugepages.*", NOTE, PLAIN, NULL, "huge pages of this size that are set aside"},
	{"host.numa.nodes", PRINT, PLAIN, NULL, "NUMA nodes"},
	{"host.numa.node.*", NOTE, PLAIN, NULL, "processors of this node"},
	{"host.clocksource", PRINT, PLAIN, "host_clocksource", "clock source of the kernel"},
	{"host.clocksource.available", NOTE, PLAIN, NULL, "clock sources to choose from"},
	{"host.clock_read_ns", MOMENT, PLAIN, "host_clock_read_ns", "cost of one reading of the clock on the host"},
	{"host.null_io_ns", MOMENT, PLAIN, "host_null_io_ns", "cost of one timed I/O of the null engine on the host: the agent's own share"},
	{"host.vm.*", NOTE, PLAIN, NULL, "setting of the page cache (/proc/sys/vm)"},
	{"host.kvm.*", NOTE, PLAIN, NULL, "parameter of a module of KVM"},
	{"host.load.*", MOMENT, PLAIN, NULL, "load average over this many minutes, before the sweep"},
	{"host.pressure.*", MOMENT, PLAIN, NULL, "percent of the last 10 s in which some task waited for this, before the sweep"},
	{"host.uptime_s", MOMENT, PLAIN, NULL, "seconds since the host was booted"},

	{"target.*.type", MUST, PLAIN, NULL, "kind of target"},
	{"target.*.size", MUST, PLAIN, NULL, "bytes of the target"},
	{"target.*.filesystem", MUST, PLAIN, NULL, "file system that holds it"},
	{"target.*.mount_options", PRINT, TEXT, NULL, "how that is mounted"},
	{"target.*.mount_source", NOTE, TEXT, NULL, "what is mounted there"},
	{"target.*.no_device", NOTE, PLAIN, NULL, "why no block device can be told for it"},
	{"target.*.stack.*.kind", MUST, PLAIN, NULL, "layer of block devices below the target, from the top: partition, loop, lvm, crypt, multipath, dm, md, disk"},
	{"target.*.stack.*.name", NOTE, PLAIN, NULL, "name that the kernel gave it"},
	{"target.*.stack.*.model", MUST, PLAIN, NULL, "model"},
	{"target.*.stack.*.vendor", PRINT, PLAIN, NULL, "maker"},
	{"target.*.stack.*.firmware", PRINT, PLAIN, NULL, "firmware"},
	{"target.*.stack.*.serial", NOTE, IDENTITY, NULL, "serial number"},
	{"target.*.stack.*.wwid", NOTE, IDENTITY, NULL, "world wide name"},
	{"target.*.stack.*.level", PRINT, PLAIN, NULL, "RAID level"},
	{"target.*.stack.*.driver", PRINT, PLAIN, NULL, "driver"},
	{"target.*.stack.*.size", MUST, PLAIN, NULL, "bytes"},
	{"target.*.stack.*.queue.*", PRINT, PLAIN, NULL, "setting of its queue (/sys/block/X/queue)"},
	{"target.*.stack.*.queues", PRINT, PLAIN, NULL, "hardware queues"},

	{"image.*.distro", NOTE, PLAIN, NULL, "distribution of this image"},
	{"image.*.product", NOTE, PLAIN, NULL, "its version, as it calls itself"},
	{"image.*.init", NOTE, PLAIN, NULL, "what starts the agent in it: systemd, openrc or sysvinit"},
	{"image.*.kernel", NOTE, PLAIN, NULL, "release of the kernel that is booted of it"},
	{"image.*.kernel_sha256", NOTE, PLAIN, NULL, "SHA-256 of that kernel's file"},
	{"image.*.initrd_sha256", NOTE, PLAIN, NULL, "SHA-256 of its initrd"},
	{"image.*.agent_sha256", NOTE, PLAIN, NULL, "SHA-256 of the agent that was put in"},
	{"image.*.cmdline", NOTE, TEXT, NULL, "the image's own words of the command line"},
	{"image.*.cmdline_from", NOTE, TEXT, NULL, "file of the image that they come from; missing = its boot loader has no line for this kernel"},
	{"image.*.size", NOTE, PLAIN, NULL, "bytes of the image's file when it was prepared"},
	{"image.*.wrote", NOTE, TEXT, NULL, "files that were put into the overlay"},

	{"guest.kernel", NOTE, PLAIN, NULL, "release of the guest's kernel"},
	{"guest.kernel.build", NOTE, TEXT, NULL, "build of the guest's kernel"},
	{"guest.cmdline", NOTE, TEXT, NULL, "command line of the guest's kernel"},
	{"guest.cpu.model", NOTE, PLAIN, NULL, "model of the processor as the guest sees it"},
	{"guest.cpu.count", NOTE, PLAIN, NULL, "processors of the guest"},
	{"guest.cpu.vendor", NOTE, PLAIN, NULL, "maker of the processor as the guest sees it"},
	{"guest.cpu.microcode", NOTE, PLAIN, NULL, "microcode revision as the guest sees it"},
	{"guest.cpu.flags", NOTE, PLAIN, NULL, "features of the processor as the guest sees it"},
	{"guest.hypervisor", NOTE, PLAIN, NULL, "hypervisor that the guest's kernel found"},
	{"guest.mitigations.*", NOTE, PLAIN, NULL, "what the guest's kernel does about this vulnerability"},
	{"guest.memory", NOTE, PLAIN, NULL, "bytes of memory of the guest"},
	{"guest.clocksource", NOTE, PLAIN, NULL, "clock source of the guest's kernel"},
	{"guest.clocksource.available", NOTE, PLAIN, NULL, "clock sources to choose from"},
	{"guest.modules", NOTE, PLAIN, NULL, "modules of the guest's kernel"},
	{"guest.engine.*", NOTE, PLAIN, NULL, "why this engine does not work in the guest"},
	{NULL},
	/* clang-format on */
};

/* Every part of a pattern stands for one part of a name; a last "*" for all that is left, since names of files may hold dots. */
static gboolean fits(const char *pattern, const char *name)
{
	for (;;) {
		gsize p = strcspn(pattern, "."), n = strcspn(name, ".");
		gboolean any = p == 1 && *pattern == '*';

		if (any && !pattern[p])
			return *name != '\0';
		if (!any && (p != n || strncmp(pattern, name, n) != 0))
			return FALSE;
		if (!pattern[p] || !name[n])
			return !pattern[p] && !name[n];
		pattern += p + 1;
		name += n + 1;
	}
}

const EnvironmentKey *environment_key(const char *name)
{
	for (const EnvironmentKey *key = environment_keys; key->name; key++)
		if (fits(key->name, name))
			return key;
	return NULL;
}
