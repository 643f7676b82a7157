/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths that cannot be said in a job file of fio. Who may include it: everybody. Needs libc only. */
#ifndef IOGAP_COMMON_FIO_PATH_H
#define IOGAP_COMMON_FIO_PATH_H

/*
 * The first character of PATH that fio would read as something else, or 0. It expands $ and `, ends a value at ; and #, and cuts
 * white space at its end. Blanks in between and ':' (which the job file escapes) are fine.
 */
char fio_path_offence(const char *path);

#endif
