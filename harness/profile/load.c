/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where profiles come from: files, the shipped ones by name, standard input. */
#include "harness/profile/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/base/paths.h"

#define SUFFIX ".yaml"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The profiles in FOLDER, each as PREFIX and its name; those of its folders follow as FOLDER/NAME, one level deep. */
static void list_folder(const char *folder, const char *prefix, GPtrArray *names)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *below = g_strconcat(name, "/", NULL);

		if (!*prefix && g_file_test(path, G_FILE_TEST_IS_DIR))
			list_folder(path, below, names);
		else if (g_str_has_suffix(name, SUFFIX))
			g_ptr_array_add(names, g_strdup_printf("%s%.*s", prefix,
				(int)(strlen(name) - strlen(SUFFIX)), name));
	}
}

char **profile_shipped(void)
{
	g_autofree char *folder = paths_share("profiles");
	GPtrArray *names = g_ptr_array_new();

	list_folder(folder, "", names);
	g_ptr_array_sort(names, compare_names);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

static gboolean usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean usage(GError **error, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, what);
	return FALSE;
}

/* One byte more than is allowed is enough to know; /dev/zero has no end. */
static gboolean read_bounded(int fd, const char *file, GString *text, GError **error)
{
	char buf[16384];
	ssize_t got;

	while (text->len <= TREE_BYTES) {
		got = read(fd, buf, sizeof(buf));
		if (got == 0)
			return TRUE;
		if (got < 0 && errno != EINTR)
			return usage(error, "cannot read the profile %s: %s", file, g_strerror(errno));
		if (got > 0)
			g_string_append_len(text, buf, got);
	}
	return TRUE;
}

static gboolean read_file(const char *path, GString *text, GError **error)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	gboolean good;

	if (fd < 0)
		return usage(error, "cannot open the profile %s: %s", path, g_strerror(errno));
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return usage(error, "the profile %s is not a regular file; use - for standard input", path);
	}
	good = read_bounded(fd, path, text, error);
	close(fd);
	return good;
}

/* The path of the file or shipped profile that is meant. */
static char *locate(const char *file, GError **error)
{
	g_autofree char *shipped = NULL, *base = NULL, *list = NULL;
	g_auto(GStrv) names = NULL;
	const char *hint;

	if (*file == '/' || *file == '.' || g_str_has_suffix(file, SUFFIX) || g_str_has_suffix(file, ".yml"))
		return g_strdup(file);
	base = g_strconcat("profiles/", file, SUFFIX, NULL);
	shipped = paths_share(base);
	if (g_file_test(shipped, G_FILE_TEST_IS_REGULAR))
		return g_steal_pointer(&shipped);
	if (strchr(file, '/') || g_file_test(file, G_FILE_TEST_EXISTS))
		return g_strdup(file);
	names = profile_shipped();
	hint = nearest(file, (const char *const *)names);
	list = g_strjoinv(", ", names);
	if (hint)
		usage(error, "there is no profile \"%s\", shipped or as a file; did you mean \"%s\"?", file, hint);
	else
		usage(error, "there is no profile \"%s\"; shipped are %s, and a file is named by its path", file,
			*list ? list : "none");
	return NULL;
}

Profile *profile_load(const char *file, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *path = NULL;

	if (g_str_equal(file, "-"))
		return read_bounded(STDIN_FILENO, "standard input", text, error)
			? profile_parse("<stdin>", text->str, text->len, error)
			: NULL;
	path = locate(file, error);
	if (!path || !read_file(path, text, error))
		return NULL;
	return profile_parse(path, text->str, text->len, error);
}
