/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets made and removed; what forbids them is in target-probe.c, target-block.c and target-loop.c. */
#include "harness/side/target.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/side/target-private.h"

#define SHM "/dev/shm"
#define MIN_SIZE (G_GUINT64_CONSTANT(1) << 20)

struct Target {
	Keeper *keeper; /* may be NULL */
	char *name, *type, *folder, *stem;
	char *path;
	GCancellable *cancel;
	GHashTable *twins; /* paths of the copies; NULL until the first is made */
	gboolean block;
	guint64 size;
	int fd; /* loop: keeps the device; block: the claim; -1 = none */
	char *loop_device;
	TargetNbd *nbd;
	gboolean forgets; /* what is written is not kept */
	GPtrArray *made; /* target-made.c */
	Record *facts;
};

typedef struct {
	const char *name;
	/* The folder that files go to (static, or of SPEC); NULL for devices, and for a tmpfs of our own. */
	const char *(*folder)(const TargetSpec *spec);
	gboolean (*check)(const TargetSpec *spec, Record *record, GError **error);
	gboolean (*make)(Target *target, const TargetSpec *spec, GError **error);
} TargetType;

static gboolean usage(GError **error, const char *what)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, what);
	return FALSE;
}

/* ---- what was made, for the keeper and for the way back ------------------------------------- */

static void announce(Target *target, const char *kind, const char *what)
{
	target_made_add(target->made, target->keeper, kind, what);
}

/* The latest announcement was wrong: nothing was made, or the thing is somebody else's. */
static void take_back(Target *target)
{
	target_made_take_back(target->made, target->keeper);
}

/* ---- folders and files ----------------------------------------------------------------------- */

static const char *folder_of(const TargetSpec *spec)
{
	return spec->path ? spec->path : spec->folder;
}

/* The deepest existing folder on the way to PATH: where a missing one would be made. */
static char *existing_part(const char *path)
{
	char *part = g_canonicalize_filename(path, NULL);

	while (!g_file_test(part, G_FILE_TEST_EXISTS)) {
		char *parent = g_path_get_dirname(part);
		gboolean stuck = g_str_equal(parent, part);

		g_free(part);
		part = parent;
		if (stuck)
			break;
	}
	return part;
}

static gboolean make_folder(Target *target, const char *path, GError **error)
{
	g_autofree char *parent = NULL;
	int saved;

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return TRUE;
	parent = g_path_get_dirname(path);
	if (!make_folder(target, parent, error))
		return FALSE;
	announce(target, "dir", path);
	if (mkdir(path, 0755) == 0)
		return TRUE;
	saved = errno;
	take_back(target);
	if (saved == EEXIST)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the folder %s: %s", path, g_strerror(saved));
	return FALSE;
}

static gboolean check_size(const TargetSpec *spec, GError **error)
{
	if (spec->size < MIN_SIZE)
		return usage(error, "its size must be at least 1M");
	if (spec->size > G_MAXINT64 / 2)
		return usage(error, "its size is beyond what a file can have");
	if (spec->size % 4096)
		return usage(error, "its size must be a multiple of 4096 bytes");
	return TRUE;
}

/* A folder that the user named must be there; the default one may be made. */
static char *check_folder(const TargetSpec *spec, GError **error)
{
	const char *path = folder_of(spec);
	struct stat st;

	if (!path) {
		usage(error, "it has neither a path nor a default folder");
		return NULL;
	}
	if (spec->path && stat(path, &st) < 0) {
		if (errno == EACCES)
			target_may_write(path, error);
		else
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"there is no folder %s (%s); make it or name another", path,
				g_strerror(errno));
		return NULL;
	}
	if (spec->path && S_ISREG(st.st_mode)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is a file that exists already and is never overwritten; name the folder in which to make one",
			path);
		return NULL;
	}
	if (spec->path && !S_ISDIR(st.st_mode)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is not a folder%s", path,
			S_ISBLK(st.st_mode) ? "; for a device use `type: block`" : "");
		return NULL;
	}
	return existing_part(path);
}

static gboolean check_files(const TargetSpec *spec, guint64 space, Record *record, GError **error)
{
	g_autofree char *folder = check_size(spec, error) ? check_folder(spec, error) : NULL;

	if (!folder || !target_may_write(folder, error) || !target_has_space(folder, space, error))
		return FALSE;
	if (record) {
		target_probe_folder(folder, record);
		record_set_int(record, "size", (gint64)spec->size);
	}
	return TRUE;
}

