/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest side's life: from a configuration to an agent that said hello, and back to nothing. */
#include "harness/side/guest/guest.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <libvirt/libvirt-qemu.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/guest/domain.h"
#include "harness/side/guest/embed.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/image-private.h"
#include "harness/side/guest/virt-error.h"

#define CREATE_S                                                                                   \
	60 /* libvirt's own patience with a QEMU that does not open its monitor is about half of   \
	      that */
#define QMP_S 20
#define KVM_HELLO_S 20
#define TCG_HELLO_S 120
/* A distribution starts all that it has before the agent. */
#define IMAGE_KVM_HELLO_S 90
#define IMAGE_TCG_HELLO_S 600
#define POWEROFF_MS 3000
#define OFF_MS 5000
#define DESTROY_S 20

/* ---- configuration ---------------- */

static gboolean bad(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean bad(GError **error, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, message);
	return FALSE;
}

static gboolean check_file(
	const char *what, const char *path, int mode, const char *mend, GError **error)
{
	if (!path || access(path, mode) == 0)
		return TRUE;
	return bad(error, "%s %s cannot be used: %s; %s", what, path, g_strerror(errno), mend);
}

static gboolean check_emulator_file(const GuestConfig *config, GError **error)
{
	return check_file("the emulator", config->emulator, X_OK,
		"install qemu-system-x86, or give the path of a working QEMU as emulator:", error);
}

static gboolean check_kernel_file(const GuestConfig *config, GError **error)
{
	return check_file("the kernel", config->kernel, R_OK, "install linux-image-amd64 or name another as kernel:", error);
}

gboolean guest_check_named(const GuestConfig *config, GError **error)
{
	g_autoptr(Image) image = NULL;

	if (!check_emulator_file(config, error) || !check_kernel_file(config, error))
		return FALSE;
	if (config->image) {
		image = image_find(config->image, error);
		if (!image || !image_usable(image, error))
			return FALSE;
	} else if (config->kernel && !appliance_check_kernel(config->kernel, error))
		return FALSE;
	return !config->emulator || hypervisor_check_emulator(config->emulator, error);
}

static gboolean check_config(const GuestConfig *config, GError **error)
{
	if (!g_str_equal(config->accel, "kvm") && !g_str_equal(config->accel, "tcg"))
		return bad(error, "accelerator \"%s\" is not kvm or tcg", config->accel);
	if (!g_str_equal(config->machine, "pc") && !g_str_equal(config->machine, "q35"))
		return bad(error, "machine \"%s\" is not pc or q35", config->machine);
	if (config->vcpus == 0 || config->memory == 0)
		return bad(error, "a guest needs at least one vCPU and some memory");
	if (!check_emulator_file(config, error) ||
		!check_file("the agent", config->agent, R_OK,
			"build it with make, or name it in IOGAP_AGENT", error) ||
		!check_kernel_file(config, error))
		return FALSE;
	for (guint i = 0; i < config->n_disks; i++)
		if (!guest_disk_image_check(&config->disks[i], error))
			return FALSE;
	return TRUE;
}

static void cold_clear(gpointer data)
{
	SideDisk *disk = data;

	g_free((char *)disk->image);
	g_free((char *)disk->serial);
	g_free((char *)disk->bus);
	g_free((char *)disk->cache);
	g_free((char *)disk->io);
	g_free((char *)disk->format);
	g_free((char *)disk->scheduler);
	g_free((char *)disk->discard);
	g_free((char *)disk->nbd_socket);
}

static void copy_cold(GuestSide *guest, const GuestConfig *config)
{
	for (guint i = 0; i < config->n_disks; i++) {
		SideDisk disk = config->disks[i];

		disk.image = g_strdup(disk.image);
		disk.serial = g_strdup(disk.serial);
		disk.bus = g_strdup(disk.bus);
		disk.cache = g_strdup(disk.cache);
		disk.io = g_strdup(disk.io);
		disk.format = g_strdup(disk.format);
		disk.scheduler = g_strdup(disk.scheduler);
		disk.discard = g_strdup(disk.discard);
		disk.nbd_socket = g_strdup(disk.nbd_socket);
		g_array_append_val(guest->cold, disk);
	}
}

/* ---- start ---------------- */

/* In a thread. */
static gboolean create(GuestSide *guest, gpointer data, GError **error)
{
	/* A daemon ends the guest when our connection to it breaks; the embedded driver has no
	 * daemon and refuses this. */
	unsigned int flags =
		hypervisor_is_embedded(guest->hypervisor) ? 0 : VIR_DOMAIN_START_AUTODESTROY;

	guest->domain = virDomainCreateXML(guest->hypervisor->connection, data, flags);
	if (!guest->domain)
		virt_set_error(error, "the guest does not start");
	return guest->domain != NULL;
}

