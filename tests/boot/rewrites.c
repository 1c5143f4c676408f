/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rewrites.c - an application that takes the machine over as an operating
 * system does, and again and again writes code that begins a transaction into a
 * page that it has executed before: by itself, while a counter makes
 * silicon.efi step it, in a transaction, from another processor; and code
 * whose fallback is far away. It says how often the transaction was begun. Then
 * the same of code without XBEGIN: XABORT, which does nothing outside, and a
 * lock that is elided.
 *
 * SDM volume 2, XBEGIN, XTEST, XEND, XABORT, "XACQUIRE/XRELEASE"; volume 3A,
 * "MP Initialization Protocol Algorithm", "Issuing Interprocessor Interrupts".
 */
#include "tests/boot/takeover.h"

#define IA32_PERFEVTSEL0      0x186u
#define IA32_PERF_GLOBAL_CTRL 0x38Fu
#define BRANCHES              0x4300C4u /* enabled, of all levels */

#define APIC_ICR_LOW  ((volatile uint32_t *)0xFEE00300)
#define APIC_ICR_HIGH ((volatile uint32_t *)0xFEE00310)
#define ICR_OTHER     (1u << 24)
#define ICR_INIT      0x4500u
#define ICR_STARTUP   0x4600u

#define PAGE       4096u
#define MIDDLE     256u     /* of a page: a SIPI's segment can begin there */
#define LOW_END    0x9FFFFu /* of what SIPI reaches, and firmware has */
#define TRIES      7u
#define ROUNDS     20u
#define RETRIES    100u /* of one that aborts for no reason of its own */
#define WAIT       100000000u
#define CODE_BYTES 32
#define SHARED_BYTES                                         \
    0x10 /* of the page that both processors see: CODE_BYTES \
          */
#define FALLBACK 26

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* What the code returns. */
enum { PLAIN = 7, NOT_BEGUN = 0, BEGUN = 1, ABORTED = 2 };

/* mov eax, PLAIN; ret */
static const uint8_t plain[CODE_BYTES] = {0xB8, PLAIN, 0, 0, 0, 0xC3};

static const uint8_t transaction[CODE_BYTES] = {
    0xC7, 0xF8,      FALLBACK - 6,
    0,    0,         0,    /* xbegin .fallback */
    0x0F, 0x01,      0xD6, /* xtest */
    0x74, 0x09,            /* jz .not_begun */
    0x0F, 0x01,      0xD5, /* xend */
    0xB8, BEGUN,     0,
    0,    0,         0xC3, /* mov eax, BEGUN; ret */
    0xB8, NOT_BEGUN, 0,
    0,    0,         0xC3, /* .not_begun: */
    0xB8, ABORTED,   0,
    0,    0,         0xC3, /* .fallback: */
};

static const uint8_t xabort_alone[CODE_BYTES] = {
    0xB8, BEGUN, 0, 0,    0, /* mov eax, BEGUN */
    0xC6, 0xF8,  5, 0xC3,    /* xabort 5; ret */
};

/* In the section ZF is 0 after XTEST. */
static const uint8_t elided[CODE_BYTES] = {
    0x6A, 0x00, 0x31, 0xC0, 0xFF, 0xC0, /* push 0; xor eax, eax; inc eax */
    0xF2, 0x87, 0x04, 0x24,             /* xacquire xchg [rsp], eax */
    0x0F, 0x01, 0xD6, 0x0F, 0x95, 0xC0, /* xtest; setnz al */
    0xF3, 0xC7, 0x04, 0x24, 0,    0,    0, 0, /* xrelease mov dword [rsp], 0 */
    0x59, 0xC3,                               /* pop rcx; ret */
};

/* In real mode, where DS and ES are to be filled in: waits for a byte, copies
 * the code, and clears the byte. */
#define DS_AT 2
#define ES_AT 7
static const uint8_t other_code[] = {
    0xFA,                      /* cli */
    0xB8, 0,    0, 0x8E, 0xD8, /* mov ax, shared; mov ds, ax */
    0xB8, 0,    0, 0x8E, 0xC0, /* mov ax, code; mov es, ax */
    0xA0, 0,    0, 0x84, 0xC0, /* .wait: mov al, [0]; test al, al */
    0x74, 0xF9,                /* jz .wait */
    0xBE, 0x10, 0, 0x31, 0xFF, /* mov si, SHARED_BYTES; xor di, di */
    0xB9, 0x20, 0, 0xF3, 0xA4, /* mov cx, CODE_BYTES; rep movsb */
    0xC6, 0x06, 0, 0,    0,    /* mov byte [0], 0 */
    0xEB, 0xE8,                /* jmp .wait */
};

