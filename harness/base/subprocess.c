/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/subprocess.h"

#include <gio/gio.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"

typedef struct {
	GMainLoop *loop;
	GSubprocess *process;
	char *out, *err;
	GError *error;
	gboolean timed_out, cancelled;
	GCancellable *cancel;
} Wait;

static void on_output(GObject *source, GAsyncResult *result, gpointer data)
{
	Wait *wait = data;

	g_subprocess_communicate_utf8_finish(
		G_SUBPROCESS(source), result, &wait->out, &wait->err, &wait->error);
	g_main_loop_quit(wait->loop);
}

static gboolean on_timeout(gpointer data)
{
	Wait *wait = data;

	wait->timed_out = TRUE;
	g_subprocess_force_exit(wait->process);
	return G_SOURCE_REMOVE;
}

/* Often enough for a person at the keyboard, and for a progress bar. */
#define LOOK_MS 100

static gboolean on_look(gpointer data)
{
	Wait *wait = data;

	while (g_main_context_iteration(NULL, FALSE))
		;
	if (g_cancellable_is_cancelled(wait->cancel)) {
		wait->cancelled = TRUE;
		g_subprocess_force_exit(wait->process);
	}
	return G_SOURCE_CONTINUE;
}

/* In the child between fork and exec. */
static void separate(gpointer data)
{
	setsid();
	/* A harness that was killed cannot end it, and what it makes then would be on nobody's list. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void chomp(char *text)
{
	if (text)
		g_strchomp(text);
}

static const char *last_line(const char *text)
{
	const char *newline = text ? strrchr(text, '\n') : NULL;

	return newline ? newline + 1 : text ? text : "";
}

gboolean subprocess_run(const char *const *argv, guint timeout_s, char **ret_out, char **ret_err,
	int *ret_status, GError **error)
{
	return subprocess_run_long(argv, timeout_s, NULL, ret_out, ret_err, ret_status, error);
}

gboolean subprocess_run_long(const char *const *argv, guint timeout_s, GCancellable *cancel, char **ret_out, char **ret_err,
	int *ret_status, GError **error)
{
	/* A context of its own: nothing else of the harness runs while this child is waited for. */
	g_autoptr(GMainContext) context = g_main_context_new();
	g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(
		G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
	g_autoptr(GSubprocess) process = NULL;
	g_autoptr(GSource) timer = g_timeout_source_new_seconds(timeout_s);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autoptr(GError) local = NULL;
	g_autoptr(GSource) look = cancel ? g_timeout_source_new(LOOK_MS) : NULL;
	Wait wait = {.cancel = cancel};
	int status;

	g_subprocess_launcher_setenv(launcher, "LC_ALL", "C", TRUE);
	g_subprocess_launcher_set_child_setup(launcher, separate, NULL, NULL);
	g_main_context_push_thread_default(context);
	process = g_subprocess_launcher_spawnv(launcher, argv, &local);
	if (!process) {
		g_main_context_pop_thread_default(context);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot start %s: %s", argv[0],
			local->message);
		return FALSE;
	}
	wait.loop = g_main_loop_new(context, FALSE);
	wait.process = process;
	g_source_set_callback(timer, on_timeout, &wait, NULL);
	g_source_attach(timer, context);
	if (look) {
		g_source_set_callback(look, on_look, &wait, NULL);
		g_source_attach(look, context);
	}
	g_subprocess_communicate_utf8_async(process, NULL, NULL, on_output, &wait);
	g_main_loop_run(wait.loop);
	g_subprocess_wait(process, NULL, NULL);
	g_source_destroy(timer);
	if (look)
		g_source_destroy(look);
	g_main_loop_unref(wait.loop);
	g_main_context_pop_thread_default(context);

	out = wait.out;
	err = wait.err;
	if (wait.cancelled) {
		g_clear_error(&wait.error);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "%s was interrupted", argv[0]);
		return FALSE;
	}
	if (wait.timed_out) {
		g_clear_error(&wait.error);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s took longer than %u s and was ended", argv[0], timeout_s);
		return FALSE;
	}
	if (wait.error) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot read the output of %s: %s", argv[0],
			wait.error->message);
		g_clear_error(&wait.error);
		return FALSE;
	}
	chomp(out);
	chomp(err);
	status = g_subprocess_get_status(process);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (ret_status)
		*ret_status = status;
	else if (status != 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s ended with status %d: %s", argv[0],
			status, last_line(err));
		return FALSE;
	}
	if (ret_out)
		*ret_out = g_steal_pointer(&out);
	if (ret_err)
		*ret_err = g_steal_pointer(&err);
	return TRUE;
}
