/* SPDX-License-Identifier: BSD-2-Clause */
/* provoked.c - windows added up. */
#include "src/report/provoked.h"

bool provoked_text(const struct finding findings[], unsigned count,
                   char out[SUMMARY_LINE_BYTES])
{
    struct provoked_windows sum[PROVOKED_BESIDES] = {{0, 0}};

    for (unsigned i = 0; i < count; i++)
        for (unsigned b = 0; b < PROVOKED_BESIDES; b++) {
            sum[b].wrong += findings[i].windows[b].wrong;
            sum[b].of += findings[i].windows[b].of;
        }
    if (sum[BESIDE_TRANSACTIONS].of == 0)
        return false;
    text_format(
        out, SUMMARY_LINE_BYTES,
        "counter 3 was provoked: its registers or its count were not as they "
        "had to be in %lu of %lu windows beside transactions, without "
        "transactions in %lu of %lu",
        sum[BESIDE_TRANSACTIONS].wrong, sum[BESIDE_TRANSACTIONS].of,
        sum[BESIDE_NOTHING].wrong, sum[BESIDE_NOTHING].of);
    if (sum[BESIDE_FORCED].of != 0)
        text_append(out, SUMMARY_LINE_BYTES,
                    ", with RTM_FORCE_ABORT = 1 in %lu of %lu",
                    sum[BESIDE_FORCED].wrong, sum[BESIDE_FORCED].of);
    return true;
}
