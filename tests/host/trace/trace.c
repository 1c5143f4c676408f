/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.c - the order in which a trace is set up, stopped and undone, and
 * what is made of a trace that says something else, over a processor that
 * writes a stream when a transaction runs. */
#include "src/trace/trace.h"
#include "src/base/msr.h"
#include "tests/host/fakes/one_context.h"
#include "tests/pt/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN UINT64_C(0x401000)
#define END   UINT64_C(0x401080)

/* What the next transactions do. */
static struct {
    unsigned runs;
    unsigned losses; /* so many traces have an OVF */
    unsigned aborts; /* so many transactions abort */
    uint64_t status;
} device;

/* A trace that is on its way to memory. */
static struct {
    uint8_t bytes[4096], *to;
    size_t size;
} way;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static const struct trace_transaction tx = {.body = tsx_body_nothing,
                                            .want = TSX_COMMITTED};
static const struct transition_wanted wanted[] = {{PT_BEGIN, BEGIN, BEGIN, 0},
                                                  {PT_COMMIT, END, END, 0}};

static uint8_t *output(void)
{
    uint64_t base = fake_msr(IA32_RTIT_OUTPUT_BASE)->value;

    if ((fake_msr(IA32_RTIT_CTL)->value & IA32_RTIT_CTL_ToPA) != 0)
        base = *(uint64_t *)(uintptr_t)base & ~UINT64_C(0xfff);
    return (uint8_t *)(uintptr_t)base;
}

/* SDM 3C, "Disabling Packet Generation": "a store, fence, or architecturally
 * serializing instruction may be required" for packets to be in memory. */
void hw_cpuid(uint32_t leaf, uint32_t subleaf, struct hw_cpuid *out)
{
    if (way.size != 0)
        memcpy(way.to, way.bytes, way.size);
    way.size = 0;
    *out = *fake_leaf(leaf, subleaf);
}

int tsx_inside(struct tsx_block *block)
{
    struct stream out = {.bytes = way.bytes, .room = sizeof(way.bytes)};

    assert_int_equal(fake_msr(IA32_RTIT_CTL)->value & 1, 1);
    device.runs++;
    put_psb(&out);
    put2(&out, 0x02, 0x23);
    put_ip(&out, 0x11, 3, 0x400000);
    put_mode_tsx(&out, 1, 0);
    put_fup(&out, 3, BEGIN);
    if (device.losses != 0) {
        device.losses--;
        put2(&out, 0x02, 0xf3);
    }
    put_mode_tsx(&out, 0, 0);
    put_fup(&out, 3, END);
    put_ip(&out, 0x01, 0, 0);
    way.to = output();
    way.size = out.size;
    fake_msr(IA32_RTIT_OUTPUT_MASK_PTRS)->value |= (uint64_t)out.size << 32;
    fake_msr(IA32_RTIT_STATUS)->value |= device.status;
    if (device.aborts == 0)
        return TSX_COMMITTED;
    device.aborts--;
    block->status = device.aborts % 2 != 0 ? 0x42000001 : 0x2;
    return TSX_ABORTED;
}

static void begin(uint32_t ecx)
{
    fake_reset();
    fake_leaf(7, 0)->ebx |= UINT32_C(1) << 25;
    fake_cpuid(0x14, 0, 1, 0xf, ecx, 0);
    fake_cpuid(0x14, 1, 0, 0x003f1fff, 0, 0);
    fake_leaf(0x14, 1)->ebx = 0x003f1fff;
    for (uint32_t msr = 0x560; msr <= 0x571; msr++)
        if (msr <= 0x561 || msr >= 0x570)
            fake_msr(msr)->value = 0x80 * (msr & 0xf);
    memset(&device, 0, sizeof(device));
    way.size = 0;
    begin_context(REGIME_A, memory);
}

static const char *lines(void)
{
    t->text[t->text_bytes] = '\0';
    return t->text;
}

/* STATUS, BASE, MASK_PTRS, CTL; then CTL twice; undone the other way round. */
static void order(void **state)
{
    static const uint32_t writes[] = {0x571, 0x560, 0x561, 0x570, 0x570,
                                      0x570, 0x570, 0x561, 0x560, 0x571};
    struct trace p;
    struct transitions seen;

    (void)state;
    begin(LEAF14_TOPA);
    fake_written_count = 0;
    assert_true(trace_claim(&p, t));
    assert_int_equal(fake_written_count, 0);
    assert_true(trace_transaction(&p, &tx, &seen));
    assert_true(trace_check(&p, "commit", &seen, wanted, 2));
    assert_int_equal(t->verdict, VERDICT_PASS);
    restore_msrs(t);
    assert_int_equal(fake_written_count, 10);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(fake_written[i], writes[i]);
    assert_int_equal(fake_msr(0x561)->value, 0x80);
    assert_int_equal(t->verdict, VERDICT_PASS);
}

