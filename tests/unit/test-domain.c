/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domain XML: golden files (IOGAP_REGENERATE=1 writes them anew), every point of the axes against
 * libvirt's own schema, and texts that would break a document written by hand.
 */
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/xpath.h>

#include "harness/base/error.h"
#include "harness/side/guest/domain.h"

#define SCHEMA "/usr/share/libvirt/schemas/domain.rng"

static const SideDisk plain_disk = {
	.image = "/var/tmp/iogap/scratch.raw",
	.size = 1 << 30,
	.serial = "iogap-0123456789abcd",
	.bus = "virtio",
	.cache = "none",
	.io = "native",
	.format = "raw",
	.iothread = -1,
	.ioeventfd = -1,
	.queues = -1,
	.event_idx = -1,
	.packed = -1,
	.logical_block_size = 512,
};

static const DomainSpec plain_domain = {
	.name = "iogap-0a1b2c3d-0",
	.uuid = "6f0c1f6e-3c55-4b0e-9a53-0d7c7f0a9f11",
	.accel = "tcg",
	.machine = "pc",
	.kernel = "/var/cache/iogap/vmlinux",
	.initramfs = "/var/cache/iogap/initramfs",
	.cmdline = "console=ttyS0",
	.vcpus = 1,
	.memory = 256 << 20,
	.channel_socket = "/run/iogap/0a1b2c3d/agent.sock",
	.console_log = "/run/iogap/0a1b2c3d/console.log",
	.scsi_queues = -1,
	.scsi_iothread = -1,
	.scsi_ioeventfd = -1,
	.scsi_packed = -1,
};

/* ---- the schema, parsed once ----------------------------------------------------------------- */

static xmlRelaxNGPtr schema;
static GString *complaints;

