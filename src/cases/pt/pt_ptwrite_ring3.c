/* SPDX-License-Identifier: BSD-2-Clause */
/* PTWRITE is for ring 3: with User its PTW and FUP are there, in each form,
 * with OS alone neither is. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/trace/ptws.h"
#include "src/trace/ring3_trace.h"

#define OPERAND UINT64_C(0xf1e2d3c4b5a69788)

/* levels: OS, User. Traced again where packets were lost, which is to be rare.
 */
static bool trace_level(struct trace *p, const struct ring3_session *s,
                        uint64_t levels, struct ptws *found)
{
    for (unsigned tries = 0; tries < TRACE_TRIES; tries++) {
        if (!ring3_trace_anew(
                p, s, levels | IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_FUPonPTW, 0,
                window_ring3_body))
            return false;
        ptws_read(p, found);
        if (!found->lost)
            return true;
        trace_step_back(tries);
    }
    return trace_overflowed(p->t, p->armed, TRACE_TRIES);
}

TEST(pt_ptwrite_ring3,
     .asks = "Is the operand of a PTWRITE at ring 3 in the trace?",
     .cite = "SDM 3C, Intel Processor Trace, \"Software Trace Instrumentation "
             "with PTWRITE\", \"Filtering by Current Privilege Level (CPL)\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA |
                           NEED_PT_PTWRITE})
{
    struct ptws user, kernel;
    struct ring3_session s;
    struct trace p;

    /* Set-up. */
    if (!ring3_trace_claim(&p, &s, t))
        return;
    s.ring3->body = (uint32_t)(ring3_body_ptwrite - ring3_body);
    s.ring3->level = 3;
    *(uint64_t *)(uintptr_t)s.ring3->data = OPERAND;

    /* Measured. */
    if (!trace_level(&p, &s, IA32_RTIT_CTL_User, &user) ||
        !trace_level(&p, &s, IA32_RTIT_CTL_OS, &kernel))
        return;

    /* Check. */
    check(t, s.ring3->vector == HW_NO_FAULT, "PTWRITE at ring 3: %s",
          fault_name((int)s.ring3->vector));
    ptws_check_forms(t, "User = 1, OS = 0", &user, OPERAND);
    for (unsigned n = 0; n < user.count && n < PTWS_FORMS; n++) {
        const uint64_t at = s.ring3->user_code + ring3_body_ptwrite_at[n];

        check(t, user.of[n].fup == at,
              "User = 1, OS = 0: PTWRITE %u: a FUP of 0x%lx follows its PTW; "
              "wanted 0x%lx",
              n, user.of[n].fup, at);
    }
    check(t, kernel.count == 0, "User = 0, OS = 1: %u PTW; wanted none",
          kernel.count);
}
