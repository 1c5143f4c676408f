/* SPDX-License-Identifier: BSD-2-Clause */
/* Far transfers to code of 32 and of 16 bits and back: MODE.Exec, with the mode
 * of the target, before each TIP that changes it, and before no other; before
 * TIP.PGE, where it has changed outside of a filter. */
#include "asm/ring3_window.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

#define PAGE_BYTES 4096u
#define CR4_CET    (UINT64_C(1) << 23)
/* SDM 3A, "Code- and Data-Segment Descriptor Types": code, readable, of ring 0,
 * from 0 on, of 4 GB; with D and without. */
#define CODE_32 UINT64_C(0x00cf9a000000ffff)
#define CODE_16 UINT64_C(0x008f9a000000ffff)

/* A copy of the GDT with the two after it; their selector, or 0. */
static uint16_t add_segments(const struct ring3_registers *found, uint8_t *gdt)
{
    const unsigned bytes = (found->gdt.limit + 1u + 7) & ~7u;
    const uint64_t added[] = {CODE_32, CODE_16};

    if (bytes + sizeof(added) > PAGE_BYTES)
        return 0;
    memset(gdt, 0, PAGE_BYTES);
    memcpy(gdt, (const void *)(uintptr_t)found->gdt.base,
           found->gdt.limit + 1u);
    memcpy(gdt + bytes, added, sizeof(added));
    return (uint16_t)bytes;
}

TEST(pt_mode_exec,
     .asks = "Does MODE.Exec say each change between 64, 32 and 16-bit code?",
     .cite = "SDM 3C, Intel Processor Trace, \"MODE.Exec Packet Definition\"; "
             "\"Packet Generation under Different Enable Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    uint8_t *gates = (uint8_t *)test_records(t) + PAGE_BYTES,
            *gdt = gates + PAGE_BYTES;
    struct ring3_registers found;
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    ring3_read(&found);
    const uint16_t selector = add_segments(&found, gdt);
    const uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0),
                   code = trace_at(trace_body_modes);
    if (selector == 0 || found.ss == 0 || (found.cr4 & CR4_CET) != 0 ||
        (stack | code) >> 32 != 0) {
        skip(t,
             "needs room in a GDT of 4 KB, SS, no CET, and code and stack "
             "below 4 GB: GDT of %u bytes, SS = 0x%x, CR4 = 0x%lx, code at "
             "0x%lx, stack at 0x%lx",
             found.gdt.limit + 1u, found.ss, found.cr4, code, stack);
        return;
    }
    trace_gates(gates);
    gates_set(gates, GATE_BP, trace_at(trace_mode_handler));
    window_set(&w, trace_body_modes, trace_body_modes_path);
    w.code.argument = selector;
    w.gates = gates;
    w.gdt = gdt;
    w.gdt_bytes = (uint16_t)(selector + 16);

    /* Measured and checked. */
    if (!window_check(&p, "far RET, INT3 and IRETQ between modes", &w, &seen) ||
        registers_ranges(test_cpu(t)) == 0 ||
        !set_msr(t, IA32_RTIT_ADDR_A(0), code) ||
        !set_msr(t, IA32_RTIT_ADDR_B(0), trace_at(trace_modes_end) - 1))
        return;
    /* The handler, of another mode, is outside of a filter. */
    w.rows = trace_body_modes_range_path;
    w.bare = true;
    p.control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    window_check(&p, "between modes, out of a filter and in", &w, &seen);
}
