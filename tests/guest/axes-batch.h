/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One paused domain with many disks for axes.c, and what libvirt and QEMU say about each of them.
 * Complaints are collected in `wrong`; result() prints the TAP line and them. Included once, by axes.c.
 */
#ifndef IOGAP_TESTS_AXES_BATCH_H
#define IOGAP_TESTS_AXES_BATCH_H

#include <libvirt/libvirt-qemu.h>
#include <libvirt/virterror.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/guest/domain.h"
#include "harness/side/guest/embed.h"
#include "harness/side/guest/guest-private.h"

#define IMAGE_SIZE (16u << 20)

static virConnectPtr connection;
static char *folder, *raw_image, *qcow2_image;
static gboolean have_io_uring;
static guint tap_count, starts;
static gboolean tap_failed;
static GString *wrong; /* what was not as asked since the latest result line */

static void result(const char *what)
{
	g_auto(GStrv) lines = g_strsplit(wrong->str, "\n", -1);

	printf("%sok %u - %s\n", wrong->len ? "not " : "", ++tap_count, what);
	for (guint i = 0; lines[i] && *lines[i]; i++)
		printf("# %s\n", lines[i]);
	tap_failed |= wrong->len > 0;
	g_string_truncate(wrong, 0);
	fflush(stdout);
}

static const char *libvirt_says(void)
{
	const char *message = virGetLastErrorMessage();

	return message ? message : "no message";
}

/* ---- one domain ------------------------------------------------------------------------------ */

typedef struct {
	GArray *disks; /* of SideDisk */
	GPtrArray *texts;
	DomainSpec spec;
	virDomainPtr domain;
	xmlDocPtr live;
	json_t *blocks;   /* of query-block */
	GPtrArray *nodes; /* of json_t *: the -blockdev arguments of QEMU */
} Batch;

static void batch_init(Batch *batch, const char *machine)
{
	*batch = (Batch){.disks = g_array_new(FALSE, TRUE, sizeof(SideDisk)),
		.texts = g_ptr_array_new_with_free_func(g_free),
		.nodes = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref)};
	batch->spec = (DomainSpec){.name = "iogap-axes",
		.accel = "tcg",
		.machine = machine,
		.vcpus = 4,
		.memory = 128 << 20,
		.iothreads = 1,
		.scsi_queues = -1,
		.scsi_iothread = -1,
		.scsi_ioeventfd = -1,
		.scsi_packed = -1};
}

static void batch_clear(Batch *batch)
{
	if (batch->domain) {
		virDomainDestroy(batch->domain);
		virDomainFree(batch->domain);
	}
	xmlFreeDoc(batch->live);
	json_decref(batch->blocks);
	g_ptr_array_unref(batch->nodes);
	g_ptr_array_unref(batch->texts);
	g_array_unref(batch->disks);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Batch, batch_clear)

static char *keep(Batch *batch, char *text)
{
	g_ptr_array_add(batch->texts, text);
	return text;
}

/* A qcow2 image belongs to one disk; a raw one is shared. */
static void batch_add(Batch *batch, SideDisk disk)
{
	gboolean qcow2 = g_str_equal(disk.format, "qcow2");

	disk.serial = keep(batch, g_strdup_printf("iogap-%u", batch->disks->len));
	disk.image = raw_image;
	disk.size = IMAGE_SIZE;
	/* Independent of all else, so every second disk will do. */
	disk.iops_limit = batch->disks->len % 2 ? 1000 + batch->disks->len : 0;
	if (qcow2) {
		g_autofree char *content = NULL;
		gsize size = 0;

		disk.image = keep(batch, g_strdup_printf("%s/%u.qcow2", folder, batch->disks->len));
		if (!g_file_get_contents(qcow2_image, &content, &size, NULL) ||
			!g_file_set_contents(disk.image, content, size, NULL))
			g_error("cannot copy %s", qcow2_image);
	}
	g_array_append_val(batch->disks, disk);
}

