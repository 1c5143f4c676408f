/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_guest.c - what VMRUN does: a few instructions of the guest, through the
 * nested tables. */
#include "tests/host/fakes/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NO_SUCH_EXIT 0x3ff

#include "tests/silicon/hypervisor/host/x86.h"

#define TABLES      4 /* of each processor */
#define TLB_ENTRIES 64
#define AT_ONCE     20000 /* instructions, up to an exit */
#define ADDRESS     UINT64_C(0x000FFFFFFFFFF000)
#define LARGE_MASK  (UINT64_C(0x200000) - 1)
#define NPF_USER    (UINT64_C(1) << 2)

static struct {
    uint32_t asid;
    uint64_t page, entry;
} tlb[FAKE_CPU_PROCESSORS][TLB_ENTRIES];

void fake_guest_flush(void)
{
    memset(tlb, 0, sizeof(tlb));
}

static bool set_exit(struct vcpu *v, uint64_t code, uint64_t info1,
                     uint64_t info2, uint64_t int_info)
{
    v->vmcb->exit_code = code;
    v->vmcb->exit_info1 = info1;
    v->vmcb->exit_info2 = info2;
    v->vmcb->exit_int_info = int_info;
    return false;
}

static bool allows(uint64_t entry, uint64_t npf)
{
    return (entry & NPT_PRESENT) != 0 && (entry & NPT_USER) != 0 &&
           ((npf & NPF_WRITE) == 0 || (entry & NPT_WRITE) != 0) &&
           ((npf & NPF_FETCH) == 0 || (entry & NPT_NX) == 0);
}

/* The entry that the guest's tables have for the page, or had when it was last
 * looked up, as long as that will do. */
static uint64_t translate(struct vcpu *v, uint64_t page, uint64_t npf)
{
    const struct npt *all[] = {&v->pages_free, &v->pages_step, &v->pages_catch,
                               &v->tx_pages};
    size_t n = page / PAGE_BYTES % TLB_ENTRIES;
    unsigned i = v->model->index;
    uint64_t entry = 0;

    if (tlb[i][n].asid == v->vmcb->asid && tlb[i][n].page == page &&
        allows(tlb[i][n].entry, npf))
        return tlb[i][n].entry;
    for (unsigned t = 0; t < TABLES; t++)
        if ((uint64_t)all[t]->root == v->vmcb->nested_cr3)
            entry = npt_entry(all[t], page);
    if ((entry & NPT_LARGE) != 0)
        entry = (entry & ~NPT_LARGE & ~(LARGE_MASK & ADDRESS)) |
                (page & LARGE_MASK);
    if ((entry & NPT_PRESENT) != 0) {
        tlb[i][n].asid = v->vmcb->asid;
        tlb[i][n].page = page;
        tlb[i][n].entry = entry;
    }
    return entry;
}

/* The byte as the guest reaches it; NULL: a nested page fault. */
static uint8_t *reach(struct vcpu *v, uint64_t at, uint64_t npf)
{
    if (fake_cpu.in_direct) /* there are no nested tables */
        return (uint8_t *)at;

    uint64_t entry = translate(v, at & ~(PAGE_BYTES - 1), npf);

    if (allows(entry, npf))
        return (uint8_t *)(entry & ADDRESS) + at % PAGE_BYTES;
    tlb[v->model->index][at / PAGE_BYTES % TLB_ENTRIES].page = 0;
    set_exit(v, EXIT_NPF, npf | NPF_USER | (entry & NPT_PRESENT), at, 0);
    return NULL;
}

/* The guest has no other memory. */
static bool is_memory(uint64_t at)
{
    const uint64_t start = (uint64_t)fake_cpu_page(0);

    return at >= start && at < start + FAKE_CPU_PAGES * PAGE_BYTES;
}

/* Both ends of an access, before anything of it happens. */
static bool access_data(struct vcpu *v, void *value, unsigned bytes, bool load,
                        bool store)
{
    uint64_t at = v->gprs.rdi, npf = store ? NPF_WRITE : 0;
    uint64_t next = (at + PAGE_BYTES) & ~(PAGE_BYTES - 1);
    uint8_t *b = value;

    if (reach(v, at, npf) == NULL ||
        (next < at + bytes && reach(v, next, npf) == NULL))
        return false;
    for (unsigned n = 0; n < bytes; n++) {
        uint8_t *theirs = reach(v, at + n, npf), was = *theirs;

        if (store)
            *theirs = b[n];
        if (load)
            b[n] = was;
    }
    return true;
}

