/* SPDX-License-Identifier: BSD-2-Clause */
/* outcomes.c - findings entered, packed and unpacked. */
#include "src/outcomes.h"

#include "src/report/verdict.h"

#define PACKED_VERDICT  0x0f
#define PACKED_OBSERVED 0x10
#define PACKED_VARY     0x20
#define PACKED_RESETS   0x40
_Static_assert(SUITE_TESTS_MAX <= RECORD_TESTS_MAX, "a byte for each test");
_Static_assert(VERDICT_ERROR <= PACKED_VERDICT, "fits its bits");

void outcomes_enter(struct outcomes *outcomes, const struct suite *suite,
                    unsigned n, const struct finding *found)
{
    unsigned i = n % suite->count;
    struct finding *kept = &outcomes->findings[i];

    if (n < suite->count) {
        *kept = *found;
        return;
    }
    outcomes->vary[i] |= kept->verdict != found->verdict;
    kept->verdict = verdict_merge(kept->verdict, found->verdict);
    kept->observed = kept->observed || found->observed;
}

void outcomes_pack(const struct outcomes *outcomes, const struct suite *suite,
                   uint8_t out[RECORD_TESTS_MAX])
{
    for (unsigned i = 0; i < suite->count; i++)
        out[i] = (uint8_t)(outcomes->findings[i].verdict |
                           PACKED_OBSERVED * outcomes->findings[i].observed |
                           PACKED_VARY * outcomes->vary[i] |
                           PACKED_RESETS * outcomes->resets[i]);
}

void outcomes_unpack(struct outcomes *outcomes, const struct suite *suite,
                     const uint8_t kept[RECORD_TESTS_MAX])
{
    for (unsigned i = 0; i < suite->count; i++) {
        outcomes->findings[i] = (struct finding){
            .test = suite->tests[i]->name,
            .verdict = (enum verdict)(kept[i] & PACKED_VERDICT),
            .observed = (kept[i] & PACKED_OBSERVED) != 0};
        outcomes->vary[i] = (kept[i] & PACKED_VARY) != 0;
        outcomes->resets[i] = (kept[i] & PACKED_RESETS) != 0;
    }
}
