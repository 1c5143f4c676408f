/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx.h - what the MSRs of TSX and the regime make of CPUID and of XBEGIN.
 *
 * White paper 604224, Tables A-1 and 2.2-1; SDM volume 4, "MSRs in the 6th
 * generation ..", IA32_TSX_CTRL and IA32_MCU_OPT_CTRL; SDM volume 1, chapter
 * "Programming with Intel Transactional Synchronization Extensions".
 */
#ifndef SILICON_MODEL_TSX_TSX_H
#define SILICON_MODEL_TSX_TSX_H

#include "tests/silicon/model/bits.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/machine.h"

#define MSR_TSX_FORCE_ABORT 0x10Fu
#define RTM_FORCE_ABORT     BIT(0)
#define TSX_CPUID_CLEAR     BIT(1)
#define SDV_ENABLE_RTM      BIT(2)

/* EAX after an abort: SDM volume 1, "RTM Abort Status Definition". */
#define TX_STATUS_XABORT     0x01u
#define TX_STATUS_RETRY      0x02u
#define TX_STATUS_CONFLICT   0x04u
#define TX_STATUS_CAPACITY   0x08u
#define TX_STATUS_DEBUG      0x10u
#define TX_STATUS_NESTED     0x20u
#define TX_STATUS_CODE(code) ((uint32_t)(code) << 24)

/* What aborts a transaction, as far as EAX shows. */
enum tx_cause {
    TX_CAUSE_EVENT, /* an interrupt, a PEBS record, none at all */
    TX_CAUSE_EXCEPTION,
    TX_CAUSE_INSTRUCTION, /* one that aborts */
    TX_CAUSE_MEMORY_TYPE, /* not write-back memory */
    TX_CAUSE_XABORT,
    TX_CAUSE_WRITES,   /* capacity of the write set, */
    TX_CAUSE_READS,    /* and of the read set */
    TX_CAUSE_CONFLICT, /* with another logical processor */
    TX_CAUSE_DEBUG,    /* #DB or #BP was hit */
    TX_CAUSE_NESTING,  /* one level too many */
    TX_CAUSE_ELISION,  /* HLE: a lock not used as one */
};

/* How a transaction ended. */
struct tx_abort {
    enum tx_cause cause;
    uint8_t code;     /* of XABORT */
    unsigned depth;   /* levels */
    bool inner_ended; /* inside: an inner one, before */
    uint32_t status;  /* to be added to EAX; all of it if `forced` */
    uint8_t elision;  /* TX_CAUSE_ELISION: the TX_MEM_* that it is */
    bool forced;
    uint64_t begin_ip;    /* XBEGIN or XACQUIRE */
    uint64_t eventing_ip; /* the instruction being executed */
    uint64_t resume_ip;   /* the fallback; HLE: after the XACQUIRE */
};

/* SDM volume 3B, "TX Abort Information Field Definition"; 31:0 are cycles. */
#define TX_INFO_HLE             BIT(32)
#define TX_INFO_RTM             BIT(33)
#define TX_INFO_INSTRUCTION     BIT(34)
#define TX_INFO_NON_INSTRUCTION BIT(35)
#define TX_INFO_RETRY           BIT(36)
#define TX_INFO_CONFLICT        BIT(37)
#define TX_INFO_WRITES          BIT(38)
#define TX_INFO_READS           BIT(39)

/* What an outermost XBEGIN comes to. */
enum tx_fate {
    TX_INVALID, /* #UD */
    TX_RUNS,    /* until XEND or a cause of its own */
    TX_DOOMED,  /* until `steps` instructions have run, or XEND */
};

struct tx_decision {
    enum tx_fate fate;
    unsigned steps;   /* TX_DOOMED: 0 = abort at XBEGIN */
    bool at_xend;     /* TX_DOOMED: abort at XEND instead of after steps */
    uint32_t status;  /* TX_DOOMED: EAX, whatever ends it */
    bool forced;      /* TX_DOOMED: status for every cause of abort */
    bool leak_stores; /* faults: what an abort forgets to roll back, */
    bool leak_registers;
    bool lose_stores;  /* or a commit to write; */
    bool stores_alone; /* TX_DOOMED is what has stored */
};

void tsx_reset(struct processor *p);

/* CPUID.7.0: are they enumerated now? */
bool tsx_rtm_visible(const struct processor *p);
bool tsx_hle_visible(const struct processor *p);
/* TSX_CPUID_CLEAR of MSR 122H. */
bool tsx_ctrl_clears(const struct processor *p);
bool tsx_always_abort_visible(const struct processor *p);
bool tsx_force_abort_visible(const struct processor *p);

/* Regime C with SDV_ENABLE_RTM: D. */
bool tsx_sdv(const struct processor *p);

/* The MSRs 10FH, 122H and 123H. False: #GP. */
bool tsx_is_msr(uint32_t number);
bool tsx_read(struct processor *p, uint32_t number, uint64_t *value);
bool tsx_write(struct processor *p, uint32_t number, uint64_t value);

/* Does this XBEGIN begin a transaction, and what will become of it? */
void tsx_decide(struct processor *p, struct tx_decision *decision);

/* Does this instruction abort the transaction it is met in? XBEGIN, XEND and
 * XABORT aside. direction: RFLAGS.DF before it. */
bool tsx_aborts(const struct processor *p, const struct instruction *i,
                bool direction);

/* Does XACQUIRE elide a lock? The hint is ignored else. */
bool tsx_elides(const struct processor *p);

/* Does an access of another processor to a line abort the transaction that
 * has it in these of its sets (lines.h)? */
bool tsx_conflict(const struct machine *m, unsigned sets, bool write);

/* XTEST raises #UD. */
bool tsx_xtest_invalid(const struct processor *p);

/* How many transactions can be in one another. */
unsigned tsx_nest_max(const struct processor *p);

/* Regime B: does RTM_FORCE_ABORT abort all transactions of this thread? */
bool tsx_is_forced(const struct processor *p);

/* XEND and XABORT raise #UD. */
bool tsx_rtm_invalid(const struct processor *p);

/* Counted as TX_MEM and TX_EXEC, though nothing aborts. */
void tsx_count_causes(struct processor *p, uint8_t mem, uint8_t exec);

/* An outermost transaction begins and ends: counts the events RTM_RETIRED or
 * HLE_RETIRED, and regime B lets counter 3 go wrong at the end. tsx_aborted
 * gives EAX, and saves in p->tsx.last_abort what a PEBS record has of it. */
void tsx_began(struct processor *p, bool hle);
void tsx_committed(struct processor *p);
/* An inner level begins or ends: no event, but by a fault. */
void tsx_nested(struct processor *p, bool begins);
uint32_t tsx_aborted(struct processor *p, const struct tx_abort *how);

/* Where the regime allows it, counter 3 goes wrong: its PEBS records, too,
 * depend on it. */
void tsx_disturb_counter3(struct processor *p);

/* An XBEGIN was on a path that the processor had predicted, and not taken. */
void tsx_speculated(struct processor *p);

#endif
