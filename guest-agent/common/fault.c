/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>

#include "guest-agent/common/fault.h"

int fault_set(Fault *fault, int code, const char *what, const char *format, ...)
{
	va_list args;

	fault->code = code;
	snprintf(fault->what, sizeof(fault->what), "%s", what);
	va_start(args, format);
	vsnprintf(fault->message, sizeof(fault->message), format, args);
	va_end(args);
	return -code;
}

const char *fault_code_name(int code, char *buf, unsigned size)
{
	const char *name = strerrorname_np(code);

	if (name)
		return name;
	snprintf(buf, size, "E%d", code);
	return buf;
}
