/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels, agents and folders made for a test. Included by test programs only, once each.
 */
#ifndef IOGAP_TESTS_APPLIANCE_FIXTURE_H
#define IOGAP_TESTS_APPLIANCE_FIXTURE_H

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/side/guest/kernel.h"

#pragma GCC diagnostic ignored "-Wunused-function"

/* ---- a folder of its own for each test
 * ------------------------------------------------------------ */

static char *top;

static char *below(const char *name)
{
	return g_build_filename(top, name, NULL);
}

static void run_tool(const char *const *argv)
{
	g_autoptr(GError) error = NULL;

	subprocess_run(argv, 60, NULL, NULL, NULL, &error);
	g_assert_no_error(error);
}

static void set_up(void)
{
	top = g_dir_make_tmp("iogap-appliance-XXXXXX", NULL);
	g_assert_nonnull(top);
}

static void tear_down(void)
{
	const char *const argv[] = {"rm", "-rf", top, NULL};

	run_tool(argv);
	g_clear_pointer(&top, g_free);
}

static void write_file(const char *path, const void *data, gsize size)
{
	g_autofree char *folder = g_path_get_dirname(path);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_file_set_contents(path, data, size, &error);
	g_assert_no_error(error);
}

static GBytes *read_file(const char *path)
{
	g_autoptr(GError) error = NULL;
	char *data;
	gsize size;

	g_file_get_contents(path, &data, &size, &error);
	g_assert_no_error(error);
	return g_bytes_new_take(data, size);
}

/* A static program's head: all that the appliance looks at. */
static char *make_agent(const char *name, guint32 kind, guint16 machine)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr part;
	} file = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
			.e_machine = machine,
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1},
		.part = {.p_type = kind, .p_filesz = sizeof(file)},
	};
	char *path = below(name);

	write_file(path, &file, sizeof(file));
	return path;
}

/* ---- kernels of our own making
 * ------------------------------------------------------------------- */

/* An ELF file with a PVH note, or with a note of another kind, and with bytes that do not compress
 * to nothing. */
static GBytes *make_vmlinux(guint32 note_type)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr part;
		Elf64_Nhdr note;
		char name[4];
		guint32 entry;
		guint32 filler[4096];
	} *file = g_malloc0(sizeof(*file));

	file->head = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1};
	file->part = (Elf64_Phdr){.p_type = PT_NOTE,
		.p_offset = (guint8 *)&file->note - (guint8 *)file,
		.p_filesz = sizeof(Elf64_Nhdr) + 8};
	file->note = (Elf64_Nhdr){.n_namesz = 4, .n_descsz = 4, .n_type = note_type};
	memcpy(file->name, "Xen", 4);
	for (guint i = 0; i < G_N_ELEMENTS(file->filler); i++)
		file->filler[i] = i * 2654435761u;
	return g_bytes_new_take(file, sizeof(*file));
}

static void put_le(guint8 *at, guint64 value, guint bytes)
{
	for (guint i = 0; i < bytes; i++)
		at[i] = value >> (8 * i);
}

/* A bzImage of VERSION around PAYLOAD: 4 setup sectors, the payload 64 bytes after them. */
static GBytes *make_bzimage(const char *version, const guint8 *payload, gsize length)
{
	gsize size = 5 * 512 + 64 + length;
	guint8 *image = g_malloc0(size);

	image[0x1f1] = 4;
	put_le(image + 0x1fe, 0xaa55, 2);
	memcpy(image + 0x202, "HdrS", 4);
	put_le(image + 0x206, 0x20f, 2);
	put_le(image + 0x20e, 0x300, 2);
	put_le(image + 0x248, 64, 4);
	put_le(image + 0x24c, length, 4);
	g_snprintf((char *)image + 0x500, 256, "%s (builder@nowhere) #1 SMP", version);
	memcpy(image + 5 * 512 + 64, payload, length);
	return g_bytes_new_take(image, size);
}

