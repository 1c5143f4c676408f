/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * products.h - the products that white paper 604224 lists. A line in the
 * report; no decision rests on it.
 *
 * Tables 1.2-1, "Affected products if Intel TSX is supported", about counter 3,
 * and 2.2-2, "Affected products with Intel TSX disable microcode update". The
 * text of section 2 names client and E3 processors only, so 06_55H in table
 * 2.2-2 contradicts it.
 */
#ifndef SRC_CPU_PRODUCTS_H
#define SRC_CPU_PRODUCTS_H

#include "src/cpu/identity.h"
#include "src/cpu/regime.h"

enum product_table { TABLE_COUNTER3, TABLE_DISABLED, PRODUCT_TABLES };

struct product {
    uint16_t family, model;
    uint8_t stepping_max;
    const char *name; /* of the microarchitecture and segment, short */
};

/* "1.2-1", "2.2-2". */
const char *products_table_name(enum product_table table);

/* The row that the processor fits, or NULL: both tables list the same. Family,
 * model and stepping count, and that the vendor is Intel. */
const struct product *products_find(const struct identity *id);

/* Pure. One line on how that table and the behaviour go together. */
const char *products_verdict(enum product_table table,
                             const struct identity *id, enum regime regime);

#endif
