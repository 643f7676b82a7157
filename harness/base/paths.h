/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where iogap keeps things. All functions return newly allocated absolute paths; the folders that
 * are ours (runtime, cache) are created with mode 0700 by paths_ensure.
 */
#ifndef IOGAP_BASE_PATHS_H
#define IOGAP_BASE_PATHS_H

#include <glib.h>

/* Shipped files (profiles, reports, schema, packages.list): $IOGAP_SHARE, else "share" beside the program
 * in a build tree, else ../share/iogap of an installed program. NAME may be NULL for the folder itself. */
char *paths_share(const char *name);

/* The agent: $IOGAP_AGENT, else "iogap-agent" beside this program. */
char *paths_agent(void);

/* The program that calls libguestfs: "iogap-image" beside this program. */
char *paths_image(void);

/* This program's own absolute path (/proc/self/exe). */
char *paths_self(void);

/* Short runtime root for sockets and locks: $IOGAP_RUNTIME, else /run/iogap for root, else
 * $XDG_RUNTIME_DIR/iogap, else /tmp/iogap-UID. libvirt's sockets below it need it under 60 characters. */
char *paths_runtime(void);

/* Caches that may be deleted at any time: $IOGAP_CACHE, else $XDG_CACHE_HOME/iogap, else ~/.cache/iogap. */
char *paths_cache(void);

/* The store: $IOGAP_STORE, else results/data/iogap.sqlite below the working folder. */
char *paths_store(void);

/* Creates DIR and its parents with mode 0700; refuses a DIR that another user owns. */
gboolean paths_ensure(const char *dir, GError **error);

#endif
