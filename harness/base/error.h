/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The harness's error domain. A message says what went wrong, where, and what to do about it; it
 * carries no "error:" prefix and no newline, since only harness/cli prints.
 */
#ifndef IOGAP_BASE_ERROR_H
#define IOGAP_BASE_ERROR_H

#include <glib.h>

#define IOGAP_ERROR (iogap_error_quark())
GQuark iogap_error_quark(void);

/* The code decides the exit status; see cli/verb.h. */
typedef enum {
	IOGAP_ERROR_USAGE,	  /* command line or profile is wrong: exit 2 */
	IOGAP_ERROR_NOTHING,	  /* nothing comparable, no such sweep: exit 4 */
	IOGAP_ERROR_FAILED,	  /* a measurement failed, or a sweep cannot run here: exit 5 */
	IOGAP_ERROR_BUSY,	  /* another sweep, or the store, is in the way: exit 5 */
	IOGAP_ERROR_INTERRUPTED,  /* SIGINT or SIGTERM: exit 130 or 143 */
	IOGAP_ERROR_UNSUPPORTED,  /* this combination cannot be measured here: the leg is refused */
	IOGAP_ERROR_AGENT,	  /* the agent answered a request with an error: that run fails */
	IOGAP_ERROR_LOST,	  /* the side is gone or unusable (guest died, paused, mute, garbage) */
} IogapError;

#endif
