/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be seen from the host of a guest that does not answer: it is lost in any case, but the stored reason should tell why.
 * Nothing here may wait for a QEMU that hangs; guest_call kills one that does.
 */
#include <libvirt/libvirt-qemu.h>
#include <stdlib.h>
#include <string.h>

#include "harness/side/guest/domain.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/silence.h"

#define LOOK_S 10
#define BETWEEN_MS 2000

typedef struct {
	const char *target; /* libvirt's name of the disk; NULL = there is none */
	const char *serial; /* of a virtio disk; NULL = it is none */
	SilenceLook look;
	const char *state; /* static */
} Visit;

static const char *state_text(GuestSide *guest)
{
	int state = 0;

	if (virDomainGetState(guest->domain, &state, NULL, 0) < 0)
		return "libvirt does not know its state";
	switch (state) {
	case VIR_DOMAIN_RUNNING:
		return "for libvirt the guest is running";
	case VIR_DOMAIN_PAUSED:
		return "for libvirt the guest is paused";
	case VIR_DOMAIN_CRASHED:
		return "for libvirt the guest has crashed";
	default:
		return "for libvirt the guest is not running";
	}
}

/* The 16-bit word at guest-physical ADDRESS, -1 when QEMU does not tell: "000000007c4f2002: 0x1a2b". */
static gint peek(GuestSide *guest, guint64 address)
{
	g_autofree char *command = g_strdup_printf("xp /1hx 0x%" G_GINT64_MODIFIER "x", address);
	char *answer = NULL;
	const char *colon;
	gint word = -1;

	if (virDomainQemuMonitorCommand(guest->domain, command, &answer, VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP) < 0)
		return -1;
	colon = strstr(answer, ": 0x");
	if (colon)
		word = (gint)g_ascii_strtoull(colon + 4, NULL, 16) & 0xffff;
	free(answer);
	return word;
}

static guint64 number(const json_t *status, const char *key)
{
	return (guint64)json_integer_value(json_object_get(status, key));
}

/* Its first queue, which is the only one in a guest of one vCPU. The command is there from QEMU 7.2 on. */
static void look_at_queue(GuestSide *guest, const char *serial, SilenceQueue *ret)
{
	g_autofree char *alias = guest_disk_alias(guest, serial);
	/* Without an alias it ends early, and QEMU refuses it. */
	g_autofree char *path = g_strjoin("/", "", "machine", "peripheral", alias, "virtio-backend", NULL);
	json_t *status = guest_ask(guest,
		json_pack("{ss s{ss si}}", "execute", "x-query-virtio-queue-status", "arguments", "path", path, "queue", 0));
	guint64 size = number(status, "vring-num"), avail = number(status, "vring-avail");

	if (json_is_integer(json_object_get(status, "last-avail-idx"))) {
		ret->taken = (gint)number(status, "last-avail-idx");
		ret->returned = (gint)number(status, "used-idx");
		ret->inuse = (gint)number(status, "inuse");
		/* The ring: flags, index, SIZE entries, used_event; all of 16 bits. */
		ret->offered = peek(guest, avail + 2);
		ret->wanted = peek(guest, avail + 4 + 2 * size);
	}
	json_decref(status);
}

/* In a thread. What QEMU does not tell stays unknown. */
static gboolean visit(GuestSide *guest, gpointer data, GError **error)
{
	Visit *visit = data;

	visit->state = state_text(guest);
	if (visit->target && !guest_observe_count(guest, visit->target, &visit->look.reads, &visit->look.writes, error))
		return FALSE;
	if (visit->serial)
		look_at_queue(guest, visit->serial, &visit->look.queue);
	return TRUE;
}

static const GuestDisk *latest_disk(const GuestSide *guest)
{
	const GuestDisk *latest = NULL;

	for (guint i = 0; i < guest->disks->len; i++) {
		const GuestDisk *disk = guest->disks->pdata[i];

		if (!latest || disk->last_used > latest->last_used)
			latest = disk;
	}
	return latest;
}

static char *look(GuestSide *guest, Visit *first, Visit *second)
{
	gint64 begin_us = g_get_monotonic_time();
	g_autoptr(GError) error = NULL;
	gint64 done;

	silence_cpu(guest->pid, &first->look.cpu);
	if (guest_call(guest, "looking at a silent guest", visit, first, LOOK_S, NULL, &error)) {
		done = guest_observe_done(guest, first->look.reads + first->look.writes);
		guest_wait(&guest->gone, BETWEEN_MS);
		silence_cpu(guest->pid, &second->look.cpu);
		if (!guest->gone && guest_call(guest, "looking at a silent guest", visit, second, LOOK_S, NULL, &error)) {
			g_autofree char *text = silence_text(&first->look, &second->look,
				(double)(g_get_monotonic_time() - begin_us) / G_USEC_PER_SEC, first->target ? first->target : "its disk", done);

			return g_strdup_printf("%s; %s", second->state, text);
		}
	}
	return g_strdup_printf("%s%s", first->look.cpu.state == 'T' ? "QEMU's process is stopped by a signal or a debugger; " : "",
		error ? error->message : "the guest has ended meanwhile");
}

char *guest_explain(const char *reason, gpointer data)
{
	GuestSide *guest = data;
	const GuestDisk *disk = latest_disk(guest);
	g_autofree char *target = disk ? domain_disk_name(disk->bus, disk->slot) : NULL;
	const char *serial = disk && g_str_equal(disk->bus, "virtio") ? disk->serial : NULL;
	g_autofree char *tail = console_tail(guest->console, 2);
	g_autofree char *text = NULL;
	Visit first = {.target = target, .serial = serial, .look = {.reads = -1, .writes = -1, .queue = SILENCE_QUEUE_UNKNOWN}}, second = first;

	if (!guest->domain || guest->stopping)
		return NULL;
	/* Whatever becomes of it from now on is no reason: it may be killed for not answering here. */
	guest->stopping = TRUE;
	text = look(guest, &first, &second);
	return g_strdup_printf("%s; its console ends with: %s", text, tail);
}
