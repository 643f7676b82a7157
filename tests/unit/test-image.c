/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict on what libguestfs finds in an image, and the command line that is booted; the facts are those of real images. */
#include <glib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/side/guest/image-judge.h"

/* Each test changes one thing of an image that is good. */
#define DRIVERS "'virtio_pci': 'builtin', 'virtio_console': 'module', 'virtio_blk': 'module'"
#define KERNEL                                                                                                                             \
	"{'file': '/boot/vmlinuz-6.1.0-18-amd64', 'version': '6.1.0-18-amd64', 'initrd': '/boot/initrd.img-6.1.0-18-amd64', "              \
	"'modules': true, 'drivers': {" DRIVERS "}}"
#define SYSTEM(type, arch, more, kernels)                                                                                                  \
	"{'root': '/dev/sda1', 'type': '" type "', 'distro': 'debian', 'product': 'Debian GNU/Linux 12', 'arch': '" arch                   \
	"', 'uuid': '1111-aa', " more ", 'boot': {}, 'kernels': [" kernels "]}"
#define GOOD_MORE "'init': 'systemd', 'free': 100000000"
#define FACTS(filesystems, systems) "{'filesystems': {" filesystems "}, 'systems': [" systems "]}"
#define EXT4 "'/dev/sda1': 'ext4'"

static json_t *parse(const char *text)
{
	g_autofree char *json = g_strdelimit(g_strdup(text), "'", '"');
	json_error_t problem;
	json_t *facts = json_loads(json, 0, &problem);

	if (!facts)
		g_error("the facts of a test are no JSON: %s", problem.text);
	return facts;
}

