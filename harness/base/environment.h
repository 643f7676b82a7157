/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of a sweep: what a stranger must know to repeat it, as one flat record of dotted keys
 * ("host.cpu.microcode", "target.scratch.stack.0.model"). One table (environment-keys.c) says of every key what it means,
 * how much a difference matters, and what of it must not leave the machine unasked.
 *
 * Some keys are columns of the sweep table of their own, since lists and comparisons ask for them; the others lie together in
 * environment_json. environment_of_sweep puts both together again.
 *
 * Who may include it: every harness room. Pure: no I/O but environment_names, which asks the system for this user's and host's names.
 */
#ifndef IOGAP_BASE_ENVIRONMENT_H
#define IOGAP_BASE_ENVIRONMENT_H

#include <glib.h>
#include "harness/base/record.h"

/* How much it matters that two sweeps differ here. */
typedef enum {
	ENVIRONMENT_MUST,	 /* figures of the two must not be set side by side; part of the fingerprint */
	ENVIRONMENT_FINGERPRINT, /* they are measured under other conditions: part of the fingerprint */
	ENVIRONMENT_NOTE,	 /* worth listing: often the very thing that is compared */
	ENVIRONMENT_MOMENT,	 /* of the moment (load, free memory): stored, never compared */
} EnvironmentWeight;

typedef enum {
	ENVIRONMENT_PLAIN,    /* cannot name anybody: a version, a number, a choice */
	ENVIRONMENT_TEXT,     /* free text: environment_filter takes out what names a machine or a person */
	ENVIRONMENT_IDENTITY, /* a name or a serial: stored only when asked for */
} EnvironmentPrivacy;

typedef struct {
	const char *name; /* a part may be "*" */
	EnvironmentWeight weight;
	EnvironmentPrivacy privacy;
	const char *column; /* of the sweep table; NULL = in environment_json */
	const char *meaning;
} EnvironmentKey;
extern const EnvironmentKey environment_keys[]; /* ended by a NULL name */

/* The row of NAME, or NULL. */
const EnvironmentKey *environment_key(const char *name);

/* Names that identify: longer than one letter, and none that any machine has (root, localhost). Owned by the caller. */
typedef struct {
	char *host, *user; /* NULL = nothing to look for */
} EnvironmentNames;
void environment_names(EnvironmentNames *ret);
void environment_names_clear(EnvironmentNames *names);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EnvironmentNames, environment_names_clear)

/*
 * A copy of TEXT in which these are replaced by a word in parentheses: the host's name as a word of its own, the user as a part of
 * a path, any name below /home; IPv4, IPv6 and MAC addresses, UUIDs, world wide names, the names of /dev/disk/by-id; servers of network
 * file systems; the values of options that name somebody (hostname=, user=, BOOTIF= ...). NULL for NULL.
 */
char *environment_filter(const EnvironmentNames *names, const char *text);
/* The same for a domain's XML or a command line: paths, addresses and MACs only, so that it can still be used. */
char *environment_filter_document(const EnvironmentNames *names, const char *text);

/*
 * Puts ENVIRONMENT into the sweep row: columns, environment_json and fingerprint. Without IDENTIFY the keys of identity are left
 * out and texts are filtered. A key that the table does not know is a programming error (g_error).
 */
void environment_store(const Record *environment, gboolean identify, Record *sweep);

/* As JSON text with sorted keys, filtered the same way: boot.environment_json. Owned by the caller. */
char *environment_json(const Record *environment, gboolean identify);

/* The keys of a stored JSON text (NULL is allowed: none). Owned by the caller. */
Record *environment_parse(const char *json);

/* All keys of a stored sweep, columns and JSON. Owned by the caller. */
Record *environment_of_sweep(const Record *sweep);

/*
 * SHA-256 over "name=value" lines, sorted by name, of exactly the keys of weight MUST and FINGERPRINT that are set. Two
 * sweeps with one fingerprint were made by the same method on the same kind of machine and disk. Emulator, libvirt and the
 * guest's kernel are not in it: they are what sweeps compare. Owned by the caller.
 */
char *environment_fingerprint(const Record *environment);

/* A value as text, for people and for comparing; NULL when it is not set. Owned by the caller. */
char *environment_value(const Record *environment, const char *name);

typedef struct {
	char *name;
	char *a, *b; /* NULL = not known there */
	EnvironmentWeight weight;
} EnvironmentDifference;
void environment_difference_free(EnvironmentDifference *difference);

/* Where A and B differ (of EnvironmentDifference *), keys of the moment excepted: what matters most first, then by name. */
GPtrArray *environment_compare(const Record *a, const Record *b);

#endif
