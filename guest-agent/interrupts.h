/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of a disk, from /proc/interrupts: the message-signalled vectors of the nearest device above it that has any
 * (virtio, AHCI, NVMe), else its line, else the lines that name the driver of its PCI device (the old ports of IDE). What a
 * controller shares with other disks is counted with it.
 *
 * Who may include it: guest-agent. Depends on common, disk.
 */
#ifndef IOGAP_AGENT_INTERRUPTS_H
#define IOGAP_AGENT_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sum over all processors since boot, for the block device of SYSFS ("/sys/block/vda"). False where no line can be told to be its own. */
bool interrupts_of_disk(const char *sysfs, uint64_t *ret);

/* The same of a text of that format: counts lines whose number is among the N NUMBERS, or, with N = 0, that end with the word NAME. */
bool interrupts_sum(const char *text, const unsigned *numbers, size_t n, const char *name, uint64_t *ret);

#endif