/* Starts the document, paused. FALSE, with libvirt's message to be had, when that is refused. */
static gboolean batch_start_text(Batch *batch, const char *xml)
{
	starts++;
	batch->domain = virDomainCreateXML(connection, xml, VIR_DOMAIN_START_PAUSED);
	return batch->domain != NULL;
}

static char *batch_text(Batch *batch)
{
	g_autoptr(GError) error = NULL;

	batch->spec.disks = (const SideDisk *)batch->disks->data;
	batch->spec.n_disks = batch->disks->len;
	if (!domain_check(&batch->spec, &error))
		g_error("%s", error->message);
	return domain_xml(&batch->spec);
}

static gboolean batch_start(Batch *batch)
{
	g_autofree char *xml = batch_text(batch);

	return batch_start_text(batch, xml);
}

/* ---- what came of it ------------------------------------------------------------------------- */

static json_t *qmp(Batch *batch, const char *command)
{
	char *reply = NULL;
	json_t *all, *value;

	if (virDomainQemuMonitorCommand(batch->domain, command, &reply, 0) < 0)
		return NULL;
	all = json_loads(reply, 0, NULL);
	free(reply);
	value = json_incref(json_object_get(all, "return"));
	json_decref(all);
	return value;
}

/* A property of a device as text: booleans as on and off. NULL = there is none. */
static char *property(Batch *batch, const char *path, const char *name)
{
	g_autofree char *command = g_strdup_printf(
		"{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"%s\",\"property\":\"%s\"}}",
		path, name);
	json_t *value = qmp(batch, command);
	char *text = NULL;

	if (json_is_boolean(value))
		text = g_strdup(json_is_true(value) ? "on" : "off");
	else if (json_is_integer(value))
		text = g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_string(value))
		text = g_strdup(json_string_value(value));
	json_decref(value);
	return text;
}

static char *from_xml(xmlDocPtr doc, const char *path)
{
	xmlXPathContextPtr context = xmlXPathNewContext(doc);
	xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST path, context);
	char *text = NULL;

	if (found && !xmlXPathNodeSetIsEmpty(found->nodesetval)) {
		xmlChar *content = xmlNodeGetContent(found->nodesetval->nodeTab[0]);

		text = g_strdup((const char *)content);
		xmlFree(content);
	}
	xmlXPathFreeObject(found);
	xmlXPathFreeContext(context);
	return text;
}

/* The JSON arguments of -blockdev: only there QEMU's aio mode can be seen. */
static void read_command_line(Batch *batch)
{
	pid_t pid = embed_find_process("guest=iogap-axes,");
	g_autofree char *path = g_strdup_printf("/proc/%d/cmdline", (int)pid);
	g_autofree char *text = NULL;
	gsize size = 0;

	if (!g_file_get_contents(path, &text, &size, NULL))
		g_error("cannot read %s", path);
	for (char *p = text; p < text + size; p += strlen(p) + 1)
		if (g_str_equal(p, "-blockdev") && p + 10 < text + size)
			g_ptr_array_add(batch->nodes, json_loads(p + 10, 0, NULL));
}

static void batch_read(Batch *batch)
{
	char *xml = virDomainGetXMLDesc(batch->domain, 0);

	if (!xml)
		g_error("no live XML: %s", libvirt_says());
	batch->live = xmlReadMemory(xml, strlen(xml), NULL, NULL, XML_PARSE_NONET);
	free(xml);
	batch->blocks = qmp(batch, "{\"execute\":\"query-block\"}");
	read_command_line(batch);
}

static json_t *find_node(Batch *batch, const char *name)
{
	for (guint i = 0; i < batch->nodes->len; i++) {
		const char *node =
			json_string_value(json_object_get(batch->nodes->pdata[i], "node-name"));

		if (node && name && g_str_equal(node, name))
			return batch->nodes->pdata[i];
	}
	return NULL;
}

/* The node of the file under the image NODE, else NODE itself. */
static json_t *file_node(Batch *batch, json_t *node)
{
	json_t *below = find_node(batch, json_string_value(json_object_get(node, "file")));

	return below ? below : node;
}

