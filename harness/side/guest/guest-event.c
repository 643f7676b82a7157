/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libvirt tells about a guest while it runs: it stopped, it was paused, a disk is gone. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/side/guest/embed.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/virt-error.h"

/* The channel closes a little before libvirt has understood why. */
#define DIAGNOSE_MS 3000

/* The guest of ours that DOMAIN is, or NULL. */
static GuestSide *whose(const Hypervisor *hypervisor, virDomainPtr domain)
{
	for (guint i = 0; i < hypervisor->listening->len; i++) {
		GuestSide *guest = g_ptr_array_index(hypervisor->listening, i);

		if (g_strcmp0(virDomainGetName(domain), guest->name) == 0)
			return guest;
	}
	return NULL;
}

/* The last line that QEMU itself printed, as libvirt logged it; NULL when there is none or it is
 * not ours to read. */
static char *last_words(GuestSide *guest)
{
	const char *root = guest->hypervisor->uri + strlen(EMBED_PREFIX);
	g_autofree char *log = NULL;
	g_autofree char *line = NULL;

	if (!hypervisor_is_embedded(guest->hypervisor))
		return NULL;
	log = g_strdup_printf("%s/log/qemu/%s.log", root, guest->name);
	line = console_tail(log, 2);
	return strstr(line, "qemu-system") ? g_steal_pointer(&line) : NULL;
}

static void lose(GuestSide *guest, const char *what)
{
	g_autofree char *verdict = console_verdict(guest->console);
	g_autofree char *words = verdict ? NULL : last_words(guest);

	if (guest->stopping || guest->reason)
		return;
	/* A kernel that panics ends its machine as an orderly power-off does. */
	if (verdict && strstr(verdict, "Kernel panic"))
		what = "the guest's kernel panicked";
	guest->reason = g_strdup_printf("%s%s%s%s%s", what, verdict ? "; its console says: " : "",
		verdict ? verdict : "", words ? "; QEMU says: " : "", words ? words : "");
	if (guest->side.link)
		link_lose(guest->side.link, guest->reason);
}

static const char *stop_text(int detail)
{
	switch (detail) {
	case VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN:
		return "the guest powered itself off";
	case VIR_DOMAIN_EVENT_STOPPED_DESTROYED:
		return "the guest was destroyed by somebody else, or reset itself";
	case VIR_DOMAIN_EVENT_STOPPED_CRASHED:
		return "the guest's QEMU or its kernel crashed, or was killed";
	case VIR_DOMAIN_EVENT_STOPPED_FAILED:
		return "the guest's QEMU died, or was killed";
	default:
		return "the guest was stopped";
	}
}

/* Which disks have an error, in QEMU's names, and their images. NULL when libvirt knows of none. */
static char *disk_errors(virDomainPtr domain, gboolean *ret_no_space)
{
	virDomainDiskError errors[32];
	int n = virDomainGetDiskErrors(domain, errors, G_N_ELEMENTS(errors), 0);
	GString *text = g_string_new(NULL);

	for (int i = 0; i < n; i++) {
		if (errors[i].error == VIR_DOMAIN_DISK_ERROR_NO_SPACE)
			*ret_no_space = TRUE;
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", errors[i].disk);
		free(errors[i].disk);
	}
	return g_string_free(text, text->len == 0);
}

static void paused(GuestSide *guest, virDomainPtr domain, int detail)
{
	gboolean no_space = FALSE;
	g_autofree char *disks = detail == VIR_DOMAIN_EVENT_SUSPENDED_IOERROR
					 ? disk_errors(domain, &no_space)
					 : NULL;
	g_autofree char *what = NULL;

	if (no_space)
		what = g_strdup_printf("the guest was paused: the host ran out of space behind its "
				       "disk %s; free some there, or "
				       "use a smaller target",
			disks);
	else if (detail == VIR_DOMAIN_EVENT_SUSPENDED_IOERROR)
		what = g_strdup_printf("the guest was paused by an I/O error of its disk%s%s",
			disks ? " " : "", disks ? disks : "");
	else
		what = g_strdup("the guest was paused by somebody else");
	lose(guest, what);
}

