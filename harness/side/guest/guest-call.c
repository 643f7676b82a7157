/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libvirt calls that wait for QEMU have no deadline of their own: a QEMU that hangs would hang the
 * harness. They run in a thread, and killing QEMU, which closes its monitor, is what ends them.
 */
#include <signal.h>
#include <sys/pidfd.h>

#include "harness/base/error.h"
#include "harness/side/guest/embed.h"
#include "harness/side/guest/guest-private.h"

/* After the kill libvirt sees the monitor close at once; a libvirt that does not is beyond help. */
#define AFTER_KILL_S 10

typedef struct {
	GuestSide *guest;
	GuestCall call;
	gpointer data;
	GError *error;
	gboolean ok;
	gint done;
} Call;

static gpointer run(gpointer data)
{
	Call *call = data;

	call->ok = call->call(call->guest, call->data, &call->error);
	g_atomic_int_set(&call->done, 1);
	g_main_context_wakeup(NULL);
	return NULL;
}

static gboolean on_timer(gpointer data)
{
	*(gboolean *)data = TRUE;
	return G_SOURCE_REMOVE;
}

static GSource *timer_new(guint timeout_ms, gboolean *passed)
{
	GSource *timer = g_timeout_source_new(timeout_ms);

	g_source_set_callback(timer, on_timer, passed, NULL);
	g_source_attach(timer, NULL);
	return timer;
}

gboolean guest_wait(const gboolean *flag, guint timeout_ms)
{
	gboolean passed = FALSE;
	g_autoptr(GSource) timer = timer_new(timeout_ms, &passed);

	while (!*flag && !passed)
		g_main_context_iteration(NULL, TRUE);
	g_source_destroy(timer);
	return *flag;
}

void guest_kill(GuestSide *guest)
{
	g_autofree char *mark = g_strdup_printf("guest=%s,", guest->name);
	pid_t pid = guest->name ? embed_find_process(mark) : 0;
	int fd;

	if (pid == 0)
		return;
	fd = pidfd_open(pid, 0);
	if (fd < 0)
		return;
	if (pidfd_send_signal(fd, SIGKILL, NULL, 0) < 0)
		g_debug("cannot kill QEMU %d: %s", (int)pid, g_strerror(errno));
	close(fd);
}

static gboolean wait_for(Call *call, guint timeout_s, GCancellable *cancel)
{
	gboolean passed = FALSE;
	g_autoptr(GSource) timer = timer_new(timeout_s * 1000, &passed);

	while (!g_atomic_int_get(&call->done) && !passed &&
		!(cancel && g_cancellable_is_cancelled(cancel)))
		g_main_context_iteration(NULL, TRUE);
	g_source_destroy(timer);
	return g_atomic_int_get(&call->done);
}

gboolean guest_call(GuestSide *guest, const char *what, GuestCall function, gpointer data,
	guint timeout_s, GCancellable *cancel, GError **error)
{
	Call call = {.guest = guest, .call = function, .data = data};
	GThread *thread = g_thread_new("libvirt", run, &call);

	if (!wait_for(&call, timeout_s, cancel)) {
		gboolean cancelled = cancel && g_cancellable_is_cancelled(cancel);

		guest_kill(guest);
		if (!wait_for(&call, AFTER_KILL_S, NULL))
			/* The thread uses this frame: there is no way on. The keeper clears up. */
			g_error("libvirt does not come back from \"%s\" though QEMU was killed",
				what);
		g_thread_join(thread);
		g_clear_error(&call.error);
		if (cancelled)
			g_set_error_literal(
				error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
		else
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_LOST,
				"%s: QEMU did not answer within %u s and was killed", what,
				timeout_s);
		return FALSE;
	}
	g_thread_join(thread);
	if (!call.ok)
		g_propagate_error(error, call.error);
	return call.ok;
}
