/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ktap.h - the report as it is sent: flat KTAP version 1, whole lines, to every
 * sink, with a CRC-32 over all that stands before the END line.
 *
 * Linux kernel documentation, "The Kernel Test Anything Protocol (KTAP),
 * version 1". Only printable ASCII is sent: any other character becomes '?'.
 */
#ifndef SRC_REPORT_KTAP_H
#define SRC_REPORT_KTAP_H

#include "src/base/text.h"
#include "src/harness/verdict.h"
#include "src/report/sink.h"

#define KTAP_LINE_BYTES 512 /* the longest line, with "\n" */

struct ktap_totals {
    unsigned pass, fail, error, skip, known;
};

/* How far a report is: what a later start needs to continue it. */
struct ktap_point {
    uint32_t crc;     /* of all lines so far */
    uint32_t results; /* result lines so far */
    struct ktap_totals totals;
};

struct ktap {
    const struct sink *sinks;
    unsigned sinks_count;
    struct ktap_point at;
    bool ended; /* the END line is the next, and the last */
};

/* Writes the version and the plan for so many results. */
void ktap_open(struct ktap *out, const struct sink *sinks, unsigned sinks_count,
               unsigned planned);
/* The same, for a report of which a part is written: to go on after it. */
void ktap_reopen(struct ktap *out, const struct sink *sinks,
                 unsigned sinks_count, const struct ktap_point *written);
/* One diagnostic line; "# " is put before it, "\n" after it. */
void ktap_note(struct ktap *out, const char *format, ...) PRINTF_LIKE(2, 3);
/* The result line, counted in the totals. more: what follows the name; for SKIP
 * and ERROR the reason, for KNOWN the errata, for PASS "n of N" of something
 * that was OBSERVED, or "". A verdict of VERDICT_NONE counts as ERROR. */
void ktap_result(struct ktap *out, enum verdict verdict, const char *name,
                 const char *more);
/* Has sinks that show how far the run is do so. */
void ktap_tick(struct ktap *out);
void ktap_flush(struct ktap *out);
/* The END line: totals and CRC. Flushes before it and after it. */
void ktap_end(struct ktap *out);

#endif
