/* SPDX-License-Identifier: BSD-2-Clause */
/* One body at ring 3, outside and inside of transactions, packet by packet;
 * then the same with a PSB in its midst, whatever is due there. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/smi_guard.h"
#include "src/trace/packets.h"
#include "src/trace/ring3_times.h"
#include "src/trace/ring3_trace.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define PAGE_BYTES  4096u
#define STEPS_AT    (2 * PAGE_BYTES) /* of test_records() */
#define STEPS_MAX   256
#define PSB_PLACES  6 /* places of a PSB */
#define PSB_FIRST   9
#define PSB_STEP    11
#define TIMES_FIRST 210 /* amid timing packets, which come before, too */
#define TIMES_STEP  40
#define PIP_PLACES  8 /* with the code of ring 0 before and after it */
#define PIP_STEP    23

/* IA32_PMC0 counts all instructions of ring 3, 1 those inside, 2 those no abort
 * has undone. */
#define COUNTS  BITS(2, 0)
#define INVALID BIT(32) /* of IA32_PMC2: more than any window has */

static const struct way {
    const char *what;
    const uint8_t *at, *begin, *end;
    unsigned ends; /* of an XEND: bytes after `end` */
    bool tx, aborts;
} ways[] = {
    {"at ring 3", ring3_body_plain, ring3_body_plain_begin,
     ring3_body_plain_end, 0, false, false},
    {"in a transaction at ring 3", ring3_body_committed,
     ring3_body_committed_begin, ring3_body_committed_end, 0, true, false},
    {"in an inner transaction at ring 3", ring3_body_nested,
     ring3_body_nested_begin, ring3_body_nested_end, RING3_BODY_XEND_BYTES,
     true, false},
    {"after an inner transaction at ring 3", ring3_body_after_inner,
     ring3_body_after_inner_begin, ring3_body_after_inner_end, 0, true, false},
    {"in a transaction at ring 3 that aborts", ring3_body_aborted,
     ring3_body_aborted_begin, ring3_body_aborted_end, 0, true, true},
    {"in an inner transaction at ring 3 that aborts", ring3_body_nested_aborted,
     ring3_body_nested_aborted_begin, ring3_body_nested_aborted_end, 0, true,
     true},
};

struct paths {
    struct test_context *t;
    struct trace trace;
    struct ring3_session ring3;
    struct path_list list; /* its steps are in test_records() */
    struct path_step *steps;
    unsigned psbs; /* amid the packets of ring 3 */
    struct cyc_places cyc;
    bool counts; /* COUNTS */
};

/* Where ring 3 sees it. */
static uint64_t seen_at(const struct paths *s, const uint8_t *label)
{
    return ring3_at(s->ring3.ring3, label);
}

static void add(struct paths *s, unsigned kind, uint64_t value)
{
    if (s->list.count < STEPS_MAX)
        s->steps[s->list.count++] = (struct path_step){kind, value};
}

static void add_body(struct paths *s)
{
    for (unsigned turn = 1; turn <= RING3_BODY_TURNS; turn++) {
        add(s, PATH_RET, seen_at(s, ring3_body_returns));
        add(s, PATH_TIP, seen_at(s, ring3_body_calls));
        add(s, PATH_RET, seen_at(s, ring3_body_returns_again));
        add(s, PATH_NOT_TAKEN, 0); /* JNE, JE */
        add(s, PATH_TAKEN, 0);
        add(s, PATH_TAKEN, 0); /* LOOP, twice */
        add(s, PATH_NOT_TAKEN, 0);
        add(s, PATH_TAKEN, 0); /* JRCXZ, JNZ */
        add(s, turn < RING3_BODY_TURNS ? PATH_TAKEN : PATH_NOT_TAKEN, 0);
    }
}

/* Once more, with User alone. */
static void add_path(struct paths *s, const struct way *way)
{
    const uint64_t end = seen_at(s, way->end);

    add(s, PATH_PGE, seen_at(s, ring3_body));
    add(s, PATH_TIP, seen_at(s, way->at));
    if (way->tx) {
        add(s, PATH_MODE_TSX, PT_MODE_TSX_INTX);
        add(s, PATH_FUP, seen_at(s, way->begin));
    }
    add_body(s);
    add(s, PATH_TIP, end);
    if (way->tx) {
        add(s, PATH_MODE_TSX, way->aborts ? PT_MODE_TSX_TXABORT : 0);
        add(s, PATH_FUP, end + way->ends);
    }
    if (way->aborts)
        add(s, PATH_TIP, seen_at(s, ring3_body_fallback));
    add(s, PATH_TAKEN, 0); /* to SYSCALL */
    add(s, PATH_PGD_HIDDEN, 0);
}