static void refused(const char *text, const char *part)
{
	ImageChoice choice = {(const json_t *)&choice, NULL}, before = choice;
	g_autoptr(GError) error = NULL;
	json_t *facts = parse(text);

	g_assert_false(image_judge("disk.raw", facts, 10000000, &choice, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_true(g_str_has_prefix(error->message, "disk.raw: "));
	if (!strstr(error->message, part))
		g_error("\"%s\" does not say \"%s\"", error->message, part);
	g_assert_true(choice.os == before.os && choice.kernel == before.kernel);
	json_decref(facts);
}

static void test_good(void)
{
	json_t *facts = parse(FACTS(EXT4, SYSTEM("linux", "x86_64", GOOD_MORE, KERNEL)));
	g_autoptr(GError) error = NULL;
	ImageChoice choice;

	image_judge("disk.raw", facts, 10000000, &choice, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(json_string_value(json_object_get(choice.kernel, "version")), ==, "6.1.0-18-amd64");
	g_assert_cmpstr(json_string_value(json_object_get(choice.os, "init")), ==, "systemd");
	json_decref(facts);
}

static void test_systems(void)
{
	refused(FACTS("", ""), "it holds nothing that is a file system");
	refused(FACTS("'/dev/sda': 'vfat'", ""), "no operating system was found in it; it holds vfat on /dev/sda");
	refused(FACTS("'/dev/sda1': 'ext2', '/dev/sda2': 'crypto_LUKS'", ""), "/dev/sda2 is encrypted");
	refused(FACTS(EXT4, "{}, {}"), "it holds 2 operating systems");
	refused(FACTS("'/dev/sda1': 'ntfs'", SYSTEM("windows", "x86_64", GOOD_MORE, "")), "is no Linux distribution (windows)");
	refused(FACTS(EXT4, SYSTEM("linux", "aarch64", GOOD_MORE, KERNEL)), "is built for aarch64");
	refused(FACTS(EXT4, "{'type': 'linux', 'arch': 'aarch64', 'distro': 'debian', 'product': '12.5'}"), "disk.raw: debian 12.5 is built for aarch64");
	refused(FACTS(EXT4, "{'type': 'linux', 'arch': 'aarch64', 'distro': 'debian', 'product': 'Debian GNU/Linux 12'}"),
		"disk.raw: Debian GNU/Linux 12 is built for aarch64");
	refused(FACTS(EXT4, "{'type': 'linux', 'arch': 'aarch64', 'distro': 'debian'}"), "disk.raw: debian is built for aarch64");
	refused(FACTS(EXT4, "{'type': 'linux', 'arch': 'aarch64'}"), "disk.raw: the system is built for aarch64");
	refused(FACTS(EXT4, SYSTEM("linux", "i386", GOOD_MORE, KERNEL)), "is built for i386");
	refused(FACTS(EXT4, SYSTEM("linux", "x86_64", "'free': 100000000", KERNEL)), "neither systemd, OpenRC nor sysvinit");
	refused(FACTS(EXT4, SYSTEM("linux", "x86_64", GOOD_MORE ", 'selinux': 'enforcing'", KERNEL)), "enforces SELinux");
	refused(FACTS(EXT4, SYSTEM("linux", "x86_64", "'init': 'systemd', 'free': 9999999", KERNEL)), "has 9765 KiB left, and 9766 KiB");
}

/* An encrypted partition beside a system that boots is somebody's data. */
static void test_encrypted_beside(void)
{
	json_t *facts = parse(FACTS("'/dev/sda1': 'ext4', '/dev/sda2': 'crypto_LUKS'", SYSTEM("linux", "x86_64", GOOD_MORE, KERNEL)));
	ImageChoice choice;

	g_assert_true(image_judge("disk.raw", facts, 1, &choice, NULL));
	json_decref(facts);
}

static void test_kernels(void)
{
	refused(FACTS(EXT4, SYSTEM("linux", "x86_64", GOOD_MORE, "")), "there is none in /boot");
	refused(FACTS(EXT4, SYSTEM("linux", "x86_64", GOOD_MORE,
			"{'file': '/boot/vmlinuz-6.1.0-18-cloud', 'version': '6.1.0-18-cloud', 'modules': true, 'drivers': {'virtio_pci': 'builtin', "
			"'virtio_blk': 'builtin'}}")),
		"/boot/vmlinuz-6.1.0-18-cloud: virtio_console for the agent's channel is neither built in nor among its modules");
	refused(FACTS(EXT4,
			SYSTEM("linux", "x86_64", GOOD_MORE, "{'file': '/boot/vmlinuz-1', 'version': '1', 'modules': false, 'drivers': {}}")),
		"nor a module: it has no folder of modules");
	refused(FACTS(EXT4, SYSTEM("linux", "x86_64", GOOD_MORE,
			"{'file': '/boot/vmlinuz-1', 'version': '1', 'modules': true, 'drivers': {" DRIVERS "}}")),
		"it has no initrd, and virtio_blk is a module");
}

/* The newest that can be used, with what is built in needing no initrd. */
static void test_second_kernel(void)
{
	json_t *facts = parse(FACTS(EXT4, SYSTEM("linux", "x86_64", GOOD_MORE,
		"{'file': '/boot/vmlinuz-9', 'version': '9', 'modules': true, 'drivers': {}}, "
		"{'file': '/boot/vmlinuz-8', 'version': '8', 'modules': true, 'drivers': {'virtio_pci': 'builtin', 'virtio_console': 'builtin', "
		"'virtio_blk': 'builtin'}}")));
	ImageChoice choice;

	g_assert_true(image_judge("disk.raw", facts, 1, &choice, NULL));
	g_assert_cmpstr(json_string_value(json_object_get(choice.kernel, "version")), ==, "8");
	json_decref(facts);
}

/* ---- the command line ---------------- */

static void line_is(const char *config, const char *kernel, const char *expected)
{
	g_autofree char *line = image_cmdline_parse(config, kernel);

	g_assert_cmpstr(line, ==, expected);
}

static void test_boot_loaders(void)
{
	/* GRUB, of two entries the one of our kernel */
	line_is("set default=0\nmenuentry 'Debian' --class debian {\n\tlinux\t/boot/vmlinuz-6.1.0-17-amd64 root=UUID=aa ro old\n}\n"
		"menuentry 'Debian 2' {\n\techo\t'Loading'\n\tlinux\t/boot/vmlinuz-6.1.0-18-amd64 root=UUID=aa ro  quiet\n\tinitrd /boot/i\n}\n",
		"/boot/vmlinuz-6.1.0-18-amd64", "root=UUID=aa ro quiet");
	/* a /boot of its own: paths in it begin there */
	line_is("linux16 /vmlinuz-5.14 root=/dev/mapper/rl-root crashkernel=1G", "/boot/vmlinuz-5.14", "root=/dev/mapper/rl-root crashkernel=1G");
	/* what GRUB would put together itself is not guessed */
	line_is("linux /vmlinuz-5 root=UUID=aa $kernelopts", "/boot/vmlinuz-5", NULL);
	line_is("linux /boot/vmlinuz-5", "/boot/vmlinuz-6", NULL);
	line_is("", "/boot/vmlinuz-6", NULL);
	/* extlinux */
	line_is("DEFAULT virt\nLABEL virt\n  LINUX vmlinuz-virt\n  INITRD initramfs-virt\n  APPEND root=UUID=bb modules=ext4 quiet\n",
		"/boot/vmlinuz-virt", "root=UUID=bb modules=ext4 quiet");
	line_is("label a\n append first initrd=/i BOOT_IMAGE=/v\n kernel /a\nlabel b\n kernel /b\n append second\n", "/boot/a", "first");
	line_is("label a\n append first\n kernel /a\nlabel b\n kernel /b\n append second\n", "/boot/b", "second");
	/* the Boot Loader Specification, in either order */
	line_is("title Fedora\nversion 6\noptions root=UUID=cc ro\nlinux /vmlinuz-6.5\n", "/boot/vmlinuz-6.5", "root=UUID=cc ro");
	line_is("linux /vmlinuz-6.5\ninitrd /i\noptions root=UUID=cc ro\n# linux /vmlinuz-7\n", "/boot/vmlinuz-6.5", "root=UUID=cc ro");
}

static void booted(const char *config, const char *expected, const char *expected_from)
{
	json_t *os = json_pack("{s:s, s:{s:s}}", "uuid", "1111-aa", "boot", "/boot/grub/grub.cfg", config);
	json_t *kernel = json_pack("{s:s}", "file", "/boot/vmlinuz-6");
	const ImageChoice choice = {os, kernel};
	const char *from = "untouched";
	g_autofree char *line = image_cmdline(&choice, &from);

	g_assert_cmpstr(line, ==, expected);
	g_assert_cmpstr(from, ==, expected_from);
	json_decref(os);
	json_decref(kernel);
}

static void test_root(void)
{
	booted("linux /vmlinuz-6 root=LABEL=root ro", "root=LABEL=root ro", "/boot/grub/grub.cfg");
	booted("linux /vmlinuz-6 ro root=/dev/sda1 quiet", "ro root=UUID=1111-aa quiet", "/boot/grub/grub.cfg");
	booted("linux /vmlinuz-6 root=/dev/mapper/vg-root ro", "root=/dev/mapper/vg-root ro", "/boot/grub/grub.cfg");
	booted("linux /vmlinuz-6 ro", "root=UUID=1111-aa ro", "/boot/grub/grub.cfg");
	booted("nothing", "root=UUID=1111-aa ro", NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/image/good", test_good);
	g_test_add_func("/image/systems", test_systems);
	g_test_add_func("/image/encrypted-beside", test_encrypted_beside);
	g_test_add_func("/image/kernels", test_kernels);
	g_test_add_func("/image/second-kernel", test_second_kernel);
	g_test_add_func("/image/boot-loaders", test_boot_loaders);
	g_test_add_func("/image/root", test_root);
	return g_test_run();
}
