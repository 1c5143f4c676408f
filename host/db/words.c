/* SPDX-License-Identifier: BSD-2-Clause */
/* words.c - a hash table with open addressing, at most half full. */
#include "host/db/words.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 4096

/* FNV-1a, 64 bits. */
static uint64_t hash_of(struct span text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < text.bytes; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001b3;
    return hash;
}

static struct word *slot_of(const struct words *words, uint64_t hash,
                            struct span text)
{
    size_t at = hash & (words->room - 1);

    while (words->slots[at].text != NULL &&
           (words->slots[at].hash != hash ||
            !span_same(
                (struct span){words->slots[at].text, words->slots[at].bytes},
                text)))
        at = (at + 1) & (words->room - 1);
    return &words->slots[at];
}

static void grow(struct words *words)
{
    struct words larger = {.count = words->count,
                           .room =
                               words->room == 0 ? ROOM_FIRST : 2 * words->room};

    larger.slots = calloc(larger.room, sizeof(*larger.slots));
    if (larger.slots == NULL)
        abort();
    for (size_t i = 0; i < words->room; i++) {
        const struct word *word = &words->slots[i];
        if (word->text != NULL)
            *slot_of(&larger, word->hash,
                     (struct span){word->text, word->bytes}) = *word;
    }
    free(words->slots);
    *words = larger;
}

struct word *words_find(struct words *words, struct span text)
{
    if (2 * words->count >= words->room)
        grow(words);
    return slot_of(words, hash_of(text), text);
}

void words_add(struct words *words, struct word *slot, struct span text,
               int64_t id)
{
    char *copy = malloc(text.bytes + 1);

    if (copy == NULL)
        abort();
    memcpy(copy, text.at, text.bytes);
    *slot = (struct word){copy, text.bytes, hash_of(text), id};
    words->count++;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->room; i++)
        free(words->slots[i].text);
    free(words->slots);
}
