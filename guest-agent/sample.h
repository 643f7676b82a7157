/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of the whole machine and of one block device, read at the begin and at the end of what is measured.
 *
 * Who may include it: guest-agent. Depends on common, disk.
 */
#ifndef IOGAP_AGENT_SAMPLE_H
#define IOGAP_AGENT_SAMPLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "guest-agent/common/clock.h"

enum { CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL, N_CPU };
enum {
	DEVICE_READS, DEVICE_READ_MERGES, DEVICE_READ_SECTORS, DEVICE_READ_MS, DEVICE_WRITES, DEVICE_WRITE_MERGES,
	DEVICE_WRITE_SECTORS, DEVICE_WRITE_MS, DEVICE_IN_FLIGHT, DEVICE_IO_MS, DEVICE_QUEUE_MS, DEVICE_FLUSHES = 15, N_DEVICE = 17
};

typedef struct {
	ClockMoment moment;
	bool have_machine, have_device;
	uint64_t cpu[N_CPU]; /* ticks of USER_HZ, all processors */
	uint64_t switches, interrupts;
	uint64_t device[N_DEVICE]; /* /sys/block/X/stat */
	bool have_interrupts;
	uint64_t interrupts_of_device; /* interrupts.h */
	unsigned n_device;	   /* how many the kernel gave: flushes came with 5.5 */
	bool have_process;	   /* false after sample_take; for outside programs */
	uint64_t process[2];	   /* bytes that it has read and written */
} Sample;

/* SYSFS: folder of the device, or "". What cannot be read is left out. */
void sample_take(const char *sysfs, Sample *ret);

/* Adds the machine_* keys to CPU. */
void sample_add_machine(json_t *cpu, const Sample *begin, const Sample *end);
/* The `device` object of a result, or a JSON null. */
json_t *sample_device(const Sample *begin, const Sample *end);

#endif
