/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives of several files, which are not unpacked: which of them to import is for the user to say. Who may include it: harness/cli, tests. */
#ifndef IOGAP_IMPORT_ARCHIVE_H
#define IOGAP_IMPORT_ARCHIVE_H

#include <glib.h>

/* What DATA, the first bytes of a file (512 at least for tar), begins: "tar", "zip", "7z", or NULL. */
const char *import_archive_kind(const char *data, gsize size);

#endif
