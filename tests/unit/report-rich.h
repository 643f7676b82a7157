/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep with everything that a page can show: series over time, QEMU's threads, a boot with its XML, a mixed load, crossings.
 * Part of report-fixture.h, which has what it is built of.
 *
 * Each I/O takes a constant time and a time for each byte: direct 20 us and 0.5 ns, buffered 2 us and 1 ns on the host, so
 * that both cross at 36000 bytes; a guest adds 80 us (virtio) or 380 us (ide). Block r is faster by r/100.
 */
#ifndef IOGAP_TEST_REPORT_RICH_H
#define IOGAP_TEST_REPORT_RICH_H

#define RICH_BLOCKS 3

static double rich_ns(const char *bus, gint64 size, gboolean direct, guint block)
{
	double ns = (direct ? 20000 : 2000) + (direct ? 0.5 : 1.0) * (double)size;

	ns += !bus ? 0 : g_str_equal(bus, "ide") ? 380000 : 80000;
	return ns / (1 + block / 100.0);
}

static gint64 rich_boot(Store *store, gint64 sweep, guint block)
{
	g_autoptr(Record) boot = record_new();
	GError *error = NULL;

	record_set_int(boot, "block", block);
	record_set_int(boot, "boot_no", 0);
	record_set_text(boot, "status", "finished");
	record_set_int(boot, "hello_ns", 2000000000 + block);
	record_set_text(boot, "accel", "kvm");
	record_set_text(boot, "machine", "pc");
	record_set_text(boot, "guest_kernel", "6.1.0-test");
	record_set_text(boot, "clocksource", "kvm-clock");
	record_set_real(boot, "clock_read_ns", 25 + block);
	record_set_real(boot, "null_io_ns", 90 + block);
	record_set_text(boot, "domain_xml", "<domain type='kvm'>\n  <name>a & b</name>\n</domain>\n");
	record_set_text(boot, "qemu_cmdline", "qemu-system-x86_64 -machine pc");
	return must(store_add_boot(store, sweep, boot, &error), &error);
}

static void rich_guest_columns(Record *run, guint ops)
{
	record_set_int(run, "qemu_user_ns", 300000000);
	record_set_int(run, "qemu_system_ns", 200000000);
	record_set_int(run, "qemu_vcpu_ns", 250000000);
	record_set_int(run, "qemu_iothread_ns", 0);
	record_set_int(run, "qemu_worker_ns", 150000000);
	record_set_int(run, "qemu_main_ns", 80000000);
	record_set_int(run, "qemu_other_ns", 15000000);
	record_set_int(run, "qemu_unseen_ns", 5000000);
	record_set_int(run, "qemu_voluntary_switches", 3 * ops);
	record_set_int(run, "qemu_involuntary_switches", ops / 2);
	/* Each I/O is two requests for the guest's disk, one for QEMU, and half a one for the host's device, which merged. */
	record_set_int(run, "device_reads", 2 * ops);
	record_set_int(run, "device_writes", 0);
	record_set_int(run, "device_read_bytes", 8192 * ops);
	record_set_int(run, "device_write_bytes", 0);
	record_set_int(run, "device_interrupts", ops / 10);
	record_set_int(run, "machine_interrupts", ops);
	record_set_int(run, "machine_steal_ns", 30000000);
	record_set_int(run, "qemu_reads", ops);
	record_set_int(run, "qemu_writes", 0);
	record_set_int(run, "host_device_reads", ops / 2);
	record_set_int(run, "host_device_read_bytes", 16384 * (ops / 2));
	record_set_int(run, "host_device_read_merges", ops / 2);
	record_set_int(run, "host_device_writes", 0);
	record_set_int(run, "host_device_write_bytes", 0);
	record_set_int(run, "host_device_write_merges", 0);
	record_set_int(run, "host_interrupts", 3 * ops);
	record_set_int(run, "host_steal_ns", 10000000);
	record_set_int(run, "kvm_exits", 4 * ops);
	record_set_text(run, "seen_bus", "virtio");
	record_set_text(run, "seen_aio", "native");
	record_set_int(run, "seen_queues", 1);
	record_set_int(run, "seen_logical_block_size", 512);
}