/* Makes PATH with SIZE reserved bytes. Never opens what exists: O_EXCL follows no links either. */
static gboolean make_file(Target *target, const char *path, guint64 size, GError **error)
{
	int fd, rc, saved;

	announce(target, "file", path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	saved = errno;
	if (fd < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the file %s: %s", path,
			g_strerror(saved));
		take_back(target);
		return FALSE;
	}
	rc = fallocate(fd, 0, 0, (off_t)size) < 0 ? -errno : 0;
	/* NFS and ZFS cannot reserve; the fill that follows writes every byte and meets the limit then. */
	if (rc == -EOPNOTSUPP)
		rc = ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
	close(fd);
	if (rc == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"cannot reserve %" G_GUINT64_FORMAT " bytes for %s: %s; make the target's size smaller or name another folder",
		size, path, g_strerror(-rc));
	return FALSE;
}

static char *in_folder(const Target *target, const char *folder, const char *ending)
{
	g_autofree char *name = g_strconcat(target->stem, ending, NULL);

	return g_build_filename(folder, name, NULL);
}

/* ---- file -------------------------------------------------------------------------------------- */

static gboolean check_file(const TargetSpec *spec, Record *record, GError **error)
{
	return check_files(spec, spec->size, record, error);
}

static gboolean make_plain_file(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);

	if (!make_folder(target, folder, error))
		return FALSE;
	target->path = in_folder(target, folder, ".raw");
	if (!make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(folder, target->facts);
	return TRUE;
}

/* ---- tmpfs ------------------------------------------------------------------------------------- */

static gboolean on_tmpfs(const char *folder)
{
	g_autofree char *filesystem = target_filesystem(folder);

	return g_strcmp0(filesystem, "tmpfs") == 0;
}

static const char *tmpfs_folder(const TargetSpec *spec)
{
	return spec->path ? spec->path : on_tmpfs(SHM) ? SHM : NULL;
}

static gboolean check_tmpfs(const TargetSpec *spec, Record *record, GError **error)
{
	TargetSpec inside = *spec;

	inside.path = tmpfs_folder(spec);
	if (!inside.path) {
		if (geteuid() != 0) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				SHM " is no tmpfs and this user may not mount one; give a path on a tmpfs");
			return FALSE;
		}
		if (!check_files(spec, 0, NULL, error))
			return FALSE;
		if (record) {
			record_set_text(record, "filesystem", "tmpfs");
			record_set_int(record, "memory", 1);
			record_set_null(record, "direct");
			record_set_int(record, "size", (gint64)spec->size);
		}
		return TRUE;
	}
	if (g_file_test(inside.path, G_FILE_TEST_IS_DIR) && !on_tmpfs(inside.path)) {
		g_autofree char *filesystem = target_filesystem(inside.path);

		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s lies on %s, not on a tmpfs; leave out path, or use `type: file`", inside.path,
			filesystem ? filesystem : "an unknown file system");
		return FALSE;
	}
	return check_files(&inside, spec->size, record, error);
}

static gboolean mount_on(Target *target, const char *source, const char *type, const char *data,
	char **ret_folder, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);
	g_autofree char *point = in_folder(target, folder, ".mnt");

	if (!make_folder(target, point, error))
		return FALSE;
	announce(target, "mount", point);
	if (mount(source, point, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, data) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot mount %s (%s) at %s: %s", source, type,
			point, errno == ENODEV ? "the kernel does not have this file system" : g_strerror(errno));
		take_back(target);
		return FALSE;
	}
	*ret_folder = g_steal_pointer(&point);
	return TRUE;
}

static gboolean make_tmpfs(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *data = NULL;
	g_autofree char *folder = NULL;

	if (tmpfs_folder(spec))
		return make_plain_file(target, spec, error);
	data = g_strdup_printf("mode=0700,size=%" G_GUINT64_FORMAT, spec->size + spec->size / 20 + MIN_SIZE);
	if (!mount_on(target, "tmpfs", "tmpfs", data, &folder, error) ||
		!target_has_space(folder, spec->size, error))
		return FALSE;
	target->path = in_folder(target, folder, ".raw");
	if (!make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(folder, target->facts);
	return TRUE;
}

/* ---- block ------------------------------------------------------------------------------------- */

static const char *no_folder(const TargetSpec *spec)
{
	return NULL;
}

static gboolean check_block(const TargetSpec *spec, Record *record, GError **error)
{
	if (!spec->path)
		return usage(error, "a block target needs a path: the device");
	if (spec->filesystem)
		return usage(error, "a block target has no filesystem; use `type: file` on one that is mounted");
	if (spec->size % 4096)
		return usage(error, "its size must be a multiple of 4096 bytes");
	if (!spec->consent && g_file_test(spec->path, G_FILE_TEST_EXISTS)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"everything on %s would be overwritten; if that is wanted, say so with " TARGET_CONSENT_OPTION "=%s",
			spec->path, spec->path);
		return FALSE;
	}
	return target_block_check(spec->path, spec->size, record, error);
}

