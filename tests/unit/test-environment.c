/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment: keys, what is filtered, fingerprints, differences, and reading it from made-up trees and this machine. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "harness/base/subprocess.h"
#include "harness/run/environment.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static void test_keys(void)
{
	static const char *const known[] = {"accel", "host.cpu.model", "host.mitigations.spectre_v2", "target.scratch.stack.0.queue.nr_requests",
		"target.scratch.stack.12.model", "host.hugepages.transparent", "host.hugepages.hugepages-2048kB", "host.kvm.kvm_amd.npt"};
	static const char *const unknown[] = {"", "host", "host.cpu", "target.scratch.stack.0", "host.mitigations.", "accel.x", "guest.nothing"};

	for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
		g_test_message("%s", known[i]);
		g_assert_nonnull(environment_key(known[i]));
	}
	for (guint i = 0; i < G_N_ELEMENTS(unknown); i++) {
		g_test_message("%s", unknown[i]);
		g_assert_null(environment_key(unknown[i]));
	}
	g_assert_cmpstr(environment_key("host.hugepages.transparent")->name, ==, "host.hugepages.transparent");
	g_assert_cmpint(environment_key("target.a.stack.0.serial")->privacy, ==, ENVIRONMENT_IDENTITY);
	/* Every row can be reached: none hides behind one above it. */
	for (const EnvironmentKey *key = environment_keys; key->name; key++) {
		g_assert_true(environment_key(key->name) == key);
		g_assert_cmpuint(strlen(key->meaning), >, 0);
	}
}

/* ---- the filter ------------------------------------------------------------------------------ */

static void test_filter(void)
{
	static const EnvironmentNames names = {.host = (char *)"build7.lab.example", .user = (char *)"alice"};
	static const struct {
		const char *in, *out;
	} cases[] = {
		/* clang-format off */
		{"BOOT_IMAGE=/vmlinuz root=UUID=0a1b2c3d-1111-2222-3333-0123456789ab ro", "BOOT_IMAGE=/vmlinuz root=UUID=(uuid) ro"},
		{"ip=192.168.1.20::192.168.1.1:255.255.255.0:build7:eth0:off", "ip=(address)::(address):(address):(host):eth0:off"},
		{"console=ttyS0 systemd.hostname=secret quiet", "console=ttyS0 systemd.hostname=(left out) quiet"},
		{"BOOTIF=01-52-54-00-12-34-56 ro", "BOOTIF=(left out) ro"},
		{"mac 52:54:00:ab:cd:ef.", "mac (mac)."},
		{"fe80::1 and 2001:db8:0:0:0:0:0:1", "(address) and (address)"},
		{"rw,vers=3.0,username=bob,domain=CORP,addr=10.1.2.3", "rw,vers=3.0,username=(left out),domain=(left out),addr=(left out)"},
		{"nas.example.org:/export/vm", "(server):/export/vm"},
		{"//nas/share", "//(server)/share"},
		{"/dev/disk/by-id/ata-MODEL_S3R1AL-part1", "/dev/disk/by-id/(id)"},
		{"/home/bob/images/x.raw", "/home/(user)/images/x.raw"},
		{"/data/alice/x", "/data/(user)/x"},
		{"#1 SMP bob@maker 2026", "#1 SMP (user)@(host) 2026"},
		{"wwn-0x5000c500a1b2c3d4", "(wwn)"},
		{"seen by build7.lab.example and build7", "seen by (host) and (host)"},
		/* What only looks like one stays. */
		{"0000:00:1f.2 8:0 22:05:13", "0000:00:1f.2 8:0 22:05:13"},
		{"mitigations=off isolcpus=1-3 root=/dev/vda1", "mitigations=off isolcpus=1-3 root=/dev/vda1"},
		{"qemu:///embed?root=/run/iogap", "qemu:///embed?root=/run/iogap"},
		{"malice /malice/x rebuild7", "malice /malice/x rebuild7"},
		{"1.2.3 300.1.1.1 1.2.3.4.5", "1.2.3 300.1.1.1 1.2.3.4.5"},
		{"rw,relatime,data=ordered", "rw,relatime,data=ordered"},
		/* clang-format on */
	};
	g_autofree char *document = environment_filter_document(&names,
		"<uuid>0a1b2c3d-1111-2222-3333-0123456789ab</uuid><source file='/home/alice/d.raw'/><mac address='52:54:00:ab:cd:ef'/>");

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = environment_filter(&names, cases[i].in);

		g_assert_cmpstr(got, ==, cases[i].out);
	}
	g_assert_null(environment_filter(&names, NULL));
	g_assert_cmpstr(document, ==,
		"<uuid>0a1b2c3d-1111-2222-3333-0123456789ab</uuid><source file='/home/(user)/d.raw'/><mac address='(mac)'/>");
}

