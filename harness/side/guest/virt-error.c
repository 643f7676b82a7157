/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/virt-error.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <string.h>

typedef struct {
	VirtClass class;
	const char *words[4]; /* all of them stand in the message, in any case */
} Pattern;

/* The first row that matches counts: what names its cause more closely stands earlier. */
static const Pattern patterns[] = {
	{VIRT_FELL_BACK, {"falling back to tcg"}},
	{VIRT_FELL_BACK, {"back to tcg accelerator"}},
	{VIRT_KVM_PERMISSION, {"kvm", "permission denied"}},
	{VIRT_KVM_MISSING, {"kvm kernel module"}},
	{VIRT_KVM_MISSING, {"failed to initialize kvm"}},
	{VIRT_KVM_MISSING, {"could not find capabilities", "domaintype=kvm"}},
	{VIRT_KVM_MISSING, {"accel 'kvm' is not supported"}},
	{VIRT_KVM_MISSING, {"does not support virt type 'kvm'"}},
	{VIRT_NO_USER, {"failed to parse user"}},
	{VIRT_NO_USER, {"failed to parse group"}},
	{VIRT_BUSY, {"failed to acquire pid file"}},
	{VIRT_NO_LOG_DAEMON, {"failed to connect socket", "virtlogd"}},
	{VIRT_NO_DAEMON, {"failed to connect socket", "libvirt"}},
	{VIRT_NO_DAEMON, {"failed to connect socket", "virtqemud"}},
	{VIRT_IMAGE_LOCKED, {"failed to get", "lock"}},
	{VIRT_IMAGE_LOCKED, {"is another process using the image"}},
	{VIRT_MISSING_EMULATOR, {"cannot check qemu binary"}},
	{VIRT_MISSING_EMULATOR, {"cannot find suitable emulator"}},
	{VIRT_MISSING_EMULATOR, {"no emulator found"}},
	{VIRT_MISSING_EMULATOR, {"could not find capabilities", "arch="}},
	{VIRT_MISSING_EMULATOR, {"cannot execute binary"}},
	{VIRT_MISSING_EMULATOR, {"failed to probe capabilities"}},
	{VIRT_MISSING_EMULATOR, {"failed to start qemu binary"}},
	{VIRT_FORMAT, {"image is not in", "format"}},
	{VIRT_NO_SPACE, {"no space left on device"}},
	{VIRT_NO_MEMORY, {"cannot allocate memory"}},
	{VIRT_NO_MEMORY, {"cannot set up guest memory"}},
	{VIRT_PERMISSION, {"permission denied"}},
	{VIRT_PERMISSION, {"operation not permitted"}},
	{VIRT_MISSING_IMAGE, {"could not open", "no such file or directory"}},
	{VIRT_MISSING_IMAGE, {"cannot access storage file", "no such file or directory"}},
	{VIRT_UNSUPPORTED, {"aio", "cache.direct"}},
	{VIRT_UNSUPPORTED, {"unsupported configuration"}},
	{VIRT_UNSUPPORTED, {"iothread", "ioeventfd"}},
	{VIRT_UNSUPPORTED, {"num-queues"}},
	{VIRT_UNSUPPORTED, {"number of queues"}},
	{VIRT_UNSUPPORTED, {"logical_block_size"}},
	{VIRT_UNSUPPORTED, {"unsupported machine"}},
	{VIRT_UNSUPPORTED, {"no more available pci slots"}},
};

typedef struct {
	const char *name;
	IogapError code;
	const char *hint;
} Class;