static void deliver(struct vcpu *v, uint64_t event)
{
    if (fake_cpu.events_delivered == 16)
        fail_msg("too many events");
    fake_cpu.events[fake_cpu.events_delivered++] = event;
    fake_cpu.frame_rip = v->vmcb->rip;
    fake_cpu.frame_rflags = v->vmcb->rflags;
    v->vmcb->rip = (uint64_t)FAKE_CPU_HANDLER;
    v->vmcb->rflags &= ~(uint64_t)(RFLAGS_TF | RFLAGS_IF);
}

/* False: it is an exit. */
static bool raise_exception(struct vcpu *v, unsigned vector)
{
    if ((v->vmcb->intercept_exceptions >> vector & 1) != 0)
        return set_exit(v, EXIT_EXCEPTION_0 + vector, 0, 0, 0);
    deliver(v, EVENT_VALID | EVENT_TYPE_EXCEPTION | vector);
    return true;
}

struct fake_decoded {
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    unsigned at; /* of the opcode */
    bool hint, wide;
};

static bool fetch(struct vcpu *v, struct fake_decoded *d)
{
    memset(d, 0, sizeof(*d));
    for (unsigned n = 0; n < 8; n++) {
        uint64_t at = v->vmcb->rip + n;
        const uint8_t *byte;

        if (!is_memory(at))
            fail_msg("RIP %lx", (unsigned long)at);
        if (n > 0 && at % PAGE_BYTES == 0 && d->at < n && d->bytes[0] == 0x90)
            break; /* it ends before the page does */
        byte = reach(v, at, NPF_FETCH);
        if (byte == NULL)
            return false;
        d->bytes[n] = *byte;
    }
    for (;; d->at++) {
        uint8_t b = d->bytes[d->at];

        if (b != 0xF0 && b != 0xF2 && b != 0xF3 && b != 0x48 && b != 0x3E)
            return true;
        d->hint = d->hint || b == 0xF2 || b == 0xF3;
        d->wide = d->wide || b == 0x48;
    }
}

/* CMPXCHG8B [RDI] of a value that it always finds. */
static bool exchange_pair(struct vcpu *v)
{
    uint64_t value = v->gprs.rcx << 32 | (uint32_t)v->gprs.rbx;

    return access_data(v, &value, 8, true, true);
}

/* After 0FH. False: an exit. */
static bool execute_0f(struct vcpu *v, const struct fake_decoded *d,
                       unsigned *length)
{
    *length = d->at + 2;
    switch (d->bytes[d->at + 1]) {
    case 0xA2:
        return set_exit(v, EXIT_CPUID, 0, 0, 0);
    case 0x30:
    case 0x32:
        return set_exit(v, EXIT_MSR, d->bytes[d->at + 1] == 0x30, 0, 0);
    case 0x33:
        return set_exit(v, EXIT_RDPMC, 0, 0, 0);
    case 0x22:
        return set_exit(v, EXIT_CR4_WRITE, 0, 0, 0);
    case 0xC7:
        *length = d->at + 3;
        if (d->hint && fake_cpu.refuses_hints)
            break;
        return exchange_pair(v);
    default:
        break;
    }
    *length = 0;
    return raise_exception(v, VECTOR_UD);
}

/* QEMU looks at RCX once more where it counts instructions. */
static bool store_round(struct vcpu *v, unsigned bytes, unsigned length)
{
    if (v->gprs.rcx == 0)
        return true;
    if (!access_data(v, &v->vmcb->rax, bytes, false, true))
        return false;
    v->gprs.rdi += bytes;
    if (--v->gprs.rcx != 0 || fake_cpu.counts)
        v->vmcb->rip -= length;
    return true;
}

