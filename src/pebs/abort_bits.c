/* SPDX-License-Identifier: BSD-2-Clause */
/* abort_bits.c - counts the bits of TX Abort Information. */
#include "src/pebs/abort_bits.h"

#include "src/tsx/status.h"

#define LOWEST         32
#define BITS_OF_ABORTS 8
#define KINDS          (TX_ABORT_INSTRUCTION_ABORT | TX_ABORT_NON_INSTRUCTION_ABORT)

static const char *const names[BITS_OF_ABORTS] = {
    "HLE_Abort", "RTM_Abort",     "Instruction_Abort", "Non_Instruction_Abort",
    "Retry",     "Data_Conflict", "Capacity Writes",   "Capacity Reads"};

void abort_bits_add(struct abort_bits *bits, const struct pebs_record *record,
                    uint32_t eax)
{
    const unsigned may_retry = (eax & RTM_STATUS_RETRY) != 0;

    bits->records++;
    for (unsigned n = 0; n < BITS_OF_ABORTS; n++)
        bits->set[n] += (record->tx_abort >> (LOWEST + n) & 1) != 0;
    bits->neither += (record->tx_abort & KINDS) == 0;
    bits->by_retry[may_retry]++;
    bits->retry[may_retry] += (record->tx_abort & TX_ABORT_RETRY) != 0;
}

unsigned abort_bits_set(const struct abort_bits *bits, uint64_t bit)
{
    unsigned n = 0;

    while (n < BITS_OF_ABORTS - 1 && bit != BIT(LOWEST + n))
        n++;
    return bits->set[n];
}

/* Is an abort by something else now and then too little to explain it? So many
 * of so few records may be of such: three quarters are not. */
static bool is_wrong(unsigned wrong, unsigned records)
{
    return wrong != 0 && 4 * wrong >= 3 * records;
}

void abort_bits_check(struct test_context *t, const struct abort_bits *bits,
                      uint64_t set, uint64_t clear)
{
    for (unsigned n = 0; n < BITS_OF_ABORTS; n++) {
        const uint64_t bit = BIT(LOWEST + n);
        if ((set & bit) != 0)
            check(t, !is_wrong(bits->records - bits->set[n], bits->records),
                  "TX Abort Information (B8H)[%u] (%s) is 1 in %u of %u "
                  "records; wanted it in most",
                  LOWEST + n, names[n], bits->set[n], bits->records);
        if ((clear & bit) != 0)
            check(t, !is_wrong(bits->set[n], bits->records),
                  "TX Abort Information (B8H)[%u] (%s) is 1 in %u of %u "
                  "records; wanted 0 in most",
                  LOWEST + n, names[n], bits->set[n], bits->records);
    }
    check(t, bits->neither <= bits->records / 2,
          "TX Abort Information (B8H)[35:34] is 0 in %u of %u records; wanted "
          "one of them in most: the abort was of the instruction at "
          "EventingIP, or need not have been",
          bits->neither, bits->records);
}

void abort_bits_check_retry(struct test_context *t,
                            const struct abort_bits *bits)
{
    for (unsigned eax = 0; eax < 2; eax++) {
        unsigned wrong =
            eax != 0 ? bits->by_retry[1] - bits->retry[1] : bits->retry[0];
        check(t, wrong <= bits->by_retry[eax] / 2,
              "TX Abort Information (B8H)[36] (Retry) is %u in %u of %u "
              "records of aborts with EAX[1] = %u; wanted %u, as both say "
              "whether a retry may succeed",
              1 - eax, wrong, bits->by_retry[eax], eax, eax);
    }
}

void abort_bits_observe_retry(struct test_context *t,
                              const struct abort_bits *bits)
{
    observe(t, "Retry (B8H[36]) differs from EAX[1]",
            bits->by_retry[1] - bits->retry[1] + bits->retry[0], bits->records);
}

void abort_bits_sum(struct abort_bits *sum, const struct abort_bits *more)
{
    sum->records += more->records;
    sum->neither += more->neither;
    for (unsigned n = 0; n < BITS_OF_ABORTS; n++)
        sum->set[n] += more->set[n];
    for (unsigned eax = 0; eax < 2; eax++) {
        sum->by_retry[eax] += more->by_retry[eax];
        sum->retry[eax] += more->retry[eax];
    }
}
