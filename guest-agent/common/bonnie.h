/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bonnie++ is given to do on a target: the same on both sides, so both programs take it from here.
 *
 * Who may include it: everybody.
 */
#ifndef IOGAP_COMMON_BONNIE_H
#define IOGAP_COMMON_BONNIE_H

#include <stdint.h>
#include <string.h>

#define BONNIE_LEAST_TARGET (UINT64_C(64) << 20) /* below, the file system's own data leave too little */
#define BONNIE_CHAR_BYTES (UINT64_C(2) << 20) /* of the tests by single bytes, each of which is a call of the kernel */
#define BONNIE_FILES 16 /* times 1024, of the tests of files */
#define BONNIE_LEAST_CHUNK 256
#define BONNIE_MOST_CHUNK (1u << 20)
#define BONNIE_S 1800 /* seconds that one run of all its tests may take: it knows no time, only a size */

#define BONNIE_BLOCKS "bonnie++"   /* engine: its tests by blocks, and those of files */
#define BONNIE_CHARS "bonnie++:char" /* engine: its tests by single bytes */

static inline int bonnie_is(const char *engine)
{
	return engine && (!strcmp(engine, BONNIE_BLOCKS) || !strcmp(engine, BONNIE_CHARS));
}

/*
 * Bytes of its data set on a target of TARGET bytes for ENGINE, in whole MiB: three quarters, since in a guest the target also holds
 * the file system, its journal and inodes. Its option -r gets half of it, the largest RAM that bonnie++ takes for such a size.
 */
static inline uint64_t bonnie_bytes(const char *engine, uint64_t target)
{
	return !strcmp(engine, BONNIE_CHARS) ? BONNIE_CHAR_BYTES : target / 4 * 3 >> 20 << 20;
}

#endif
