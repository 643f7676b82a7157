/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processors and others did meanwhile: EMULATED, THROTTLED. */
#include "guest-agent/common/bonnie.h"
#include "harness/check/private.h"

void check_emulated(const Record *leg, const CheckSink *sink)
{
	if (check_is(leg, "side", "guest") && check_is(leg, "accel", "tcg"))
		check_flag(sink, "EMULATED", "accel=tcg");
}

static void check_steal(const Record *run, const char *column, const char *whose, const CheckSink *sink)
{
	double share = check_get(run, column) / check_get(run, "ns");

	if (!(share > CHECK_STEAL))
		return;
	g_autofree char *text = check_percent(share);

	check_flag(sink, "THROTTLED", "others took %s of a processor's time from the %s (steal)", text, whose);
}

static double sum(const Record *run, const char *a, const char *b)
{
	return check_get(run, a) + check_get(run, b);
}

/*
 * What other processes had of the host's processors: the time in which these were not idle, for the kernel measures that, while its
 * user and system times are counts of ticks (off by 10 % in a run of 1.5 s, where a guest's timers beat with them). The kernel's own
 * threads are not others: a loop device's does the run's work outside of its process and alone takes a quarter of two processors.
 * Nor are interrupts, which at a high rate are the run's, nor steal, which is looked at by itself.
 */
static void check_load(const Record *leg, const Record *run, guint cpus, const CheckSink *sink)
{
	gboolean guest = check_is(leg, "side", "guest");
	double idle = guest ? sum(run, "host_idle_ns", "host_iowait_ns") : sum(run, "machine_idle_ns", "machine_iowait_ns");
	double stolen = guest ? sum(run, "host_irq_ns", "host_steal_ns") : sum(run, "machine_irq_ns", "machine_steal_ns");
	double busy = check_get(run, "ns") * cpus - idle - stolen;
	double own = guest ? sum(run, "qemu_user_ns", "qemu_system_ns") : sum(run, "load_user_ns", "load_system_ns");
	/* What else was measured at the same time is no other load. */
	double asked = record_get_real(run, "other_guests_cpu_ns", 0);
	double others = busy - own - asked - check_get(run, "host_kthread_ns");
	double share = others / (check_get(run, "ns") * cpus);

	if (!(share > CHECK_OTHER))
		return;
	g_autofree char *text = check_percent(share);

	check_flag(sink, "THROTTLED", "other load: %s of the time of the host's %u processors was spent by other processes than this run's", text,
		cpus);
}

static void check_frequency(const Record *run, const CheckSink *sink)
{
	double now = check_get(run, "host_khz"), base = check_get(run, "host_base_khz");
	gint64 events = record_get_int(run, "host_throttle_events", 0);

	if (events > 0)
		check_flag(sink, "THROTTLED", "the host's processors were slowed down for heat %" G_GINT64_FORMAT " times", events);
	if (now < 0.9 * base)
		check_flag(sink, "THROTTLED", "even the fastest of the host's processors ran at %.0f MHz, under 90 %% of its base of %.0f MHz", now / 1e3,
			base / 1e3);
}

/* bonnie++ writes what it reads then. */
static gboolean reads_only(const Record *leg)
{
	return (check_is(leg, "rw", "read") || check_is(leg, "rw", "randread")) && !bonnie_is(record_get_text(leg, "engine"));
}

static void say_device(double bytes, double own, const char *what, const CheckSink *sink)
{
	if (!(own > 0) || !(bytes > CHECK_OTHER * own))
		return;
	g_autofree char *others = check_number(bytes / (1 << 20), 1);
	g_autofree char *mine = check_number(own / (1 << 20), 1);

	check_flag(sink, "THROTTLED", "other load on the device: %s MiB %s by others beside %s MiB of this run", others, what, mine);
}

static void check_device(const Record *leg, const Record *run, const CheckSink *sink)
{
	double own = check_get(run, "process_read_bytes") + record_get_real(run, "other_guests_bytes", 0);

	if (!reads_only(leg))
		return;
	say_device(check_get(run, "host_device_read_bytes") - own, own, "read", sink);
	say_device(check_get(run, "host_device_write_bytes"), own, "written", sink);
}

void check_throttled(const Record *leg, const Record *run, guint cpus, const CheckSink *sink)
{
	check_steal(run, "machine_steal_ns", check_is(leg, "side", "guest") ? "guest" : "host", sink);
	check_steal(run, "host_steal_ns", "host", sink);
	/* The server of an nbd target, and the program that shows it as a file, work for the run outside of it. */
	if (cpus && !check_is(leg, "target_type", "nbd"))
		check_load(leg, run, cpus, sink);
	check_frequency(run, sink);
	check_device(leg, run, sink);
}
