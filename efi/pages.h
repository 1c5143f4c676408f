/* SPDX-License-Identifier: BSD-2-Clause */
/* pages.h - memory by pages. */
#ifndef EFI_PAGES_H
#define EFI_PAGES_H

#include <stddef.h>

/* At the start of a page; NULL where there is none, or too many are taken. */
void *allocate_pages(size_t bytes);
/* The same, below 4 GB where there are such. */
void *allocate_low_pages(size_t bytes);
void free_pages(const void *at); /* NULL: nothing */
void free_all_pages(void);

#endif
