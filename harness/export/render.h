/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any versioned document (a report, a comparison of sweeps) through reports/render.py, which knows by the document's own "format"
 * what it is. Who may include it: cli, export.
 */
#ifndef IOGAP_EXPORT_RENDER_H
#define IOGAP_EXPORT_RENDER_H

#include <glib.h>
#include <jansson.h>

/* DOCUMENT as FORMAT, a name that render.py has for this kind of document. Ends with a newline, owned by the caller. IOGAP_ERROR_FAILED
 * without a Python that can. */
char *render_document(const json_t *document, const char *format, GError **error);

/* The same for formats that write files into FOLDER, which is made if missing: what was done, a line for people. */
char *render_document_files(const json_t *document, const char *format, const char *folder, GError **error);

#endif
