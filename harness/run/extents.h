/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether every byte of a file lies on the disk as written data. What a hole or an unwritten extent gives when it is read comes
 * from memory. Block counts cannot tell (reserved space counts), so the extent map is asked. Who may include it: run.
 */
#ifndef IOGAP_RUN_EXTENTS_H
#define IOGAP_RUN_EXTENTS_H

#include <glib.h>

/*
 * FALSE with IOGAP_ERROR_FAILED, which names the first such place, unless bytes 0 to SIZE of PATH are written. A block device
 * passes: it has no map. File systems without one (tmpfs) are asked for holes instead.
 */
gboolean extents_check(const char *path, guint64 size, GError **error);

#endif
