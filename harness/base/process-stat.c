/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/process-stat.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

gint64 process_ticks_ns(guint64 ticks)
{
	return (gint64)(ticks * (1000000000ull / (guint64)sysconf(_SC_CLK_TCK)));
}

gboolean process_stat_read(const char *path, ProcessStat *ret)
{
	g_autofree char *text = NULL;
	unsigned long long user, sys, start;
	char *open, *close;
	int parent;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return FALSE;
	/* The name in parentheses may hold anything, its last ')' ends it. Then come fields 3 ... */
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open ||
		sscanf(close + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu", &parent,
			&user, &sys, &start) != 4)
		return FALSE;
	*close = '\0';
	*ret = (ProcessStat){
		.parent = parent,
		.user_ns = process_ticks_ns(user),
		.system_ns = process_ticks_ns(sys),
		.start = start,
	};
	g_strlcpy(ret->name, open + 1, sizeof(ret->name));
	return TRUE;
}
