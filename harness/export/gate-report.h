/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate's verdict as one versioned JSON document, and every other output made of that document alone: the same JSON gives
 * the same bytes, whenever and wherever. Who may include it: cli.
 */
#ifndef IOGAP_EXPORT_GATE_REPORT_H
#define IOGAP_EXPORT_GATE_REPORT_H

#include <jansson.h>

#include "harness/gate/families.h"

#define GATE_REPORT_FORMAT "iogap-gate"
#define GATE_REPORT_VERSION 1
/* Most bytes of the Markdown; hosting services cut or refuse longer comments. */
#define GATE_MARKDOWN_MAX 60000

/* What the caller knows beside data and result. Texts are borrowed. */
typedef struct {
	int exit_code;	     /* the gate's own */
	const char *why;     /* in words */
	const char *const *waivers; /* "NAME: reason (until DATE)", NULL-terminated; may be NULL */
	const char *const *accept;  /* flags that were accepted; may be NULL */
	const char *inconclusive; /* "pass" or "fail": what the user makes of exit code 3; NULL = nothing */
	double alpha;	     /* of all families that gate together */
	/* By metric, GATE_METRICS each: shown where nothing was judged, too. */
	const GateSettings *settings;
	const GateFamilyMode *modes;
	gboolean forced;     /* differences of the environment were overridden */
} GateReportExtra;

/*
 * FAMILIES (of GateFamily *, throughput first) is NULL when nothing was judged (exit 4 with differences, exit 5 of a sweep that did not end):
 * then there are no rows, and the rules that would have held stand there all the same. The rows of throughput stand in "rows", as they
 * always did, those of the others in "families". Owned by the caller.
 */
json_t *gate_report_json(const GateData *data, const GPtrArray *families, const GateReportExtra *extra);

/* One row for each output but JSON itself and the HTML page, which is made by reports/render.py. */
typedef struct {
	const char *name, *summary;
	void (*render)(const json_t *report, GString *out);
} GateReportFormat;
extern const GateReportFormat gate_report_formats[]; /* ended by a NULL name */

/* FALSE and IOGAP_ERROR_USAGE, with a hint, for a format that is none. */
gboolean gate_report_format(const char *format, GError **error);

/* REPORT in FORMAT ("json" and "html" too), appended to OUT; errors of gate_report_format;
 * IOGAP_ERROR_FAILED without a Python for the page. */
gboolean gate_report_render(const json_t *report, const char *format, GString *out, GError **error);

/* IOGAP_ERROR_USAGE unless FILE holds such a document. Owned by the caller. */
json_t *gate_report_load(const char *file, GError **error);

#endif
