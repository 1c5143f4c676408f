/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data.h - what the page draws, added up over reports: an object for each kind
 * of processor and microcode, and for what they were made on. Nothing is added
 * up over these.
 */
#ifndef HOST_PAGE_DATA_H
#define HOST_PAGE_DATA_H

#include "host/report/report.h"

#include <jansson.h>

/* Adds a whole report to `kinds`, an object by names like "silicon 06_5EH
 * stepping 3, microcode CCH, regime B". Of each:
 *   made_on, model, stepping, microcode, regime: text
 *   machines: an object of their names; reports: how many
 *   tests: by test, how many results of each verdict
 *   counter3: by test, in how many reports so many tenths of its trials were
 *     wrong: [none, to 10 %, .., to 100 %]
 *   aborts: by cause, records with it
 *   capacity: by "loads" and "stores", of lines that commit and that abort:
 *     by number of lines, how often
 *   latency: by source, by core cycles, how often
 *   skid: without PDIR and with it, records at 0, 1, 2, 3, more instructions
 *     from the one that overflowed */
void data_add(json_t *kinds, const struct report *report);

#endif
