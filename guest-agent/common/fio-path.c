/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/common/fio-path.h"

#include <string.h>

char fio_path_offence(const char *path)
{
	for (const char *at = path; *at; at++)
		if (((unsigned char)*at < ' ') || strchr("$`\\;#", *at) || (*at == ' ' && !at[1]))
			return *at;
	return 0;
}