static const Class classes[] = {
	[VIRT_OTHER] = {"other", IOGAP_ERROR_FAILED, NULL},
	[VIRT_IMAGE_LOCKED] = {"image-locked", IOGAP_ERROR_FAILED,
		"another process has the image open, perhaps a guest that an aborted run left "
		"behind: list it with "
		"fuser -v IMAGE and end it; do not delete the image or force the lock"},
	[VIRT_PERMISSION] = {"permission", IOGAP_ERROR_FAILED,
		"the user that runs QEMU needs search permission on every folder above the image "
		"(namei -l IMAGE shows "
		"them), then rights on the image itself; security labels come last"},
	[VIRT_MISSING_IMAGE] = {"missing-image", IOGAP_ERROR_FAILED,
		"the file is not there; check the path, or let iogap make its own target"},
	[VIRT_MISSING_EMULATOR] = {"missing-emulator", IOGAP_ERROR_FAILED,
		"install qemu-system-x86, or give the path of a working QEMU as emulator:"},
	[VIRT_KVM_PERMISSION] = {"kvm-permission", IOGAP_ERROR_FAILED,
		"this user may not open /dev/kvm: join the group kvm (usermod -aG kvm USER, then "
		"log in again)"},
	[VIRT_KVM_MISSING] = {"kvm-missing", IOGAP_ERROR_FAILED,
		"KVM is not available: load kvm_intel or kvm_amd, switch virtualisation on in the "
		"firmware (or nested "
		"virtualisation on the outer host), or measure emulation with accel: tcg"},
	[VIRT_FELL_BACK] = {"fell-back", IOGAP_ERROR_FAILED,
		"QEMU ran under TCG instead of KVM: its figures describe emulation; ask for accel: "
		"tcg if that is wanted"},
	[VIRT_NO_USER] = {"no-user", IOGAP_ERROR_FAILED,
		"libvirt's QEMU driver needs the user libvirt-qemu when started as root: install "
		"libvirt-daemon-system"},
	[VIRT_NO_DAEMON] = {"no-daemon", IOGAP_ERROR_FAILED,
		"libvirt's daemon is not running: systemctl start libvirtd, or leave out "
		"--connect, since iogap's own embedded "
		"hypervisor needs no daemon"},
	[VIRT_NO_LOG_DAEMON] = {"no-log-daemon", IOGAP_ERROR_FAILED,
		"libvirt's log daemon is not running: systemctl start virtlogd, or set "
		"stdio_handler = \"file\" in qemu.conf"},
	[VIRT_BUSY] = {"busy", IOGAP_ERROR_BUSY,
		"another sweep is running; wait for it or end it"},
	[VIRT_NO_SPACE] = {"no-space", IOGAP_ERROR_FAILED,
		"free some space on that file system, or use a smaller target"},
	[VIRT_NO_MEMORY] = {"no-memory", IOGAP_ERROR_FAILED,
		"give the guest less memory, or free some on the host"},
	[VIRT_FORMAT] = {"format", IOGAP_ERROR_FAILED,
		"the image has another format than the one that was named"},
	[VIRT_UNSUPPORTED] = {"unsupported", IOGAP_ERROR_UNSUPPORTED,
		"this combination of settings is refused by libvirt or QEMU; leave it out of the "
		"matrix"},
};

static gboolean matches(const Pattern *pattern, const char *lower)
{
	for (guint i = 0; i < G_N_ELEMENTS(pattern->words) && pattern->words[i]; i++)
		if (!strstr(lower, pattern->words[i]))
			return FALSE;
	return TRUE;
}

VirtClass virt_classify(const char *message, const char **ret_hint)
{
	g_autofree char *lower = g_ascii_strdown(message ? message : "", -1);
	VirtClass class = VIRT_OTHER;

	for (guint i = 0; i < G_N_ELEMENTS(patterns); i++)
		if (matches(&patterns[i], lower)) {
			class = patterns[i].class;
			break;
		}
	if (ret_hint)
		*ret_hint = classes[class].hint;
	return class;
}

const char *virt_class_name(VirtClass class)
{
	return classes[class].name;
}

IogapError virt_class_code(VirtClass class)
{
	return classes[class].code;
}

/* QEMU's own words end with a line break, and are several lines at times: a message of ours is one
 * line. */
static char *one_line(const char *message)
{
	g_auto(GStrv) lines = g_strsplit(message, "\n", 0);
	GString *text = g_string_new(NULL);

	for (guint i = 0; lines[i]; i++) {
		g_strstrip(lines[i]);
		if (*lines[i])
			g_string_append_printf(text, "%s%s", text->len ? "; " : "", lines[i]);
	}
	return g_string_free(text, FALSE);
}

void virt_set_error(GError **error, const char *what)
{
	const virError *last = virGetLastError();
	g_autofree char *text = one_line(last && last->message ? last->message : "no reason given");
	const char *hint;
	VirtClass class = virt_classify(text, &hint);

	g_set_error(error, IOGAP_ERROR, classes[class].code, "%s: libvirt: %s (code %d)%s%s", what,
		text, last ? last->code : 0, hint ? "; " : "", hint ? hint : "");
}

static void swallow(void *data, virErrorPtr error)
{
}

void virt_quiet(const char *file)
{
	g_autofree char *output = g_strdup_printf("3:file:%s", file);

	/* There is no call for it; libvirt reads the variable when it is first used. */
	g_setenv("LIBVIRT_LOG_OUTPUTS", output, FALSE);
	virSetErrorFunc(NULL, swallow);
}
