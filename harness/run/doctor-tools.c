/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the programs that a sweep or a report calls. */
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/paths.h"
#include "harness/base/subprocess.h"
#include "harness/run/doctor-private.h"

#define VERSION_TIMEOUT_S 20

/* The first line that `PROGRAM OPTION` prints, or NULL when it is not there or fails. */
static char *first_line(const char *program, const char *option)
{
	const char *argv[] = {program, option, NULL};
	g_autofree char *path = g_find_program_in_path(program);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	int status;

	if (!path || !subprocess_run(argv, VERSION_TIMEOUT_S, &out, &err, &status, NULL) || status != 0)
		return NULL;
	if (*out == '\0' && *err == '\0')
		return NULL;
	return g_strndup(*out ? out : err, strcspn(*out ? out : err, "\n"));
}

static void check_program(DoctorFinding *finding, const char *program, const char *option, const char *package,
	const char *purpose)
{
	g_autofree char *version = first_line(program, option);

	if (version)
		found_ok(finding, "%s", version);
	else {
		found_missing(finding, "%s", purpose);
		mend_package(finding, package);
	}
}

void check_qemu_img(DoctorContext *context, DoctorFinding *finding)
{
	check_program(finding, "qemu-img", "--version", "qemu-utils", "no qcow2 disks without it");
}

void check_fio(DoctorContext *context, DoctorFinding *finding)
{
	check_program(finding, "fio", "--version", "fio", "no comparison with an outside engine");
}

/* bonnie++ has no option for its version: the usage that it prints for a wrong one ends with it. */
void check_bonnie(DoctorContext *context, DoctorFinding *finding)
{
	const char *argv[] = {"bonnie++", "-?", NULL};
	g_autofree char *path = g_find_program_in_path(argv[0]);
	g_autofree char *err = NULL;
	const char *version;
	int status;

	if (!path) {
		found_missing(finding, "optional: one more outside engine");
		mend_package(finding, "bonnie++");
		return;
	}
	version = subprocess_run(argv, VERSION_TIMEOUT_S, NULL, &err, &status, NULL) ? strstr(err, "Version: ") : NULL;
	if (version)
		found_ok(finding, "version %.*s", (int)strcspn(version + strlen("Version: "), "\n"),
			version + strlen("Version: "));
	else
		found_warn(finding, "%s is there and does not print its version", path);
}

void check_gnuplot(DoctorContext *context, DoctorFinding *finding)
{
	check_program(finding, "gnuplot", "--version", "gnuplot-nox", "reports come without plots");
}

/* The same Pythons as the reports try: the python3 that PATH names first may lack the distribution's modules. */
void check_jinja(DoctorContext *context, DoctorFinding *finding)
{
	const char *chosen = g_getenv("IOGAP_PYTHON");
	const char *const usual[] = {"/usr/bin/python3", "python3", NULL};
	const char *const own[] = {chosen, NULL};

	for (const char *const *python = chosen && *chosen ? own : usual; *python; python++) {
		const char *argv[] = {*python, "-c", "import jinja2; print(jinja2.__version__)", NULL};
		g_autofree char *version = NULL;

		if (subprocess_run(argv, VERSION_TIMEOUT_S, &version, NULL, NULL, NULL)) {
			found_ok(finding, "%s under %s", version, *python);
			return;
		}
	}
	found_missing(finding, "no Python that has it: reports are not rendered");
	mend_package(finding, "python3-jinja2");
}

/* It boots a kernel of this host, from where its tools look for one. */
void check_libguestfs(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *program = paths_image();
	g_autofree char *version = first_line(program, "--version");
	glob_t kernels = {0};
	gboolean readable = FALSE;

	if (glob("/boot/vmlinuz-*", 0, NULL, &kernels) == 0)
		for (size_t i = 0; i < kernels.gl_pathc; i++)
			readable = readable || access(kernels.gl_pathv[i], R_OK) == 0;
	if (!version) {
		found_missing(finding, "%s, the program that calls it, does not run: no image can be prepared; build or install iogap anew", program);
	} else if (readable) {
		found_ok(finding, "%s; its own guest runs under %s when an image is prepared", version, accel_for_tools());
	} else if (kernels.gl_pathc > 0) {
		found_warn(finding, "%s may read no kernel in /boot, which it boots itself: no image can be prepared", doctor_user());
		mend(finding, TRUE, "chmod a+r /boot/vmlinuz-*");
	} else {
		found_warn(finding, "there is no kernel in /boot, which it boots itself: no image can be prepared");
		mend_package(finding, "linux-image-amd64");
	}
	globfree(&kernels);
}
