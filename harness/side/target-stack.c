/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets over a file of ours: a loop device, what may lie over that (LVM, a delay), and a file system, where one is asked for. */
#include "harness/side/target-private.h"

#define MS 1000000u

static guint64 same_size(guint64 size)
{
	return size;
}

static char *nothing_over(Target *target, const TargetSpec *spec, const char *device, guint64 size, GError **error)
{
	return g_strdup(device);
}

static const struct Layer {
	const char *type;
	/* Bytes of backing file for a device of SIZE bytes. */
	guint64 (*backing)(guint64 size);
	/* Makes a device of SIZE bytes over the loop device DEVICE; its path (g_free), NULL with the error set. */
	char *(*over)(Target *target, const TargetSpec *spec, const char *device, guint64 size, GError **error);
} layers[] = {
	{"loop", same_size, nothing_over},
	{"lvm", target_lvm_backing_size, target_lvm_over},
	{"dm-delay", same_size, target_delay_over},
};

static const struct Layer *layer_of(const TargetSpec *spec)
{
	guint i = 0;

	while (!g_str_equal(layers[i].type, spec->type))
		i++;
	return &layers[i];
}

static gboolean check_delay(const TargetSpec *spec, GError **error)
{
	if (!g_str_equal(spec->type, "dm-delay"))
		return TRUE;
	if (spec->delay_ns == 0)
		return target_usage(error, "it needs a delay, such as 5ms");
	return spec->delay_ns % MS == 0 || target_usage(error, "its delay must be a whole number of milliseconds");
}

/* A file system has the images in it that are made beside the data set. */
static guint64 device_size(const TargetSpec *spec)
{
	return target_loop_backing_size(spec->filesystem, spec->size + (spec->filesystem ? spec->beside : 0));
}

gboolean target_stack_check(const TargetSpec *spec, Record *record, GError **error)
{
	if (!check_delay(spec, error) || (!g_str_equal(spec->type, "loop") && !target_kernel_check(spec->type, error)) ||
		!target_loop_check(spec->filesystem, error) ||
		!target_check_files(spec, layer_of(spec)->backing(device_size(spec)), record, error))
		return FALSE;
	if (record) {
		/* What was seen is the backing file's; the device's own is known once it is there. */
		record_set_text(record, "filesystem", spec->filesystem);
		record_set_null(record, "direct");
		record_set_null(record, "direct_reason");
		record_set_null(record, "sector_size");
	}
	return TRUE;
}

gboolean target_stack_make(Target *target, const TargetSpec *spec, GError **error)
{
	const struct Layer *layer = layer_of(spec);
	guint64 size = device_size(spec);
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);
	g_autofree char *backing = target_in_folder(target, folder, spec->filesystem ? ".img" : ".raw");
	g_autofree char *device = NULL;
	g_autofree char *inside = NULL;

	if (!target_make_folder(target, folder, error) || !target_make_file(target, backing, layer->backing(size), error))
		return FALSE;
	target->fd = target_loop_attach(backing, &target->loop_device, error);
	if (target->fd < 0)
		return FALSE;
	device = layer->over(target, spec, target->loop_device, size, error);
	if (!device)
		return FALSE;
	if (!spec->filesystem) {
		target->path = g_steal_pointer(&device);
		target->block = TRUE;
		return target_block_look(target->path, spec->size, target->facts, error);
	}
	if (!target_loop_mkfs(device, spec->filesystem, spec->cancel, error) ||
		!target_mount_on(target, device, spec->filesystem, NULL, &inside, error))
		return FALSE;
	target->path = target_in_folder(target, inside, ".raw");
	if (!target_make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(inside, target->facts);
	return TRUE;
}
