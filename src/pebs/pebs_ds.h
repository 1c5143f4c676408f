/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_ds.h - the DS buffer management area of 64-bit mode, which
 * IA32_DS_AREA (600H) points to, and the checks over its PEBS part. Pure:
 * reads and writes only the struct it is given.
 *
 * SDM 3B, "64 Bit Format of the DS Save Area", figure "IA-32e Mode DS Save
 * Area"; Performance Monitoring, "Processor Event Based Sampling (PEBS)". The
 * layout needs DTES64 (CPUID.1:ECX[2]). Its text gives sizes of 32-bit records;
 * here the size is that of the format in 345H[11:8] (pebs_record_size). The
 * resets of counters 4 to 7 and of the fixed counters are those of extended
 * PEBS: SDM 3B, "Extended PEBS", figure of the DS buffer management area; with
 * format 5 there is room for 32 general-purpose counters, then for 16 fixed
 * ones: Linux, arch/x86/events/intel/ds.c, "Enable PEBS format 5".
 *
 * "PEBS absolute maximum" should be a multiple of the record size plus 1. Here
 * it is without the 1: the next byte past the buffer. That is right whether a
 * processor stops where the index has reached it, where it equals it, or where
 * a record does not fit below it; with the 1 only the last would be.
 */
#ifndef SRC_PEBS_PEBS_DS_H
#define SRC_PEBS_PEBS_DS_H

#include "src/pebs/pebs_decode.h"

struct pebs_ds_area {
    uint64_t bts_buffer_base;          /* 00H */
    uint64_t bts_index;                /* 08H */
    uint64_t bts_absolute_maximum;     /* 10H */
    uint64_t bts_interrupt_threshold;  /* 18H */
    uint64_t pebs_buffer_base;         /* 20H */
    uint64_t pebs_index;               /* 28H */
    uint64_t pebs_absolute_maximum;    /* 30H */
    uint64_t pebs_interrupt_threshold; /* 38H */
    /* From 40H on; format 0 has the first only, those after it have four,
     * format 4 eight, and then those of fixed counters. */
    uint64_t pebs_reset[48];
};

/* Of them, that of fixed counter 0; and the bytes of the area that a processor
 * with records of this format knows. format_5: of that one, whose records are
 * those of format 4. */
#define PEBS_DS_FIXED(format_5) ((format_5) ? 32u : 8u)
#define PEBS_DS_BYTES(format, format_5) \
    ((format) < PEBS_FORMAT_ADAPTIVE ? 0x60u : (format_5) ? 0x1c0u : 0xa0u)

/* Fills in the PEBS part: room for `records` records at `base`, none written,
 * the PMI when `threshold` of them are. A record has `size` bytes, not 0.
 * Nothing else is changed. The errors are PEBS_SIZE_DOES_NOT_DIVIDE for no
 * record or one too many for the address space, PEBS_THRESHOLD_OUTSIDE for 0 or
 * more than `records`. On an error nothing is written. */
enum pebs_error pebs_ds_set(struct pebs_ds_area *area, uint64_t base,
                            uint64_t records, uint64_t threshold, size_t size)
    __attribute__((warn_unused_result));

/* Checks that base, index, absolute maximum and threshold go together:
 *   absolute maximum = base + k * size, k at least 1
 *   base <= index <= absolute maximum, on a record's beginning or the end
 *   base <= threshold <= absolute maximum, likewise
 * The first that does not hold is the error. *written is the number of records
 * in the buffer, 0 on an error of base, index or absolute maximum. */
enum pebs_error pebs_ds_check(const struct pebs_ds_area *area, size_t size,
                              uint64_t *written)
    __attribute__((warn_unused_result));

#endif
