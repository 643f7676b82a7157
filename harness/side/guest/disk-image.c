/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk's image before a guest gets it. libvirt and QEMU find the same faults later, and their words name no way out. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/guest/domain.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/image-private.h"

/*
 * The byte that a QEMU locks in a file that nobody else may write to (RAW_LOCK_SHARED_BASE and BLK_PERM_WRITE of its sources). Disks of
 * ours that share a raw image do not lock it.
 */
#define UNSHARED_BYTE 201

static gboolean no(const SideDisk *disk, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

static gboolean no(const SideDisk *disk, GError **error, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list args;

	va_start(args, format);
	why = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the image %s cannot be used: %s", disk->image, why);
	return FALSE;
}

static gboolean check_access(const SideDisk *disk, GError **error)
{
	if (access(disk->image, R_OK | W_OK) == 0)
		return TRUE;
	if (errno == EROFS)
		return no(disk, error, "its file system is mounted read-only; remount it read-write or use another folder");
	if (errno == EPERM)
		return no(disk, error, "it is marked as immutable; take the mark away (chattr -i) or use a copy");
	return no(disk, error, "%s; check the path, and the permissions of the file and of every folder above it", g_strerror(errno));
}

/* QEMU rounds the size of a raw file up or down by itself, and the last sector then lies outside or is lost. */
static gboolean check_size(const SideDisk *disk, GError **error)
{
	guint sector = disk->logical_block_size ? disk->logical_block_size : 512;
	struct stat st;

	if (!g_str_equal(disk->format, "raw") || stat(disk->image, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size % sector == 0)
		return TRUE;
	return no(disk, error, "its size, %lld bytes, is no multiple of the %u of the guest's sectors; truncate --size=%%%u would make it one",
		(long long)st.st_size, sector, sector);
}

static gboolean check_lock(const SideDisk *disk, GError **error)
{
	if (image_file_locked(disk->image, UNSHARED_BYTE))
		return no(disk, error, "another QEMU has it open and shares it with nobody; shut that guest down first, or use a copy");
	return TRUE;
}

/* The content is asked, not the name. A raw image may hold anything, also another format: then the guest would see that format's tables
 * in place of the data. */
static gboolean check_format(const SideDisk *disk, GError **error)
{
	json_t *info = image_file_info(disk->image, error);
	g_autofree char *format = g_strdup(json_string_value(json_object_get(info, "format")));
	gboolean corrupt = json_is_true(json_object_get(json_object_get(json_object_get(info, "format-specific"), "data"), "corrupt"));

	if (!info)
		return FALSE;
	json_decref(info);
	if (g_strcmp0(format, disk->format) != 0)
		return no(disk, error, "it is declared to be %s, and its content is %s; name the true format, or use a fresh image",
			disk->format, format);
	return corrupt ? no(disk, error, "it is marked as corrupt; qemu-img check -r all may mend a copy") : TRUE;
}

gboolean guest_disk_image_check(const SideDisk *disk, GError **error)
{
	if (!check_access(disk, error) || !domain_disk_check(disk, error))
		return FALSE;
	/* QEMU never opens the file that shows a network block device. */
	if (disk->nbd_socket)
		return TRUE;
	return check_lock(disk, error) && check_format(disk, error) && check_size(disk, error);
}
