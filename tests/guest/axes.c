/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For axes.sh: every disk that a profile can ask for is given to a real QEMU, many to a domain, and
 * read back from libvirt's live XML, from QEMU's own command line and by QMP; and every combination
 * that the planner refuses is refused by libvirt or QEMU too. The domains are started paused: no
 * vCPU ever runs.
 *
 * usage: axes FOLDER     (for images; its file system must take direct I/O). Prints TAP.
 */
#include <linux/io_uring.h>
#include <sys/syscall.h>

#include "harness/base/subprocess.h"
#include "tests/guest/axes-batch.h"

#define VIRTIO_BATCH 24 /* PCI slots of a pc, less what the machine itself takes */
#define SCSI_BATCH 64

/* ---- the points that must work --------------------------------------------------------------- */

static const char *const caches[] = {"none", "writeback", "writethrough", "directsync", "unsafe"};
static const char *const ios[] = {"threads", "native", "io_uring"};
static const char *const formats[] = {"raw", "qcow2"};

static SideDisk plain(const char *bus)
{
	return (SideDisk){.bus = bus,
		.cache = "none",
		.io = "threads",
		.format = "raw",
		.iothread = -1,
		.ioeventfd = -1,
		.queues = -1,
		.event_idx = -1,
		.packed = -1,
		.logical_block_size = 512};
}

static gboolean possible(const char *cache, const char *io)
{
	if (g_str_equal(io, "io_uring"))
		return have_io_uring;
	return !g_str_equal(io, "native") || g_str_equal(cache, "none") ||
	       g_str_equal(cache, "directsync");
}

/* QEMU starts them, with the disk's write cache on all the same: the planner refuses what would not be as asked. */
static gboolean usb_keeps_cache(const SideDisk *disk)
{
	return g_str_equal(disk->bus, "usb") &&
	       (g_str_equal(disk->cache, "writethrough") || g_str_equal(disk->cache, "directsync"));
}

/*
 * Every cache, io and format for this disk, and every sector size where the bus has more than one;
 * or every STEP-th of these, from the FIRST: a step that divides none of their numbers still meets
 * each value.
 */
static void add_modes(
	Batch *batch, SideDisk disk, guint first, guint step, guint most, guint *points)
{
	guint n = 0;

	for (guint c = 0; c < G_N_ELEMENTS(caches); c++)
		for (guint i = 0; i < G_N_ELEMENTS(ios); i++)
			for (guint f = 0; f < 2; f++)
				for (guint sector = 512; sector <= 4096; sector *= 8) {
					disk.cache = caches[c];
					disk.io = ios[i];
					disk.format = formats[f];
					disk.logical_block_size = sector;
					if (!possible(disk.cache, disk.io) || usb_keeps_cache(&disk) ||
						(sector > 512 &&
							!g_str_has_prefix(disk.bus, "virtio")) ||
						n++ % step != first)
						continue;
					if (batch->disks->len == most)
						batch_check(batch);
					batch_add(batch, disk);
					++*points;
				}
}

/* iothread, ioeventfd, queues that go together; the first meets every mode, the others every
 * STEP-th; the last is "all left to libvirt". */
#define STEP 7
static const int settings[STEP][3] = {
	{1, 1, 4},
	{0, 0, 1},
	{0, 1, 1},
	{1, 1, 1},
	{0, 0, 4},
	{0, 1, 4},
	{-1, -1, -1},
};

static void test_virtio(const char *machine)
{
	g_auto(Batch) batch = {0};
	guint points = 0;
	g_autofree char *what = NULL;

	batch_init(&batch, machine);
	for (guint s = 0; s < G_N_ELEMENTS(settings); s++) {
		SideDisk disk = plain("virtio");

		disk.iothread = settings[s][0];
		disk.ioeventfd = settings[s][1];
		disk.queues = settings[s][2];
		add_modes(&batch, disk, s, s ? STEP : 1, VIRTIO_BATCH, &points);
	}
	batch_check(&batch);
	what = g_strdup_printf("%u virtio disks on %s are as asked", points, machine);
	result(what);
}

static void test_scsi(const char *machine)
{
	g_auto(Batch) batch = {0};
	guint points = 0;
	g_autofree char *what = NULL;

	batch_init(&batch, machine);
	batch.spec.scsi_controller = TRUE;
	for (guint s = 0; s < G_N_ELEMENTS(settings); s++) {
		SideDisk disk = plain("virtio-scsi");

		disk.iothread = batch.spec.scsi_iothread = settings[s][0];
		disk.ioeventfd = batch.spec.scsi_ioeventfd = settings[s][1];
		disk.queues = batch.spec.scsi_queues = settings[s][2];
		add_modes(&batch, disk, s, s ? STEP : 1, SCSI_BATCH, &points);
		batch_check(&batch);
	}
	what = g_strdup_printf("%u virtio-scsi disks on %s are as asked", points, machine);
	result(what);
}

