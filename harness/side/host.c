/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/host.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/base/error.h"

#define HELLO_MS 10000
#define END_MS 2000

typedef struct {
	Side side;
	char *agent;
	GSubprocess *process;
} HostSide;

/*
 * In the child between fork and exec: only async-signal-safe calls. A session of its own keeps the terminal's Ctrl-C from
 * it: the harness ends it in order.
 */
static void separate(gpointer data)
{
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static gboolean start(Side *side, GCancellable *cancel, GError **error)
{
	HostSide *host = (HostSide *)side;
	g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(
		G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);
	g_autoptr(GError) local = NULL;
	const char *pid;

	g_subprocess_launcher_setenv(launcher, "LC_ALL", "C", TRUE);
	g_subprocess_launcher_set_child_setup(launcher, separate, NULL, NULL);
	host->process = g_subprocess_launcher_spawn(launcher, &local, host->agent, "--stdio", NULL);
	if (!host->process) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot start the agent %s: %s", host->agent,
			local->message);
		return FALSE;
	}
	/* A child that has ended already has none. */
	pid = g_subprocess_get_identifier(host->process);
	side->pid = pid ? (pid_t)g_ascii_strtoll(pid, NULL, 10) : 0;
	side->link = link_new("host", g_subprocess_get_stdout_pipe(host->process),
		g_subprocess_get_stdin_pipe(host->process));
	if (!link_hello(side->link, HELLO_MS, cancel, error)) {
		g_prefix_error(error, "%s does not work as the agent (build it with make, or set IOGAP_AGENT): ", host->agent);
		side_stop(side);
		return FALSE;
	}
	return TRUE;
}

static char *disk(Side *side, const SideDisk *disk, GCancellable *cancel, GError **error)
{
	return g_strdup(disk->image);
}

static void on_ended(GObject *source, GAsyncResult *result, gpointer data)
{
	gboolean *ended = data;

	g_subprocess_wait_finish(G_SUBPROCESS(source), result, NULL);
	*ended = TRUE;
}

static gboolean on_patience(gpointer data)
{
	g_subprocess_force_exit(data);
	return G_SOURCE_CONTINUE;
}

/* Closing its input ends the agent; one that does not go in time is killed. */
static void stop(Side *side)
{
	HostSide *host = (HostSide *)side;
	gboolean ended = FALSE;
	guint timer;

	g_clear_pointer(&side->link, link_free);
	if (!host->process)
		return;
	timer = g_timeout_add(END_MS, on_patience, host->process);
	g_subprocess_wait_async(host->process, NULL, on_ended, &ended);
	while (!ended)
		g_main_context_iteration(NULL, TRUE);
	g_source_remove(timer);
	g_clear_object(&host->process);
}

static void free_private(Side *side)
{
	g_free(((HostSide *)side)->agent);
}

static const SideOps host_ops = {
	.name = "host",
	.start = start,
	.disk = disk,
	.stop = stop,
	.free = free_private,
};

Side *host_side_new(const char *agent)
{
	HostSide *host = g_new0(HostSide, 1);

	host->side.ops = &host_ops;
	host->agent = g_strdup(agent);
	return &host->side;
}
