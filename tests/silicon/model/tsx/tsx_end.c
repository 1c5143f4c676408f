/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_end.c - beginning and end of a transaction: abort status, the events
 * that count them, the abort information of a PEBS record, and counter 3.
 *
 * SDM volume 1, "RTM Abort Status Definition"; volume 3B, "Intel TSX
 * Performance Events in Processors Based on Haswell Microarchitecture" and
 * "TX Abort Information Field Definition".
 */
#include "tests/silicon/model/tsx/tsx.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/pmu_msr.h"

/* Of a counter, in events; of a transaction, lines written and instructions. */
#define NEAR_OVERFLOW 64
#define LONG_LINES    256
#define MANY_LINES    32
#define LONG_STEPS    2000

/* What an abort of each cause sets: EAX, the umask of its category beside
 * ABORTED, the abort information. */
static const struct consequences {
    uint32_t status;
    uint8_t category;
    uint64_t information;
    uint8_t mem, exec; /* of TX_MEM, TX_EXEC */
} causes[] = {
    [TX_CAUSE_EVENT] = {0, TX_EVENT_EVENTS, TX_INFO_NON_INSTRUCTION},
    [TX_CAUSE_EXCEPTION] = {0, TX_EVENT_EVENTS, TX_INFO_INSTRUCTION},
    [TX_CAUSE_INSTRUCTION] = {0, TX_EVENT_UNFRIENDLY, TX_INFO_INSTRUCTION},
    [TX_CAUSE_MEMORY_TYPE] = {0, TX_EVENT_MEMTYPE, TX_INFO_INSTRUCTION},
    [TX_CAUSE_XABORT] = {TX_STATUS_XABORT, TX_EVENT_EVENTS,
                         TX_INFO_INSTRUCTION},
    [TX_CAUSE_WRITES] = {TX_STATUS_CAPACITY, TX_EVENT_MEM,
                         TX_INFO_NON_INSTRUCTION | TX_INFO_WRITES,
                         .mem = TX_MEM_CAPACITY_WRITE},
    [TX_CAUSE_READS] = {TX_STATUS_CAPACITY, TX_EVENT_MEM,
                        TX_INFO_NON_INSTRUCTION | TX_INFO_READS,
                        .mem = TX_MEM_CAPACITY_READ},
    [TX_CAUSE_CONFLICT] = {TX_STATUS_CONFLICT, TX_EVENT_MEM,
                           TX_INFO_NON_INSTRUCTION | TX_INFO_CONFLICT,
                           .mem = TX_MEM_CONFLICT},
    [TX_CAUSE_DEBUG] = {TX_STATUS_DEBUG, TX_EVENT_EVENTS, TX_INFO_INSTRUCTION},
    [TX_CAUSE_NESTING] = {0, TX_EVENT_EVENTS, TX_INFO_INSTRUCTION,
                          .exec = TX_EXEC_NESTED_TOO_DEEP},
    [TX_CAUSE_ELISION] = {0, TX_EVENT_MEM, TX_INFO_INSTRUCTION},
};

/* White paper 604224, section 1.3: a normal conflict has the retry bit; with
 * CPUID.7.0:EDX[13] = 1 there are some without. */
static bool has_retry_bit(struct processor *p, const struct tx_abort *how)
{
    return how->cause == TX_CAUSE_CONFLICT &&
           !(tsx_force_abort_visible(p) &&
             random_one_in(&p->random, p->choices.conflict_only_one_in));
}

