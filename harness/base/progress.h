/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of long work, on stderr: a live bar with the time left on a terminal, one line per step
 * otherwise, JSON lines on request. The only module besides cli/ that writes to stderr.
 */
#ifndef IOGAP_BASE_PROGRESS_H
#define IOGAP_BASE_PROGRESS_H

#include <glib.h>

typedef enum {
	PROGRESS_AUTO, /* bar on a terminal, else lines */
	PROGRESS_BAR,
	PROGRESS_LINES,
	PROGRESS_JSON,
	PROGRESS_NONE,
} ProgressMode;

typedef struct Progress Progress;

/* "auto", "bar", "lines", "json", "none"; FALSE for anything else. */
gboolean progress_mode_parse(const char *text, ProgressMode *ret);

/* EXPECTED_S: the planned seconds of the whole work, for the time left. */
Progress *progress_new(ProgressMode mode, guint steps, double expected_s);
void progress_free(Progress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Progress, progress_free)

/* What is left turned out to be other than planned: STEPS in EXPECTED_S, beside what is finished. */
void progress_expect(Progress *progress, guint steps, double expected_s);

/* A step begins, with its planned seconds; a step ends with a short result ("ok 812 MB/s", "failed: why"). */
void progress_step(Progress *progress, const char *what, double expected_s);
void progress_done(Progress *progress, const char *result);
/* A remark between steps; never overwritten by the bar. printf format, no newline. */
void progress_note(Progress *progress, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Redraws the bar; call a few times a second while waiting. */
void progress_tick(Progress *progress);

#endif
