/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs.h - processor event based sampling: which counter arms, which event
 * makes a record, what the record holds, and what it does to the DS area.
 *
 * SDM volume 3B, chapter "Performance Monitoring", topics "Processor Event
 * Based Sampling (PEBS)" of each generation, "Intel TSX and PEBS Support"; and
 * "BTS and DS Save Area". A counter with PEBS enabled arms when it overflows;
 * its next event makes the record, of the state after that instruction; of
 * INST_RETIRED, a later one may. PDIR, "Precise Distribution of Instructions
 * Retired (PDIR)", makes it of the very instruction that overflows the counter.
 */
#ifndef SILICON_MODEL_PEBS_PEBS_H
#define SILICON_MODEL_PEBS_PEBS_H

#include "tests/silicon/model/machine.h"

#define IA32_PEBS_ENABLE 0x3F1u
#define IA32_DS_AREA     0x600u

#define PEBS_COUNTERS 4 /* before adaptive records */
/* Resets of the largest area: 32 general-purpose counters, 16 fixed ones. */
#define PEBS_RESETS 48

/* PDIR "must use IA32_PMC1" and INST_RETIRED.ALL, which later tables of events
 * call PREC_DIST. */
#define EVENT_PREC_DIST   0x01C0u
#define COUNTER_PREC_DIST 1

/* The PEBS fields of the DS buffer management area in its 64-bit format, from
 * PEBS_DS_OFFSET on. */
#define PEBS_DS_OFFSET 0x20
struct pebs_ds {
    uint64_t base, index, maximum, threshold;
    uint64_t reset[PEBS_RESETS]; /* of them those of pebs_ds_bytes() */
};

/* The state after the instruction, in the order of a record; 00H-8FH. */
/* clang-format off */
enum pebs_register {
    PEBS_RFLAGS, PEBS_RIP, PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX, PEBS_RSI,
    PEBS_RDI, PEBS_RBP, PEBS_RSP, PEBS_R8, PEBS_R9, PEBS_R10, PEBS_R11,
    PEBS_R12, PEBS_R13, PEBS_R14, PEBS_R15, PEBS_REGISTERS
};
/* clang-format on */

struct pebs_snapshot {
    uint64_t registers[PEBS_REGISTERS];
    uint64_t eventing_ip;
    uint64_t before; /* the address of the instruction before that */
    bool not_taken;  /* that is a conditional branch, not taken */
    uint64_t tsc;
    uint64_t xmm[2 * 16]; /* low half first; for adaptive records */
};

/* Byte offsets of a record after the registers, as words. */
#define WORD_STATUS      (0x90 / 8) /* format 3: applicable counter */
#define WORD_ADDRESS     (0x98 / 8) /* from format 1 on, these three */
#define WORD_SOURCE      (0xA0 / 8)
#define WORD_LATENCY     (0xA8 / 8)
#define WORD_EVENTING_IP (0xB0 / 8) /* from format 2 on */
#define WORD_TX_ABORT    (0xB8 / 8)
#define WORD_TSC         (0xC0 / 8) /* from format 3 on */

#define PEBS_WORDS_FIXED (0xC8 / 8)

/* MSR_PEBS_DATA_CFG: what an adaptive record has besides its basic group. SDM
 * 3B, "Adaptive PEBS"; the numbers as in Linux, perf_event.h, too. */
#define MSR_PEBS_DATA_CFG   0x3F2u
#define DATA_CFG_MEMORY     BIT(0)
#define DATA_CFG_GPRS       BIT(1)
#define DATA_CFG_XMM        BIT(2)
#define DATA_CFG_LBRS       BIT(3)
#define DATA_CFG_ENTRIES(x) (((x) >> 24 & 0xFF) + 1)

/* Counters snapshotting, of format 6: Linux, perf_event.h, PEBS_DATACFG_CNTR
 * and what follows it, and the patch "Support PEBS counters snapshotting";
 * nothing else is at hand. */
#define DATA_CFG_COUNTERS   BIT(4)
#define DATA_CFG_METRICS    BIT(5)
#define DATA_CFG_GENERAL(x) ((x) >> 32 & 0xFFFF)
#define DATA_CFG_FIXED(x)   ((x) >> 48 & 0xFF)

/* Words of the groups, in their order; of an entry of the last one. */
#define BASIC_WORDS  4
#define MEMORY_WORDS 4
#define XMM_WORDS    32
#define LBR_WORDS    3
/* Its header, every counter, slots and metrics. */
#define COUNTER_WORDS (2 + COUNTERS_MAX + FIXED_MAX + 2)

#define PEBS_WORDS_MAX                                         \
    (BASIC_WORDS + MEMORY_WORDS + PEBS_REGISTERS + XMM_WORDS + \
     LBR_WORDS * LBR_DEPTH_MAX + COUNTER_WORDS)
struct pebs_record {
    uint64_t words[PEBS_WORDS_MAX];
    unsigned bytes; /* of the processor's format */
    uint64_t at;    /* linear */
};

/* pebs_area.c. IA32_PERF_CAPABILITIES[14], PEBS_BASELINE: records are adaptive,
 * and PEBS is extended to all counters and events. SDM 3B, "Extended PEBS". */
bool pebs_is_adaptive(const struct processor *p);
/* The counters that can have PEBS; those that have it enabled. */
uint64_t pebs_counters(const struct processor *p);
uint64_t pebs_enabled(const struct processor *p);
/* How much of struct pebs_ds there is in memory. */
unsigned pebs_ds_bytes(const struct processor *p);
/* Which of its resets is that of the counter at this place. */
unsigned pebs_reset_at(const struct processor *p, unsigned place);

/* These counters were armed when they, or PEBS of them, were disabled. */
void pebs_disabled(struct processor *p, uint64_t counters);

/* WRMSR of IA32_PEBS_ENABLE; the value has no reserved bit. */
void pebs_write_enable(struct processor *p, uint64_t value);

/* Would an overflow of counter n, as it is selected, lead to a record? */
bool pebs_makes_record(const struct processor *p, unsigned n);

/* Counter n has overflowed; interrupt: EVTSEL.INT is set. */
void pebs_arm(struct processor *p, unsigned n, bool interrupt);
/* Counter n, which is armed, has counted again. */
void pebs_counted(struct processor *p, unsigned n);
void pebs_disarm(struct processor *p, uint64_t counters);

/* While pebs.residual_in is not 0: one more instruction has been executed. */
void pebs_residual_step(struct processor *p);

/* Where the DS area of the record to be made is. */
uint64_t pebs_ds_area(const struct processor *p);

/*
 * To be called once pebs.triggered is not 0, outside transactions. ds: read
 * from the DS area; NULL: not all of it is there. True: *record is to be
 * written to memory, then *ds back. Counters, GLOBAL_STATUS and the wish for
 * an interrupt are updated in either case.
 */
bool pebs_make_record(struct processor *p, const struct pebs_snapshot *s,
                      struct pebs_ds *ds, struct pebs_record *record);

/* pebs_record.c: IA32_PERF_CAPABILITIES[11:8]; a record of these counters. */
unsigned pebs_format(const struct processor *p);
void pebs_fill_record(struct processor *p, const struct pebs_snapshot *s,
                      uint64_t counters, struct pebs_record *record);

/* pebs_adaptive.c: makes an adaptive record of these counters of one in format
 * 3. */
void pebs_adapt_record(struct processor *p, const struct pebs_snapshot *s,
                       uint64_t counters, struct pebs_record *record);

#endif
