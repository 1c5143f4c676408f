/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_force_fixture.h - transactions and elided locks under the registers of
 * tsx_force_registers.h, and a case over them. */
#ifndef TESTS_HOST_CASES_TSX_TSX_FORCE_FIXTURE_H
#define TESTS_HOST_CASES_TSX_TSX_FORCE_FIXTURE_H

#include "tests/host/cases/tsx/tsx_force_registers.h"

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
        end = (struct end){RTM_ABORTED,
                           device.bits == 0 ? RTM_STATUS_CONFLICT : 0, false};
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
