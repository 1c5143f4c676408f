/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lbr_architectural.c - what goes wrong with architectural last branch records.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/lbr/lbr.h"

FAULT(arch_lbr_depth_keeps,
      .what = "[architectural LBRs] a write of IA32_LBR_DEPTH leaves the "
              "records as they are",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_stack FAIL"},
      .breaks = LBR_DEPTH_EMPTIES)

FAULT(
    arch_lbr_depth_24,
    .what = "[architectural LBRs] IA32_LBR_DEPTH takes 24, which CPUID has not",
    .caught = {"sapphirerapids on 1 lbr_registers FAIL"},
    .quantity = LBR_DEPTHS, .number = ANY_NUMBER, .set = BIT(2))

FAULT(arch_lbr_oldest_first,
      .what = "[architectural LBRs] IA32_LBR_0 is the oldest record",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_events FAIL"},
      .breaks = LBR_NEWEST_IS_0)

FAULT(arch_lbr_untimed, .what = "[architectural LBRs] INFO.CYC_CNT_VALID is 0",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL"}, .quantity = LBR_FLAGS,
      .number = ANY_NUMBER, .clear = LBR_INFO_CYCLES_VALID)

FAULT(arch_lbr_type_jcc,
      .what = "[architectural LBRs] INFO.BR_TYPE of a conditional branch is 7",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_JCC,
      .set = UINT64_C(7) << LBR_INFO_TYPE_SHIFT)

FAULT(arch_lbr_type_rel_call,
      .what = "[architectural LBRs] INFO.BR_TYPE of a relative call is 7",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_NEAR_REL_CALL,
      .set = UINT64_C(7) << LBR_INFO_TYPE_SHIFT)

FAULT(arch_lbr_type_ind_call,
      .what = "[architectural LBRs] INFO.BR_TYPE of an indirect call is 7",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_NEAR_IND_CALL,
      .set = UINT64_C(7) << LBR_INFO_TYPE_SHIFT)

FAULT(arch_lbr_type_ret,
      .what = "[architectural LBRs] INFO.BR_TYPE of a near return is 7",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_NEAR_RET,
      .set = UINT64_C(7) << LBR_INFO_TYPE_SHIFT)

FAULT(arch_lbr_type_ind_jmp,
      .what = "[architectural LBRs] INFO.BR_TYPE of an indirect jump is 7",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_NEAR_IND_JMP,
      .set = UINT64_C(7) << LBR_INFO_TYPE_SHIFT)

