/* SPDX-License-Identifier: BSD-2-Clause */
/* say.h - system calls of programs to which nothing is linked, and a line with
 * a number on standard output. */
#ifndef TESTS_LINUX_SAY_H
#define TESTS_LINUX_SAY_H

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

static void say(const char *what, unsigned number)
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
    line[n++] = '\n';
    call(SYS_WRITE, 1, line, n);
}

#endif
