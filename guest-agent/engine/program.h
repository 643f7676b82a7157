/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An outside program: is it here, does it start, which version is it? Asked once per process.
 *
 * Who may include it: guest-agent. Depends on guest-agent/common.
 */
#ifndef IOGAP_ENGINE_PROGRAM_H
#define IOGAP_ENGINE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *name;   /* in PATH, and of the package in messages unless that is given */
	const char *package;
	const char *begins; /* how its --version begins; else it is another program of that name */
	/* Instead of that, for a program without --version: what stands before the version in the usage that it prints then. */
	const char *tells;

	/* Set by program_probe. */
	bool asked;
	int code; /* 0 = works */
	char path[PATH_MAX], version[64], reason[256];
} Program;

/* 0, or -errno with one sentence in REASON: not in PATH, it does not start, it is another program. */
int program_probe(Program *program, char *reason, size_t size);

#endif
