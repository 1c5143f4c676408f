/* SPDX-License-Identifier: BSD-2-Clause */
/* outcomes.c - findings entered, packed and unpacked. */
#include "src/session/outcomes.h"

#include "src/harness/verdict.h"

#define PACKED_VERDICT  0x0f
#define PACKED_OBSERVED 0x10
#define PACKED_VARY     0x20
#define PACKED_RESETS   0x40
_Static_assert(SUITE_SLOTS_MAX <= CHECKPOINT_FINDINGS_MAX,
               "a byte for each slot");
_Static_assert(VERDICT_ERROR <= PACKED_VERDICT, "fits its bits");

void outcomes_enter(struct outcomes *outcomes, const struct suite *suite,
                    unsigned n, const struct finding *found)
{
    unsigned i = suite_slot(suite, n);
    struct finding *stored = &outcomes->findings[i];

    if (suite_round(suite, n) == 0) {
        *stored = *found;
        return;
    }
    outcomes->vary[i] |= stored->verdict != found->verdict;
    stored->verdict = verdict_merge(stored->verdict, found->verdict);
    stored->observed = stored->observed || found->observed;
    for (unsigned b = 0; b < PROVOKED_BESIDES; b++) {
        stored->windows[b].wrong += found->windows[b].wrong;
        stored->windows[b].of += found->windows[b].of;
    }
}

void outcomes_pack(const struct outcomes *outcomes, const struct suite *suite,
                   uint8_t out[CHECKPOINT_FINDINGS_MAX])
{
    for (unsigned i = 0; i < suite_slots(suite); i++)
        out[i] = (uint8_t)(outcomes->findings[i].verdict |
                           PACKED_OBSERVED * outcomes->findings[i].observed |
                           PACKED_VARY * outcomes->vary[i] |
                           PACKED_RESETS * outcomes->resets[i]);
}

void outcomes_unpack(struct outcomes *outcomes, const struct suite *suite,
                     const uint8_t stored[CHECKPOINT_FINDINGS_MAX])
{
    for (unsigned i = 0; i < suite_slots(suite); i++) {
        outcomes->findings[i] = (struct finding){
            .test = suite_slot_test(suite, i)->name,
            .verdict = (enum verdict)(stored[i] & PACKED_VERDICT),
            .observed = (stored[i] & PACKED_OBSERVED) != 0};
        outcomes->vary[i] = (stored[i] & PACKED_VARY) != 0;
        outcomes->resets[i] = (stored[i] & PACKED_RESETS) != 0;
    }
}
