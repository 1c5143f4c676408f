/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_force_fixture.h - three processors whose transactions TSX_FORCE_ABORT,
 * IA32_TSX_CTRL and IA32_MCU_OPT_CTRL force to abort, by white paper 604224 and
 * SDM 4, and of which one thing may be otherwise. */
#ifndef TESTS_HOST_CASES_TSX_FORCE_FIXTURE_H
#define TESTS_HOST_CASES_TSX_FORCE_FIXTURE_H

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

struct end {
    int outcome; /* RTM_COMMITTED, RTM_ABORTED, or a vector */
    uint32_t status;
    bool wrong_memory;
};

static struct end transact(void)
{
    const bool forced = is_forced();
    const unsigned n = forced ? device.forced++ : device.free++;
    struct end end = {forced ? RTM_ABORTED : RTM_COMMITTED,
                      forced ? 0 : RTM_STATUS_STARTED, false};

    if (is_tried(RAISES, n) && (device.bits != 0) == forced)
        end.outcome = HW_UD;
    if (forced && is_tried(COMMITS, n))
        end = (struct end){RTM_COMMITTED, RTM_STATUS_STARTED, false};
    if (!forced && (is_tried(ABORTS, n) || is_tried(LEAKS, n)))
        end = (struct end){RTM_ABORTED, RTM_STATUS_CONFLICT, false};
    if (forced && is_tried(STATUS, n))
        end.status = (uint32_t)device.bits;
    if ((device.bits != 0) == forced && is_tried(LEAKS, n))
        end.wrong_memory = true;
    if (!forced && is_tried(LOSES, n))
        end.wrong_memory = true;
    return end;
}

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    const struct end end = transact();

    if ((end.outcome == RTM_COMMITTED) != end.wrong_memory)
        *cell = value;
    if (end.outcome < 0)
        *eax = end.status;
    return end.outcome;
}

int tsx_inside(struct tsx_block *block)
{
    const struct end end = transact();

    block->status = end.status;
    if ((end.outcome == RTM_COMMITTED) != end.wrong_memory)
        block->cell = ~block->cell;
    return end.outcome == RTM_COMMITTED ? TSX_COMMITTED
           : end.outcome == RTM_ABORTED ? TSX_ABORTED
                                        : end.outcome;
}

const uint8_t tsx_body_xend[8] = {0}, tsx_body_xtest[8] = {0};

/* SDM 2, XEND: #GP outside of a transaction; XTEST: ZF is 1 there. */
int tsx_outside(struct tsx_block *block)
{
    block->flags = 1u << 6;
    if (block->body != tsx_body_xend && is_wrong(XTEST) &&
        (block->body == tsx_body_xtest) == (device.from == 0)) {
        block->flags = 0;
        return (int)device.bits - 1;
    }
    if (block->body != tsx_body_xend)
        return TSX_RAN;
    return is_tried(XEND, device.ends++) ? (int)device.bits - 1 : HW_GP;
}

int tsx_state(struct tsx_state *s)
{
    const unsigned n = device.states++;

    memcpy(s->after, s->before, sizeof(s->after));
    s->after[0] = 0; /* EAX */
    s->flags_after = s->flags_before;
    memcpy(s->x_after, s->x_before, sizeof(s->x_after));
    if (is_tried(REGISTER, n))
        s->after[device.bits] ^= 1;
    return is_tried(CHANGES, n) ? TSX_COMMITTED : TSX_ABORTED;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    assert_int_equal(enable, 0);
    ring3_leaf7(cells, is_wrong(LEAF_RING3) ? (uint32_t)device.bits : 0);
    return 0;
}

uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    const unsigned n = device.ring3++;

    assert_int_equal(enable & ~(BIT(3) | BIT(0)), 0);
    for (unsigned counter = 0; counter < 4; counter += 3)
        assert_true((enable >> counter & 1) == 0 ||
                    (fake_msr(IA32_PERFEVTSEL(counter))->value &
                     IA32_PERFEVTSEL_EN) != 0);
    device.counting[(enable & 1) + (enable >> 2)]++;
    assert_int_equal(ring3->aborts, 0);
    assert_true(loaded.cr3 != firmware.cr3);
    ring3->vector = is_tried(RING3_UD, n) ? HW_UD : HW_NO_FAULT;
    ring3->status = is_tried(RING3, n) ? (uint32_t)device.bits
                    : is_forced()      ? 0
                                       : RTM_STATUS_STARTED;
    return 0;
}

static void section(struct hle_block *block, uint64_t before, uint64_t inside)
{
    volatile uint64_t *lock = block->lock;
    const bool asked = block->ask != 0;

    /* XTEST raises #UD where neither RTM nor HLE is enumerated. */
    assert_true(!asked || (fake_leaf(7, 0)->ebx & (RTM | HLE)) != 0);
    block->seen = inside;
    block->data += 1;
    block->far += 1;
    block->inside = asked && is_tried(ELIDES, device.sections);
    device.sections++;
    *lock = before;
}

#define REGION(name, before, held, words)    \
    void hle_##name(struct hle_block *block) \
    {                                        \
        section(block, before, held);        \
    }
HLE_REGIONS(REGION)

/* All processors, with this in that register. */
static void begin(const struct test *test, enum control is, uint64_t value)
{
    memset(&device, 0, sizeof(device));
    control = is;
    fake_reset();
    fake_device = NULL;
    ring3_firmware();
    if (is > OF_2021) {
        fake_msr_remove(TSX_FORCE_ABORT);
        *msr(IA32_TSX_CTRL) = 0;
    }
    fake_msr(number())->writable = 0; /* access() writes */
    hold(value);
    fake_processors(PROCESSORS);
    case_start(test, TRIALS);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].regime = is == OF_2018   ? REGIME_B
                        : is == OF_2021 ? REGIME_C
                                        : REGIME_F;
        all[p].allow = UINT32_MAX;
        all[p].cpu.tsx_force_abort = is <= OF_2021;
    }
    fake_device = access;
}

static void make(enum wrong is, uint64_t bits, unsigned from, unsigned to)
{
    device.is = is;
    device.bits = bits;
    device.from = from;
    device.to = to;
}

/* The worst verdict of all processors, and that one of them says this. Unless
 * the case says that they are not, the registers are then as they were. */
static void expect_all(enum verdict wanted, const char *line)
{
    enum verdict found;
    bool said = false;
    uint64_t before[PROCESSORS];

    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        before[p] = *value_of();
    }
    fake_current = 0;
    fake_body(t);
    device.is = RIGHT;
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        restore_msrs(&all[p]);
        all[p].text[all[p].text_bytes] = '\0';
        if (strstr(all[p].text, "but reads as") == NULL)
            assert_int_equal(*value_of(), before[p]);
        ring3_expect_firmware();
    }
    fake_current = 0;
    found = case_close();
    for (unsigned p = 0; p < PROCESSORS; p++) {
        found = verdict_worst(found, all[p].verdict);
        said |= strstr(all[p].text, line) != NULL;
    }
    if (found != wanted || !said)
        fail_msg("%s is %d, wanted %d and \"%s\": %s%s%s", t->test->name,
                 (int)found, (int)wanted, line, all[0].text, all[1].text,
                 all[2].text);
}

#define SCOPE_TRIES 20

struct row {
    enum wrong is;
    uint64_t bits;
    unsigned from, to;
    const char *line;
};

static inline void fails(const struct test *test, enum control is,
                         uint64_t value, const struct row rows[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin(test, is, value);
        make(rows[i].is, rows[i].bits, rows[i].from, rows[i].to);
        enumerate();
        expect_all(VERDICT_FAIL, rows[i].line);
    }
}
#define FAILS(test, is, value, rows) \
    fails(&test, is, value, rows, sizeof(rows) / sizeof(rows[0]))

#endif