static gboolean make_block(Target *target, const TargetSpec *spec, GError **error)
{
	target->fd = target_block_claim(spec->path, error);
	if (target->fd < 0)
		return FALSE;
	target->path = g_strdup(spec->path);
	target->block = TRUE;
	target->size = (guint64)record_get_int(target->facts, "size", 0);
	return TRUE;
}

/* ---- loop -------------------------------------------------------------------------------------- */

static gboolean check_loop(const TargetSpec *spec, Record *record, GError **error)
{
	if (!target_loop_check(spec->filesystem, error) ||
		!check_files(spec, target_loop_backing_size(spec->filesystem, spec->size), record, error))
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

static gboolean make_loop(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);
	g_autofree char *backing = in_folder(target, folder, spec->filesystem ? ".img" : ".raw");
	g_autofree char *inside = NULL;

	if (!make_folder(target, folder, error) ||
		!make_file(target, backing, target_loop_backing_size(spec->filesystem, spec->size), error))
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
		!mount_on(target, target->loop_device, spec->filesystem, NULL, &inside, error))
		return FALSE;
	target->path = in_folder(target, inside, ".raw");
	if (!make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(inside, target->facts);
	return TRUE;
}

/* ---- nbd --------------------------------------------------------------------------------------- */

static gboolean check_nbd(const TargetSpec *spec, Record *record, GError **error)
{
	if (!check_size(spec, error) || !target_nbd_check(error))
		return FALSE;
	if (spec->path || spec->filesystem)
		return usage(error, "an nbd target has no path and no filesystem: nbdkit serves it out of memory");
	if (spec->nbd_delay_ns % 1000000)
		return usage(error, "its delay must be a whole number of milliseconds");
	if (g_strcmp0(spec->nbd_plugin, "memory") == 0 && !target_has_space(SHM, spec->size, error))
		return FALSE;
	if (record) {
		record_set_text(record, "filesystem", "nbd");
		record_set_int(record, "memory", 1);
		record_set_int(record, "direct", 1);
		record_set_text(record, "direct_reason", "served out of memory: direct I/O does not reach a disk");
		record_set_int(record, "sector_size", 512);
		record_set_int(record, "size", (gint64)spec->size);
	}
	return TRUE;
}

static gboolean make_nbd(Target *target, const TargetSpec *spec, GError **error)
{
	target->nbd = target_nbd_start(spec, target->stem, target->made, target->keeper, error);
	if (!target->nbd)
		return FALSE;
	target->path = g_strdup(target_nbd_path(target->nbd));
	target->forgets = !g_str_equal(spec->nbd_plugin, "memory");
	return TRUE;
}

/* ---- the table and the public calls -------------------------------------------------------------- */

static const TargetType types[] = {
	{"file", folder_of, check_file, make_plain_file},
	{"tmpfs", tmpfs_folder, check_tmpfs, make_tmpfs},
	{"block", no_folder, check_block, make_block},
	{"loop", folder_of, check_loop, make_loop},
	{"nbd", no_folder, check_nbd, make_nbd},
};

static const TargetType *type_of(const TargetSpec *spec, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (g_strcmp0(types[i].name, spec->type) == 0)
			return &types[i];
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
		"there is no type \"%s\"; one of: file, tmpfs, block, loop, nbd",
		spec->type ? spec->type : "");
	return NULL;
}

gboolean target_check(const TargetSpec *spec, Record *record, GError **error)
{
	const TargetType *type = type_of(spec, error);

	if (type && type->check(spec, record, error))
		return TRUE;
	g_prefix_error(error, "target %s: ", spec->name);
	return FALSE;
}

