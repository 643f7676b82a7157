/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a request failed: an errno, the argument, path or engine to blame, and one sentence. Functions
 * that can fail in ways worth telling take a Fault * last, fill it and return -errno; on success it is untouched.
 *
 * Who may include it: the agent. Needs libc only.
 */
#ifndef IOGAP_COMMON_FAULT_H
#define IOGAP_COMMON_FAULT_H

typedef struct {
	int code; /* a positive errno; 0 = no fault */
	char what[64];
	char message[640];
} Fault;

/* Fills FAULT and returns -CODE. Over-long texts are cut. */
int fault_set(Fault *fault, int code, const char *what, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* "EINVAL", or "E" and the number where the C library knows no name; BUF is used for the latter. */
const char *fault_code_name(int code, char *buf, unsigned size);

#endif
