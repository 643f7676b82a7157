/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <libvirt-glib/libvirt-glib.h>
#include <libxml/parser.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/subprocess.h"
#include "harness/side/guest/embed.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/virt-error.h"

#define VERSION_TIMEOUT_S 10
/* In place of a guest's name: whatever is left in the embedded driver's folder. */
#define EVERYTHING "*"

gboolean hypervisor_is_embedded(const Hypervisor *hypervisor)
{
	return g_str_has_prefix(hypervisor->uri, EMBED_PREFIX);
}

const char *hypervisor_identity(const Hypervisor *hypervisor)
{
	return hypervisor->identity;
}

static char *identity_for(const char *text)
{
	g_autoptr(GUri) uri = g_uri_parse(text, G_URI_FLAGS_NONE, NULL);

	if (!uri || !g_str_equal(g_uri_get_path(uri), "/system"))
		return NULL;
	return g_strdup_printf("+%u:+%u", geteuid(), getegid());
}

void hypervisor_announce(Hypervisor *hypervisor, const char *kind, const char *what)
{
	if (hypervisor->keeper)
		keeper_add(hypervisor->keeper, kind, what);
}

void hypervisor_withdraw(Hypervisor *hypervisor, const char *kind, const char *what)
{
	if (hypervisor->keeper)
		keeper_drop(hypervisor->keeper, kind, what);
}

/* ---- which hypervisors ---------------- */

static gboolean refuse(GError **error, const char *uri, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "cannot use the hypervisor %s: %s", uri,
		why);
	return FALSE;
}

/* By name only. A name that is another machine's after all harms nobody: the guest's channel is a
 * socket of this machine's file system, and there is no hello from elsewhere. */
static gboolean is_this_machine(const char *host)
{
	const char *const names[] = {"localhost", "127.0.0.1", "::1", g_get_host_name()};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (!g_ascii_strcasecmp(host, names[i]))
			return TRUE;
	return FALSE;
}

gboolean hypervisor_is_xen(const char *uri)
{
	return g_str_has_prefix(uri, "xen:") || g_str_has_prefix(uri, "xen+");
}

static gboolean check_uri(const char *uri, GError **error)
{
	g_autoptr(GUri) parsed = g_uri_parse(uri, G_URI_FLAGS_NONE, NULL);
	const char *scheme = parsed ? g_uri_get_scheme(parsed) : NULL;
	const char *host = parsed ? g_uri_get_host(parsed) : NULL;

	if (!parsed)
		return refuse(
			error, uri, "it is not a URI; qemu:///system and qemu:///session are");
	if (hypervisor_is_xen(uri))
		return refuse(error, uri,
			"guests of Xen have never been run by iogap; `iogap plan --xml --connect` prints their domains, and a sweep "
			"needs a qemu: URI");
	if (!g_str_equal(scheme, "qemu") && !g_str_has_prefix(scheme, "qemu+"))
		return refuse(error, uri, "iogap measures QEMU guests; give a qemu: URI");
	if (host && *host && !is_this_machine(host))
		return refuse(error, uri,
			"it is on another machine, and every guest figure is compared with the "
			"host that runs the guest; run iogap "
			"there");
	if (g_str_has_prefix(scheme, "qemu+") && !g_str_equal(scheme, "qemu+unix") &&
		!(host && *host))
		return refuse(error, uri,
			"a transport between machines needs a host name, and only this machine's "
			"own (localhost) can be measured");
	return TRUE;
}

/* Once per process, before the first connection. */
static void prepare_libvirt(const char *log)
{
	static gsize done;

	if (!g_once_init_enter(&done))
		return;
	virt_quiet(log);
	gvir_event_register();
	g_once_init_leave(&done, 1);
}

static gboolean prepare_embedded(Hypervisor *hypervisor, GError **error)
{
	const char *root = hypervisor->uri + strlen(EMBED_PREFIX);
	g_autofree char *everything = g_strdup_printf("%s %s", hypervisor->uri, EVERYTHING);
	g_autofree char *log = g_build_filename(root, "libvirt.log", NULL);

	if (!embed_claim(root, error))
		return FALSE;
	prepare_libvirt(log);
	/* The first opening runs QEMU to learn what it can do; that too must not outlive us. */
	hypervisor_announce(hypervisor, "domain", everything);
	return TRUE;
}

static gboolean prepare_other(Hypervisor *hypervisor, GError **error)
{
	g_autofree char *runtime = paths_runtime();
	g_autofree char *log = g_build_filename(runtime, "libvirt.log", NULL);

	if (!check_uri(hypervisor->uri, error) || !paths_ensure(runtime, error))
		return FALSE;
	prepare_libvirt(log);
	return TRUE;
}

