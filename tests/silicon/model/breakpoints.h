/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * breakpoints.h - which of the breakpoints in DR0-DR3 does an access hit?
 * For transactions, in which the host processor must not meet a breakpoint:
 * it knows nothing of the registers to be rolled back.
 *
 * SDM volume 3B, chapter "Debug, Branch Profile, TSC ..", "Debug Control
 * Register (DR7)" and "Breakpoint Field Recognition".
 */
#ifndef SILICON_MODEL_BREAKPOINTS_H
#define SILICON_MODEL_BREAKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#define BREAKPOINTS 4
#define DR7_ENABLED UINT64_C(0xFF) /* L0, G0 .. L3, G3 */
#define DR7_RESET   UINT64_C(0x400)
#define DR7_RTM     (UINT64_C(1) << 11) /* with IA32_DEBUGCTL.RTM */

enum access {
    ACCESS_EXECUTE,
    ACCESS_READ,
    ACCESS_WRITE,
};

/* Is breakpoint n enabled for this kind of access? */
bool breakpoint_for(uint64_t dr7, unsigned n, enum access access);

/* Does it hit breakpoint n, which stands at `at`? Execution: of the
 * instruction's first byte. */
bool breakpoint_hit(uint64_t dr7, unsigned n, uint64_t at, enum access access,
                    uint64_t address, unsigned bytes);

#endif