/* One window. False where it could not be traced; *meant: its transactions
 * ended as they are meant to. */
static bool run(struct paths *s, const struct way *way, uint64_t status,
                bool *meant)
{
    const uint32_t xabort = (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT;
    struct ring3 *ring3 = s->ring3.ring3;

    ring3->body = (uint32_t)(way->at - ring3_body);
    ring3->level = 3;
    if ((s->counts &&
         (!set_msr(s->t, IA32_PMC(0), 0) || !set_msr(s->t, IA32_PMC(1), 0) ||
          !set_msr(s->t, IA32_PMC(2), 0))) ||
        !ring3_trace(&s->trace, &s->ring3, status, s->counts ? COUNTS : 0,
                     window_ring3_body))
        return false;
    if (ring3->vector != HW_NO_FAULT) {
        broken(s->t, "%s at ring 3", fault_name((int)ring3->vector));
        return false;
    }
    *meant = way->aborts ? (ring3->status & xabort) == xabort
                         : ring3->status == RTM_STATUS_STARTED;
    return true;
}

/* Instructions of a window whose transaction has aborted. */
static void check_counts(struct paths *s, const struct way *way)
{
    const uint64_t all = msr_value(s->t, IA32_PMC(0)),
                   inside = msr_value(s->t, IA32_PMC(1)),
                   kept = msr_value(s->t, IA32_PMC(2));

    check_known(s->t, kept + ring3_body_shape.instructions <= all,
                ERRATUM_PMC2_OVER_ABORTS, kept > INVALID,
                "%s, traced: IA32_PMC2 (C3H), with IN_TXCP, counted %lu of %lu "
                "instructions; wanted %u less, or more",
                way->what, kept, all, ring3_body_shape.instructions);
    check(s->t, inside >= ring3_body_shape.instructions && inside < all,
          "%s, traced: IA32_PMC1 (C2H), with IN_TX, counted %lu of %lu "
          "instructions; wanted %u or more, not all",
          way->what, inside, all, ring3_body_shape.instructions);
}

/* A window, or, with a status for it, a second one after it. */
static bool trace_way(struct paths *s, const struct way *way, uint64_t bits,
                      uint64_t status)
{
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        const uint64_t smis = smi_count(s->t);
        bool meant, again = true;

        hw_poll();
        if (!ring3_trace_arm(&s->trace, bits) || !run(s, way, 0, &meant) ||
            (status != 0 && !run(s, way, status, &again)))
            return false;
        if (!meant || !again || smi_count(s->t) != smis)
            continue;
        if (s->counts && way->aborts)
            check_counts(s, way);
        return true;
    }
    check(s->t, s->ring3.ring3->status != RING3_BODY_INNER,
          "%s: it went to the fallback of the inner XBEGIN", way->what);
    note(s->t, "%s: in %u tries none ended as meant", way->what, TRACE_TRIES);
    return false;
}

/* Whether a transaction runs before that step. */
static bool in_tx(const struct paths *s, uint64_t step)
{
    bool in = false;

    for (uint64_t i = 0; i < step && i < s->list.count; i++)
        if (s->steps[i].kind == PATH_MODE_TSX)
            in = (s->steps[i].value & PT_MODE_TSX_INTX) != 0;
    return in;
}

