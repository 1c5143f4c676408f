/* SPDX-License-Identifier: BSD-2-Clause */
/* pages.c - how many pages of code silicon.efi has looked at, and on how many
 * of them every instruction is stepped: CPUID leaf 40000001H of its own. */
#define SYS_WRITE 1L
#define SYS_EXIT  60L

static long call(long number, long a, const void *b, long c)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static void say(const char *what, unsigned number, char end)
{
    char line[64], digits[10];
    unsigned n = 0, k = 0;

    while (*what != '\0')
        line[n++] = *what++;
    do
        digits[k++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (k > 0)
        line[n++] = digits[--k];
    line[n++] = end;
    call(SYS_WRITE, 1, line, n);
}

void _start(void)
{
    unsigned looked = 0x40000001, stepped, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(looked), "=b"(stepped), "+c"(c), "=d"(d));
    say("pages of code ", looked, ',');
    say(" stepped ", stepped, '\n');
    call(SYS_EXIT, 0, (const void *)0, 0);
}
