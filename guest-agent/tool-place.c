/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/tool-place.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest-agent/common/bonnie.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/engine/child.h"
#include "guest-agent/outside.h"

#define MKFS "mkfs.ext4"
#define MKFS_NS UINT64_C(300000000000)
#define NAME "iogap-bonnie-XXXXXX"
#define OPEN_FILES 16 /* while a tree is removed */

static bool devices_allowed;

void tool_place_allow_devices(void)
{
	devices_allowed = true;
}

/* Of OutsideOps; DATA is the moment by which it must be over. */
static uint64_t time_left(void *data)
{
	const uint64_t *deadline = data;
	uint64_t now = clock_now();

	return now < *deadline ? *deadline - now : 0;
}

static int run_mkfs(char *const *argv, RunContext *context, Fault *fault)
{
	static const OutsideOps ops = {MKFS, "tool", "", time_left};
	uint64_t deadline = clock_now() + MKFS_NS;
	Child child;
	int r = child_start(&child, argv, NULL, fault);
	const char *said;

	if (r < 0)
		return r;
	r = outside_watch(&ops, &child, context, &deadline, fault);
	said = child.err.text ? child.err.text : "";
	if (r > 0)
		r = fault_set(fault, EIO, "tool", "%s failed with status %d: %.*s", MKFS, r, (int)strcspn(said, "\n"), said);
	child_release(&child);
	return r;
}

/*
 * Nothing is discarded, and nothing is zeroed, at mkfs or by the kernel after the mount: a disk in a file does both by holes, and the
 * legs that follow read the image.
 */
static int make_filesystem(const char *device, RunContext *context, Fault *fault)
{
	char program[PATH_MAX], inodes[32];

	snprintf(inodes, sizeof(inodes), "%d", 2 * BONNIE_FILES * 1024);
	if (!child_find(MKFS, program, sizeof(program)))
		return fault_set(fault, ENOENT, "tool", "there is no %s in PATH to make the file system that bonnie++ needs; install "
			"e2fsprogs", MKFS);
	return run_mkfs((char *[]){program, (char *)"-q", (char *)"-F", (char *)"-m", (char *)"0", (char *)"-N", inodes, (char *)"-E",
		(char *)"nodiscard,lazy_itable_init=1,lazy_journal_init=1", (char *)device, NULL}, context, fault);
}

static int make_folder(const char *parent, ToolPlace *ret, Fault *fault)
{
	if (snprintf(ret->path, sizeof(ret->path), "%s/" NAME, parent) >= (int)sizeof(ret->path)) {
		ret->path[0] = 0;
		return fault_set(fault, ENAMETOOLONG, "path", "%.200s is too long a path for a folder in it", parent);
	}
	if (!mkdtemp(ret->path)) {
		ret->path[0] = 0;
		return fault_set(fault, errno, "path", "no folder for bonnie++ can be made in %.200s: %s", parent, strerror(errno));
	}
	return 0;
}

static int open_beside(const char *file, ToolPlace *ret, Fault *fault)
{
	const char *slash = strrchr(file, '/');
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
	return make_folder(parent, ret, fault);
}

static int open_on_device(const char *device, RunContext *context, ToolPlace *ret, Fault *fault)
{
	struct stat facts;
	int r;

	if (!devices_allowed)
		return fault_set(fault, EINVAL, "path", "%.200s is a device, and bonnie++ needs a folder: on a host no file system is made; "
			"use a file in a file system", device);
	r = make_filesystem(device, context, fault);
	if (r == 0)
		r = make_folder(stat("/tmp", &facts) == 0 && S_ISDIR(facts.st_mode) ? "/tmp" : "", ret, fault);
	if (r < 0)
		return r;
	if (mount(device, ret->path, "ext4", 0, "noinit_itable") == 0) {
		ret->mounted = true;
		return 0;
	}
	r = fault_set(fault, errno, "path", "%.200s cannot be mounted: %s", device,
		errno == ENODEV ? "the kernel has no ext4" : strerror(errno));
	tool_place_close(ret);
	return r;
}

int tool_place_open(const Job *job, const Storage *storage, RunContext *context, ToolPlace *ret, Fault *fault)
{
	memset(ret, 0, sizeof(*ret));
	return storage->facts.block ? open_on_device(job->path, context, ret, fault) : open_beside(job->path, ret, fault);
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *place)
{
	(void)facts;
	(void)type;
	(void)place;
	return remove(path);
}

void tool_place_close(ToolPlace *place)
{
	if (!place->path[0])
		return;
	/* Seekers that a killed bonnie++ left may hold it for a moment longer. */
	if (place->mounted && umount2(place->path, 0) < 0 && umount2(place->path, MNT_DETACH) < 0)
		fprintf(stderr, "iogap-agent: %s cannot be unmounted: %s\n", place->path, strerror(errno));
	if (nftw(place->path, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) < 0)
		fprintf(stderr, "iogap-agent: %s cannot be removed: %s\n", place->path, strerror(errno));
	memset(place, 0, sizeof(*place));
}
