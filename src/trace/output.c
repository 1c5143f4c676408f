/* SPDX-License-Identifier: BSD-2-Clause */
/* output.c - registers and tables of Processor Trace, by enumeration. */
#include "src/trace/output.h"

#include "src/base/msr.h"
#include "src/base/text.h"

/* CPUID.14H.1:EBX[31:16]: the values of PSBFreq. Lowest first; 0 where none. */
static unsigned psb_frequency(const struct identity *id)
{
    uint32_t values = id->leaf14_1_ebx >> 16;
    unsigned n = 0;

    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) == 0 || values == 0)
        return 0;
    while ((values >> n & 1) == 0)
        n++;
    return n;
}

uint64_t output_control(const struct identity *id, bool topa)
{
    return IA32_RTIT_CTL_OS | IA32_RTIT_CTL_BranchEn |
           (topa ? IA32_RTIT_CTL_ToPA : 0) |
           IA32_RTIT_CTL_PSBFreq(psb_frequency(id));
}

uint32_t output_psb_bytes(const struct identity *id)
{
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) == 0)
        return 0;
    return UINT32_C(2048) << psb_frequency(id);
}

uint32_t output_psb_counted(const struct identity *id)
{
    const uint32_t bytes = output_psb_bytes(id);

    return bytes <= PACKET_BYTES_MAX ? bytes : 0;
}

uint64_t output_topa_entry(uint64_t base, unsigned size, uint64_t flags)
{
    return base | (uint64_t)size << 6 | flags;
}

void output_topa_table(uint64_t table[], uint64_t table_base, uint64_t base,
                       unsigned regions, unsigned size, uint64_t flags)
{
    for (unsigned i = 0; i < regions; i++)
        table[i] =
            output_topa_entry(base + ((uint64_t)i * TOPA_REGION_BYTES << size),
                              size, i + 1 == regions ? flags : 0);
    table[regions] = output_topa_entry(table_base, 0, TOPA_END);
}

uint64_t output_topa_pointers(unsigned entry, uint32_t offset)
{
    return (uint64_t)offset << 32 | (uint64_t)entry << 7 | 0x7f;
}

uint64_t output_range_pointers(uint32_t bytes, uint32_t offset)
{
    return (uint64_t)offset << 32 | (bytes - 1);
}

/* Those of other processors of the time of these errata are not known here. */
bool output_range_is_reliable(const struct identity *id, uint64_t bytes)
{
    return bytes <= TOPA_REGION_BYTES ||
           (id->family == 6 &&
            (id->model < 0x8c || id->model == 0x8e || id->model == 0x9e ||
             id->model == 0xa5 || id->model == 0xa6));
}

unsigned output_entry(uint64_t pointers)
{
    return (unsigned)((pointers & BITS(31, 7)) >> 7);
}

uint32_t output_offset(uint64_t pointers)
{
    return (uint32_t)(pointers >> 32);
}

bool output_is_broadwell(const struct identity *id)
{
    return id->family == 6 && (id->model == 0x3d || id->model == 0x47 ||
                               id->model == 0x4f || id->model == 0x56);
}

bool output_excludes_lbr(const struct identity *id)
{
    return output_is_broadwell(id) ||
           (id->family == 6 && (id->model == 0x4e || id->model == 0x5e));
}