static bool execute(struct vcpu *v, const struct fake_decoded *d,
                    unsigned *length)
{
    unsigned bytes = d->wide ? 8 : 4;
    uint64_t *rax = &v->vmcb->rax, pushed = v->vmcb->rflags;
    uint64_t rdi = v->gprs.rdi;
    bool good;

    *length = d->at + 2;
    switch (d->bytes[d->at]) {
    case 0x90: /* NOP */
        *length = d->at + 1;
        return true;
    case 0x83: /* ADD RDI, 64 */
        *length = d->at + 3;
        v->gprs.rdi += 64;
        return true;
    case 0x89: /* MOV [RDI], RAX */
        return access_data(v, rax, bytes, false, true);
    case 0x8B: /* MOV RAX, [RDI] */
        return access_data(v, rax, bytes, true, false);
    case 0x87: /* XCHG [RDI], RAX */
        if (d->hint && fake_cpu.refuses_hints)
            break;
        return access_data(v, rax, bytes, true, true);
    case 0xAB: /* STOS with REP: a round */
        *length = d->at + 1;
        return store_round(v, bytes, *length);
    case 0x9C: /* PUSHFQ */
        *length = d->at + 1;
        v->gprs.rdi = v->vmcb->rsp - 8;
        good = access_data(v, &pushed, 8, false, true);
        v->gprs.rdi = rdi;
        v->vmcb->rsp -= good ? 8 : 0;
        return good;
    case 0x9D: /* POPFQ */
        *length = d->at + 1;
        v->gprs.rdi = v->vmcb->rsp;
        good = access_data(v, &v->vmcb->rflags, 8, true, false);
        v->gprs.rdi = rdi;
        v->vmcb->rsp += good ? 8 : 0;
        return good;
    case 0xF4: /* ends a test: what no handler knows */
        return set_exit(v, NO_SUCH_EXIT, 0, 0, 0);
    case 0xCC:
        return set_exit(v, EXIT_INTN, 0, 0, 0);
    case 0xCF:
        *length = d->at + 1;
        return (v->vmcb->intercept_misc1 & INTERCEPT1_IRET) == 0 ||
               set_exit(v, EXIT_IRET, 0, 0, 0);
    case 0xE2:
        if (--v->gprs.rcx != 0)
            v->vmcb->rip += (uint64_t)(int64_t)(int8_t)d->bytes[d->at + 1];
        return true;
    case 0x0F:
        return execute_0f(v, d, length);
    default:
        break;
    }
    *length = 0;
    return raise_exception(v, VECTOR_UD);
}

/* As QEMU has it: by what the host has written to DR7, too. */
static bool is_breakpoint(const struct vcpu *v)
{
    return (v->vmcb->dr7 & fake_cpu.dr7 & 2) != 0 &&
           v->vmcb->rip == fake_cpu.breakpoints[0] &&
           (v->vmcb->rflags & RFLAGS_RF) == 0;
}

/* Up to the next exit. */
static void run(struct vcpu *v)
{
    for (unsigned n = 0; n < AT_ONCE; n++) {
        bool trap = (v->vmcb->rflags & RFLAGS_TF) != 0;
        unsigned length = 0;
        struct fake_decoded d;

        if (is_breakpoint(v)) {
            v->vmcb->dr6 |= 1;
            raise_exception(v, VECTOR_DB);
            return;
        }
        if (!fetch(v, &d) || !execute(v, &d, &length))
            return;
        v->vmcb->rip += length;
        fake_cpu.executed++;
        v->vmcb->interrupt_shadow = 0;
        if (trap && length > 0) {
            v->vmcb->dr6 |= DR6_BS;
            raise_exception(v, VECTOR_DB);
            return;
        }
    }
    fail_msg("the guest goes on for ever");
}

void svm_vmrun(struct vcpu *v)
{
    fake_cpu.runs++;
    fake_cpu.run_rflags = v->vmcb->rflags;
    fake_cpu.run_shadow = v->vmcb->interrupt_shadow;
    if (v->vmcb->tlb_control == TLB_FLUSH_ALL)
        memset(tlb[v->model->index], 0, sizeof(tlb[0]));
    if (fake_cpu.exits_left > 0) {
        struct fake_cpu_exit e = fake_cpu.exits[0];

        fake_cpu.exits_left--;
        memmove(fake_cpu.exits, fake_cpu.exits + 1,
                fake_cpu.exits_left * sizeof(fake_cpu.exits[0]));
        set_exit(v, e.code, e.info1, e.info2, e.int_info);
        return;
    }
    if (v->vmcb->event_inject != 0)
        deliver(v, v->vmcb->event_inject);
    run(v);
}

/* Faults are by what is not executed here, or where the test says so. */
bool svm_direct(struct vcpu *v, const void *idtr)
{
    struct vmcb kept = *v->vmcb;
    struct gprs gprs = v->gprs;
    unsigned length = 0;
    struct fake_decoded d;

    assert_ptr_equal(idtr, &v->direct.idtr);
    assert_int_not_equal(kept.rflags & RFLAGS_TF, 0);
    assert_int_equal(v->in_guest, 1);
    fake_cpu.directs++;
    fake_cpu.dr6 |= DR6_BS;
    fake_cpu.in_direct = true;
    if (fake_cpu.direct_faults || !fetch(v, &d) || !execute(v, &d, &length))
        length = 0;
    fake_cpu.in_direct = false;
    v->vmcb->rip += length;
    if (length > 0)
        return true;
    *v->vmcb = kept;
    v->gprs = gprs;
    return false;
}

void svm_vmsave(struct vmcb *b)
{
    b->tr.selector = fake_cpu.tr;
}

void svm_vmload(const struct vmcb *b)
{
    fake_cpu.tr = b->tr.selector;
}
