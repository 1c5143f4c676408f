/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * choices.h - what the manual leaves to the implementation, drawn from the
 * seed so that no test relies on it. The same seed gives the same processor.
 */
#ifndef SILICON_MODEL_CHOICES_H
#define SILICON_MODEL_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* A stream of its own for each seed, processor and topic. */
void random_start(struct random *r, uint64_t seed, unsigned processor,
                  unsigned topic);
uint64_t random_next(struct random *r);

/* True about once in n calls; never for n = 0. */
bool random_one_in(struct random *r, uint64_t n);

/* What a forced abort lets happen first. */
enum forced_abort_point {
    FORCED_ABORT_AT_XBEGIN,
    FORCED_ABORT_IN_BODY, /* after body_steps instructions */
    FORCED_ABORT_AT_XEND,
};

/* What XBEGIN does while software has hidden RTM (white paper, Table 2.2-1). */
enum hidden_rtm {
    HIDDEN_RTM_AS_VISIBLE,
    HIDDEN_RTM_ABORTS,
    HIDDEN_RTM_UD,
};

struct choices {
    enum forced_abort_point forced_abort;
    unsigned body_steps;
    enum hidden_rtm hidden_rtm;
    bool closing_write_counts;     /* the WRMSR that closes a window */
    bool rdpmc_fast;               /* ECX[31] of RDPMC; else #GP */
    bool any_refused;              /* AnyThread, where it is no more: #GP */
    bool xbegin_in_tx;             /* XBEGIN itself has IN_TX */
    uint32_t tx_may;               /* 1 << enum instruction_tx: these abort */
    uint32_t spontaneous_one_in;   /* aborts without a cause; 0 = never */
    uint32_t sdv_abort_one_in;     /* the same in SDV mode */
    uint32_t conflict_only_one_in; /* conflicts without the retry bit */
    bool nest_overflows;           /* nesting too deep sets EAX[3] */
    bool pebs_imprecise;     /* events not listed as precise are recorded */
    bool pebs_skip_sets_62;  /* so does a record that does not fit */
    bool pebs_abort_garbles; /* what is not valid in an abort's record */
    bool pdir_next;          /* PDIR++ names the instruction after it */
    bool pdist_short;        /* PDist with a period of less than 128 */
    bool snoop_not_needed;   /* off-core: said so, instead of "none" */
    uint8_t pebs_skid;       /* of INST_RETIRED, without PDIR, 1 and more */
    uint8_t pdir_skid;       /* of PDIR beside other counters, 0 and more */
    uint32_t pebs_residual_one_in; /* after a wrong stop order */
    uint32_t loads_tagged_one_in;  /* by the load latency facility */
    uint8_t source_dram;           /* how a record names local memory */
    bool data_hit_of_loads;        /* bit 0 where it is not valid */
    bool pt_begin_of_doomed;       /* MODE.TSX of an XBEGIN that only aborts */
    bool pt_tx_before_fup;         /* the order of both in PSB+ */
    bool pt_fup_at_start;          /* FUP in the PSB+ of TraceEn: BDM70 */
    uint32_t pt_pad_one_in;        /* packets after a PAD; 0 = never */
    uint32_t pt_overflow_one_in;   /* times packets are lost; 0 = never */
    bool pt_fup_before_pgd;        /* of an abort that leaves the filter */
    bool pt_exec_again;            /* MODE.Exec before each TIP.PGE */
    uint8_t pt_ip_forms;           /* of IP compression, a bit for each code */
    bool pt_long_tnt;              /* up to 47 results in one packet */
    bool pt_ret_pgd_has_ip;        /* of a RET that would be compressed */
    bool pt_stop_pgd_has_ip;       /* TIP.PGD in front of TraceStop */
    bool pt_enables_stay;          /* STATUS[1:0] when tracing has ended */
    bool lbr_level_of_target;      /* that of a branch is where it goes */
    bool lbr_abort_in_tsx;         /* IN_TSX of the record of an abort */
    bool lbr_abort_is_far;         /* FAR_BRANCH leaves it out */
    /* Architectural ones. */
    bool lbr_first_cycles;    /* CYC_CNT_VALID of the first record */
    bool lbr_address_refused; /* that is not canonical: #GP */
    uint8_t pt_int_early;     /* one ToPA entry: INT, in units of 64 bytes */
    bool rtm_locked;          /* MCU_OPT_CTRL[2], regime F */
    uint32_t errata_one_in;   /* of the times that an erratum can show */
    /* The cycle model: cycles of an instruction by what it does. */
    uint8_t cycles_other, cycles_branch, cycles_slow, cycles_abort;
    /* Core cycles and reference cycles run as ref_up : ref_down. */
    uint8_t ref_up, ref_down;
    /* Regime B: how counter 3 goes wrong, a set of GARBLE_*. */
    uint32_t garble;
    uint32_t garble_one_in;
};

/* Regime B: what disturbs counter 3. "Especially in the presence of RTM
 * transactions" leaves open which. */
enum disturbance {
    DISTURB_ANY,         /* each transaction may */
    DISTURB_SPECULATIVE, /* an XBEGIN on a path that was predicted alone */
    DISTURB_SIBLING,     /* one of the other thread of the core */
    DISTURB_OVERFLOW,    /* one begun where the counter is about to overflow */
    DISTURB_LONG,        /* one of many lines or instructions */
    DISTURB_ABORTS,      /* one that aborts */
};

/* White paper 604224, section 1.2: what "may contain unexpected values". */
#define GARBLE_COUNT_JUMPS  0x01u
#define GARBLE_COUNT_LOSES  0x02u
#define GARBLE_COUNT_STANDS 0x04u
#define GARBLE_EVTSEL       0x08u
#define GARBLE_FINGERPRINT  0x10u /* 53003CH becomes 1_0043_003CH */
#define GARBLE_GLOBAL_CTRL  0x20u
#define GARBLE_INUSE        0x40u

void choices_draw(struct choices *choices, uint64_t seed, unsigned processor);

/* The same of a processor as sold: loads that are tagged seldom, skids,
 * aborts without a cause. */
void choices_draw_as_sold(struct choices *choices, uint64_t seed);

/* Core cycles of an instruction with these INSTRUCTION_*, but for its memory.
 */
uint32_t choices_cycles(const struct choices *choices, uint32_t flags);

#endif
