/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "harness/base/error.h"
#include "harness/side/guest/unpack.h"

typedef struct {
	struct archive *archive;
	GByteArray *bytes;
	guint inode;
} Packer;

static la_ssize_t collect(struct archive *archive, void *data, const void *buffer, size_t size)
{
	g_byte_array_append(data, buffer, size);
	return size;
}

/* Writing to memory: only a broken call can fail here. */
static void must(Packer *packer, int rc)
{
	if (rc != ARCHIVE_OK)
		g_error("libarchive cannot write a cpio archive: %s",
			archive_error_string(packer->archive));
}

static void packer_init(Packer *packer)
{
	packer->archive = archive_write_new();
	packer->bytes = g_byte_array_new();
	packer->inode = 0;
	must(packer, archive_write_set_format_cpio_newc(packer->archive));
	/* The kernel reads to the trailer; padding to whole blocks would only be longer. */
	must(packer, archive_write_set_bytes_in_last_block(packer->archive, 4));
	must(packer, archive_write_open(packer->archive, packer->bytes, NULL, collect, NULL));
}

static void packer_clear(Packer *packer)
{
	archive_write_free(packer->archive);
	if (packer->bytes)
		g_byte_array_unref(packer->bytes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Packer, packer_clear)

static struct archive_entry *entry_new(Packer *packer, const char *name, guint mode)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_uid(entry, 0);
	archive_entry_set_gid(entry, 0);
	archive_entry_set_mtime(entry, 0, 0);
	archive_entry_set_nlink(entry, 1);
	archive_entry_set_ino64(entry, ++packer->inode);
	archive_entry_set_size(entry, 0);
	return entry;
}

static void add(Packer *packer, struct archive_entry *entry, const void *data, gsize size)
{
	archive_entry_set_size(entry, size);
	must(packer, archive_write_header(packer->archive, entry));
	if (size && archive_write_data(packer->archive, data, size) != (la_ssize_t)size)
		g_error("libarchive cannot write a cpio archive: %s",
			archive_error_string(packer->archive));
	archive_entry_free(entry);
}

static void add_folder(Packer *packer, const char *name)
{
	add(packer, entry_new(packer, name, S_IFDIR | 0755), NULL, 0);
}

static void add_file(Packer *packer, const char *name, guint mode, const void *data, gsize size)
{
	add(packer, entry_new(packer, name, S_IFREG | mode), data, size);
}

static void add_device(
	Packer *packer, const char *name, guint mode, guint major_number, guint minor_number)
{
	struct archive_entry *entry = entry_new(packer, name, S_IFCHR | mode);

	archive_entry_set_rdev(entry, makedev(major_number, minor_number));
	add(packer, entry, NULL, 0);
}

/* "00-virtio_ring.ko" of ".../virtio_ring.ko.xz": numbered, so that the order of names is the load
 * order. */
static char *module_name(guint number, const char *path)
{
	g_autofree char *base = g_path_get_basename(path);
	char *suffix = strstr(base, ".ko");

	if (suffix)
		*suffix = '\0';
	return g_strdup_printf("modules/%02u-%s.ko", number, base);
}

static gboolean add_modules(Packer *packer, const GPtrArray *modules, GString *list, GError **error)
{
	for (guint i = 0; i < modules->len; i++) {
		const char *path = modules->pdata[i];
		g_autofree char *name = module_name(i, path);
		g_autoptr(GBytes) content = unpack_module(path, error);
		gsize size;
		const void *data;

		if (!content)
			return FALSE;
		data = g_bytes_get_data(content, &size);
		add_file(packer, name, 0644, data, size);
		g_string_append_printf(list, "/%s\n", name);
	}
	return TRUE;
}

/* The folders above NAME ("usr/lib/x/y.so"), those that are not in MADE yet, outermost first. */
static void add_parents(Packer *packer, const char *name, GHashTable *made)
{
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *folder = g_strndup(name, slash - name);

		if (!g_hash_table_contains(made, folder))
			add_folder(packer, folder);
		g_hash_table_add(made, folder);
	}
}

static gboolean add_files(Packer *packer, const GPtrArray *files, GError **error)
{
	g_autoptr(GHashTable) made = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; files && i < files->len; i++) {
		const char *path = files->pdata[i];
		g_autoptr(GError) cause = NULL;
		g_autofree char *data = NULL;
		gsize size;

		if (!g_file_get_contents(path, &data, &size, &cause)) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot put %s into the guest: %s",
				path, cause->message);
			return FALSE;
		}
		add_parents(packer, path + 1, made);
		add_file(packer, path + 1, 0755, data, size);
	}
	return TRUE;
}

GBytes *initramfs_pack(GBytes *agent, const GPtrArray *modules, const GPtrArray *files, GError **error)
{
	g_auto(Packer) packer = {0};
	g_autoptr(GString) list = g_string_new(NULL);
	gsize size;
	const void *data = g_bytes_get_data(agent, &size);

	packer_init(&packer);
	add_folder(&packer, "dev");
	/* The kernel opens it as the standard streams of /init before anything is mounted. */
	add_device(&packer, "dev/console", 0600, 5, 1);
	add_device(&packer, "dev/null", 0666, 1, 3);
	add_file(&packer, "init", 0755, data, size);
	add_folder(&packer, "modules");
	if (!add_modules(&packer, modules, list, error))
		return NULL;
	add_file(&packer, "modules.list", 0644, list->str, list->len);
	add_folder(&packer, "proc");
	add_folder(&packer, "sys");
	if (!add_files(&packer, files, error))
		return NULL;
	must(&packer, archive_write_close(packer.archive));
	return g_byte_array_free_to_bytes(g_steal_pointer(&packer.bytes));
}
