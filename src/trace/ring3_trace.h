/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_trace.h - a trace of a window that is at ring 3. */
#ifndef SRC_TRACE_RING3_TRACE_H
#define SRC_TRACE_RING3_TRACE_H

#include "src/counting/counters.h"
#include "src/counting/ring3.h"
#include "src/trace/trace.h"

/* trace_claim(), ring3_prepare(): the buffer holds the tables, so the output is
 * one page of test_records(). SKIP is said of what is missing. */
bool ring3_trace_claim(struct trace *p, struct ring3_session *ring3,
                       struct test_context *t);

/* Empties the output, for a trace with these bits of OS and User, and others of
 * IA32_RTIT_CTL. It has to be shorter than the page. */
bool ring3_trace_arm(struct trace *p, uint64_t bits);

/* The window traced, with this value of IA32_RTIT_STATUS before it, and these
 * counters enabled in it. False where an access faulted. */
bool ring3_trace(struct trace *p, const struct ring3_session *ring3,
                 uint64_t status, uint64_t counters, window_function *window);

/* ring3_trace_arm(), and ring3_trace() with p->status_before; once more where
 * an SMI fell into it, which clears TraceEn and sets it again. False where an
 * access faulted, or SMIs do not end (ERROR is said). */
bool ring3_trace_anew(struct trace *p, const struct ring3_session *ring3,
                      uint64_t bits, uint64_t counters,
                      window_function *window);

#endif
