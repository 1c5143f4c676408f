/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt.h - Intel Processor Trace: the IA32_RTIT_* registers, the packets that
 * executed instructions make, and where their bytes go.
 *
 * SDM volume 3C, chapter "Intel Processor Trace"; what a processor has of it is
 * its CPUID leaf 14H.
 */
#ifndef SILICON_MODEL_PT_PT_H
#define SILICON_MODEL_PT_PT_H

#include "tests/silicon/model/bits.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/pt/pt_rules.h"
#include "tests/silicon/model/pt/pt_values.h"

#define IA32_RTIT_OUTPUT_BASE      0x560u
#define IA32_RTIT_OUTPUT_MASK_PTRS 0x561u
#define IA32_RTIT_CTL              0x570u
#define IA32_RTIT_STATUS           0x571u
#define IA32_RTIT_CR3_MATCH        0x572u
#define IA32_RTIT_ADDR0_A          0x580u

/* Table "IA32_RTIT_CTL MSR". */
#define RTIT_TRACE_EN   BIT(0)
#define RTIT_CYC_EN     BIT(1)
#define RTIT_OS         BIT(2)
#define RTIT_USER       BIT(3)
#define RTIT_FUP_ON_PTW BIT(5)
#define RTIT_CR3_FILTER BIT(7)
#define RTIT_TOPA       BIT(8)
#define RTIT_MTC_EN     BIT(9)
#define RTIT_TSC_EN     BIT(10)
#define RTIT_DIS_RETC   BIT(11)
#define RTIT_PTW_EN     BIT(12)
#define RTIT_BRANCH_EN  BIT(13)
#define RTIT_MTC_FREQ   BITS(17, 14)
#define RTIT_CYC_THRESH BITS(22, 19)
#define RTIT_PSB_FREQ   BITS(27, 24)
#define RTIT_EVENT_EN   BIT(31)
#define RTIT_DIS_TNT    BIT(55)
#define RTIT_INJECT     BIT(56) /* InjectPsbPmiOnEnable */

/* Table "IA32_RTIT_STATUS MSR"; the rest of it is PacketByteCnt. */
#define RTIT_FILTER_EN  BIT(0)
#define RTIT_CONTEXT_EN BIT(1)
#define RTIT_TRIGGER_EN BIT(2)
#define RTIT_ERROR      BIT(4)
#define RTIT_STOPPED    BIT(5)
#define RTIT_PENDING    BITS(7, 6) /* PendPSB, PendTopaPMI */

/* The processor around an instruction. */
struct pt_step {
    uint64_t ip;   /* CurrentIP: of the instruction or event */
    uint64_t next; /* where execution goes on */
    uint64_t cr3;  /* after it, as all below */
    uint64_t tsc;
    unsigned cpl;
    bool cs_l, cs_d;
    uint32_t cycles; /* it took */
    bool interrupts; /* RFLAGS.IF */
    uint8_t vector;  /* of an event */
    uint64_t cr2;    /* of a page fault */
    bool from_user;  /* an event of ring 3 */
    bool external;   /* it is an interrupt */
    uint64_t ptw;    /* the operand of PTWRITE */
    bool nested;     /* an abort of a transaction in another */
};

/* pt_msr.c: is it one of these registers, on this processor or not? */
bool pt_is_msr(uint32_t number);
/* False: #GP. A write that changes TraceEn is to be followed by pt_started or
 * pt_stopped. */
bool pt_read(const struct processor *p, uint32_t number, uint64_t *value);
bool pt_write(struct processor *p, uint32_t number, uint64_t value);

/* A row of CPUID leaf 14H; all 0 where there is none. */
struct cpuid_row pt_leaf(const struct processor *p, uint32_t subleaf);
#define PT_EBX_CR3          BIT(0)
#define PT_EBX_CONFIGURABLE BIT(1) /* PSB frequency and CYC */
#define PT_EBX_IP_FILTER    BIT(2)
#define PT_EBX_MTC          BIT(3)
#define PT_EBX_PTWRITE      BIT(4)
#define PT_EBX_PRESERVE     BIT(6) /* PSB and PMI */
#define PT_EBX_EVENT        BIT(7)
#define PT_EBX_DIS_TNT      BIT(8)
#define PT_ECX_TOPA         BIT(0)
#define PT_ECX_ENTRIES      BIT(1) /* of ToPA: more than one */
#define PT_ECX_SINGLE_RANGE BIT(2)

