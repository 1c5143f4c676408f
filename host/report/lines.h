/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h - which lines of a text are whose. */
#ifndef HOST_REPORT_LINES_H
#define HOST_REPORT_LINES_H

#include "host/report/report.h"

/* Divides a cleaned text into reports and fills in their lines, and how they
 * came here. What a terminal wrapped is joined in place. */
void lines_divide(struct span text, struct reports *out);

/* Could the line be one of a report? */
bool line_is_own(struct span line);

#endif
