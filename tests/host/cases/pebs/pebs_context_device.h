/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_context_device.h - one body at ring 0 and at ring 3, and aborts there,
 * of which a record each is made, with one thing otherwise. */
#ifndef TESTS_HOST_CASES_PEBS_PEBS_CONTEXT_DEVICE_H
#define TESTS_HOST_CASES_PEBS_PEBS_CONTEXT_DEVICE_H

#include "asm/rtm_store.h"
#include "src/memory/datala.h"
#include "src/tsx/status.h"
#include "tests/host/cases/pebs/pebs_ring_fixture.h"

#define LOADS         0x81d0
#define STORES        0x82d0
#define LOCKED_LOADS  0x21d0
#define SPLIT_LOADS   0x41d0
#define SPLIT_STORES  0x42d0
#define LOAD_LATENCY  0x01cd
#define ABORTS_OF_RTM 0x04c9
#define ABORTS_OF_HLE 0x04c8
#define SF            BIT(7)
#define LINE          64

const struct ring3_access ring3_body_accesses[] = {
    {0x1000, 0x1004, RING3_BODY_LOAD | RING3_BODY_STORE | RING3_BODY_LOCKED, 0,
     0},
    {0x1010, 0x1014, RING3_BODY_LOAD, 0x48, 0},
    {0x1014, 0x1018, RING3_BODY_STORE, 0x50, 0},
    {0x1020, 0x1024, RING3_BODY_LOAD | RING3_BODY_SPLIT, 0x7c, 0},
    {0x1024, 0x1028, RING3_BODY_STORE | RING3_BODY_SPLIT, 0xbc, 0},
    {0x1030, 0x1034, RING3_BODY_LOAD | RING3_BODY_MOVES, 0x100, 0},
    {0x1040, 0x1100, RING3_BODY_STORE | RING3_BODY_GOES, RING3_BODY_STACK - 8,
     8},
    {0x1104, 0x1044, RING3_BODY_LOAD | RING3_BODY_GOES, RING3_BODY_STACK - 8,
     0},
    {0, 0, 0, 0, 0}};

static struct odd_body {
    unsigned turns_lost; /* at ring 3 */
    bool no_hits;        /* of stores in the L1D */
    bool no_latency, no_source, locks;
    bool at_wrong, next_wrong; /* another instruction's, of each */
    bool no_full;              /* OvfBuf */
    bool aborts_silent;
    uint64_t info;               /* XORed to B8H of aborts, */
    bool of_hle;                 /* of HLE's alone */
    uint64_t lines, interrupted; /* the same, of aborts by these */
    uint32_t status;             /* XORed to EAX of one by lines */
    unsigned pmis_lost;
    bool no_apic;
    int64_t at, resume;  /* added, of aborts */
    uint32_t only;       /* of this event: its turns are lost */
    uint64_t base;       /* XORed to the address of an access */
    unsigned lost;       /* one more than the register not loaded there */
    uint64_t elsewhere;  /* added to the address of these loads */
    uint64_t crossed[2]; /* XORed to the address of a load, of a store */
    uint64_t string_at, string_next; /* the same of REP STOS, and its RIP */
    bool goes_on; /* a transaction at ring 3 with a record inside */
} body;

static void make_events(uint32_t kind, uint32_t events[4])
{
    const bool load = (kind & RING3_BODY_LOAD) != 0;
    const bool split = (kind & RING3_BODY_SPLIT) != 0;
    unsigned n = 0;

    if (load)
        events[n++] = LOADS;
    if (load)
        events[n++] = split                             ? SPLIT_LOADS
                      : (kind & RING3_BODY_LOCKED) != 0 ? LOCKED_LOADS
                                                        : LOAD_LATENCY;
    if ((kind & RING3_BODY_STORE) != 0)
        events[n++] = STORES;
    if ((kind & RING3_BODY_STORE) != 0 && split)
        events[n] = SPLIT_STORES;
}

/* What is selected is a store: "Store Status". */
static bool is_store(void)
{
    const uint64_t event = *msr(IA32_PERFEVTSEL(0)) & 0xffff;

    return event == STORES || event == SPLIT_STORES;
}

