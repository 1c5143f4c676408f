/* SPDX-License-Identifier: BSD-2-Clause */
/* state_after.c - windows of one kind of instruction, and their records. */
#include "src/memory/state_after.h"

#include "src/memory/datala.h"

#define REGISTERS    16
#define RSP          4
#define LOADED(n)    (~(RING3_STATE_PLANTED + (n)))
#define LOADS_EVERY  5 /* events */
#define STRING_EVERY 7

/* What ring3_body_loads makes LOADED(n) of: MOV, XCHG, ADD, XOR. */
static uint64_t operand(unsigned n)
{
    const uint64_t planted = RING3_STATE_PLANTED + n;

    return n % 4 < 2    ? LOADED(n)
           : n % 4 == 2 ? LOADED(n) - planted
                        : LOADED(n) ^ planted;
}

/* "The machine state reported in the PEBS record is the machine state after the
 * instruction": the load of register `last` and those before it are done. True
 * where it is of one of the loads. */
static bool judge_load(const struct contexts *c, const struct pebs_record *r)
{
    static const char names[REGISTERS][4] = {
        "RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
        "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    const uint64_t got[REGISTERS] = {
        r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
        r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
    const uint64_t last =
        (r->data_linear_address - c->data - RING3_LOADS_AT) / 8;

    if (last >= REGISTERS || r->data_linear_address % 8 != 0)
        return false;
    for (unsigned n = 0; n < REGISTERS; n++) {
        const uint64_t want = n == RSP    ? c->data + RING3_LOADS_STACK
                              : n <= last ? LOADED(n)
                                          : RING3_STATE_PLANTED + n;
        if (got[n] != want)
            check_known(c->sampling.t, false, ERRATUM_RECORD_OF_LATER, true,
                        "%s is 0x%lx in the record of a load into %s, "
                        "EventingIP (B0H) 0x%lx; wanted 0x%lx, the state after "
                        "it",
                        names[n], got[n], names[last], r->eventing_ip, want);
    }
    return true;
}

/* The same of the POPs after them, in their order: of what is still there below
 * the stack pointer. */
static bool judge_pop(const struct contexts *c, const struct pebs_record *r)
{
    static const char names[RING3_LOADS_POPS][4] = {"R15", "R14", "R13", "R12",
                                                    "R10", "RBP", "RBX"};
    const uint64_t got[RING3_LOADS_POPS] = {r->r15, r->r14, r->r13, r->r12,
                                            r->r10, r->rbp, r->rbx};
    const uint64_t at = r->data_linear_address - c->data - RING3_LOADS_STACK;

    if (at / 8 >= RING3_LOADS_POPS || at % 8 != 0 ||
        r->eventing_ip <
            c->code + (uint64_t)(ring3_body_loads_pops - ring3_code))
        return false;
    const uint64_t popped =
        *(const volatile uint64_t *)(uintptr_t)(c->ring3.ring3->data +
                                                RING3_LOADS_STACK + at);
    const uint64_t rsp = r->data_linear_address + 8;
    check_known(c->sampling.t, got[at / 8] == popped && r->rsp == rsp,
                ERRATUM_RECORD_OF_LATER, r->rsp != rsp,
                "%s is 0x%lx and RSP 0x%lx in the record of its POP, "
                "EventingIP (B0H) 0x%lx; wanted 0x%lx and 0x%lx, the state "
                "after it",
                names[at / 8], got[at / 8], r->rsp, r->eventing_ip, popped,
                rsp);
    return true;
}

/* XCHG has left something else there. */
static void run_loads(struct sampling *p, uint64_t session)
{
    const struct ring3_session *s =
        (const struct ring3_session *)(uintptr_t)session;
    volatile uint64_t *loaded =
        (volatile uint64_t *)(uintptr_t)(s->ring3->data + RING3_LOADS_AT);

    for (unsigned n = 0; n < REGISTERS; n++)
        loaded[n] = operand(n);
    sampling_ring3_body(p, session);
}

bool state_after_loads(struct contexts *c, unsigned level)
{
    struct sampling *p = &c->sampling;
    struct sampling_config config = {
        .select = DATALA_ALL_LOADS,
        .counters = 1 << 0,
        .period = {LOADS_EVERY - 1},
        .room = PEBS_ROOM_MAX,
        .threshold = PEBS_ROOM_MAX,
    };
    struct pebs_record record;
    unsigned judged = 0;

    /* From each on: so each load has its turn. */
    for (unsigned first = 1; first <= LOADS_EVERY; first++) {
        config.first_period[0] = first;
        if (!contexts_run_prepared(c, &config, ring3_body_loads, level,
                                   run_loads))
            return false;
        for (unsigned n = 0; n < p->records; n++) {
            if (!sampling_record(p, n, &record))
                return false;
            judged += judge_load(c, &record) || judge_pop(c, &record);
        }
    }
    if (judged == 0) /* PEBS may be armed behind them all */
        note(p->t, "no record is of one of the %u loads and POPs",
             REGISTERS - 1 + RING3_LOADS_POPS);
    return true;
}

bool state_after_string(struct contexts *c, unsigned level)
{
    struct sampling *p = &c->sampling;
    struct sampling_config config = {
        .select = DATALA_ALL_STORES,
        .counters = 1 << 0,
        .period = {STRING_EVERY - 1},
        .room = PEBS_ROOM_MAX,
        .threshold = PEBS_ROOM_MAX,
    };
    struct pebs_record record;

    config.first_period[0] = STRING_EVERY;
    if (!contexts_run(c, &config, ring3_body_string, level))
        return false;
    const uint64_t at = c->code + (uint64_t)(ring3_body_string_at - ring3_code);
    for (unsigned n = 0; n < p->records; n++) {
        /* Between two rounds RIP is EventingIP, as in no other record. */
        if (pebs_decode(p->buffer + n * p->size, p->size, p->format, &record) !=
                PEBS_OK ||
            record.data_linear_address - c->data - RING3_LOADS_AT >=
                RING3_STRING_BYTES)
            continue;
        check_known(p->t, record.eventing_ip == at, ERRATUM_EVENTING_IP, true,
                    "EventingIP (B0H) is 0x%lx in the record of a store of REP "
                    "STOS, RIP (08H) 0x%lx; wanted its own, 0x%lx",
                    record.eventing_ip, record.rip, at);
        check_known(p->t,
                    record.rip == at || record.rip == at + RING3_REP_BYTES,
                    ERRATUM_RECORD_OF_LATER, true,
                    "RIP (08H) is 0x%lx in the record of a store of REP STOS; "
                    "wanted 0x%lx, or that of the next",
                    record.rip, at);
    }
    return true;
}

bool state_after_crossing(struct contexts *c)
{
    struct sampling *p = &c->sampling;
    struct pebs_record record;

    for (unsigned store = 0; store < 2; store++) {
        const struct sampling_config config = {
            .select = store ? DATALA_ALL_STORES : DATALA_ALL_LOADS,
            .counters = 1 << 0,
            .first_period = {1},
            .period = {1},
            .room = PEBS_ROOM_MAX,
            .threshold = PEBS_ROOM_MAX,
        };

        if (!contexts_run(c, &config, ring3_body_crosses, 3))
            return false;
        const uint8_t *label =
            store ? ring3_body_crosses_store : ring3_body_crosses_load;
        const uint64_t at = c->code + (uint64_t)(label - ring3_code);
        for (unsigned n = 0; n < p->records; n++) {
            if (!sampling_record(p, n, &record))
                return false;
            if (record.eventing_ip != at)
                continue;
            /* One of a later access is of the same address, or behind them. */
            const uint64_t off =
                record.data_linear_address - c->data - RING3_CROSSED;
            check_known(p->t, off == 0, ERRATUM_RECORD_OF_LATER, off >= 8,
                        "Data Linear Address (98H) is 0x%lx in the record of a "
                        "%s over a page's end; wanted 0x%lx",
                        record.data_linear_address, store ? "store" : "load",
                        c->data + RING3_CROSSED);
        }
    }
    return true;
}
