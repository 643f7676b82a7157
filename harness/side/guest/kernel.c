/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/kernel.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/guest/unpack.h"

/* Offsets in the setup header of a bzImage. */
enum {
	SETUP_SECTORS = 0x1f1,
	BOOT_FLAG = 0x1fe,
	MAGIC = 0x202,
	PROTOCOL = 0x206,
	VERSION_POINTER = 0x20e, /* relative to 0x200 */
	PAYLOAD_OFFSET = 0x248,  /* relative to the end of the setup sectors */
	PAYLOAD_LENGTH = 0x24c,
	HEADER_END = 0x250,
};
#define PROTOCOL_WITH_PAYLOAD 0x208
#define SETUP_MOST                                                                                 \
	65536 /* the version text lies inside the setup sectors, 64 of 512 bytes at most */
#define VMLINUX_MOST (1u << 30)
#define XEN_ELFNOTE_PHYS32_ENTRY 18

void kernel_free(Kernel *kernel)
{
	if (!kernel)
		return;
	g_free(kernel->file);
	g_free(kernel->version);
	g_free(kernel);
}

static guint32 le(const guint8 *p, guint bytes)
{
	guint32 value = 0;

	while (bytes--)
		value = value << 8 | p[bytes];
	return value;
}

static gboolean is_bzimage(const guint8 *data, gsize size)
{
	return size >= HEADER_END && le(data + BOOT_FLAG, 2) == 0xaa55 &&
	       !memcmp(data + MAGIC, "HdrS", 4);
}

/* ---- opening ------------------------------------------------------------------------------ */

static gboolean unreadable(const char *file, int errnum, GError **error)
{
	if (errnum == EACCES || errnum == EPERM)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the kernel %s cannot be read by this user: %s; run as root: chmod a+r %s, "
			"or name a readable "
			"copy with kernel:",
			file, g_strerror(errnum), file);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"cannot read the kernel %s: %s; name another with kernel:", file,
			g_strerror(errnum));
	return FALSE;
}

/* The first SETUP_MOST bytes, or less. */
static gboolean read_head(const char *file, guint8 *head, gsize *ret_size, GError **error)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	gsize done = 0;
	gssize n = 0;

	if (fd < 0)
		return unreadable(file, errno, error);
	while (done < SETUP_MOST && (n = pread(fd, head + done, SETUP_MOST - done, done)) > 0)
		done += n;
	if (n < 0) {
		int errnum = errno;

		close(fd);
		return unreadable(file, errnum, error);
	}
	close(fd);
	*ret_size = done;
	return TRUE;
}

/* "6.1.0-57-amd64" of "6.1.0-57-amd64 (debian-kernel@...) #1 SMP ...", or NULL. */
static char *version_of(const guint8 *head, gsize size)
{
	gsize at, end;

	if (!is_bzimage(head, size) || le(head + PROTOCOL, 2) < PROTOCOL_WITH_PAYLOAD)
		return NULL;
	at = end = 0x200 + le(head + VERSION_POINTER, 2);
	while (end < size && g_ascii_isgraph(head[end]))
		end++;
	/* The text names a folder later. */
	if (at == 0x200 || end == at || end == size || memchr(head + at, '/', end - at) ||
		head[at] == '.')
		return NULL;
	return g_strndup((const char *)head + at, end - at);
}

Kernel *kernel_open(const char *file, GError **error)
{
	g_autofree guint8 *head = g_malloc(SETUP_MOST);
	g_autofree char *version = NULL;
	Kernel *kernel;
	gsize size = 0;

	if (!read_head(file, head, &size, error))
		return NULL;
	version = version_of(head, size);
	if (!version) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is not an x86 kernel image (bzImage); name a vmlinuz file with kernel:",
			file);
		return NULL;
	}
	kernel = g_new0(Kernel, 1);
	kernel->file = g_canonicalize_filename(file, NULL);
	kernel->version = g_steal_pointer(&version);
	return kernel;
}

/* ---- finding ------------------------------------------------------------------------------ */

typedef struct {
	const char *modules_dir;
	Kernel *best;
	GString *against; /* "; FILE: reason" of each that cannot be used */
	guint looked_at;
} Search;

static void consider(Search *search, const char *file)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Kernel) kernel = NULL;
	g_autofree char *folder = NULL;

	search->looked_at++;
	kernel = kernel_open(file, &error);
	if (!kernel) {
		g_string_append_printf(search->against, "; %s", error->message);
		return;
	}
	folder = g_build_filename(search->modules_dir, kernel->version, NULL);
	if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
		g_string_append_printf(
			search->against, "; %s: its modules folder %s is missing", file, folder);
		return;
	}
	if (!search->best || strverscmp(kernel->version, search->best->version) > 0) {
		kernel_free(search->best);
		search->best = g_steal_pointer(&kernel);
	}
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, so that of two images of one version it is always the same one. A folder that is not
 * there has no names. */
static GPtrArray *names_in(const char *folder)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(name));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	return names;
}

