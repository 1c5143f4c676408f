/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of branches at ring 3 and at ring 0, in one window; and of those that
 * lead from one to the other. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling_check.h"
#include "src/pebs/sampling_ring3.h"

#define PAGE          4096
#define LEVEL_WINDOWS 20 /* until one has a record */

/* Every second branch of the window, which has 11 conditional ones at ring 3 */
static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {1},
    .period = {1},
    .room = 32,
    .threshold = 32,
};

/* BR_INST_RETIRED.ALL_BRANCHES, precise: SDM 3B, the table of "PEBS Support in
 * Intel Microarchitecture Code Name Sandy Bridge", and of Skylake; Intel's
 * lists of events, NHM-EP, ICX and ADL. */
#define ALL_BRANCHES       0x04c4
#define ALL_BRANCHES_LATER 0x00c4
#define TRANSFERS_ROOM     20 /* of records with XMM registers, too */

/* Of fixed counters: events from record to record; LBR entries. */
#define FIXED_INSTRUCTIONS 7
#define FIXED_CYCLES       4000 /* more than the records take */
#define FIXED_ENTRIES      8

#define FLAGS BITS(14, 9) /* IF, DF, OF, IOPL, NT */
#define OF    BIT(11)

/* window_ring3() holds its struct in RBX at both rings, and the stack pointer
 * is what it was, or as IRETQ is to find it, five words below. RAX and RDX are
 * what has enabled the counter, R14 is 0, R8 counts down from 6 at most and R13
 * from 2. It leaves other registers alone: they are as in its first record.
 * What the last record has of a later instruction (HSD110) is of one after the
 * window. */
static void check_registers(struct test_context *t,
                            const struct pebs_record *record,
                            const struct pebs_record *first, bool last)
{
    const uint64_t changed =
        (record->rsi ^ first->rsi) | (record->rdi ^ first->rdi) |
        (record->rbp ^ first->rbp) | (record->r9 ^ first->r9) |
        (record->r10 ^ first->r10) | (record->r12 ^ first->r12) |
        (record->r15 ^ first->r15);
    const uint64_t enabled = sampling_enable(&config);
    const uint64_t flags = (record->rflags ^ first->rflags) & FLAGS & ~OF;

    check_known(
        t, changed == 0 && flags == 0, ERRATUM_RECORD_OF_LATER, last,
        "a record with RIP (08H) 0x%lx, RFLAGS (00H) 0x%lx: RSI, RDI, RBP, "
        "R9, R10, R12, R15 or RFLAGS is not as in the first record, with RIP "
        "0x%lx, RFLAGS 0x%lx: bits 0x%lx, RFLAGS 0x%lx; wanted no change",
        record->rip, record->rflags, first->rip, first->rflags, changed, flags);

    check_known(
        t,
        record->rax == enabled && record->rdx == enabled >> 32 &&
            record->r14 == 0 && record->r8 <= 6 && record->r13 <= 2,
        ERRATUM_RECORD_OF_LATER, last,
        "a record with RIP (08H) 0x%lx has RAX (10H) 0x%lx, RDX (28H) 0x%lx, "
        "R14 (80H) 0x%lx, R8 (50H) 0x%lx, R13 (78H) 0x%lx; wanted 0x%lx, "
        "0x%lx, 0, at most 6, and at most 2",
        record->rip, record->rax, record->rdx, record->r14, record->r8,
        record->r13, enabled, enabled >> 32);
}

/* At ring 3 the stack pointer is what IRETQ has found. */
static void check_stack(struct test_context *t,
                        const struct pebs_record *record,
                        const struct ring3 *ring3, bool last)
{
    const bool user = record->rip - ring3->user_code < PAGE;
    const uint64_t rsp = ring3->kernel_rsp, rbx = (uintptr_t)ring3;

    check_known(t,
                record->rbx == rbx && (record->rsp == rsp ||
                                       (!user && record->rsp == rsp - 5 * 8)),
                ERRATUM_RECORD_OF_LATER, last,
                "a record with RIP (08H) 0x%lx has RBX (18H) 0x%lx, RSP (48H) "
                "0x%lx; wanted 0x%lx, and 0x%lx%s",
                record->rip, record->rbx, record->rsp, rbx, rsp,
                user ? "" : " or 40 less");
}

