/* SPDX-License-Identifier: BSD-2-Clause */
/* personality.c - the list of personalities, which is a list of files. */
#include "tests/silicon/model/personality.h"

#include "tests/silicon/model/text.h"

#define PERSONALITY(file) extern const struct personality personality_##file;
#include "personalities.inc"
#undef PERSONALITY

static const struct personality *const personalities[] = {
#define PERSONALITY(file) &personality_##file,
#include "personalities.inc"
#undef PERSONALITY
};

const struct personality *personality_at(size_t n)
{
    if (n >= sizeof(personalities) / sizeof(personalities[0]))
        return NULL;
    return personalities[n];
}

const struct personality *personality_find(const char *name)
{
    const struct personality *p;

    for (size_t n = 0; (p = personality_at(n)) != NULL; n++)
        if (text_equal(p->name, name))
            return p;
    return NULL;
}

struct cpuid_row personality_leaf(const struct personality *cpu, uint32_t leaf,
                                  uint32_t subleaf)
{
    for (size_t n = 0; n < cpu->cpuid_rows; n++)
        if (cpu->cpuid[n].leaf == leaf && cpu->cpuid[n].subleaf == subleaf)
            return cpu->cpuid[n];
    return (struct cpuid_row){0};
}
