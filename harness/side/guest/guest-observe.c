/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies between a guest's load and the host, during one run: QEMU's block statistics, KVM's exits, how QEMU really does its I/O.
 *
 * The begin of a run must not be held up by QEMU: its part is read in a thread that is joined at the end, when everybody may
 * wait again. A QEMU that hangs is killed by guest_call, which ends that thread too.
 */
#include <fcntl.h>
#include <string.h>

#include "harness/side/guest/domain.h"
#include "harness/side/guest/guest-observe.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/virt-error.h"

#define READ_S 20
#define DEBUGFS "/sys/kernel/debug/kvm"

/* One reading. -1 = not known. */
typedef struct {
	gint64 reads, read_bytes, read_ns, writes, write_bytes, write_ns, flushes;
	gint64 exits;
} Counters;

struct GuestObservation {
	GuestSide *guest;
	GThread *thread;
	char *target; /* libvirt's name of the disk */
	Counters begin, end;
	GError *missed; /* why the begin could not be read; NULL = it was */
	ProcessIo before;
};

/* ---- QEMU's counters: in a thread ---------------- */

static void set_counter(const virTypedParameter *p, Counters *ret)
{
	const struct {
		const char *name;
		gint64 *value;
	} fields[] = {
		{VIR_DOMAIN_BLOCK_STATS_READ_REQ, &ret->reads},
		{VIR_DOMAIN_BLOCK_STATS_READ_BYTES, &ret->read_bytes},
		{VIR_DOMAIN_BLOCK_STATS_READ_TOTAL_TIMES, &ret->read_ns},
		{VIR_DOMAIN_BLOCK_STATS_WRITE_REQ, &ret->writes},
		{VIR_DOMAIN_BLOCK_STATS_WRITE_BYTES, &ret->write_bytes},
		{VIR_DOMAIN_BLOCK_STATS_WRITE_TOTAL_TIMES, &ret->write_ns},
		{VIR_DOMAIN_BLOCK_STATS_FLUSH_REQ, &ret->flushes},
	};

	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		if (p->type == VIR_TYPED_PARAM_LLONG && g_str_equal(p->field, fields[i].name))
			*fields[i].value = p->value.l;
}

static gboolean read_block(GuestSide *guest, const char *target, Counters *ret, GError **error)
{
	virTypedParameterPtr params = NULL;
	int n = 0;

	if (virDomainBlockStatsFlags(guest->domain, target, NULL, &n, 0) < 0 || n <= 0) {
		virt_set_error(error, "QEMU tells no block statistics");
		return FALSE;
	}
	params = g_new0(virTypedParameter, n);
	if (virDomainBlockStatsFlags(guest->domain, target, params, &n, 0) < 0) {
		virt_set_error(error, "QEMU tells no block statistics");
		g_free(params);
		return FALSE;
	}
	for (int i = 0; i < n; i++)
		set_counter(&params[i], ret);
	virTypedParamsClear(params, n);
	g_free(params);
	return TRUE;
}

/* The sum of vcpu.N.exits.sum, which libvirt has from QEMU's query-stats; -1 when there is none. */
static gint64 read_exits(GuestSide *guest)
{
	virDomainPtr domains[] = {guest->domain, NULL};
	virDomainStatsRecordPtr *records = NULL;
	gint64 exits = -1;

	if (virDomainListGetStats(domains, VIR_DOMAIN_STATS_VCPU, &records, 0) < 0)
		return -1;
	for (int i = 0; records && records[0] && i < records[0]->nparams; i++) {
		const virTypedParameter *p = &records[0]->params[i];

		if (p->type == VIR_TYPED_PARAM_ULLONG)
			observe_add_exits(p->field, p->value.ul, &exits);
	}
	virDomainStatsRecordListFree(records);
	return exits;
}

static gboolean read_counters(GuestSide *guest, const char *target, Counters *ret, GError **error)
{
	*ret = (Counters){-1, -1, -1, -1, -1, -1, -1, -1};
	if (!read_block(guest, target, ret, error))
		return FALSE;
	if (g_str_equal(guest->accel, "kvm")) {
		ret->exits = read_exits(guest);
		if (ret->exits < 0)
			ret->exits = observe_debugfs_exits(DEBUGFS, guest->pid);
	}
	return TRUE;
}

gboolean guest_observe_count(GuestSide *guest, const char *target, gint64 *ret_reads, gint64 *ret_writes, GError **error)
{
	Counters now;

	if (!read_counters(guest, target, &now, error))
		return FALSE;
	*ret_reads = now.reads;
	*ret_writes = now.writes;
	return TRUE;
}

static gpointer begin_thread(gpointer data)
{
	GuestObservation *o = data;

	read_counters(o->guest, o->target, &o->begin, &o->missed);
	return NULL;
}

static gboolean end_reading(GuestSide *guest, gpointer data, GError **error)
{
	GuestObservation *o = data;

	return read_counters(guest, o->target, &o->end, error);
}

/* ---- begin and end of a run ---------------- */

