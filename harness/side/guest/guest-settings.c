/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a disk as QEMU has them: its own answers and its descriptors, never what was asked for. */
#include <libvirt/libvirt-qemu.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <string.h>

#include "harness/side/guest/guest-observe.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/virt-error.h"

#define ASK_S 20

typedef struct {
	GuestDisk *disk;
	char *device; /* name below /machine/peripheral */
	Record *seen;
} Reading;

/* libvirt's alias of the disk with this serial, which is QEMU's device id; NULL if there is none. */
static char *find_alias(const char *xml, const char *serial)
{
	xmlDocPtr document = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
	xmlXPathContextPtr context = document ? xmlXPathNewContext(document) : NULL;
	/* Serials are made of letters, digits and dashes (plan/). */
	g_autofree char *path = g_strdup_printf("string(/domain/devices/disk[serial='%s']/alias/@name)", serial);
	xmlXPathObjectPtr found = context ? xmlXPathEvalExpression(BAD_CAST path, context) : NULL;
	char *alias = found && found->stringval && *found->stringval ? g_strdup((const char *)found->stringval) : NULL;

	xmlXPathFreeObject(found);
	xmlXPathFreeContext(context);
	xmlFreeDoc(document);
	return alias;
}

json_t *guest_ask(GuestSide *guest, json_t *command)
{
	char *text = json_dumps(command, JSON_COMPACT), *answer = NULL;
	json_t *parsed = NULL, *result;

	if (text && virDomainQemuMonitorCommand(guest->domain, text, &answer, 0) == 0)
		parsed = json_loads(answer, 0, NULL);
	result = json_incref(json_object_get(parsed, "return"));
	json_decref(parsed);
	json_decref(command);
	free(text);
	free(answer);
	return result;
}

char *guest_disk_alias(GuestSide *guest, const char *serial)
{
	char *xml = virDomainGetXMLDesc(guest->domain, 0);
	char *alias = xml ? find_alias(xml, serial) : NULL;

	free(xml);
	return alias;
}

/* A path in QEMU's object tree, not of a file. */
static char *object_path(const char *device)
{
	return g_strjoin("/", "", "machine", "peripheral", device, NULL);
}

static json_t *property(GuestSide *guest, const char *device, const char *name)
{
	g_autofree char *path = object_path(device);

	return guest_ask(guest, json_pack("{ss s{ss ss}}", "execute", "qom-get", "arguments", "path", path, "property", name));
}

/* What QEMU found in the image itself. A raw one has no more than its format. */
static void read_image(const json_t *inserted, Record *seen)
{
	const json_t *image = json_object_get(inserted, "image"), *cluster = json_object_get(image, "cluster-size");
	const json_t *depth = json_object_get(inserted, "backing_file_depth");
	const json_t *extended = json_object_get(json_object_get(json_object_get(image, "format-specific"), "data"), "extended-l2");
	const char *format = json_string_value(json_object_get(inserted, "drv"));

	record_set_text(seen, "seen_format", format);
	if (g_strcmp0(format, "qcow2") != 0)
		return;
	if (json_is_integer(cluster))
		record_set_int(seen, "seen_cluster_size", json_integer_value(cluster));
	if (json_is_integer(depth))
		record_set_int(seen, "seen_backing", json_integer_value(depth));
	if (json_is_boolean(extended))
		record_set_int(seen, "seen_extended_l2", json_is_true(extended));
}

static void read_block(GuestSide *guest, Reading *reading)
{
	g_autofree char *prefix = object_path(reading->device);
	json_t *blocks = guest_ask(guest, json_pack("{ss}", "execute", "query-block")), *block;
	gsize i;

	json_array_foreach(blocks, i, block) {
		const char *path = json_string_value(json_object_get(block, "qdev"));
		const json_t *cache = json_object_get(json_object_get(block, "inserted"), "cache");
		gsize length = strlen(prefix);

		/* The device itself or a part of it ("/virtio-backend"); IDE and SCSI disks are named by their id alone. */
		if (!path || !cache ||
			!(g_str_equal(path, reading->device) ||
				(strncmp(path, prefix, length) == 0 && (!path[length] || path[length] == '/'))))
			continue;
		record_set_text(reading->seen, "seen_cache",
			observe_cache(json_is_true(json_object_get(cache, "writeback")),
				json_is_true(json_object_get(cache, "direct")), json_is_true(json_object_get(cache, "no-flush"))));
		read_image(json_object_get(block, "inserted"), reading->seen);
	}
	json_decref(blocks);
}

/* Queues, ioeventfd and iothread are of the disk, or on virtio-scsi of its controller. */
static void read_device(GuestSide *guest, Reading *reading)
{
	g_autofree char *controller =
		reading->disk->controller >= 0 ? g_strdup_printf("scsi%d", reading->disk->controller) : NULL;
	const char *device = controller ? controller : reading->device;
	json_t *queues = property(guest, device, controller ? "num_queues" : "num-queues");
	json_t *ioeventfd = property(guest, device, "ioeventfd");
	json_t *iothread = property(guest, device, "iothread");

	if (json_is_integer(queues))
		record_set_int(reading->seen, "seen_queues", json_integer_value(queues));
	if (json_is_boolean(ioeventfd))
		record_set_int(reading->seen, "seen_ioeventfd", json_is_true(ioeventfd));
	/* A link: the path of the iothread, empty without one. */
	if (json_is_string(iothread))
		record_set_int(reading->seen, "seen_iothread", *json_string_value(iothread) != '\0');
	json_decref(queues);
	json_decref(ioeventfd);
	json_decref(iothread);
}

/* In a thread. */
static gboolean read_all(GuestSide *guest, gpointer data, GError **error)
{
	Reading *reading = data;
	char *xml = virDomainGetXMLDesc(guest->domain, 0);

	if (!xml) {
		virt_set_error(error, "libvirt does not tell the domain's XML");
		return FALSE;
	}
	reading->device = find_alias(xml, reading->disk->serial);
	free(xml);
	if (!reading->device) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "libvirt lists no disk %s", reading->disk->serial);
		return FALSE;
	}
	read_block(guest, reading);
	if (g_str_has_prefix(reading->disk->bus, "virtio"))
		read_device(guest, reading);
	return TRUE;
}

/* Settings do not change while a disk is plugged in: they are asked for once. */
static Record *settings_of(GuestSide *guest, GuestDisk *disk, Record *reasons)
{
	g_autoptr(GError) error = NULL;
	Reading reading = {.disk = disk, .seen = record_new()};

	if (!disk->seen && guest_call(guest, "reading the disk's settings", read_all, &reading, ASK_S, NULL, &error))
		disk->seen = g_steal_pointer(&reading.seen);
	else if (error)
		record_set_text(reasons, "seen_cache", error->message);
	record_free(reading.seen);
	g_free(reading.device);
	return disk->seen;
}

void guest_settings(GuestSide *guest, GuestDisk *disk, const SideDisk *asked, Record *run, Record *reasons)
{
	const Record *seen = settings_of(guest, disk, reasons);
	int direct = observe_direct(guest->pid, asked->image, disk->descriptors);

	if (seen)
		record_merge(run, seen);
	if (direct >= 0)
		record_set_int(run, "seen_host_direct", direct);
	else
		record_set_text(reasons, "seen_host_direct",
			direct == -2 ? "several disks of the guest share the image, and not all of them open it with O_DIRECT"
				     : "no descriptor of QEMU leads to the image, or they cannot be read");
}
