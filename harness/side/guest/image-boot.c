/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest boots of a prepared image. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/guest/cache.h"
#include "harness/side/guest/image-private.h"

Appliance *image_appliance(const Image *image, GError **error)
{
	g_autoptr(Appliance) appliance = g_new0(Appliance, 1);
	g_autofree char *cache = paths_cache();
	const char *digest = json_string_value(json_object_get(image->record, "initrd_sha256"));

	if (!image_usable(image, error))
		return NULL;
	appliance->kernel_file = g_strdup(image->kernel);
	appliance->kernel_version = g_strdup(image->kernel_version);
	appliance->initramfs = g_strdup(image->initrd);
	appliance->initramfs_sha256 = g_strdup(digest);
	if (!appliance_unpack_kernel(appliance, cache, error))
		return NULL;
	return g_steal_pointer(&appliance);
}

/*
 * The image's own words come first and stay. Ours: the console goes to the boot's log and is the one that a panic is printed on, a panic
 * ends the guest at once, and what appliance.c says of emulation.
 */
char *image_boot_cmdline(const Image *image, const char *accel)
{
	return g_strdup_printf("%s console=ttyS0 panic=-1%s", image->cmdline, g_str_equal(accel, "kvm") ? "" : " no_timer_check tsc=reliable");
}