static void access_page(uint64_t enable, const struct ring3 *ring3,
                        const struct ring3_access *a, unsigned turn)
{
    const bool user = ring3->level != 0;
    const uint64_t code = user ? ring3->user_code : (uintptr_t)ring3_code;
    const uint64_t data = user ? ring3->user_data : ring3->data;
    const uint64_t moved =
        (a->kind & RING3_BODY_MOVES) != 0 ? (uint64_t)turn * LINE : 0;
    struct spot s = {
        .at = code + a->at + (body.at_wrong ? 2 : 0),
        .next = code + a->next + (body.next_wrong ? 1 : 0),
        .user = user,
        .holds = {.rflags = IF | SF,
                  .rbx = (uintptr_t)ring3,
                  .rbp = data,
                  .rsp = data + RING3_BODY_STACK - a->stacked,
                  .r8 = RING3_BODY_TURNS - turn,
                  .r10 = ring3->kernel_rsp,
                  .r11 = ring3->data,
                  .r14 = 0xffffffff,
                  .data_linear_address = (data + a->place + moved) ^ body.base,
                  .data_source =
                      (body.no_source ? 0 : 1) | (body.locks ? BIT(5) : 0),
                  .latency = body.no_latency ? 2 : 7}};

    make_events(a->kind, s.events);
    if (is_store()) {
        s.holds.data_source = body.no_hits ? 0 : 1;
        s.holds.latency = 0;
    }
    for (unsigned i = 0; i < 4; i++)
        if (user && s.events[i] == body.only && turn < body.turns_lost)
            s.events[i] = 0;
    retire(enable, &s);
}

/* By turns MOV, XCHG, ADD, XOR. Of one register the record has what was before
 * the load. */
static void load_registers(uint64_t enable, const struct ring3 *ring3)
{
    const bool user = ring3->level != 0;
    const uint64_t code = user ? ring3->user_code : (uintptr_t)ring3_code;
    const uint64_t data = user ? ring3->user_data : ring3->data;
    const volatile uint64_t *words =
        (const volatile uint64_t *)(uintptr_t)(ring3->data + RING3_LOADS_AT);
    uint64_t r[16];

    for (unsigned n = 0; n < 16; n++)
        r[n] = RING3_STATE_PLANTED + n;
    r[4] = data + RING3_LOADS_STACK;
    /* The one before the first, from where a POP will be. */
    retire(enable,
           &(struct spot){.at = code + 0x21f8,
                          .next = code + 0x2200,
                          .user = user,
                          .events = {LOADS},
                          .holds = {.rsp = r[4], .data_linear_address = r[4]}});
    for (unsigned n = 0; n < 16; n++) {
        if (n == 4)
            continue;
        const uint64_t before = r[n];
        const uint64_t after = n % 4 < 2    ? words[n]
                               : n % 4 == 2 ? before + words[n]
                                            : before ^ words[n];
        r[n] = n + 1 == body.lost ? before : after;
        retire(enable, &(struct spot){.at = code + 0x2200 + 8 * n,
                                      .next = code + 0x2208 + 8 * n,
                                      .user = user,
                                      .events = {LOADS},
                                      .holds = {.rax = r[0],
                                                .rcx = r[1],
                                                .rdx = r[2],
                                                .rbx = r[3],
                                                .rsp = r[4],
                                                .rbp = r[5],
                                                .rsi = r[6],
                                                .rdi = r[7],
                                                .r8 = r[8],
                                                .r9 = r[9],
                                                .r10 = r[10],
                                                .r11 = r[11],
                                                .r12 = r[12],
                                                .r13 = r[13],
                                                .r14 = r[14],
                                                .r15 = r[15],
                                                .data_linear_address =
                                                    data + RING3_LOADS_AT +
                                                    8 * n + body.elsewhere}});
        r[n] = after;
    }
}

static void store_string(uint64_t enable, const struct ring3 *ring3)
{
    const bool user = ring3->level != 0;
    const uint64_t code = user ? ring3->user_code : (uintptr_t)ring3_code;
    const uint64_t data = user ? ring3->user_data : ring3->data;

    for (unsigned n = 0; n < RING3_STRING_BYTES / 8; n++)
        retire(enable,
               &(struct spot){.at = code + 0x2410 + body.string_at,
                              .next = code + 0x2410 + body.string_next,
                              .user = user,
                              .events = {STORES},
                              .holds = {.data_linear_address =
                                            data + RING3_LOADS_AT + 8 * n}});
}

static void cross_pages(uint64_t enable, const struct ring3 *ring3)
{
    for (unsigned n = 0; n < 16; n++)
        retire(enable,
               &(struct spot){
                   .at = ring3->user_code + (n % 2 != 0 ? 0x2598 : 0x2594),
                   .next = ring3->user_code + (n % 2 != 0 ? 0x259c : 0x2598),
                   .user = true,
                   .events = {n % 2 != 0 ? STORES : LOADS},
                   .holds = {.data_linear_address =
                                 (ring3->user_data + RING3_CROSSED) ^
                                 body.crossed[n % 2]}});
}

/* base: where the instruction is, 16 bytes before it goes on. */
static void abort_once(uint64_t enable, const struct ring3 *ring3,
                       uint64_t base)
{
    const bool hle = base == 0x2110;

    retire(enable,
           &(struct spot){
               .at = ring3->user_code + base + (uint64_t)body.at,
               .next = ring3->user_code + base + 16 + (uint64_t)body.resume,
               .user = true,
               .events = {hle ? ABORTS_OF_HLE : ABORTS_OF_RTM},
               .holds = {.tx_abort =
                             ((hle ? TX_ABORT_HLE_ABORT : TX_ABORT_RTM_ABORT) |
                              TX_ABORT_INSTRUCTION_ABORT | 20) ^
                             (hle || !body.of_hle ? body.info : 0)}});
}

