/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is there an fio, and which? Asked once per process.
 *
 * Who may include it: guest-agent.
 */
#ifndef IOGAP_ENGINE_FIO_H
#define IOGAP_ENGINE_FIO_H

#include <stddef.h>

/* 0, or -errno with one sentence in REASON: not in PATH, or it does not start. */
int fio_probe(char *reason, size_t size);

/* After a fio_probe that succeeded: its absolute path, and "fio-3.33". */
const char *fio_path(void);
const char *fio_version(void);

#endif