static void test_store(void)
{
	g_autoptr(Record) environment = record_new();
	g_autoptr(Record) plain = record_new();
	g_autoptr(Record) named = record_new();
	g_autoptr(Record) back = NULL;

	record_set_text(environment, "host.name", "build7");
	record_set_text(environment, "target.a.stack.0.serial", "S3R1AL");
	record_set_text(environment, "target.a.stack.0.model", "DISK 9");
	record_set_text(environment, "host.cmdline", "root=UUID=0a1b2c3d-1111-2222-3333-0123456789ab");
	record_set_real(environment, "host.load.1", 0.5);
	record_set_int(environment, "host.cpu.count", 4);
	environment_store(environment, FALSE, plain);
	environment_store(environment, TRUE, named);
	g_assert_cmpstr(record_get_text(plain, "environment_json"), ==, "{\"host.load.1\":0.5,\"target.a.stack.0.model\":\"DISK 9\"}");
	g_assert_cmpstr(record_get_text(plain, "host_cmdline"), ==, "root=UUID=(uuid)");
	g_assert_cmpint(record_get_int(plain, "cpus", 0), ==, 4);
	g_assert_nonnull(strstr(record_get_text(named, "environment_json"), "S3R1AL"));
	g_assert_nonnull(strstr(record_get_text(named, "environment_json"), "build7"));
	g_assert_cmpstr(record_get_text(named, "host_cmdline"), ==, "root=UUID=0a1b2c3d-1111-2222-3333-0123456789ab");
	back = environment_of_sweep(plain);
	g_assert_cmpint(record_get_int(back, "host.cpu.count", 0), ==, 4);
	g_assert_cmpstr(record_get_text(back, "host.cmdline"), ==, "root=UUID=(uuid)");
	g_assert_cmpfloat(record_get_real(back, "host.load.1", 0), ==, 0.5);
	g_assert_false(record_has(back, "host.name"));
}

/* ---- fingerprint and differences ------------------------------------------------------------- */

static Record *some_environment(void)
{
	Record *record = record_new();

	record_set_text(record, "accel", "kvm");
	record_set_text(record, "host.kernel", "6.1.0");
	record_set_text(record, "qemu.version", "7.2.1");
	record_set_real(record, "host.load.1", 0.5);
	return record;
}

static gboolean same_print(const Record *a, const Record *b)
{
	g_autofree char *x = environment_fingerprint(a);
	g_autofree char *y = environment_fingerprint(b);

	g_assert_cmpuint(strlen(x), ==, 64);
	return g_str_equal(x, y);
}

static void test_fingerprint(void)
{
	g_autoptr(Record) a = some_environment();
	g_autoptr(Record) b = some_environment();
	g_autofree char *known = environment_fingerprint(a);

	/* printf 'accel=kvm\nhost.kernel=6.1.0\n' | sha256sum */
	g_assert_cmpstr(known, ==, "32ce3a607bd696b3f7e29c6fad26e75b493d712d1f9bb3fa2fc831c4ffef43db");
	record_set_real(b, "host.load.1", 9);
	record_set_text(b, "qemu.version", "8.2");
	g_assert_true(same_print(a, b));
	record_set_text(b, "host.kernel", "6.8.0");
	g_assert_false(same_print(a, b));
	record_set_text(b, "host.kernel", "6.1.0");
	record_set_text(b, "host.cpu.microcode", "0x1");
	g_assert_false(same_print(a, b));
	record_set_null(b, "host.cpu.microcode");
	g_assert_true(same_print(a, b));
}

