/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/doctor.h"

#include <pwd.h>
#include <unistd.h>

#include "harness/base/paths.h"
#include "harness/run/doctor-private.h"

/* One row per check; what a sweep cannot do without is marked. The order is that of the output, and libvirt stands
 * before what needs its connection. */
static const struct {
	const char *what;
	gboolean needed;
	DoctorCheck check;
} rows[] = {
	{"agent", TRUE, check_agent},
	{"kernel", TRUE, check_kernel},
	{"emulator", TRUE, check_emulator},
	{"libvirt", TRUE, check_libvirt},
	{"runtime folder", TRUE, check_runtime},
	{"cache folder", TRUE, check_cache},
	{"store folder", TRUE, check_store},
	{"/dev/kvm", FALSE, check_kvm_device},
	{"kvm", FALSE, check_kvm},
	{"io_uring", FALSE, check_io_uring},
	{"io_uring in QEMU", FALSE, check_emulator_uring},
	{"libaio", FALSE, check_libaio},
	{"direct I/O", FALSE, check_direct},
	{"loop devices", FALSE, check_loop},
	{"file systems", FALSE, check_filesystems},
	{"device-mapper", FALSE, check_mapper},
	{"LVM", FALSE, check_lvm},
	{"null_blk", FALSE, check_null_blk},
	{"network block devices", FALSE, check_nbd},
	{"qemu-img", FALSE, check_qemu_img},
	{"fio", FALSE, check_fio},
	{"bonnie++", FALSE, check_bonnie},
	{"Jinja2", FALSE, check_jinja},
	{"gnuplot", FALSE, check_gnuplot},
	{"libguestfs", FALSE, check_libguestfs},
	{"cpus", FALSE, check_cpus},
	{"governor", FALSE, check_governor},
	{"turbo", FALSE, check_turbo},
	{"cgroup", FALSE, check_cgroup},
};

static void set(DoctorFinding *finding, DoctorLevel level, const char *format, va_list args)
{
	g_free(finding->detail);
	finding->level = level;
	finding->detail = g_strdup_vprintf(format, args);
}

void found_ok(DoctorFinding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(finding, DOCTOR_OK, format, args);
	va_end(args);
}

void found_warn(DoctorFinding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(finding, DOCTOR_WARN, format, args);
	va_end(args);
}

void found_missing(DoctorFinding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(finding, DOCTOR_MISSING, format, args);
	va_end(args);
}

void mend(DoctorFinding *finding, gboolean as_root, const char *format, ...)
{
	g_autofree char *command = NULL;
	va_list args;

	va_start(args, format);
	command = g_strdup_vprintf(format, args);
	va_end(args);
	g_free(finding->mend);
	finding->mend = g_strconcat(as_root && geteuid() != 0 ? "sudo " : "", command, NULL);
}

/* The reason that packages.list gives for PACKAGE, or NULL when it has no such row. */
static char *package_reason(const char *package)
{
	g_autofree char *list = paths_share("packages.list");
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(list, &text, NULL, NULL))
		return NULL;
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) fields = g_strsplit(lines[i], " | ", 3);

		if (g_strv_length(fields) == 3 && g_str_equal(fields[0], package))
			return g_strdup(fields[2]);
	}
	return NULL;
}

void mend_package(DoctorFinding *finding, const char *package)
{
	g_autofree char *reason = package_reason(package);

	if (reason) {
		char *detail = g_strdup_printf("%s (%s: %s)", finding->detail, package, reason);

		g_free(finding->detail);
		finding->detail = detail;
	}
	mend(finding, TRUE, "apt-get install --no-install-recommends %s", package);
}

const char *doctor_user(void)
{
	const struct passwd *entry = getpwuid(geteuid());

	return entry ? entry->pw_name : "this user";
}

static void finding_free(gpointer data)
{
	DoctorFinding *finding = data;

	g_free(finding->detail);
	g_free(finding->mend);
	g_free(finding);
}

GPtrArray *doctor_examine(const DoctorOptions *options, GCancellable *cancel)
{
	GPtrArray *findings = g_ptr_array_new_with_free_func(finding_free);
	DoctorContext context = {.options = options, .cancel = cancel};

	for (guint i = 0; i < G_N_ELEMENTS(rows) && !g_cancellable_is_cancelled(cancel); i++) {
		DoctorFinding *finding = g_new0(DoctorFinding, 1);

		finding->what = rows[i].what;
		finding->needed = rows[i].needed;
		rows[i].check(&context, finding);
		g_ptr_array_add(findings, finding);
	}
	hypervisor_close(context.hypervisor);
	json_decref(context.agent_facts);
	g_free(context.agent_trouble);
	return findings;
}

gboolean doctor_can_sweep(const GPtrArray *findings)
{
	for (guint i = 0; i < findings->len; i++) {
		const DoctorFinding *finding = g_ptr_array_index(findings, i);

		if (finding->needed && finding->level == DOCTOR_MISSING)
			return FALSE;
	}
	return TRUE;
}

const char *doctor_level_name(DoctorLevel level)
{
	static const char *const names[] = {"ok", "warn", "missing"};

	return names[level];
}
