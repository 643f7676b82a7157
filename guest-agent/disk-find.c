/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks by serial and size, their description, and their scheduler. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/hdreg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/disk.h"

#define SERIAL_SIZE 64

static char *trim(char *text)
{
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		text[--n] = 0;
	while (*text == ' ')
		text++;
	return text;
}

/* Page 0x80 of a SCSI disk, which libata fills in for IDE and SATA too: four bytes of head, then the serial. */
static bool serial_from_page(const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], page[260];
	int n;

	snprintf(path, sizeof(path), "/sys/block/%s/device/vpd_pg80", name);
	n = disk_read_text(path, page, sizeof(page));
	if (n <= 4)
		return false;
	snprintf(ret, size, "%s", trim(page + 4));
	return ret[0] != 0;
}

static bool serial_from_identity(const char *name, char *ret, size_t size)
{
	CLEANUP_CLOSE int fd = -1;
	char path[PATH_MAX], serial[sizeof(((struct hd_driveid *)0)->serial_no) + 1];
	struct hd_driveid identity;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, HDIO_GET_IDENTITY, &identity) < 0)
		return false;
	memcpy(serial, identity.serial_no, sizeof(serial) - 1);
	serial[sizeof(serial) - 1] = 0;
	snprintf(ret, size, "%s", trim(serial));
	return ret[0] != 0;
}

/* Of the USB device that the disk belongs to: the SCSI layer does not ask such a disk for its serial. */
static bool serial_from_usb(const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], real[PATH_MAX], file[PATH_MAX + 16], text[SERIAL_SIZE];

	snprintf(path, sizeof(path), "/sys/block/%s/device", name);
	if (!realpath(path, real))
		return false;
	while (!strncmp(real, "/sys/devices/", 13)) {
		snprintf(file, sizeof(file), "%s/idVendor", real);
		if (!access(file, F_OK)) {
			snprintf(file, sizeof(file), "%s/serial", real);
			if (disk_read_text(file, text, sizeof(text)) <= 0)
				return false;
			snprintf(ret, size, "%s", trim(text));
			return ret[0] != 0;
		}
		*strrchr(real, '/') = 0;
	}
	return false;
}

static bool disk_serial(const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], text[SERIAL_SIZE];

	snprintf(path, sizeof(path), "/sys/block/%s/serial", name);
	if (disk_read_text(path, text, sizeof(text)) > 0) {
		snprintf(ret, size, "%s", trim(text));
		return true;
	}
	return serial_from_page(name, ret, size) || serial_from_identity(name, ret, size) || serial_from_usb(name, ret, size);
}

static bool read_attribute(const char *name, const char *attribute, char *buf, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/block/%s/%s", name, attribute);
	return disk_read_text(path, buf, size) > 0;
}

static json_t *attribute_number(const char *name, const char *attribute, uint64_t factor)
{
	char text[32];

	return read_attribute(name, attribute, text, sizeof(text)) ?
		       json_integer((json_int_t)(strtoull(text, NULL, 10) * factor)) :
		       json_null();
}

/*
 * The driver of the controller: the first one upwards from the disk's device that is not the SCSI disk driver ("sd" says
 * nothing about the hardware).
 */
static bool disk_driver(const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], real[PATH_MAX], link[PATH_MAX + 16], target[PATH_MAX];
	char *slash;

	snprintf(path, sizeof(path), "/sys/block/%s/device", name);
	if (!realpath(path, real))
		return false;
	while (!strncmp(real, "/sys/devices/", 13)) {
		ssize_t n;

		snprintf(link, sizeof(link), "%s/driver", real);
		n = readlink(link, target, sizeof(target) - 1);
		if (n > 0) {
			target[n] = 0;
			slash = strrchr(target, '/');
			if (slash && strcmp(slash + 1, "sd") != 0) {
				snprintf(ret, size, "%s", slash + 1);
				return true;
			}
		}
		slash = strrchr(real, '/');
		*slash = 0;
	}
	return false;
}

static const char *disk_bus(const char *name, const char *driver)
{
	static const struct {
		const char *driver, *bus;
	} known[] = {
		{"virtio_blk", "virtio"}, {"virtio_scsi", "virtio-scsi"}, {"ahci", "sata"}, {"nvme", "nvme"}, {"usb-storage", "usb"}, {"uas", "usb"},
	};

	if (!strncmp(name, "loop", 4))
		return "loop";
	if (!driver)
		return NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(driver, known[i].driver))
			return known[i].bus;
	return !strncmp(driver, "ata_", 4) || !strncmp(driver, "pata_", 5) ? "ide" : NULL;
}

static json_t *disk_queues(const char *name)
{
	char path[PATH_MAX];
	int queues = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/block/%s/mq", name);
	dir = opendir(path);
	if (!dir)
		return json_null();
	for (struct dirent *entry; (entry = readdir(dir));)
		queues += entry->d_name[0] != '.';
	closedir(dir);
	return json_integer(queues);
}

/* json_string refuses text that is not UTF-8, which a serial can be. */
static json_t *text_or_null(const char *text)
{
	json_t *json = text ? json_string(text) : NULL;

	return json ? json : json_null();
}

