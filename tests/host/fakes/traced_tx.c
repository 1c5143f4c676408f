/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_tx.c - what begins and ends transactions of the traced code, and what
 * aborts them. */
#define _GNU_SOURCE
#include "tests/host/fakes/traced_parts.h"
#include "tests/silicon/instructions/operand.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/hooks.h"

#include <string.h>

#define VECTOR_GP 13

unsigned traced_conflict;
uint64_t traced_watched;

#define LINE_BYTES 64
#define NESTED_MAX 7
#define LINES      512 /* that a transaction may write, or load in a row */

static void tx_keep(ucontext_t *u, uint64_t fallback, bool hle)
{
    traced_keep_not();
    memcpy(traced.begun, u->uc_mcontext.gregs, sizeof(traced.begun));
    memcpy(traced.block, traced.kept, traced.kept_bytes);
    memcpy(traced.records, traced_records(), sizeof(traced.records));
    if (traced_user_data() != NULL)
        memcpy(traced.user_data, traced_user_data(), sizeof(traced.user_data));
    traced.depth = 1;
    traced.lines = traced.loads = traced.steps = 0;
    traced.locks = 0;
    traced.elides = tsx_elides(&traced_processor);
    traced.fallback = fallback;
    traced.hle = hle;
    traced_processor.tsx.user = traced.cpl > 0;
    counters_checkpoint(&traced_processor);
    tsx_began(&traced_processor, hle);
}

static void tx_end(void)
{
    traced_processor.tsx.active = false;
    pt_overflow(&traced_processor, &(struct pt_step){.next = traced.at});
    traced_output();
}

/* "Intel TSX and PEBS Support": a record in a transaction aborts it first. */
static void record_if_due(ucontext_t *u)
{
    if (traced_processor.pebs.triggered == 0)
        return;
    if (traced.depth != 0 && !faults_record_spares_tx(&traced_processor))
        traced_tx_abort(u, TX_CAUSE_EVENT, 0);
    else
        traced_record(u, traced.at);
}

void traced_played(ucontext_t *u, unsigned length)
{
    REG(u, REG_RIP) = traced.at + length;
    traced_retired(traced.at + length);
    record_if_due(u);
}

void traced_tx_abort(ucontext_t *u, enum tx_cause cause, uint32_t status)
{
    const uint64_t fallback = traced.fallback;
    const struct retirement passed = {.cycles =
                                          traced_processor.choices.cycles_abort,
                                      .user = traced.cpl > 0};
    const struct tx_abort how = {.cause = cause,
                                 .depth = traced.depth,
                                 .status = status,
                                 .forced = true,
                                 .eventing_ip = traced.at,
                                 .resume_ip = fallback};

    memcpy(u->uc_mcontext.gregs, traced.begun, sizeof(traced.begun));
    memcpy(traced.kept, traced.block, traced.kept_bytes);
    memcpy(traced_records(), traced.records, sizeof(traced.records));
    if (traced_user_data() != NULL)
        memcpy(traced_user_data(), traced.user_data, sizeof(traced.user_data));
    REG(u, REG_EFL) |= TRACED_TF;
    traced.depth = traced.locks = 0;
    REG(u, REG_RIP) = fallback;
    if (!traced.hle)
        REG(u, REG_RAX) = status;
    traced.elided = traced.hle;
    struct pt_step now = traced_step(traced.at, fallback, passed.cycles);
    now.nested = how.depth > 1;
    if (faults_abort_traced(&traced_processor, cause))
        pt_tx_abort(&traced_processor, &now);
    counters_roll_back(&traced_processor);
    counters_retire(&traced_processor, &passed);
    tsx_aborted(&traced_processor, &how);
    tx_end();
    record_if_due(u);
}

/* One line after the other, further than it may; a store to what is watched. */
static bool accesses_abort(ucontext_t *u, enum tx_cause *cause)
{
    struct data_access found[DATA_ACCESSES_MAX];
    const unsigned count = traced_accesses(u, found);

    for (unsigned n = 0; n < count; n++) {
        const uint64_t line = found[n].linear / LINE_BYTES;
        if (found[n].kind == DATA_STORE && found[n].linear == traced_watched) {
            *cause = TX_CAUSE_DEBUG;
            return true;
        }
        if (found[n].kind == DATA_STORE && line != traced.line) {
            traced.line = line;
            traced.lines++;
        } else if (found[n].kind == DATA_LOAD) {
            traced.loads += line == traced.loaded + 1;
            traced.loaded = line;
        }
    }
    *cause = traced.lines > LINES ? TX_CAUSE_WRITES : TX_CAUSE_READS;
    return traced.lines > LINES || traced.loads > LINES;
}

/* An XBEGIN that is forced to abort, there and then. */
static bool is_doomed(ucontext_t *u, const struct pt_step *now)
{
    struct tx_decision decision = {.fate = TX_RUNS};

    tsx_decide(&traced_processor, &decision);
    if (decision.fate != TX_DOOMED ||
        (!decision.forced && traced_conflict != 0))
        return false;
    pt_tx_begin(&traced_processor, now, true);
    traced_tx_abort(u, TX_CAUSE_INSTRUCTION, decision.status);
    return true;
}

