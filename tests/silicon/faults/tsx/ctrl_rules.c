/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctrl_rules.c - what goes wrong with MSRs 122H and 123H. Each entry
 * names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(ctrl_clear_not_at_ring3,
      .what =
          "[F] TSX_CPUID_CLEAR of 122H does not hide RTM from CPUID at ring "
          "3",
      .caught = {"icelake-server off 1 tsx_ctrl_disable FAIL"},
      .breaks = CLEAR_HIDES_RING3)

FAULT(rtm_allow_not_enumerated,
      .what = "[F] RTM_ALWAYS_ABORT is 1 though RTM_ALLOW = 1",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = ALLOW_ENUMERATED)

FAULT(rtm_disable_hides_rtm, .what = "[F] RTM_DISABLE hides RTM",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = DISABLE_KEEPS_CPUID)

FAULT(tsx_ctrl_clear_keeps_hle, .what = "[F] TSX_CPUID_CLEAR does not hide HLE",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = CLEAR_HIDES_HLE)

FAULT(tsx_ctrl_clear_keeps_rtm, .what = "[F] TSX_CPUID_CLEAR does not hide RTM",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = CLEAR_HIDES_RTM)

FAULT(tsx_ctrl_of_core,
      .what = "[F] both threads of a core have one IA32_TSX_CTRL",
      .caught = {"cometlake-rtm-2022 on 2 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x122)

FAULT(tsx_ctrl_drops_disable, .what = "[F] RTM_DISABLE reads 0",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_READ, .number = 0x122, .clear = 1)

FAULT(tsx_ctrl_drops_clear, .what = "[F] TSX_CPUID_CLEAR of 122H reads 0",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_READ, .number = 0x122, .clear = 2)

FAULT(tsx_ctrl_clear_stuck,
      .what = "[F] TSX_CPUID_CLEAR (122H bit 1) is 1 after any write",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x122, .set = 2)

FAULT(tsx_ctrl_refused,
      .what = "[F] IA32_TSX_CTRL raises #GP though 10AH[7] = 1",
      .caught = {"cometlake-rtm-2022 on 1 force_abort_enumeration FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0x122)

FAULT(rtm_disable_ignored,
      .what = "[F] RTM_DISABLE (122H bit 0) does not make transactions "
              "abort",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = DISABLE_ABORTS)

FAULT(tsx_ctrl_clear_ignored,
      .what = "[F] TSX_CPUID_CLEAR (122H bit 1) hides nothing",
      .caught = {"cometlake-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = CTRL_CLEAR_HIDES)

FAULT(rtm_allow_ignored,
      .what = "[F] RTM_ALLOW (123H bit 1) set lets no transaction commit",
      .caught = {"cometlake-rtm-2022 on 1 tsx_commit FAIL"},
      .breaks = ALLOW_COMMITS)

FAULT(rtm_not_allowed_commits,
      .what = "[F] RTM_ALLOW (123H bit 1) = 0 aborts no transaction",
      .caught = {"cometlake-rtm-2022 on 1 tsx_mcu_opt_ctrl FAIL"},
      .breaks = NOT_ALLOWED_ABORTS)

FAULT(tsx_ctrl_takes_reserved,
      .what = "[F] reserved bits of IA32_TSX_CTRL raise no #GP",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_TAKEN, .number = 0x122, .set = UINT64_MAX << 2)

FAULT(tsx_ctrl_takes_63,
      .what = "[F] reserved bit 63 of IA32_TSX_CTRL raises no #GP",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .quantity = OF_MSR_TAKEN, .number = 0x122, .set = UINT64_C(1) << 63)

FAULT(rtm_locked_takes_allow,
      .what = "[F] RTM_ALLOW (123H bit 1) can be set though RTM_LOCKED = 1",
      .caught = {"cometlake-2022 on 1 tsx_mcu_opt_ctrl FAIL"},
      .breaks = LOCKED_KEEPS_ALLOW)

FAULT(rtm_allow_stays, .what = "[F] RTM_ALLOW (123H bit 1) cannot be cleared",
      .caught = {"cometlake-rtm-2022 on 1 tsx_mcu_opt_ctrl FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x123, .set = 2)

FAULT(rngds_mitg_dis_stays_0, .what = "[F] RNGDS_MITG_DIS (123H bit 0) stays 0",
      .caught = {"cometlake-2022 on 1 tsx_mcu_opt_ctrl FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x123, .clear = 1)