static unsigned pmis;

bool hw_pmi_begin(bool nmi)
{
    assert_false(nmi);
    pmis = 0;
    return !body.no_apic;
}

unsigned hw_pmi_count(void)
{
    return pmis;
}

/* By too many lines, in their midst; by an interrupt, the second of two. */
static void abort_elsewhere(uint64_t enable, const struct ring3 *ring3,
                            uint64_t base, uint64_t info)
{
    retire(enable,
           &(struct spot){.at = ring3->user_code + base + 4,
                          .next = ring3->user_code + base + 32,
                          .user = true,
                          .events = {ABORTS_OF_RTM},
                          .holds = {.tx_abort = TX_ABORT_RTM_ABORT |
                                                TX_ABORT_NON_INSTRUCTION_ABORT |
                                                (info ^ 20)}});
}

static bool abort_otherwise(uint64_t enable, const struct ring3 *ring3)
{
    const bool writes =
        ring3->body == (uint32_t)(ring3_aborts_writes - ring3_body);
    const bool reads =
        ring3->body == (uint32_t)(ring3_aborts_reads - ring3_body);
    struct ring3_state *state = (void *)(uintptr_t)ring3->data;

    for (unsigned n = 0; n < RING3_ABORTS && (writes || reads); n++) {
        state->results[n] = RTM_STATUS_CAPACITY ^ (n == 3 ? body.status : 0);
        abort_elsewhere(
            enable, ring3, writes ? 0x2500 : 0x2530,
            (writes ? TX_ABORT_CAPACITY_WRITES : TX_ABORT_CAPACITY_READS) ^
                body.lines);
    }
    if (writes || reads)
        return true;
    if (ring3->body != (uint32_t)(ring3_aborts_held - ring3_body))
        return false;
    abort_once(enable, ring3, 0x2570);
    state->results[1] = (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT;
    assert_int_equal(*msr(IA32_PERFEVTSEL(1)) & 0xffff, 0xc0);
    assert_true((*msr(IA32_PERFEVTSEL(1)) & IA32_PERFEVTSEL_INT) != 0);
    pmis = body.pmis_lost == 0;
    state->results[0] = 0;
    abort_elsewhere(enable, ring3, 0x2560, body.interrupted);
    return true;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    static const struct {
        const uint8_t *body;
        uint64_t at;
    } ways[] = {{ring3_aborts_rtm, 0x2010},
                {ring3_aborts_cpuid, 0x2040},
                {ring3_aborts_ud2, 0x2070},
                {ring3_aborts_inner, 0x20a0},
                {ring3_aborts_hle, 0x2110}};
    uint64_t aborts = 0;

    assert_true(ring3->level == 0 || !is_firmware());
    for (unsigned i = 0; i < 5; i++)
        if (ring3->body == (uint32_t)(ways[i].body - ring3_body))
            aborts = ways[i].at;
    window_opens();
    path.full_unsaid = body.no_full;
    path.silent |= aborts != 0 && body.aborts_silent;
    ring3->kernel_rsp = 0x7ff000;
    ring3->vector = odd.vector;
    assert_int_equal(*(const volatile uint32_t *)(uintptr_t)ring3->data,
                     RING3_BODY_CELL);
    if (abort_otherwise(enable, ring3))
        return 0;
    for (unsigned n = 0; n < RING3_ABORTS && aborts != 0; n++)
        abort_once(enable, ring3, aborts);
    const bool loads = ring3->body == (uint32_t)(ring3_body_loads - ring3_body);
    const bool string =
        ring3->body == (uint32_t)(ring3_body_string - ring3_body);
    const bool crosses =
        ring3->body == (uint32_t)(ring3_body_crosses - ring3_body);
    if (crosses)
        cross_pages(enable, ring3);
    if (loads)
        load_registers(enable, ring3);
    if (string)
        store_string(enable, ring3);
    if (aborts != 0 || loads || string || crosses)
        return 0;
    if (ring3->body == (uint32_t)(ring3_body_committed - ring3_body)) {
        for (unsigned turn = 0; turn < RING3_BODY_TURNS; turn++)
            for (const struct ring3_access *a = ring3_body_accesses; a->at != 0;
                 a++)
                access_page(enable, ring3, a, turn);
        ring3->status =
            body.goes_on && ring3->level != 0 ? RTM_STATUS_STARTED : 0;
        return 0;
    }
    assert_int_equal(ring3->body, (uint32_t)(ring3_body_plain - ring3_body));
    for (unsigned turn = 0; turn < RING3_BODY_TURNS; turn++)
        for (const struct ring3_access *a = ring3_body_accesses; a->at != 0;
             a++)
            access_page(enable, ring3, a, turn);
    return 0;
}

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    *cell = value;
    *eax = RTM_STATUS_STARTED;
    return RTM_COMMITTED;
}

#endif