static uint32_t status_of(struct processor *p, const struct tx_abort *how)
{
    uint32_t status = causes[how->cause].status | how->status;

    if (how->forced)
        return how->status;
    if (how->cause == TX_CAUSE_XABORT &&
        (!p->tsx.user || faults_rule(p->machine, RING3_XABORT_CODE, true)))
        status |= TX_STATUS_CODE(
            how->depth < 3 || faults_rule(p->machine, DEEP_CODE_WHOLE, true)
                ? how->code
                : how->code & 0x7F);
    if (how->cause == TX_CAUSE_NESTING && p->choices.nest_overflows)
        status |= TX_STATUS_CAPACITY;
    if (has_retry_bit(p, how))
        status |= TX_STATUS_RETRY;
    if (how->depth > 1 &&
        (how->depth == 2 || faults_rule(p->machine, NESTED_BIT_AT_3, true)) &&
        (how->cause != TX_CAUSE_CONFLICT ||
         faults_rule(p->machine, NESTED_BIT_OF_CONFLICTS, true)) &&
        (how->cause != TX_CAUSE_EVENT ||
         faults_rule(p->machine, NESTED_BIT_OF_EVENTS, true)) &&
        (how->cause != TX_CAUSE_MEMORY_TYPE ||
         faults_rule(p->machine, NESTED_BIT_OF_MEMORY_TYPES, true)) &&
        (how->cause != TX_CAUSE_READS ||
         faults_rule(p->machine, NESTED_BIT_OF_READS, true)))
        status |= TX_STATUS_NESTED;
    if (how->depth > 1 && !faults_rule(p->machine, NESTED_HAS_CAPACITY, true))
        status &= ~(uint32_t)TX_STATUS_CAPACITY;
    if (how->depth > 1 && how->cause == TX_CAUSE_EXCEPTION &&
        !faults_rule(p->machine, NESTED_EXCEPTION_PLAIN, true))
        status |= TX_STATUS_DEBUG;
    if (p->tsx.user && !faults_rule(p->machine, RING3_HAS_CONFLICT, true))
        status &= ~(uint32_t)TX_STATUS_CONFLICT;
    if (p->tsx.user && !faults_rule(p->machine, RING3_HAS_CAPACITY, true))
        status &= ~(uint32_t)TX_STATUS_CAPACITY;
    if (p->tsx.user && how->cause == TX_CAUSE_EVENT &&
        !faults_rule(p->machine, RING3_EVENT_PLAIN, true))
        status |= TX_STATUS_CAPACITY;
    if (!faults_rule(p->machine, STATUS_HAS_ITS_OWN, true))
        status |= p->faults.abort_status & TX_STATUS_CONFLICT;
    p->faults.abort_status = status;
    status =
        (uint32_t)faults_quantity(p->machine, ABORT_STATUS, how->cause, status);
    return faults_abort_status(p, how, status);
}

static void count_events(struct processor *p, uint8_t umasks)
{
    struct retirement r = {
        .tx_events = umasks,
        .hle = p->tsx.hle,
        .user = p->tsx.user && faults_rule(p->machine, RING3_TX_IS_USER, true)};

    if (p->tsx.user && umasks == TX_EVENT_COMMIT &&
        !faults_rule(p->machine, RING3_COMMITS_ONCE, true))
        r.tx_events |= TX_EVENT_ABORTED;
    if (p->tsx.user && p->tsx.hle &&
        !faults_rule(p->machine, RING3_SECTION_ABORT, true))
        r.tx_events &= (uint8_t)~TX_EVENT_ABORTED;

    counters_retire(p, &r);
    if (p->tsx.user && p->tsx.hle && umasks == TX_EVENT_COMMIT &&
        !faults_rule(p->machine, RING3_SECTION_ONCE, true))
        counters_retire(p, &r);
    r.hle = true;
    if (!p->tsx.hle && (faults_count_as_hle(p) ||
                        (p->tsx.hinted && (umasks & TX_EVENT_ABORTED) != 0 &&
                         !faults_rule(p->machine, HINTED_ABORT_IS_RTM, true))))
        counters_retire(p, &r);
    r.hle = false;
    if (p->tsx.hle &&
        (!faults_rule(p->machine, ELISION_NOT_AS_RTM, true) ||
         ((umasks & TX_EVENT_ABORTED) != 0 &&
          !faults_rule(p->machine, ELISION_ABORT_NOT_AS_RTM, true))))
        counters_retire(p, &r);
}

