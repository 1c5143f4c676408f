/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_force_registers.h - TSX_FORCE_ABORT, IA32_TSX_CTRL and IA32_MCU_OPT_CTRL
 * of three processors, as the manual says or with one thing otherwise. */
#ifndef TESTS_HOST_CASES_TSX_TSX_FORCE_REGISTERS_H
#define TESTS_HOST_CASES_TSX_TSX_FORCE_REGISTERS_H

#define PROCESSORS 3
#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "asm/tsx_state.h"
#include "src/harness/verdict.h"
#include "src/options/options.h"
#include "src/tsx/hle.h"
#include "src/tsx/status.h"
#include "tests/host/cases/ring3_fixture.h"

#define TRIALS 25
#define RTM    (1u << 11) /* CPUID.7.0:EBX */
#define HLE    (1u << 4)
#define ALWAYS (1u << 11) /* EDX */
#define FORCED (1u << 13)
#define SRBDS  (1u << 9)

#define BIT0    BIT(0) /* TSX_FORCE_ABORT */
#define CLEAR   BIT(1) /* IA32_TSX_CTRL has one there, too */
#define SDV     BIT(2)
#define DISABLE BIT(0) /* IA32_TSX_CTRL */
#define ALLOW   BIT(1) /* IA32_MCU_OPT_CTRL */
#define LOCKED  BIT(2)
#define RNGDS   BIT(0)

enum wrong {
    RIGHT,
    LOST,    /* bits of the register that a write of 1 leaves 0 */
    STUCK,   /* bits that read as 1 */
    SHARED,  /* these are of all processors */
    CLEARED, /* these become 0 when another processor's change */
    REFUSED, /* a write with them raises #GP */
    TAKEN,   /* reserved bits are held */
    PARTLY,  /* #GP, and bit 0 is written all the same */
    EBX,     /* these bits of leaf 7 are the other way round, */
    EDX,
    LEAF_0A,    /* and of leaf 0AH, */
    COMMITS,    /* a transaction that is to abort */
    ABORTS,     /* and one that may commit, does not */
    STATUS,     /* EAX of an abort */
    LEAKS,      /* its store stays */
    LOSES,      /* the store of one that commits is not there */
    RAISES,     /* XBEGIN raises #UD */
    XEND,       /* XEND outside: these, and 1 + what it does */
    REGISTER,   /* this one is not restored */
    CHANGES,    /* a transaction that changes registers commits */
    RING3,      /* EAX at ring 3 */
    RING3_UD,   /* is an exception there */
    ELIDES,     /* HLE */
    XTEST,      /* XTEST and XABORT outside: as XEND */
    LEAF_RING3, /* of EBX, at ring 3 */
};

static struct {
    enum wrong is;
    uint64_t bits;
    unsigned from, to;  /* the tries that are wrong, by kind; to: 0, one */
    uint64_t when;      /* EBX, EDX, LEAF_0A: the register, 1 + its value */
    unsigned processor; /* 1 + the one that is; 0: all */
    /* So far. */
    unsigned forced, free, ends, states, ring3, sections, writes;
    unsigned counting[4]; /* of ring3: none, counter 0, 3, or both enabled */
} device;

#define LATER UINT32_MAX

/* The register that decides: TSX_FORCE_ABORT of regime B, or of 2021;
 * IA32_TSX_CTRL; or IA32_MCU_OPT_CTRL, and of which microcode. */
static enum control { OF_2018, OF_2021, CTRL, OPT_CTRL, OPT_CTRL_OLD } control;

static uint32_t number(void)
{
    return control <= OF_2021 ? TSX_FORCE_ABORT
           : control == CTRL  ? IA32_TSX_CTRL
                              : IA32_MCU_OPT_CTRL;
}

static uint64_t *value_of(void)
{
    return msr(number());
}

static bool is_wrong(enum wrong is)
{
    return device.is == is &&
           (device.processor == 0 || device.processor == fake_current + 1);
}

/* The next try of its kind. */
static bool is_tried(enum wrong is, unsigned n)
{
    return is_wrong(is) && n >= device.from &&
           (n == device.from || n <= device.to);
}

static bool is_forced(void)
{
    if (control == OPT_CTRL_OLD)
        return false;
    return control == OPT_CTRL ? (*value_of() & ALLOW) == 0
                               : (*value_of() & BIT0) != 0;
}

/* CPUID, as the register has it. */
static void enumerate(void)
{
    struct hw_cpuid *leaf = fake_leaf(7, 0);
    const uint64_t value = *value_of();
    const bool now = device.when == 0 || device.when == value + 1;
    const bool follows = control == OF_2021 || control == OPT_CTRL;

    leaf->ebx = (control == OF_2021 || control == CTRL) && (value & CLEAR) != 0
                    ? 0
                    : RTM | HLE;
    leaf->edx = (control <= OF_2021 ? FORCED : SRBDS) |
                (follows && is_forced() ? ALWAYS : 0);
    leaf->ebx ^= is_wrong(EBX) && now ? (uint32_t)device.bits : 0;
    leaf->edx ^= is_wrong(EDX) && now ? (uint32_t)device.bits : 0;
    fake_leaf(0xa, 0)->eax =
        0x07300404 ^ (is_wrong(LEAF_0A) && now ? (uint32_t)device.bits : 0);
}

static void hold(uint64_t value)
{
    if (is_wrong(LOST))
        value &= ~device.bits;
    if (is_wrong(STUCK))
        value |= device.bits;
    *value_of() = value;
    enumerate();
}

/* White paper 604224, table 2.2-1 and appendix A; SDM 4, table "IA-32
 * Architectural MSRs": what is held, and what a WRMSR may have. */
static uint64_t held(uint64_t written)
{
    if (control == OPT_CTRL && (*value_of() & LOCKED) != 0 && !is_wrong(TAKEN))
        written &= ~ALLOW;
    if (control != OF_2021)
        return written;
    return (written & (CLEAR | SDV)) | ((written & SDV) != 0 ? 0 : BIT0);
}

static bool is_refused(uint64_t written)
{
    static const uint64_t bits[] = {1, 7, 3, 7, 1};

    if (is_wrong(TAKEN))
        written &= ~device.bits;
    return (written & ~bits[control]) != 0 ||
           (is_wrong(REFUSED) && (written & device.bits) != 0);
}

/* What others have of a write. */
static void spread(uint64_t old, uint64_t written)
{
    const unsigned writer = fake_current;

    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        if (p != writer && device.is == SHARED)
            hold(held((*value_of() & ~device.bits) | (written & device.bits)));
        if (p != writer && device.is == CLEARED && old != written)
            hold(held(*value_of() & ~device.bits));
    }
    fake_current = writer;
}

static int access(uint32_t accessed, const uint64_t *written)
{
    if (accessed != number() || written == NULL)
        return HW_NO_FAULT;
    if (is_refused(*written)) {
        if (is_wrong(PARTLY) && (*written & device.bits) != 0)
            *value_of() ^= 1;
        return HW_GP;
    }
    device.writes++;
    spread(*value_of(), *written);
    hold(held(*written));
    return HW_NO_FAULT;
}

#endif
