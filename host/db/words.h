/* SPDX-License-Identifier: BSD-2-Clause */
/* words.h - a table of texts in memory: the number of each. */
#ifndef HOST_DB_WORDS_H
#define HOST_DB_WORDS_H

#include "host/report/span.h"

struct word {
    char *text; /* NULL: free */
    size_t bytes;
    uint64_t hash;
    int64_t id;
};

struct words {
    struct word *slots;
    size_t count, room; /* room: a power of two */
};

/* Where the text is, or is to be: then text is NULL there. Aborts without
 * memory. */
struct word *words_find(struct words *words, struct span text);
/* Fills the slot that words_find() gave. */
void words_add(struct words *words, struct word *slot, struct span text,
               int64_t id);
void words_free(struct words *words);

#endif
