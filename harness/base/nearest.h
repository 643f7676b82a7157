/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Near-miss hints for words that people type. */
#ifndef IOGAP_BASE_NEAREST_H
#define IOGAP_BASE_NEAREST_H

/*
 * The word of WORDS (NULL-terminated) with the smallest edit distance to TEXT (a swap of neighbours counts one),
 * or NULL when even that is further than a third of its length, at least 1 and at most 3. Borrowed from WORDS.
 */
const char *nearest(const char *text, const char *const *words);

#endif
