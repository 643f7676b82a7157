/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/error.h"

GQuark iogap_error_quark(void)
{
	return g_quark_from_static_string("iogap-error");
}