static void test_cold(const char *bus, const char *machine, guint most)
{
	g_auto(Batch) batch = {0};
	guint points = 0;
	g_autofree char *what = NULL;

	batch_init(&batch, machine);
	add_modes(&batch, plain(bus), 0, 1, most, &points);
	batch_check(&batch);
	what = g_strdup_printf(
		"%u %s disks on %s are as asked, %u to a boot", points, bus, machine, most);
	result(what);
}

/* Every value of the settings of rings, sizes and identity, two values of each beside each other on every bus that has them. */
static void test_more(const char *bus, const char *machine, guint most)
{
	gboolean virtio = g_str_equal(bus, "virtio"), scsi = g_str_equal(bus, "virtio-scsi"), usb = g_str_equal(bus, "usb");
	g_auto(Batch) batch = {0};
	g_autofree char *what = g_strdup_printf("%s on %s: rings, sectors, discard and rotation rate are as asked", bus, machine);

	batch_init(&batch, machine);
	batch.spec.scsi_controller = scsi;
	for (int n = 0; n < 16; n++) {
		SideDisk disk = plain(bus);

		disk.event_idx = virtio ? n & 1 : -1;
		disk.packed = virtio ? n >> 1 & 1 : scsi ? n >> 3 : -1;
		disk.queue_size = virtio && n & 4 ? 2 << n / 2 : 0;
		disk.physical_block_size = n & 2 && !usb ? 4096 : 0;
		disk.logical_block_size = n & 4 && (virtio || scsi) ? 4096 : 512;
		disk.discard = n & 1 ? "unmap" : "ignore";
		disk.rotation_rate = virtio || usb ? 0 : n & 4 ? 7200 : n & 1;
		/* The controller has one way for all of its disks. */
		if (batch.disks->len == most || (scsi && n == 8))
			batch_check(&batch);
		batch.spec.scsi_packed = scsi ? disk.packed : -1;
		batch_add(&batch, disk);
	}
	batch_check(&batch);
	result(what);
}

/* ---- the points that must not ---------------------------------------------------------------- */

/* Whoever refuses it, at definition or at start: the message must tell that it is for this reason.
 */
static void refused(Batch *batch, const char *xml, const char *what, const char *pattern)
{
	if (batch_start_text(batch, xml))
		g_string_append_printf(wrong, "it starts\n");
	else if (!g_regex_match_simple(pattern, libvirt_says(), 0, 0))
		g_string_append_printf(wrong, "the reason is another: %s\n", libvirt_says());
	result(what);
}

static void refused_disk(
	const char *machine, SideDisk disk, guint copies, const char *what, const char *pattern)
{
	g_auto(Batch) batch = {0};
	g_autofree char *xml = NULL;

	batch_init(&batch, machine);
	for (guint i = 0; i < copies; i++)
		batch_add(&batch, disk);
	if (g_str_equal(disk.bus, "virtio-scsi")) {
		batch.spec.scsi_controller = TRUE;
		batch.spec.scsi_iothread = disk.iothread;
		batch.spec.scsi_ioeventfd = disk.ioeventfd;
	}
	xml = batch_text(&batch);
	refused(&batch, xml, what, pattern);
}

/* What domain_xml never writes: OLD in the document of a plain disk replaced by NEW. */
static void refused_edit(
	const char *bus, const char *old, const char *new, const char *what, const char *pattern)
{
	g_auto(Batch) batch = {0};
	g_autofree char *xml = NULL;
	g_autofree char *edited = NULL;
	g_auto(GStrv) parts = NULL;
	SideDisk disk = plain(bus);

	batch_init(&batch, "pc");
	batch.spec.scsi_controller = g_str_equal(bus, "virtio-scsi");
	if (strstr(new, "shareable"))
		disk.format = "qcow2";
	batch_add(&batch, disk);
	xml = batch_text(&batch);
	parts = g_strsplit(xml, old, 2);
	if (g_strv_length(parts) != 2)
		g_error("nothing to replace in %s", xml);
	edited = g_strjoinv(new, parts);
	refused(&batch, edited, what, pattern);
}