/* In a thread. libvirt starts QEMU with -no-shutdown, which would leave the process of a guest that
 * has powered itself off after we are gone. */
static gboolean set_action(GuestSide *guest, gpointer data, GError **error)
{
	static const char command[] =
		"{\"execute\":\"set-action\",\"arguments\":{\"shutdown\":\"poweroff\"}}";
	char *answer = NULL;

	if (virDomainQemuMonitorCommand(guest->domain, command, &answer, 0) < 0) {
		virt_set_error(error, "QEMU does not take the order to end with its guest");
		return FALSE;
	}
	if (strstr(answer, "\"error\"")) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"QEMU refuses the order to end with its guest (set-action needs QEMU 6.0): "
			"%s",
			answer);
		free(answer);
		return FALSE;
	}
	free(answer);
	return TRUE;
}

static gboolean open_channel(GuestSide *guest, GCancellable *cancel, GError **error)
{
	g_autoptr(GSocketAddress) address = g_unix_socket_address_new(guest->socket);
	g_autoptr(GSocketClient) client = g_socket_client_new();
	g_autoptr(GSocketConnection) connection = NULL;
	g_autoptr(GError) local = NULL;

	connection = g_socket_client_connect(client, G_SOCKET_CONNECTABLE(address), cancel, &local);
	if (!connection) {
		if (g_error_matches(local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
			g_set_error_literal(
				error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
		else
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_LOST,
				"cannot connect to the guest's channel %s: %s%s%s", guest->socket,
				local->message, guest->reason ? "; " : "",
				guest->reason ? guest->reason : "");
		return FALSE;
	}
	/* The connection, and with it the socket, lives as long as its streams' owner. */
	guest->side.link = link_new("guest", g_io_stream_get_input_stream(G_IO_STREAM(connection)),
		g_io_stream_get_output_stream(G_IO_STREAM(connection)));
	guest->connection = g_steal_pointer(&connection);
	link_set_diagnose(guest->side.link, guest_diagnose, guest);
	link_set_explain(guest->side.link, guest_explain, guest);
	if (guest->reason)
		link_lose(guest->side.link, guest->reason);
	return TRUE;
}

static guint hello_limit(const GuestSide *guest)
{
	gboolean kvm = g_str_equal(guest->accel, "kvm");

	if (guest->hello_timeout_s)
		return guest->hello_timeout_s;
	if (guest->image)
		return kvm ? IMAGE_KVM_HELLO_S : IMAGE_TCG_HELLO_S;
	return kvm ? KVM_HELLO_S : TCG_HELLO_S;
}

static gboolean say_hello(GuestSide *guest, gint64 begin_us, GCancellable *cancel, GError **error)
{
	guint limit_s = hello_limit(guest);
	gint64 left_us = (gint64)limit_s * G_USEC_PER_SEC - (g_get_monotonic_time() - begin_us);
	g_autoptr(GError) local = NULL;
	g_autofree char *tail = NULL;
	const json_t *hello =
		link_hello(guest->side.link, (guint)(MAX(left_us, 1000) / 1000), cancel, &local);

	if (hello) {
		guest->hello_ns = (g_get_monotonic_time() - begin_us) * 1000;
		g_free(guest->agent_version);
		guest->agent_version = g_strdup(json_string_value(json_object_get(hello, "agent")));
		return TRUE;
	}
	/* One that died has a reason that already quotes its console. */
	if (!g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_LOST) || guest->reason) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	guest->silent = g_get_monotonic_time() - begin_us >= (gint64)limit_s * G_USEC_PER_SEC - 100000;
	tail = console_tail(guest->console, 3);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_LOST,
		"the guest did not say hello within %u s under %s; its console ends with: %s%s", limit_s, guest->accel, tail,
		g_str_equal(guest->accel, "tcg") ? "; where emulation is slower than that, give it a longer boot_limit (of measure)" : "");
	return FALSE;
}

static char *quoted_command_line(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/cmdline", (int)pid);
	g_autofree char *text = NULL;
	GString *line;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, NULL) || length == 0)
		return NULL;
	line = g_string_new(NULL);
	for (const char *at = text; at < text + length; at += strlen(at) + 1) {
		gboolean plain =
			*at &&
			strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-_./,=:+@%") == strlen(at);
		g_autofree char *word = plain ? g_strdup(at) : g_shell_quote(at);

		g_string_append_printf(line, "%s%s", line->len ? " " : "", word);
	}
	return g_string_free(line, FALSE);
}

static void read_xml(GuestSide *guest)
{
	char *text = virDomainGetXMLDesc(guest->domain, 0);

	if (!text)
		return;
	g_free(guest->xml);
	guest->xml = g_strdup(text);
	free(text);
}