/* What the two outputs write to the registers. */
static void outputs(void **state)
{
    struct trace p;

    (void)state;
    begin(LEAF14_TOPA | LEAF14_RANGE);
    assert_true(trace_claim(&p, t) && trace_arm(&p));
    assert_int_equal(trace_at(p.memory) % TRACE_BYTES, 0);
    assert_true(p.memory >= memory &&
                p.memory + TRACE_BYTES <= memory + TEST_BUFFER_BYTES);
    assert_int_equal(fake_msr(0x570)->value, 0x2104);
    assert_int_equal(fake_msr(0x560)->value, trace_at(p.table));
    assert_int_equal(fake_msr(0x561)->value, 0x7f);
    assert_int_equal(p.table[0], trace_at(p.memory) | 3 << 6);
    assert_int_equal(p.table[1], trace_at(p.table) | TOPA_END);
    assert_int_equal(trace_guarded(&p, 0, TRACE_BYTES), TRACE_BYTES);
    begin(LEAF14_RANGE);
    assert_true(trace_claim(&p, t) && trace_arm(&p));
    assert_int_equal(fake_msr(0x570)->value, 0x2004);
    assert_int_equal(fake_msr(0x560)->value, trace_at(p.memory));
    assert_int_equal(fake_msr(0x561)->value, 0xfff);
}

/* Addresses of a trace that have the guard's byte are not memory that nobody
 * wrote to. */
static void untouched(void **state)
{
    struct trace p;

    (void)state;
    begin(LEAF14_TOPA);
    assert_true(trace_claim(&p, t) && trace_arm(&p));
    memset(p.memory, 0, 128);
    for (unsigned n = 0; n < 128; n += 4)
        p.memory[n] = p.memory[n + 1] = TRACE_GUARD;
    assert_int_equal(trace_guarded(&p, 0, 128), 64);
    assert_int_equal(trace_untouched(&p, 0, 128), 0);
    memset(p.memory + 40, TRACE_GUARD, TRACE_GUARD_RUN);
    assert_int_equal(trace_untouched(&p, 0, 128), TRACE_GUARD_RUN + 2);
    assert_int_equal(trace_untouched(&p, 0, TRACE_BYTES),
                     TRACE_GUARD_RUN + 2 + TRACE_BYTES - 128);
}