FAULT(arch_lbr_type_rel_jmp,
      .what = "[architectural LBRs] INFO.BR_TYPE of a relative jump is 7",
      .caught = {"sapphirerapids on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS, .number = LBR_SELECT_NEAR_REL_JMP,
      .set = UINT64_C(7) << LBR_INFO_TYPE_SHIFT)

FAULT(arch_lbr_type_far,
      .what = "[architectural LBRs] INFO.BR_TYPE of a far branch is that of a "
              "conditional one",
      .caught = {"sapphirerapids on 1 lbr_events FAIL"}, .quantity = LBR_FLAGS,
      .number = LBR_SELECT_FAR_BRANCH, .clear = LBR_INFO_TYPE)

FAULT(arch_lbr_ctl_loses_os,
      .what = "[architectural LBRs] IA32_LBR_CTL[1] stays 0",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x14CE, .clear = BIT(1))

FAULT(arch_lbr_ctl_loses_usr,
      .what = "[architectural LBRs] IA32_LBR_CTL[2] stays 0",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x14CE, .clear = BIT(2))

FAULT(arch_lbr_ctl_loses_call_stack,
      .what = "[architectural LBRs] IA32_LBR_CTL[3] stays 0",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x14CE, .clear = BIT(3))

FAULT(arch_lbr_ctl_loses_jcc,
      .what = "[architectural LBRs] IA32_LBR_CTL[16] stays 0",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x14CE, .clear = BIT(16))

FAULT(arch_lbr_ctl_loses_ret,
      .what = "[architectural LBRs] IA32_LBR_CTL[21] stays 0",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x14CE, .clear = BIT(21))

FAULT(arch_lbr_ctl_loses_other,
      .what = "[architectural LBRs] IA32_LBR_CTL[22] stays 0",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x14CE, .clear = BIT(22))

FAULT(
    arch_lbr_ctl_takes_4,
    .what = "[architectural LBRs] IA32_LBR_CTL takes bit 4, which is reserved",
    .caught = {"sapphirerapids on 1 lbr_registers FAIL"},
    .quantity = OF_MSR_TAKEN, .number = 0x14CE, .set = BIT(4))

FAULT(
    arch_lbr_ctl_takes_23,
    .what = "[architectural LBRs] IA32_LBR_CTL takes bit 23, which is reserved",
    .caught = {"sapphirerapids on 1 lbr_registers FAIL"},
    .quantity = OF_MSR_TAKEN, .number = 0x14CE, .set = BIT(23))

FAULT(arch_lbr_depth_shared,
      .what =
          "[architectural LBRs] the threads of a core have one IA32_LBR_DEPTH",
      .caught = {"sapphirerapids on 2 lbr_registers FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x14CF)

FAULT(
    arch_lbr_shallow_skips,
    .what =
        "[architectural LBRs] with a depth of 8 each second entry is left out",
    .caught = {"sapphirerapids on 1 lbr_stack FAIL"}, .quantity = LBR_NEXT_TOS,
    .number = 8, .add = 1)

FAULT(lbr_beyond_depth_reads,
      .what = "[architectural LBR] IA32_LBR_x_INFO from IA32_LBR_DEPTH on "
              "can be read",
      .caught = {"sapphirerapids on 1 lbr_registers FAIL",
                 "alderlake on 2 lbr_registers FAIL"},
      .breaks = LBR_BEYOND_REFUSED)

FAULT(arch_lbr_level_left,
      .what =
          "[architectural LBRs] whether a branch between levels is recorded "
          "goes by the level that it leaves",
      .caught = {"sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_LEVEL_REACHED)

FAULT(arch_lbr_from_uncaptured,
      .what = "[architectural LBRs] FROM of a branch from a level that is not "
              "captured is its address",
      .caught = {"sapphirerapids on 1 lbr_filter FAIL",
                 "alderlake-n on 1 lbr_filter FAIL"},
      .breaks = LBR_FROM_UNCAPTURED)

FAULT(arch_lbr_untimed_ring3,
      .what =
          "[architectural LBRs] INFO.CYC_CNT_VALID of a branch at ring 3 is "
          "0",
      .caught = {"sapphirerapids on 1 lbr_filter FAIL",
                 "arrowlake on 1 lbr_filter FAIL"},
      .quantity = LBR_FLAGS_RING_3, .number = ANY_NUMBER,
      .clear = LBR_INFO_CYCLES_VALID)

FAULT(lbr_ring3_capacity_unseen,
      .what = "[A B F; C with bit 2] an abort by too many stores at ring 3 "
              "makes no branch record",
      .caught = {"skylake-2018 on 1 lbr_filter FAIL",
                 "sapphirerapids on 1 lbr_filter FAIL"},
      .breaks = LBR_CAPACITY_ABORTS_RING_3)

FAULT(lbr_select_late,
      .what = "[format 3 to 5] a write of MSR_LBR_SELECT is lost while LBR is "
              "1",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL",
                 "sandybridge on 1 lbr_registers FAIL"},
      .breaks = LBR_SELECT_WHILE_ON)

FAULT(lbr_frozen_read_only,
      .what = "[any with perfmon 4] writes of entries are lost while LBR_Frz "
              "is 1",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_registers FAIL"},
      .breaks = LBR_TAKES_FROZEN)

FAULT(lbr_unfreeze_clears_select,
      .what = "[any with perfmon 4] a write of 390H that clears LBR_Frz sets "
              "MSR_LBR_SELECT or IA32_LBR_CTL to 0",
      .caught = {"skylake-2018 on 1 lbr_registers FAIL",
                 "sapphirerapids on 1 lbr_registers FAIL"},
      .breaks = LBR_SELECT_UNFROZEN)
