/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_record_windows.c - as fake_windows.c for asm/pebs_window.asm,
 * pdir_windows.asm, memory_windows.asm and line_access.asm. */
#include "asm/line_access.h"
#include "asm/memory_windows.h"
#include "asm/pdir_windows.h"
#include "asm/pebs_window.h"

#include <string.h>

#define FAKE __attribute__((weak))

/* What follows the last event is the window, too. */
FAKE const uint8_t pebs_events[PEBS_EVENTS * PEBS_EVENT_BYTES + 1] = {0};
FAKE const uint8_t pebs_events_taken[PEBS_EVENTS * PEBS_TAKEN_BYTES + 1] = {0};
FAKE const uint8_t pebs_events_back[(PEBS_EVENTS + 1) * -PEBS_BACK_BYTES] = {0};
FAKE const uint8_t pebs_timed_end[1] = {0};

FAKE void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state)
{
    (void)enable;
    *state = (struct pebs_state){.rflags = flags};
}

FAKE void pebs_window_xmm(uint64_t enable, uint64_t flags,
                          struct pebs_state *state)
{
    pebs_window(enable, flags, state);
}

FAKE void pebs_window_taken(uint64_t enable, uint64_t flags,
                            struct pebs_state *state)
{
    pebs_window(enable, flags, state);
}

FAKE void pebs_window_back(uint64_t enable, uint64_t flags,
                           struct pebs_state *state)
{
    pebs_window(enable, flags, state);
}

FAKE void pebs_window_stopped(uint64_t enable, uint64_t flags,
                              struct pebs_state *state)
{
    pebs_window(enable, flags, state);
}

FAKE void pebs_window_timed(uint64_t enable, uint64_t times[PEBS_TIMED + 1],
                            struct pebs_state *state)
{
    memset(times, 0, (PEBS_TIMED + 1) * sizeof(times[0]));
    pebs_window(enable, 0, state);
}

/* Any addresses do that differ: 3 bytes an instruction, the loop far after. */
#define AT4(i)  (i) * 3, (i)*3 + 3, (i)*3 + 6, (i)*3 + 9
#define AT16(i) AT4(i), AT4((i) + 4), AT4((i) + 8), AT4((i) + 12)
FAKE const uint8_t pdir_code[1024] = {0};
FAKE const uint32_t pdir_straight_at[PDIR_STRAIGHT + 1] = {AT16(0), AT16(16),
                                                           AT16(32), 144};
FAKE const uint32_t pdir_loop_at[PDIR_LOOP + 1] = {AT16(100), AT16(116)};
FAKE const uint32_t pdir_branches_at[PDIR_STRAIGHT + 1] = {AT16(150), AT16(166),
                                                           AT16(182), 594};

FAKE void pdir_straight(uint64_t enable, uint64_t nops)
{
    (void)enable;
    (void)nops;
}

FAKE void pdir_loop(uint64_t enable, uint64_t turns)
{
    pdir_straight(enable, turns);
}

FAKE void pdir_branches(uint64_t enable, uint64_t before)
{
    pdir_straight(enable, before);
}

FAKE uint64_t pdir_opening(uint64_t enable, uint32_t index)
{
    (void)enable;
    (void)index;
    return PDIR_BEFORE;
}

/* The access and the loop's end are labels in the same bytes. */
#define WALK(name)                                                           \
    FAKE const uint8_t memory_##name##_loop[64] = {0};                       \
    __asm__(".globl memory_" #name "_end\n"                                  \
            ".set memory_" #name "_end, memory_" #name "_loop + 64\n");      \
    __asm__(".globl memory_" #name "_access\n"                               \
            ".set memory_" #name "_access, memory_" #name "_loop + 13\n");   \
    __asm__(".globl memory_" #name "_next\n"                                 \
            ".set memory_" #name "_next, memory_" #name "_loop + 16\n");     \
    FAKE void memory_##name(uint64_t enable, const struct memory_walk *walk) \
    {                                                                        \
        (void)enable;                                                        \
        (void)walk;                                                          \
    }
MEMORY_WINDOWS(WALK)
FAKE _Alignas(64) const uint8_t memory_cell[8] = {0};
FAKE void lines_flush(const void *const lines[], uint64_t count)
{
    (void)lines;
    (void)count;
}

FAKE void lines_read(const void *const lines[], uint64_t count)
{
    (void)lines;
    (void)count;
}
