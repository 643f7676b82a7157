/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/open-file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest-agent/disk.h"

static int read_flags(pid_t pid, const char *name)
{
	char path[64], text[512];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", (int)pid, name);
	if (disk_read_text(path, text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, "flags:");
	return at ? (int)strtoul(at + strlen("flags:"), NULL, 8) : -1;
}

/* Is descriptor NAME of the process what WHAT, a Storage, has open? */
static bool is_storage(pid_t pid, const char *name, const void *what)
{
	const Storage *storage = what;
	char path[64];
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", (int)pid, name);
	if (stat(path, &other) < 0 || fstat(storage->fd, &own) < 0)
		return false;
	return S_ISBLK(own.st_mode) ? S_ISBLK(other.st_mode) && other.st_rdev == own.st_rdev :
				      other.st_dev == own.st_dev && other.st_ino == own.st_ino;
}

/* Is it a regular file below WHAT, the path of a folder? */
static bool is_below(pid_t pid, const char *name, const void *what)
{
	const char *folder = what;
	char path[64], target[PATH_MAX];
	size_t length = strlen(folder);
	struct stat facts;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", (int)pid, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= (ssize_t)length || stat(path, &facts) < 0 || !S_ISREG(facts.st_mode))
		return false;
	target[n] = 0;
	return strncmp(target, folder, length) == 0 && target[length] == '/';
}

/* Flags of a descriptor that IS finds to be WHAT, if possible one that has all of WANTED; -1 = there is none. */
static int find(pid_t pid, bool (*is)(pid_t pid, const char *name, const void *what), const void *what, int wanted)
{
	char path[64];
	DIR *dir;
	int flags = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	for (struct dirent *entry; (entry = readdir(dir));) {
		int found = entry->d_name[0] != '.' && is(pid, entry->d_name, what) ? read_flags(pid, entry->d_name) : -1;

		if (found >= 0 && (flags < 0 || (found & wanted) == wanted))
			flags = found;
	}
	closedir(dir);
	return flags;
}

int open_file_flags(pid_t pid, const Storage *storage, int wanted)
{
	return find(pid, is_storage, storage, wanted);
}

int open_file_flags_below(pid_t pid, const char *folder)
{
	return find(pid, is_below, folder, 0);
}

const char *open_file_sync(int flags)
{
	return (flags & O_SYNC) == O_SYNC ? "sync" : flags & O_DSYNC ? "dsync" : "none";
}
