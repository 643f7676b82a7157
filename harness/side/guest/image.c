/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preparing an image: checks, an overlay, the worker, the record. */
#include "harness/side/guest/image.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/subprocess.h"
#include "harness/side/guest/cache.h"
#include "harness/side/guest/image-private.h"

/* Kernel, initrd, what the overlay and libguestfs's own overlay take. */
#define ROOM (256u << 20)

/* ---- before anything is written ---------------- */

/* The file's name without folder and suffix, as far as it makes a name. */
static char *usual_name(const char *image)
{
	g_autofree char *base = g_path_get_basename(image);
	char *dot = strrchr(base, '.');

	if (dot && dot != base)
		*dot = '\0';
	g_strcanon(base, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-", '-');
	while (*base == '-')
		memmove(base, base + 1, strlen(base));
	if (strlen(base) > 40)
		base[40] = '\0';
	return *base ? g_steal_pointer(&base) : g_strdup("image");
}

static gboolean check_name(const char *name, GError **error)
{
	if (*name && strlen(name) <= 40 && *name != '-' && strspn(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-") == strlen(name))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
		"\"%s\" is no name for an image: 1 to 40 of letters, digits, '_' and '-', not beginning with '-'", name);
	return FALSE;
}

static gboolean check_room(const char *folder, GError **error)
{
	struct statvfs space;

	if (access(folder, W_OK) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "nothing can be written to %s: %s; name another place with -o or IOGAP_CACHE",
			folder, g_strerror(errno));
		return FALSE;
	}
	if (statvfs(folder, &space) < 0 || (guint64)space.f_bavail * space.f_frsize >= ROOM)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
		"%s has %" G_GUINT64_FORMAT " MiB left, and preparing an image takes up to %u MiB; make room, or name another place with -o or "
		"IOGAP_CACHE",
		folder, ((guint64)space.f_bavail * space.f_frsize) >> 20, ROOM >> 20);
	return FALSE;
}

/* ---- the worker ---------------- */

/* Its last line is our message; "iogap-image: " is for people. */
static gboolean worker_failed(int status, const char *err, GError **error)
{
	const char *line = strrchr(err, '\n') ? strrchr(err, '\n') + 1 : err;
	gboolean usage = status == 2;

	if (g_str_has_prefix(line, "iogap-image: "))
		line += strlen("iogap-image: ");
	if (*line)
		g_set_error_literal(error, IOGAP_ERROR, usage ? IOGAP_ERROR_USAGE : IOGAP_ERROR_FAILED, line);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the program that calls libguestfs ended with status %d and said nothing",
			status);
	return FALSE;
}

/* FOLDER "" = only look. */
static json_t *work(const ImageRequest *request, const char *disk, const char *format, const char *folder, GCancellable *cancel,
	GError **error)
{
	g_autofree char *program = paths_image();
	const char *argv[] = {program, request->image, disk, format, request->accel, request->agent, folder, NULL};
	guint timeout_s = request->timeout_s ? request->timeout_s : IMAGE_TIMEOUT_S;
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	json_t *facts;
	int status;

	if (request->starting)
		request->starting(request);
	if (!subprocess_run_long(argv, timeout_s, cancel, &out, &err, &status, error)) {
		g_prefix_error(error, "libguestfs (under %s): ", request->accel);
		return NULL;
	}
	if (status != 0) {
		worker_failed(status, err, error);
		return NULL;
	}
	facts = json_loads(out, 0, NULL);
	if (!json_is_object(facts)) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the program that calls libguestfs said something that is no JSON");
		json_decref(facts);
		return NULL;
	}
	return facts;
}

json_t *image_inspect(const ImageRequest *request, GCancellable *cancel, GError **error)
{
	g_autofree char *image = g_canonicalize_filename(request->image, NULL);
	const char *format;
	guint64 size;
	json_t *facts;

	if (!image_file_check(image, request->format, &format, &size, error))
		return NULL;
	facts = work(request, image, format, "", cancel, error);
	if (facts) {
		json_object_set_new(facts, "format", json_string(format));
		json_object_set_new(facts, "disk_size", json_integer((json_int_t)size));
	}
	return facts;
}

/* ---- the record ---------------- */

static char *digest_of(const char *folder, const char *name)
{
	g_autofree char *path = folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
	g_autofree char *data = NULL;
	gsize size;

	return g_file_get_contents(path, &data, &size, NULL) ? cache_digest(data, size) : NULL;
}

static void set_digest(json_t *record, const char *key, const char *folder, const char *name)
{
	g_autofree char *digest = digest_of(folder, name);

	json_object_set_new(record, key, digest ? json_string(digest) : json_null());
}

/* FACTS is used up. */
static json_t *make_record(const ImageRequest *request, const char *name, const char *image, const char *format, const char *overlay,
	const char *folder, json_t *facts, GError **error)
{
	json_t *record = json_pack("{s:i, s:s, s:s, s:s, s:s, s:I, s:s}", "version", 1, "name", name, "image", image, "format", format,
		"overlay", overlay, "prepared_unix_ns", (json_int_t)g_get_real_time() * 1000, "accel", request->accel);

	json_object_update(record, facts);
	json_decref(facts);
	set_digest(record, "agent_sha256", NULL, request->agent);
	set_digest(record, "kernel_sha256", folder, IMAGE_KERNEL);
	set_digest(record, "initrd_sha256", folder, IMAGE_INITRD);
	if (image_file_mark(image, record, error))
		return record;
	json_decref(record);
	return NULL;
}

