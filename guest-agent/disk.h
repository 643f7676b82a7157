/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says about files and block devices: sizes, alignment, queue settings, who a disk is.
 *
 * Who may include it: guest-agent. Depends on common.
 */
#ifndef IOGAP_AGENT_DISK_H
#define IOGAP_AGENT_DISK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest-agent/common/fault.h"

/* Reads a small file of sysfs or procfs into BUF, NUL-terminated, white space at its end cut. Its length, or -errno. */
int disk_read_text(const char *path, char *buf, size_t size);

/* The sysfs folder of a whole disk by device number ("/sys/block/vda", also for a partition of it). 0 or -errno. */
int disk_sysfs(dev_t device, char *buf, size_t size);

/* The device under a file (its file system's) or the device itself. False where there is none, as on tmpfs. */
bool disk_device(int fd, dev_t *ret);

typedef struct {
	bool block;		/* a block device; else a regular file */
	uint64_t size;		/* bytes */
	uint64_t logical_block_size, physical_block_size; /* of the device underneath; 0 = unknown */
	uint64_t mem_align, offset_align;		  /* direct I/O; 0 = refused or unknown, see direct */
	int direct;		/* 0 = possible, else the errno of the refusal */
	const char *filesystem; /* static; NULL for a block device */
} DiskFacts;

/* FD must be open for reading or writing. Direct I/O is tried by an open and one aligned read, and not taken from tables. */
int disk_facts(int fd, const char *path, DiskFacts *ret, Fault *fault);

/* The result of `inspect`, or NULL with FAULT set. */
json_t *disk_inspect(const char *path, Fault *fault);

/* The facts of one disk of /sys/block for `find_disk`, serial included. */
json_t *disk_describe(const char *name);

/* The disk with this serial and size: its description; NULL and ENOENT (the message lists what was seen) if there is none yet. */
json_t *disk_find(const char *serial, uint64_t size, Fault *fault);

/* Sets a block device's I/O scheduler: {"scheduler": as read back}. */
json_t *disk_set_scheduler(const char *path, const char *scheduler, Fault *fault);

/* "ext4", "tmpfs" ... of the file system that FD lies on; "0x..." never: an unknown one is "unknown". Static. */
const char *disk_filesystem(int fd);

/* Name of the active choice of a "none [mq-deadline] kyber" text, in BUF; NULL if there is no file or no choice. */
const char *disk_scheduler(const char *sysfs, char *buf, size_t size);

#endif
