/* SPDX-License-Identifier: BSD-2-Clause */
/* products.c - the product table of the white paper, and its lookup. */
#include "src/cpu/products.h"

#include <stddef.h>

#define ANY_STEPPING 15

static const struct product products[] = {
    {6, 0x55, 5, "Xeon Scalable and Xeon D, Skylake"},
    {6, 0x4e, ANY_STEPPING, "6th generation Core, Skylake"},
    {6, 0x5e, ANY_STEPPING, "6th generation Core and Xeon E3 v5, Skylake"},
    {6, 0x8e, 0xb, "7th/8th generation Core, Kaby/Coffee/Whiskey Lake"},
    {6, 0x9e, 0xc, "8th/9th generation Core, Coffee Lake"},
};

const struct product *products_find(const struct identity *id)
{
    if (!identity_is_intel(id))
        return NULL;
    for (unsigned i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        const struct product *row = &products[i];
        if (id->family == row->family && id->model == row->model &&
            id->stepping <= row->stepping_max)
            return row;
    }
    return NULL;
}

const char *products_verdict(const struct product *row,
                             const struct identity *id, enum regime regime)
{
    const enum regime updated = REGIME_B | REGIME_C | REGIME_C_PRIME |
                                REGIME_D | REGIME_E | REGIME_CONTRADICTORY;

    if (row == NULL)
        return (regime & updated) != 0 && id->tsx_force_abort
                   ? "MISMATCH: not listed, but enumerates TSX_FORCE_ABORT"
                   : "not listed, and does not enumerate TSX_FORCE_ABORT";
    if ((regime & updated) != 0)
        return "listed, and has one of the updates";
    return id->rtm ? "MISMATCH: listed and RTM is enumerated, but "
                     "TSX_FORCE_ABORT is not: microcode from before the update?"
                   : "listed, without RTM and without TSX_FORCE_ABORT";
}
