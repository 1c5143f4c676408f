/* SPDX-License-Identifier: BSD-2-Clause */
/* report_name.h - names of machines and of reports. Pure. */
#ifndef SRC_STORE_REPORT_NAME_H
#define SRC_STORE_REPORT_NAME_H

#include "src/cpu/identity.h"
#include "src/store/checkpoint.h"

/* "06_5E_3-CC": DisplayFamily, DisplayModel, stepping, microcode, all
 * hexadecimal; "none" where the microcode's revision cannot be read. */
void machine_name(const struct identity *id, char out[MACHINE_NAME_BYTES]);

/* Tries after which a name is given up. */
#define REPORT_NAME_TRIES 9999

/* The name to try for a report, try 1 to REPORT_NAME_TRIES:
 * "20261121-0907-06_5E_3-CC.log", then "20261121-0907-06_5E_3-CC-2.log" and so
 * on; without a clock, time NULL, "0001-06_5E_3-CC.log" and so on. */
void report_name(const struct volume_time *time, const char *machine,
                 unsigned attempt, char out[VOLUME_NAME_BYTES]);

#endif
