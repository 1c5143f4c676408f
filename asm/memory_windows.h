/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_windows.h - windows of single loads and stores at known addresses
 * (asm/memory_windows.asm).
 */
#ifndef ASM_MEMORY_WINDOWS_H
#define ASM_MEMORY_WINDOWS_H

#include <stdint.h>

/* Access k, from 0 to count - 1, is of the 8 or 16 bytes at base + (k * step &
 * mask). Mask: a set of bits below some power of two, so that the addresses
 * stay in the array. */
struct memory_walk {
    uint64_t base, step, mask;
    uint64_t count; /* at least 1 */
};

/* Every turn of a window's loop makes one access. RDI holds its address from
 * the turn's first instruction to its last, so it does in a record of any of
 * them. _flush: CLFLUSH of the line and MFENCE before it. _invlpg: INVLPG of
 * the page before it. locked: a LOCKed read-modify-write; exchanged: XCHG,
 * which is locked without a prefix. _wide: 16 bytes, of XMM0, which changes.
 * _fs: relative to FS, whose base has to be MEMORY_SEGMENT. _byte: of one byte.
 * _x87: FILD. _vex: ANDN. _string: STOS, after which RDI is MEMORY_STRING_BYTES
 * more. _direct: MOVNTI, of 4 bytes. _push: PUSH, RSP being 8 more for as long;
 * what interrupts then, stores below the address; _pop: POP, likewise.
 * _indexed: base, R12 as index, displacement. updated: ADD of 0 to memory,
 * without LOCK. _return, _jump: RET and JMP through the address, where the walk
 * stores that of the next instruction before. _leave: LEAVE. _gs: as _fs.
 * _conditional: CMOVZ, of which but the first finds ZF = 0. load_string: MOVS
 * to 8 bytes below. _relative: of memory_cell, relative to RIP, by an
 * instruction with an immediate. _call: CALL. pushed: PUSH of what is there to
 * there. compared: LOCK CMPXCHG that changes nothing. _bit: BT of a bit
 * beyond its operand. _narrow: with an address of 32 bits, which the walk's
 * have to be. _down: MOVS with DF = 1, to 8 bytes above. _lods: LODS. _scas:
 * SCAS, after which RDI is as after STOS. load_call: CALL through the address,
 * as _jump. store_pop: POP of what is 64 bytes above. added: LOCK XADD of 0.
 * load_far: as _flush and _invlpg. _turns: as _flush, but of the odd line of
 * the pair that the access's line is of, and _turns_N of N bytes. store_fs,
 * store_gs: as load_fs. Stores write 0, locked adds 1. */
#define MEMORY_STRING_BYTES 8
#define MEMORY_SEGMENT      64
extern const uint8_t memory_cell[8];
#define MEMORY_WINDOWS(W) \
    W(load)               \
    W(load_wide)          \
    W(load_fs)            \
    W(load_flush)         \
    W(load_invlpg)        \
    W(store)              \
    W(store_wide)         \
    W(store_flush)        \
    W(store_invlpg)       \
    W(locked)             \
    W(locked_flush)       \
    W(locked_invlpg)      \
    W(exchanged)          \
    W(load_byte)          \
    W(load_x87)           \
    W(load_vex)           \
    W(store_string)       \
    W(store_direct)       \
    W(store_push)         \
    W(load_indexed)       \
    W(store_indexed)      \
    W(load_pop)           \
    W(updated)            \
    W(locked_byte)        \
    W(load_return)        \
    W(load_jump)          \
    W(load_leave)         \
    W(load_gs)            \
    W(load_conditional)   \
    W(load_string)        \
    W(load_relative)      \
    W(store_call)         \
    W(pushed)             \
    W(compared)           \
    W(load_bit)           \
    W(load_narrow)        \
    W(load_down)          \
    W(load_lods)          \
    W(load_scas)          \
    W(load_call)          \
    W(store_pop)          \
    W(added)              \
    W(load_far)           \
    W(load_turns)         \
    W(store_turns)        \
    W(store_turns_1)      \
    W(store_turns_2)      \
    W(store_turns_4)      \
    W(store_turns_16)     \
    W(store_fs)           \
    W(store_gs)

/* memory_X writes enable to IA32_PERF_GLOBAL_CTRL (38FH), walks, and writes 0
 * there. A value that 38FH refuses raises an exception that ends the job. The
 * instructions of the loop are at memory_X_loop and up, below memory_X_end; the
 * access's is at memory_X_access, and ends at memory_X_next. */
typedef void memory_window(uint64_t enable, const struct memory_walk *walk);
#define MEMORY_WINDOW(name)                                                \
    memory_window memory_##name;                                           \
    extern const uint8_t memory_##name##_loop[], memory_##name##_access[], \
        memory_##name##_next[], memory_##name##_end[];
MEMORY_WINDOWS(MEMORY_WINDOW)
#undef MEMORY_WINDOW

#endif
