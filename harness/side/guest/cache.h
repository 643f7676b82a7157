/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in the cache that are named by what they were made of. Made aside and renamed, so a reader
 * sees a whole file or none and two makers do not disturb each other; a file that is not what it
 * should be is made anew. What was not used for 30 days is removed. Who may include it:
 * harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_CACHE_H
#define IOGAP_SIDE_GUEST_CACHE_H

#include <glib.h>

/* SHA-256 in 64 hex digits. */
char *cache_digest(const void *data, gsize size);

/* Path of the file NAME in FOLDER (made if missing) with exactly the bytes of CONTENT. */
char *cache_put(const char *folder, const char *name, GBytes *content, GError **error);

/* Path of the file NAME in FOLDER when it is there and its content has the digest that cache_put
 * noted beside it, else NULL: put it anew. */
char *cache_get(const char *folder, const char *name);

#endif
