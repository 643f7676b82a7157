/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block devices that hold a target, found downwards from a file or device: through its file system, loop devices and their
 * files, device-mapper and MD to their members. Counters are those of the lowest ones, of a partition where only one is used.
 *
 * Who may include it: run.
 */
#ifndef IOGAP_RUN_DEVICE_H
#define IOGAP_RUN_DEVICE_H

#include <glib.h>

typedef struct Device Device;

/* Sums over all devices found; /sys/dev/block/M:N/stat. */
typedef struct {
	gint64 reads, read_merges, read_bytes, writes, write_merges, write_bytes;
	gint64 io_ns;	 /* time in which something was in flight; the longest of several devices */
	gint64 queue_ns; /* requests in flight, integrated over time */
} DeviceCounters;

/* NULL when there is no device that could be counted: *ret_reason (new text) then says why. */
Device *device_find(const char *path, char **ret_reason);
/* The same from a device's folder in sysfs on; no other path of sysfs is used, so that a test may bring a tree of its own. */
Device *device_find_folder(const char *folder, char **ret_reason);
/* The disks whose queues the requests pass through: as device_find, and disks that are memory too (null_blk, zram). */
Device *device_find_queue(const char *path, char **ret_reason);
void device_free(Device *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Device, device_free)

/* Their kernel names: "vda1", "sda sdb". Borrowed. */
const char *device_names(const Device *device);
gboolean device_read(const Device *device, DeviceCounters *ret);

#endif
