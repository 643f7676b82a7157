/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/programs.h"

#include <elf.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"

#define LIST_S 60

static gboolean bad(GError **error, const char *file, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s cannot be put into the guest: %s", file, why);
	return FALSE;
}

const char *programs_inspect(const void *data, gsize size, char **ret_loader)
{
	const char *bytes = data;
	Elf64_Ehdr head;
	Elf64_Phdr part;

	*ret_loader = NULL;
	if (size < sizeof(head) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return "it is no ELF program";
	memcpy(&head, bytes, sizeof(head));
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
		return "it is no program for 64-bit x86";
	if (head.e_phoff > size || head.e_phentsize != sizeof(part) ||
		(gsize)head.e_phnum * sizeof(part) > size - head.e_phoff)
		return "it is cut short";
	for (gsize i = 0; i < head.e_phnum; i++) {
		memcpy(&part, bytes + head.e_phoff + i * sizeof(part), sizeof(part));
		if (part.p_type != PT_LOAD && part.p_type != PT_INTERP)
			continue;
		if (part.p_offset > size || part.p_filesz > size - part.p_offset) {
			g_clear_pointer(ret_loader, g_free);
			return "it is cut short";
		}
		if (part.p_type == PT_INTERP && !*ret_loader)
			*ret_loader = g_strndup(bytes + part.p_offset, part.p_filesz);
	}
	return NULL;
}

static void add(GPtrArray *paths, const char *path)
{
	for (guint i = 0; i < paths->len; i++)
		if (g_str_equal(g_ptr_array_index(paths, i), path))
			return;
	g_ptr_array_add(paths, g_strdup(path));
}

/*
 * One line of `LOADER --list`: "libm.so.6 => /lib/libm.so.6 (0x...)", "/lib/loader.so (0x...)", "linux-vdso.so.1 (0x...)" (the
 * kernel's own), or "libx.so => not found".
 */
static gboolean add_library(const char *file, const char *line, GPtrArray *paths, GError **error)
{
	const char *arrow = strstr(line, " => ");
	g_autofree char *path = NULL;
	const char *address;

	while (g_ascii_isspace(*line))
		line++;
	if (arrow && g_str_has_prefix(arrow + 4, "not found")) {
		g_autofree char *why = g_strdup_printf("its library %.*s is not found; install it again", (int)(arrow - line), line);

		return bad(error, file, why);
	}
	if (arrow)
		line = arrow + 4;
	address = strstr(line, " (0x");
	path = address ? g_strndup(line, address - line) : g_strdup(line);
	if (g_path_is_absolute(path))
		add(paths, path);
	return TRUE;
}

static gboolean add_libraries(const char *file, const char *loader, GPtrArray *paths, GError **error)
{
	const char *argv[] = {loader, "--list", file, NULL};
	g_autofree char *out = NULL;
	g_auto(GStrv) lines = NULL;

	if (!subprocess_run(argv, LIST_S, &out, NULL, NULL, error)) {
		g_prefix_error(error, "the libraries of %s are not known: ", file);
		return FALSE;
	}
	lines = g_strsplit(out, "\n", -1);
	for (char **line = lines; *line; line++)
		if (!add_library(file, *line, paths, error))
			return FALSE;
	add(paths, loader);
	return TRUE;
}

static int compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Also where an ordinary user's PATH does not look: bonnie++ and mkfs lie among the programs for root. */
static char *find_program(const char *program)
{
	static const char *const folders[] = {"/usr/local/sbin", "/usr/sbin", "/sbin"};
	char *file = g_find_program_in_path(program);

	for (guint i = 0; !file && i < G_N_ELEMENTS(folders); i++) {
		file = g_build_filename(folders[i], program, NULL);
		if (!g_file_test(file, G_FILE_TEST_IS_EXECUTABLE))
			g_clear_pointer(&file, g_free);
	}
	return file;
}

static gboolean resolve_one(const char *program, GPtrArray *paths, GError **error)
{
	g_autofree char *file = find_program(program);
	g_autoptr(GError) cause = NULL;
	g_autofree char *data = NULL;
	g_autofree char *loader = NULL;
	const char *why;
	gsize size;

	if (!file || !g_path_is_absolute(file)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is needed in the guest, but it is not in PATH; install the package %s", program,
			g_str_has_prefix(program, "mkfs.") ? "e2fsprogs" : program);
		return FALSE;
	}
	if (!g_file_get_contents(file, &data, &size, &cause))
		return bad(error, file, cause->message);
	why = programs_inspect(data, size, &loader);
	if (why)
		return bad(error, file, why);
	add(paths, file);
	return !loader || add_libraries(file, loader, paths, error);
}

GPtrArray *programs_resolve(const char *programs, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) names = g_strsplit(programs, " ", -1);

	for (char **name = names; *name; name++)
		if (!resolve_one(*name, paths, error))
			return NULL;
	g_ptr_array_sort(paths, compare);
	return g_steal_pointer(&paths);
}
