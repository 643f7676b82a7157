/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child programs: argv only, no shell, LC_ALL=C, a session of their own (the terminal's Ctrl-C is for the harness,
 * which ends them in order), a deadline, always reaped; they die with the harness, however it dies.
 */
#ifndef IOGAP_BASE_SUBPROCESS_H
#define IOGAP_BASE_SUBPROCESS_H

#include <gio/gio.h>

/*
 * Runs ARGV (NULL-terminated, looked up in PATH) and waits at most TIMEOUT_S seconds, then kills it.
 * ret_out, ret_err and ret_status may be NULL; output is text without a closing newline, set on
 * success only. With a NULL ret_status a status other than 0 is an error that quotes the last line of
 * stderr; with one, only "could not be started" and "took too long" are errors, and the status is 0 to
 * 255, or 128 + signal.
 */
gboolean subprocess_run(const char *const *argv, guint timeout_s, char **ret_out, char **ret_err,
	int *ret_status, GError **error);

/*
 * The same for work that may take long: CANCEL (may be NULL) ends the program (IOGAP_ERROR_INTERRUPTED), and the default
 * main context goes on meanwhile, so that signals and progress are seen. Main thread only.
 */
gboolean subprocess_run_long(const char *const *argv, guint timeout_s, GCancellable *cancel, char **ret_out, char **ret_err,
	int *ret_status, GError **error);

#endif
