/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault.h - the named deviations from the manual. The files of faults/ have
 * one entry for each, by area, and below them what it does: hooks.h. Which
 * faults there are is read from the entries (build/gen/faults.inc).
 */
#ifndef SILICON_MODEL_FAULT_H
#define SILICON_MODEL_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/pt/pt_rules.h"
#include "tests/silicon/model/pt/pt_values.h"
#include "tests/silicon/model/rules.h"

#define FAULT_BOOTS_MAX 4
#define FAULT_COUNTERS  10 /* COUNTERS_MAX of machine.h */

struct fault {
    const char *name;
    const char *what; /* goes wrong; in brackets the regimes that show it */
    /* Boots that show it caught: personality, SMT, processors, test, verdict,
     * and trials where the usual number takes long. */
    const char *caught[FAULT_BOOTS_MAX];
    /* Of Processor Trace: what a rule is, whatever the manual says; of a value,
     * of that register, the bits that are cleared and set, and what is added.
     */
    enum pt_rule rule;
    bool is;
    enum pt_value value;
    uint32_t number;
    uint64_t clear, set, add;
    /* Of all else, the same: rules.h; number also of what has none. */
    enum rule breaks;
    enum quantity quantity;
    uint64_t errata; /* that the processor has not: 1 << enum erratum */
};

/* An entry: FAULT(name, .what = .., .caught = { .. }). */
#define FAULT(id, ...)                    \
    extern const struct fault fault_##id; \
    const struct fault fault_##id = {.name = #id, __VA_ARGS__};

enum fault_id {
    FAULT_none,
#define FAULT_ENTRY(name) FAULT_##name,
#include "faults.inc"
#undef FAULT_ENTRY
    FAULT_COUNT
};

/* What hooks remember of the machine, and of a processor. */
struct fault_shared {
    volatile uint64_t force_abort; /* MSR 10FH as any processor wrote it */
    volatile uint64_t pt_shared;   /* the same of a register of PT */
};

struct fault_state {
    bool was_forced, was_cleared, was_sdv; /* by MSR 10FH, ever */
    bool force_abort_written;
    bool first_after_force; /* no transaction since its bit 0 was set */
    bool first_after_clear; /* the same, cleared */
    uint64_t written[FAULT_COUNTERS]; /* to counters, as it was */
    uint64_t ctrl;                    /* GLOBAL_CTRL, as it was written */
    uint64_t late_select[FAULT_COUNTERS], started[FAULT_COUNTERS];
    uint64_t selects_late;   /* selects that are not in effect yet */
    uint64_t fixed[4];       /* counters, at XBEGIN */
    uint32_t abort_status;   /* of the last abort */
    bool of_branch, of_user; /* the instruction that is being counted */
    uint64_t overflowed;     /* counters, since one was enabled */
    unsigned nested;         /* transactions in the outermost */
    bool ret_operand;        /* the branch is RET with an operand */
    bool loses_event, adds_branch, starts_twice; /* once in this window */
    bool late;              /* counter 3 has wrapped, unseen */
    uint64_t wide3, stale3; /* counter 3 at 4C4H, and before the last write */
    uint64_t first_tsc;     /* of PEBS records */
    uint64_t previous_word; /* of the record before */
    unsigned records, commits, aborts;
    bool hle_aborted;      /* the last abort was one */
    unsigned inner_aborts; /* in transactions in others */
    bool was_read;         /* in the last conflict, by another processor */
    struct {
        bool valid;
        uint64_t maximum, threshold, reset[4];
    } ds_first;         /* of the first record since 3F1H was written, */
    unsigned reached;   /* and records since that reached the threshold */
    uint64_t record_of; /* counters, of the last record */
    uint64_t xmm[32];   /* the same */
    uint64_t snapshot[FAULT_COUNTERS]; /* counters of it */
    unsigned rounds;                   /* of the REP that is being executed */
    bool enabled_late;       /* 3F1H was written while counters counted */
    bool pmi_of_record;      /* the last one brought an interrupt */
    uint64_t load_latency;   /* of the last one of a load */
    uint64_t load_threshold; /* when 3F1H was written */
    bool has_frozen;         /* since DEBUGCTL was written */
    unsigned lbr_late;       /* records after a freeze */
    bool lbr_stuck;          /* until DEBUGCTL is written */
    bool was_mispredicted;   /* the branch before */
    bool was_locked;         /* the load of the record before */
    uint64_t previous_store, first_address; /* of loads and stores */
    bool store_hit, load_missed;            /* the L1, the one before */
    uint64_t pt_status_ignored; /* of Processor Trace: bits of STATUS */
    bool int_again;             /* of Processor Trace: with the next packets */
    uint64_t first_mtc_ctl;     /* IA32_RTIT_CTL, where first with MTCEn */
    bool int_seen;              /* of Processor Trace: one since TraceEn */
    unsigned pt_aborts;         /* of Processor Trace: since TraceEn */
    uint64_t ended_tsc;         /* of Processor Trace: of the last trace */
    uint64_t int_base, int_pointers; /* of Processor Trace: of its last */
    bool nmi;                        /* of Processor Trace: one was sent */
    bool int_due;        /* of Processor Trace: of the region before */
    uint64_t first_cr2;  /* of Processor Trace: of its first page fault, */
    unsigned ret_due;    /* results, the last of which is the last RET's, */
    bool entered;        /* the transaction began with PacketEn = 0 */
    bool context_came;   /* of Processor Trace: ContextEn is 1 now */
    bool goes_on;        /* and its trace began without a PSB; */
    bool popf;           /* of Processor Trace: the instruction traced is */
    bool ip_short;       /* of Processor Trace: the next IP has 16 bits */
    bool no_cbr, no_tsc; /* of Processor Trace: where TraceEn is set */
    bool save_output;    /* of Processor Trace, with the next packets: */
    uint64_t saved_base, saved_pointers; /* where it was */
};

/* By enum fault_id. */
extern const struct fault *const fault_entries[FAULT_COUNT];

/* Its entry; NULL past the end. */
const struct fault *fault_entry(size_t fault);

/* Its name; "none" for FAULT_none; NULL past the end. */
const char *fault_name(size_t fault);

/* One line on what goes wrong; NULL past the end. */
const char *fault_what(size_t fault);

/* False if there is no such fault. "none" and "" are FAULT_none. */
bool fault_find(const char *name, enum fault_id *fault);

#endif