/* SDM 2B, SYSCALL: RCX is the address after it, R11 the flags; those of the
 * program after a loop that ended at 0. */
static void check_call(struct test_context *t, const struct pebs_record *record,
                       const struct ring3 *ring3,
                       const struct pebs_record *first, bool last)
{
    const uint64_t zero = BIT(6) | BIT(2), sign = BIT(7);
    const uint64_t again = ring3_at(ring3, ring3_code_again);
    const uint64_t flags = (record->r11 ^ first->rflags) & FLAGS & ~OF;

    check_known(t,
                record->rcx == again && flags == 0 &&
                    (record->r11 & (zero | sign)) == zero,
                ERRATUM_RECORD_OF_LATER, last,
                "a record after the first SYSCALL, RIP (08H) 0x%lx, has RCX "
                "(20H) 0x%lx, R11 (68H) 0x%lx; wanted 0x%lx, and the flags of "
                "ring 3, 0x%lx with PF and ZF",
                record->rip, record->rcx, record->r11, again,
                first->rflags & FLAGS & ~OF);
}

/* RCX and R11 by R13: ring3_window.h. */
static void check_transfer(struct test_context *t,
                           const struct pebs_record *record,
                           const struct ring3 *ring3,
                           const struct pebs_record *first, bool last)
{
    const bool user = record->rip - ring3->user_code < PAGE;
    const uint64_t sum =
        user ? 15 - record->r8 * (record->r8 + 1) / 2 : UINT64_C(0);
    const uint64_t r11 = (uintptr_t)ring3 + sum;

    if (record->r13 == 1)
        check_call(t, record, ring3, first, last);
    else if (record->r13 == 2)
        check_known(t, record->rcx == ring3->msr && record->r11 == r11,
                    ERRATUM_RECORD_OF_LATER, last,
                    "a record before the first SYSCALL, RIP (08H) 0x%lx, has "
                    "RCX (20H) 0x%lx, R11 (68H) 0x%lx; wanted 0x%x, 0x%lx",
                    record->rip, record->rcx, record->r11, ring3->msr, r11);
}

/* Of ring 3: after a branch, taken or not, and of this counter alone. */
static void check_place(struct sampling *p, const struct pebs_record *record,
                        const struct ring3 *ring3)
{
    const struct pebs_counters counters = {.own = p->config.counters};
    const uint64_t rip = record->rip - ring3->user_code;
    const struct lbr_row *row = window_ring3_rows;
    bool race;

    while (row->kind != LBR_END &&
           (row->kind != (LBR_JCC | LBR_FROM_USR | LBR_TO_USR) ||
            (rip != (uint64_t)row->to && rip != (uint64_t)row->from + 2)))
        row++;
    check_known(p->t, row->kind != LBR_END, ERRATUM_RECORD_OF_LATER, true,
                "a record of ring 3 has RIP (08H) 0x%lx, %lu bytes after the "
                "code's start; wanted where one of its branches leads",
                record->rip, rip);
    const char *wrong = pebs_judge_counters(record, &counters, &race);
    check(p->t, wrong == NULL, "a record of ring 3: %s; 90H is 0x%lx", wrong,
          record->global_status | record->applicable_counter);
}

/* "USR" and "OS" say at which level events are detected: so is the one that
 * makes the record, after an overflow at whichever. */
struct level {
    const struct ring3_session *ring3;
    uint64_t bit; /* IA32_PERFEVTSELx.USR or OS */
};

static void run_level(struct sampling *p, uint64_t argument)
{
    const struct level *level = (const struct level *)(uintptr_t)argument;

    if (set_msr_again(p->t, IA32_PERFEVTSEL(0),
                      p->config.select | sampling_adaptive(p) |
                          IA32_PERFEVTSEL_EN | level->bit))
        sampling_ring3(p, (uint64_t)(uintptr_t)level->ring3);
}

