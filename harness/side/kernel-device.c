/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/kernel-device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTROL "/dev/mapper/control"
#define BUSY_TRIES 10
#define BUSY_PAUSE_US 50000

gboolean kernel_device_has_mapper(void)
{
	g_autofree char *misc = NULL;

	return g_file_get_contents("/proc/misc", &misc, NULL, NULL) && strstr(misc, " device-mapper\n");
}

/* 0 or an errno. *ret_number (may be NULL) gets the number of the device. */
static int mapper_call(unsigned long request, const char *name, guint32 flags, dev_t *ret_number)
{
	struct dm_ioctl call = {.version = {DM_VERSION_MAJOR, 0, 0}, .data_size = sizeof(call), .flags = flags};
	int fd, rc;

	/* The node may stand there for a driver that is not loaded, and opening it would load it. */
	if (!kernel_device_has_mapper() || strlen(name) >= sizeof(call.name))
		return ENXIO;
	fd = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	g_strlcpy(call.name, name, sizeof(call.name));
	rc = ioctl(fd, request, &call) < 0 ? errno : 0;
	close(fd);
	if (rc == 0 && ret_number)
		*ret_number = (dev_t)call.dev;
	return rc;
}

gboolean kernel_device_is_mapped(const char *name)
{
	return mapper_call(DM_DEV_STATUS, name, 0, NULL) == 0;
}

char *kernel_device_node(const char *name)
{
	g_autofree char *path = g_build_filename("/dev/mapper", name, NULL);
	dev_t number = 0;

	errno = mapper_call(DM_DEV_STATUS, name, 0, &number);
	if (errno || (mknod(path, S_IFBLK | 0600, number) < 0 && errno != EEXIST))
		return NULL;
	return g_steal_pointer(&path);
}

/* The node, or udev's link to it, is not the kernel's and stays behind where no udev looks after it. */
static void remove_node(const char *name)
{
	g_autofree char *node = g_build_filename("/dev/mapper", name, NULL);

	(void)unlink(node);
}

static int remove_mapped(const char *name, gboolean detach, gboolean *ret_was_there)
{
	int rc = EBUSY;

	for (int i = 0; i < BUSY_TRIES && rc == EBUSY; i++) {
		/* Whoever was killed, or looks what is new on this machine, closes it a moment later. */
		if (i)
			g_usleep(BUSY_PAUSE_US);
		rc = mapper_call(DM_DEV_REMOVE, name, 0, NULL);
	}
	if (rc == EBUSY && detach)
		rc = mapper_call(DM_DEV_REMOVE, name, DM_DEFERRED_REMOVE, NULL);
	if (rc == 0 && ret_was_there)
		*ret_was_there = TRUE;
	if (rc == 0)
		remove_node(name);
	return rc == ENXIO ? 0 : rc;
}

static int remove_nullb(const char *name, gboolean *ret_was_there)
{
	g_autofree char *item = g_build_filename(KERNEL_DEVICE_NULLB, name, NULL);

	if (rmdir(item) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	if (ret_was_there)
		*ret_was_there = TRUE;
	return 0;
}

int kernel_device_remove(const char *kind, const char *name, gboolean detach, gboolean *ret_was_there)
{
	gboolean nullb = g_str_equal(kind, "nullb");

	if (strchr(name, '/') || !g_str_has_prefix(name, nullb ? KERNEL_DEVICE_NULLB_PREFIX : KERNEL_DEVICE_PREFIX))
		return 0;
	return nullb ? remove_nullb(name, ret_was_there) : remove_mapped(name, detach, ret_was_there);
}