void tsx_count_causes(struct processor *p, uint8_t mem, uint8_t exec)
{
    struct retirement r = {.user = p->tsx.user, .in_tx = p->tsx.active};

    p->tsx.hinted = p->tsx.hinted || (exec & TX_EXEC_HLE_IN_RTM) != 0;
    if (p->tsx.hle && !faults_rule(p->machine, ELISION_CONFLICTS_COUNT, true))
        mem &= (uint8_t)~TX_MEM_CONFLICT;
    r.tx_mem = (uint8_t)faults_quantity(p->machine, TX_MEM_EVENTS, mem, mem);
    r.tx_exec =
        (uint8_t)faults_quantity(p->machine, TX_EXEC_EVENTS, exec, exec);
    if (r.user && !faults_rule(p->machine, RING3_CAUSES_COUNT, true))
        r.tx_mem = 0;
    if ((r.tx_mem | r.tx_exec) != 0)
        counters_retire(p, &r);
}

void tsx_began(struct processor *p, bool hle)
{
    p->tsx.active = true;
    p->tsx.hle = hle;
    p->tsx.hinted = false;
    p->faults.nested = 0;
    p->tsx.near_overflow = COUNTER_MASK - p->pmu.counter[3] < NEAR_OVERFLOW;
    if (!faults_cycles_go_on(p) &&
        (p->tsx.was_aborted ||
         faults_rule(p->machine, CYCLES_WITHOUT_COMMITTED, true)))
        p->tsx.cycles = 0;
    count_events(p, TX_EVENT_START);
    if (faults_start_again(p) ||
        ((p->faults.abort_status & TX_STATUS_CONFLICT) != 0 &&
         !faults_rule(p->machine, STARTS_COUNT_ONCE, true)))
        count_events(p, TX_EVENT_START);
}

void tsx_nested(struct processor *p, bool begins)
{
    uint8_t events =
        (uint8_t)faults_quantity(p->machine, NESTED_EVENTS, begins, 0);

    p->faults.nested += begins ? 1 : -1u;
    if (events != 0)
        count_events(p, events);
    if (!begins && p->tsx.user &&
        !faults_rule(p->machine, RING3_INNER_NO_COMMIT, true))
        count_events(p, TX_EVENT_COMMIT);
    if (begins && !faults_rule(p->machine, CYCLES_OF_OUTERMOST, true))
        p->tsx.cycles = 0;
    if (!begins && !faults_rule(p->machine, INNER_KEEPS_CHECKPOINT, true))
        counters_checkpoint(p);
    if (!begins && !faults_rule(p->machine, INNER_XEND_COUNTS_ONCE, true))
        counters_retire(p,
                        &(struct retirement){.instructions = 1, .in_tx = true});
}

/* Is counter 3 to go wrong around this transaction? */
static bool garbles_counter3(const struct processor *p)
{
    return (p->cpu->regime == REGIME_B && p->cpu->has_rtm &&
            (p->tsx.force_abort & RTM_FORCE_ABORT) == 0) ||
           faults_garble_counter3(p);
}

void tsx_disturb_counter3(struct processor *p)
{
    if (garbles_counter3(p))
        counter3_garble(p, faults_garble_always(p));
}

/* Counters that the manual says nothing of: the paper is about counter 3. */
static void disturb_others(struct processor *p)
{
    const struct machine *m = p->machine;
    struct pmu_state *pmu = &p->pmu;

    if ((pmu->global_ctrl & BIT(2)) != 0 &&
        !faults_rule(m, COUNTER_2_USABLE, true))
        pmu->counter[2] = (pmu->counter[2] + 1) & COUNTER_MASK;
    if ((pmu->global_ctrl & BIT(4)) != 0 &&
        !faults_rule(m, COUNTER_4_USABLE, true))
        pmu->counter[4] = (pmu->counter[4] + 1) & COUNTER_MASK;
    if ((pmu->global_ctrl & BIT(32)) != 0 &&
        !faults_rule(m, FIXED_0_USABLE, true))
        pmu->fixed[0] = (pmu->fixed[0] + 1) & COUNTER_MASK;
    if ((pmu->global_ctrl & BIT(1)) != 0 && p->tsx.lines >= LONG_LINES) {
        if (!faults_rule(m, LARGE_KEEPS_OTHERS, true))
            pmu->counter[1] = (pmu->counter[1] + 1) & COUNTER_MASK;
        if (!faults_rule(m, LARGE_KEEPS_CTRL, true)) {
            pmu->global_ctrl &= ~BIT(1);
            pmu_update(p);
        }
    }
}

