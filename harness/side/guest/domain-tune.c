/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/domain-tune.h"

/* One list is that of every vCPU. */
static void pin_vcpus(Writer w, const char *lists, guint vcpus)
{
	g_auto(GStrv) each = g_strsplit(lists, "/", -1);
	guint n = g_strv_length(each);

	for (guint i = 0; i < vcpus; i++) {
		begin(w, "vcpupin");
		attribute_uint(w, "vcpu", i);
		attribute(w, "cpuset", each[MIN(i, n - 1)]);
		end(w);
	}
}

static void cputune(Writer w, const SideTuning *tuning, guint vcpus, guint iothreads)
{
	gboolean pin_iothreads = tuning->pin_iothread && iothreads > 0;

	if (!tuning->pin_vcpu && !tuning->pin_emulator && !pin_iothreads)
		return;
	begin(w, "cputune");
	if (tuning->pin_vcpu)
		pin_vcpus(w, tuning->pin_vcpu, vcpus);
	if (tuning->pin_emulator) {
		begin(w, "emulatorpin");
		attribute(w, "cpuset", tuning->pin_emulator);
		end(w);
	}
	for (guint id = 1; pin_iothreads && id <= iothreads; id++) {
		begin(w, "iothreadpin");
		attribute_uint(w, "iothread", id);
		attribute(w, "cpuset", tuning->pin_iothread);
		end(w);
	}
	end(w);
}

static void memory_backing(Writer w, guint64 hugepages)
{
	if (!hugepages)
		return;
	begin(w, "memoryBacking");
	begin(w, "hugepages");
	begin(w, "page");
	attribute_uint(w, "size", hugepages >> 10);
	attribute(w, "unit", "KiB");
	end(w);
	end(w);
	end(w);
}

/* strict: memory of another node would be a measurement of something else. */
static void numatune(Writer w, const char *nodes)
{
	if (!nodes)
		return;
	begin(w, "numatune");
	begin(w, "memory");
	attribute(w, "mode", "strict");
	attribute(w, "nodeset", nodes);
	end(w);
	end(w);
}

void domain_tune(Writer w, const SideTuning *tuning, guint vcpus, guint iothreads)
{
	memory_backing(w, tuning->hugepages);
	cputune(w, tuning, vcpus, iothreads);
	numatune(w, tuning->numa);
}
