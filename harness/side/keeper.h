/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a child in its own session that undoes what this harness made when the harness dies,
 * however it dies. It holds a pipe to the harness and the same list as the journal file in the run's folder;
 * when the pipe closes it undoes every entry, latest first, and removes the folder. A keeper that was killed
 * too leaves the journal, which the next start of iogap finds and undoes (keeper_recover).
 *
 * Kinds and what stands behind them:
 *   file PATH            removed               dir PATH      removed if empty
 *   mount PATH           unmounted             loop DEVICE   detached, if its backing file is listed as a file too
 *   mapper NAME          device-mapper's device removed, if the name is one of ours; when its last user goes, if it is in use
 *   nullb NAME           null_blk's device removed, if the name is one of ours
 *   process PID START    killed, if the process with this id still has this start time (field 22 of its stat)
 *   domain URI NAME      destroyed by the callback: through libvirt, or for embedded ones by killing their process
 *   scheduler DISK NAME  the disk's I/O scheduler set back
 *   setting PATH VALUE   a file below /sys/devices/system/cpu set back
 *   cgroup PATH          removed, once its members have ended
 * Who may include it: side, run, cli.
 */
#ifndef IOGAP_SIDE_KEEPER_H
#define IOGAP_SIDE_KEEPER_H

#include <glib.h>

typedef struct Keeper Keeper;

/*
 * Makes the run's folder below paths_runtime() and starts the keeper, which is this same program as `PROGRAM keeper
 * FOLDER`: a test program that calls this must hand that over to keeper_main(). The folder is locked while the harness or
 * its keeper lives, and its file "lock" holds both their process ids. IOGAP_ERROR_BUSY, with the process id, when another
 * iogap has held the lock of the runtime folder for more than 5 s.
 */
Keeper *keeper_start(GError **error);
/* The run's own folder (mode 0700) for sockets, logs and small files: short. Borrowed. */
const char *keeper_folder(const Keeper *keeper);
/* A short id of this run, unique on this machine: eight hex digits. Borrowed. */
const char *keeper_run_id(const Keeper *keeper);

/* Announce BEFORE making a thing (undoing what does not exist is no error); drop after removing it oneself. */
void keeper_add(Keeper *keeper, const char *kind, const char *what);
void keeper_drop(Keeper *keeper, const char *kind, const char *what);

/* Undoes what is still listed, ends the keeper, removes the folder. NULL is allowed. Blocks, at most 30 s. */
void keeper_stop(Keeper *keeper);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Keeper, keeper_stop)

/* WHAT is "URI NAME". Must not use anything of the dead harness. TRUE when it is gone; *ret_was_there is set to TRUE when
 * this call ended it. */
typedef gboolean (*KeeperDomain)(const char *what, gboolean *ret_was_there);

/* Body of the hidden verb `iogap keeper FOLDER`, with the pipe as standard input. */
int keeper_main(const char *folder, KeeperDomain destroy_domain);

/* Undoes the journals of dead harnesses whose keeper is gone too, and only those. Returns how many; REMARK (may be NULL)
 * gets one line for each thing undone. */
guint keeper_recover(KeeperDomain destroy_domain, GPtrArray *remark);

#endif
