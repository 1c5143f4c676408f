/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_rows_cases.c - the cases of Processor Trace whose code a host cannot
 * execute (traced_rows.c). Code and stack have to be below 4 GB. */
#define _GNU_SOURCE
#include "tests/host/cases/pt/pt_fixture.h"

#include <pthread.h>
#include <sys/mman.h>

#define STACK_BYTES (1u << 22)

#define CASES(ROW)                                   \
    ROW(pt_ip_compression, PASS, PASS,               \
        "pt_ret_tip_16 pt_ptw_fup_16 pt_cfe_fup_16 " \
        "pt_ret_low_21 pt_ret_low_32")               \
    ROW(pt_mode_exec, PASS, PASS, "")
TRACED_GROUP(CASES)

int main(void)
{
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0),
         *failed = stack;
    pthread_attr_t low;
    pthread_t thread;

    if (stack == MAP_FAILED || pthread_attr_init(&low) != 0 ||
        pthread_attr_setstack(&low, stack, STACK_BYTES) != 0 ||
        pthread_create(&thread, &low, run_group, NULL) != 0 ||
        pthread_join(thread, &failed) != 0)
        return 1;
    return failed != NULL;
}
