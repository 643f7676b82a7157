/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/image-judge.h"

#include <string.h>

#include "harness/base/error.h"

#define DRIVERS 3

static gboolean no(GError **error, const char *image, const char *format, ...) G_GNUC_PRINTF(3, 4);

static gboolean no(GError **error, const char *image, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list args;

	va_start(args, format);
	why = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s: %s", image, why);
	return FALSE;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* ---- the system ---------------- */

/* A device that holds an encrypted container, or NULL. */
static const char *encrypted_device(const json_t *facts)
{
	const char *device;
	json_t *type;

	json_object_foreach(json_object_get(facts, "filesystems"), device, type)
		if (!g_ascii_strncasecmp(json_string_value(type), "crypto_LUKS", 11) ||
			!g_ascii_strcasecmp(json_string_value(type), "BitLocker"))
			return device;
	return NULL;
}

static char *filesystem_list(const json_t *facts)
{
	GString *list = g_string_new(NULL);
	const char *device;
	json_t *type;

	json_object_foreach(json_object_get(facts, "filesystems"), device, type)
		g_string_append_printf(list, "%s%s on %s", list->len ? ", " : "", json_string_value(type), device);
	if (!list->len)
		g_string_append(list, "nothing that is a file system");
	return g_string_free(list, FALSE);
}

static const json_t *the_system(const char *image, const json_t *facts, GError **error)
{
	const json_t *systems = json_object_get(facts, "systems");
	const char *locked = encrypted_device(facts);
	g_autofree char *list = filesystem_list(facts);

	if (json_array_size(systems) == 1)
		return json_array_get(systems, 0);
	if (json_array_size(systems) > 1)
		no(error, image, "it holds %zu operating systems, and which one to boot is not for iogap to say; use an image of one",
			json_array_size(systems));
	else if (locked)
		no(error, image, "%s is encrypted, and iogap asks for no passphrase; use an image that is not", locked);
	else
		no(error, image, "no operating system was found in it; it holds %s", list);
	return NULL;
}

/* The product's name has the distribution's in it ("Debian GNU/Linux 12"), or is its version only ("12.5"). New text. */
static char *system_name(const json_t *os)
{
	const char *distro = text_of(os, "distro"), *product = text_of(os, "product");
	g_autofree char *low = g_ascii_strdown(product ? product : "", -1);

	if (!distro || (product && strstr(low, distro)))
		return g_strdup(product ? product : "the system");
	return product ? g_strdup_printf("%s %s", distro, product) : g_strdup(distro);
}

static gboolean check_system(const char *image, const json_t *os, guint64 needed, GError **error)
{
	const char *type = text_of(os, "type"), *arch = text_of(os, "arch"), *selinux = text_of(os, "selinux");
	g_autofree char *product = system_name(os);
	gint64 left = json_integer_value(json_object_get(os, "free"));

	if (g_strcmp0(type, "linux"))
		return no(error, image, "%s is no Linux distribution (%s)", product, type ? type : "unknown type");
	if (g_strcmp0(arch, "x86_64"))
		return no(error, image, "%s is built for %s; the agent and the guests are x86_64", product,
			arch ? arch : "an architecture that could not be told");
	if (!text_of(os, "init"))
		return no(error, image,
			"%s is started by a program that is neither systemd, OpenRC nor sysvinit; iogap has no start-up unit for it", product);
	if (!g_strcmp0(selinux, "enforcing"))
		return no(error, image,
			"%s enforces SELinux, under which an agent without its labels does not start; set SELINUX=permissive in "
			"/etc/selinux/config of a copy",
			product);
	if (left >= 0 && (guint64)left < needed)
		return no(error, image, "its root file system has %" G_GINT64_FORMAT " KiB left, and %" G_GUINT64_FORMAT
			" KiB are needed; make room in a copy, or make it larger",
			left >> 10, (needed + 1023) >> 10);
	return TRUE;
}

/* ---- the kernel ---------------- */

/* Why KERNEL cannot be the guest's, or NULL. */
static char *kernel_trouble(const json_t *kernel)
{
	static const char *const drivers[DRIVERS][2] = {
		{"virtio_pci", "virtio devices"},
		{"virtio_console", "the agent's channel"},
		{"virtio_blk", "the boot disk"},
	};
	const json_t *known = json_object_get(kernel, "drivers");
	gboolean modules = json_is_true(json_object_get(kernel, "modules"));

	for (guint i = 0; i < DRIVERS; i++) {
		const char *how = text_of(known, drivers[i][0]);

		if (!how)
			return g_strdup_printf("%s for %s is neither built in nor %s", drivers[i][0], drivers[i][1],
				modules ? "among its modules" : "a module: it has no folder of modules");
	}
	if (!text_of(kernel, "initrd") && g_str_equal(text_of(known, "virtio_blk"), "module"))
		return g_strdup("it has no initrd, and virtio_blk is a module: it would not find its root");
	return NULL;
}

static const json_t *the_kernel(const char *image, const json_t *os, GError **error)
{
	const json_t *kernels = json_object_get(os, "kernels");
	g_autoptr(GString) reasons = g_string_new(NULL);

	for (gsize i = 0; i < json_array_size(kernels); i++) {
		const json_t *kernel = json_array_get(kernels, i);
		g_autofree char *trouble = kernel_trouble(kernel);

		if (!trouble)
			return kernel;
		g_string_append_printf(reasons, "%s%s: %s", reasons->len ? "; " : "", text_of(kernel, "file"), trouble);
	}
	no(error, image, "it has no usable kernel (%s); install the distribution's kernel package in it",
		reasons->len ? reasons->str : "there is none in /boot nor in /lib/modules");
	return NULL;
}

gboolean image_judge(const char *image, const json_t *facts, guint64 needed, ImageChoice *ret_choice, GError **error)
{
	const json_t *os = the_system(image, facts, error);
	const json_t *kernel;

	if (!os || !check_system(image, os, needed, error))
		return FALSE;
	kernel = the_kernel(image, os, error);
	if (!kernel)
		return FALSE;
	*ret_choice = (ImageChoice){os, kernel};
	return TRUE;
}

/* ---- the command line ---------------- */

static gboolean is_kernel_word(const char *word)
{
	static const char *const words[] = {"linux", "linux16", "linuxefi", "kernel", NULL};

	for (guint i = 0; words[i]; i++)
		if (!g_ascii_strcasecmp(word, words[i]))
			return TRUE;
	return FALSE;
}

static gboolean same_file(const char *path, const char *kernel)
{
	const char *a = strrchr(path, '/'), *b = strrchr(kernel, '/');

	return g_str_equal(a ? a + 1 : path, b ? b + 1 : kernel);
}

/* The words of TEXT without what names the kernel and its initrd; NULL when a boot loader's variable is among them. */
static char *clean(char **words)
{
	g_autoptr(GString) line = g_string_new(NULL);

	for (guint i = 0; words[i]; i++) {
		if (strchr(words[i], '$'))
			return NULL;
		if (*words[i] && !g_str_has_prefix(words[i], "initrd=") && !g_str_has_prefix(words[i], "BOOT_IMAGE="))
			g_string_append_printf(line, "%s%s", line->len ? " " : "", words[i]);
	}
	return g_string_free(g_steal_pointer(&line), FALSE);
}

char *image_cmdline_parse(const char *text, const char *kernel)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	gboolean ours = FALSE; /* this entry's kernel is the one asked for */
	g_autofree char *early = NULL; /* options that stood before the kernel's line, as the specification allows */

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit_set(g_strstrip(lines[i]), " \t", -1);
		guint second = 1;

		if (!words[0] || !*words[0] || *words[0] == '#')
			continue;
		while (words[second] && !*words[second])
			second++;
		if (!g_ascii_strcasecmp(words[0], "append") || !g_ascii_strcasecmp(words[0], "options")) {
			g_free(early);
			early = words[second] ? clean(words + second) : g_strdup("");
			if (ours)
				return g_steal_pointer(&early);
		} else if (!g_ascii_strcasecmp(words[0], "label") || !g_ascii_strcasecmp(words[0], "menuentry")) {
			ours = FALSE;
			g_clear_pointer(&early, g_free);
		} else if (is_kernel_word(words[0]) && words[second]) {
			ours = same_file(words[second], kernel);
			if (ours && words[second + 1])
				return clean(words + second + 1);
			if (ours && early)
				return g_steal_pointer(&early);
		}
	}
	return NULL;
}

