/* SPDX-License-Identifier: BSD-2-Clause */
/* regime_again.h - the regime of processors, decided anew from the evidence in
 * a report, by the present src/cpu/regime.c. */
#ifndef HOST_REPORT_REGIME_AGAIN_H
#define HOST_REPORT_REGIME_AGAIN_H

#include "host/report/report.h"

/* Its name ("B"), or NULL where the report has no evidence. */
const char *regime_again(const struct kind *kind);

#endif
