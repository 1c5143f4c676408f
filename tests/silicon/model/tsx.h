/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx.h - what the MSRs of TSX and the regime make of CPUID and of XBEGIN.
 *
 * White paper 604224, Tables A-1 and 2.2-1; SDM volume 4, "MSRs in the 6th
 * generation ..", IA32_TSX_CTRL and IA32_MCU_OPT_CTRL; SDM volume 1, chapter
 * "Programming with Intel Transactional Synchronization Extensions".
 */
#ifndef SILICON_MODEL_TSX_H
#define SILICON_MODEL_TSX_H

#include "tests/silicon/model/instruction.h"
#include "tests/silicon/model/machine.h"

#define MSR_TSX_FORCE_ABORT   0x10Fu
#define RTM_FORCE_ABORT       BIT(0)
#define TSX_CPUID_CLEAR       BIT(1)
#define SDV_ENABLE_RTM        BIT(2)

/* EAX after an abort: SDM volume 1, "RTM Abort Status Definition". */
#define TX_STATUS_XABORT   0x01u
#define TX_STATUS_RETRY    0x02u
#define TX_STATUS_CONFLICT 0x04u
#define TX_STATUS_CAPACITY 0x08u
#define TX_STATUS_DEBUG    0x10u
#define TX_STATUS_NESTED   0x20u
#define TX_STATUS_CODE(code) ((uint32_t)(code) << 24)

/* What aborts a transaction, as far as EAX tells. */
enum tx_cause {
    TX_CAUSE_OTHER,     /* an instruction, an exception, an interrupt */
    TX_CAUSE_XABORT,
    TX_CAUSE_CAPACITY,
    TX_CAUSE_DEBUG,     /* #DB or #BP was hit */
    TX_CAUSE_NESTING,   /* one XBEGIN too many */
};

/* What an outermost XBEGIN comes to. */
enum tx_fate {
    TX_INVALID,  /* #UD */
    TX_RUNS,     /* until XEND or a cause of its own */
    TX_DOOMED,   /* until `steps` instructions have run, or XEND */
};

struct tx_plan {
    enum tx_fate fate;
    unsigned steps;      /* TX_DOOMED: 0 = abort at XBEGIN */
    bool at_xend;        /* TX_DOOMED: abort at XEND instead of after steps */
    uint32_t status;     /* TX_DOOMED: EAX, whatever ends it */
    bool forced;         /* TX_DOOMED: status for every cause of abort */
    bool keep_stores;    /* faults: what an abort forgets to roll back, */
    bool keep_registers;
    bool lose_stores;    /* or a commit to keep */
};

void tsx_reset(struct processor *p);

/* CPUID.7.0: are they enumerated now? */
bool tsx_rtm_visible(const struct processor *p);
bool tsx_hle_visible(const struct processor *p);
bool tsx_always_abort_visible(const struct processor *p);
bool tsx_force_abort_visible(const struct processor *p);

/* The MSRs 10FH, 122H and 123H. False: #GP. */
bool tsx_read(struct processor *p, uint32_t number, uint64_t *value);
bool tsx_write(struct processor *p, uint32_t number, uint64_t value);

/* Does this XBEGIN begin a transaction, and what will become of it? */
void tsx_plan(struct processor *p, struct tx_plan *plan);

/* Does this instruction abort the transaction it is met in? XBEGIN, XEND and
 * XABORT aside. direction: RFLAGS.DF before it. */
bool tsx_aborts(const struct processor *p, const struct instruction *i,
                bool direction);

/* EAX after an abort in a transaction `depth` levels deep; code: of XABORT. */
uint32_t tsx_status(const struct processor *p, enum tx_cause cause,
                    uint8_t code, unsigned depth);

/* XTEST raises #UD. */
bool tsx_xtest_invalid(const struct processor *p);

/* XEND and XABORT raise #UD. */
bool tsx_rtm_invalid(const struct processor *p);

/* To be called when an outermost transaction has committed or aborted:
 * regime B lets counter 3 go wrong here. */
void tsx_ended(struct processor *p);

#endif