/* The FUP of PSB+ is where the processor goes on: at XBEGIN only before it. */
static void check_psb(struct paths *s, const struct way *way, uint64_t bits,
                      const struct path_psb *psb)
{
    const bool in = in_tx(s, psb->step),
               mode = (psb->mode_tsx & PT_MODE_TSX_INTX) != 0,
               begins = psb->step < s->list.count &&
                        s->steps[psb->step].kind == PATH_MODE_TSX;

    if (psb->step == 0 || psb->step >= s->list.count ||
        s->steps[psb->step].kind == PATH_PGE)
        return;
    s->psbs++;
    check(s->t, mode == in && (!in || psb->packets[PT_MODE_TSX] != 0),
          "%s, PSB+ before packet %lu: got %u MODE.TSX, InTX = %u; wanted %u",
          way->what, psb->step, psb->packets[PT_MODE_TSX], mode, in);
    check(s->t, psb->packets[PT_MODE_EXEC] != 0 && psb->packets[PT_CBR] != 0,
          "%s, PSB+ before packet %lu: got %u MODE.Exec, %u CBR; wanted one "
          "each",
          way->what, psb->step, psb->packets[PT_MODE_EXEC],
          psb->packets[PT_CBR]);
    check(s->t,
          psb->packets[PT_FUP] == 1 && ring3_executes(&s->ring3, psb->ip) &&
              (!way->tx || begins || psb->ip != seen_at(s, way->begin)),
          "%s, PSB+ before packet %lu: got %u FUP, to 0x%lx; wanted one, to "
          "where the processor goes on",
          way->what, psb->step, psb->packets[PT_FUP], psb->ip);
    check(s->t,
          psb->packets[PT_TSC] == ((bits & IA32_RTIT_CTL_TSCEn) != 0 ? 1 : 0),
          "%s, PSB+ before packet %lu: got %u TSC, wanted one where TSCEn = 1",
          way->what, psb->step, psb->packets[PT_TSC]);
    check_known(s->t, psb->packets[PT_PIP] == 0, ERRATUM_PT_PSB_PIP, true,
                "%s, PSB+ with OS = 0: got %u PIP; wanted none", way->what,
                psb->packets[PT_PIP]);
}

static void judge(struct paths *s, const struct way *way, uint64_t bits,
                  bool psb)
{
    const struct path path = {
        .step = path_list_step,
        .source = &s->list,
        .any_nr = !identity_is_native(test_cpu(s->t)),
        .errata = pt_errata(test_cpu(s->t)->family, test_cpu(s->t)->model),
        .no_ret_compression = (bits & IA32_RTIT_CTL_DisRETC) != 0,
        .timing = (bits & IA32_RTIT_CTL_TSCEn) != 0
                      ? PATH_TIMING_TSC | PATH_TIMING_TMA | PATH_TIMING_MTC |
                            PATH_TIMING_CYC
                      : 0};
    struct path_seen seen;

    path_follow(s->trace.memory, trace_bytes(&s->trace), &path, 0, &seen);
    if (seen.overflow || !window_judge(&s->trace, way->what, &seen) || !psb)
        return;
    for (unsigned n = 0; n < seen.psbs && n < PATH_PSBS; n++)
        check_psb(s, way, bits, &seen.psb[n]);
    if (path.timing != 0)
        ring3_times_check(&s->trace, way->what, bits, &s->cyc);
}

/* PSB+ at ring 3 with OS and User has the CR3. */
static void check_pip(struct paths *s)
{
    struct packets packets;
    struct pt_packet packet;
    bool in_psb = false, pip = false, user = false;
    unsigned missing = 0;

    packets_open(&packets, s->trace.memory, trace_bytes(&s->trace));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_PSB) {
            in_psb = true;
            pip = user = false;
        }
        pip |= in_psb && packet.kind == PT_PIP;
        if (in_psb && packet.kind == PT_FUP && packet.detail != 0)
            user = ring3_executes(&s->ring3, packets.ip);
        missing += packet.kind == PT_PSBEND && user && !pip;
        in_psb &= packet.kind != PT_PSBEND;
    }
    check(s->t, missing == 0,
          "PSB+ at ring 3 with OS = 1: got no PIP in %u; wanted one in each",
          missing);
}

/* Windows with so many bytes until a PSB is due; some are longer. For each
 * there is one with timing packets, and one without. */
static void try_psbs(struct paths *s, const struct way *way, uint32_t period)
{
    unsigned before = s->psbs, tried = 0;

    add_path(s, way);
    for (unsigned i = 0; i < 2 * PSB_PLACES; i++) {
        const uint64_t bits = i % 2 != 0 ? ring3_times_bits(test_cpu(s->t)) : 0;
        const uint64_t due = (bits & IA32_RTIT_CTL_MTCEn) != 0
                                 ? TIMES_FIRST + TIMES_STEP * (i / 2)
                                 : PSB_FIRST + PSB_STEP * (i / 2);
        const uint64_t status = (period - due) << PACKET_BYTES_AT;

        if (!trace_way(s, way, IA32_RTIT_CTL_User | bits, status))
            continue;
        judge(s, way, bits, true);
        tried++;
    }
    /* "The PSB period is not precise", and these windows have few bytes. */
    if (tried != 0 && s->psbs == before)
        observe(s->t, "a short window at ring 3 has the PSB due", 0, tried);
}