Kernel *kernel_find(const char *boot_dir, const char *modules_dir, GError **error)
{
	g_autoptr(GPtrArray) images = names_in(boot_dir);
	g_autoptr(GPtrArray) versions = names_in(modules_dir);
	g_autoptr(GString) against = g_string_new(NULL);
	Search search = {.modules_dir = modules_dir, .against = against};

	for (guint i = 0; i < images->len; i++) {
		g_autofree char *file = g_build_filename(boot_dir, images->pdata[i], NULL);

		if (g_str_has_prefix(images->pdata[i], "vmlinuz-"))
			consider(&search, file);
	}
	for (guint i = 0; i < versions->len; i++) {
		g_autofree char *file =
			g_build_filename(modules_dir, versions->pdata[i], "vmlinuz", NULL);

		if (g_file_test(file, G_FILE_TEST_EXISTS))
			consider(&search, file);
	}
	if (search.best)
		return search.best;
	if (search.looked_at)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"no usable kernel for the guest%s", against->str);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"no kernel for the guest: neither %s/vmlinuz-* nor %s/*/vmlinuz is there; "
			"install one (Debian: "
			"apt-get install linux-image-amd64) or name one with kernel:",
			boot_dir, modules_dir);
	return NULL;
}

/* ---- unpacking ---------------------------------------------------------------------------- */

static gboolean is_elf64(const guint8 *data, gsize size)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)data;

	return size >= sizeof(*head) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
	       head->e_machine == EM_X86_64;
}

static gsize padded(guint32 size)
{
	return ((gsize)size + 3) & ~(gsize)3;
}

static gboolean notes_have_pvh(const guint8 *data, gsize size)
{
	Elf64_Nhdr note;

	for (gsize at = 0; size - at >= sizeof(note);) {
		gsize whole;

		memcpy(&note, data + at, sizeof(note));
		whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (whole > size - at)
			return FALSE;
		if (note.n_type == XEN_ELFNOTE_PHYS32_ENTRY && note.n_namesz == 4 &&
			note.n_descsz >= 4 && !memcmp(data + at + sizeof(note), "Xen", 4))
			return TRUE;
		at += whole;
	}
	return FALSE;
}

gboolean kernel_has_pvh(const void *data, gsize size)
{
	const guint8 *bytes = data;
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (!is_elf64(bytes, size))
		return FALSE;
	memcpy(&head, bytes, sizeof(head));
	if (head.e_phentsize != sizeof(part))
		return FALSE;
	for (gsize i = 0; i < head.e_phnum; i++) {
		if (head.e_phoff > size || (i + 1) * sizeof(part) > size - head.e_phoff)
			return FALSE;
		memcpy(&part, bytes + head.e_phoff + i * sizeof(part), sizeof(part));
		if (part.p_offset > size || part.p_filesz > size - part.p_offset)
			return FALSE; /* cut short */
		if (part.p_type == PT_NOTE && notes_have_pvh(bytes + part.p_offset, part.p_filesz))
			return TRUE;
	}
	return FALSE;
}

static GBytes *cannot(GError **error, const char *name, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "%s is booted as it is: %s", name,
		why);
	return NULL;
}

/* The payload ends with its unpacked size in 4 bytes: put there by the kernel's build, but for
 * gzip, whose own format ends so. The other unpackers would take them for the start of a second
 * stream. */
static GBytes *unpack_payload(const guint8 *payload, gsize length, const char *name, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autoptr(GBytes) bytes = NULL;
	gboolean gzip = length > 8 && payload[0] == 0x1f && payload[1] == 0x8b;

	if (length <= 8)
		return cannot(error, name, "its payload is empty");
	bytes = unpack_stream(
		payload, gzip ? length : length - 4, VMLINUX_MOST, "its payload", &cause);
	if (!bytes)
		return cannot(error, name, cause->message);
	if (g_bytes_get_size(bytes) != le(payload + length - 4, 4))
		return cannot(error, name, "its payload has another size than it says");
	return g_steal_pointer(&bytes);
}

GBytes *kernel_unpack(const void *image, gsize size, const char *name, GError **error)
{
	const guint8 *data = image;
	g_autoptr(GBytes) bytes = NULL;
	gsize start, length, inner_size;
	const void *inner;

	if (!is_bzimage(data, size) || le(data + PROTOCOL, 2) < PROTOCOL_WITH_PAYLOAD)
		return cannot(error, name, "it is no bzImage with a payload");
	start = ((data[SETUP_SECTORS] ? data[SETUP_SECTORS] : 4) + 1) * 512 +
		(gsize)le(data + PAYLOAD_OFFSET, 4);
	length = le(data + PAYLOAD_LENGTH, 4);
	if (start > size || length > size - start) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the kernel %s is damaged: it is shorter than its header says; install it "
			"anew",
			name);
		return NULL;
	}
	bytes = unpack_payload(data + start, length, name, error);
	if (!bytes)
		return NULL;
	inner = g_bytes_get_data(bytes, &inner_size);
	if (!kernel_has_pvh(inner, inner_size))
		return cannot(error, name, "the kernel inside has no PVH entry note (CONFIG_PVH)");
	return g_steal_pointer(&bytes);
}
