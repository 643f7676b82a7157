/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: what a sweep should span, read from YAML by one key table (keys.c).
 *
 * An axis is a list of values of one key; a scalar in the file is a list of one. Nothing here touches
 * a device or a guest: a profile that loads may still ask for the impossible, which plan/ finds.
 * Who may include it: plan and everything above. Must not depend on plan, side or results.
 */
#ifndef IOGAP_PROFILE_PROFILE_H
#define IOGAP_PROFILE_PROFILE_H

#include <glib.h>
#include "harness/base/record.h"

/* Where a value stands in its file; line 0 = it is a default. Both count from 1. */
typedef struct {
	guint line, column;
} ProfilePlace;

/*
 * One axis: its key ("block_size") and its values. Values are canonical texts ("8k", "true", "none",
 * "250ms"), which axis_value_* turns into numbers; two spellings of one value are one value (a
 * duplicate value in a list is an error).
 */
typedef struct {
	char *key;
	GPtrArray *values; /* of char * */
	GArray *places;	   /* of ProfilePlace, one per value */
} ProfileAxis;

typedef enum { PROFILE_WORKLOAD, PROFILE_GUEST, PROFILE_HOST } ProfileSection;

/* One entry of include: or exclude: - keys of any section with one value or a list of values each. */
typedef struct {
	ProfilePlace place;
	GPtrArray *axes; /* of ProfileAxis * */
} ProfileRule;

typedef struct {
	ProfilePlace place;
	char *name;
	char *type;	  /* file, tmpfs, block, loop */
	char *path;	  /* file, tmpfs: folder or file; block: device; NULL = a default below the store's folder */
	guint64 size;	  /* bytes; 0 for block = the whole device */
	char *filesystem; /* loop: ext4, ext3, btrfs, or NULL = the raw loop device */
	gboolean consent; /* block: `consent: true` is not enough; the command line must name the device too */
} ProfileTarget;

typedef struct {
	char *file; /* as named in messages */
	char *text; /* the whole file, stored with the sweep */
	char *name;
	char *accel; /* kvm, auto, tcg */
	GPtrArray *targets;   /* of ProfileTarget * */
	GPtrArray *axes[3];   /* by ProfileSection, of ProfileAxis *, every key of the section, defaults included */
	GPtrArray *include;   /* of ProfileRule * */
	GPtrArray *exclude;   /* of ProfileRule * */
	guint64 settle_ns, run_ns, interval_ns;
	guint blocks;
	gboolean has_seed;
	guint64 seed;
} Profile;

/*
 * Loads FILE, or the shipped profile of that name ("quick"), or standard input for "-". Every error is
 * IOGAP_ERROR_USAGE and reads FILE:LINE:COLUMN: what is wrong, and what would be right (a near-miss hint for
 * unknown keys and words).
 */
Profile *profile_load(const char *file, GError **error);
Profile *profile_parse(const char *name, const char *text, gssize length, GError **error);
void profile_free(Profile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Profile, profile_free)

/* The axis of KEY in SECTION; never NULL for a key of the table. */
const ProfileAxis *profile_axis(const Profile *profile, ProfileSection section, const char *key);

#endif
