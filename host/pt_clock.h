/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_clock.h - the TSC at a place of a trace, as well as its packets say.
 *
 * SDM 3C, Intel Processor Trace, "Timing Packets": TSC gives it; TMA says what
 * CTC was then, and how far into a tick; MTC has eight bits of CTC, whose ticks
 * are CPUID.15H:EBX/EAX of the TSC's; CYC has core cycles, which CBR and the
 * nominal ratio turn into ticks, or better, how many came from one MTC to the
 * next. What is not given is not used.
 */
#ifndef HOST_PT_CLOCK_H
#define HOST_PT_CLOCK_H

#include "src/pt/packet.h"

struct pt_clock_config {
    unsigned mtc_freq; /* IA32_RTIT_CTL.MTCFreq */
    unsigned eax, ebx; /* CPUID.15H; 0: not known, no MTC is used */
    unsigned nominal;  /* MSR_PLATFORM_INFO[15:8]; 0: no CYC is used */
};

struct pt_clock {
    struct pt_clock_config config;
    struct pt_reader reader; /* fed with the blocks of the trace's reader */
    bool has_tsc, has_ctc;
    uint64_t tsc;       /* the estimate, without `cycles` */
    uint64_t ctc_tsc;   /* when CTC had the value of the TMA */
    uint64_t ctc_ticks; /* since then, up to `ctc` */
    uint64_t ctc;       /* of the last TMA or MTC */
    uint64_t ctc_bits;  /* that are known of it */
    uint64_t cycles;    /* of CYCs since then, in ticks << 16 */
    uint64_t count;     /* the same in cycles, */
    bool counts;        /* from an MTC on, at one frequency */
    uint64_t rate;      /* ticks << 16 of a cycle; 0: not known */
    unsigned cbr;
};

void pt_clock_open(struct pt_clock *clock,
                   const struct pt_clock_config *config);

/* Reads on to `offset`, at most to the end of the block. */
void pt_clock_read(struct pt_clock *clock, uint64_t offset);

/* False: no TSC packet has come. */
static inline bool pt_clock_tsc(const struct pt_clock *clock, uint64_t *tsc)
{
    *tsc = clock->tsc + (clock->cycles >> 16);
    return clock->has_tsc;
}

#endif
