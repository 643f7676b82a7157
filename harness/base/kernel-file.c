/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/kernel-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

gboolean kernel_file_put(const char *path, const char *text)
{
	/* Truncating means nothing to the kernel, and keeps a test's own file from holding the end of what was there. */
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	gssize n;
	int code;

	if (fd < 0)
		return FALSE;
	n = write(fd, text, strlen(text));
	code = errno;
	close(fd);
	errno = code;
	return n == (gssize)strlen(text);
}