static void test_native_needs_direct(void)
{
	static const char *const buses[] = {"virtio", "virtio-scsi", "ide", "sata"};

	for (guint b = 0; b < G_N_ELEMENTS(buses); b++)
		for (guint c = 0; c < G_N_ELEMENTS(caches); c++) {
			SideDisk disk = plain(buses[b]);
			g_autofree char *what = g_strdup_printf(
				"%s: io native with cache %s is refused", buses[b], caches[c]);

			disk.io = "native";
			disk.cache = caches[c];
			if (!possible(disk.cache, disk.io))
				refused_disk("pc", disk, 1, what,
					"io='native' needs either no disk cache or "
					"directsync|aio=native was specified");
		}
}

static void test_not_of_this_bus(void)
{
	static const char *const buses[] = {"ide", "sata"};

	for (guint b = 0; b < G_N_ELEMENTS(buses); b++) {
		g_autofree char *upper = g_ascii_strup(buses[b], -1);
		g_autofree char *sectors =
			g_strdup_printf("%s: 4096-byte sectors are refused", upper);
		g_autofree char *queues = g_strdup_printf("%s: queues are refused", upper);
		g_autofree char *iothread = g_strdup_printf("%s: an iothread is refused", upper);
		g_autofree char *ioeventfd = g_strdup_printf("%s: ioeventfd is refused", upper);
		SideDisk disk = plain(buses[b]);

		disk.logical_block_size = 4096;
		refused_disk("pc", disk, 1, sectors,
			"must be a multiple of logical_block_size|logical_block_size must be 512");
		disk = plain(buses[b]);
		disk.queues = 4;
		refused_disk("pc", disk, 1, queues, "queues.*only supported by virtio");
		disk = plain(buses[b]);
		disk.iothread = 1;
		refused_disk("pc", disk, 1, iothread, "(?i)iothread");
		disk = plain(buses[b]);
		disk.ioeventfd = 0;
		refused_disk("pc", disk, 1, ioeventfd, "ioeventfd");
	}
	refused_edit("virtio-scsi", "io=\"threads\"", "io=\"threads\" queues=\"4\"",
		"virtio-scsi: queues on the disk are refused", "queues.*only supported by virtio");
	refused_edit("virtio-scsi", "io=\"threads\"", "io=\"threads\" iothread=\"1\"",
		"virtio-scsi: an iothread on the disk is refused", "(?i)iothread");
	refused_edit("virtio-scsi", "io=\"threads\"", "io=\"threads\" ioeventfd=\"on\"",
		"virtio-scsi: ioeventfd on the disk is refused", "ioeventfd");
}

static void test_other_refusals(void)
{
	SideDisk disk = plain("virtio");

	disk.iothread = 1;
	disk.ioeventfd = 0;
	disk.queues = 1;
	refused_disk(
		"pc", disk, 1, "virtio: an iothread without ioeventfd is refused", "ioeventfd");
	disk.bus = "virtio-scsi";
	refused_disk("pc", disk, 1, "virtio-scsi: an iothread without ioeventfd is refused",
		"ioeventfd");
	refused_disk("q35", plain("ide"), 1, "IDE on q35 is refused",
		"IDE controllers are unsupported|ide");
	refused_disk("pc", plain("ide"), 5, "a fifth IDE disk is refused", "(?i)ide");
	refused_edit("virtio", "bus=\"virtio\"", "bus=\"nvme\"", "bus nvme is refused", "nvme");
	disk = plain("virtio");
	disk.queue_size = 100;
	refused_disk("pc", disk, 1, "a queue size that is no power of two is refused", "power of 2");
	disk = plain("virtio");
	disk.rotation_rate = 7200;
	refused_disk("pc", disk, 1, "virtio: a rotation rate is refused", "rotation");
	disk = plain("usb");
	disk.rotation_rate = 7200;
	refused_disk("pc", disk, 1, "usb: a rotation rate is refused", "rotation");
	disk = plain("sata");
	disk.event_idx = 0;
	refused_disk("pc", disk, 1, "sata: event_idx is refused", "event_idx");
	disk = plain("sata");
	disk.packed = 1;
	refused_disk("pc", disk, 1, "sata: packed rings are refused", "packed|[Vv]irtio");
	disk = plain("virtio");
	disk.logical_block_size = 4096;
	disk.physical_block_size = 512;
	refused_disk("pc", disk, 1, "physical sectors below the logical ones are refused", "physical_block_size");
	refused_edit("virtio-scsi", "io=\"threads\"", "io=\"threads\" event_idx=\"off\"",
		"virtio-scsi: event_idx on the disk is refused", "event_idx");
	refused_edit("virtio", "<serial>", "<shareable/><serial>",
		"a shared qcow2 image is refused", "shared access");
}

/* ---- plugging in ----------------------------------------------------------------------------- */

