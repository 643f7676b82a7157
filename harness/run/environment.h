/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the environment of a sweep (harness/base/environment.h has its keys and what they mean) from the kernel's own
 * files. What the host does not say is left out.
 *
 * ROOT is a folder that stands for "/": "" in earnest, a made-up tree in tests.
 */
#ifndef IOGAP_RUN_ENVIRONMENT_H
#define IOGAP_RUN_ENVIRONMENT_H

#include <jansson.h>
#include <sys/types.h>

#include "harness/base/environment.h"

/* host.*: kernel, memory, huge pages, NUMA, clock, page cache, KVM's parameters, firmware, load. */
void environment_host(const char *root, Record *environment);

/* host.cpu.*, host.mitigations.*: processor, microcode, governor, turbo, SMT. */
void environment_cpu(const char *root, Record *environment);

/* iogap.*, agent.*, qemu.sha256. EMULATOR may be NULL. Reads these files whole. */
void environment_programs(const char *agent, const char *emulator, Record *environment);

/* target.NAME.*: file system and mount of PATH, and the block devices below it. */
void environment_target(const char *root, const char *name, const char *path, Record *environment);

/* target.NAME.type and target.NAME.size. */
void environment_target_kind(const char *name, const char *type, guint64 size, Record *environment);

/* target.NAME.stack.*: DEVICE and all that lies below it. Returns how many layers were found. */
guint environment_stack(const char *root, const char *name, dev_t device, Record *environment);

/* guest.* from the answer of the guest's agent to `probe`. */
void environment_guest(const json_t *probe, Record *environment);

/* For the files of this module: sets NAME to the text of ROOT/FORMAT..., stripped, unless that is missing or empty. */
gboolean environment_set_file(Record *environment, const char *name, const char *root, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Names in FOLDER (root included), sorted; empty when it is missing. Owned by the caller, texts too. */
GPtrArray *environment_list(const char *folder);
/* That text, or NULL. */
char *environment_read(const char *root, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* SHA-256 of a file's content in hexadecimal, or NULL when it cannot be read (or PATH is NULL). New text. */
char *environment_hash(const char *path);

#endif
