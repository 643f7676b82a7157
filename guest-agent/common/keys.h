/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON object -> struct by a table of keys. The same table gives `iogap-agent --help` its text.
 *
 * Strict: an unknown key, a missing required one, a wrong type (1.0 and "1" are no whole numbers) and a number
 * out of range are faults that name the key.
 *
 * Who may include it: the agent. Needs libc and Jansson.
 */
#ifndef IOGAP_COMMON_KEYS_H
#define IOGAP_COMMON_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest-agent/common/fault.h"

#define KEY_NONE UINT64_MAX /* preset of a number that may be null or absent */

typedef enum {
	KEY_TEXT,   /* const char *, borrowed from the JSON object */
	KEY_UINT,   /* uint64_t, MIN to MAX */
	KEY_BOOL,   /* bool */
	KEY_CHOICE, /* unsigned: index into CHOICES */
	KEY_OBJECT, /* json_t *, borrowed */
} KeyType;

typedef struct {
	const char *name;
	KeyType type;
	size_t at;	  /* offset in the struct */
	bool required;	  /* else it may be absent or null, and PRESET is stored (NULL for texts and objects) */
	uint64_t preset;  /* in the type's own terms */
	uint64_t min, max;
	const char *const *choices; /* NULL-terminated */
	const char *help;
} Key;

/* KEYS ends with a row without name. "id" and "cmd" are skipped when ENVELOPE is true. On a fault *ret is half filled. */
int keys_parse(const json_t *object, const Key *keys, bool envelope, void *ret, Fault *fault);

/* "whole number, 1 to 100, default 5": what a key takes. Returns BUF. */
char *keys_describe(const Key *key, char *buf, size_t size);

#endif
