/* SPDX-License-Identifier: BSD-2-Clause */
/* bench.h - what benchmarks share: the same random numbers in every run, the
 * processor's time, medians. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 9

static inline uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static inline double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof(values[0]), ascending);
    return values[ROUNDS / 2];
}

#endif