bool tsx_is_forced(const struct processor *p)
{
    return p->cpu->regime == REGIME_B &&
           (p->tsx.force_abort & RTM_FORCE_ABORT) != 0;
}

/* What the paper says of a thread with RTM_FORCE_ABORT = 1, and of what is the
 * other thread's. */
static void disturb_forced(struct processor *p, bool aborted)
{
    const struct machine *m = p->machine;
    struct processor *s = p->sibling;

    if (tsx_is_forced(p) && (p->pmu.global_ctrl & BIT(3)) != 0 &&
        (p->pmu.select[3] & EVTSEL_CMASK) != 0 &&
        !faults_rule(m, FORCED_WITH_CMASK, true))
        p->pmu.counter[3] = (p->pmu.counter[3] + 1) & COUNTER_MASK;
    if (aborted && !faults_rule(m, ABORT_KEEPS_SELECT, true))
        p->pmu.select[1] &= ~EVTSEL_INT;
    if (s == NULL)
        return;
    if (tsx_is_forced(s) && !tsx_is_forced(p) &&
        (s->pmu.global_ctrl & BIT(3)) != 0 &&
        !faults_rule(m, FORCED_BESIDE_SIBLING, true))
        s->pmu.counter[3] = (s->pmu.counter[3] + 1) & COUNTER_MASK;
    if ((s->pmu.global_ctrl & BIT(0)) != 0 &&
        !faults_rule(m, STATUS_OF_THREAD, true))
        s->pmu.global_status |= BIT(0);
}

static bool is_disturbing(const struct processor *p, bool aborted)
{
    switch (p->machine->counter3) {
    case DISTURB_OVERFLOW:
        return p->tsx.near_overflow;
    case DISTURB_LONG:
        return p->tsx.lines >= LONG_LINES || p->tsx.steps >= LONG_STEPS;
    case DISTURB_ABORTS:
        return aborted;
    default:
        return p->machine->counter3 == DISTURB_ANY;
    }
}

void tsx_speculated(struct processor *p)
{
    if (p->machine->counter3 == DISTURB_SPECULATIVE)
        tsx_disturb_counter3(p);
}

static void after_end(struct processor *p, bool aborted)
{
    p->tsx.active = false;
    p->tsx.was_aborted = aborted;
    if (is_disturbing(p, aborted))
        tsx_disturb_counter3(p);
    if (p->machine->counter3 == DISTURB_SIBLING && p->sibling != NULL)
        tsx_disturb_counter3(p->sibling);
    disturb_others(p);
    disturb_forced(p, aborted);
    faults_after_transaction(p);
}

void tsx_committed(struct processor *p)
{
    unsigned commits = ++p->faults.commits;

    if ((commits % 64 != 0 ||
         faults_rule(p->machine, EVERY_COMMIT_COUNTS, true)) &&
        (commits % 200 != 0 ||
         faults_rule(p->machine, COMMIT_200_COUNTS, true)))
        count_events(p, TX_EVENT_COMMIT);
    if (p->tsx.lines >= MANY_LINES &&
        !faults_rule(p->machine, LARGE_COMMITS_ONCE, true))
        count_events(p, TX_EVENT_COMMIT);
    if (p->tsx.lines >= MANY_LINES / 2 &&
        !faults_rule(p->machine, COMMITS_NOT_IN_MEM, true))
        tsx_count_causes(p, TX_MEM_CAPACITY_WRITE, 0);
    if (!faults_rule(p->machine, COMMIT_SETS_CYCLES, true) ||
        (p->tsx.hle && !faults_rule(p->machine, SECTION_SETS_CYCLES, true)))
        p->tsx.cycles = (uint32_t)p->tsx.last_abort.information;
    if (!faults_rule(p->machine, TXCP_KEEPS_COMMITTED, true))
        counters_roll_back(p);
    after_end(p, false);
}

/* What an abort sets; where nothing in the program explains it, EAX[2] says
 * what it was. */
