/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of processors or NUMA nodes as the kernel and libvirt write them: "0-3,7". Ascending, each number once, neighbours joined to a range:
 * equal lists are equal texts, and the text of Cpus_allowed_list. Pure. Who may include it: everybody in the harness.
 */
#ifndef IOGAP_BASE_CPU_LIST_H
#define IOGAP_BASE_CPU_LIST_H

#include <glib.h>

#define CPU_LIST_MOST 8191 /* largest number: NR_CPUS of the kernel is at most 8192 */

/* The numbers of TEXT, of guint; NULL when it is no list ("", "1,", "3-1", "x"). Order and repetition do not matter. */
GArray *cpu_list_parse(const char *text);
/* ASCENDING numbers as text; "" for none. New. */
char *cpu_list_format(const GArray *ascending);
/* The one way to write the list TEXT; NULL when it is none. New. */
char *cpu_list_canonical(const char *text);
/* Those of the list TEXT that the list THERE lacks, as a list; NULL when it has them all. Both must be lists. New. */
char *cpu_list_lacks(const char *text, const char *there);

#endif
