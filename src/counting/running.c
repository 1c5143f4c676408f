/* SPDX-License-Identifier: BSD-2-Clause */
/* running.c - counters read while they count. */
#include "src/counting/running.h"

#include "src/base/names.h"

static void read_all(uint64_t places, uint64_t out[PLACES_END])
{
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0)
            (void)hw_pmc_read(
                p < PLACE_FIXED0 ? p : RDPMC_FIXED | (p - PLACE_FIXED0),
                &out[p]);
}

void running_work(uint64_t places, struct running *r)
{
    read_all(places, r->before);
    counting_work(NULL);
    read_all(places, r->after);
}

void running_check(struct test_context *t, uint64_t places,
                   const struct running *r)
{
    char name[MSR_NAME_BYTES];

    for (unsigned p = 0; p < PLACES_END; p++) {
        const uint64_t least = p <= PLACE_FIXED0 ? WORK_BRANCHES : 1;
        const uint64_t counted =
            (r->after[p] - r->before[p]) & bank_mask(test_cpu(t), p);

        if ((places >> p & 1) != 0)
            check(t, counted >= least,
                  "%s counted %lu over %u branches, some hundred cycles apart; "
                  "wanted %lu or more",
                  msr_name(bank_msr(p), name), counted, WORK_BRANCHES, least);
    }
}