static void test_differences(void)
{
	g_autoptr(Record) a = some_environment();
	g_autoptr(Record) b = some_environment();
	g_autoptr(GPtrArray) none = environment_compare(a, b);
	g_autoptr(GPtrArray) some = NULL;
	EnvironmentDifference *d;

	g_assert_cmpuint(none->len, ==, 0);
	record_set_text(b, "qemu.version", "8.2");
	record_set_text(b, "accel", "tcg");
	record_set_real(b, "host.load.1", 9);
	record_set_null(b, "host.kernel");
	some = environment_compare(a, b);
	g_assert_cmpuint(some->len, ==, 3);
	d = some->pdata[0];
	g_assert_cmpstr(d->name, ==, "accel");
	g_assert_cmpstr(d->b, ==, "tcg");
	d = some->pdata[1];
	g_assert_cmpstr(d->name, ==, "host.kernel");
	g_assert_cmpstr(d->a, ==, "6.1.0");
	g_assert_null(d->b);
	d = some->pdata[2];
	g_assert_cmpint(d->weight, ==, ENVIRONMENT_NOTE);
}

/* ---- made-up machines ------------------------------------------------------------------------ */

static void put(const char *root, const char *path, const char *text)
{
	g_autofree char *file = g_strconcat(root, path, NULL);
	g_autofree char *folder = g_path_get_dirname(file);
	GError *error = NULL;

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_file_set_contents(file, text, -1, &error);
	g_assert_no_error(error);
}

static void link_to(const char *root, const char *target, const char *path)
{
	g_autofree char *file = g_strconcat(root, path, NULL);
	g_autofree char *to = g_strconcat(root, target, NULL);
	g_autofree char *folder = g_path_get_dirname(file);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_cmpint(symlink(to, file), ==, 0);
}

static char *new_root(void)
{
	char *root = g_dir_make_tmp("iogap-env-XXXXXX", NULL);

	g_assert_nonnull(root);
	return root;
}

static void remove_root(const char *root)
{
	const char *const rm[] = {"rm", "-rf", "--", root, NULL};

	g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
}

