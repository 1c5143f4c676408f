/* SPDX-License-Identifier: BSD-2-Clause */
/* rtm.c - tries transactions, counts and checks their outcomes. */
#include "src/tsx/rtm.h"

#include "asm/rtm_store.h"
#include "src/base/names.h"
#include "src/tsx/status.h"

#define BEFORE UINT64_C(0x5a5a5a5a5a5a5a5a)

/* One transaction; false where XBEGIN raised an exception. */
static bool try_store(uint64_t value, struct rtm_tally *out)
{
    /* Written before, so that the page is present, writable and dirty. */
    volatile uint64_t cell = BEFORE;
    uint32_t eax = RTM_STATUS_STARTED;
    int outcome = rtm_store(&cell, value, &eax);

    out->tried++;
    if (outcome == RTM_COMMITTED) {
        out->committed++;
        out->lost += cell != value;
        out->eax_changed += eax != RTM_STATUS_STARTED;
        return true;
    }
    if (outcome == RTM_ABORTED || outcome == RTM_UNRESTORED) {
        out->aborted++;
        out->unrestored += outcome == RTM_UNRESTORED;
        out->leaked += cell != BEFORE;
        rtm_add_status(eax, out);
        if (eax == RTM_STATUS_FORCED)
            out->forced++;
        else
            out->other_status = eax;
        return true;
    }
    out->faulted++;
    out->vector = outcome;
    return false;
}

void rtm_clear(struct rtm_tally *out)
{
    *out = (struct rtm_tally){.vector = HW_NO_FAULT, .always = UINT32_MAX};
}

void rtm_add_status(uint32_t status, struct rtm_tally *out)
{
    out->ever |= status;
    out->always &= status;
    if (!rtm_status_is_possible(status)) {
        out->malformed++;
        out->malformed_status = status;
    }
}

void rtm_try(unsigned times, struct rtm_tally *out)
{
    unsigned faults = 0;

    rtm_clear(out);
    for (unsigned i = 0; i < times && faults < RTM_FAULTS_MAX; i++) {
        hw_poll();
        faults = try_store(i, out) ? 0 : faults + 1;
        if (i % RTM_EMPTY_EACH != RTM_EMPTY_EACH - 1)
            continue;
        out->empty++;
        out->empty_committed += rtm_empty() == RTM_COMMITTED;
    }
}

void rtm_check_atomic(struct test_context *t, const struct rtm_tally *tally)
{
    char text[RTM_STATUS_TEXT];

    check_none(t, "the store of an aborted transaction remained in memory",
               tally->leaked, tally->aborted);
    check_none(t, "a register change of an aborted transaction remained",
               tally->unrestored, tally->aborted);
    check(t, tally->malformed == 0,
          "%u of %u aborts left a status that cannot be, EAX = 0x%08x (%s): "
          "[23:6] are reserved, [31:24] without [0] too, [1] is clear with [0]",
          tally->malformed, tally->aborted, tally->malformed_status,
          rtm_status_text(tally->malformed_status, text));
    check_none(t, "the store of a committed transaction is not in memory",
               tally->lost, tally->committed);
    check_none(t, "XBEGIN that started a transaction changed EAX",
               tally->eax_changed, tally->committed);
}

void rtm_check_forced(struct test_context *t, const struct rtm_tally *tally)
{
    const uint32_t before = RTM_STATUS_RETRY | RTM_STATUS_CONFLICT;
    unsigned others = tally->aborted - tally->forced;
    char text[RTM_STATUS_TEXT];

    check(t, tally->committed == 0, "%u of %u transactions committed; wanted 0",
          tally->committed, tally->tried);
    check_none(t, "a transaction with nothing in it committed",
               tally->empty_committed, tally->empty);
    check(t, tally->faulted == 0, "XBEGIN raised %s, %u of %u; wanted an abort",
          fault_name(tally->vector), tally->faulted, tally->tried);
    check(t,
          others <= 1 + tally->aborted / RTM_FORCED_OTHERS &&
              (tally->ever & ~before) == 0,
          "%u of %u aborts with EAX = 0; another left 0x%08x (%s)",
          tally->forced, tally->aborted, tally->other_status,
          rtm_status_text(tally->other_status, text));
    if (others != 0)
        observe(t, "another abort came before the forced one", others,
                tally->aborted);
    rtm_check_atomic(t, tally);
}

bool rtm_usable(struct test_context *t)
{
    struct rtm_tally tally;

    rtm_try(1, &tally);
    if (tally.faulted != 0)
        skip(t, "needs transactions, and XBEGIN raises %s",
             fault_name(tally.vector));
    return tally.faulted == 0;
}