static const struct way changed = {
    .what = "at ring 3, a return that goes elsewhere",
    .at = ring3_body_changes};

static void add_changed(struct paths *s)
{
    add(s, PATH_PGE, seen_at(s, ring3_body));
    add(s, PATH_TIP, seen_at(s, ring3_body_changes));
    add(s, PATH_TIP, seen_at(s, ring3_body_changed));
    add(s, PATH_TAKEN, 0); /* to SYSCALL */
    add(s, PATH_PGD_HIDDEN, 0);
}

/* "If the CALL/RET stack is manipulated .. the RET will not be compressed". */
static void check_changed(struct paths *s)
{
    s->list.count = 0;
    add_changed(s);
    if (trace_way(s, &changed, IA32_RTIT_CTL_User, 0))
        judge(s, &changed, 0, false);
}

/* A TIP.PGD without an IP: "Last IP is not cleared", and is that of ring 3. The
 * next is the TIP.PGE of ring 2, at an address of ring 0's. */
static void check_last_ip(struct paths *s)
{
    const uint64_t smis = smi_count(s->t);
    bool meant;

    s->list.count = 0;
    add_changed(s);
    if (!ring3_trace_arm(&s->trace, IA32_RTIT_CTL_User) ||
        !run(s, &changed, 0, &meant))
        return;
    ring3_be_ring(&s->ring3, 2);
    add_changed(s);
    if (run(s, &changed, UINT64_C(1) << PACKET_BYTES_AT, &meant) && /* no PSB */
        smi_count(s->t) == smis)
        judge(s, &changed, 0, false);
}

static bool count_ring3(struct test_context *t)
{
    const uint64_t select =
        EVENT_INST_RETIRED | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_EN;

    return counters_claim(t) && set_msr(t, IA32_PERFEVTSEL(0), select) &&
           set_msr(t, IA32_PERFEVTSEL(1), select | IA32_PERFEVTSEL_IN_TX) &&
           set_msr(t, IA32_PERFEVTSEL(2), select | IA32_PERFEVTSEL_IN_TXCP);
}

TEST(pt_ring3_tx,
     .asks = "Does a trace of ring 3 have each packet in its place, in "
             "transactions and about a PSB too?",
     .cite = "SDM 3C, Intel Processor Trace, \"Packet Generation under "
             "Different Enable Conditions\", table \"TSX Packet Scenarios\", "
             "\"Decoder Synchronization (PSB+)\", \"IP Compression\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_PMU})
{
    const uint64_t user = IA32_RTIT_CTL_User;
    const uint32_t period = output_psb_counted(test_cpu(t));
    const bool counted = period != 0, tx = probe_state_if_any(t);
    struct paths s = {.t = t};

    /* Set-up. */
    if (!ring3_trace_claim(&s.trace, &s.ring3, t))
        return;
    s.counts = tx && test_cpu(t)->counters > 2;
    if (s.counts && !count_ring3(t))
        return;
    s.steps = (struct path_step *)((uint8_t *)test_records(t) + STEPS_AT);
    s.list.steps = s.steps;

    /* Measured and checked. */
    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        const struct way *way = &ways[i];
        if (way->tx && !tx)
            continue;
        s.list.count = 0;
        add_path(&s, way);
        if (trace_way(&s, way, user, 0))
            judge(&s, way, 0, false);
        if (trace_way(&s, way, user | IA32_RTIT_CTL_DisRETC, 0))
            judge(&s, way, IA32_RTIT_CTL_DisRETC, false);
        if (counted)
            try_psbs(&s, way, period);
    }
    cyc_places_check(t, " at ring 3", &s.cyc);
    check_changed(&s);
    for (unsigned i = 0; counted && i < PIP_PLACES; i++)
        if (trace_way(&s, &ways[0], user | IA32_RTIT_CTL_OS,
                      (uint64_t)(period - PSB_FIRST - PIP_STEP * i)
                          << PACKET_BYTES_AT))
            check_pip(&s);
    if (counted)
        check_last_ip(&s);
    note(t, "%u PSBs at ring 3", s.psbs);
}
