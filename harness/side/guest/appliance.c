/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/appliance.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/guest/cache.h"
#include "harness/side/guest/initramfs.h"
#include "harness/side/guest/kernel.h"
#include "harness/side/guest/modules.h"
#include "harness/side/guest/programs.h"

/* Raw disks need no file systems; /proc, /sys and devtmpfs are built into every kernel that can
 * boot this way. */
static const ModuleWanted wanted_with_all[] = {
	{"ext4", FALSE, "the file system that bonnie++ works in"},
	{"xhci_pci", FALSE, "USB disks"},
	{"usb_storage", FALSE, "USB disks"},
	{"virtio_pci", FALSE, "virtio devices"},
	{"virtio_console", FALSE, "the agent's channel"},
	{"virtio_blk", FALSE, "virtio disks"},
	{"virtio_scsi", FALSE, "virtio-scsi disks"},
	{"ata_piix", FALSE, "IDE disks"},
	{"ahci", FALSE, "SATA disks"},
	{"sd_mod", FALSE, "SCSI, IDE, SATA and USB disks"},
	{NULL},
};
/* What few boots need comes first, and is left out in the others: each would pay for loading it. */
static const ModuleWanted *const wanted_with_usb = wanted_with_all + 1, *const wanted = wanted_with_all + 3;


void appliance_free(Appliance *appliance)
{
	if (!appliance)
		return;
	g_free(appliance->kernel_file);
	g_free(appliance->kernel_version);
	g_free(appliance->boot_file);
	g_free(appliance->remark);
	g_free(appliance->initramfs);
	g_free(appliance->initramfs_sha256);
	g_free(appliance);
}

/*
 * console=ttyS0      the console goes to the boot's log
 * panic=-1           a panic resets at once, which ends the domain: an event, not a deadline
 * quiet              a line costs an emulated serial port ms; warnings and errors still come
 * cryptomgr.notests  no self-tests of the checksums that sd_mod brings along
 *
 * Under TCG also:
 * no_timer_check     the check of the timer interrupt fails, and the kernel panics, when a busy
 *                    host is late (KVM guests leave it out by themselves)
 * tsc=reliable       the guest's TSC is the host's. Without it a watchdog compares it with a timer
 *                    that follows the host's clock, and when the host is late or slews its clock
 *                    the guest may change to one that is far slower to read, in the middle of a
 *                    measurement. KVM guests have kvmclock.
 *
 * Nothing here touches block devices, schedulers, page cache or mitigations.
 */
#define CMDLINE "console=ttyS0 panic=-1 quiet cryptomgr.notests"

const char *appliance_cmdline(const char *accel)
{
	return g_str_equal(accel, "kvm") ? CMDLINE : CMDLINE " no_timer_check tsc=reliable";
}

/* ---- the agent ---------------------------------------------------------------------------- */

static gboolean bad_agent(GError **error, const char *file, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"%s cannot be the guest's first program: %s; build it with make, or set "
		"IOGAP_AGENT",
		file, why);
	return FALSE;
}

/* It must run before anything else is there, whatever else the appliance holds. */
static gboolean check_agent(const char *file, const void *data, gsize size, GError **error)
{
	g_autofree char *loader = NULL;
	const char *why = programs_inspect(data, size, &loader);

	if (why)
		return bad_agent(error, file, why);
	return loader ? bad_agent(error, file, "it is not linked statically") : TRUE;
}

static GBytes *read_agent(const char *file, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autofree char *data = NULL;
	gsize size;

	if (!g_file_get_contents(file, &data, &size, &cause)) {
		bad_agent(error, file, cause->message);
		return NULL;
	}
	if (!check_agent(file, data, size, error))
		return NULL;
	return g_bytes_new_take(g_steal_pointer(&data), size);
}

/* ---- the kernel --------------------------------------------------------------------------- */

gboolean appliance_unpack_kernel(Appliance *appliance, const char *cache_dir, GError **error)
{
	g_autofree char *folder = g_build_filename(cache_dir, "kernels", NULL);
	g_autofree char *image = NULL;
	g_autofree char *digest = NULL;
	g_autofree char *name = NULL;
	g_autoptr(GBytes) inner = NULL;
	g_autoptr(GError) cause = NULL;
	gsize size;

	if (!g_file_get_contents(appliance->kernel_file, &image, &size, &cause)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot read the kernel: %s",
			cause->message);
		return FALSE;
	}
	digest = cache_digest(image, size);
	name = g_strdup_printf("vmlinux-%s", digest);
	appliance->unpacked = TRUE;
	appliance->boot_file = cache_get(folder, name);
	if (appliance->boot_file)
		return TRUE;
	inner = kernel_unpack(image, size, appliance->kernel_file, &cause);
	if (inner) {
		appliance->boot_file = cache_put(folder, name, inner, error);
		return appliance->boot_file != NULL;
	}
	if (!g_error_matches(cause, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED)) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return FALSE;
	}
	appliance->unpacked = FALSE;
	appliance->remark = g_strdup(cause->message);
	appliance->boot_file = g_strdup(appliance->kernel_file);
	return TRUE;
}

