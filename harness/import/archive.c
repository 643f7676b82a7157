/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/archive.h"

#include <string.h>

/* The header of the first file in a tar archive of any age: its sum is in it (POSIX.1-2017, pax, "ustar Interchange Format"). */
#define TAR_HEADER 512
#define TAR_SUM_AT 148
#define TAR_SUM_SIZE 8

static gboolean is_tar(const guchar *data, gsize size)
{
	guint sum = 0, told = 0, digits = 0;

	if (size < TAR_HEADER)
		return FALSE;
	for (guint i = 0; i < TAR_HEADER; i++)
		sum += i >= TAR_SUM_AT && i < TAR_SUM_AT + TAR_SUM_SIZE ? ' ' : data[i];
	for (guint i = TAR_SUM_AT; i < TAR_SUM_AT + TAR_SUM_SIZE; i++) {
		if (data[i] >= '0' && data[i] <= '7') {
			told = told * 8 + (data[i] - '0');
			digits++;
		} else if (data[i] != ' ' || digits > 0)
			break;
	}
	return digits > 0 && told == sum;
}

const char *import_archive_kind(const char *data, gsize size)
{
	if (size >= 4 && memcmp(data, "PK\x03\x04", 4) == 0)
		return "zip";
	if (size >= 6 && memcmp(data, "7z\xbc\xaf\x27\x1c", 6) == 0)
		return "7z";
	return is_tar((const guchar *)data, size) ? "tar" : NULL;
}