static bool try_level(struct sampling *p, const struct ring3_session *s,
                      bool user)
{
    const struct level level = {s, user ? IA32_PERFEVTSEL_USR
                                        : IA32_PERFEVTSEL_OS};
    struct pebs_record record;
    unsigned windows = 0;

    /* Measured. A window has few events of one ring. */
    do {
        if (!sampling_around(p, &config, run_level,
                             (uint64_t)(uintptr_t)&level))
            return false;
    } while (p->records == 0 && ++windows < LEVEL_WINDOWS);

    /* Check. Each branch has its next instruction at its own ring. */
    for (unsigned n = 0; n < p->records && sampling_record(p, n, &record); n++)
        check_known(
            p->t, (record.rip - s->ring3->user_code < PAGE) == user,
            p->last ? ERRATUM_RECORD_AFTER_DISABLING : ERRATUM_RECORD_OF_LATER,
            true,
            "IA32_PERFEVTSEL0 (186H) has %s alone, and record %u has RIP (08H) "
            "0x%lx; code of ring 3 is at 0x%lx",
            user ? "USR" : "OS", n, record.rip, s->ring3->user_code);
    check(p->t, p->records != 0,
          "IA32_PERFEVTSEL0 (186H) has %s alone, and no record was made in %u "
          "windows; wanted some of that ring",
          user ? "USR" : "OS", LEVEL_WINDOWS);
    note(p->t, "%u records with %s alone", p->records, user ? "USR" : "OS");
    return true;
}

/* --- From ring to ring --------------------------------------------------- */

/* SDM 1, "Format of an FXSAVE Area": XMM0 is at 160. */
struct fxsave {
    _Alignas(16) uint64_t image[64];
};
#define XMM_AT 20

/* With XMM registers as they are planted. */
static void run_planted(struct sampling *p, uint64_t argument)
{
    struct fxsave found, planted;

    __asm__ volatile("fxsave64 %0" : "=m"(found));
    planted = found;
    for (unsigned i = 0; i < 2 * PEBS_XMM; i++)
        planted.image[XMM_AT + i] = PEBS_PLANTED(i);
    __asm__ volatile("fxrstor64 %0" : : "m"(planted));
    sampling_ring3(p, argument);
    __asm__ volatile("fxrstor64 %0" : : "m"(found));
}

/* Of all branches: what IRETQ, SYSCALL and SYSRET leave. */
static bool try_transfers(struct sampling *p, const struct ring3_session *s)
{
    const bool later = (identity_generation(test_cpu(p->t)) &
                        (SINCE_ICE_LAKE | GRACEMONT)) != 0;
    const bool xmm = p->format == PEBS_FORMAT_ADAPTIVE;
    struct sampling_config all = config;
    struct pebs_record record, first;

    /* Measured. */
    all.select = later ? ALL_BRANCHES_LATER : ALL_BRANCHES;
    all.room = all.threshold = TRANSFERS_ROOM;
    if ((xmm && !sampling_groups(p, SAMPLING_GROUPS | PEBS_DATA_XMM, true)) ||
        !sampling_around(p, &all, run_planted, (uint64_t)(uintptr_t)s))
        return false;

    /* Check. */
    check(p->t, p->records != 0,
          "all branches of a window, an overflow at every second: no record");
    for (unsigned n = 0; n < p->records; n++) {
        const bool last = n + 1 == p->records;

        if (!sampling_record(p, n, &record))
            return false;
        if (n == 0)
            first = record;
        check_stack(p->t, &record, s->ring3, last);
        if (record.rip == (uintptr_t)ring3_system_call && record.r13 == 2)
            check_call(p->t, &record, s->ring3, &first, last);
        if (xmm)
            sampling_check_xmm(p, n, &record,
                               record.rip - s->ring3->user_code < PAGE
                                   ? "a record of ring 3"
                                   : "a record of ring 0");
    }
    return true;
}

/* "Extended PEBS": fixed counters make records too, and each has the groups
 * that MSR_PEBS_DATA_CFG selects, of whichever ring it is. What LBRs that do
 * not record have in theirs is not known. */