/* TriggerEn. */
static inline bool pt_tracing(const struct processor *p)
{
    return (p->pt.ctl & RTIT_TRACE_EN) != 0 &&
           (p->pt.status & (RTIT_ERROR | RTIT_STOPPED) &
            ~p->faults.pt_status_ignored) == 0;
}

/* Does a trace begin or end by a write of that MSR? was: TraceEn before it. */
bool pt_is_switched(const struct processor *p, bool was, uint32_t number);

/*
 * pt.c, pt_start.c: what has happened. WRMSR has set or cleared TraceEn; an
 * instruction is complete; an interrupt or exception met at `ip` has entered
 * its handler at `next`. Each of them leaves bytes in pt.buffer, for pt_output.
 */
void pt_started(struct processor *p, const struct pt_step *now);
void pt_stopped(struct processor *p, const struct pt_step *now);
void pt_retired(struct processor *p, const struct instruction *i,
                const struct pt_step *now);
void pt_event(struct processor *p, const struct pt_step *now);

/* After pt_retired and the transactions: the packets may be lost, as the seed
 * has it. */
void pt_overflow(struct processor *p, const struct pt_step *now);

/* pt_tsx.c: an outermost transaction begins, commits, or aborts to `next`.
 * doomed: it aborts at its XBEGIN. False: then the trace shows it only where
 * it aborts. */
bool pt_tx_begin(struct processor *p, const struct pt_step *now, bool doomed);
void pt_tx_commit(struct processor *p, const struct pt_step *now);
void pt_tx_abort(struct processor *p, const struct pt_step *now);
/* One more level, or one less, which is no change of status. */
void pt_tx_nested(struct processor *p, const struct pt_step *now);

/* The guest's physical memory. Words outside of it read 0, stores there are
 * lost. */
struct pt_memory {
    uint64_t (*read)(uint64_t address);
    void (*write)(uint64_t address, const uint8_t *bytes, unsigned count);
};

/* pt_output.c: moves pt.buffer to memory. TraceEn has been set: checks first
 * where output would go. */
void pt_output(struct processor *p, const struct pt_memory *memory);

/* Between the files of PT. pt_packet.c: bytes of packets, not yet ordered by
 * anyone. An IP is suppressed if NULL. */
enum pt_ip_packet {
    PT_TIP = 0x0D,
    PT_TIP_PGE = 0x11,
    PT_TIP_PGD = 0x01,
    PT_FUP = 0x1D,
};
/* The same of others, for PT_UNASKED. */
enum { PT_KIND_TNT_8 = 0x20, PT_KIND_TNT_64, PT_KIND_MODE_EXEC };
void pt_put_bytes(struct processor *p, const uint8_t *bytes, unsigned count);
void pt_put_ip(struct processor *p, enum pt_ip_packet op, const uint64_t *ip);
/* Where the rule does not hold, as if but its low 16 bits were another. */
void pt_put_whole_ip(struct processor *p, enum pt_ip_packet op,
                     const uint64_t *ip, enum pt_rule rule);
void pt_put_tnt(struct processor *p, bool taken);
void pt_flush_tnt(struct processor *p);
/* Lost where the rule does not hold. */
void pt_flush_tnt_if(struct processor *p, enum pt_rule rule);
/* In front of packets that may be timed: CYC, if it is enabled and due. */
void pt_put_cyc(struct processor *p);
void pt_put_mtc(struct processor *p, const struct pt_step *now);
void pt_start_mtc(struct processor *p, const struct pt_step *now);
/* TSC, TMA and CBR, as far as they are enabled. */
void pt_put_time(struct processor *p, const struct pt_step *now);
/* The same where clocks have stopped. */
void pt_put_time_again(struct processor *p, const struct pt_step *now);
void pt_put_pip(struct processor *p, uint64_t cr3);
#define PT_EXEC_NONE 0xFF
uint8_t pt_exec_mode(const struct processor *p, const struct pt_step *now);
/* pt_events.c: PTW and FUP of PTWRITE, where they are enabled. */
void pt_put_ptwrite(struct processor *p, const struct instruction *i,
                    const struct pt_step *now);