static int on_lifecycle(
	virConnectPtr connection, virDomainPtr domain, int event, int detail, void *data)
{
	GuestSide *guest = whose(data, domain);

	if (!guest)
		return 0;
	if (event == VIR_DOMAIN_EVENT_STOPPED) {
		guest->gone = guest->removed = TRUE;
		lose(guest, stop_text(detail));
	} else if (event == VIR_DOMAIN_EVENT_CRASHED) {
		lose(guest, stop_text(VIR_DOMAIN_EVENT_STOPPED_CRASHED));
	} else if (event == VIR_DOMAIN_EVENT_SUSPENDED && guest->hello_ns >= 0) {
		/* Before its hello a guest is paused by libvirt itself, which starts it so. */
		paused(guest, domain, detail);
	}
	return 0;
}

static void on_removed(virConnectPtr connection, virDomainPtr domain, const char *alias, void *data)
{
	GuestSide *guest = whose(data, domain);

	if (guest)
		guest->removed = TRUE;
}

static void on_io_error(virConnectPtr connection, virDomainPtr domain, const char *path,
	const char *alias, int action, const char *reason, void *data)
{
	GuestSide *guest = whose(data, domain);
	g_autofree char *what = NULL;

	/* A reported error reaches the agent, whose message is the better one; a pause is all that
	 * it cannot tell. */
	if (!guest || action != VIR_DOMAIN_EVENT_IO_ERROR_PAUSE)
		return;
	if (g_strcmp0(reason, "enospc") == 0)
		what = g_strdup_printf("the guest was paused: the host ran out of space behind %s; "
				       "free some there, or use a smaller target",
			path);
	else
		what = g_strdup_printf("the guest was paused by an I/O error on %s", path);
	lose(guest, what);
}

static gboolean subscribe(
	Hypervisor *hypervisor, int event, virConnectDomainEventGenericCallback callback, GError **error)
{
	/* For all domains: there is none of ours before it starts, and it may be gone before one
	 * could ask for it. Once for all guests: libvirt takes a callback for all domains once. */
	int id = virConnectDomainEventRegisterAny(
		hypervisor->connection, NULL, event, callback, hypervisor, NULL);

	if (id < 0) {
		virt_set_error(error, "cannot subscribe to libvirt's events");
		return FALSE;
	}
	hypervisor->callbacks[hypervisor->n_callbacks++] = id;
	return TRUE;
}

static void unsubscribe(Hypervisor *hypervisor)
{
	while (hypervisor->n_callbacks > 0)
		virConnectDomainEventDeregisterAny(
			hypervisor->connection, hypervisor->callbacks[--hypervisor->n_callbacks]);
}

gboolean guest_events_register(GuestSide *guest, GError **error)
{
	Hypervisor *hypervisor = guest->hypervisor;

	g_ptr_array_add(hypervisor->listening, guest);
	if (hypervisor->listening->len > 1)
		return TRUE;
	if (subscribe(hypervisor, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
		    VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), error) &&
		subscribe(hypervisor, VIR_DOMAIN_EVENT_ID_IO_ERROR_REASON,
			VIR_DOMAIN_EVENT_CALLBACK(on_io_error), error) &&
		subscribe(hypervisor, VIR_DOMAIN_EVENT_ID_DEVICE_REMOVED,
			VIR_DOMAIN_EVENT_CALLBACK(on_removed), error))
		return TRUE;
	guest_events_deregister(guest);
	return FALSE;
}

void guest_events_deregister(GuestSide *guest)
{
	Hypervisor *hypervisor = guest->hypervisor;

	g_ptr_array_remove(hypervisor->listening, guest);
	if (hypervisor->listening->len == 0)
		unsubscribe(hypervisor);
}

char *guest_diagnose(const char *reason, gpointer data)
{
	GuestSide *guest = data;

	guest_wait(&guest->gone, DIAGNOSE_MS);
	return g_strdup(guest->reason);
}