/* The prepared image stays as it is: this boot writes to a file of its own, in the run's folder, which the keeper removes. */
static gboolean make_overlay(GuestSide *guest, GError **error)
{
	if (!guest->image)
		return TRUE;
	hypervisor_announce(guest->hypervisor, "file", guest->overlay);
	return image_overlay_create(guest->overlay, guest->image->overlay, "qcow2", error);
}

static gboolean boot(GuestSide *guest, GCancellable *cancel, GError **error)
{
	g_autofree char *xml = make_overlay(guest, error) ? guest_xml(guest, error) : NULL;
	g_autofree char *mark = g_strdup_printf("guest=%s,", guest->name);
	gint64 begin_us;

	if (!xml || !guest_events_register(guest, error))
		return FALSE;
	hypervisor_announce(guest->hypervisor, "domain", guest->announced);
	begin_us = g_get_monotonic_time();
	if (!guest_call(guest, "starting the guest", create, xml, CREATE_S, cancel, error) ||
		!guest_call(guest, "set-action", set_action, NULL, QMP_S, cancel, error))
		return FALSE;
	guest->pid = embed_find_process(mark);
	guest->cmdline = quoted_command_line(guest->pid);
	read_xml(guest);
	guest_disks_begin(guest);
	return guest_tune_join(guest, error) && open_channel(guest, cancel, error) && say_hello(guest, begin_us, cancel, error);
}

static void stop(Side *side);

static gboolean has_usb(const GuestSide *guest)
{
	for (guint i = 0; i < guest->cold->len; i++)
		if (g_str_equal(g_array_index(guest->cold, SideDisk, i).bus, "usb"))
			return TRUE;
	return FALSE;
}

static Appliance *build_appliance(const GuestSide *guest, GError **error)
{
	const ApplianceSource source = {.kernel = guest->kernel, .agent = guest->agent, .programs = guest->programs,
		.usb = has_usb(guest)};

	if (guest->image)
		return image_appliance(guest->image, error);
	return appliance_build_from(&source, error);
}

static gboolean start(Side *side, GCancellable *cancel, GError **error)
{
	GuestSide *guest = (GuestSide *)side;

	g_clear_pointer(&guest->appliance, appliance_free);
	guest->appliance = build_appliance(guest, error);
	if (!guest->appliance)
		return FALSE;
	g_free(guest->words); /* kept until now for the facts of the boot before */
	guest_name_things(guest, keeper_folder(guest->hypervisor->keeper), keeper_run_id(guest->hypervisor->keeper));
	guest->hello_ns = -1;
	guest->silent = FALSE;
	if (boot(guest, cancel, error))
		return TRUE;
	stop(side);
	return FALSE;
}

/* ---- stop ---------------- */

static void ask_to_power_off(GuestSide *guest)
{
	json_t *answer;

	if (!guest->side.link || link_lost(guest->side.link) || guest->hello_ns < 0)
		return;
	answer = link_call(guest->side.link, "poweroff", NULL, POWEROFF_MS, NULL, NULL, NULL, NULL);
	/* One that does not answer will not go either. */
	if (answer)
		guest_wait(&guest->gone, OFF_MS);
	json_decref(answer);
}

/* In a thread. */
static gboolean destroy(GuestSide *guest, gpointer data, GError **error)
{
	/* It fails when the guest has ended by itself: that is as good. */
	return virDomainDestroyFlags(guest->domain, 0) == 0 ||
	       virDomainIsActive(guest->domain) != 1;
}

static void end_domain(GuestSide *guest)
{
	g_autoptr(GError) error = NULL;

	ask_to_power_off(guest);
	g_clear_pointer(&guest->side.link, link_free);
	g_clear_object(&guest->connection);
	if (!guest->gone) {
		/* libvirt would first ask QEMU, and wait for one that is stopped or hangs. */
		guest_kill(guest);
		if (!guest_call(guest, "destroying the guest", destroy, NULL, DESTROY_S, NULL,
			    &error) &&
			error)
			g_debug("guest %s: %s", guest->name, error->message);
		guest_wait(&guest->gone, OFF_MS);
	}
	guest_observe_drop(guest);
	virDomainFree(guest->domain);
	guest->domain = NULL;
}