static la_ssize_t collect(struct archive *archive, void *data, const void *buffer, size_t size)
{
	g_byte_array_append(data, buffer, size);
	return size;
}

static GByteArray *pack(GBytes *content, int filter)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	GByteArray *out = g_byte_array_new();
	gsize size;
	const void *data = g_bytes_get_data(content, &size);

	archive_write_set_format_raw(archive);
	g_assert_cmpint(archive_write_add_filter(archive, filter), ==, ARCHIVE_OK);
	archive_write_set_bytes_per_block(archive, 0);
	g_assert_cmpint(archive_write_open(archive, out, NULL, collect, NULL), ==, ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_pathname(entry, "x");
	g_assert_cmpint(archive_write_header(archive, entry), ==, ARCHIVE_OK);
	g_assert_cmpint(archive_write_data(archive, data, size), ==, (int)size);
	archive_entry_free(entry);
	archive_write_free(archive);
	return out;
}

/* The form that kernels use: magic, then blocks of compressed size and data; here one block of
 * literals only. */
static GByteArray *pack_lz4_legacy(GBytes *content)
{
	GByteArray *out = g_byte_array_new();
	gsize size, left;
	const void *data = g_bytes_get_data(content, &size);
	guint8 head[9] = {0x02, 0x21, 0x4c, 0x18, 0, 0, 0, 0, 0xf0};

	g_byte_array_append(out, head, sizeof(head));
	for (left = size - 15; left >= 255; left -= 255)
		g_byte_array_append(out, (const guint8 *)"\xff", 1);
	head[0] = left;
	g_byte_array_append(out, head, 1);
	g_byte_array_append(out, data, size);
	put_le(out->data + 4, out->len - 8, 4);
	return out;
}

/* Packs as the kernel's build does: gzip's own last 4 bytes are the size, all others get it
 * appended. */
static GBytes *make_kernel(const char *version, GBytes *vmlinux, int filter)
{
	g_autoptr(GByteArray) payload =
		filter == ARCHIVE_FILTER_LZ4 ? pack_lz4_legacy(vmlinux) : pack(vmlinux, filter);
	guint8 size[4];

	put_le(size, g_bytes_get_size(vmlinux), 4);
	if (filter != ARCHIVE_FILTER_GZIP)
		g_byte_array_append(payload, size, sizeof(size));
	return make_bzimage(version, payload->data, payload->len);
}

static void place_kernel(const char *where, const char *version)
{
	g_autofree char *path = below(where);
	g_autoptr(GBytes) vmlinux = make_vmlinux(18);
	g_autoptr(GBytes) image = make_kernel(version, vmlinux, ARCHIVE_FILTER_GZIP);

	write_file(path, g_bytes_get_data(image, NULL), g_bytes_get_size(image));
}

static void place_folder(const char *where)
{
	g_autofree char *path = below(where);

	g_assert_cmpint(g_mkdir_with_parents(path, 0755), ==, 0);
}

static Kernel *own_kernel(void)
{
	g_autoptr(GError) error = NULL;
	Kernel *kernel = kernel_find("/boot", "/lib/modules", &error);

	g_assert_no_error(error);
	return kernel;
}

/* ---- running
 * -------------------------------------------------------------------------------------- */

static void assert_like(const GError *error, IogapError code, const char *pattern)
{
	g_assert_error(error, IOGAP_ERROR, (int)code);
	if (!g_pattern_match_simple(pattern, error->message))
		g_error("\"%s\" does not look like \"%s\"", error->message, pattern);
}

/* Each test has a folder of its own and leaves none. */
static void in_folder(gconstpointer test)
{
	void (*run)(void) = (void (*)(void))test;

	set_up();
	run();
	tear_down();
}

typedef struct {
	const char *path;
	void (*run)(void);
} FolderTest;

static int folder_tests_run(const FolderTest *rows, guint n)
{
	for (guint i = 0; i < n; i++)
		g_test_add_data_func(rows[i].path, (gconstpointer)rows[i].run, in_folder);
	return g_test_run();
}

#endif
