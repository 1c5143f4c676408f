/* SPDX-License-Identifier: BSD-2-Clause */
/* products.c - the product tables of the white paper, and their lookup. */
#include "src/cpu/products.h"

#include <stddef.h>

#define ANY_STEPPING 15

/* Both tables list these. */
static const struct product products[] = {
    {6, 0x55, 5, "Xeon Scalable and Xeon D, Skylake"},
    {6, 0x4e, ANY_STEPPING, "6th generation Core, Skylake"},
    {6, 0x5e, ANY_STEPPING, "6th generation Core and Xeon E3 v5, Skylake"},
    {6, 0x8e, 0xb, "7th/8th generation Core, Kaby/Coffee/Whiskey Lake"},
    {6, 0x9e, 0xc, "8th/9th generation Core, Coffee Lake"},
};

const char *products_table_name(enum product_table table)
{
    return table == TABLE_COUNTER3 ? "1.2-1" : "2.2-2";
}

const struct product *products_find(const struct identity *id)
{
    if (!identity_is_intel(id))
        return NULL;
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        const struct product *row = &products[i];
        if (id->family == row->family && id->model == row->model &&
            id->stepping <= row->stepping_max)
            return row;
    }
    return NULL;
}

/* The update of October 2018, after which counter 3 may be in use. */
static const char *verdict_counter3(bool listed, const struct identity *id,
                                    enum regime regime)
{
    if (!listed)
        return id->tsx_force_abort
                   ? "MISMATCH: not listed, but enumerates TSX_FORCE_ABORT"
                   : "not listed, and does not enumerate TSX_FORCE_ABORT";
    if (regime == REGIME_B)
        return "listed, and has the update of October 2018";
    if (id->tsx_force_abort)
        return "listed, and has an update that takes its place";
    return id->rtm ? "MISMATCH: listed and RTM is enumerated, but "
                     "TSX_FORCE_ABORT is not: microcode from before the update?"
                   : "listed, without RTM and without TSX_FORCE_ABORT";
}

/* The update of June 2021, which disables TSX. */
static const char *verdict_disabled(const struct product *row,
                                    const struct identity *id,
                                    enum regime regime)
{
    const unsigned has = REGIME_C | REGIME_C_PRIME | REGIME_D | REGIME_E;

    if ((regime & has) != 0)
        return row != NULL
                   ? "listed, and has the update of June 2021"
                   : "MISMATCH: not listed, but is as after the update of June "
                     "2021";
    if (row == NULL)
        return id->rtm_always_abort
                   ? "not listed, but RTM_ALWAYS_ABORT says that TSX is "
                     "disabled"
                   : "not listed, and is not as after the update of June 2021";
    return row->model == 0x55
               ? "listed, but without the update of June 2021, which section 2 "
                 "has for client processors alone"
               : "listed, but without the update of June 2021";
}

const char *products_verdict(enum product_table table,
                             const struct identity *id, enum regime regime)
{
    const struct product *row = products_find(id);

    if (regime == REGIME_CONTRADICTORY)
        return row != NULL ? "listed; which update it has cannot be told"
                           : "not listed; which update it has cannot be told";
    return table == TABLE_COUNTER3 ? verdict_counter3(row != NULL, id, regime)
                                   : verdict_disabled(row, id, regime);
}
