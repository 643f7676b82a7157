/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of what a guest needs: agent, kernel, emulator, libvirt, KVM. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/subprocess.h"
#include "harness/run/doctor-private.h"
#include "harness/side/guest/appliance.h"
#include "harness/side/host.h"

#define EMULATOR "qemu-system-x86_64"
#define PROBE_TIMEOUT_MS 10000

/* ---- the agent ------------------------------------------------------------------------------- */

/* TRUE when the program asks for no interpreter, the mark of a static one. */
static gboolean is_static(const char *path, gboolean *ret_static)
{
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
	const char *bytes = file ? g_mapped_file_get_contents(file) : NULL;
	gsize length = file ? g_mapped_file_get_length(file) : 0;
	Elf64_Ehdr head;

	if (length < sizeof(head))
		return FALSE;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return FALSE;
	*ret_static = TRUE;
	for (guint i = 0; i < head.e_phnum; i++) {
		guint64 at = head.e_phoff + (guint64)i * sizeof(Elf64_Phdr);
		Elf64_Phdr part;

		if (at > length - sizeof(part))
			return FALSE;
		memcpy(&part, bytes + at, sizeof(part));
		if (part.p_type == PT_INTERP)
			*ret_static = FALSE;
	}
	return TRUE;
}

/* Starts the agent on this side and asks what it can do. */
static void ask_agent(DoctorContext *context, const char *agent)
{
	g_autoptr(Side) side = host_side_new(agent);
	g_autoptr(GError) error = NULL;

	if (side_start(side, context->cancel, &error))
		context->agent_facts =
			side_call(side, "probe", NULL, PROBE_TIMEOUT_MS, NULL, NULL, context->cancel, &error);
	if (error)
		context->agent_trouble = g_strdup(error->message);
	side_stop(side);
}

void check_agent(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *agent = paths_agent();
	gboolean fixed = FALSE;
	const json_t *cost;

	context->agent_trouble = g_strdup_printf("there is no agent %s", agent);
	if (access(agent, X_OK) < 0) {
		found_missing(finding, "%s: %s", agent, g_strerror(errno));
		mend(finding, FALSE, "make, or export IOGAP_AGENT=PATH");
		return;
	}
	g_clear_pointer(&context->agent_trouble, g_free);
	ask_agent(context, agent);
	cost = json_object_get(context->agent_facts, "null_io_ns");
	if (!context->agent_facts)
		found_missing(finding, "%s does not answer: %s", agent, context->agent_trouble);
	else if (!is_static(agent, &fixed))
		found_missing(finding, "%s is no 64-bit ELF program", agent);
	else if (!fixed) {
		found_missing(finding, "%s is not static, so no guest can run it", agent);
		mend(finding, FALSE, "make clean all");
	} else if (json_is_number(cost))
		found_ok(finding, "%s, static; one timed I/O costs %.0f ns", agent, json_number_value(cost));
	else
		found_ok(finding, "%s, static", agent);
}

static void check_engine(DoctorContext *context, DoctorFinding *finding, const char *engine)
{
	const json_t *engines = json_object_get(context->agent_facts, "engines");
	const json_t *answer = json_object_get(engines, engine);

	if (!context->agent_facts)
		found_missing(finding, "cannot be tried: %s", context->agent_trouble);
	else if (!answer)
		found_missing(finding, "the agent does not have this engine");
	else if (json_is_string(answer))
		found_missing(finding, "%s", json_string_value(answer));
	else
		found_ok(finding, "works for the agent on this host");
}

void check_io_uring(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *disabled = NULL;

	check_engine(context, finding, "io_uring");
	if (finding->level == DOCTOR_MISSING &&
		g_file_get_contents("/proc/sys/kernel/io_uring_disabled", &disabled, NULL, NULL) && *disabled != '0')
		mend(finding, TRUE, "sysctl kernel.io_uring_disabled=0");
}

void check_libaio(DoctorContext *context, DoctorFinding *finding)
{
	check_engine(context, finding, "libaio");
}

/* ---- kernel, emulator -------------------------------------------------------------------------- */

void check_kernel(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *agent = paths_agent();
	g_autoptr(GError) error = NULL;
	g_autoptr(Appliance) appliance = appliance_build(NULL, agent, &error);

	if (appliance && appliance->remark)
		found_ok(finding, "%s; boots packed, some seconds slower: %s", appliance->kernel_file, appliance->remark);
	else if (appliance)
		found_ok(finding, "%s; appliance %s", appliance->kernel_file, appliance->initramfs);
	else {
		found_missing(finding, "%s", error->message);
		if (access("/boot", R_OK) == 0 && strstr(error->message, "ermission"))
			mend(finding, TRUE, "chmod a+r /boot/vmlinuz-*");
		else if (!strstr(error->message, "agent"))
			mend_package(finding, "linux-image-amd64");
	}
}

