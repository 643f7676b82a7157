/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets opened and closed by the table of types; how each type is made is in target-file.c, target-stack.c and others. */
#include "harness/side/target.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/side/target-private.h"

#define SHM "/dev/shm"

typedef struct {
	const char *name;
	/* Whether this machine and user can make one at all. */
	gboolean (*can)(const char *type, GError **error);
	/* The folder that files go to (static, or of SPEC); NULL for devices, and for a tmpfs of our own. */
	const char *(*folder)(const TargetSpec *spec);
	gboolean (*check)(const TargetSpec *spec, Record *record, GError **error);
	gboolean (*make)(Target *target, const TargetSpec *spec, GError **error);
} TargetType;

/* ---- block ------------------------------------------------------------------------------------- */

static const char *no_folder(const TargetSpec *spec)
{
	return NULL;
}

static gboolean check_block(const TargetSpec *spec, Record *record, GError **error)
{
	if (!spec->path)
		return target_usage(error, "a block target needs a path: the device");
	if (spec->filesystem)
		return target_usage(error, "a block target has no filesystem; use `type: file` on one that is mounted");
	if (spec->size % 4096)
		return target_usage(error, "its size must be a multiple of 4096 bytes");
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

/* ---- nbd --------------------------------------------------------------------------------------- */

static gboolean check_nbd(const TargetSpec *spec, Record *record, GError **error)
{
	if (!target_check_size(spec, error))
		return FALSE;
	if (spec->path || spec->filesystem)
		return target_usage(error, "an nbd target has no path and no filesystem: nbdkit serves it out of memory");
	if (spec->nbd_delay_ns % 1000000)
		return target_usage(error, "its delay must be a whole number of milliseconds");
	if (!target_nbd_check(error))
		return FALSE;
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

/* The check of a type that needs nothing but what every machine has. */
static gboolean always(const char *type, GError **error)
{
	return TRUE;
}

static gboolean can_loop(const char *type, GError **error)
{
	return target_loop_check(NULL, error);
}

static gboolean can_nbd(const char *type, GError **error)
{
	return target_nbd_check(error);
}

static gboolean can_stack(const char *type, GError **error)
{
	return target_kernel_check(type, error) && target_loop_check(NULL, error);
}

static const TargetType types[] = {
	{"file", always, target_folder_of, target_file_check, target_file_make},
	{"tmpfs", always, target_tmpfs_folder, target_tmpfs_check, target_tmpfs_make},
	{"block", always, no_folder, check_block, make_block},
	{"loop", can_loop, target_folder_of, target_stack_check, target_stack_make},
	{"lvm", can_stack, target_folder_of, target_stack_check, target_stack_make},
	{"dm-delay", can_stack, target_folder_of, target_stack_check, target_stack_make},
	{"dm-zero", target_kernel_check, no_folder, target_nothing_check, target_zero_make},
	{"null_blk", target_kernel_check, no_folder, target_nothing_check, target_null_make},
	{"nbd", can_nbd, no_folder, check_nbd, make_nbd},
};

const char *const *target_types(void)
{
	static const char *names[G_N_ELEMENTS(types) + 1];

	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		names[i] = types[i].name;
	return names;
}

static const TargetType *type_of(const char *type, GError **error)
{
	g_autofree char *names = NULL;
	const char *near;

	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (g_strcmp0(types[i].name, type) == 0)
			return &types[i];
	names = g_strjoinv(", ", (char **)target_types());
	near = nearest(type ? type : "", target_types());
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no type \"%s\"%s%s%s; one of: %s", type ? type : "",
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "", names);
	return NULL;
}

char *target_place(const TargetSpec *spec)
{
	const TargetType *type = type_of(spec->type, NULL);
	const char *folder = type ? type->folder(spec) : NULL;

	return folder ? target_existing_part(folder) : g_strdup(spec->path);
}

gboolean target_type_check(const char *type, GError **error)
{
	const TargetType *row = type_of(type, error);

	return row && row->can(type, error);
}

gboolean target_check(const TargetSpec *spec, Record *record, GError **error)
{
	const TargetType *type = type_of(spec->type, error);

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
	type = type_of(spec->type, NULL);
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
