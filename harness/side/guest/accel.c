/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/accel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/kernel.h"

#define KVM_API 12 /* the only one since Linux 2.6.22 */
#define PROBE_S 20
#define PROBE_MEMORY (256u << 20)
/* Answers of other boots and emulators that are kept beside the newest. */
#define MEMO_MAX 16

/* ---- what the world says ---------------- */

static char *cannot_open(const char *path, int problem)
{
	switch (problem) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return g_strdup_printf(
			"%s does not exist: the kernel has no KVM here (no virtualisation in CPU "
			"or firmware, kvm_intel or kvm_amd not "
			"loaded, or no nested virtualisation on the outer host)",
			path);
	case EACCES:
	case EPERM:
		return g_strdup_printf("%s is closed to this user: join the group kvm (usermod -aG "
				       "kvm USER, then log in again)",
			path);
	default:
		return g_strdup_printf("%s cannot be opened: %s", path, g_strerror(problem));
	}
}

char *accel_check_device(const char *path)
{
	/* By opening it, not by its mode or by group membership: only that tells. */
	int fd = open(path, O_RDWR | O_CLOEXEC), vm, api;
	char *reason = NULL;

	if (fd < 0)
		return cannot_open(path, errno);
	api = ioctl(fd, KVM_GET_API_VERSION, 0);
	vm = api == KVM_API ? ioctl(fd, KVM_CREATE_VM, 0) : -1;
	if (api != KVM_API)
		reason = g_strdup_printf("%s is not KVM's device (it speaks version %d, not %d)",
			path, api, KVM_API);
	else if (vm < 0)
		reason = g_strdup_printf(
			"%s makes no virtual machine: %s; is another hypervisor using the CPU?",
			path, g_strerror(errno));
	if (vm >= 0)
		close(vm);
	close(fd);
	return reason;
}

typedef struct {
	Hypervisor *hypervisor;
	const GuestConfig *config;
} Real;

static char *real_device(void *data)
{
	return accel_check_device("/dev/kvm");
}

static char *real_capabilities(void *data)
{
	const Real *real = data;
	g_autoptr(GError) error = NULL;
	g_autofree char *xml = hypervisor_capabilities(
		real->hypervisor, real->config->emulator, real->config->machine, "kvm", &error);

	return xml ? NULL : g_strdup(error->message);
}

static gboolean real_boot(void *data, char **ret_reason, gboolean *ret_silent, GCancellable *cancel,
	GError **error)
{
	const Real *real = data;
	GuestConfig config = *real->config;
	g_autoptr(Side) side = NULL;
	g_autoptr(GError) local = NULL;

	config.accel = "kvm";
	config.n_disks = 0;
	config.programs = NULL;
	config.image = NULL;
	config.memory = MIN(config.memory, PROBE_MEMORY);
	config.hello_timeout_s = PROBE_S;
	side = guest_side_new(real->hypervisor, &config, error);
	if (!side)
		return FALSE;
	if (side_start(side, cancel, &local))
		return TRUE;
	/* A guest that started and was silent, or died, is an answer; one that could not be started
	 * is none. */
	if (g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_LOST)) {
		*ret_silent = ((const GuestSide *)side)->silent;
		*ret_reason = g_strdup_printf("%s: %s",
			*ret_silent ? "guests do not run in KVM on this machine"
				    : "the guest that tried KVM was lost",
			local->message);
		return TRUE;
	}
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

/* ---- what is remembered ---------------- */

static json_t *memo_load(const char *file)
{
	json_t *memo = json_load_file(file, 0, NULL);

	/* Damaged or of another kind: it is only a cache. */
	if (json_is_object(memo))
		return memo;
	json_decref(memo);
	return json_object();
}

/* TRUE when there is an answer; *ret_reason then is NULL (works) or why not. */
static gboolean memo_find(const char *file, const char *key, char **ret_reason)
{
	json_t *memo = memo_load(file);
	const json_t *answer = json_object_get(memo, key);
	gboolean found =
		json_is_object(answer) && json_is_boolean(json_object_get(answer, "works"));

	if (found && json_is_false(json_object_get(answer, "works"))) {
		const char *reason = json_string_value(json_object_get(answer, "reason"));

		*ret_reason =
			g_strdup(reason ? reason : "guests do not run in KVM on this machine");
	}
	json_decref(memo);
	return found;
}

static void memo_store(const char *file, const char *key, const char *reason)
{
	g_autofree char *folder = g_path_get_dirname(file);
	json_t *memo = memo_load(file);
	char *text;

	if (json_object_size(memo) >= MEMO_MAX)
		json_object_clear(memo);
	json_object_set_new(memo, key,
		reason ? json_pack("{s:b, s:s}", "works", 0, "reason", reason)
		       : json_pack("{s:b}", "works", 1));
	text = json_dumps(memo, JSON_INDENT(1));
	/* Failing to remember costs the next start its 20 seconds, no more. */
	if (paths_ensure(folder, NULL))
		g_file_set_contents(file, text, -1, NULL);
	free(text);
	json_decref(memo);
}

/* ---- the decision ---------------- */

