/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_fixture.h - a processor with Processor Trace and a little memory, for the
 * tests of its model: set up, instructions, and the bytes that they make.
 */
#ifndef TESTS_HOST_MODEL_PT_FIXTURE_H
#define TESTS_HOST_MODEL_PT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/tsx/tsx.h"

#define RAM       UINT64_C(0x100000)
#define RAM_BYTES UINT64_C(0x10000)
#define CODE      UINT64_C(0x123456789000)
#define USUAL     (RTIT_TRACE_EN | RTIT_OS | RTIT_BRANCH_EN)
#define OFFSET(n) ((uint64_t)(n) << 32)

static struct machine machine;
static struct processor processor;
static uint8_t ram[RAM_BYTES];

static inline uint64_t ram_read(uint64_t address)
{
    uint64_t word = 0;

    if (address >= RAM && address - RAM <= RAM_BYTES - sizeof(word))
        memcpy(&word, &ram[address - RAM], sizeof(word));
    return word;
}

static inline void ram_write(uint64_t address, const uint8_t *bytes,
                             unsigned count)
{
    assert_true(address >= RAM && address - RAM <= RAM_BYTES - count);
    memcpy(&ram[address - RAM], bytes, count);
}

static inline void put_word(uint64_t address, uint64_t word)
{
    memcpy(&ram[address - RAM], &word, sizeof(word));
}

static inline void deliver(void)
{
    static const struct pt_memory memory = {ram_read, ram_write};

    pt_output(&processor, &memory);
}

/* What the seed decides is off. */
static inline void start(const char *cpu, const char *fault)
{
    struct machine_config config = {
        .cpu = personality_find(cpu),
        .seed = 1,
        .smt = true,
    };

    assert_non_null(config.cpu);
    assert_true(fault_find(fault, &config.fault));
    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
    processor.choices.pt_begin_of_doomed = false;
    processor.choices.pt_tx_before_fup = false;
    processor.choices.pt_fup_at_start = false;
    processor.choices.pt_fup_before_pgd = false;
    processor.choices.pt_pad_one_in = 0;
    processor.choices.pt_overflow_one_in = 0;
    processor.choices.pt_int_early = 4;
    processor.choices.pt_exec_again = true;
    processor.choices.pt_ip_forms = BIT(1) | BIT(2);
    processor.choices.pt_long_tnt = false;
    processor.choices.pt_ret_pgd_has_ip = false;
    processor.choices.pt_stop_pgd_has_ip = true;
    processor.choices.pt_enables_stay = false;
    memset(ram, 0, sizeof(ram));
}

static inline uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processor, number, &value));
    return value;
}

static inline void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processor, number, value));
}

static inline bool refused(uint32_t number, uint64_t value)
{
    return !msr_write(&processor, number, value);
}

static inline struct pt_step at(uint64_t ip, uint64_t next)
{
    return (struct pt_step){.ip = ip,
                            .next = next,
                            .cr3 = 0x1000,
                            .tsc = 125 * 0x4000,
                            .cs_l = true,
                            .cycles = 3};
}

static inline void trace_on(uint64_t ctl)
{
    struct pt_step now = at(CODE - 2, CODE);

    set(IA32_RTIT_CTL, ctl);
    pt_started(&processor, &now);
    deliver();
}

static inline void trace_off(uint64_t ip)
{
    struct pt_step now = at(ip, ip + 2);

    set(IA32_RTIT_CTL, 0);
    pt_stopped(&processor, &now);
    deliver();
}

/* A page at RAM as the range, and on. */
static inline void range_on(uint64_t ctl)
{
    set(IA32_RTIT_OUTPUT_BASE, RAM);
    set(IA32_RTIT_OUTPUT_MASK_PTRS, 0xFFF);
    trace_on(ctl);
}

static inline void step(uint32_t flags, uint64_t ip, uint64_t next)
{
    struct instruction i = {.flags = flags, .length = 2};
    struct pt_step now = at(ip, next);

    pt_retired(&processor, &i, &now);
    deliver();
}

/* Jcc at ip, to 100H after it if taken. */
static inline void jcc(uint64_t ip, bool taken)
{
    step(INSTRUCTION_BRANCH | INSTRUCTION_CONDITIONAL, ip,
         taken ? ip + 0x100 : ip + 2);
}

static inline void jump_to(uint64_t ip, uint64_t to)
{
    step(INSTRUCTION_BRANCH | INSTRUCTION_INDIRECT, ip, to);
}

static inline void tx_begin(uint64_t ip)
{
    struct pt_step now = at(ip, ip + 6);

    pt_tx_begin(&processor, &now, false);
    deliver();
}

static inline void tx_nested(uint64_t ip)
{
    struct pt_step now = at(ip, ip + 6);

    pt_tx_nested(&processor, &now);
    deliver();
}

static inline void tx_commit(uint64_t ip)
{
    struct pt_step now = at(ip, ip + 3);

    pt_tx_commit(&processor, &now);
    deliver();
}

static inline void tx_abort(uint64_t ip, uint64_t to)
{
    struct pt_step now = at(ip, to);

    pt_tx_abort(&processor, &now);
    deliver();
}

/* Where the next byte goes in the current region. */
static inline unsigned offset_now(void)
{
    return (unsigned)(processor.pt.pointers >> 32);
}

/* The bytes from `from` of the range up to now, and no other. */
#define assert_bytes(from, ...)                                    \
    do {                                                           \
        const uint8_t wanted_[] = {__VA_ARGS__};                   \
        assert_int_equal(offset_now() - (from), sizeof(wanted_));  \
        assert_memory_equal(&ram[from], wanted_, sizeof(wanted_)); \
    } while (0)

/* IPBytes = 1: the low 16 bits. */
#define IP16(ip)   (uint8_t)(ip), (uint8_t)((ip) >> 8)
#define TIP_16     0x2D
#define TIP_PGD_16 0x21
#define TIP_PGE_16 0x31
#define FUP_16     0x3D

#endif