static char *default_uri(void)
{
	g_autofree char *root = embed_root();

	return g_strconcat(EMBED_PREFIX, root, NULL);
}

static Hypervisor *hypervisor_new(const char *uri)
{
	Hypervisor *hypervisor = g_new0(Hypervisor, 1);

	hypervisor->uri = uri ? g_strdup(uri) : default_uri();
	hypervisor->identity = hypervisor_is_xen(hypervisor->uri) ? NULL : identity_for(hypervisor->uri);
	hypervisor->listening = g_ptr_array_new();
	return hypervisor;
}

Hypervisor *hypervisor_named(const char *uri, GError **error)
{
	if (uri && !hypervisor_is_xen(uri) && !g_str_has_prefix(uri, EMBED_PREFIX) && !check_uri(uri, error))
		return NULL;
	return hypervisor_new(uri);
}

Hypervisor *hypervisor_open(const char *uri, Keeper *keeper, GError **error)
{
	g_autoptr(Hypervisor) hypervisor = hypervisor_new(uri);
	g_autofree char *what = NULL;

	hypervisor->keeper = keeper;
	if (!(hypervisor_is_embedded(hypervisor) ? prepare_embedded : prepare_other)(
		    hypervisor, error))
		return NULL;
	hypervisor->connection = virConnectOpen(hypervisor->uri);
	if (hypervisor->connection)
		return g_steal_pointer(&hypervisor);
	what = g_strdup_printf("cannot open the hypervisor %s", hypervisor->uri);
	virt_set_error(error, what);
	return NULL;
}

void hypervisor_close(Hypervisor *hypervisor)
{
	if (!hypervisor)
		return;
	if (hypervisor->connection)
		virConnectClose(hypervisor->connection);
	g_clear_pointer(&hypervisor->listening, g_ptr_array_unref);
	g_free(hypervisor->identity);
	g_free(hypervisor->uri);
	g_free(hypervisor);
}

/* ---- what it can do ---------------- */

char *hypervisor_capabilities(Hypervisor *hypervisor, const char *emulator, const char *machine,
	const char *accel, GError **error)
{
	const char *type = g_str_equal(accel, "kvm") ? "kvm" : "qemu";
	g_autofree char *what = NULL;
	char *libvirt_text, *text;

	libvirt_text = virConnectGetDomainCapabilities(
		hypervisor->connection, emulator, "x86_64", machine, type, 0);
	if (!libvirt_text) {
		what = g_strdup_printf("%s cannot run %s guests of machine %s",
			emulator ? emulator : "QEMU", accel, machine ? machine : "pc");
		virt_set_error(error, what);
		return NULL;
	}
	text = g_strdup(libvirt_text);
	free(libvirt_text);
	return text;
}

/* The text of the first <path> below the root element. */
static char *path_of(const char *xml)
{
	xmlDocPtr document = xmlReadMemory(
		xml, (int)strlen(xml), NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
	xmlNodePtr root = document ? xmlDocGetRootElement(document) : NULL;
	char *path = NULL;

	for (xmlNodePtr node = root ? root->children : NULL; node && !path; node = node->next)
		if (node->type == XML_ELEMENT_NODE && xmlStrEqual(node->name, BAD_CAST "path")) {
			xmlChar *text = xmlNodeGetContent(node);

			path = g_strdup((const char *)text);
			xmlFree(text);
		}
	xmlFreeDoc(document);
	return path;
}

char *hypervisor_default_emulator(Hypervisor *hypervisor, GError **error)
{
	g_autofree char *xml = hypervisor_capabilities(hypervisor, NULL, NULL, "tcg", error);
	char *path = xml ? path_of(xml) : NULL;

	if (xml && !path)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"libvirt names no emulator in its capabilities");
	return path;
}

static char *version_text(unsigned long version)
{
	return g_strdup_printf(
		"%lu.%lu.%lu", version / 1000000, version / 1000 % 1000, version % 1000);
}

/* Of the program itself: libvirt reports its default emulator only, and without what a distribution
 * added. */
static char *emulator_version(const char *emulator)
{
	const char *const argv[] = {emulator, "--version", NULL};
	g_autofree char *out = NULL;
	char *newline, *version;

	if (!subprocess_run(argv, VERSION_TIMEOUT_S, &out, NULL, NULL, NULL))
		return NULL;
	newline = strchr(out, '\n');
	if (newline)
		*newline = '\0';
	if (!strstr(out, "QEMU"))
		return NULL;
	version = strstr(out, "version ");
	return g_strdup(version ? version + strlen("version ") : out);
}