/* *ret_reason: NULL when KVM works. */
static gboolean kvm_works(const AccelProber *prober, const char *memo, const char *key,
	gboolean probe_again, char **ret_reason, GCancellable *cancel, GError **error)
{
	gboolean silent = FALSE;

	/* These two are asked every time: they are quick, and their mend takes effect at once. */
	*ret_reason = prober->device(prober->data);
	if (!*ret_reason)
		*ret_reason = prober->capabilities(prober->data);
	if (*ret_reason)
		return TRUE;
	if (!probe_again && memo_find(memo, key, ret_reason))
		return TRUE;
	if (!prober->boot(prober->data, ret_reason, &silent, cancel, error))
		return FALSE;
	if (!*ret_reason || silent)
		memo_store(memo, key, *ret_reason);
	return TRUE;
}

const char *accel_choose(const AccelProber *prober, const char *asked, const char *memo,
	const char *key, gboolean probe_again, char **ret_remark, GCancellable *cancel,
	GError **error)
{
	g_autofree char *reason = NULL;

	if (ret_remark)
		*ret_remark = NULL;
	if (g_str_equal(asked, "tcg"))
		return "tcg";
	if (!g_str_equal(asked, "kvm") && !g_str_equal(asked, "auto")) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"accel: \"%s\" is not kvm, auto or tcg", asked);
		return NULL;
	}
	if (!kvm_works(prober, memo, key, probe_again, &reason, cancel, error))
		return NULL;
	if (!reason)
		return "kvm";
	if (g_str_equal(asked, "kvm")) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"accel: kvm was asked for and does not work: %s. To measure emulation "
			"instead, ask for accel: auto or tcg",
			reason);
		return NULL;
	}
	if (ret_remark)
		*ret_remark = g_strdup_printf("KVM does not work here, so guests run under TCG: "
					      "all guest figures describe emulation, not "
					      "virtualisation. Reason: %s",
			reason);
	return "tcg";
}

/* The guest's kernel: its file, what it says of itself, and when it was written. */
static char *kernel_key(const char *file)
{
	g_autoptr(Kernel) kernel = file ? kernel_open(file, NULL) : kernel_find("/boot", "/lib/modules", NULL);
	struct stat st = {0};

	/* The boot will say what is wrong with it. */
	if (!kernel)
		return g_strdup(file ? file : "no kernel");
	(void)stat(kernel->file, &st);
	return g_strdup_printf("%s %s %lld.%09ld", kernel->file, kernel->version,
		(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Boot, kernels and emulator (which may be replaced in place): a change of any of them may change
 * the answer. */
static char *memo_key(const char *emulator, const char *guest_kernel)
{
	g_autofree char *guest = kernel_key(guest_kernel);
	g_autofree char *boot = NULL;
	struct utsname uts;
	struct stat st = {0};

	if (g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
		g_strchomp(boot);
	uname(&uts);
	(void)stat(emulator, &st);
	return g_strdup_printf("%s %s %s %lld.%09ld %s", boot ? boot : "", uts.release, emulator,
		(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, guest);
}

static char *memo_file(void)
{
	g_autofree char *cache = paths_cache();

	return g_build_filename(cache, "kvm.json", NULL);
}

static char *emulator_of(Hypervisor *hypervisor, const GuestConfig *config, GError **error)
{
	return config->emulator ? g_strdup(config->emulator)
				: hypervisor_default_emulator(hypervisor, error);
}

const char *accel_for_tools(void)
{
	g_autofree char *trouble = accel_check_device("/dev/kvm");
	g_autofree char *file = memo_file();
	g_autofree char *boot = NULL;
	const char *key;
	gboolean seen = FALSE;
	json_t *memo, *answer;

	if (trouble || !g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
		return "tcg";
	g_strchomp(boot);
	memo = memo_load(file);
	json_object_foreach(memo, key, answer)
		seen = seen || (g_str_has_prefix(key, boot) && json_is_true(json_object_get(answer, "works")));
	json_decref(memo);
	return seen ? "kvm" : "tcg";
}

int accel_remembered(Hypervisor *hypervisor, const GuestConfig *config, char **ret_reason)
{
	Real real = {hypervisor, config};
	g_autofree char *emulator = emulator_of(hypervisor, config, NULL);
	g_autofree char *memo = memo_file();
	g_autofree char *key = emulator ? memo_key(emulator, config->kernel) : NULL;

	*ret_reason = real_device(&real);
	if (!*ret_reason)
		*ret_reason = real_capabilities(&real);
	if (*ret_reason)
		return 0;
	if (!key || !memo_find(memo, key, ret_reason))
		return -1;
	return *ret_reason ? 0 : 1;
}

const char *accel_decide(Hypervisor *hypervisor, const GuestConfig *config, const char *asked,
	gboolean probe_again, char **ret_remark, GCancellable *cancel, GError **error)
{
	Real real = {hypervisor, config};
	const AccelProber prober = {real_device, real_capabilities, real_boot, &real};
	g_autofree char *emulator = emulator_of(hypervisor, config, error);
	g_autofree char *memo = memo_file();
	g_autofree char *key = NULL;

	if (!emulator)
		return NULL;
	key = memo_key(emulator, config->kernel);
	return accel_choose(&prober, asked, memo, key, probe_again, ret_remark, cancel, error);
}
