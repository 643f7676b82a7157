/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where load and QEMU run and their memory lies: set for the host's load, and read back for both from what the kernel says of their threads. */
#ifndef IOGAP_RUN_PLACEMENT_H
#define IOGAP_RUN_PLACEMENT_H

#include <sys/types.h>

#include "harness/base/record.h"

/* The processors of the host's agent PID: those that it has now, or others for a while. */
typedef struct LoadPin LoadPin;
LoadPin *load_pin_new(pid_t pid);
void load_pin_free(LoadPin *pin); /* NULL is allowed; changes nothing */
/* All of its threads, and what they start from now on, run on the list CPUS; NULL = where they ran when PIN was made. */
gboolean load_pin_use(LoadPin *pin, const char *cpus, GError **error);

/*
 * Where the threads of PID may run at this moment. OF_QEMU: sets seen_pin_vcpu, seen_pin_iothread, seen_pin_emulator (its main loop) and
 * seen_pin_worker in RUN; else seen_pin_load. Of vCPUs one list when all have the same, else each with '/' between, by number; of
 * others every processor that one of them may use. Left out for want of such threads or of permission. ROOT: "" but in tests.
 */
void placement_threads(const char *root, pid_t pid, gboolean of_qemu, Record *run);

/*
 * Sets seen_numa (nodes that the memory is bound to, else the word of the kernel's policy: "default") and seen_hugepages (bytes of a page) of the
 * largest mapping of PID, which of a QEMU is its guest's memory. The kernel walks through all of it: not while something is measured.
 */
void placement_memory(const char *root, pid_t pid, Record *run);

#endif