/* Someone else's trace, and LBRs where they exclude one. */
static void taken(void **state)
{
    struct trace p;

    (void)state;
    begin(LEAF14_TOPA);
    fake_msr(IA32_RTIT_CTL)->value = 0x2105;
    assert_false(trace_claim(&p, t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_non_null(strstr(lines(), "IA32_RTIT_CTL (570H)[0] (TraceEn) is 1"));
    begin(LEAF14_TOPA);
    fake_msr(IA32_DEBUGCTL)->value = 1;
    assert_false(trace_claim(&p, t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    t->cpu.model = 0x55;
    assert_true(trace_claim(&p, t));
}

/* Tried again after an abort and after a loss, but not for ever. */
static void tries(void **state)
{
    struct trace p;
    struct transitions seen;

    (void)state;
    begin(LEAF14_TOPA);
    device.aborts = 3;
    device.losses = 5;
    assert_true(trace_claim(&p, t) && trace_transaction(&p, &tx, &seen));
    assert_int_equal(device.runs, 6);
    assert_true(trace_check(&p, "commit", &seen, wanted, 2));
    begin(LEAF14_TOPA);
    device.losses = TRACE_TRIES;
    assert_true(trace_claim(&p, t));
    assert_false(trace_transaction(&p, &tx, &seen));
    assert_int_equal(device.runs, TRACE_TRIES);
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_non_null(strstr(lines(), "0 of 20 did not, 20 were disturbed"));
}

/* Aborts for another reason are not the one that is wanted. */
static void reasons(void **state)
{
    struct trace_transaction abort = {
        .body = tsx_body_nothing, .want = TSX_ABORTED, .status = 0x42000001};
    struct trace p;
    struct transitions seen;

    (void)state;
    begin(LEAF14_TOPA);
    device.aborts = 3; /* status 2, 42000001H, 2 */
    assert_true(trace_claim(&p, t) && trace_transaction(&p, &abort, &seen));
    assert_int_equal(device.runs, 2);
    abort.status = 0;
    assert_true(trace_transaction(&p, &abort, &seen));
    assert_int_equal(device.runs, 3);
}

/* IA32_RTIT_STATUS, and transitions that are others. */
static void wrong(void **state)
{
    struct trace p;
    struct transitions seen;

    (void)state;
    begin(LEAF14_TOPA);
    device.status = IA32_RTIT_STATUS_Error;
    assert_true(trace_claim(&p, t));
    assert_false(trace_transaction(&p, &tx, &seen));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_non_null(strstr(lines(), "[4] (Error) is 1"));
    begin(LEAF14_TOPA);
    assert_true(trace_claim(&p, t) && trace_transaction(&p, &tx, &seen));
    assert_false(trace_check(&p, "what", &seen, wanted, 1));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_non_null(strstr(lines(), "what: event 1: more transitions: got "
                                    "commit at 0x401080"));
}

/* The processor's own bits of IA32_RTIT_STATUS are not compared; others are. */
static void restored(void **state)
{
    struct trace p;

    (void)state;
    begin(LEAF14_TOPA);
    fake_msr(IA32_RTIT_STATUS)->value = 7;
    fake_msr(IA32_RTIT_STATUS)->writable = ~UINT64_C(7);
    assert_true(trace_claim(&p, t) && trace_arm(&p));
    fake_msr(IA32_RTIT_STATUS)->value = 0;
    restore_msrs(t);
    assert_int_equal(t->verdict, VERDICT_NONE);
    fake_msr(IA32_RTIT_STATUS)->value = 0x20;
    fake_msr(IA32_RTIT_STATUS)->writable = 0;
    assert_true(trace_arm(&p));
    fake_msr(IA32_RTIT_STATUS)->value = 0;
    restore_msrs(t);
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* A table in memory of another type may hang the processor. */
static void other_memory_is_not_used(void **state)
{
    struct trace p;

    (void)state;
    begin(LEAF14_TOPA);
    all[0].found.types_known = true;
    assert_true(trace_claim(&p, t)); /* not known */
    all[0].found.memory = (struct found_memory){
        .mapped = true, .alike = true, .mtrr = "WB", .pat = "WB"};
    assert_true(trace_claim(&p, t));
    all[0].found.memory.mtrr = "UC";
    assert_false(trace_claim(&p, t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    all[0].found.memory.mtrr = "WB";
    all[0].found.memory.pat = "WC";
    assert_false(trace_claim(&p, t));
    all[0].found.memory.pat = "WB";
    all[0].found.memory.alike = false;
    assert_false(trace_claim(&p, t));
}

/* Erratum SKL043, and what is not known to be without it. */
static void where_a_stop_may_hang(void **state)
{
    static const struct {
        uint16_t family, model;
        bool hangs;
    } rows[] = {
        {6, 0x4e, true},  {6, 0x5e, true},  {6, 0x55, true},  {15, 0x8e, true},
        {6, 0x3d, false}, {6, 0x8e, false}, {6, 0x9e, false}, {6, 0xa5, false},
        {6, 0x6a, false}, {6, 0x8f, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct identity id = {.family = rows[i].family,
                                    .model = rows[i].model};
        assert_int_equal(trace_stop_may_hang(&id), rows[i].hangs);
    }
}

/* Whatever could set Stopped inside of a transaction is refused, and not a
 * register written. */
static void what_may_stop_is_refused(void **state)
{
    static _Alignas(4096) uint64_t second[512];
    const uint64_t topa = IA32_RTIT_CTL_ToPA;
    struct trace p;

    (void)state;
    begin(LEAF14_TOPA);
    assert_true(trace_claim(&p, t));
    const uint64_t table = trace_at(p.table), more = trace_at(second);
    const struct {
        bool armed;
        uint64_t control, first, next, last; /* next and last: of `second` */
    } rows[] = {
        {true, topa, more | TOPA_END, 0x1000, table | TOPA_END},
        {false, topa, more | TOPA_END, 0x1000 | TOPA_STOP, table | TOPA_END},
        {false, topa, 0x1000 | TOPA_STOP, 0, table | TOPA_END},
        {true, topa, 0x1000 | TOPA_INT, 0, table | TOPA_END},
        {false, topa, more | TOPA_END, 0x1000, more | TOPA_END},
        {false, topa | UINT64_C(2) << 36, more | TOPA_END, 0x1000,
         table | TOPA_END},
        {true, topa | UINT64_C(1) << 36, more | TOPA_END, 0x1000,
         table | TOPA_END},
        {true, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(LEAF14_TOPA);
        assert_true(trace_claim(&p, t));
        p.table[0] = rows[i].first;
        p.table[1] = second[1] = rows[i].last;
        second[0] = rows[i].next;
        fake_written_count = 0;
        assert_int_equal(trace_arm_output(&p, rows[i].control, table, 0),
                         rows[i].armed);
        assert_int_equal(fake_written_count, rows[i].armed ? 4 : 0);
        assert_int_equal(t->verdict,
                         rows[i].armed ? VERDICT_NONE : VERDICT_ERROR);
        p.may_stop = true; /* no transaction is traced */
        assert_true(trace_arm_output(&p, rows[i].control, table, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_a_stop_may_hang),
        cmocka_unit_test(what_may_stop_is_refused),
        cmocka_unit_test(other_memory_is_not_used),
        cmocka_unit_test(order),
        cmocka_unit_test(outputs),
        cmocka_unit_test(untouched),
        cmocka_unit_test(taken),
        cmocka_unit_test(tries),
        cmocka_unit_test(reasons),
        cmocka_unit_test(wrong),
        cmocka_unit_test(restored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
