/* SPDX-License-Identifier: BSD-2-Clause */
/* pages.c - how many pages of code silicon.efi has looked at, and on how many
 * of them every instruction is stepped: CPUID leaf 40000001H of its own. */
#include "tests/linux/say.h"

void _start(void)
{
    unsigned looked = 0x40000001, stepped, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(looked), "=b"(stepped), "+c"(c), "=d"(d));
    say("pages: looked at ", looked);
    say("pages: stepped ", stepped);
    call(SYS_EXIT, 0, 0, 0);
    __builtin_unreachable();
}