static void complain(void *data, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void complain(void *data, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_string_append_vprintf(complaints, format, args);
	va_end(args);
}

static void load_schema(void)
{
	xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(SCHEMA);

	complaints = g_string_new(NULL);
	g_assert_nonnull(parser);
	xmlRelaxNGSetParserErrors(parser, complain, complain, NULL);
	schema = xmlRelaxNGParse(parser);
	if (!schema)
		g_error("cannot load %s: %s", SCHEMA, complaints->str);
	xmlRelaxNGFreeParserCtxt(parser);
}

static xmlDocPtr parse(const char *xml)
{
	xmlDocPtr doc = xmlReadMemory(xml, strlen(xml), NULL, NULL, XML_PARSE_NONET);

	if (!doc)
		g_error("not XML: %s", xml);
	return doc;
}

static gboolean fits_schema(const char *xml)
{
	xmlDocPtr doc = parse(xml);
	xmlRelaxNGValidCtxtPtr validator = xmlRelaxNGNewValidCtxt(schema);
	int rc;

	g_string_truncate(complaints, 0);
	xmlRelaxNGSetValidErrors(validator, complain, complain, NULL);
	rc = xmlRelaxNGValidateDoc(validator, doc);
	xmlRelaxNGFreeValidCtxt(validator);
	xmlFreeDoc(doc);
	return rc == 0;
}

static void must_fit_schema(const char *xml)
{
	if (!fits_schema(xml))
		g_error("libvirt's schema refuses:\n%s\n%s", xml, complaints->str);
}

/* The text of the node that PATH finds in XML, or NULL. */
static char *find(const char *xml, const char *path)
{
	xmlDocPtr doc = parse(xml);
	xmlXPathContextPtr context = xmlXPathNewContext(doc);
	xmlXPathObjectPtr result = xmlXPathEvalExpression(BAD_CAST path, context);
	char *found = NULL;

	g_assert_nonnull(result);
	if (!xmlXPathNodeSetIsEmpty(result->nodesetval)) {
		xmlChar *content = xmlNodeGetContent(result->nodesetval->nodeTab[0]);

		found = g_strdup((const char *)content);
		xmlFree(content);
	}
	xmlXPathFreeObject(result);
	xmlXPathFreeContext(context);
	xmlFreeDoc(doc);
	return found;
}

static void assert_found(const char *xml, const char *path, const char *expected)
{
	g_autofree char *found = find(xml, path);

	g_assert_cmpstr(found, ==, expected);
}

/* ---- golden files ---------------------------------------------------------------------------- */

static void golden(const char *name, const char *xml)
{
	const char *source = g_getenv("IOGAP_SRC");
	g_autofree char *file =
		g_strdup_printf("%s/tests/data/domain/%s.xml", source ? source : ".", name);
	g_autofree char *expected = NULL;
	g_autoptr(GError) error = NULL;

	if (g_getenv("IOGAP_REGENERATE"))
		g_assert_true(g_file_set_contents(file, xml, -1, NULL));
	g_file_get_contents(file, &expected, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(xml, ==, expected);
}

static void golden_domain(const char *name, const DomainSpec *spec)
{
	g_autofree char *xml = domain_xml(spec);
	g_autoptr(GError) error = NULL;

	domain_check(spec, &error);
	g_assert_no_error(error);
	must_fit_schema(xml);
	golden(name, xml);
}

static void test_golden_pc(void)
{
	SideDisk disks[2] = {plain_disk, plain_disk};
	DomainSpec spec = plain_domain;

	disks[0].bus = "ide";
	disks[1].bus = "ide";
	disks[1].cache = "writeback";
	disks[1].io = "threads";
	disks[1].serial = "iogap-0123456789abce";
	spec.title = "iogap quick, boot 1 of 2";
	spec.disks = disks;
	spec.n_disks = G_N_ELEMENTS(disks);
	golden_domain("pc-tcg-ide", &spec);
}

static void test_golden_q35(void)
{
	SideDisk disks[8];
	DomainSpec spec = plain_domain;

	for (guint i = 0; i < G_N_ELEMENTS(disks); i++) {
		disks[i] = plain_disk;
		disks[i].bus = "sata";
	}
	disks[7].block = TRUE;
	disks[7].image = "/dev/vg0/scratch";
	spec.accel = "kvm";
	spec.machine = "q35";
	spec.emulator = "/usr/bin/qemu-system-x86_64";
	spec.vcpus = 4;
	spec.iothreads = 1;
	spec.hotplug_slots = 2;
	spec.scsi_controller = TRUE;
	spec.scsi_queues = 4;
	spec.scsi_iothread = 1;
	spec.scsi_ioeventfd = 1;
	spec.disks = disks;
	spec.n_disks = G_N_ELEMENTS(disks);
	golden_domain("q35-kvm-sata-scsi", &spec);
}

static void test_golden_xen(void)
{
	SideDisk disks[3] = {plain_disk, plain_disk, plain_disk};
	DomainSpec spec = plain_domain;
	g_autofree char *xml = NULL;

	disks[1].format = "qcow2";
	disks[1].iothread = 1;
	disks[1].queue_size = 64;
	disks[1].discard = "unmap";
	disks[2].block = TRUE;
	disks[2].image = "/dev/vg0/scratch";
	spec.disks = disks;
	spec.n_disks = G_N_ELEMENTS(disks);
	xml = domain_xen_xml(&spec);
	must_fit_schema(xml);
	golden("xen", xml);
}

static void test_nbd_fits(void)
{
	SideDisk disks[2] = {plain_disk, plain_disk};
	DomainSpec spec = plain_domain;
	g_autofree char *xml = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(disks); i++) {
		disks[i].nbd_socket = "/run/iogap/0a1b2c3d/t.sock";
		disks[i].io = "network";
	}
	disks[1].bus = "usb";
	spec.disks = disks;
	spec.n_disks = G_N_ELEMENTS(disks);
	xml = domain_xml(&spec);
	must_fit_schema(xml);
	assert_found(xml, "//disk[1]/source/host/@socket", "/run/iogap/0a1b2c3d/t.sock");
	assert_found(xml, "//disk[1]/driver/@io", NULL);
}

static void test_golden_disks(void)
{
	SideDisk disk = plain_disk;
	g_autofree char *virtio = NULL;
	g_autofree char *scsi = NULL;
	g_autofree char *nbd = NULL;

	disk.iothread = 1;
	disk.ioeventfd = 1;
	disk.queues = 4;
	disk.logical_block_size = 4096;
	disk.iops_limit = 1500;
	disk.event_idx = 0;
	disk.packed = 1;
	disk.queue_size = 128;
	disk.discard = "unmap";
	virtio = domain_disk_xml(&disk, 27);
	golden("disk-virtio", virtio);

	disk.bus = "virtio-scsi";
	disk.rotation_rate = 7200;
	disk.format = "qcow2";
	disk.io = "io_uring";
	disk.iops_limit = -1;
	scsi = domain_disk_xml(&disk, 9);
	golden("disk-virtio-scsi", scsi);

	disk = plain_disk;
	disk.nbd_socket = "/run/iogap/0a1b2c3d/t.sock";
	disk.io = "network";
	nbd = domain_disk_xml(&disk, 0);
	golden("disk-nbd", nbd);
}

/* ---- every point of the axes ----------------------------------------------------------------- */

static const char *const buses[] = {"virtio", "virtio-scsi", "ide", "sata", "usb"};
static const char *const caches[] = {"none", "writeback", "writethrough", "directsync", "unsafe"};
static const char *const ios[] = {"threads", "native", "io_uring"};
static const char *const formats[] = {"raw", "qcow2"};
static const char *const machines[] = {"pc", "q35"};
static const char *const accels[] = {"kvm", "tcg"};
static const int switches[] = {-1, 0, 1};
static const int queues[] = {-1, 1, 4};
static const guint sectors[] = {512, 4096};

typedef struct {
	guint done;
	DomainSpec spec;
	SideDisk disk;
} Walk;

/* The document of one point; then the attributes that the axes are about are read back out of it.
 */
static void check_point(Walk *walk)
{
	const SideDisk *disk = &walk->disk;
	gboolean scsi = g_str_equal(disk->bus, "virtio-scsi");
	g_autofree char *xml = NULL;

	walk->spec.disks = disk;
	walk->spec.n_disks = 1;
	walk->spec.scsi_controller = scsi;
	walk->spec.scsi_queues = disk->queues;
	walk->spec.scsi_iothread = disk->iothread;
	walk->spec.scsi_ioeventfd = disk->ioeventfd;
	walk->spec.iothreads = disk->iothread > 0;
	xml = domain_xml(&walk->spec);
	must_fit_schema(xml);
	walk->done++;
	/* Reading back takes longer than the schema; a prime step still meets every pair of values.
	 */
	if (walk->done % 7)
		return;
	assert_found(xml, "//disk/driver/@cache", disk->cache);
	assert_found(xml, "//disk/driver/@io", disk->io);
	assert_found(xml, "//disk/driver/@type", disk->format);
	assert_found(xml, "//disk/target/@bus", scsi ? "scsi" : disk->bus);
	assert_found(xml, "//disk/blockio/@logical_block_size",
		disk->logical_block_size == 4096 ? "4096" : NULL);
	assert_found(xml, "//disk/iotune/total_iops_sec", disk->iops_limit > 0 ? "700" : NULL);
	assert_found(xml, "//disk/shareable", g_str_equal(disk->format, "raw") ? "" : NULL);
	assert_found(xml, "//controller[@type='scsi']/@model", scsi ? "virtio-scsi" : NULL);
	assert_found(xml, scsi ? "//controller/driver/@queues" : "//disk/driver/@queues",
		disk->queues == 4   ? "4"
		: disk->queues == 1 ? "1"
				    : NULL);
	assert_found(xml, scsi ? "//controller/driver/@iothread" : "//disk/driver/@iothread",
		disk->iothread > 0 ? "1" : NULL);
	assert_found(xml, scsi ? "//controller/driver/@ioeventfd" : "//disk/driver/@ioeventfd",
		disk->ioeventfd < 0 ? NULL
		: disk->ioeventfd   ? "on"
				    : "off");
}

/* Queues, I/O threads and ioeventfd do not apply to IDE and SATA: the first value of each, -1, is
 * their only one. */
static void walk_queues(Walk *walk)
{
	gboolean all = g_str_has_prefix(walk->disk.bus, "virtio");

	for (guint t = 0; t < (all ? G_N_ELEMENTS(switches) : 1); t++)
		for (guint e = 0; e < (all ? G_N_ELEMENTS(switches) : 1); e++)
			for (guint q = 0; q < (all ? G_N_ELEMENTS(queues) : 1); q++)
				for (guint s = 0; s < G_N_ELEMENTS(sectors); s++) {
					walk->disk.iothread = switches[t];
					walk->disk.ioeventfd = switches[e];
					walk->disk.queues = queues[q];
					walk->disk.logical_block_size = sectors[s];
					walk->disk.iops_limit = walk->done % 2 ? 700 : 0;
					check_point(walk);
				}
}

static void walk_disk(Walk *walk)
{
	for (guint b = 0; b < G_N_ELEMENTS(buses); b++)
		for (guint c = 0; c < G_N_ELEMENTS(caches); c++)
			for (guint i = 0; i < G_N_ELEMENTS(ios); i++)
				for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
					walk->disk.bus = buses[b];
					walk->disk.cache = caches[c];
					walk->disk.io = ios[i];
					walk->disk.format = formats[f];
					walk_queues(walk);
				}
}