gboolean hypervisor_check_emulator(const char *emulator, GError **error)
{
	g_autofree char *version = emulator ? emulator_version(emulator) : NULL;

	if (version)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"the emulator %s does not answer `--version` as a QEMU does; name a working one (emulator:)",
		emulator ? emulator : "(none found)");
	return FALSE;
}

void hypervisor_facts(Hypervisor *hypervisor, const char *emulator, Record *record)
{
	g_autofree char *path =
		emulator ? g_strdup(emulator) : hypervisor_default_emulator(hypervisor, NULL);
	g_autofree char *qemu = path ? emulator_version(path) : NULL;
	g_autofree char *libvirt = NULL;
	unsigned long version = 0;

	/* That of the library that runs the driver: with a daemon, the daemon's. */
	if (virConnectGetLibVersion(hypervisor->connection, &version) == 0)
		libvirt = version_text(version);
	record_set_text(record, "uri", hypervisor->uri);
	record_set_text(record, "libvirt_version", libvirt);
	record_set_text(record, "emulator", path);
	record_set_text(record, "qemu_version", qemu);
}

/* QEMU's own, in libvirt's form (1000000 * major + 1000 * minor); 0 = cannot be told. */
static unsigned long qemu_version(void)
{
	g_autofree char *path = g_find_program_in_path("qemu-system-x86_64");
	g_autofree char *text = path ? emulator_version(path) : NULL;
	guint64 major = text ? g_ascii_strtoull(text, NULL, 10) : 0;
	const char *dot = text ? strchr(text, '.') : NULL;

	return (unsigned long)(major * 1000000 + (dot ? g_ascii_strtoull(dot + 1, NULL, 10) : 0) * 1000);
}

char *hypervisor_lacks(const char *feature)
{
	static const struct {
		const char *feature, *what;
		unsigned long libvirt, qemu;
	} since[] = {
		{"iothread_map", "dealing queues out to I/O threads", 10000000, 9000000},
		{"nvme", "an NVMe disk", 11005000, 1006000},
	};
	/* What this program was built with. To ask the library at work would start it, and with it its log, before it is known
	 * where that goes. */
	unsigned long libvirt = LIBVIR_VERSION_NUMBER, qemu;

	for (guint i = 0; i < G_N_ELEMENTS(since); i++) {
		g_autofree char *have = NULL;
		g_autofree char *need = NULL;
		gboolean old_libvirt;

		if (!g_str_equal(since[i].feature, feature))
			continue;
		old_libvirt = libvirt < since[i].libvirt;
		qemu = old_libvirt ? 0 : qemu_version();
		if (!old_libvirt && (qemu == 0 || qemu >= since[i].qemu))
			return NULL;
		have = version_text(old_libvirt ? libvirt : qemu);
		need = version_text(old_libvirt ? since[i].libvirt : since[i].qemu);
		return g_strdup_printf("%s needs %s %s, and %s is installed", since[i].what, old_libvirt ? "libvirt" : "QEMU", need, have);
	}
	return NULL;
}

/* ---- for keepers ---------------- */

static gboolean destroy_elsewhere(const char *uri, const char *name, gboolean *ret_was_there)
{
	virConnectPtr connection = virConnectOpen(uri);
	virDomainPtr domain;
	gboolean gone = TRUE;

	if (!connection)
		return FALSE;
	domain = virDomainLookupByName(connection, name);
	if (domain) {
		*ret_was_there = virDomainDestroy(domain) == 0;
		/* The daemon destroys it too, when it sees that its maker is gone; either is as
		 * good. */
		gone = *ret_was_there || virDomainIsActive(domain) != 1;
		virDomainFree(domain);
	}
	virConnectClose(connection);
	return gone;
}

gboolean hypervisor_destroy_domain(const char *what, gboolean *ret_was_there)
{
	const char *blank = strrchr(what, ' ');
	g_autofree char *uri = blank ? g_strndup(what, (gsize)(blank - what)) : NULL;
	g_autofree char *log = g_strdup("/dev/null");
	const char *root;

	/* A line without a name says nothing that could be done. */
	if (!uri)
		return TRUE;
	if (!g_str_has_prefix(uri, EMBED_PREFIX)) {
		prepare_libvirt(log);
		return destroy_elsewhere(uri, blank + 1, ret_was_there);
	}
	root = uri + strlen(EMBED_PREFIX);
	if (g_str_equal(blank + 1, EVERYTHING))
		return embed_sweep(root, ret_was_there);
	return embed_destroy(root, blank + 1, ret_was_there);
}
