/* SPDX-License-Identifier: BSD-2-Clause */
/* choices.c - draws what the manual leaves to the implementation. */
#include "tests/silicon/model/choices.h"

#include "tests/silicon/instructions/instruction.h"

/* LOOP is several micro-operations. */
#define LOOP_CYCLES_MORE 4

enum topic {
    TOPIC_COMMON, /* the same on every processor of a machine */
    TOPIC_PROCESSOR,
    TOPIC_COUNTERS, /* as TOPIC_COMMON */
    TOPIC_ERRATA,   /* the same */
};

/* The mixing function of SplitMix64: every state gives a good output. */
uint64_t random_next(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void random_start(struct random *r, uint64_t seed, unsigned processor,
                  unsigned topic)
{
    r->state = seed;
    r->state = random_next(r) + processor;
    r->state = random_next(r) + topic;
    random_next(r);
}

bool random_one_in(struct random *r, uint64_t n)
{
    return n != 0 && random_next(r) % n == 0;
}

static uint64_t pick(struct random *r, uint64_t choices)
{
    return random_next(r) % choices;
}

/* Of what most implementations do not do: it is there in one of four. */
static uint32_t rarely(struct random *r, uint32_t bits)
{
    return pick(r, 4) != 0 ? bits : 0;
}

/* What one stepping of one product does the same way on all its cores. */
static void draw_common(struct choices *choices, struct random *r)
{
    static const uint32_t overflow[] = {0, 0, 0, 2000};
    /* "Unknown L3 cache miss", local DRAM to shared, to exclusive state. */
    static const uint8_t dram[] = {0x00, 0x0A, 0x0C};
    /* IPBytes of 1, 2 and 4 are optional: "may choose to employ". */
    static const uint8_t ip_forms[] = {0x00, 0x02, 0x06, 0x06, 0x10, 0x16};

    choices->forced_abort = (enum forced_abort_point)pick(r, 3);
    choices->body_steps = 1 + (unsigned)pick(r, 6);
    choices->hidden_rtm = (enum hidden_rtm)pick(r, 3);
    choices->xbegin_in_tx = pick(r, 2) != 0;
    choices->closing_write_counts = pick(r, 2) != 0;
    choices->rtm_locked = pick(r, 4) == 0;
    choices->cycles_other = (uint8_t)(1 + pick(r, 2));
    choices->cycles_branch = (uint8_t)(1 + pick(r, 3));
    choices->cycles_slow = (uint8_t)(40 + pick(r, 60));
    choices->cycles_abort = (uint8_t)(100 + pick(r, 100));
    choices->ref_down = (uint8_t)(10 + pick(r, 6));
    choices->ref_up = (uint8_t)(8 + pick(r, 8));
    choices->tx_may = (uint32_t)random_next(r);
    choices->nest_overflows = pick(r, 2) != 0;
    choices->pebs_imprecise = pick(r, 2) != 0;
    choices->pebs_skip_sets_62 = pick(r, 2) != 0;
    choices->pebs_residual_one_in = (uint32_t)pick(r, 3); /* 0: never */
    choices->pebs_abort_garbles = pick(r, 2) != 0;
    choices->pt_begin_of_doomed = pick(r, 2) != 0;
    choices->pt_tx_before_fup = pick(r, 2) != 0;
    choices->pt_fup_at_start = pick(r, 2) != 0;
    choices->pt_pad_one_in = (uint32_t)pick(r, 4);
    choices->pt_fup_before_pgd = pick(r, 2) != 0;
    choices->pt_int_early = (uint8_t)(1 + pick(r, 24));
    choices->pt_overflow_one_in = overflow[pick(r, 4)];
    choices->loads_tagged_one_in = (uint32_t)(2 + pick(r, 3));
    choices->source_dram = dram[pick(r, 3)];
    choices->data_hit_of_loads = pick(r, 2) != 0;
    choices->pebs_skid = (uint8_t)(1 + pick(r, 4));
    choices->pdir_skid = (uint8_t)pick(r, 4);
    choices->snoop_not_needed = pick(r, 2) != 0;
    choices->pt_exec_again = pick(r, 2) != 0;
    choices->pt_ip_forms = ip_forms[pick(r, 6)];
    choices->pt_long_tnt = pick(r, 4) == 0;
    choices->pt_ret_pgd_has_ip = pick(r, 2) != 0;
    choices->pt_stop_pgd_has_ip = pick(r, 2) != 0;
    choices->pt_enables_stay = pick(r, 2) != 0;
    choices->lbr_level_of_target = pick(r, 2) != 0;
    choices->lbr_abort_in_tsx = pick(r, 2) != 0;
    choices->lbr_abort_is_far = pick(r, 2) != 0;
    choices->tx_may &= ~rarely(r, 1u << TX_MAY_X87);
    choices->tx_may &= ~rarely(r, 1u << TX_MAY_STD | 1u << TX_MAY_CLD);
}

static void draw_counters(struct choices *choices, struct random *r)
{
    choices->rdpmc_fast = pick(r, 2) != 0;
    choices->any_refused = pick(r, 2) != 0;
    choices->lbr_first_cycles = pick(r, 2) != 0;
    choices->lbr_address_refused = pick(r, 2) != 0;
    choices->pdir_next = pick(r, 2) != 0;
    choices->pdist_short = pick(r, 2) != 0;
}

void choices_draw(struct choices *choices, uint64_t seed, unsigned processor)
{
    static const uint32_t spontaneous[] = {0, 0, 1024, 256};
    static const uint32_t sdv[] = {0, 2, 8, 64, 512};
    static const uint32_t conflict_only[] = {0, 2, 8, 64};
    static const uint32_t mildness[] = {1, 2, 4, 16, 200};
    static const uint32_t errata[] = {1, 2, 8, 32};
    struct random r;

    random_start(&r, seed, 0, TOPIC_COMMON);
    draw_common(choices, &r);
    random_start(&r, seed, 0, TOPIC_COUNTERS);
    draw_counters(choices, &r);
    random_start(&r, seed, processor, TOPIC_PROCESSOR);
    choices->spontaneous_one_in = spontaneous[pick(&r, 4)];
    choices->sdv_abort_one_in = sdv[pick(&r, 5)];
    choices->conflict_only_one_in = conflict_only[pick(&r, 4)];
    choices->garble = (uint32_t)pick(&r, 0x80);
    choices->garble_one_in = mildness[pick(&r, 5)];
    random_start(&r, seed, 0, TOPIC_ERRATA);
    choices->errata_one_in = errata[pick(&r, 4)];
}

void choices_draw_as_sold(struct choices *choices, uint64_t seed)
{
    struct random r;

    random_start(&r, ~seed, 0, TOPIC_ERRATA);
    choices->loads_tagged_one_in = 8 + (uint32_t)pick(&r, 32);
    choices->pebs_skid = (uint8_t)(2 + pick(&r, 7));
    choices->spontaneous_one_in = 128 << pick(&r, 4);
}

uint32_t choices_cycles(const struct choices *choices, uint32_t flags)
{
    if ((flags & INSTRUCTION_SLOW) != 0)
        return choices->cycles_slow;
    if ((flags & INSTRUCTION_LOOP) != 0)
        return choices->cycles_branch + LOOP_CYCLES_MORE;
    if ((flags & INSTRUCTION_BRANCHES) != 0)
        return choices->cycles_branch;
    return choices->cycles_other;
}
