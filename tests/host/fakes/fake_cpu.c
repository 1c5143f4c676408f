/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_cpu.c - the instructions of x86.h and svm.asm, for unit tests. */
#include "tests/host/fakes/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/host/x86.h"

#define TABLES      4 /* of each processor */
#define TABLE_PAGES 32
#define TURNS_MAX   20000
#define ALIGNED     __attribute__((aligned(4096)))

struct fake_cpu fake_cpu;
struct hypervisor hypervisor;
const char svm_nmi_handler[1], svm_sleep_handler[1], svm_halt_handler[1];
const char svm_direct_trap[1], svm_direct_fault[1];
const char vcpu_leave_point[1], vcpu_wake_point[1];
const char vcpu_takeover_point[8];

static uint8_t memory[FAKE_CPU_PAGES][PAGE_BYTES] ALIGNED;
static uint64_t tables[FAKE_CPU_PROCESSORS][TABLES][TABLE_PAGES][512] ALIGNED;
static uint8_t copies[FAKE_CPU_PROCESSORS][TX_PAGES_OPEN + 2 * OVERLAYS_MAX]
                     [PAGE_BYTES] ALIGNED;
static struct undo_line logs[FAKE_CPU_PROCESSORS][UNDO_LINES];
static uint64_t lines[FAKE_CPU_PROCESSORS][LINE_ENTRIES];
static struct vmcb vmcbs[FAKE_CPU_PROCESSORS] ALIGNED;
static struct vcpu vcpus[FAKE_CPU_PROCESSORS];
static struct block blocks[FAKE_CPU_PROCESSORS][BLOCKS_KNOWN];
static struct processor models[FAKE_CPU_PROCESSORS];
static jmp_buf end;

void host_tables_load(struct vcpu *v)
{
    direct_never(v);
}

void host_tables_follow(const struct vcpu *v)
{
    (void)v;
}

/* --- x86.h --------------------------------------------------------------- */

uint64_t rdmsr(uint32_t number)
{
    if (number >= 0xC0000081 && number <= 0xC0000084)
        return fake_cpu.star[number - 0xC0000081];
    return number == IA32_APIC_BASE
               ? (uint64_t)fake_cpu.apic | fake_cpu.apic_mode
               : 0;
}

void wrmsr(uint32_t number, uint64_t value)
{
    fake_cpu.msr = number;
    fake_cpu.msr_value = value;
}

void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)leaf;
    (void)subleaf;
    memset(out, 0xFF, 4 * sizeof(out[0]));
}

void read_breakpoints(uint64_t at[4])
{
    memcpy(at, fake_cpu.breakpoints, sizeof(fake_cpu.breakpoints));
}

uint64_t rdtsc(void)
{
    static uint64_t tsc;

    return fake_cpu.counts ? fake_cpu.executed : (tsc += 100);
}

uint16_t read_tr(void)
{
    return fake_cpu.tr;
}

void write_cr3(uint64_t value)
{
    fake_cpu.cr3 = value;
}

void write_dr0(uint64_t value)
{
    fake_cpu.breakpoints[0] = value;
}

void write_dr7(uint64_t value)
{
    fake_cpu.dr7 = value;
}

void write_dr6(uint64_t value)
{
    fake_cpu.dr6 = value;
}

void cpu_pause(void)
{
    struct vcpu *v = fake_cpu.other;

    if (fake_cpu.running != NULL)
        fake_cpu.running->in_guest = 0;
    if (v == NULL)
        return;
    fake_cpu.other = NULL; /* it does not wait for this one */
    loop_round(v);
    fake_cpu.other = v;
}

/* --- The rest of the hypervisor ------------------------------------------ */

bool sweep_injects_gp(uint64_t rip)
{
    (void)rip;
    return fake_cpu.sweep_injects_gp;
}

bool sweep_injects_ud(uint64_t rip)
{
    (void)rip;
    return fake_cpu.sweep_injects_ud;
}

void log_panic(struct vcpu *v, const char *what, uint64_t a, uint64_t b)
{
    (void)v;
    (void)a;
    (void)b;
    fake_cpu.reason = what;
    longjmp(end, 1);
}

/* --- svm.asm and extended.asm --------------------------------------------- */

void svm_fxsave(uint8_t *image)
{
    image[0] = fake_cpu.x87;
}

void svm_fxrstor(const uint8_t *image)
{
    fake_cpu.x87 = image[0] != 0;
}

void svm_xsave(uint8_t *image)
{
    svm_fxsave(image);
    image[XSAVE_HEADER] |= 1;
}

void svm_xrstor(const uint8_t *image)
{
    svm_fxrstor(image);
}

void svm_take_nmi(const void *idtr, uint32_t *pending)
{
    (void)idtr;
    *pending = 0;
}

void svm_sleep(const void *idtr, uint32_t *pending, const uint32_t *awake)
{
    (void)idtr;
    fake_cpu.sleeps++;
    *pending = 0;
    if (awake != &vcpus[0].awake) /* the test goes on as processor 0 */
        return;
    for (unsigned n = 0; *awake == 0 && fake_cpu.asleep != NULL; n++) {
        assert_true(n < TURNS_MAX);
        fake_cpu.asleep();
    }
}

void svm_wait_until_tsc(uint64_t tsc, uint64_t instruction_tsc)
{
    fake_cpu.waited_until = tsc;
    fake_cpu.instruction_tsc = instruction_tsc;
}

