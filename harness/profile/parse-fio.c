/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `engine: {fio: FILE}`: job files of the user's, each read once. */
#include "harness/profile/parser.h"

static const ProfileFioFile *find_by_path(const Profile *profile, const char *path)
{
	for (guint i = 0; i < profile->fio_files->len; i++) {
		const ProfileFioFile *file = profile->fio_files->pdata[i];

		if (g_str_equal(file->path, path))
			return file;
	}
	return NULL;
}

const ProfileFioFile *profile_fio_file(const Profile *profile, const char *engine)
{
	for (guint i = 0; profile->fio_files && i < profile->fio_files->len; i++) {
		const ProfileFioFile *file = profile->fio_files->pdata[i];

		if (g_str_equal(file->name, engine))
			return file;
	}
	return NULL;
}

static char *locate(const Profile *profile, const char *file)
{
	g_autofree char *folder = g_path_get_dirname(profile->file);

	/* "<stdin>" lies in the working folder, too. */
	return g_path_is_absolute(file) ? g_strdup(file) : g_build_filename(folder, file, NULL);
}

/* Kept with the text of the profile, so that a changed job file makes another profile for --resume. */
static void note(Profile *profile, const ProfileFioFile *file)
{
	g_autofree char *before = profile->text;

	profile->text = g_strdup_printf("%s%s# fio job file %s: SHA-256 %s\n", before,
		g_str_has_suffix(before, "\n") || !*before ? "" : "\n", file->name, file->sha256);
}

char *parse_fio_file(Parser *parser, const TreeNode *map)
{
	const TreeNode *key = map->keys->len == 1 ? g_ptr_array_index(map->keys, 0) : NULL;
	const TreeNode *value = key ? g_ptr_array_index(map->values, 0) : NULL;
	g_autoptr(GError) cause = NULL;
	g_autofree char *path = NULL;
	const ProfileFioFile *file;
	ProfileFioFile *read;

	if (!key || !g_str_equal(key->text, "fio") || value->kind != TREE_TEXT || tree_is_null(value)) {
		parse_fail(parser, map->place, "a mapping as an engine is {fio: FILE}, a job file of fio's");
		return NULL;
	}
	path = locate(parser->profile, value->text);
	file = find_by_path(parser->profile, path);
	if (file)
		return g_strdup(file->name);
	read = fio_file_read(path, &cause);
	if (!read) {
		parse_fail(parser, value->place, "the job file cannot be used: %s", cause->message);
		return NULL;
	}
	if (profile_fio_file(parser->profile, read->name)) {
		parse_fail(parser, value->place, "%s is the same job file as another one of its name", value->text);
		fio_file_free(read);
		return NULL;
	}
	g_ptr_array_add(parser->profile->fio_files, read);
	note(parser->profile, read);
	return g_strdup(read->name);
}
