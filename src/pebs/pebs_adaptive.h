/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_adaptive.h - adaptive PEBS records, formats 4 to 6: which groups of
 * fields one has, where each begins, and what it holds. Pure.
 *
 * A record is the basic group and, in this order, those of the others that
 * MSR_PEBS_DATA_CFG (3F2H) selects. Its first quadword, Record Format, has the
 * selection [31:0] and the record's size [63:48]; [47:32] is Retire Latency
 * where IA32_PERF_CAPABILITIES (345H)[17] is set (Linux,
 * arch/x86/include/asm/perf_event.h, struct pebs_basic, and pebs_timing_info
 * of arch/x86/events/perf_event.h, alone to say so), else 0.
 *
 * SDM 3B, "Adaptive PEBS", "Adaptive PEBS Counter Control", "PEBS Data
 * Configuration", "PEBS Record Format" with the tables of "Basic Info",
 * "Memory Access Info", "GPRs", "XMM" and "LBRs"; the offsets also in Linux,
 * arch/x86/include/asm/perf_event.h, and in kvm-unit-tests, x86/pmu_pebs.c.
 *
 * The fields that there are in the formats before it have those names here:
 * "Instruction Pointer" of the basic group is EventingIP, "Memory Auxiliary
 * Info" the Data Source Encoding, "TSX Auxiliary Info" the TX Abort
 * Information.
 */
#ifndef SRC_PEBS_PEBS_ADAPTIVE_H
#define SRC_PEBS_PEBS_ADAPTIVE_H

#include "src/pebs/pebs_decode.h"

/* MSR_PEBS_DATA_CFG (3F2H), and [31:0] of Record Format. */
#define PEBS_DATA_MEMORY  BIT(0)
#define PEBS_DATA_GPRS    BIT(1)
#define PEBS_DATA_XMM     BIT(2)
#define PEBS_DATA_LBRS    BIT(3)
#define PEBS_DATA_ENTRIES BITS(31, 24) /* LBR entries, less 1 */
#define PEBS_DATA_DEFINED                                                 \
    (PEBS_DATA_MEMORY | PEBS_DATA_GPRS | PEBS_DATA_XMM | PEBS_DATA_LBRS | \
     PEBS_DATA_ENTRIES)
/* Format 6, "counters snapshotting", and which counters: Linux,
 * arch/x86/include/asm/perf_event.h, PEBS_DATACFG_CNTR and those after it,
 * struct pebs_cntr_header; arch/x86/events/intel/ds.c,
 * __setup_pebs_counter_group(). Nothing else is known to describe it. */
#define PEBS_DATA_COUNTERS   BIT(4)
#define PEBS_DATA_METRICS    BIT(5)
#define PEBS_DATA_GENERAL(n) BIT(32 + (n)) /* IA32_PMCn; n to 15 */
#define PEBS_DATA_FIXED(n)   BIT(48 + (n)) /* IA32_FIXED_CTRn; n to 7 */
#define PEBS_DATA_SETS       BITS(55, 32)
/* The same of a set with IA32_PMCn at n and IA32_FIXED_CTRn at 32 + n. */
#define PEBS_DATA_SETS_OF(places) \
    (((places)&BITS(15, 0)) << 32 | ((places)&BITS(39, 32)) << 16)
#define PEBS_DATA_DEFINED_6                                       \
    (PEBS_DATA_DEFINED | PEBS_DATA_COUNTERS | PEBS_DATA_METRICS | \
     PEBS_DATA_SETS)
/* n from 1 to 256 */
#define PEBS_DATA_ENTRIES_OF(n) ((uint64_t)((n)-1) << 24)

/* The groups in their order in a record. */
enum pebs_group {
    PEBS_GROUP_BASIC,
    PEBS_GROUP_MEMORY,
    PEBS_GROUP_GPRS,
    PEBS_GROUP_XMM,
    PEBS_GROUP_LBRS,
    PEBS_GROUP_COUNTERS,
    PEBS_GROUP_COUNT
};

/* Of the group of counters the quadwords: which general-purpose ones [31:0] and
 * fixed ones [63:32]; whether metrics, 3 or 0 [31:0]; the values of the first,
 * of the second, and of metrics "base" and "data". At what quadword of the
 * group the counter of this place is, n or 32 + n, or one of these; 0: it is
 * not there. */
#define PEBS_METRICS_BASE 64 /* IA32_FIXED_CTR3 */
#define PEBS_METRICS_DATA 65 /* MSR_PERF_METRICS */
#define PEBS_METRICS_HERE 3
size_t pebs_counter_at(uint64_t selection, unsigned place);

/* Bytes of a group in a record with this selection, 0 where it has it not. */
size_t pebs_group_size(uint64_t selection, enum pebs_group group);

/* Where it begins, or would. PEBS_GROUP_COUNT: the end of the record. */
size_t pebs_group_at(uint64_t selection, enum pebs_group group);

/* "Elapsed core clocks between the retirement of the instruction indicated by
 * the Instruction Pointer field of the PEBS record and the retirement of the
 * prior instruction" (Linux, "perf/x86: Support Retire Latency"); that fixed
 * counter 0 need not have it says the same. A Raptor Lake without 345H[17] was
 * seen to have some ("Fix non 0 retire latency on Raptorlake"). */
#define PEBS_RETIRE_LATENCY BITS(47, 32)

/* Quadword n of a group of the record that begins at bytes[0], which has it.
 * Of XMM: register n / 2, [63:0] and then [127:64]. Of the LBRs: entry n / 3,
 * the youngest first; FROM, TO, INFO. */
uint64_t pebs_group_value(const uint8_t *bytes,
                          const struct pebs_record *record,
                          enum pebs_group group, size_t n);

/* For pebs_decode.c: the record at bytes[0], `size` bytes of it, which may have
 * the groups in `defined`. What pebs_decode() returns. */
enum pebs_error pebs_adaptive_decode(const uint8_t *bytes, size_t size,
                                     uint64_t defined,
                                     struct pebs_record *record)
    __attribute__((warn_unused_result));
/* The same of pebs_field_offset(). */
int pebs_adaptive_offset(uint64_t selection, enum pebs_field field);

#endif
