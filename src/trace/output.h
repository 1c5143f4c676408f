/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.h - what the registers and tables of Processor Trace have to hold on a
 * given processor. Pure: writes nothing.
 *
 * SDM 3C, Intel Processor Trace: "IA32_RTIT_CTL MSR", "Table of Physical
 * Addresses (ToPA)", "ToPA Table Entry Fields", "IA32_RTIT_OUTPUT_MASK_PTRS
 * MSR".
 */
#ifndef SRC_TRACE_OUTPUT_H
#define SRC_TRACE_OUTPUT_H

#include "src/cpu/identity.h"

/* IA32_RTIT_CTL (570H) for branches at ring 0 without timing, with PSBs as
 * often as they may come; TraceEn is 0. topa: output by ToPA, which the caller
 * has found enumerated. Only enumerated fields are set. */
uint64_t output_control(const struct identity *id, bool topa);

/* Bytes from one PSB to the next with that control; 0: not enumerated. */
uint32_t output_psb_bytes(const struct identity *id);
/* PacketByteCnt of IA32_RTIT_STATUS; the same bytes where it can hold them;
 * else 0. */
#define PACKET_BYTES_AT  32
#define PACKET_BYTES_MAX 65536u
uint32_t output_psb_counted(const struct identity *id);

/* A ToPA entry: the flags, a region of 4096 << size bytes (size 0 to 15) at a
 * multiple of that; or, with TOPA_END, size 0 and the next table. */
#define TOPA_END          (UINT64_C(1) << 0)
#define TOPA_INT          (UINT64_C(1) << 2)
#define TOPA_STOP         (UINT64_C(1) << 4)
#define TOPA_REGION_BYTES 4096u
#define TOPA_RESERVED_BITS \
    {                      \
        1, 3, 5, 10, 11    \
    }
#define TOPA_RESERVED_COUNT 5
uint64_t output_topa_entry(uint64_t base, unsigned size, uint64_t flags);

/* The circular table of so many regions, one after the other from base on, and
 * the END entry, into table[regions + 1], which lies at table_base. One region
 * is what a processor without CPUID.14H.0:ECX[1] takes. flags: of the last
 * region. */
void output_topa_table(uint64_t table[], uint64_t table_base, uint64_t base,
                       unsigned regions, unsigned size, uint64_t flags);

/* IA32_RTIT_OUTPUT_MASK_PTRS (561H). ToPA: the table's entry. Single range:
 * bytes, a power of two of 128 at least, 0 for 4 GB. offset: OutputOffset, not
 * checked. */
uint64_t output_topa_pointers(unsigned entry, uint32_t offset);
uint64_t output_range_pointers(uint32_t bytes, uint32_t offset);
/* Errata TGL052, ADL037, RPL017: a range of more than a page is not. */
bool output_range_is_reliable(const struct identity *id, uint64_t bytes);
unsigned output_entry(uint64_t pointers);  /* of output_topa_pointers() */
uint32_t output_offset(uint64_t pointers); /* of both */

/* Broadwell (06_3DH, 47H, 4FH, 56H): its errata BDM64, a wrong branch just
 * before an abort in LBR and PT, and BDM106, #GP where BranchEn is 0. */
bool output_is_broadwell(const struct identity *id);

/* True where LBR and PT exclude each other (SDM 3B, "Last Branch Recording and
 * Intel Processor Trace"): Broadwell, 06_4EH and 06_5EH. */
bool output_excludes_lbr(const struct identity *id);

#endif
