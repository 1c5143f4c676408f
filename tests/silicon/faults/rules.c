/* SPDX-License-Identifier: BSD-2-Clause */
/* rules.c - the answers of entries that name a rule or a quantity. */
#include "tests/silicon/model/hooks.h"

bool faults_rule(const struct machine *m, enum rule rule, bool is)
{
    const struct fault *f = fault_entry(m->fault);

    return f->breaks == rule ? f->is : is;
}

bool faults_about(const struct machine *m, enum quantity quantity,
                  uint32_t number)
{
    const struct fault *f = fault_entry(m->fault);

    return f->quantity == quantity &&
           (f->number == number || f->number == ANY_NUMBER);
}

uint64_t faults_quantity(const struct machine *m, enum quantity quantity,
                         uint32_t number, uint64_t value)
{
    const struct fault *f = fault_entry(m->fault);

    if (!faults_about(m, quantity, number))
        return value;
    return ((value & ~f->clear) | f->set) + f->add;
}
