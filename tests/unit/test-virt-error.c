/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people see when a guest does not start, and the one hint that each gets. */
#include "harness/side/guest/virt-error.h"

typedef struct {
	const char *message, *class, *hint; /* hint: words of it */
} Case;

/* Wordings of QEMU 2.x to 7.2 and libvirt 4 to 9, with paths of our own. */
static const Case cases[] = {
	{"qemu-system-x86_64: -blockdev node-name=d0: Failed to get \"write\" lock\nIs another "
	 "process using the image "
	 "[/srv/disks/a.raw]?",
		"image-locked", "do not delete the image or force the lock"},
	{"qemu-img: Could not open '/srv/disks/a.qcow2': Failed to get shared \"write\" lock",
		"image-locked", "fuser"},
	{"internal error: process exited while connecting to monitor: qemu-system-x86_64: "
	 "-blockdev {...}: Could not open "
	 "'/srv/closed/a.raw': Permission denied",
		"permission", "every folder above"},
	{"Cannot access storage file '/srv/closed/a.raw' (as uid:64055, gid:107): Permission "
	 "denied",
		"permission", "namei"},
	{"qemu-system-x86_64: -drive file=/srv/gone.raw: Could not open '/srv/gone.raw': No such "
	 "file or directory",
		"missing-image", "not there"},
	{"Cannot access storage file '/srv/gone.raw': No such file or directory", "missing-image",
		"check the path"},
	{"Cannot check QEMU binary /opt/qemu: No such file or directory", "missing-emulator",
		"qemu-system-x86"},
	{"unsupported configuration: Emulator '/opt/qemu' does not support virt type 'kvm'",
		"kvm-missing", "accel: tcg"},
	{"Could not access KVM kernel module: Permission denied\nqemu-system-x86_64: failed to "
	 "initialize kvm: Permission "
	 "denied",
		"kvm-permission", "group kvm"},
	{"Could not access KVM kernel module: No such file or directory\nqemu-system-x86_64: "
	 "failed to initialize kvm: No "
	 "such file or directory",
		"kvm-missing", "kvm_intel"},
	{"failed to initialize kvm: Permission denied\nqemu-system-x86_64: falling back to tcg",
		"fell-back", "emulation"},
	{"Could not access KVM kernel module: No such file or directory\nBack to tcg accelerator.",
		"fell-back", "accel: tcg"},
	{"invalid argument: could not find capabilities for arch=x86_64 domaintype=kvm ",
		"kvm-missing", "nested"},
	{"invalid argument: the accel 'kvm' is not supported by '/usr/bin/qemu-system-x86_64' on "
	 "this host",
		"kvm-missing", "firmware"},
	{"invalid argument: Failed to parse user 'libvirt-qemu'", "no-user",
		"libvirt-daemon-system"},
	{"Failed to acquire pid file '/run/x/embed/run/qemu/driver.pid': Resource temporarily "
	 "unavailable",
		"busy", "another sweep"},
	{"Failed to connect socket to '/var/run/libvirt/libvirt-sock': No such file or directory",
		"no-daemon", "leave out --connect"},
	{"Failed to connect socket to '/run/libvirt/virtlogd-sock': No such file or directory",
		"no-log-daemon", "virtlogd"},
	{"qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory",
		"no-memory", "less memory"},
	{"write error: No space left on device", "no-space", "smaller target"},
	{"Image is not in qcow2 format", "format", "another format"},
	{"internal error: unable to execute QEMU command 'blockdev-add': aio=native was specified, "
	 "but it requires "
	 "cache.direct=on, which was not specified.",
		"unsupported", "leave it out"},
	{"internal error: unable to execute QEMU command 'device_add': iothread requires ioeventfd",
		"unsupported", "matrix"},
};

static void test_classes(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *hint = NULL;
		VirtClass class = virt_classify(cases[i].message, &hint);

		g_test_message("%s", cases[i].message);
		g_assert_cmpstr(virt_class_name(class), ==, cases[i].class);
		g_assert_nonnull(hint);
		g_assert_nonnull(strstr(hint, cases[i].hint));
	}
}

static void test_others(void)
{
	const char *hint = "unset";

	g_assert_cmpint(virt_classify("the moon is full", &hint), ==, VIRT_OTHER);
	g_assert_null(hint);
	g_assert_cmpint(virt_classify(NULL, NULL), ==, VIRT_OTHER);
	g_assert_cmpint(virt_classify("", NULL), ==, VIRT_OTHER);
	/* A missing file that is not an image is not called one. */
	g_assert_cmpint(virt_classify("cannot read the log: No such file or directory", NULL), ==,
		VIRT_OTHER);
}

static void test_codes(void)
{
	g_assert_cmpint(virt_class_code(VIRT_BUSY), ==, IOGAP_ERROR_BUSY);
	g_assert_cmpint(virt_class_code(VIRT_UNSUPPORTED), ==, IOGAP_ERROR_UNSUPPORTED);
	g_assert_cmpint(virt_class_code(VIRT_IMAGE_LOCKED), ==, IOGAP_ERROR_FAILED);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/virt-error/classes", test_classes);
	g_test_add_func("/virt-error/others", test_others);
	g_test_add_func("/virt-error/codes", test_codes);
	return g_test_run();
}
