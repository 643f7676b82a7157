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
#include "harness/profile/fio-file.h"

/* Where a value stands in its file; line 0 = it is a default. Both count from 1. */
typedef struct {
	guint line, column;
} ProfilePlace;

typedef enum {
	PROFILE_TYPE_WORD,     /* one of words */
	PROFILE_TYPE_BOOL,     /* true, false */
	PROFILE_TYPE_UINT,     /* whole decimal number */
	PROFILE_TYPE_SIZE,     /* bytes, binary suffixes (units.h) */
	PROFILE_TYPE_DURATION, /* nanoseconds (units.h) */
	PROFILE_TYPE_PATH,     /* absolute path */
	PROFILE_TYPE_NAME,     /* 1 to 40 of letters, digits, '.', '_', '-', not beginning with '-' or '.' */
	PROFILE_TYPE_PERCENT,  /* "2.5%": thousandths of a percent, so that 2500 is 2.5 % */
	PROFILE_TYPE_TEXT,     /* 1 to 400 bytes of UTF-8 without control characters */
	PROFILE_TYPE_DATE,     /* year-month-day */
	PROFILE_TYPE_CPUS,     /* lists of processors (cpu-list.h): one, or up to max with '/' between, "0-1/2-3" */
	PROFILE_TYPE_SECTION,  /* a mapping of keys of the section of this name */
	PROFILE_TYPE_LIST,     /* a list of such mappings */
} ProfileType;

/*
 * One row of the key table: the parser, its messages, the shipped skeleton and iogap-profile(5) are made from it.
 * A section's keys stand together, in the order of the manual.
 */
typedef struct {
	const char *section; /* "" (top level), targets, workload, guest, host, measure, gate, waivers, rule (include and exclude) */
	const char *key;
	ProfileType type;
	gboolean axis;	      /* a list of values is taken; the matrix is the product of all axes */
	gboolean required;
	const char *fallback; /* the default, canonical; NULL = none (unset, or required) */
	guint64 min, max;     /* of numbers, both included; bytes or nanoseconds where that is the type */
	const char *const *words; /* NULL-terminated; of WORD the only values, of the others taken as well; may be NULL */
	gboolean only_words;  /* numbers: nothing but words, which are then canonical numbers */
	const char *help;     /* one or two sentences, without a full stop at the end */
} ProfileKey;

/* The key table; *n (may be NULL) gets its length. */
const ProfileKey *profile_keys(guint *n);
/* The row of KEY in SECTION, or NULL. */
const ProfileKey *profile_key(const char *section, const char *key);
/* Value kind and range in words, for people: "size, 1 to 256M", "one of pc, q35". New text. */
char *profile_key_values(const ProfileKey *key);

/*
 * One axis: its key ("block_size") and its values. Values are canonical texts ("8k", "true", "none",
 * "250ms"), which profile_number turns into numbers; two spellings of one value are one value (a
 * duplicate value in a list is an error).
 */
typedef struct {
	const ProfileKey *row; /* its section, type and default */
	char *key;	       /* = row->key */
	GPtrArray *values;     /* of char * */
	GArray *places;	       /* of ProfilePlace, one per value */
} ProfileAxis;

/* The canonical form of TEXT as a value of KEY; NULL when it is none, then *ret_why says what is wrong and what
 * would be right (new text). */
char *profile_value(const ProfileKey *key, const char *text, char **ret_why);
/* The number of a canonical value: bytes, nanoseconds, 0 or 1 of a bool; FALLBACK for a word such as "none". */
guint64 profile_number(const ProfileKey *key, const char *value, guint64 fallback);

typedef enum { PROFILE_WORKLOAD, PROFILE_GUEST, PROFILE_HOST } ProfileSection;

/*
 * One entry of include: or exclude: - keys of workload, guest and host and `target`, each with one value or a list of
 * values. `scheduler` exists in two sections and is written guest.scheduler or host.scheduler; axes[i]->row
 * tells which. What the entries do is plan/matrix.h's.
 */
typedef struct {
	ProfilePlace place;
	GPtrArray *axes; /* of ProfileAxis * */
} ProfileRule;

/* A variant under comparison: in its cells these keys stand at other values than the profile says. */
typedef struct {
	char *name;
	GPtrArray *axes; /* of ProfileAxis *, one value each */
} ProfileArm;