void traced_tx_instruction(ucontext_t *u)
{
    const uint64_t next = traced.at + traced.current.length;
    const struct pt_step now =
        traced_step(traced.at, next, traced_processor.choices.cycles_other);

    REG(u, REG_RIP) = next;
    switch (traced.current.kind) {
    case INSTRUCTION_XBEGIN:
        if (traced.depth == NESTED_MAX) {
            traced_tx_abort(u, TX_CAUSE_NESTING, 0);
            return;
        }
        if (traced.depth != 0) {
            traced.depth++;
            pt_tx_nested(&traced_processor, &now);
            break;
        }
        tx_keep(u, next + (uint64_t)(int64_t)traced.current.displacement,
                false);
        if (is_doomed(u, &now))
            return;
        pt_tx_begin(&traced_processor, &now, false);
        pt_overflow(&traced_processor, &now);
        traced_output();
        return;
    case INSTRUCTION_XEND:
        if (traced.depth == 0) {
            traced_deliver(u, VECTOR_GP, traced.at);
            return;
        }
        if (--traced.depth != 0) {
            pt_tx_nested(&traced_processor, &now);
            break;
        }
        pt_tx_commit(&traced_processor, &now);
        tx_end();
        return;
    case INSTRUCTION_XABORT:
        if (traced.depth != 0) {
            traced_tx_abort(u, TX_CAUSE_XABORT,
                            (uint32_t)traced.current.immediate << 24 | 1 |
                                (traced.depth > 1 ? TX_STATUS_NESTED : 0));
            return;
        }
        break;
    default: /* XTEST */
        REG(u, REG_EFL) &= ~UINT64_C(0x8d5);
        REG(u, REG_EFL) |= traced.depth == 0 ? 0x40 : 0;
        break;
    }
    traced_retired(next);
}

void traced_committed(uint64_t ip)
{
    const struct pt_step now = traced_step(ip, ip, 1);

    pt_tx_begin(&traced_processor, &now, false);
    pt_tx_commit(&traced_processor, &now);
    traced_output();
}

void traced_take_hint(ucontext_t *u)
{
    const enum elide hint = traced.current.elide;

    traced.elide = ELIDE_NONE;
    if (traced.depth == 0)
        traced.elides = tsx_elides(&traced_processor);
    if (hint == ELIDE_ACQUIRE && traced.elides) {
        if (traced.depth != 0)
            traced.depth++;
        else if (!traced.elided)
            tx_keep(u, traced.at, true);
        if (traced.depth != 0)
            traced.elide = hint;
        traced.locks += traced.depth != 0;
        traced.elided = false;
    }
    if (hint == ELIDE_ACQUIRE && traced.elide == ELIDE_NONE)
        traced.elide = ELIDE_IGNORED;
    if (hint == ELIDE_RELEASE && traced.locks != 0) {
        traced.locks--;
        traced.elide = hint;
    }
}

void traced_done(ucontext_t *u)
{
    traced_retired(REG(u, REG_RIP));
    if (traced.depth != 0 && pt_tracing(&traced_processor) &&
        faults_trace_aborts(&traced_processor))
        traced_tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
    record_if_due(u);
}

static bool is_lock_back(void)
{
    const uint8_t *user = traced_user_data();

    return user != NULL ? memcmp(traced.user_data, user, LINE_BYTES) == 0
                        : memcmp(traced.records, traced_records(),
                                 sizeof(traced.records)) == 0;
}

/* XRELEASE has to bring the lock back. */
void traced_hint_taken(ucontext_t *u)
{
    const struct pt_step now = traced_step(traced.at, REG(u, REG_RIP), 1);
    const bool outermost = traced.depth == 1;

    if (traced.elide == ELIDE_ACQUIRE && outermost) {
        pt_tx_begin(&traced_processor, &now, false);
        traced_output();
        return;
    }
    if (traced.elide == ELIDE_RELEASE && traced.hle && outermost) {
        if (!is_lock_back()) {
            traced_tx_abort(u, TX_CAUSE_INSTRUCTION, 0);
            return;
        }
        traced.depth = 0;
        pt_tx_commit(&traced_processor, &now);
        tx_end();
        return;
    }
    traced.depth -= traced.elide == ELIDE_RELEASE;
    pt_tx_nested(&traced_processor, &now);
    traced_retired(REG(u, REG_RIP));
}

/* Before its next instruction: an interrupt, another processor, too many lines,
 * or the instruction itself. */
bool traced_tx_aborts(ucontext_t *u)
{
    if (traced.interrupted) {
        traced_tx_abort(u, TX_CAUSE_EVENT, 0);
        traced_interrupt(REG(u, REG_RIP));
        return true;
    }
    if (++traced.steps == traced_conflict) {
        traced_tx_abort(u, TX_CAUSE_CONFLICT,
                        TX_STATUS_CONFLICT | TX_STATUS_RETRY);
        return true;
    }
    enum tx_cause cause;
    if (accesses_abort(u, &cause)) {
        traced_tx_abort(u, cause,
                        cause == TX_CAUSE_DEBUG ? 0 : TX_STATUS_CAPACITY);
        return true;
    }
    if (tsx_aborts(&traced_processor, &traced.current, false)) {
        traced_tx_abort(u,
                        traced.current.tx == TX_BREAKPOINT
                            ? TX_CAUSE_DEBUG
                            : TX_CAUSE_INSTRUCTION,
                        0);
        return true;
    }
    return false;
}