/* ---- prepare ---------------- */

typedef struct {
	const ImageRequest *request;
	char *image, *name, *root, *folder, *making, *overlay, *overlay_making;
	Image *before; /* what is prepared under this name already; may be NULL */
} Preparing;

static void preparing_clear(Preparing *p)
{
	g_free(p->image);
	g_free(p->name);
	g_free(p->root);
	g_free(p->folder);
	g_free(p->making);
	g_free(p->overlay);
	g_free(p->overlay_making);
	image_free(p->before);
}

static void look_before(Preparing *p)
{
	g_autofree char *why = NULL;

	image_free(p->before);
	p->before = image_load(p->folder, &why);
}

/* A name stands for one image: what was prepared from another may be what somebody measures with. */
static gboolean check_taken(const Preparing *p, GError **error)
{
	if (!p->before || g_str_equal(p->before->image, p->image))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
		"the name %s is taken by %s; choose another with --name, or remove that one first: iogap image remove %s", p->name,
		p->before->image, p->name);
	return FALSE;
}

/* The user's own place may hold the user's own files: only what an earlier preparation of this name put there is replaced. */
static gboolean check_overlay(const Preparing *p, GError **error)
{
	struct stat st;

	if (!p->request->overlay || lstat(p->overlay, &st) < 0)
		return TRUE;
	if (p->before && g_str_equal(p->before->overlay, p->overlay) && image_overlay_of(p->overlay, p->before->image))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
		"%s is there already, and is no overlay that was made for an image %s; it is not replaced: name another file, or remove it first",
		p->overlay, p->name);
	return FALSE;
}

static gboolean begin(Preparing *p, GError **error)
{
	const ImageRequest *request = p->request;
	g_autofree char *beside = NULL, *inside = NULL;

	p->image = g_canonicalize_filename(request->image, NULL);
	p->name = request->name ? g_strdup(request->name) : usual_name(request->image);
	if (!check_name(p->name, error))
		return FALSE;
	p->root = image_root();
	p->folder = g_build_filename(p->root, p->name, NULL);
	p->making = g_strdup_printf("%s/.%s.%d", p->root, p->name, (int)getpid());
	p->overlay = request->overlay ? g_canonicalize_filename(request->overlay, NULL)
				      : g_build_filename(p->folder, IMAGE_OVERLAY, NULL);
	p->overlay_making = request->overlay ? g_strdup_printf("%s.%d.new", p->overlay, (int)getpid())
					     : g_build_filename(p->making, IMAGE_OVERLAY, NULL);
	if (g_str_equal(p->overlay, p->image)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s: the overlay would replace the image itself; name another file", p->image);
		return FALSE;
	}
	beside = g_path_get_dirname(p->overlay);
	inside = g_strconcat(p->root, "/", NULL);
	if (request->overlay && g_str_has_prefix(p->overlay, inside)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s lies among what iogap itself keeps in its cache; name another place, or none",
			p->overlay);
		return FALSE;
	}
	look_before(p);
	if (!check_taken(p, error) || !check_overlay(p, error))
		return FALSE;
	if (!paths_ensure(p->root, error) || !check_room(p->root, error) || (request->overlay && !check_room(beside, error)))
		return FALSE;
	if (g_mkdir(p->making, 0700) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", p->making, g_strerror(errno));
		return FALSE;
	}
	return TRUE;
}

static gboolean make(Preparing *p, const char *format, GCancellable *cancel, GError **error)
{
	g_autofree char *file = g_build_filename(p->making, IMAGE_RECORD, NULL);
	json_t *facts, *record;
	gboolean ok;

	if (!image_overlay_create(p->overlay_making, p->image, format, error))
		return FALSE;
	facts = work(p->request, p->overlay_making, "qcow2", p->making, cancel, error);
	record = facts ? make_record(p->request, p->name, p->image, format, p->overlay, p->making, facts, error) : NULL;
	if (!record)
		return FALSE;
	ok = json_dump_file(record, file, JSON_INDENT(1) | JSON_SORT_KEYS) == 0;
	json_decref(record);
	if (!ok)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s cannot be written: %s", file, g_strerror(errno));
	return ok;
}

/*
 * The overlay first: a record without it would be a lie, an overlay without a record is only a file. Minutes have passed since begin
 * looked, so that all is looked at once more; what comes even later makes image_put fail.
 */
static gboolean put_in_place(Preparing *p, GError **error)
{
	look_before(p);
	if (!check_taken(p, error) || !check_overlay(p, error) ||
		!(p->before ? image_remove(p->before, error) : image_folder_remove(p->folder, error)) ||
		(p->request->overlay && !image_put(p->overlay_making, p->overlay, error)))
		return FALSE;
	if (image_put(p->making, p->folder, error))
		return TRUE;
	if (p->request->overlay)
		g_unlink(p->overlay);
	return FALSE;
}

Image *image_prepare(const ImageRequest *request, GCancellable *cancel, GError **error)
{
	Preparing p = {.request = request};
	const char *format;
	Image *image = NULL;
	guint64 size;

	if (begin(&p, error)) {
		if (image_file_check(p.image, request->format, &format, &size, error) && make(&p, format, cancel, error) &&
			put_in_place(&p, error)) {
			image = image_find(p.name, error);
		} else {
			g_unlink(p.overlay_making);
			image_folder_remove(p.making, NULL);
		}
	}
	preparing_clear(&p);
	return image;
}