typedef struct {
	ProfilePlace place;
	char *name;
	char *type;	  /* file, tmpfs, block, loop, lvm, dm-delay, dm-zero, null_blk, nbd */
	char *path;	  /* file, tmpfs: folder or file; block: device; NULL = a default below the store's folder */
	guint64 size;	  /* bytes; 0 for block = the whole device */
	char *filesystem; /* loop, lvm, dm-delay: ext4, ext3, btrfs, or NULL = the raw device */
	guint64 delay_ns; /* dm-delay; null_blk: 0 = none */
	gboolean memory_backed; /* null_blk */
	char *nbd_plugin; /* nbd: memory, null, pattern; NULL on others */
	guint64 nbd_delay_ns, nbd_rate; /* nbd: 0 = none */
	guint nbd_error_rate;		/* nbd: thousandths of a percent */
	gboolean consent; /* block: `consent: true` is not enough; the command line must name the device too */
} ProfileTarget;

/* A row of the gate that does not decide: `iogap gate` measures and shows it all the same. */
typedef struct {
	ProfilePlace place;
	char *cell, *reason;
	char *until; /* the last day, UTC, "2026-12-31" */
} ProfileWaiver;

/* A further metric that the gate judges. Thresholds are fractions. */
typedef struct {
	const char *name; /* as its key: "latency" */
	char mode[16];	  /* off, advisory, gating */
	double least, detect;
} ProfileFamily;
#define PROFILE_FAMILIES 3

/* Thresholds are fractions. */
typedef struct {
	ProfileFamily families[PROFILE_FAMILIES]; /* latency, cpu, switches */
	double alpha, detect, group_detect, least, group_least;
	guint screen_blocks, confirm_blocks, min_blocks;
	GPtrArray *waivers; /* of ProfileWaiver * */
} ProfileGate;

typedef struct {
	char *file; /* as named in messages */
	char *text; /* the whole file, stored with the sweep */
	char *name;
	char *accel; /* kvm, auto, tcg */
	GPtrArray *targets;   /* of ProfileTarget *, at least one */
	GPtrArray *axes[3];   /* by ProfileSection, of ProfileAxis *, every key of the section, defaults included */
	GPtrArray *include;   /* of ProfileRule * */
	GPtrArray *exclude;   /* of ProfileRule * */
	GPtrArray *fio_files; /* of ProfileFioFile *: those that engine names; a value of it is then the file's name */
	GPtrArray *arms;      /* of ProfileArm *, from the command line; none = there is nothing to compare */
	guint64 settle_ns, run_ns, interval_ns;
	gboolean extend;
	guint blocks;	  /* with a precision the most that are measured */
	double precision; /* half width of the mean ln ratio that suffices, 0.02 is 2 %; 0 = measure all blocks */
	double max_load;	 /* share of all processors' time that others may use before a block; 0 = do not look */
	guint64 max_load_wait_ns;
	guint64 boot_limit_ns; /* from a guest's start to its agent's hello; 0 = as GuestConfig has it */
	ProfileGate gate;
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

/*
 * Adds an arm "NAME:KEY=VALUE,KEY=VALUE", or to the arm of that name; "NAME:" changes nothing and is a baseline as the profile
 * says. KEY is one of workload, guest or host at which the profile has one value; scheduler is written guest.scheduler or
 * host.scheduler. The text of the profile gets a comment line that says so, which makes it another profile for --resume.
 */
gboolean profile_add_arm(Profile *profile, const char *text, GError **error);
/* All of TEXTS (NULL-terminated or NULL); one arm alone is an error. */
gboolean profile_add_arms(Profile *profile, char **texts, GError **error);

/*
 * Makes it what `iogap gate` measures: as many blocks as the gate's screen and confirmation have, whatever measure.blocks says. A
 * comment line in its text says so, which makes it another profile for --resume than that of `iogap sweep`.
 */
void profile_for_gate(Profile *profile);

/* Sets IOGAP_ERROR_USAGE "FILE:LINE:COLUMN: ...", the one form that all profile errors have. */
void profile_error(GError **error, const char *file, ProfilePlace place, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/* The job file whose name is the value ENGINE of the key engine, or NULL when that is another engine. */
const ProfileFioFile *profile_fio_file(const Profile *profile, const char *engine);

/* The names of the shipped profiles, sorted, NULL-terminated (g_strfreev). */
char **profile_shipped(void);

/* A complete profile that holds every key at its default, each with its help as a comment; loads as it is. The
 * shipped profiles/skeleton.yaml is this text. */
char *profile_skeleton(void);

/* What iogap-profile(5) says beside the key table: headings and one paragraph each, static. */
typedef struct {
	const char *heading, *text;
} ProfileManual;
const ProfileManual *profile_manual(guint *n);

/* The axis of KEY in SECTION; never NULL for a key of the table. */
const ProfileAxis *profile_axis(const Profile *profile, ProfileSection section, const char *key);

#endif
