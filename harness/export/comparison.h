/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two or more stored sweeps side by side: first where their environments differ, then every cell that both measured.
 *
 * Legs of two sweeps are the same when target, workload and guest configuration are; accelerator, emulator and kernel may differ,
 * since they are often what is compared (where a sweep has several of them, they count too). What only one sweep has is listed.
 *
 * Sweeps are unlike when a key that must be equal differs (accelerator, processor, type, size, file system or device of a target
 * that both have; harness/base/environment.h) or is known of one only. Their figures are withheld unless forced.
 *
 * Who may include it: cli.
 */
#ifndef IOGAP_EXPORT_COMPARISON_H
#define IOGAP_EXPORT_COMPARISON_H

#include <jansson.h>
#include "results/store.h"

#define COMPARISON_FORMAT "iogap-compare"
#define COMPARISON_VERSION 1

/*
 * SWEEPS: N ids (at least 2), the first is the base that the others are compared with. Owned by the caller:
 * {"format","version","base":{id,uuid,name,started,fingerprint},"with":[{"sweep":{...},
 *   "differences":[{"key","weight","base","other","meaning"}],   what matters most first
 *   "unlike":["accel", ...],                                     empty = comparable
 *   "forced":bool,
 *   "cells":[{"label","target","side":"guest|host","workload":{},"guest":{}|null,
 *      "rates":CHANGE of this leg,"host":CHANGE of its host leg|null,"ratio":CHANGE of guest/host|null,
 *      "reason":why either sweep's ratio is withheld (export/withheld.h)|null,
 *      "flags":{"base":[...],"other":[...]}}] or null when withheld,
 *   "only_base":[label],"only_other":[label]}]}
 * CHANGE: {"n_base","n_other","base","other","change","low","high"}: geometric means in bytes/s (ratio: without unit), change =
 * other/base with its two-sided 95 % interval (compare/welch.h); null where not known. NULL with the error set when the
 * store cannot be read.
 */
json_t *comparison_json(Store *store, const gint64 *sweeps, guint n, gboolean force, GError **error);

#endif