static void test_cpu(void)
{
	g_autofree char *root = new_root();
	g_autoptr(Record) env = record_new();
	g_autoptr(Record) nothing = record_new();

	put(root, "/proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: Maker\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Chip 9 @ 2GHz\nstepping\t: 7\n"
		"microcode\t: 0x5003\nflags\t\t: fpu vmx hypervisor\n\nprocessor\t: 1\nmodel name\t: Other\n");
	put(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	put(root, "/sys/devices/system/cpu/smt/control", "off\n");
	put(root, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	environment_cpu(root, env);
	g_assert_cmpstr(record_get_text(env, "host.cpu.model"), ==, "Chip 9 @ 2GHz");
	g_assert_cmpstr(record_get_text(env, "host.cpu.stepping"), ==, "6/85/7");
	g_assert_cmpstr(record_get_text(env, "host.cpu.microcode"), ==, "0x5003");
	g_assert_cmpint(record_get_int(env, "host.cpu.hypervisor", -1), ==, 1);
	g_assert_cmpstr(record_get_text(env, "host.cpu.governor"), ==, "powersave");
	g_assert_cmpstr(record_get_text(env, "host.cpu.turbo"), ==, "off");
	g_assert_cmpstr(record_get_text(env, "host.cpu.smt"), ==, "off");
	g_assert_cmpstr(record_get_text(env, "host.mitigations.meltdown"), ==, "Mitigation: PTI");
	remove_root(root);
	/* A machine that says nothing has no governor, not an empty one. */
	environment_cpu(root, nothing);
	g_assert_false(record_has(nothing, "host.cpu.governor"));
	g_assert_false(record_has(nothing, "host.cpu.turbo"));
	g_assert_false(record_has(nothing, "host.cpu.hypervisor"));
}

static void test_host(void)
{
	g_autofree char *root = new_root();
	g_autoptr(Record) env = record_new();

	put(root, "/proc/meminfo", "MemTotal:       1024 kB\nMemFree: 5 kB\nMemAvailable:    512 kB\nSwapTotal: 0 kB\n");
	put(root, "/etc/os-release", "ID=x\nPRETTY_NAME=\"Some System 1\"\n");
	put(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put(root, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "12\n");
	put(root, "/sys/devices/system/node/node0/cpulist", "0-3\n");
	put(root, "/sys/devices/system/node/node1/cpulist", "4-7\n");
	put(root, "/sys/module/kvm_amd/parameters/npt", "Y\n");
	put(root, "/proc/loadavg", "1.50 0.75 0.25 1/100 4242\n");
	put(root, "/proc/pressure/io", "some avg10=2.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=1.00 total=1\n");
	put(root, "/sys/class/dmi/id/product_name", "Box 3\n");
	put(root, "/sys/class/dmi/id/product_serial", "S3R1AL\n");
	environment_host(root, env);
	g_assert_cmpint(record_get_int(env, "host.memory", 0), ==, 1 << 20);
	g_assert_cmpint(record_get_int(env, "host.memory.available", 0), ==, 512 << 10);
	g_assert_cmpstr(record_get_text(env, "host.os"), ==, "Some System 1");
	g_assert_cmpstr(record_get_text(env, "host.machine"), ==, "Box 3");
	g_assert_cmpstr(record_get_text(env, "host.hugepages.transparent"), ==, "madvise");
	g_assert_cmpint(record_get_int(env, "host.hugepages.hugepages-2048kB", 0), ==, 12);
	g_assert_cmpint(record_get_int(env, "host.numa.nodes", 0), ==, 2);
	g_assert_cmpstr(record_get_text(env, "host.numa.node.1"), ==, "4-7");
	g_assert_cmpstr(record_get_text(env, "host.kvm.kvm_amd.npt"), ==, "Y");
	g_assert_cmpfloat(record_get_real(env, "host.load.15", 0), ==, 0.25);
	g_assert_cmpfloat(record_get_real(env, "host.pressure.io", 0), ==, 2.5);
	for (guint i = 0; i < record_size(env); i++)
		if (record_get_text(env, record_name(env, i)))
			g_assert_null(strstr(record_get_text(env, record_name(env, i)), "S3R1AL"));
	remove_root(root);
}

/* An LVM volume on a RAID of a partition and an NVMe disk. */
static void test_stack(void)
{
	g_autofree char *root = new_root();
	g_autoptr(Record) env = record_new();

	put(root, "/sys/devices/dm-0/dm/uuid", "LVM-abc\n");
	put(root, "/sys/devices/dm-0/size", "2048\n");
	put(root, "/sys/devices/md0/md/level", "raid1\n");
	put(root, "/sys/devices/sda/sda1/partition", "1\n");
	put(root, "/sys/devices/sda/sda1/size", "100\n");
	put(root, "/sys/devices/sda/device/model", "DISK 9\n");
	put(root, "/sys/devices/sda/device/rev", "0042\n");
	put(root, "/sys/devices/sda/queue/scheduler", "none [mq-deadline] kyber\n");
	put(root, "/sys/devices/sda/queue/nr_requests", "64\n");
	put(root, "/sys/devices/nvme0n1/device/model", "FLASH\n");
	put(root, "/sys/devices/nvme0n1/device/firmware_rev", "1.0\n");
	put(root, "/sys/devices/nvme0n1/device/serial", "S3R1AL\n");
	put(root, "/sys/devices/nvme0n1/mq/0/cpu_list", "0\n");
	put(root, "/sys/devices/nvme0n1/mq/1/cpu_list", "1\n");
	put(root, "/sys/bus/drivers/nvme/x", "");
	link_to(root, "/sys/bus/drivers/nvme", "/sys/devices/nvme0n1/device/device/driver");
	link_to(root, "/sys/devices/md0", "/sys/devices/dm-0/slaves/md0");
	link_to(root, "/sys/devices/sda/sda1", "/sys/devices/md0/slaves/sda1");
	link_to(root, "/sys/devices/nvme0n1", "/sys/devices/md0/slaves/nvme0n1");
	link_to(root, "/sys/devices/dm-0", "/sys/dev/block/253:0");
	g_assert_cmpuint(environment_stack(root, "a", makedev(253, 0), env), ==, 5);
	g_assert_cmpstr(record_get_text(env, "target.a.stack.0.kind"), ==, "lvm");
	g_assert_cmpint(record_get_int(env, "target.a.stack.0.size", 0), ==, 1 << 20);
	g_assert_cmpstr(record_get_text(env, "target.a.stack.1.kind"), ==, "md");
	g_assert_cmpstr(record_get_text(env, "target.a.stack.1.level"), ==, "raid1");
	g_assert_cmpstr(record_get_text(env, "target.a.stack.2.model"), ==, "FLASH");
	g_assert_cmpstr(record_get_text(env, "target.a.stack.2.driver"), ==, "nvme");
	g_assert_cmpint(record_get_int(env, "target.a.stack.2.queues", 0), ==, 2);
	g_assert_cmpstr(record_get_text(env, "target.a.stack.3.kind"), ==, "partition");
	g_assert_cmpstr(record_get_text(env, "target.a.stack.4.model"), ==, "DISK 9");
	g_assert_cmpstr(record_get_text(env, "target.a.stack.4.firmware"), ==, "0042");
	g_assert_cmpstr(record_get_text(env, "target.a.stack.4.queue.scheduler"), ==, "mq-deadline");
	g_assert_cmpint(record_get_int(env, "target.a.stack.4.queue.nr_requests", 0), ==, 64);
	g_assert_cmpuint(environment_stack(root, "b", makedev(9, 9), env), ==, 0);
	remove_root(root);
}

static void test_circle(void)
{
	g_autofree char *root = new_root();
	g_autoptr(Record) env = record_new();

	put(root, "/sys/devices/dm-0/dm/uuid", "x\n");
	link_to(root, "/sys/devices/dm-0", "/sys/devices/dm-0/slaves/dm-0");
	link_to(root, "/sys/devices/dm-0", "/sys/dev/block/253:0");
	g_assert_cmpuint(environment_stack(root, "a", makedev(253, 0), env), <=, 24);
	remove_root(root);
}

/* The longest mount point wins, a later one covers an earlier; blanks are escaped. */
static void test_mount(void)
{
	g_autofree char *root = new_root();
	g_autoptr(Record) env = record_new();
	g_autofree char *folder = g_strconcat(root, "/a b", NULL);
	g_autofree char *escaped = g_strconcat(root, "/a\\040b", NULL);
	g_autofree char *table = g_strdup_printf("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
						 "2 1 0:9 / %s rw,nosuid shared:1 - xfs /dev/old rw\n"
						 "3 1 0:9 / %s rw,noatime shared:1 - btrfs /dev/nothing rw,compress=zstd\n"
						 "garbage\n4 1 0:9 / %s/other rw - tmpfs none rw\n",
		escaped, escaped, escaped);

	put(root, "/a b/file", "");
	put(root, "/proc/self/mountinfo", table);
	environment_target(root, "my.target", folder, env);
	g_assert_cmpstr(record_get_text(env, "target.my-target.filesystem"), ==, "btrfs");
	g_assert_cmpstr(record_get_text(env, "target.my-target.mount_options"), ==, "rw,noatime,rw,compress=zstd");
	g_assert_cmpstr(record_get_text(env, "target.my-target.no_device"), ==, "btrfs has no block device of its own");
	remove_root(root);
}

/* ---- this machine ---------------------------------------------------------------------------- */

static void test_here(void)
{
	g_autoptr(Record) env = record_new();
	g_autoptr(Record) sweep = record_new();
	g_autoptr(Record) shm = record_new();

	environment_host("", env);
	environment_cpu("", env);
	environment_programs("/proc/self/exe", NULL, env);
	environment_target("", "t", "/", env);
	environment_store(env, FALSE, sweep);
	g_assert_true(record_has(sweep, "host_kernel"));
	g_assert_true(record_has(sweep, "memory"));
	g_assert_cmpint(record_get_int(sweep, "cpus", 0), >, 0);
	g_assert_cmpuint(strlen(record_get_text(sweep, "agent_sha256")), ==, 64);
	g_assert_true(record_has(env, "target.t.filesystem"));
	g_assert_null(strstr(record_get_text(sweep, "environment_json"), "host.name"));
	if (g_file_test("/dev/shm", G_FILE_TEST_IS_DIR)) {
		environment_target("", "t", "/dev/shm", shm);
		g_assert_cmpstr(record_get_text(shm, "target.t.filesystem"), ==, "tmpfs");
		g_assert_true(record_has(shm, "target.t.no_device"));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/environment/keys", test_keys);
	g_test_add_func("/environment/filter", test_filter);
	g_test_add_func("/environment/store", test_store);
	g_test_add_func("/environment/fingerprint", test_fingerprint);
	g_test_add_func("/environment/differences", test_differences);
	g_test_add_func("/environment/cpu", test_cpu);
	g_test_add_func("/environment/host", test_host);
	g_test_add_func("/environment/stack", test_stack);
	g_test_add_func("/environment/circle", test_circle);
	g_test_add_func("/environment/mount", test_mount);
	g_test_add_func("/environment/here", test_here);
	return g_test_run();
}
