/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the kernel's (sysfs, control groups), which take a value in one write and no other way. Who may include it: everybody in the harness. */
#ifndef IOGAP_BASE_KERNEL_FILE_H
#define IOGAP_BASE_KERNEL_FILE_H

#include <glib.h>

/* Writes TEXT to PATH, which must be there. FALSE with errno set. */
gboolean kernel_file_put(const char *path, const char *text);

#endif
