/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that this project does not use, poisoned in every file (the Makefile includes this
 * header first). The system headers that declare them come in before the poison.
 */
#ifndef IOGAP_COMMON_BANNED_H
#define IOGAP_COMMON_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No length, or no error: use snprintf, strtoull through units.h, g_strdup_printf in the harness. */
#pragma GCC poison strcpy strcat sprintf vsprintf gets atoi atol atoll atof strtok
/* A shell, or a child nobody reaps: use harness/base/subprocess.h. */
#pragma GCC poison system popen

#endif
