/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/facts-memory.h"

#include <sys/sysinfo.h>

guint64 facts_memory(void)
{
	struct sysinfo info;

	if (sysinfo(&info) < 0)
		return 0;
	return ((guint64)info.totalram + info.totalswap) * info.mem_unit;
}