/* Ten steps, the last two slower; of a mixed load three quarters are reads. */
static char *rich_series(double bytes, gboolean mixed)
{
	GString *reads = g_string_new(NULL), *writes = g_string_new(NULL);
	char *text;

	for (guint i = 0; i < 10; i++) {
		gint64 step = (gint64)(bytes / 10 * (i < 8 ? 1.1 : 0.6));
		gint64 written = mixed ? step / 4 : 0;

		g_string_append_printf(reads, "%s%" G_GINT64_FORMAT, i ? "," : "", step - written);
		g_string_append_printf(writes, "%s%" G_GINT64_FORMAT, i ? "," : "", written);
	}
	text = g_strdup_printf(
		"{\"interval_ns\":100000000,\"read_bytes\":[%s],\"write_bytes\":[%s]}", reads->str, writes->str);
	g_string_free(reads, TRUE);
	g_string_free(writes, TRUE);
	return text;
}

static void rich_mix(StoreRun *run, guint ops, gint64 size)
{
	g_autofree Hist *hist = g_new(Hist, 1);
	guint writes = ops / 4;

	record_set_int(run->run, "ops_read", ops - writes);
	record_set_int(run->run, "ops_write", writes);
	record_set_int(run->run, "bytes_read", (ops - writes) * size);
	record_set_int(run->run, "bytes_written", writes * size);
	g_ptr_array_set_size(run->hists, 0);
	fill_hist(hist, ops - writes, 900000000u / ops);
	store_run_add_hist(run, "read", "complete", hist);
	fill_hist(hist, writes, 1800000000u / ops);
	store_run_add_hist(run, "write", "complete", hist);
}

static void rich_leg(Store *store, gint64 leg, const gint64 *boots, LegSpec spec)
{
	for (guint block = 0; block < RICH_BLOCKS; block++) {
		guint ops = lround(1e9 / rich_ns(spec.bus, spec.block_size, spec.direct, block));
		g_autoptr(StoreRun) run = full_run(block, spec.bus != NULL, "read", spec.block_size, ops);
		gboolean mixed = g_str_equal(spec.rw, "randrw");
		GError *error = NULL;

		record_set_int(run->run, "started_unix_ns", G_GINT64_CONSTANT(1764532934000000000) + leg * 1500000000 + block * 20000000000);
		record_set_real(run->run, "depth_mean", 1);
		if (spec.bus)
			rich_guest_columns(run->run, ops);
		if (mixed)
			rich_mix(run, ops, spec.block_size);
		if (spec.bus && spec.direct && block == 1)
			store_run_add_flag(run, "NOT_STEADY", "five windows range over 45 %");
		run->series = rich_series((double)ops * spec.block_size, mixed);
		must(store_add_run(store, leg, spec.bus ? boots[block] : -1, run, &error), &error);
	}
}

static gint64 make_rich(Store *store)
{
	static const gint64 sizes[] = {4096, 32768, 262144};
	static const char *const buses[] = {"virtio", "ide"};
	gint64 sweep = add_sweep(store, "rich", "kvm", "finished", RICH_BLOCKS);
	g_autoptr(Record) changes = record_new();
	gint64 boots[RICH_BLOCKS];
	GError *error = NULL;

	record_set_text(changes, "profile_text", "name: rich\ntargets: [{name: scratch, type: file, size: 1G}]\n");
	record_set_text(changes, "host_kernel", "6.18.0-test");
	record_set_text(changes, "absent_json", "{\"host_khz\":[\"the host does not tell\"],\"host_base_khz\":[\"the host does not tell\"]}");
	record_set_text(changes, "environment_json", "{\"host\":{\"governor\":\"performance\",\"disks\":[\"sda\",\"sdb\"]}}");
	g_assert_true(store_update_sweep(store, sweep, changes, &error));
	for (guint block = 0; block < RICH_BLOCKS; block++)
		boots[block] = rich_boot(store, sweep, block);
	for (guint i = 0; i < 7; i++) {
		LegSpec spec = {.target = "scratch", .rw = i < 6 ? "read" : "randrw", .direct = i % 2 == 0,
			.block_size = sizes[i / 2 % 3]};
		gint64 host = add_leg(store, sweep, spec);

		rich_leg(store, host, boots, spec);
		for (guint k = 0; k < 2; k++) {
			spec.host = host;
			spec.bus = buses[k];
			spec.cache = "none";
			rich_leg(store, add_leg(store, sweep, spec), boots, spec);
		}
	}
	return sweep;
}

#endif
