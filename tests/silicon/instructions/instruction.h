/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instruction.h - classifies the instruction about to be executed: just enough
 * to know a branch, a transactional instruction, and what aborts a
 * transaction. Not a decoder: no operands, no lengths but its own kinds'.
 *
 * SDM volume 2, appendix "Opcode Map"; volume 1, "Programming with Intel
 * Transactional Synchronization Extensions", "Instruction Based
 * Considerations".
 */
#ifndef SILICON_INSTRUCTIONS_INSTRUCTION_H
#define SILICON_INSTRUCTIONS_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_BYTES_MAX 15

#define INSTRUCTION_BRANCH      0x01u
#define INSTRUCTION_CONDITIONAL 0x02u
#define INSTRUCTION_CALL        0x04u
#define INSTRUCTION_RETURN      0x08u
#define INSTRUCTION_FAR         0x10u
#define INSTRUCTION_BRANCHES    0x1Fu
#define INSTRUCTION_SETS_DR     0x20u   /* MOV to a debug register */
#define INSTRUCTION_GETS_DR     0x200u  /* MOV from one */
#define INSTRUCTION_INDIRECT    0x400u  /* near JMP or CALL through r/m */
#define INSTRUCTION_LOOP        0x1000u /* LOOPcc, JRCXZ */
#define INSTRUCTION_IRET        0x2000u
#define INSTRUCTION_SETS_CR3    0x800u  /* MOV to CR3 */
#define INSTRUCTION_FREES       0x4000u /* a near RET with an operand */
#define INSTRUCTION_POPF        0x8000u
#define INSTRUCTION_SLOW        0x40u /* takes many cycles */
#define INSTRUCTION_PUSHF       0x80u
#define INSTRUCTION_REPEATS     0x100u /* a string instruction with REP */

/* What the manual says of it inside a transaction. */
enum instruction_tx {
    TX_SAFE,   /* not listed: does not abort */
    TX_ABORTS, /* listed: aborts on any implementation */
    /* "In some implementations .. may always cause transactional aborts": */
    TX_MAY,       /* it does here, on every processor */
    TX_MAY_X87,   /* the rest as the processor has it: x87 and MMX state */
    TX_MAY_CACHE, /* CLFLUSH, CLFLUSHOPT, INVLPG */
    TX_MAY_HINT,  /* non-temporal loads and stores */
    TX_MAY_TABLE, /* SGDT, SIDT, SLDT, STR */
    TX_MAY_CLD,   /* if it changes DF */
    TX_MAY_STD,
    TX_BREAKPOINT, /* INT3, INT1: a breakpoint or debug exception is hit */
};

enum instruction_kind {
    INSTRUCTION_OTHER,
    INSTRUCTION_XBEGIN,
    INSTRUCTION_XEND,
    INSTRUCTION_XTEST,
    INSTRUCTION_XABORT,
    INSTRUCTION_XSUSLDTRK,
    INSTRUCTION_XRESLDTRK,
};

/* What changes the privilege level and the TF of who executes it. */
enum instruction_system {
    SYSTEM_NONE,
    SYSTEM_SYSCALL,
    SYSTEM_SYSRET, /* operand_bytes: 8 with REX.W, else 4 */
    SYSTEM_INT,    /* INT n, INT3; immediate: the vector */
};

/* A hint for HLE: SDM volume 2, "XACQUIRE/XRELEASE". */
enum elide {
    ELIDE_NONE,
    ELIDE_ACQUIRE,
    ELIDE_RELEASE,
    ELIDE_IGNORED, /* not of instruction_classify: an ignored hint */
};

struct instruction {
    enum instruction_kind kind;
    enum instruction_system system;
    enum elide elide;
    uint8_t operand_bytes; /* of one with a hint, of SYSRET, of PTWRITE */
    /* Opcode of one with a hint, 0FH in [15:8]; of one that could be taken for
     * such, by its prefix, that is there. */
    uint16_t hinted;
    enum instruction_tx tx;
    uint32_t flags;
    bool is_pause;
    bool is_ptwrite;
    bool locked;   /* by LOCK, or as XCHG with memory is */
    bool prefixed; /* by 66H, F2H, F3H: one of 0F 01; PTWRITE by 66H */
    bool short_displacement; /* rel16 */
    uint8_t length;          /* of a transactional one, a conditional branch, a
                              * near CALL, an indirect JMP, one that is
                              * `system`; else 0 */
    int32_t displacement;    /* XBEGIN: to the fallback, from the next RIP */
    uint8_t immediate;       /* XABORT, INT n */
};

/* bytes: what is readable at RIP, in 64-bit mode. */
void instruction_classify(struct instruction *i, const uint8_t *bytes,
                          size_t length);

/* From its ModR/M byte to the displacement. */
size_t instruction_operand(uint8_t modrm, uint8_t sib);

/* How long an instruction of 64-bit mode is, whatever it does; 0: it is none,
 * or longer than `length`. */
size_t instruction_bytes(const uint8_t *bytes, size_t length);

/* Where the prefixes of this byte of code begin: `at`, if it has none. */
size_t instruction_prefixes(const uint8_t *code, size_t at);

/* Whether an instruction begins at one of these bytes of code, or they are
 * another's by chance: from some places before them the instructions are
 * walked. In doubt one does. */
bool instruction_begins(const uint8_t *code, size_t bytes, size_t first,
                        size_t last);

/* Of one with a hint: where its prefixes F2H and F3H are, a bit for each byte,
 * and a neutral prefix, which may replace it and changes nothing. */
uint32_t instruction_hints(const uint8_t *bytes, size_t length,
                           uint8_t *neutral);

#endif