/* Names of disks depend on the bus that they are attached to; only the data disk's bus may change here. */
static gboolean is_disk_name(const char *root)
{
	static const char *const disks[] = {"/dev/sd", "/dev/vd", "/dev/hd", "/dev/xvd", "/dev/nvme", NULL};

	for (guint i = 0; disks[i]; i++)
		if (g_str_has_prefix(root, disks[i]))
			return TRUE;
	return FALSE;
}

static char *with_uuid(const char *line, const char *uuid)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	g_autoptr(GString) out = g_string_new(NULL);
	gboolean rooted = FALSE;

	for (guint i = 0; words[i]; i++) {
		gboolean root = g_str_has_prefix(words[i], "root=");

		rooted = rooted || root;
		if (!*words[i])
			continue;
		g_string_append(out, out->len ? " " : "");
		if (root && uuid && is_disk_name(words[i] + strlen("root=")))
			g_string_append_printf(out, "root=UUID=%s", uuid);
		else
			g_string_append(out, words[i]);
	}
	if (!rooted && uuid) {
		g_autofree char *root = g_strdup_printf("root=UUID=%s ", uuid);

		g_string_prepend(out, root);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

char *image_cmdline(const ImageChoice *choice, const char **ret_from)
{
	const char *file, *kernel = text_of(choice->kernel, "file");
	json_t *text;

	*ret_from = NULL;
	json_object_foreach(json_object_get(choice->os, "boot"), file, text) {
		g_autofree char *line = image_cmdline_parse(json_string_value(text), kernel);

		if (line) {
			*ret_from = file;
			return with_uuid(line, text_of(choice->os, "uuid"));
		}
	}
	return with_uuid("ro", text_of(choice->os, "uuid"));
}