/* pt_events.c, with EventEn: CFE and FUP of an interrupt or exception, or of
 * IRET; MODE.Exec where no branch has changed RFLAGS.IF. */
void pt_put_cfe_of_event(struct processor *p, const struct pt_step *now);
void pt_put_cfe_of_iret(struct processor *p, const struct pt_step *now);
void pt_put_new_if(struct processor *p, const struct pt_step *now);
void pt_put_cfe(struct processor *p, uint8_t type, uint8_t vector);
void pt_put_evd(struct processor *p, uint64_t value);
void pt_put_ptw(struct processor *p, uint64_t value, unsigned bytes,
                bool with_ip);
static inline bool pt_event_en(const struct processor *p)
{
    return (p->pt.ctl_active & RTIT_EVENT_EN) != 0;
}
void pt_put_mode_exec(struct processor *p, const struct pt_step *now);
/* pt_modes.c: the same, where the mode is not what it was said to be. */
void pt_put_new_mode(struct processor *p, const struct pt_step *now);
enum pt_tx_mode { PT_TX_NONE = 0x20, PT_TX_IN = 0x21, PT_TX_ABORT = 0x22 };
void pt_put_mode_tsx(struct processor *p, enum pt_tx_mode mode);
void pt_put_trace_stop(struct processor *p);
void pt_put_ovf(struct processor *p);
/* pt_psb.c: PSB, the packets that belong to it, PSBEND. at_start: of TraceEn.
 */
void pt_put_psb(struct processor *p, const struct pt_step *now, bool at_start);
/* pt.c: is one due? */
bool pt_psb_is_due(const struct processor *p);

/* pt_filter.c: brings ContextEn, FilterEn and PacketEn up to date with where
 * execution goes. lands: by a taken branch or an event, which alone "may" be
 * seen to enter a range or leave it. */
void pt_update_enables(struct processor *p, const struct pt_step *now,
                       bool lands);
/* The same where TraceEn is set. */
void pt_start_enables(struct processor *p, const struct pt_step *now);
/* Is one of them in ADDR0, the other not? */
bool pt_between_ranges(const struct processor *p, uint64_t from, uint64_t to);
bool pt_in_stop_range(const struct processor *p, uint64_t ip);

/* "TraceStop". lands: a taken branch, an event, WRMSR that sets
 * TraceEn, MOV to CR3. True: PacketEn = 0, and pt_stop is to follow the packets
 * of the instruction. */
bool pt_enters_stop(struct processor *p, const struct pt_step *now, bool lands);
void pt_stop(struct processor *p);

/* pt_returns.c: a near CALL is remembered; does a near RET go where it came
 * from, and may it be compressed? The CALL is forgotten. */
void pt_push_return(struct processor *p, const struct instruction *i,
                    const struct pt_step *now);
bool pt_returns_as_called(struct processor *p, const struct instruction *i,
                          const struct pt_step *now);
bool pt_is_near_return(const struct instruction *i);
/* What is executed with PacketEn = 0: it is not. */
void pt_pass_by(struct processor *p, const struct instruction *i,
                const struct pt_step *now);

/* pt.c: BranchEn. */
bool pt_branch_en(const struct processor *p);
/* pt.c: time that the instruction took. */
void pt_pass_time(struct processor *p, const struct pt_step *now);
/* PacketEn has changed on the way there. An IP that is out of context is
 * suppressed. */
void pt_packet_en_set(struct processor *p, const struct pt_step *now);
void pt_packet_en_cleared(struct processor *p, const uint64_t *ip);

#endif