static char *emulator_path(void)
{
	return g_find_program_in_path(EMULATOR);
}

void check_emulator(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *path = emulator_path();
	const char *argv[] = {path, "--version", NULL};
	g_autofree char *out = NULL;
	g_autoptr(GError) error = NULL;

	if (!path) {
		found_missing(finding, "there is no " EMULATOR " in PATH");
		mend_package(finding, "qemu-system-x86");
	} else if (!subprocess_run(argv, 20, &out, NULL, NULL, &error))
		found_missing(finding, "%s", error->message);
	else
		found_ok(finding, "%s, %.*s", path, (int)strcspn(out, "\n"), out);
}

/* QEMU tells nobody whether it was built with io_uring; the library that it names does. */
void check_emulator_uring(DoctorContext *context, DoctorFinding *finding)
{
	static const char library[] = "liburing.so";
	g_autofree char *path = emulator_path();
	g_autoptr(GMappedFile) file = path ? g_mapped_file_new(path, FALSE, NULL) : NULL;

	if (!file)
		found_missing(finding, "cannot be tried: no emulator");
	else if (memmem(g_mapped_file_get_contents(file), g_mapped_file_get_length(file), library, strlen(library)))
		found_ok(finding, "%s is built with it", path);
	else
		found_missing(finding, "%s is built without it: `io: io_uring` is refused", path);
}

/* ---- libvirt, KVM ------------------------------------------------------------------------------- */

void check_libvirt(DoctorContext *context, DoctorFinding *finding)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) record = record_new();

	context->hypervisor = hypervisor_open(context->options->uri, NULL, &error);
	if (context->hypervisor) {
		hypervisor_facts(context->hypervisor, NULL, record);
		found_ok(finding, "%s at %s, QEMU driver answers; its emulator is %s", record_get_text(record, "libvirt_version"),
			record_get_text(record, "uri"), record_get_text(record, "emulator"));
	} else if (g_error_matches(error, IOGAP_ERROR, IOGAP_ERROR_BUSY))
		found_warn(finding, "not tried, since it is in use: %s", error->message);
	else {
		found_missing(finding, "%s", error->message);
		if (strstr(error->message, "libvirt-qemu"))
			mend_package(finding, "libvirt-daemon-system");
		else if (strstr(error->message, "connection driver"))
			mend_package(finding, "libvirt-daemon-driver-qemu");
		else if (strstr(error->message, "/.cache/libvirt/"))
			mend(finding, FALSE, "export XDG_CACHE_HOME=/tmp/iogap-cache-%u", (guint)geteuid());
	}
}

void check_kvm_device(DoctorContext *context, DoctorFinding *finding)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		found_ok(finding, "%s may open it", doctor_user());
	} else if (errno == EACCES || errno == EPERM) {
		found_missing(finding, "%s may not open it: guests run under emulation", doctor_user());
		mend(finding, TRUE, "usermod -aG kvm %s   (then log in again)", doctor_user());
	} else if (errno == ENOENT)
		found_missing(finding, "not there: guests run under emulation (TCG), and figures describe that");
	else
		found_missing(finding, "cannot be opened: %s", g_strerror(errno));
}

/* "KVM works" means that a guest said hello under it; nothing less is believed. */
void check_kvm(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *agent = paths_agent();
	const GuestConfig config = {
		.accel = "kvm", .machine = "pc", .agent = agent, .vcpus = 1, .memory = G_GUINT64_CONSTANT(512) << 20};
	g_autofree char *reason = NULL;
	g_autoptr(GError) error = NULL;
	int works;

	if (!context->hypervisor) {
		found_missing(finding, "cannot be tried without libvirt");
		return;
	}
	if (context->options->probe &&
		!accel_decide(context->hypervisor, &config, "auto", TRUE, NULL, context->cancel, &error)) {
		found_missing(finding, "no guest could be booted to try it: %s", error->message);
		return;
	}
	works = accel_remembered(context->hypervisor, &config, &reason);
	if (works > 0)
		found_ok(finding, "a guest ran under it on this boot, kernel and emulator");
	else if (works == 0)
		found_missing(finding, "%s; `accel: auto` takes emulation (TCG), and figures describe that", reason);
	else {
		found_warn(finding, "not tried yet on this boot, kernel and emulator");
		mend(finding, FALSE, "iogap doctor --probe");
	}
}
