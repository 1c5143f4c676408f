/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.c - the tables of the manual. */
#include "src/trace/registers.h"

#include "src/base/msr.h"

#define RANGES_MAX 4

unsigned registers_linear_bits(const struct identity *id)
{
    return id->la57 ? 57 : 48;
}

unsigned registers_ranges(const struct identity *id)
{
    unsigned ranges = id->leaf14_1_eax & 7;

    if ((id->leaf14_ebx & LEAF14_FILTER) == 0)
        return 0;
    return ranges < RANGES_MAX ? ranges : RANGES_MAX;
}

static struct register_rule status_rule(const struct identity *id)
{
    const bool preserves = (id->leaf14_ebx & LEAF14_PRESERVE) != 0;
    const bool counts = (id->leaf14_ebx & LEAF14_PSB_FREQ) != 0;

    return (struct register_rule){
        .msr = IA32_RTIT_STATUS,
        .present = true,
        .writable = IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped |
                    (counts ? IA32_RTIT_STATUS_PacketByteCnt : 0),
        .ignored = IA32_RTIT_STATUS_ENABLES,
        .open = preserves ? BITS(7, 6) : 0, /* PendPSB, PendTopaPMI */
    };
}

struct register_rule registers_rule(const struct identity *id, unsigned index)
{
    const bool memory = (id->leaf14_ecx & (LEAF14_TOPA | LEAF14_RANGE)) != 0;
    /* Whether each key may be chosen here is not said. */
    const unsigned physical = id->physical_bits - id->key_bits;
    const unsigned pair = index - 4;

    switch (index) {
    case 0:
        return (struct register_rule){
            .msr = IA32_RTIT_OUTPUT_BASE,
            .present = memory,
            .writable = BITS(physical - 1, 7),
            .open = BITS(id->physical_bits - 1, physical), /* or none */
        };
    case 1:
        return (struct register_rule){
            .msr = IA32_RTIT_OUTPUT_MASK_PTRS,
            .present = memory,
            .writable = BITS(63, 7),
            .ignored = BITS(6, 0),
        };
    case 2:
        return status_rule(id);
    case 3:
        return (struct register_rule){
            .msr = IA32_RTIT_CR3_MATCH,
            .present = (id->leaf14_ebx & LEAF14_CR3) != 0,
            .writable = BITS(physical - 1, 5),
            .open = BITS(63, physical),
        };
    default:
        return (struct register_rule){
            .msr = IA32_RTIT_ADDR_A(0) + pair,
            .present = pair / 2 < registers_ranges(id),
            .writable = BITS(registers_linear_bits(id) - 2, 0),
            .canonical = true,
        };
    }
}

/* A field that takes the encodings in this map, where it exists. */
static bool takes_encoding(bool exists, uint32_t map, uint64_t encoding)
{
    return encoding == 0 || (exists && (map >> encoding & 1) != 0);
}

static bool takes_ranges(const struct identity *id, uint64_t value)
{
    for (unsigned n = 0; n < RANGES_MAX; n++) {
        uint64_t how = value >> (32 + 4 * n) & 15;
        if (how > (n < registers_ranges(id) ? IA32_RTIT_ADDR_STOP : 0))
            return false;
    }
    return true;
}

/* Bits of one each, by what enumerates them. */
static uint64_t control_bits(const struct identity *id)
{
    const uint32_t ebx = id->leaf14_ebx, ecx = id->leaf14_ecx;
    uint64_t bits = IA32_RTIT_CTL_OS | IA32_RTIT_CTL_User |
                    IA32_RTIT_CTL_TSCEn | IA32_RTIT_CTL_DisRETC |
                    IA32_RTIT_CTL_BranchEn;

    bits |= (ebx & LEAF14_PSB_FREQ) != 0 ? IA32_RTIT_CTL_CYCEn : 0;
    bits |= (ebx & LEAF14_CR3) != 0 ? IA32_RTIT_CTL_CR3Filter : 0;
    bits |= (ebx & LEAF14_MTC) != 0 ? IA32_RTIT_CTL_MTCEn : 0;
    bits |= (ebx & LEAF14_POWER) != 0 ? IA32_RTIT_CTL_PwrEvtEn : 0;
    bits |= (ecx & LEAF14_FABRIC) != 0 ? IA32_RTIT_CTL_FabricEn : 0;
    bits |= (ecx & LEAF14_TOPA) != 0 ? IA32_RTIT_CTL_ToPA : 0;
    if ((ebx & LEAF14_PTW) != 0)
        bits |= IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_FUPonPTW;
    return bits;
}

/* Bits that editions of the manual after the first gave a meaning. */
static uint64_t control_open(const struct identity *id)
{
    const uint32_t known = (UINT32_C(1) << 9) - 1;

    if ((id->leaf14_ebx & ~known) != 0)
        return BIT(31) | BITS(63, 48);
    return ((id->leaf14_ebx & LEAF14_EVENT) != 0 ? BIT(31) : 0) |
           ((id->leaf14_ebx & LEAF14_DISTNT) != 0 ? BIT(55) : 0) |
           ((id->leaf14_ebx & LEAF14_PRESERVE) != 0 ? BIT(56) : 0);
}

enum register_answer registers_control(const struct identity *id,
                                       uint64_t value)
{
    const uint32_t ebx = id->leaf14_ebx;
    const bool cycles = (ebx & LEAF14_PSB_FREQ) != 0;
    const uint64_t fields =
        BITS(17, 14) | BITS(22, 19) | BITS(27, 24) | BITS(47, 32);

    if ((value & control_open(id)) != 0)
        return REGISTER_OPEN;
    bool takes =
        (value & ~fields & ~control_bits(id)) == 0 && takes_ranges(id, value) &&
        takes_encoding((ebx & LEAF14_MTC) != 0, id->leaf14_1_eax >> 16,
                       value >> 14 & 15) &&
        takes_encoding(cycles, id->leaf14_1_ebx & 0xffff, value >> 19 & 15) &&
        takes_encoding(cycles, id->leaf14_1_ebx >> 16, value >> 24 & 15);
    return takes ? REGISTER_TAKES : REGISTER_REFUSES;
}

uint64_t registers_psb_seldom(const struct identity *id)
{
    unsigned n = 15;

    while (n > 0 && (id->leaf14_1_ebx >> (16 + n) & 1) == 0)
        n--;
    return IA32_RTIT_CTL_PSBFreq(n);
}

uint64_t registers_mtc_often(const struct identity *id)
{
    unsigned n = 0;

    if ((id->leaf14_ebx & LEAF14_MTC) == 0)
        return 0;
    while (n < 15 && (id->leaf14_1_eax >> (16 + n) & 1) == 0)
        n++;
    return IA32_RTIT_CTL_MTCEn | IA32_RTIT_CTL_MTCFreq(n);
}

bool registers_threshold_holds(const struct identity *id, unsigned n)
{
    return (id->leaf14_1_ebx >> n & 1) != 0 &&
           (n != 13 ||
            (identity_generation(id) & (SINCE_ICE_LAKE | GRACEMONT)) != 0);
}