static void test_every_point(void)
{
	Walk walk = {.spec = plain_domain, .disk = plain_disk};

	for (guint m = 0; m < G_N_ELEMENTS(machines); m++)
		for (guint a = 0; a < G_N_ELEMENTS(accels); a++) {
			walk.spec.machine = machines[m];
			walk.spec.accel = accels[a];
			walk.spec.vcpus = 1 + 3 * a;
			walk.spec.hotplug_slots = 4 * m;
			walk.disk.block = a;
			walk_disk(&walk);
		}
	g_assert_cmpuint(walk.done, ==, 4 * 5 * 3 * 2 * 2 * (2 * 27 + 3));
}

/* The schema does refuse something: the test above could fail. */
static void test_schema_refuses(void)
{
	SideDisk disk = plain_disk;
	DomainSpec spec = plain_domain;
	g_autofree char *xml = NULL;

	disk.cache = "fastest";
	spec.disks = &disk;
	spec.n_disks = 1;
	xml = domain_xml(&spec);
	g_assert_false(fits_schema(xml));
}

/* ---- names and hostile texts ----------------------------------------------------------------- */

static void test_names(void)
{
	static const struct {
		const char *bus;
		guint slot;
		const char *name;
	} rows[] = {
		{"virtio", 0, "vda"},
		{"virtio", 25, "vdz"},
		{"virtio", 26, "vdaa"},
		{"virtio", 702, "vdaaa"},
		{"ide", 3, "hdd"},
		{"sata", 6, "sdg"},
		{"virtio-scsi", 0, "sdaa"},
		{"virtio-scsi", 26, "sdba"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name = domain_disk_name(rows[i].bus, rows[i].slot);

		g_assert_cmpstr(name, ==, rows[i].name);
	}
}

/* Slots count per bus, and a SATA disk never meets a virtio-scsi one. */
static void has(const char *xml, const char *path, const char *expected)
{
	g_autofree char *got = find(xml, path);

	g_assert_cmpstr(got, ==, expected);
}

/* What was not asked for is not written. */
static void test_tuning(void)
{
	DomainSpec spec = plain_domain;
	g_autofree char *plain = domain_xml(&spec), *one = NULL, *each = NULL, *all = NULL, *late = NULL, *threads = NULL;

	g_assert_null(strstr(plain, "tune"));
	g_assert_null(strstr(plain, "memoryBacking"));
	spec.vcpus = 3;
	spec.tuning.pin_vcpu = "0-1";
	one = domain_xml(&spec);
	must_fit_schema(one);
	has(one, "/domain/cputune/vcpupin[@vcpu='2']/@cpuset", "0-1");
	has(one, "/domain/cputune/emulatorpin", NULL);
	has(one, "/domain/numatune", NULL);
	spec.tuning.pin_vcpu = "0/1,4/7";
	each = domain_xml(&spec);
	must_fit_schema(each);
	has(each, "/domain/cputune/vcpupin[@vcpu='0']/@cpuset", "0");
	has(each, "/domain/cputune/vcpupin[@vcpu='1']/@cpuset", "1,4");
	has(each, "/domain/cputune/vcpupin[@vcpu='2']/@cpuset", "7");
	spec.tuning = (SideTuning){.pin_emulator = "3", .numa = "0-1", .hugepages = 2 << 20};
	all = domain_xml(&spec);
	must_fit_schema(all);
	has(all, "/domain/cputune/vcpupin", NULL);
	has(all, "/domain/cputune/emulatorpin/@cpuset", "3");
	has(all, "/domain/numatune/memory/@nodeset", "0-1");
	has(all, "/domain/numatune/memory/@mode", "strict");
	has(all, "/domain/memoryBacking/hugepages/page/@size", "2048");
	has(all, "/domain/memoryBacking/hugepages/page/@unit", "KiB");
	spec.tuning = (SideTuning){.pin_iothread = "1"};
	late = domain_xml(&spec);
	g_assert_null(strstr(late, "tune"));
	spec.iothreads = 2;
	threads = domain_xml(&spec);
	must_fit_schema(threads);
	has(threads, "/domain/cputune/iothreadpin[@iothread='1']/@cpuset", "1");
	has(threads, "/domain/cputune/iothreadpin[@iothread='2']/@cpuset", "1");
}

/* What libvirt's Xen driver has no words for is named, and only if asked for. */
static void test_tuning_of_xen(void)
{
	DomainSpec spec = plain_domain;
	g_autofree char *plain = domain_xen_xml(&spec), *xml = NULL;

	g_assert_null(strstr(plain, "tune"));
	g_assert_null(strstr(plain, "numa"));
	spec.tuning = (SideTuning){.pin_vcpu = "0-1", .pin_emulator = "2", .pin_iothread = "3", .numa = "0", .hugepages = 2 << 20};
	xml = domain_xen_xml(&spec);
	must_fit_schema(xml);
	has(xml, "/domain/cputune/vcpupin[@vcpu='0']/@cpuset", "0-1");
	has(xml, "/domain/cputune/emulatorpin", NULL);
	g_assert_nonnull(strstr(xml, "pin_emulator, pin_iothread, numa, hugepages, machine"));
}

static void test_mixed_buses(void)
{
	SideDisk disks[5] = {plain_disk, plain_disk, plain_disk, plain_disk, plain_disk};
	DomainSpec spec = plain_domain;
	g_autofree char *xml = NULL;

	disks[0].bus = "ide";
	disks[1].bus = "sata";
	disks[2].bus = "ide";
	disks[3].bus = "virtio-scsi";
	spec.disks = disks;
	spec.n_disks = 5;
	spec.scsi_controller = TRUE;
	xml = domain_xml(&spec);
	must_fit_schema(xml);
	assert_found(xml, "//disk[1]/target/@dev", "hda");
	assert_found(xml, "//disk[2]/target/@dev", "sda");
	assert_found(xml, "//disk[3]/target/@dev", "hdb");
	assert_found(xml, "//disk[4]/target/@dev", "sdaa");
	assert_found(xml, "//disk[5]/target/@dev", "vda");
}

/* The disk of a distribution takes no name and no slot of a data disk, and on q35 a root port of its own. */
static void test_boot_disk(void)
{
	const SideDisk boot = {.image = "/run/b.qcow2", .serial = "iogap-boot", .bus = "virtio", .cache = "unsafe", .io = "threads",
		.format = "qcow2", .iothread = -1, .ioeventfd = -1, .queues = -1, .event_idx = -1, .packed = -1};
	const SideDisk data = {.image = "/d.raw", .serial = "iogap-1", .bus = "virtio", .cache = "none", .io = "native", .format = "raw",
		.iothread = -1, .ioeventfd = -1, .queues = -1, .event_idx = -1, .packed = -1};
	DomainSpec spec = {.name = "n", .accel = "tcg", .machine = "q35", .vcpus = 1, .memory = 1 << 28, .disks = &data, .n_disks = 1,
		.scsi_queues = -1, .scsi_iothread = -1, .scsi_ioeventfd = -1};
	g_autofree char *without = domain_xml(&spec), *with = NULL;

	spec.boot_disk = &boot;
	with = domain_xml(&spec);
	must_fit_schema(with);
	assert_found(with, "//disk[serial='iogap-boot']/target/@dev", "vdzz");
	assert_found(with, "//disk[serial='iogap-1']/target/@dev", "vda");
	assert_found(without, "//disk[serial='iogap-boot']", NULL);
	assert_found(without, "//controller[@index='2' and @model='pcie-root-port']/@index", "2");
	assert_found(without, "//controller[@index='3' and @model='pcie-root-port']/@index", NULL);
	assert_found(with, "//controller[@index='3' and @model='pcie-root-port']/@index", "3");
}

static void test_hostile_texts_survive(void)
{
	static const char *const paths[] = {
		"/tmp/it's \"quoted\"",
		"/tmp/a & b <c> ]]>",
		"/tmp/&amp;&#65;",
		"/tmp/Größe 磁盘 🖴",
		"/tmp/two\nlines\tand a tab\r",
		"/tmp/,id=evil,file=/etc/passwd",
		"/tmp/<!--",
		"/tmp/ends in space ",
	};

	for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
		SideDisk disk = plain_disk;
		DomainSpec spec = plain_domain;
		g_autoptr(GError) error = NULL;
		g_autofree char *xml = NULL;

		disk.image = paths[i];
		spec.disks = &disk;
		spec.n_disks = 1;
		spec.console_log = paths[i];
		spec.channel_socket = paths[i];
		spec.title = "a <b> & \"c\" 'd'";
		spec.kernel = paths[i];
		domain_check(&spec, &error);
		g_assert_no_error(error);
		xml = domain_xml(&spec);
		assert_found(xml, "//disk/source/@file", paths[i]);
		assert_found(xml, "//serial/source/@path", paths[i]);
		assert_found(xml, "//channel/source/@path", paths[i]);
		assert_found(xml, "//os/kernel", paths[i]);
		assert_found(xml, "//title", spec.title);
	}
}

