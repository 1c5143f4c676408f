/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * found.h - what a logical processor holds before anything is written: its MSRs
 * of monitoring, tracing and debugging as firmware left them, its CPUID leaves
 * raw, and of which type the memory is that the tests use.
 *
 * SDM 3C, "IA-32 Architectural MSRs"; SDM 2A, CPUID; SDM 3A, "Memory Type Range
 * Registers (MTRRs)", "Page Attribute Table (PAT)".
 */
#ifndef SRC_CPU_FOUND_H
#define SRC_CPU_FOUND_H

#include "src/base/hw.h"

#define FOUND_MSRS   12
#define FOUND_LEAVES 9
#define FOUND_VAR    16 /* of the variable ranges, at most */

/* Of found.fault[]: CPUID does not enumerate the MSR, or it is not Intel's. */
#define FOUND_NOT_READ (-2)

extern const uint32_t found_msrs[FOUND_MSRS];

struct found_leaf {
    uint32_t leaf, subleaf;
    bool present;
    struct hw_cpuid value;
};

/* Pages in a row. */
struct found_memory {
    bool mapped, contiguous; /* all of them; and so in physical memory */
    bool alike;              /* of one type */
    uint64_t physical;       /* of the first byte */
    size_t bytes;
    const char *mtrr, *pat; /* "WB": by each, of the first */
};

struct found {
    uint64_t value[FOUND_MSRS];
    int fault[FOUND_MSRS]; /* HW_NO_FAULT, a vector, FOUND_NOT_READ */
    struct found_leaf leaves[FOUND_LEAVES];
    bool lvt_known;
    uint32_t lvt; /* performance counters entry of the local APIC */
    /* Memory types. */
    uint64_t mtrr_default, pat; /* 2FFH, 277H */
    unsigned ranges;
    uint64_t base[FOUND_VAR], mask[FOUND_VAR]; /* 200H + 2 * n, 201H + 2 * n */
    bool types_known;
    struct found_memory memory; /* of what the tests use */
};

/* On the processor itself. Only reads. at: of the tests' memory, whole pages.
 */
void found_read(struct found *out, unsigned processor, const void *at,
                size_t bytes);

/* True where the MSR, one of found_msrs, could be read. */
bool found_has(const struct found *found, uint32_t msr);
/* Its value; 0 where it could not be read. */
uint64_t found_value(const struct found *found, uint32_t msr);

/* "WB": the type that the MTRRs give an address above 1 MiB; and that PAT's
 * entry `index` (0 to 7) gives. "?": reserved, or not known. */
const char *found_mtrr_type(const struct found *found, uint64_t physical);
const char *found_pat_type(const struct found *found, unsigned index);

#endif