/* The "inserted" object of the drive whose device path holds "/ALIAS" or "/ALIAS/...". */
static json_t *find_inserted(Batch *batch, const char *alias)
{
	g_autofree char *path = g_strdup_printf("/machine/peripheral/%s", alias);
	size_t i;
	json_t *block;

	json_array_foreach(batch->blocks, i, block)
	{
		const char *device = json_string_value(json_object_get(block, "qdev"));

		if (!device)
			continue;
		if (g_str_equal(device, alias) || g_str_equal(device, path) ||
			(g_str_has_prefix(device, path) && device[strlen(path)] == '/'))
			return json_object_get(block, "inserted");
	}
	return NULL;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static char *describe(const SideDisk *d)
{
	return g_strdup_printf(
		"%s cache=%s io=%s format=%s iothread=%d ioeventfd=%d queues=%d sector=%u", d->bus,
		d->cache, d->io, d->format, d->iothread, d->ioeventfd, d->queues,
		d->logical_block_size);
}

static void expect(const SideDisk *disk, const char *what, const char *got, const char *expected)
{
	g_autofree char *point = NULL;

	if (!g_strcmp0(got, expected))
		return;
	point = describe(disk);
	g_string_append_printf(wrong, "%s: %s is %s, not %s\n", point, what, got ? got : "absent",
		expected ? expected : "absent");
}

static const char *on_off(int value)
{
	return value < 0 ? NULL : value ? "on" : "off";
}

static const char *json_switch(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	return json_is_boolean(value) ? on_off(json_is_true(value)) : NULL;
}

/* What a cache mode is made of, in QEMU's words. */
static void expect_cache(const SideDisk *disk, json_t *cache)
{
	const char *mode = disk->cache;
	gboolean direct = g_str_equal(mode, "none") || g_str_equal(mode, "directsync");
	gboolean through = g_str_equal(mode, "writethrough") || g_str_equal(mode, "directsync");

	expect(disk, "cache.direct", json_switch(cache, "direct"), on_off(direct));
	expect(disk, "cache.writeback", json_switch(cache, "writeback"), on_off(!through));
	expect(disk, "cache.no-flush", json_switch(cache, "no-flush"),
		on_off(g_str_equal(mode, "unsafe")));
}

static void expect_xml(Batch *batch, const SideDisk *disk, const char *path, const char *expected)
{
	g_autofree char *whole = g_strdup_printf("//disk[serial='%s']/%s", disk->serial, path);
	g_autofree char *got = from_xml(batch->live, whole);

	expect(disk, path, got, expected);
}

static void expect_property(Batch *batch, const SideDisk *disk, const char *path, const char *name,
	const char *expected)
{
	g_autofree char *got = property(batch, path, name);

	expect(disk, name, got, expected);
}

/* Queues, iothread and ioeventfd of a virtio device at PATH, whose queues QEMU calls QUEUES. */
static void expect_virtio(Batch *batch, const SideDisk *disk, const char *path, const char *queues)
{
	g_autofree char *backend = g_strdup_printf("%s/virtio-backend", path);
	g_autofree char *number =
		g_strdup_printf("%d", disk->queues > 0 ? disk->queues : (int)batch->spec.vcpus);

	expect_property(batch, disk, backend, queues, number);
	expect_property(
		batch, disk, backend, "iothread", disk->iothread > 0 ? "/objects/iothread1" : "");
	if (disk->ioeventfd >= 0)
		expect_property(batch, disk, path, "ioeventfd", on_off(disk->ioeventfd));
}

static void expect_limit(const SideDisk *disk, json_t *inserted)
{
	g_autofree char *got = g_strdup_printf(
		"%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(inserted, "iops")));
	g_autofree char *expected = g_strdup_printf("%" G_GINT64_FORMAT, disk->iops_limit);

	expect(disk, "iops limit", got, expected);
}

static const char *number(Batch *batch, int value)
{
	return keep(batch, g_strdup_printf("%d", value));
}

/* What is the disk's own on every bus but for virtio-scsi's rings: DEVICE is the disk, FRONT what holds its sizes. */
static void expect_more(Batch *batch, const SideDisk *disk, const char *device, const char *front, json_t *image)
{
	guint physical = disk->physical_block_size ? disk->physical_block_size : disk->logical_block_size;

	expect_property(batch, disk, front, "physical_block_size", number(batch, (int)physical));
	if (disk->discard)
		expect(disk, "discard", json_string_value(json_object_get(image, "discard")), disk->discard);
	if (disk->rotation_rate > 0)
		expect_property(batch, disk, device, "rotation_rate", number(batch, disk->rotation_rate));
	if (g_str_equal(disk->bus, "virtio-scsi"))
		front = "/machine/peripheral/scsi0/virtio-backend";
	if (disk->event_idx >= 0)
		expect_property(batch, disk, front, "event_idx", on_off(disk->event_idx));
	if (disk->packed >= 0)
		expect_property(batch, disk, front, "packed", on_off(disk->packed));
	if (disk->queue_size > 0)
		expect_property(batch, disk, front, "queue-size", number(batch, disk->queue_size));
}

static void check_disk(Batch *batch, const SideDisk *disk)
{
	gboolean virtio = g_str_equal(disk->bus, "virtio"),
		 scsi = g_str_equal(disk->bus, "virtio-scsi");
	g_autofree char *alias_path =
		g_strdup_printf("//disk[serial='%s']/alias/@name", disk->serial);
	g_autofree char *alias = from_xml(batch->live, alias_path);
	g_autofree char *device = g_strdup_printf("/machine/peripheral/%s", alias ? alias : "?");
	g_autofree char *backend = g_strdup_printf("%s/virtio-backend", device);
	g_autofree char *sector = g_strdup_printf("%u", disk->logical_block_size);
	json_t *inserted = alias ? find_inserted(batch, alias) : NULL;
	json_t *image = find_node(batch, json_string_value(json_object_get(inserted, "node-name")));

	expect_xml(batch, disk, "target/@bus", scsi ? "scsi" : disk->bus);
	expect_xml(batch, disk, "driver/@cache", disk->cache);
	expect_xml(batch, disk, "driver/@io", disk->io);
	expect_xml(batch, disk, "driver/@error_policy", "enospace");
	expect_xml(batch, disk, "source/@file", disk->image);
	expect(disk, "format", json_string_value(json_object_get(image, "driver")), disk->format);
	expect(disk, "aio", json_string_value(json_object_get(file_node(batch, image), "aio")),
		disk->io);
	expect_cache(disk, json_object_get(inserted, "cache"));
	expect_limit(disk, inserted);
	expect_property(batch, disk, virtio ? backend : device, "serial", disk->serial);
	expect_property(batch, disk, virtio ? backend : device, "logical_block_size", sector);
	expect_more(batch, disk, device, virtio ? backend : device, image);
	if (virtio)
		expect_virtio(batch, disk, device, "num-queues");
	if (scsi)
		expect_virtio(batch, disk, "/machine/peripheral/scsi0", "num_queues");
}

/* Starts what was collected, checks each disk, and empties the batch. */
static void batch_check(Batch *batch)
{
	const char *machine = batch->spec.machine;
	gboolean controller = batch->spec.scsi_controller;

	if (batch->disks->len && !batch_start(batch)) {
		g_autofree char *point = describe(&g_array_index(batch->disks, SideDisk, 0));

		g_string_append_printf(wrong, "%s and %u more on %s do not start: %s\n", point,
			batch->disks->len - 1, machine, libvirt_says());
	} else if (batch->disks->len) {
		batch_read(batch);
		for (guint i = 0; i < batch->disks->len; i++)
			check_disk(batch, &g_array_index(batch->disks, SideDisk, i));
	}
	batch_clear(batch);
	batch_init(batch, machine);
	batch->spec.scsi_controller = controller;
}

#endif