void svm_take_interrupt(const void *idtr, volatile uint32_t *eoi)
{
    (void)idtr;
    *eoi = 0;
}

uint32_t svm_tsc_per_64(void)
{
    return fake_cpu.tsc_per_64;
}

void gate_set(struct gate *g, const char *handler)
{
    (void)handler;
    g->flags = GATE_INTERRUPT;
}

/* --- For tests ----------------------------------------------------------- */

static void start_vcpu(unsigned n)
{
    struct vcpu *v = &vcpus[n];
    struct npt *all[] = {&v->pages_free, &v->pages_step, &v->pages_catch,
                         &v->tx_pages};
    uint64_t flags = NPT_PRESENT | NPT_WRITE | NPT_USER;

    memset(v, 0, sizeof(*v));
    memset(&vmcbs[n], 0, sizeof(vmcbs[n]));
    v->vmcb = &vmcbs[n];
    v->vmcb_address = (uint64_t)v->vmcb;
    v->model = &models[n];
    for (unsigned t = 0; t < TABLES; t++)
        npt_start(all[t], tables[n][t][0], TABLE_PAGES,
                  t == 2   ? flags | NPT_NX
                  : t == 3 ? 0
                           : flags);
    v->tx.shadow = copies[n][0];
    v->tx.undo = logs[n];
    memset(lines[n], 0, sizeof(lines[n]));
    lines_start(&v->tx.lines, lines[n]);
    memset(blocks[n], 0, sizeof(blocks[n]));
    v->blocks.known = blocks[n];
    for (unsigned i = 0; i < OVERLAYS_MAX; i++) {
        v->overlays[i].copy = copies[n][TX_PAGES_OPEN + 2 * i];
        v->overlays[i].before = copies[n][TX_PAGES_OPEN + 2 * i + 1];
    }
    v->tx.not_elided = v->code_page = UINT64_MAX;
    v->entered = true;
    v->vmcb->rip = (uint64_t)memory[n];
    v->vmcb->rsp = (uint64_t)memory[4];
    v->vmcb->rflags = RFLAGS_IF | 2;
    step_set_mode(v, MODE_FREE);
}

void fake_cpu_start(const char *cpu, const char *fault)
{
    struct machine_config config = {
        .cpu = personality_find(cpu), .seed = 1, .smt = true};

    assert_non_null(config.cpu);
    assert_true(fault_find(fault, &config.fault));
    memset(&fake_cpu, 0, sizeof(fake_cpu));
    fake_cpu.apic_mode = 0x800;
    memset(memory, 0, sizeof(memory));
    fake_guest_flush();
    memset(FAKE_CPU_HANDLER, 0x90, 64);
    hypervisor = (struct hypervisor){
        .models = models,
        .vcpus = vcpus,
        .processors = FAKE_CPU_PROCESSORS,
        .apic_ids = {0, 1},
        .ram = {{(uint64_t)memory, (uint64_t)memory + sizeof(memory)}},
        .ram_ranges = 1,
    };
    machine_start(&hypervisor.machine, &config, FAKE_CPU_PROCESSORS);
    hypervisor.machine.uncore.tsc = rdtsc;
    for (unsigned n = 0; n < FAKE_CPU_PROCESSORS; n++) {
        processor_start(&models[n], &hypervisor.machine, n, n);
        models[n].choices.spontaneous_one_in = 0;
        models[n].choices.tx_may = 0;
        models[n].choices.garble = 0;
        start_vcpu(n);
    }
}

struct vcpu *fake_cpu_vcpu(unsigned n)
{
    return &vcpus[n];
}

uint8_t *fake_cpu_page(unsigned n)
{
    assert_true(n < FAKE_CPU_PAGES);
    return memory[n];
}

void fake_cpu_code(struct vcpu *v, const void *bytes, size_t length)
{
    memcpy((void *)v->vmcb->rip, bytes, length);
}

void fake_cpu_marked(struct vcpu *v, const void *bytes, size_t length)
{
    fake_cpu_code(v, bytes, length);
    assert_true(npt_fill(&v->pages_free, v->vmcb->rip));
    assert_true(npt_set_page(&v->pages_free, v->vmcb->rip,
                             NPT_PRESENT | NPT_WRITE | NPT_USER | NPT_NX));
}

void fake_cpu_exit(uint64_t code, uint64_t info1, uint64_t info2,
                   uint64_t int_info)
{
    assert_true(fake_cpu.exits_left < 8);
    fake_cpu.exits[fake_cpu.exits_left++] =
        (struct fake_cpu_exit){code, info1, info2, int_info};
}

static bool turn(struct vcpu *v)
{
    if (setjmp(end) != 0)
        return false;
    loop_round(v);
    return true;
}

bool fake_cpu_rounds(struct vcpu *v, unsigned turns)
{
    fake_cpu.reason = NULL;
    while (turns-- > 0)
        if (!turn(v))
            return false;
    return true;
}

bool fake_cpu_until(struct vcpu *v, const uint8_t *rip)
{
    for (unsigned n = 0; n < TURNS_MAX; n++) {
        if (v->vmcb->rip == (uint64_t)rip && v->vmcb->event_inject == 0)
            return true;
        if (!fake_cpu_rounds(v, 1))
            return false;
    }
    return false;
}
