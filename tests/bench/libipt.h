/* SPDX-License-Identifier: BSD-2-Clause */
/* libipt.h - libipt over the same bytes. Apart from pt.c, because its names and
 * those of src/pt/ meet. */
#ifndef TESTS_BENCH_LIBIPT_H
#define TESTS_BENCH_LIBIPT_H

#include <stddef.h>
#include <stdint.h>

#define LIBIPT_KINDS 64

/* The short name of its kind of packet; NULL: no such kind. */
const char *libipt_name(unsigned kind);

/* Major, minor and build of the library. */
void libipt_version(unsigned version[3]);

/* Its packet layer over all bytes. Returns the packets; adds to the number of
 * each kind, and to *sum what keeps the payloads alive. */
uint64_t packets_libipt(uint8_t *bytes, size_t size,
                        uint64_t kinds[LIBIPT_KINDS], uint64_t *sum);

/* Its event layer over all bytes, every branch asked for. Returns the TSX
 * events. Both end the program where libipt reports an error. */
uint64_t transitions_libipt(uint8_t *bytes, size_t size);

#endif
