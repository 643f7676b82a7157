/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outside engines of a sweep against the agent's own: every leg with an engine fio:NAME that has a partner, which is the leg of
 * the same sweep that differs from it in nothing but the engine, NAME.
 *
 * Who may include it: cli.
 */
#ifndef IOGAP_EXPORT_AGREEMENT_H
#define IOGAP_EXPORT_AGREEMENT_H

#include <jansson.h>
#include "results/store.h"

#define AGREEMENT_FORMAT "iogap-engines"
#define AGREEMENT_VERSION 1

/*
 * {"format","version","sweep":{id,uuid,label,profile},"verdict":"agree|differ|unclear","legs":[{"side","label","own","outside",
 *   "iops":RATIO,"mean_ns":RATIO,"p99_ns":{"own":[middle,low,high],"outside":[...],"verdict"},"verdict",
 *   "reason":why nothing is said (compare/engines.h: no ceiling, short runs, few pairs)|null,
 *   "flags":{"own":[...],"outside":[...]}}]}
 * The sweep's verdict is that of the legs with a ceiling ("unclear" when there is none).
 * RATIO: {"pairs","own","outside","ratio","low","high","limit","verdict"} (compare/engines.h). Owned by the caller. Without
 * any such pair of legs IOGAP_ERROR_NOTHING.
 */
json_t *agreement_json(Store *store, gint64 sweep, GError **error);

#endif
