/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where QEMU runs: its control group, and the processors of what is made after its start. */
#include <errno.h>

#include "harness/base/cpu-list.h"
#include "harness/base/error.h"
#include "harness/base/kernel-file.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/virt-error.h"

void guest_tune_copy(GuestSide *guest, const GuestConfig *config)
{
	guest->members = g_strdup(config->members);
	guest->tuning = config->tuning;
	guest->tuning.pin_vcpu = g_strdup(config->tuning.pin_vcpu);
	guest->tuning.pin_iothread = g_strdup(config->tuning.pin_iothread);
	guest->tuning.pin_emulator = g_strdup(config->tuning.pin_emulator);
	guest->tuning.numa = g_strdup(config->tuning.numa);
}

void guest_tune_free(GuestSide *guest)
{
	g_free(guest->members);
	g_free((char *)guest->tuning.pin_vcpu);
	g_free((char *)guest->tuning.pin_iothread);
	g_free((char *)guest->tuning.pin_emulator);
	g_free((char *)guest->tuning.numa);
}

/* Before the guest has touched much of its memory: what it has then stays charged to the group that it comes from. */
gboolean guest_tune_join(GuestSide *guest, GError **error)
{
	g_autofree char *number = g_strdup_printf("%d", (int)guest->pid);

	if (!guest->members)
		return TRUE;
	if (guest->pid == 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"QEMU's process cannot be found here, so it cannot be put into the control group of %s", guest->members);
		return FALSE;
	}
	if (kernel_file_put(guest->members, number))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "QEMU's process %s cannot be put into a control group by %s: %s", number,
		guest->members, g_strerror(errno));
	return FALSE;
}

gboolean guest_tune_iothread(GuestSide *guest, guint id, GError **error)
{
	g_autoptr(GArray) cpus = guest->tuning.pin_iothread ? cpu_list_parse(guest->tuning.pin_iothread) : NULL;
	unsigned char map[VIR_CPU_MAPLEN(CPU_LIST_MOST + 1)] = {0};
	guint last = 0;

	if (!cpus)
		return TRUE;
	for (guint i = 0; i < cpus->len; i++) {
		last = g_array_index(cpus, guint, i);
		VIR_USE_CPU(map, last);
	}
	if (virDomainPinIOThread(guest->domain, id, map, VIR_CPU_MAPLEN(last + 1), VIR_DOMAIN_AFFECT_LIVE) == 0)
		return TRUE;
	virt_set_error(error, "the I/O thread cannot be pinned");
	return FALSE;
}