/* Names of targets are free text; file names are not. */
static char *stem_of(const TargetSpec *spec, const Keeper *keeper)
{
	g_autofree char *name = g_strdup(spec->name);
	g_autofree char *run = keeper ? g_strdup(keeper_run_id(keeper)) : g_strdup_printf("%08x", g_random_int());

	g_strcanon(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_", '_');
	if (strlen(name) > 64)
		name[64] = '\0';
	return g_strdup_printf("iogap-%s-%s", run, name);
}

Target *target_open(const TargetSpec *spec, Keeper *keeper, GError **error)
{
	const TargetType *type;
	g_autoptr(Record) seen = record_new();
	g_autoptr(Target) target = NULL;
	const char *folder;

	if (!target_check(spec, seen, error))
		return NULL;
	type = type_of(spec, NULL);
	folder = type->folder(spec);
	target = g_new0(Target, 1);
	target->keeper = keeper;
	target->name = g_strdup(spec->name);
	target->type = g_strdup(spec->type);
	target->cancel = spec->cancel;
	target->folder = g_strdup(folder ? folder : spec->folder);
	target->stem = stem_of(spec, keeper);
	target->size = spec->size;
	target->fd = -1;
	target->made = target_made_new();
	target->facts = g_steal_pointer(&seen);
	if (!type->make(target, spec, error)) {
		g_prefix_error(error, "target %s: ", spec->name);
		return NULL;
	}
	record_set_text(target->facts, "target_type", target->type);
	record_set_int(target->facts, "target_size", (gint64)target->size);
	return g_steal_pointer(&target);
}

const char *target_path(const Target *target)
{
	return target->path;
}

gboolean target_is_block(const Target *target)
{
	return target->block;
}

const char *target_nbd_socket(const Target *target)
{
	return target->nbd ? target_nbd_socket_of(target->nbd) : NULL;
}

gboolean target_keeps(const Target *target)
{
	return !target->forgets;
}

gboolean target_alive(const Target *target, GError **error)
{
	if (!target->nbd || target_nbd_alive(target->nbd, error))
		return TRUE;
	g_prefix_error(error, "target %s: ", target->name);
	return FALSE;
}

guint64 target_size(const Target *target)
{
	return target->size;
}

void target_facts(const Target *target, Record *record)
{
	record_merge(record, target->facts);
}

/* A copy of the target's content in FORMAT, whose name ends with ENDING, in the target's folder; made at the first call. */
static const char *twin(Target *target, const char *format, const char *ending, GError **error)
{
	g_autofree char *beside = target->block ? g_strdup(target->folder) : g_path_get_dirname(target->path);
	g_autofree char *folder = beside ? g_canonicalize_filename(beside, NULL) : NULL;
	g_autofree char *image = folder ? in_folder(target, folder, ending) : NULL;
	const char *known = target->twins && image ? g_hash_table_lookup(target->twins, image) : NULL;
	/* -U: a guest may have the target open, idle. Raw copies are written in full: a hole would be read without the disk. */
	const char *argv[] = {"qemu-img", "convert", "-U", "-S", "0", "-f", "raw", "-O", format, target->path, image, NULL};
	/* A slow disk gives 10 MB/s; slower than that is a hang. */
	guint timeout_s = 120 + (guint)(target->size / 10000000);

	if (known)
		return known;
	if (!image) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: there is no folder for its %s twin",
			target->path, format);
		return NULL;
	}
	if (!make_folder(target, folder, error) || !target_may_write(folder, error) ||
		!target_has_space(folder, target->size, error))
		return NULL;
	if (g_file_test(image, G_FILE_TEST_EXISTS)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the file %s: it exists", image);
		return NULL;
	}
	announce(target, "file", image);
	if (!subprocess_run_long(argv, timeout_s, target->cancel, NULL, NULL, NULL, error))
		return NULL;
	if (!target->twins)
		target->twins = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	known = image;
	g_hash_table_add(target->twins, g_steal_pointer(&image));
	return known;
}

const char *target_qcow2(Target *target, guint number, GError **error)
{
	g_autofree char *ending = g_strdup_printf(".%u.qcow2", number);

	return twin(target, "qcow2", ending, error);
}

const char *target_copy(Target *target, guint number, GError **error)
{
	g_autofree char *ending = g_strdup_printf(".%u.raw", number);

	if (target->block) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "%s is a device, which cannot be copied beside itself",
			target->path);
		return NULL;
	}
	return twin(target, "raw", ending, error);
}

gboolean target_end(Target *target, GPtrArray *remarks)
{
	gboolean gone;

	if (!target)
		return TRUE;
	/* Unlinking a loop device's file before the device lets go of it is harmless: it is freed then. */
	gone = target_made_undo(target->made, target->keeper, remarks);
	if (target->fd >= 0 && target->loop_device)
		target_loop_detach(target->fd, target->loop_device);
	else if (target->fd >= 0)
		close(target->fd);
	target_nbd_free(target->nbd);
	g_ptr_array_unref(target->made);
	record_free(target->facts);
	g_free(target->loop_device);
	g_clear_pointer(&target->twins, g_hash_table_unref);
	g_free(target->path);
	g_free(target->stem);
	g_free(target->folder);
	g_free(target->type);
	g_free(target->name);
	g_free(target);
	return gone;
}

void target_close(Target *target)
{
	target_end(target, NULL);
}
