/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * npt.h - nested page tables: what of the machine's memory a guest may touch.
 * All of them are identity maps, filled as they are needed.
 *
 * AMD64 APM volume 2, chapter "Secure Virtual Machine", "Nested Paging".
 */
#ifndef SILICON_HYPERVISOR_HOST_NPT_H
#define SILICON_HYPERVISOR_HOST_NPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_BYTES UINT64_C(4096)

#define NPT_PRESENT UINT64_C(0x1)
#define NPT_WRITE   UINT64_C(0x2)
#define NPT_USER    UINT64_C(0x4) /* a guest's accesses are user accesses */
#define NPT_LARGE   UINT64_C(0x80)
#define NPT_HELD    UINT64_C(0x200) /* conflict.c has removed rights */
#define NPT_STEPPED UINT64_C(0x400) /* code_scan.c: it holds an XBEGIN; */
#define NPT_CODE    UINT64_C(0x800) /* it has been looked at */
#define NPT_NX      (UINT64_C(1) << 63)

struct npt {
    uint64_t *root;
    uint64_t flags; /* of what npt_fill maps */
    uint64_t *pool; /* pages for tables */
    size_t pages, used;
    volatile uint32_t lock;
};

/* pool: whole pages, the first becomes the root. */
void npt_start(struct npt *t, uint64_t *pool, size_t pages, uint64_t flags);

/* Maps the 2 MiB around the address, if it is not mapped yet. False: the pool
 * is used up. */
bool npt_fill(struct npt *t, uint64_t address);

/* Maps one page of 4 KiB with these flags, splitting a large page. False: the
 * pool is used up. */
bool npt_set_page(struct npt *t, uint64_t address, uint64_t flags);

/* The same, for a page that the guest sees at another address. */
bool npt_map_page(struct npt *t, uint64_t address, uint64_t to, uint64_t flags);

/* The entry for the address, which need not be present; 0 without a table. */
uint64_t npt_entry(const struct npt *t, uint64_t address);

/* Does the guest have that page as it is in memory, and may it store there? */
bool npt_gives(const struct npt *t, uint64_t address, bool write);

/* All rights to a page with these flags, but to store to code that has been
 * looked at. */
uint64_t npt_rights(uint64_t flags);

/* Removes all mappings. */
void npt_clear(struct npt *t);

#endif