static struct consequences consequences_of(const struct tx_abort *how)
{
    struct consequences set = causes[how->cause];

    if (how->cause == TX_CAUSE_EVENT && !how->forced &&
        (how->status & TX_STATUS_CONFLICT) != 0) {
        set.category = TX_EVENT_MEM;
        set.mem |= TX_MEM_CONFLICT;
    }
    return set;
}

static uint8_t aborted_umasks(struct processor *p, const struct tx_abort *how)
{
    const enum tx_cause cause = how->cause;
    uint8_t umasks = TX_EVENT_ABORTED | consequences_of(how).category;

    if (erratum_shows(p, ERRATUM_ABORTED_MISC4, 8))
        umasks |= TX_EVENT_MEMTYPE;
    if (cause == TX_CAUSE_MEMORY_TYPE &&
        !faults_rule(p->machine, MEMORY_TYPES_HAVE_KIND, true))
        umasks = TX_EVENT_ABORTED | TX_EVENT_EVENTS;
    if (p->tsx.user || how->depth > 1)
        umasks = (uint8_t)faults_quantity(
            p->machine, p->tsx.user ? RING3_EVENTS : INNER_EVENTS, cause,
            umasks);
    if (p->tsx.hle)
        umasks =
            (uint8_t)faults_quantity(p->machine, SECTION_EVENTS, cause, umasks);
    if (p->tsx.hle &&
        (!faults_rule(p->machine, ELISION_ABORTS_HAVE_KINDS, true) ||
         (p->tsx.user && !faults_rule(p->machine, RING3_SECTION_KINDS, true))))
        umasks = TX_EVENT_ABORTED;
    return (uint8_t)faults_quantity(p->machine, ABORT_EVENTS, cause,
                                    faults_aborted_events(p, cause, umasks));
}

uint32_t tsx_aborted(struct processor *p, const struct tx_abort *how)
{
    const struct consequences set = consequences_of(how);
    uint32_t status = status_of(p, how);
    uint64_t information = set.information | p->tsx.cycles;

    errata_aborted(p);
    information |= p->tsx.hle ? TX_INFO_HLE : TX_INFO_RTM;
    if (p->faults.hle_aborted &&
        !faults_rule(p->machine, RECORD_OF_ITS_KIND, true))
        information |= TX_INFO_HLE;
    p->faults.hle_aborted = p->tsx.hle;
    p->faults.inner_aborts += how->depth > 1;
    if ((status & TX_STATUS_RETRY) != 0 ||
        ((p->tsx.last_abort.information & TX_INFO_RETRY) != 0 &&
         !faults_rule(p->machine, RETRY_OF_ITS_ABORT, true)))
        information |= TX_INFO_RETRY;
    if ((status & TX_STATUS_CONFLICT) != 0) /* whatever it came from */
        information |= TX_INFO_CONFLICT;
    p->tsx.last_abort = (struct last_abort){
        .information =
            faults_quantity(p->machine, INFORMATION, how->cause,
                            faults_tx_information(p, how, information)),
        .eventing_ip = how->eventing_ip,
        .resume_ip = how->resume_ip,
    };
    faults_tx_record(p, how);
    if (how->depth == 1 || faults_rule(p->machine, INNER_CAUSES_COUNT, true))
        tsx_count_causes(p, set.mem | how->elision, set.exec);
    if (!faults_rule(p->machine, ABORT_COUNTS_ONCE, true))
        for (unsigned n = 1; n < how->depth; n++)
            count_events(p, aborted_umasks(p, how));
    if (how->forced && !faults_rule(p->machine, FORCED_NO_COMMIT, true))
        count_events(p, TX_EVENT_COMMIT);
    if ((how->depth < 3 || faults_rule(p->machine, ABORT_AT_3_COUNTS, true)) &&
        (++p->faults.aborts % 50 != 0 ||
         faults_rule(p->machine, EVERY_ABORT_COUNTS, true)))
        count_events(p, aborted_umasks(p, how));
    if (how->depth >= 3 && !faults_rule(p->machine, ABORT_AT_3_ONCE, true))
        count_events(p, aborted_umasks(p, how));
    after_end(p, true);
    return status;
}