static void refused(const DomainSpec *spec, const char *pattern)
{
	g_autoptr(GError) error = NULL;

	g_assert_false(domain_check(spec, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	if (!g_pattern_match_simple(pattern, error->message))
		g_error("\"%s\" does not look like \"%s\"", error->message, pattern);
}

static void test_hostile_texts_refused(void)
{
	SideDisk disk = plain_disk;
	DomainSpec spec = plain_domain;

	spec.name = "a/b";
	refused(&spec, "domain name \"a/b\" *slash*");
	spec.name = "";
	refused(&spec, "domain name \"\" is empty*");
	spec.name = "a\x01";
	refused(&spec, "domain name \"a\\001\" *control character*");
	spec = plain_domain;
	spec.title = "one\ntwo";
	refused(&spec, "domain title *line break*");
	spec = plain_domain;
	spec.emulator = "qemu-system-x86_64";
	refused(&spec, "emulator *not an absolute path*");
	spec = plain_domain;
	spec.disks = &disk;
	spec.n_disks = 1;
	disk.image = "/tmp/\x1b[31m";
	refused(&spec, "disk image \"/tmp/\\033[31m\" *control character*");
	disk.image = "/tmp/\xff\xfe";
	refused(&spec, "disk image \"/tmp/\\377\\376\" is not UTF-8*");
	disk.image = "/tmp/\xef\xbf\xbf";
	refused(&spec, "disk image *control character*");
	disk.image = "scratch.raw";
	refused(&spec, "disk image \"scratch.raw\" is not an absolute path");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	load_schema();
	g_test_add_func("/domain/golden-xen", test_golden_xen);
	g_test_add_func("/domain/golden-pc", test_golden_pc);
	g_test_add_func("/domain/golden-q35", test_golden_q35);
	g_test_add_func("/domain/boot-disk", test_boot_disk);
	g_test_add_func("/domain/golden-disks", test_golden_disks);
	g_test_add_func("/domain/nbd", test_nbd_fits);
	g_test_add_func("/domain/every-point", test_every_point);
	g_test_add_func("/domain/schema-refuses", test_schema_refuses);
	g_test_add_func("/domain/names", test_names);
	g_test_add_func("/domain/tuning", test_tuning);
	g_test_add_func("/domain/tuning-of-xen", test_tuning_of_xen);
	g_test_add_func("/domain/mixed-buses", test_mixed_buses);
	g_test_add_func("/domain/hostile-texts-survive", test_hostile_texts_survive);
	g_test_add_func("/domain/hostile-texts-refused", test_hostile_texts_refused);
	return g_test_run();
}
