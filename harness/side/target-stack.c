/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets over a file of ours: a loop device, with or without a file system. */
#include "harness/side/target-private.h"

/* ---- loop -------------------------------------------------------------------------------------- */

/* A file system has the images in it that are made beside the data set. */
static guint64 backing_size(const TargetSpec *spec)
{
	return target_loop_backing_size(spec->filesystem, spec->size + (spec->filesystem ? spec->beside : 0));
}

gboolean target_stack_check(const TargetSpec *spec, Record *record, GError **error)
{
	if (!target_loop_check(spec->filesystem, error) ||
		!target_check_files(spec, backing_size(spec), record, error))
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
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);
	g_autofree char *backing = target_in_folder(target, folder, spec->filesystem ? ".img" : ".raw");
	g_autofree char *inside = NULL;

	if (!target_make_folder(target, folder, error) ||
		!target_make_file(target, backing, backing_size(spec), error))
		return FALSE;
	target->fd = target_loop_attach(backing, &target->loop_device, error);
	if (target->fd < 0)
		return FALSE;
	if (!spec->filesystem) {
		target->path = g_strdup(target->loop_device);
		target->block = TRUE;
		return target_block_check(target->path, spec->size, target->facts, error);
	}
	if (!target_loop_mkfs(target->loop_device, spec->filesystem, spec->cancel, error) ||
		!target_mount_on(target, target->loop_device, spec->filesystem, NULL, &inside, error))
		return FALSE;
	target->path = target_in_folder(target, inside, ".raw");
	if (!target_make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(inside, target->facts);
	return TRUE;
}
