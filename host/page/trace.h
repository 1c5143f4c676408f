/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.h - the first transaction in the raw trace of a test, packet by packet,
 * for the page. */
#ifndef HOST_PAGE_TRACE_H
#define HOST_PAGE_TRACE_H

#include "host/report/report.h"

#include <jansson.h>

/* Adds {packets: [[offset, bytes, name, text]..], from, to, end} as the test's
 * of `kind`, unless it has one: the begin's offset, and where it ended, how. */
void trace_add(json_t *kind, const struct report *report,
               const struct result *result);

#endif
