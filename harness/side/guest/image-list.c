/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepared images: their records, found, listed, checked, removed. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/guest/image-private.h"

char *image_root(void)
{
	g_autofree char *cache = paths_cache();

	return g_build_filename(cache, "images", NULL);
}

void image_free(Image *image)
{
	if (!image)
		return;
	g_free(image->name);
	g_free(image->folder);
	g_free(image->image);
	g_free(image->overlay);
	g_free(image->kernel);
	g_free(image->initrd);
	g_free(image->kernel_version);
	g_free(image->cmdline);
	json_decref(image->record);
	g_free(image);
}

static char *text_of(const json_t *object, const char *key)
{
	return g_strdup(json_string_value(json_object_get(object, key)));
}

Image *image_load(const char *folder, char **ret_why)
{
	g_autofree char *file = g_build_filename(folder, IMAGE_RECORD, NULL);
	g_autoptr(Image) image = g_new0(Image, 1);
	const json_t *kernel;
	json_error_t problem;

	image->record = json_load_file(file, 0, &problem);
	if (!image->record) {
		*ret_why = g_strdup_printf("%s: %s", file, problem.text);
		return NULL;
	}
	kernel = json_object_get(image->record, "kernel");
	image->name = g_path_get_basename(folder);
	image->folder = g_strdup(folder);
	image->image = text_of(image->record, "image");
	image->overlay = text_of(image->record, "overlay");
	image->cmdline = text_of(image->record, "cmdline");
	image->kernel_version = text_of(kernel, "version");
	image->kernel = g_build_filename(folder, IMAGE_KERNEL, NULL);
	if (json_object_get(kernel, "initrd"))
		image->initrd = g_build_filename(folder, IMAGE_INITRD, NULL);
	if (image->image && image->overlay && image->cmdline && image->kernel_version)
		return g_steal_pointer(&image);
	*ret_why = g_strdup_printf("%s: it is no record of a prepared image; prepare it again", file);
	return NULL;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const Image *const *)a)->name, (*(const Image *const *)b)->name);
}

static void free_image(gpointer image)
{
	image_free(image);
}

GPtrArray *image_list(GPtrArray *remarks)
{
	GPtrArray *images = g_ptr_array_new_with_free_func(free_image);
	g_autofree char *root = image_root();
	g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *folder = g_build_filename(root, name, NULL);
		char *why = NULL;
		Image *image;

		if (*name == '.') /* one that is being made */
			continue;
		image = image_load(folder, &why);
		if (image)
			g_ptr_array_add(images, image);
		else if (remarks)
			g_ptr_array_add(remarks, why);
		else
			g_free(why);
	}
	g_ptr_array_sort(images, by_name);
	return images;
}

static gboolean is_it(const Image *image, const char *name, const char *path)
{
	return path ? g_str_equal(image->image, path) || g_str_equal(image->overlay, path) : g_str_equal(image->name, name);
}

Image *image_find(const char *name_or_path, GError **error)
{
	g_autoptr(GPtrArray) images = image_list(NULL);
	g_autofree char *path = strchr(name_or_path, '/') ? g_canonicalize_filename(name_or_path, NULL) : NULL;
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < images->len; i++) {
		Image *image = images->pdata[i];

		if (is_it(image, name_or_path, path))
			return g_ptr_array_steal_index(images, i);
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", image->name);
	}
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no prepared image %s (%s%s); `iogap image prepare %s` makes one",
		name_or_path, names->len ? "there are: " : "there is none", names->str, path ? path : "IMAGE");
	return NULL;
}

static gboolean unusable(const Image *image, GError **error, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "image %s: %s; prepare it again: iogap image prepare --name %s %s", image->name, why,
		image->name, image->image);
	return FALSE;
}

gboolean image_usable(const Image *image, GError **error)
{
	const char *needed[] = {image->kernel, image->overlay, image->initrd, NULL};
	json_t *now = json_object();
	g_autoptr(GError) cause = NULL;
	gboolean there = image_file_mark(image->image, now, &cause), same;

	same = there && json_equal(json_object_get(now, "size"), json_object_get(image->record, "size")) &&
		json_equal(json_object_get(now, "mtime_ns"), json_object_get(image->record, "mtime_ns"));
	json_decref(now);
	if (!there)
		return unusable(image, error, cause->message);
	/* An overlay holds only what differs: on other content it is a broken file system. */
	if (!same)
		return unusable(image, error, "the image below its overlay was changed since it was prepared");
	for (guint i = 0; needed[i]; i++)
		if (access(needed[i], R_OK) < 0) {
			g_autofree char *why = g_strdup_printf("%s: %s", needed[i], g_strerror(errno));

			return unusable(image, error, why);
		}
	return TRUE;
}

/* An overlay outside of the cache lies where its user keeps other things. */
static gboolean remove_overlay(const Image *image, GError **error)
{
	struct stat st;

	if (lstat(image->overlay, &st) < 0 && errno == ENOENT)
		return TRUE;
	if (!image_overlay_of(image->overlay, image->image)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is not the overlay of %s that was made there, and stays; move it away, then remove %s again", image->overlay,
			image->image, image->name);
		return FALSE;
	}
	if (g_unlink(image->overlay) == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s cannot be removed: %s", image->overlay, g_strerror(errno));
	return FALSE;
}

gboolean image_remove(const Image *image, GError **error)
{
	g_autofree char *inside = g_build_filename(image->folder, IMAGE_OVERLAY, NULL);

	return (g_str_equal(image->overlay, inside) || remove_overlay(image, error)) && image_folder_remove(image->folder, error);
}
