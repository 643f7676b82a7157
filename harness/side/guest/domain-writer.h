/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of domain XML for the domain*.c files: one call an element or attribute, so that the calls read like the document, and the
 * elements that every hypervisor has. It fails for want of memory only, and then ends the program.
 *
 * Who may include it: the domain*.c files of harness/side/guest, whose short names these are.
 */
#ifndef IOGAP_SIDE_GUEST_DOMAIN_WRITER_H
#define IOGAP_SIDE_GUEST_DOMAIN_WRITER_H

#include <glib.h>
#include <libxml/xmlwriter.h>

#include "harness/side/guest/domain.h"

typedef xmlTextWriterPtr Writer;

static inline void must(int rc)
{
	if (rc < 0)
		g_error("libxml2's writer ran out of memory");
}

static inline void begin(Writer w, const char *element)
{
	must(xmlTextWriterStartElement(w, BAD_CAST element));
}

static inline void end(Writer w)
{
	must(xmlTextWriterEndElement(w));
}

/* Writes nothing for a NULL value. */
static inline void attribute(Writer w, const char *name, const char *value)
{
	if (value)
		must(xmlTextWriterWriteAttribute(w, BAD_CAST name, BAD_CAST value));
}

static inline void attribute_uint(Writer w, const char *name, guint64 value)
{
	must(xmlTextWriterWriteFormatAttribute(w, BAD_CAST name, "%" G_GUINT64_FORMAT, value));
}

/* Writes nothing for -1. */
static inline void attribute_switch(Writer w, const char *name, int value)
{
	if (value >= 0)
		attribute(w, name, value ? "on" : "off");
}

/* Writes nothing for a NULL text. */
static inline void text(Writer w, const char *element, const char *value)
{
	if (value)
		must(xmlTextWriterWriteElement(w, BAD_CAST element, BAD_CAST value));
}

static inline void text_uint(Writer w, const char *element, guint64 value)
{
	must(xmlTextWriterWriteFormatElement(w, BAD_CAST element, "%" G_GUINT64_FORMAT, value));
}

/* The agent's channel; KIND is that of its other end in the guest. */
static inline void channel(Writer w, const DomainSpec *spec, const char *kind)
{
	if (!spec->channel_socket)
		return;
	begin(w, "channel");
	attribute(w, "type", "unix");
	begin(w, "source");
	attribute(w, "mode", "bind");
	attribute(w, "path", spec->channel_socket);
	end(w);
	begin(w, "target");
	attribute(w, "type", kind);
	attribute(w, "name", DOMAIN_CHANNEL);
	end(w);
	end(w);
}

/* KIND: the guest's serial port; NULL = the hypervisor's own. */
static inline void console(Writer w, const DomainSpec *spec, const char *kind)
{
	if (!spec->console_log)
		return;
	begin(w, "serial");
	attribute(w, "type", "file");
	begin(w, "source");
	attribute(w, "path", spec->console_log);
	end(w);
	begin(w, "target");
	if (kind)
		attribute(w, "type", kind);
	attribute(w, "port", "0");
	end(w);
	end(w);
}

static inline Writer writer_new(xmlBufferPtr buffer)
{
	Writer w = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;

	if (!w)
		g_error("libxml2's writer ran out of memory");
	must(xmlTextWriterSetIndent(w, 1));
	must(xmlTextWriterSetIndentString(w, BAD_CAST "  "));
	return w;
}

static inline char *writer_finish(Writer w, xmlBufferPtr buffer)
{
	char *out;

	must(xmlTextWriterFlush(w));
	out = g_strdup((const char *)xmlBufferContent(buffer));
	xmlFreeTextWriter(w);
	xmlBufferFree(buffer);
	return out;
}

#endif
