/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/open-file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest-agent/disk.h"

/* Flags of descriptor NAME of the process if it is what STORAGE has open, else -1. */
static int flags_of(pid_t pid, const char *name, const Storage *storage)
{
	char path[64], text[512];
	const char *at;
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", (int)pid, name);
	if (stat(path, &other) < 0 || fstat(storage->fd, &own) < 0)
		return -1;
	if (S_ISBLK(own.st_mode) ? other.st_rdev != own.st_rdev || !S_ISBLK(other.st_mode) :
				   other.st_dev != own.st_dev || other.st_ino != own.st_ino)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", (int)pid, name);
	if (disk_read_text(path, text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, "flags:");
	return at ? (int)strtoul(at + strlen("flags:"), NULL, 8) : -1;
}

int open_file_flags(pid_t pid, const Storage *storage, int wanted)
{
	char path[64];
	DIR *dir;
	int flags = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	for (struct dirent *entry; (entry = readdir(dir));) {
		int found = entry->d_name[0] == '.' ? -1 : flags_of(pid, entry->d_name, storage);

		if (found >= 0 && (flags < 0 || (found & wanted) == wanted))
			flags = found;
	}
	closedir(dir);
	return flags;
}

const char *open_file_sync(int flags)
{
	return (flags & O_SYNC) == O_SYNC ? "sync" : flags & O_DSYNC ? "dsync" : "none";
}
