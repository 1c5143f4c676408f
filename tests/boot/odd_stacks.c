/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_stacks.c - the other processors have the small stacks that firmware of
 * servers gives them (PcdCpuApStackSize is 4 KB on Purley boards), of which
 * some is taken; what lies below is watched.
 *
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#include "tests/boot/odd_stacks.h"
#include "efi/mp.h"

#include <stdint.h>

#define STACKS      8
#define STACK_BYTES 3072
#define BELOW_BYTES 32768
#define PATTERN     0xA5

static struct {
    uint8_t below[BELOW_BYTES], stack[STACK_BYTES];
} __attribute__((aligned(16))) stacks[STACKS];

static unsigned taken;
static mp_procedure started;
static EFI_STATUS(EFIAPI *startup_all)(struct mp_services *, mp_procedure,
                                       BOOLEAN, EFI_EVENT, UINTN, VOID *,
                                       UINTN **);

/* The area for what is called, which 64-bit callers of UEFI leave above the
 * return address, is at the top. */
static VOID EFIAPI on_small_stack(VOID *argument)
{
    const unsigned n = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    uint8_t *top = stacks[n % STACKS].stack + STACK_BYTES - 32;

    __asm__ volatile("mov %%rsp, %%rbx\n\t"
                     "mov %0, %%rsp\n\t"
                     "call *%1\n\t"
                     "mov %%rbx, %%rsp"
                     : "+d"(top)
                     : "r"(started), "c"(argument)
                     : "rax", "rbx", "r8", "r9", "r10", "r11", "memory", "cc");
}

static EFI_STATUS EFIAPI start_on_small(struct mp_services *mp, mp_procedure p,
                                        BOOLEAN single, EFI_EVENT event,
                                        UINTN us, VOID *argument,
                                        UINTN **failed)
{
    started = p;
    return startup_all(mp, on_small_stack, single, event, us, argument, failed);
}

void odd_stacks(EFI_BOOT_SERVICES *bs)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    struct mp_services *mp;

    if (EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&mp)))
        return;
    for (unsigned n = 0; n < STACKS; n++)
        for (unsigned i = 0; i < BELOW_BYTES; i++)
            stacks[n].below[i] = PATTERN;
    startup_all = mp->StartupAllAPs;
    mp->StartupAllAPs = start_on_small;
}

UINTN odd_stacks_used(void)
{
    return taken;
}

UINTN odd_stacks_overrun(void)
{
    UINTN most = 0;

    for (unsigned n = 0; n < STACKS; n++)
        for (unsigned i = 0; i < BELOW_BYTES; i++)
            if (stacks[n].below[i] != PATTERN && BELOW_BYTES - i > most)
                most = BELOW_BYTES - i;
    return most;
}