json_t *disk_describe(const char *name)
{
	char path[PATH_MAX], driver[64], cache[32], serial[SERIAL_SIZE], scheduler[128], rotational[8];
	bool have_driver = disk_driver(name, driver, sizeof(driver));
	json_t *disk = json_object();

	snprintf(path, sizeof(path), "/dev/%s", name);
	json_object_set_new(disk, "path", json_string(path));
	json_object_set_new(disk, "name", json_string(name));
	json_object_set_new(disk, "serial", disk_serial(name, serial, sizeof(serial)) ? text_or_null(serial) : json_null());
	/* sysfs counts in 512 bytes, whatever the sector. */
	json_object_set_new(disk, "size", attribute_number(name, "size", 512));
	json_object_set_new(disk, "driver", text_or_null(have_driver ? driver : NULL));
	json_object_set_new(disk, "bus", text_or_null(disk_bus(name, have_driver ? driver : NULL)));
	json_object_set_new(disk, "logical_block_size", attribute_number(name, "queue/logical_block_size", 1));
	json_object_set_new(disk, "physical_block_size", attribute_number(name, "queue/physical_block_size", 1));
	snprintf(path, sizeof(path), "/sys/block/%s", name);
	json_object_set_new(disk, "scheduler", text_or_null(disk_scheduler(path, scheduler, sizeof(scheduler))));
	json_object_set_new(disk, "queues", disk_queues(name));
	json_object_set_new(disk, "rotational",
		read_attribute(name, "queue/rotational", rotational, sizeof(rotational)) ?
			json_boolean(rotational[0] == '1') :
			json_null());
	json_object_set_new(disk, "write_cache",
		text_or_null(read_attribute(name, "queue/write_cache", cache, sizeof(cache)) ? cache : NULL));
	return disk;
}

static void note_seen(char *seen, size_t size, const char *name, const char *serial, uint64_t bytes)
{
	size_t used = strlen(seen);

	snprintf(seen + used, size - used, "%s%s (serial %s, %llu bytes)", used ? ", " : "", name, serial,
		(unsigned long long)bytes);
}

json_t *disk_find(const char *serial, uint64_t size, Fault *fault)
{
	char seen[400] = "", own[SERIAL_SIZE], text[32];
	json_t *found = NULL;
	DIR *dir = opendir("/sys/block");

	if (!dir) {
		fault_set(fault, errno, "find_disk", "/sys/block: %s", strerror(errno));
		return NULL;
	}
	for (struct dirent *entry; !found && (entry = readdir(dir));) {
		const char *name = entry->d_name;
		uint64_t bytes;

		if (name[0] == '.' || !disk_serial(name, own, sizeof(own)) ||
			!read_attribute(name, "size", text, sizeof(text)))
			continue;
		bytes = strtoull(text, NULL, 10) * 512;
		if (!strcmp(own, serial) && bytes == size)
			found = disk_describe(name);
		else
			note_seen(seen, sizeof(seen), name, own, bytes);
	}
	closedir(dir);
	if (!found)
		fault_set(fault, ENOENT, "serial", "no disk with serial %.40s and %llu bytes; seen: %s", serial,
			(unsigned long long)size, seen[0] ? seen : "no disk with a serial");
	return found;
}

static void add_facts(json_t *result, const DiskFacts *facts)
{
	json_object_set_new(result, "kind", json_string(facts->block ? "block" : "file"));
	json_object_set_new(result, "size", json_integer((json_int_t)facts->size));
	json_object_set_new(result, "dio_mem_align", facts->direct ? json_null() : json_integer((json_int_t)facts->mem_align));
	json_object_set_new(result, "dio_offset_align", facts->direct ? json_null() : json_integer((json_int_t)facts->offset_align));
	json_object_set_new(result, "filesystem", text_or_null(facts->filesystem));
}

json_t *disk_inspect(const char *path, Fault *fault)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char sysfs[PATH_MAX];
	json_t *result;
	DiskFacts facts;
	dev_t device;

	if (fd < 0) {
		fault_set(fault, errno, "path", "%.200s cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	if (disk_facts(fd, path, &facts, fault) < 0)
		return NULL;
	if (disk_device(fd, &device) && disk_sysfs(device, sysfs, sizeof(sysfs)) == 0) {
		result = disk_describe(strrchr(sysfs, '/') + 1);
	} else {
		static const char *const unknown[] = {"name", "serial", "driver", "bus", "logical_block_size",
			"physical_block_size", "scheduler", "queues", "rotational", "write_cache"};

		result = json_object();
		for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
			json_object_set_new(result, unknown[i], json_null());
	}
	json_object_set_new(result, "path", text_or_null(path));
	add_facts(result, &facts);
	return result;
}

static int write_text(const char *path, const char *text)
{
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

json_t *disk_set_scheduler(const char *path, const char *scheduler, Fault *fault)
{
	char sysfs[PATH_MAX], file[PATH_MAX + 32], text[128], now[128];
	const char *active;
	struct stat st;
	int r;

	if (stat(path, &st) < 0) {
		fault_set(fault, errno, "path", "%.200s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISBLK(st.st_mode) || disk_sysfs(st.st_rdev, sysfs, sizeof(sysfs)) < 0) {
		fault_set(fault, ENOTBLK, "path", "%.200s is no block device, so it has no scheduler of its own", path);
		return NULL;
	}
	snprintf(file, sizeof(file), "%s/queue/scheduler", sysfs);
	r = write_text(file, scheduler);
	active = disk_scheduler(sysfs, now, sizeof(now));
	if (r < 0 || !active || strcmp(active, scheduler) != 0) {
		if (disk_read_text(file, text, sizeof(text)) < 0)
			text[0] = 0;
		fault_set(fault, r < 0 ? -r : EINVAL, "scheduler", "%.200s does not take scheduler %.40s (%s); it offers: %s", path,
			scheduler, r < 0 ? strerror(-r) : "it was read back as another", text);
		return NULL;
	}
	return json_pack("{s:s}", "scheduler", active);
}