static void stop(Side *side)
{
	GuestSide *guest = (GuestSide *)side;

	if (!guest->name)
		return;
	guest->stopping = TRUE;
	if (guest->domain)
		end_domain(guest);
	guest_events_deregister(guest);
	if (hypervisor_is_embedded(guest->hypervisor))
		embed_forget(guest->hypervisor->uri + strlen(EMBED_PREFIX), guest->name);
	g_unlink(guest->socket);
	g_unlink(guest->console);
	hypervisor_withdraw(guest->hypervisor, "domain", guest->announced);
	if (guest->overlay) {
		g_unlink(guest->overlay);
		hypervisor_withdraw(guest->hypervisor, "file", guest->overlay);
	}
	guest_unname_things(guest);
	g_clear_pointer(&guest->reason, g_free);
	g_ptr_array_set_size(guest->disks, 0);
	g_array_set_size(guest->controllers, 0);
	guest->iothreads = 0;
	guest->stopping = guest->gone = FALSE;
}

/* ---- facts ---------------- */

static void facts(Side *side, Record *record)
{
	GuestSide *guest = (GuestSide *)side;
	const Appliance *appliance = guest->appliance;

	if (guest->domain && !guest->gone)
		read_xml(guest);
	record_set_text(record, "accel", guest->accel);
	record_set_text(record, "machine", guest->machine);
	record_set_text(record, "agent_version", guest->agent_version);
	record_set_text(record, "cmdline", guest->words);
	record_set_text(record, "domain_xml", guest->xml);
	record_set_text(record, "qemu_cmdline", guest->cmdline);
	if (guest->pid)
		record_set_int(record, "qemu_pid", guest->pid);
	else
		record_set_null(record, "qemu_pid");
	if (guest->hello_ns >= 0)
		record_set_int(record, "hello_ns", guest->hello_ns);
	else
		record_set_null(record, "hello_ns");
	record_set_text(record, "kernel", appliance ? appliance->kernel_file : NULL);
	record_set_text(record, "guest_kernel", appliance ? appliance->kernel_version : NULL);
	record_set_text(record, "kernel_booted", appliance ? appliance->boot_file : NULL);
	if (appliance)
		record_set_int(record, "unpacked", appliance->unpacked ? 1 : 0);
	else
		record_set_null(record, "unpacked");
	record_set_text(record, "initramfs_sha256", appliance ? appliance->initramfs_sha256 : NULL);
}

static void release(Side *side)
{
	GuestSide *guest = (GuestSide *)side;

	appliance_free(guest->appliance);
	g_ptr_array_unref(guest->disks);
	g_array_unref(guest->controllers);
	g_array_unref(guest->cold);
	g_free(guest->accel);
	g_free(guest->machine);
	g_free(guest->kernel);
	g_free(guest->emulator);
	g_free(guest->agent);
	g_free(guest->programs);
	guest_tune_free(guest);
	g_free(guest->xml);
	g_free(guest->cmdline);
	g_free(guest->agent_version);
	g_free(guest->words);
	image_free(guest->image);
}

static const SideOps guest_ops = {
	.name = "guest",
	.start = start,
	.disk = guest_disk,
	.facts = facts,
	.begin = guest_observe_begin,
	.end = guest_observe_end,
	.stop = stop,
	.free = release,
};

GuestSide *guest_new(Hypervisor *hypervisor, const GuestConfig *config, GError **error)
{
	GuestSide *guest = g_new0(GuestSide, 1);

	guest->side.ops = &guest_ops;
	guest->hypervisor = hypervisor;
	guest->accel = g_strdup(config->accel);
	guest->machine = g_strdup(config->machine);
	guest->kernel = g_strdup(config->kernel);
	guest->emulator = g_strdup(config->emulator);
	guest->agent = g_strdup(config->agent);
	guest->programs = g_strdup(config->programs);
	guest_tune_copy(guest, config);
	guest->vcpus = config->vcpus;
	guest->memory = config->memory;
	guest->hello_timeout_s = config->hello_timeout_s;
	guest->hello_ns = -1;
	guest->cold = g_array_new(FALSE, FALSE, sizeof(SideDisk));
	g_array_set_clear_func(guest->cold, cold_clear);
	copy_cold(guest, config);
	guest->disks = g_ptr_array_new_with_free_func(guest_disk_free);
	guest->controllers = g_array_new(FALSE, FALSE, sizeof(GuestController));
	guest->image = config->image ? image_find(config->image, error) : NULL;
	/* Built here to tell at once what is wrong with a kernel; start looks again, since a cache
	 * may be emptied. */
	guest->appliance = !config->image || guest->image ? build_appliance(guest, error) : NULL;
	if (!guest->appliance) {
		side_free(&guest->side);
		return NULL;
	}
	return guest;
}

Side *guest_side_new(Hypervisor *hypervisor, const GuestConfig *config, GError **error)
{
	GuestSide *guest;

	if (!hypervisor->keeper) {
		bad(error, "a guest needs a keeper: without one it could outlive this program");
		return NULL;
	}
	if (!check_config(config, error))
		return NULL;
	guest = guest_new(hypervisor, config, error);
	return guest ? &guest->side : NULL;
}