static bool try_fixed(struct sampling *p, const struct ring3_session *s)
{
    const uint64_t selection =
        SAMPLING_GROUPS | PEBS_DATA_LBRS | PEBS_DATA_ENTRIES_OF(FIXED_ENTRIES);
    struct sampling_config fixed = config;
    struct pebs_record record;

    /* Measured. */
    fixed.counters = 0;
    fixed.room = fixed.threshold = TRANSFERS_ROOM;
    for (unsigned n = 0; n < bank_fixed(test_cpu(p->t)); n++) {
        fixed.fixed |= 1u << n;
        fixed.fixed_first[n] = n == 0 ? FIXED_INSTRUCTIONS : FIXED_CYCLES;
        fixed.fixed_period[n] = fixed.fixed_first[n];
    }
    if (!sampling_groups(p, selection, true) ||
        !sampling_around(p, &fixed, sampling_ring3, (uint64_t)(uintptr_t)s))
        return false;

    /* Check. */
    const uint64_t enabled = sampling_enable(&fixed);
    unsigned user = 0;
    for (unsigned n = 0; n < p->records; n++) {
        if (!sampling_record(p, n, &record))
            return false;
        user += record.eventing_ip - s->ring3->user_code < PAGE;
        sampling_check_format(p, &record, selection);
        check(p->t,
              record.applicable_counter != 0 &&
                  (record.applicable_counter & ~enabled) == 0,
              "a record of fixed counters, IP (08H) 0x%lx, has Applicable "
              "Counter (10H) 0x%lx; wanted some of 0x%lx",
              record.eventing_ip, record.applicable_counter, enabled);
    }
    check(p->t, user != 0,
          "fixed counters overflow every %u instructions, and none of %u "
          "records is of ring 3, whose code is at 0x%lx; wanted some",
          FIXED_INSTRUCTIONS, p->records, s->ring3->user_code);
    return true;
}

TEST(pebs_ring3,
     .asks = "Are there records of ring 3, at addresses of what runs there?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem; "
             "\"Architectural Performance Monitoring Version 1 Facilities\": "
             "USR, OS",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    struct ring3_session s;
    struct pebs_record record, first;
    struct sampling p;
    unsigned user = 0;

    /* Set-up. */
    if (!sampling_claim(&p, t) || !ring3_prepare(&s, t))
        return;

    /* Measured. */
    if (!sampling_around(&p, &config, sampling_ring3, (uint64_t)(uintptr_t)&s))
        return;
    if (s.ring3->vector != HW_NO_FAULT) {
        broken(t, "%s at ring 3", fault_name((int)s.ring3->vector));
        return;
    }

    /* Check. */
    const uint64_t page = s.ring3->user_code;
    for (unsigned n = 0; n < p.records; n++) {
        if (!sampling_record(&p, n, &record))
            return;
        if (n == 0)
            first = record;
        bool there = record.rip - page < PAGE;
        user += there;
        check(t,
              there || !pebs_has(&record, PEBS_EVENTING_IP) ||
                  record.eventing_ip - page >= PAGE,
              "record %u has EventingIP (B0H) 0x%lx at ring 3 and RIP (08H) "
              "0x%lx not",
              n, record.eventing_ip, record.rip);
        check_registers(t, &record, &first, n + 1 == p.records);
        check_stack(t, &record, s.ring3, n + 1 == p.records);
        if (record.rbx == (uintptr_t)s.ring3) /* and not after the window */
            check_transfer(t, &record, s.ring3, &first, n + 1 == p.records);
        if (there)
            check_place(&p, &record, s.ring3);
    }
    check(t, user >= 2 && user < p.records,
          "%u of %u records are of ring 3, whose code is at 0x%lx; wanted some "
          "of both rings",
          user, p.records, page);
    if (try_level(&p, &s, true) && try_level(&p, &s, false) &&
        try_transfers(&p, &s) && p.format == PEBS_FORMAT_ADAPTIVE)
        (void)try_fixed(&p, &s);
}
