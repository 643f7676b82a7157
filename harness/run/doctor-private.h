/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between doctor.c and the doctor-*.c files that hold the checks. */
#ifndef IOGAP_RUN_DOCTOR_PRIVATE_H
#define IOGAP_RUN_DOCTOR_PRIVATE_H

#include <jansson.h>

#include "harness/run/doctor.h"
#include "harness/side/guest/guest.h"

/* What checks share; opened by the first that needs it. */
typedef struct {
	const DoctorOptions *options;
	GCancellable *cancel;
	Hypervisor *hypervisor; /* NULL until the libvirt check opened it, and when that failed */
	json_t *agent_facts;	/* the agent's answer to probe, or NULL */
	char *agent_trouble;	/* why there is none */
} DoctorContext;

typedef void (*DoctorCheck)(DoctorContext *context, DoctorFinding *finding);

/* Each sets the level and the detail, once per check. */
void found_ok(DoctorFinding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);
void found_warn(DoctorFinding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);
void found_missing(DoctorFinding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The command that mends it; as_root puts sudo in front for other users. */
void mend(DoctorFinding *finding, gboolean as_root, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The command that installs PACKAGE (a row of docs/packages.list, or one that is optional). */
void mend_package(DoctorFinding *finding, const char *package);
/* Name of this user. */
const char *doctor_user(void);

/* doctor-machine.c */
void check_cpus(DoctorContext *context, DoctorFinding *finding);
void check_governor(DoctorContext *context, DoctorFinding *finding);
void check_turbo(DoctorContext *context, DoctorFinding *finding);
void check_cgroup(DoctorContext *context, DoctorFinding *finding);
void check_filesystems(DoctorContext *context, DoctorFinding *finding);
void check_mapper(DoctorContext *context, DoctorFinding *finding);
void check_lvm(DoctorContext *context, DoctorFinding *finding);
void check_null_blk(DoctorContext *context, DoctorFinding *finding);
void check_nbd(DoctorContext *context, DoctorFinding *finding);
void check_loop(DoctorContext *context, DoctorFinding *finding);
void check_runtime(DoctorContext *context, DoctorFinding *finding);
void check_cache(DoctorContext *context, DoctorFinding *finding);
void check_store(DoctorContext *context, DoctorFinding *finding);
void check_direct(DoctorContext *context, DoctorFinding *finding);
/* doctor-guest.c */
void check_agent(DoctorContext *context, DoctorFinding *finding);
void check_io_uring(DoctorContext *context, DoctorFinding *finding);
void check_libaio(DoctorContext *context, DoctorFinding *finding);
void check_kernel(DoctorContext *context, DoctorFinding *finding);
void check_emulator(DoctorContext *context, DoctorFinding *finding);
void check_emulator_uring(DoctorContext *context, DoctorFinding *finding);
void check_libvirt(DoctorContext *context, DoctorFinding *finding);
void check_kvm_device(DoctorContext *context, DoctorFinding *finding);
void check_kvm(DoctorContext *context, DoctorFinding *finding);
/* doctor-tools.c */
void check_qemu_img(DoctorContext *context, DoctorFinding *finding);
void check_fio(DoctorContext *context, DoctorFinding *finding);
void check_bonnie(DoctorContext *context, DoctorFinding *finding);
void check_gnuplot(DoctorContext *context, DoctorFinding *finding);
void check_jinja(DoctorContext *context, DoctorFinding *finding);
void check_libguestfs(DoctorContext *context, DoctorFinding *finding);

#endif
