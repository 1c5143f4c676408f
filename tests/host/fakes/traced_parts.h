/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_parts.h - between the files of traced_cpu.h. */
#ifndef TESTS_HOST_FAKES_TRACED_PARTS_H
#define TESTS_HOST_FAKES_TRACED_PARTS_H

#include "asm/trace_window.h"
#include "asm/tsx_bodies.h"
#include "tests/host/fakes/traced_cpu.h"
#include "tests/silicon/instructions/operand.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/tsx/tsx.h"

#include <ucontext.h>

/* The processor between two instructions. */
struct traced_state {
    bool stepped;
    bool native; /* the instruction at `at` is being executed */
    struct instruction current;
    uint64_t at, next; /* of it; next is that of a WRMSR */
    const uint8_t *gates, *gdt;
    uint16_t gdt_bytes;
    uint64_t dr[8];
    bool if_set;      /* RFLAGS.IF */
    bool interrupted; /* an interrupt is to come */
    unsigned depth;   /* of the transaction */
    unsigned steps;   /* instructions of it */
    unsigned lines;   /* written in it, one after the other, the last: */
    uint64_t line;
    unsigned loads; /* of a line after that of the one before, the last: */
    uint64_t loaded;
    bool hle;
    enum elide elide; /* the hint of what is being executed, taken */
    bool elides;      /* at its begin: locks may be elided */
    unsigned locks;   /* elided ones that are held */
    unsigned cpl;     /* where its rings are loaded: */
    bool rings;
    const uint64_t *ring_gdt; /* the descriptors of these */
    bool is_32;               /* code of 32 bits, where it is one of UD2 */
    uint64_t at_rsp0;         /* what the stack of an exception begins with */
    uint64_t ptw;             /* the operand of a PTWRITE */
    bool elided; /* an elision has aborted: it is not tried again */
    uint64_t fallback;
    gregset_t begun; /* registers at its begin, and memory: */
    void *kept;
    size_t kept_bytes;
    uint8_t block[256], records[20480];
    uint8_t user_data[128]; /* of ring 3, where its lock is in the first line */
};
extern struct traced_state traced;
extern struct processor traced_processor;

#define TRACED_TF    0x100
#define REG(u, name) (*(uint64_t *)&(u)->uc_mcontext.gregs[name])

/* traced_model.c. Where records, and locks, are. */
uint8_t *traced_records(void);
struct pt_step traced_step(uint64_t ip, uint64_t next, uint32_t cycles);
void traced_output(void);
/* traced.current is complete. */
void traced_retired(uint64_t next);
/* The interrupt that is to come, before that address. */
void traced_interrupt(uint64_t back);

/* traced_play.c: the instruction at traced.at, in place of the host; false
 * where it is the host's. */
bool traced_play(ucontext_t *u);
/* A general register of its, by number, and what it accesses. */
uint64_t *traced_operand(ucontext_t *u, unsigned number);
unsigned traced_accesses(ucontext_t *u, struct data_access found[]);
/* Where the gate of that vector leads. */
uint64_t traced_handler(unsigned vector);
/* An exception or interrupt there. */
void traced_deliver(ucontext_t *u, unsigned vector, uint64_t back);

/* traced_tx.c: XBEGIN, XEND, XABORT or XTEST. */
void traced_tx_instruction(ucontext_t *u);
/* Inside: true where it aborts before this instruction. */
bool traced_tx_aborts(ucontext_t *u);
void traced_tx_abort(ucontext_t *u, enum tx_cause cause, uint32_t status);
/* It has been played, and has so many bytes. */
void traced_played(ucontext_t *u, unsigned length);
/* The host has executed it. */
void traced_done(ucontext_t *u);
/* A transaction of one instruction. */
void traced_committed(uint64_t ip);
/* A hint of it, before it is executed; after it. */
void traced_take_hint(ucontext_t *u);
void traced_hint_taken(ucontext_t *u);

/* traced_ring3.c. The page of ring 3's data; NULL where it is not there. */
uint8_t *traced_user_data(void);
/* IRETQ to that CS; an exception of an inner ring; false where
 * it is ring 0's, or the instruction the host's. */
void traced_enter_ring(uint64_t cs);
bool traced_leave_ring(ucontext_t *u, unsigned vector);
bool traced_play_ring(ucontext_t *u, const uint8_t *code);

/* traced_records.c: a record is due, of the instruction at that address, which
 * has been executed. */
void traced_record(ucontext_t *u, uint64_t at);

/* traced_rows.c: false where this window's body is to be executed. */
bool traced_rows(struct trace_window *window, int *vector);

/* traced_replay.c: what the instructions of a window were is kept, and told the
 * model again where the window is the same: a host may take long to step. */
void traced_keep_begin(const uint8_t *body, uint64_t argument, uint64_t count);
void traced_keep(uint64_t next); /* traced.current is complete */
void traced_keep_write(uint32_t msr, uint64_t value);
void traced_keep_not(void); /* not this window, after all */
void traced_keep_end(const void *after, size_t bytes, int result);
/* Another processor, by whose features code goes other ways. */
void traced_forget(void);
/* False where there is none like it. */
bool traced_replay(struct trace_window *window);
bool traced_replay_block(struct tsx_block *block, int *result);

#endif
