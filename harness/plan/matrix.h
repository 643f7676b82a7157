/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The matrix of a profile: every combination of one value of each axis and one target, after exclude and include.
 *
 * The product of all axes comes first, the target varying slowest and the last key fastest. Then every entry
 * of exclude takes out the combinations that match all of its keys (a key with a list matches any of its
 * values). Then every entry of include, in order, either
 *   - extends: its keys that the profile does not give itself (and that therefore have one default) are set in
 *     every combination of the product that matches all its other keys; an entry with several values of such a
 *     key makes one combination of each; or
 *   - adds, when no combination matches: the product of its values, every other key at the first value of its
 *     axis, every target at the first one.
 * An entry that changes nothing is an error, as is a matrix with nothing in it.
 *
 * Who may include it: harness/plan.
 */
#ifndef IOGAP_PLAN_MATRIX_H
#define IOGAP_PLAN_MATRIX_H

#include "harness/profile/profile.h"

/* More are refused: a plan that long has no time estimate worth reading. */
#define MATRIX_MAX 20000

/* The dimensions; matrix_row gives the key of each. */
typedef enum {
	DIM_TARGET,
	DIM_RW, DIM_MIX_READ, DIM_BLOCK_SIZE, DIM_DIRECT, DIM_SYNC, DIM_FSYNC_EVERY,
	DIM_QUEUE_DEPTH, DIM_JOBS, DIM_ENGINE, DIM_RATE,
	DIM_BUS, DIM_CACHE, DIM_IO, DIM_IOTHREAD, DIM_IOTHREAD_MAP, DIM_IOEVENTFD, DIM_EVENT_IDX, DIM_PACKED, DIM_QUEUE_SIZE, DIM_QUEUES,
	DIM_FORMAT, DIM_CLUSTER_SIZE, DIM_PREALLOCATION, DIM_BACKING, DIM_EXTENDED_L2,
	DIM_LOGICAL_BLOCK_SIZE, DIM_PHYSICAL_BLOCK_SIZE, DIM_DISCARD, DIM_ROTATION_RATE, DIM_IOPS_LIMIT,
	DIM_GUEST_SCHEDULER, DIM_VCPUS, DIM_MEMORY, DIM_MACHINE, DIM_KERNEL, DIM_IMAGE, DIM_EMULATOR, DIM_GUESTS,
	DIM_PIN_VCPU, DIM_PIN_IOTHREAD, DIM_PIN_EMULATOR, DIM_NUMA, DIM_HUGEPAGES,
	DIM_HOST_SCHEDULER, DIM_HOST_CACHE_LIMIT, DIM_PIN_LOAD, DIM_GOVERNOR, DIM_TURBO,
	DIM_COUNT,
	DIM_NONE = -1,
} MatrixDim;

typedef struct {
	const char *value;  /* canonical, interned: equal values are equal pointers */
	ProfilePlace place; /* line 0 = a default */
} MatrixValue;

typedef struct {
	MatrixValue dims[DIM_COUNT];
} Combination;

const ProfileKey *matrix_row(MatrixDim dim);
/* Number of a dimension's value; FALLBACK for a word such as "none". */
guint64 matrix_number(const Combination *combination, MatrixDim dim, guint64 fallback);
/* Interned text. */
const char *matrix_text(const Combination *combination, MatrixDim dim);

/* COMBINATION as ARM has it. */
Combination matrix_arm(const Combination *combination, const ProfileArm *arm);

/* All combinations, of Combination; IOGAP_ERROR_USAGE with the place of what is wrong. */
GArray *matrix_build(const Profile *profile, GError **error);

#endif