void guest_observe_drop(GuestSide *guest)
{
	GuestObservation *o = g_steal_pointer(&guest->observation);

	if (!o)
		return;
	if (o->thread)
		g_thread_join(o->thread);
	g_clear_error(&o->missed);
	g_free(o->target);
	g_free(o);
}

gint64 guest_observe_done(GuestSide *guest, gint64 count)
{
	GuestObservation *o = guest->observation;

	if (!o)
		return -1;
	/* Its thread had QEMU's answer before this caller had one. */
	g_thread_join(g_steal_pointer(&o->thread));
	return o->missed || count < o->begin.reads + o->begin.writes ? -1 : count - o->begin.reads - o->begin.writes;
}

void guest_observe_begin(Side *side, const SideDisk *asked)
{
	GuestSide *guest = (GuestSide *)side;
	const GuestDisk *disk = guest_disk_find(guest, asked->serial);
	GuestObservation *o;

	guest_observe_drop(guest);
	if (!disk || !guest->domain)
		return;
	o = g_new0(GuestObservation, 1);
	o->guest = guest;
	o->target = domain_disk_name(disk->bus, disk->slot);
	observe_process(guest->pid, &o->before);
	guest->observation = o;
	o->thread = g_thread_new("block statistics", begin_thread, o);
}

static void set_difference(Record *run, const char *column, gint64 begin, gint64 end)
{
	if (begin >= 0 && end >= begin)
		record_set_int(run, column, end - begin);
	else
		record_set_null(run, column);
}

static void set_counters(const Counters *begin, const Counters *end, Record *run)
{
	set_difference(run, "qemu_reads", begin->reads, end->reads);
	set_difference(run, "qemu_read_bytes", begin->read_bytes, end->read_bytes);
	set_difference(run, "qemu_read_ns", begin->read_ns, end->read_ns);
	set_difference(run, "qemu_writes", begin->writes, end->writes);
	set_difference(run, "qemu_write_bytes", begin->write_bytes, end->write_bytes);
	set_difference(run, "qemu_write_ns", begin->write_ns, end->write_ns);
	set_difference(run, "qemu_flushes", begin->flushes, end->flushes);
	set_difference(run, "kvm_exits", begin->exits, end->exits);
}

/* Why no counter of QEMU's is there. */
static void note_counters(const char *reason, Record *reasons)
{
	static const char *const columns[] = {"qemu_reads", "qemu_read_bytes", "qemu_read_ns", "qemu_writes", "qemu_write_bytes",
		"qemu_write_ns", "qemu_flushes", "kvm_exits"};

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		record_set_text(reasons, columns[i], reason);
}

static void note_exits(const GuestSide *guest, const Record *run, Record *reasons)
{
	g_autofree char *why = NULL;

	if (record_has(run, "kvm_exits"))
		return;
	why = observe_why_no_exits(g_str_equal(guest->accel, "kvm"), DEBUGFS);
	record_set_text(reasons, "kvm_exits", why);
}

static void set_aio(const GuestObservation *o, const ProcessIo *after, Record *run, Record *reasons)
{
	gint64 bytes = record_get_int(run, "qemu_read_bytes", 0) + record_get_int(run, "qemu_write_bytes", 0);
	gint64 operations = record_get_int(run, "qemu_reads", 0) + record_get_int(run, "qemu_writes", 0);
	const char *aio = observe_aio(&o->before, after, bytes, operations);

	record_set_text(run, "seen_aio", aio);
	if (!aio)
		record_set_text(reasons, "seen_aio",
			"too few operations reached QEMU, or its counters cannot be read, to tell how it did them");
}

void guest_observe_end(Side *side, const SideDisk *asked, Record *run, Record *reasons)
{
	GuestSide *guest = (GuestSide *)side;
	GuestObservation *o = guest->observation;
	g_autoptr(GError) error = NULL;
	GuestDisk *disk = guest_disk_find(guest, asked->serial);
	ProcessIo after;

	if (!disk)
		return;
	if (!o) {
		note_counters("QEMU's counters were not read when measuring began, since nobody told when that was", reasons);
		record_set_text(reasons, "seen_aio", "QEMU's counters were not read when measuring began, since nobody told when that was");
		guest_settings(guest, disk, asked, run, reasons);
		return;
	}
	observe_process(guest->pid, &after);
	if (!guest_call(guest, "reading block statistics", end_reading, o, READ_S, NULL, &error)) {
		note_counters(error->message, reasons);
		guest_observe_drop(guest);
		return;
	}
	g_thread_join(o->thread);
	o->thread = NULL;
	set_counters(&o->begin, &o->end, run);
	if (o->missed)
		note_counters(o->missed->message, reasons);
	note_exits(guest, run, reasons);
	/* Its descriptors are sockets, and their counters tell nothing of the ways of files. */
	if (asked->nbd_socket)
		record_set_text(reasons, "seen_aio", "QEMU's client of a network block device does no AIO on files");
	else
		set_aio(o, &after, run, reasons);
	guest_settings(guest, disk, asked, run, reasons);
	g_clear_error(&o->missed);
	g_free(o->target);
	g_clear_pointer(&guest->observation, g_free);
}
