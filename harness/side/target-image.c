/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images with the content of a target: raw copies for further guests, qcow2 images with their chains. */
#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/side/target-private.h"

#define CREATE_S 120

/* The folder that images go to: beside the file, or for devices the default one. New text. */
static char *folder_of(const Target *target)
{
	g_autofree char *beside = target->block ? g_strdup(target->folder) : g_path_get_dirname(target->path);

	return beside ? g_canonicalize_filename(beside, NULL) : NULL;
}

static const char *known(const Target *target, const char *image)
{
	return target->twins && image ? g_hash_table_lookup(target->twins, image) : NULL;
}

static const char *remember(Target *target, const char *image)
{
	char *kept = g_strdup(image);

	if (!target->twins)
		target->twins = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_hash_table_add(target->twins, kept);
	return kept;
}

static gboolean prepare_folder(Target *target, const char *folder, guint64 bytes, GError **error)
{
	if (!folder) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: there is no folder for images beside it", target->path);
		return FALSE;
	}
	return target_make_folder(target, folder, error) && target_may_write(folder, error) && target_has_space(folder, bytes, error);
}

/* Runs qemu-img on IMAGE, which is announced here: it is made by the first of these calls. */
static gboolean qemu_img(Target *target, const char *const *argv, guint timeout_s, const char *image, GError **error)
{
	if (subprocess_run_long(argv, timeout_s, target->cancel, NULL, NULL, NULL, error))
		return TRUE;
	g_prefix_error(error, "target %s: its image %s: ", target->name, image);
	return FALSE;
}

static gboolean announce_new(Target *target, const char *image, GError **error)
{
	if (g_file_test(image, G_FILE_TEST_EXISTS)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the file %s: it exists", image);
		return FALSE;
	}
	target_announce(target, "file", image);
	return TRUE;
}

/* Writes the whole content into IMAGE, which is there already if FILL. */
static gboolean convert(Target *target, const char *format, gboolean fill, const char *image, GError **error)
{
	/* -U: a guest may have the target open, idle. Everything is written in full: a hole would be read without the disk. */
	const char *argv[] = {"qemu-img", "convert", fill ? "-n" : "-q", "-U", "-S", "0", "-f", "raw", "-O", format, target->path, image, NULL};
	/* A slow disk gives 10 MB/s; slower than that is a hang. */
	guint timeout_s = 120 + (guint)(target->size / 10000000);

	return qemu_img(target, argv, timeout_s, image, error);
}

/* An empty image of FORM on BELOW (NULL = on nothing). */
static gboolean create(Target *target, const TargetQcow2 *form, const char *preallocation, const char *below, const char *image,
	GError **error)
{
	g_autofree char *options = g_strdup_printf("cluster_size=%u,preallocation=%s,extended_l2=%s", form->cluster_size, preallocation,
		form->extended_l2 ? "on" : "off");
	g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, target->size);
	const char *alone[] = {"qemu-img", "create", "-q", "-f", "qcow2", "-o", options, image, size, NULL};
	const char *above[] = {"qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", below, "-o", options, image, size, NULL};

	/* Preallocation may write it all. */
	return announce_new(target, image, error) &&
		qemu_img(target, below ? above : alone, CREATE_S + (guint)(target->size / 10000000), image, error);
}

const char *target_qcow2(Target *target, guint number, const TargetQcow2 *form, GError **error)
{
	g_autofree char *folder = folder_of(target);
	g_autofree char *ending = g_strdup_printf(".%u.qcow2", number);
	g_autofree char *upper = folder ? target_in_folder(target, folder, ending) : NULL;
	g_autofree char *below = NULL;

	if (known(target, upper))
		return known(target, upper);
	if (!prepare_folder(target, folder, target->size * (form->backing ? 2 : 1), error))
		return NULL;
	for (guint level = form->backing; level > 0; level--) {
		g_autofree char *name = g_strdup_printf(".%u-%u.qcow2", number, level);
		char *image = target_in_folder(target, folder, name);
		gboolean made = create(target, form, "off", below, image, error) &&
			(below || convert(target, "qcow2", TRUE, image, error));

		g_free(below);
		below = image;
		if (!made)
			return NULL;
	}
	if (!create(target, form, form->preallocation, below, upper, error) || (!below && !convert(target, "qcow2", TRUE, upper, error)))
		return NULL;
	return remember(target, upper);
}

const char *target_copy(Target *target, guint number, GError **error)
{
	g_autofree char *folder = folder_of(target);
	g_autofree char *ending = g_strdup_printf(".%u.raw", number);
	g_autofree char *image = folder ? target_in_folder(target, folder, ending) : NULL;

	if (target->block) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "%s is a device, which cannot be copied beside itself",
			target->path);
		return NULL;
	}
	if (known(target, image))
		return known(target, image);
	if (!prepare_folder(target, folder, target->size, error) || !announce_new(target, image, error) ||
		!convert(target, "raw", FALSE, image, error))
		return NULL;
	return remember(target, image);
}