/* ---- all together ------------------------------------------------------------------------- */

static gboolean makes_filesystem(const ApplianceSource *source)
{
	return source->programs && strstr(source->programs, "mkfs.ext4");
}

static GPtrArray *resolve_modules(const ApplianceSource *source, const char *modules_dir, const char *version, GError **error)
{
	return modules_resolve(modules_dir, version,
		makes_filesystem(source) ? wanted_with_all : source->usb ? wanted_with_usb : wanted, error);
}

static gboolean make_initramfs(Appliance *appliance, const char *agent, const ApplianceSource *source, const char *modules_dir,
	const char *cache_dir, GError **error)
{
	g_autofree char *folder = g_build_filename(cache_dir, "initramfs", NULL);
	g_autoptr(GPtrArray) modules = NULL;
	g_autoptr(GPtrArray) files = NULL;
	g_autoptr(GBytes) init = read_agent(agent, error);
	g_autoptr(GBytes) archive = NULL;
	gsize size;
	const void *data;

	if (!init)
		return FALSE;
	if (source->programs) {
		files = programs_resolve(source->programs, error);
		if (!files)
			return FALSE;
	}
	modules = resolve_modules(source, modules_dir, appliance->kernel_version, error);
	if (!modules)
		return FALSE;
	archive = initramfs_pack(init, modules, files, error);
	if (!archive)
		return FALSE;
	/* Its bytes depend on its content only, so its own digest is the key of all that went into
	 * it. */
	data = g_bytes_get_data(archive, &size);
	appliance->initramfs_sha256 = cache_digest(data, size);
	appliance->initramfs = cache_put(folder, appliance->initramfs_sha256, archive, error);
	return appliance->initramfs != NULL;
}

/* Two builds of one kernel have the same version: the modules beside the file are its own, before those of the host. */
static char *find_modules(const char *kernel, const char *version)
{
	static const char *const places[] = {"lib/modules", "../lib/modules"};
	g_autofree char *folder = g_path_get_dirname(kernel);

	for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *relative = g_build_filename(folder, places[i], NULL);
		g_autofree char *modules = g_canonicalize_filename(relative, NULL);
		g_autofree char *own = g_build_filename(modules, version, NULL);

		if (g_file_test(own, G_FILE_TEST_IS_DIR))
			return g_steal_pointer(&modules);
	}
	return g_strdup("/lib/modules");
}

gboolean appliance_check_kernel(const char *file, GError **error)
{
	const ApplianceSource source = {.kernel = file};
	g_autoptr(Kernel) kernel = kernel_open(file, error);
	g_autofree char *modules_dir = kernel ? find_modules(kernel->file, kernel->version) : NULL;
	g_autoptr(GPtrArray) modules = kernel ? resolve_modules(&source, modules_dir, kernel->version, error) : NULL;

	return modules != NULL;
}

Appliance *appliance_build_from(const ApplianceSource *source, GError **error)
{
	const char *boot_dir = source->boot_dir ? source->boot_dir : "/boot";
	g_autofree char *cache_dir =
		source->cache_dir ? g_strdup(source->cache_dir) : paths_cache();
	g_autofree char *agent = source->agent ? g_strdup(source->agent) : paths_agent();
	g_autoptr(Appliance) appliance = g_new0(Appliance, 1);
	g_autofree char *modules_dir = g_strdup(source->modules_dir);
	g_autoptr(Kernel) kernel = source->kernel ? kernel_open(source->kernel, error)
						  : kernel_find(boot_dir, modules_dir ? modules_dir : "/lib/modules", error);

	if (!kernel)
		return NULL;
	appliance->kernel_file = g_strdup(kernel->file);
	appliance->kernel_version = g_strdup(kernel->version);
	if (!modules_dir)
		modules_dir = find_modules(kernel->file, kernel->version);
	if (!make_initramfs(appliance, agent, source, modules_dir, cache_dir, error) ||
		!appliance_unpack_kernel(appliance, cache_dir, error))
		return NULL;
	return g_steal_pointer(&appliance);
}

Appliance *appliance_build(const char *kernel, const char *agent, GError **error)
{
	ApplianceSource source = {.kernel = kernel, .agent = agent};

	return appliance_build_from(&source, error);
}