static volatile uint8_t *code, *shared, *other;

static void copy(volatile uint8_t *to, const uint8_t *from, unsigned bytes)
{
    for (unsigned n = 0; n < bytes; n++)
        to[n] = from[n];
}

static void by_itself(const uint8_t *from)
{
    copy(code, from, CODE_BYTES);
}

static void while_stepped(const uint8_t *from)
{
    wrmsr(IA32_PERFEVTSEL0, BRANCHES);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
    copy(code, from, CODE_BYTES);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

/* Not on the page of the others, which would be stepped for its XBEGIN. */
static __attribute__((section(".text.apart"), aligned(4096))) void
in_transaction(const uint8_t *from)
{
    for (unsigned n = 0; n < RETRIES; n++) {
        uint32_t status = UINT32_MAX;

        __asm__ volatile("xbegin 1f\n1:" : "+a"(status) : : "memory");
        if (status != UINT32_MAX)
            continue;
        copy(code, from, CODE_BYTES);
        __asm__ volatile("xend" : : : "memory");
        return;
    }
}

static void by_other(const uint8_t *from)
{
    copy(shared + SHARED_BYTES, from, CODE_BYTES);
    *shared = 1;
    for (unsigned n = 0; n < WAIT && *shared != 0; n++)
        ;
}

/* Beyond 64 KiB: the code is below 1 MiB, the fallback in this image. */
static __attribute__((noinline, used)) uint32_t far_fallback(void)
{
    return ABORTED;
}

static void with_far_fallback(const uint8_t *from)
{
    uint32_t to = (uint32_t)((uint64_t)far_fallback - ((uint64_t)code + 6));

    copy(code, from, CODE_BYTES);
    if (from == transaction)
        copy(code + 2, (const uint8_t *)&to, sizeof(to));
}

static uint32_t execute(void)
{
    uint32_t (*function)(void) = (uint32_t(*)(void))(uint64_t)code;
    uint32_t result = ABORTED;

    for (unsigned n = 0; n < RETRIES && result == ABORTED; n++)
        result = function();
    return result;
}

/* On a page of its own: no transaction has been on it before. */
static void try(const char *what, void (*write)(const uint8_t *from),
                const uint8_t *from)
{
    unsigned plains = 0, begun = 0;

    for (unsigned n = 0; n < ROUNDS; n++) {
        write(plain);
        plains += execute() == PLAIN;
    }
    for (unsigned n = 0; n < ROUNDS; n++) {
        write(from);
        begun += plains == ROUNDS && execute() == BEGUN;
        write(plain);
        plains -= execute() != PLAIN;
    }
    code += PAGE;
    say_text("rewrites: ");
    say_text(what);
    say_number(" ", begun);
    say_number(" of ", ROUNDS);
    say('\n');
}

static void start_other(void)
{
    uint16_t ds = (uint16_t)((uint64_t)shared >> 4),
             es = (uint16_t)((uint64_t)code >> 4);

    copy(other, other_code, sizeof(other_code));
    copy(other + DS_AT, (const uint8_t *)&ds, sizeof(ds));
    copy(other + ES_AT, (const uint8_t *)&es, sizeof(es));
    *shared = 0;
    *APIC_ICR_HIGH = ICR_OTHER;
    *APIC_ICR_LOW = ICR_INIT;
    *APIC_ICR_HIGH = ICR_OTHER;
    *APIC_ICR_LOW = ICR_STARTUP | (uint32_t)((uint64_t)other / PAGE);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_BOOT_SERVICES *bs = system->BootServices;
    EFI_PHYSICAL_ADDRESS low = LOW_END;

    if (EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiLoaderCode,
                                    2 + TRIES, &low)) ||
        !take_over(image, bs))
        return EFI_LOAD_ERROR;
    other = (volatile uint8_t *)low;
    shared = other + PAGE;
    code = shared + PAGE + MIDDLE;
    try("itself", by_itself, transaction);
    try("stepped", while_stepped, transaction);
    try("transaction", in_transaction, transaction);
    try("far", with_far_fallback, transaction);
    try("xabort", by_itself, xabort_alone);
    try("elided", by_itself, elided);
    start_other();
    try("other", by_other, transaction);
    say_text("rewrites: end\n");
    power_off();
    return EFI_SUCCESS;
}