static void attach(
	Batch *batch, const SideDisk *disk, guint slot, gboolean works, const char *pattern)
{
	g_autofree char *xml = domain_disk_xml(disk, slot);

	if ((virDomainAttachDeviceFlags(batch->domain, xml, VIR_DOMAIN_AFFECT_LIVE) == 0) ==
		works) {
		if (!works && !g_regex_match_simple(pattern, libvirt_says(), 0, 0))
			g_string_append_printf(wrong, "%s: the reason is another: %s\n", disk->bus,
				libvirt_says());
		return;
	}
	g_string_append_printf(wrong, "%s slot %u: %s\n", disk->bus, slot,
		works ? libvirt_says() : "it was plugged in");
}

static void attach_many(
	Batch *batch, const char *bus, guint first, guint n, gboolean works, const char *pattern)
{
	for (guint i = first; i < first + n; i++) {
		g_autofree char *serial = g_strdup_printf("plug-%s-%u", bus, i);
		SideDisk disk = plain(bus);

		disk.image = raw_image;
		disk.serial = serial;
		attach(batch, &disk, i, works, pattern);
	}
}

/* As many as there are root ports; and the buses that cannot, beside a disk that is there since the
 * start. */
static void test_plug(const char *machine, const char *cold)
{
	g_auto(Batch) batch = {0};
	g_autofree char *what = g_strdup_printf(
		"%s: 5 virtio and 9 virtio-scsi disks are plugged in, %s is refused", machine,
		cold);

	batch_init(&batch, machine);
	batch.spec.scsi_controller = TRUE;
	batch.spec.hotplug_slots = 5;
	batch_add(&batch, plain(cold));
	if (!batch_start(&batch))
		g_error("%s does not start: %s", machine, libvirt_says());
	attach_many(&batch, "virtio", 0, 5, TRUE, NULL);
	attach_many(&batch, "virtio-scsi", 0, 9, TRUE, NULL);
	attach_many(&batch, cold, 1, 1, FALSE, "cannot be hotplugged|does not support hotplugging");
	result(what);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void make_images(void)
{
	const char *const argv[] = {
		"qemu-img", "create", "-q", "-f", "qcow2", qcow2_image, "16M", NULL};
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents(raw_image, "", 0, NULL) || truncate(raw_image, IMAGE_SIZE) < 0)
		g_error("cannot make %s", raw_image);
	if (!subprocess_run(argv, 30, NULL, NULL, NULL, &error))
		g_error("%s", error->message);
}

static gboolean kernel_has_io_uring(void)
{
	struct io_uring_params params = {0};
	int fd = syscall(SYS_io_uring_setup, 1, &params);

	if (fd < 0)
		return FALSE;
	close(fd);
	return TRUE;
}

static void run_all(void)
{
	test_virtio("pc");
	test_scsi("pc");
	test_cold("ide", "pc", 4);
	test_cold("sata", "pc", 18);
	test_cold("sata", "q35", 18);
	test_cold("usb", "pc", 4);
	test_cold("usb", "q35", 4);
	test_more("virtio", "pc", VIRTIO_BATCH);
	test_more("virtio-scsi", "pc", SCSI_BATCH);
	test_more("ide", "pc", 4);
	test_more("sata", "q35", 18);
	test_more("usb", "pc", 4);
	test_plug("pc", "ide");
	test_plug("pc", "sata");
	test_plug("q35", "sata");
	test_native_needs_direct();
	test_not_of_this_bus();
	test_other_refusals();
	if (!have_io_uring)
		printf("ok %u - io_uring # SKIP this kernel refuses io_uring_setup\n", ++tap_count);
	printf("# %u domains\n1..%u\n", starts, tap_count);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Keeper) keeper = NULL;
	g_autoptr(Hypervisor) hypervisor = NULL;

	if (argc == 3 && g_str_equal(argv[1], "keeper"))
		return keeper_main(argv[2], hypervisor_destroy_domain);
	if (argc != 2)
		return 2;
	folder = argv[1];
	raw_image = g_build_filename(folder, "disk.raw", NULL);
	qcow2_image = g_build_filename(folder, "disk.qcow2", NULL);
	wrong = g_string_new(NULL);
	have_io_uring = kernel_has_io_uring();
	make_images();
	keeper = keeper_start(&error);
	hypervisor = keeper ? hypervisor_open(NULL, keeper, &error) : NULL;
	if (!hypervisor) {
		fprintf(stderr, "%s\n", error->message);
		return 1;
	}
	connection = hypervisor->connection;
	run_all();
	return tap_failed;
}
