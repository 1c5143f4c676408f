/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed counters take every bit of their width, each its own, and none
 * above. Nothing counts meanwhile. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/smi_guard.h"

struct reads {
    uint64_t rdmsr, rdpmc;
    int vector; /* of RDPMC */
};

static struct reads read_both(struct test_context *t, unsigned n)
{
    struct reads r = {.rdmsr = msr_value(t, IA32_FIXED_CTR(n))};

    r.rdpmc = ~r.rdmsr;
    r.vector = hw_pmc_read(RDPMC_FIXED | n, &r.rdpmc);
    return r;
}

static void check_reads(struct test_context *t, unsigned n, uint64_t want,
                        const struct reads *r)
{
    check(t, r->rdmsr == want && r->rdpmc == want,
          "IA32_FIXED_CTR%u (%XH) written with 0x%lx reads 0x%lx, and RDPMC of "
          "40000000H + %u 0x%lx (%s)",
          n, IA32_FIXED_CTR(n), want, r->rdmsr, n, r->rdpmc,
          fault_name(r->vector));
}

/* A value of one of them: firmware that counts, too, may write it in SMM. */
struct written {
    struct test_context *t;
    unsigned n;
    uint64_t value;
    struct reads reads;
};

static bool write_once(void *argument)
{
    struct written *w = argument;

    if (!set_msr_again(w->t, IA32_FIXED_CTR(w->n), w->value))
        return false;
    w->reads = read_both(w->t, w->n);
    return true;
}

static bool write_within(struct test_context *t, unsigned n, uint64_t mask)
{
    const uint64_t values[] = {mask,
                               0,
                               mask & UINT64_C(0x5555555555555555),
                               mask & UINT64_C(0xaaaaaaaaaaaaaaaa),
                               mask ^ mask >> 1,
                               mask & test_random(t)};

    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct written w = {.t = t, .n = n, .value = values[i]};
        if (!smi_guard(t, write_once, &w, NULL))
            return false;
        check_reads(t, n, values[i], &w.reads);
    }
    return true;
}

/* The bits above its width, each alone; the counter holds a value below. */
struct beyond {
    struct test_context *t;
    unsigned n;
    uint64_t mask, accepted;
    struct reads reads;
};

static bool write_bits_beyond(void *argument)
{
    struct beyond *b = argument;

    b->accepted = 0;
    if (!set_msr_again(b->t, IA32_FIXED_CTR(b->n), 0x1234))
        return false;
    for (unsigned bit = 0; bit < 64; bit++)
        if ((b->mask >> bit & 1) == 0 &&
            try_set_msr_again(b->t, IA32_FIXED_CTR(b->n), BIT(bit)) != HW_GP)
            b->accepted |= BIT(bit);
    b->reads = read_both(b->t, b->n);
    return true;
}

/* "Reserved and must be written as zeros." */
static bool write_beyond(struct test_context *t, unsigned n, uint64_t mask)
{
    struct beyond b = {.t = t, .n = n, .mask = mask};
    char bits[BITS_NAME_BYTES];

    if (!smi_guard(t, write_bits_beyond, &b, NULL))
        return false;
    check(t, b.accepted == 0 || !identity_is_native(test_cpu(t)),
          "IA32_FIXED_CTR%u (%XH): bits %s above its width raised no #GP, each "
          "written alone; wanted #GP",
          n, IA32_FIXED_CTR(n), bits_name(b.accepted, bits));
    if (b.accepted == 0)
        check_reads(t, n, 0x1234, &b.reads);
    return true;
}

/* A field of 38DH cleared and set again while each counter has a value. */
struct cleared {
    struct test_context *t;
    unsigned fixed, field;
    uint64_t mask;
    struct reads reads[BANK_FIXED];
};

static uint64_t value_of(const struct cleared *c, unsigned n)
{
    return c->mask / (n + 2); /* another one in each */
}

static bool clear_field(void *argument)
{
    struct cleared *c = argument;
    uint64_t all = 0;

    for (unsigned n = 0; n < c->fixed; n++)
        all |= IA32_FIXED_CTR_CTRL_OS(n) | IA32_FIXED_CTR_CTRL_USR(n);
    bool ok = set_msr_again(c->t, IA32_FIXED_CTR_CTRL, all);
    for (unsigned n = 0; ok && n < c->fixed; n++)
        ok = set_msr_again(c->t, IA32_FIXED_CTR(n), value_of(c, n));
    if (!ok ||
        !set_msr_again(c->t, IA32_FIXED_CTR_CTRL,
                       all & ~BITS(4 * c->field + 3, 4 * c->field)) ||
        !set_msr_again(c->t, IA32_FIXED_CTR_CTRL, all))
        return false;
    for (unsigned n = 0; n < c->fixed; n++)
        c->reads[n] = read_both(c->t, n);
    return true;
}

/* It changes none of them. */
static void try_fields(struct test_context *t, unsigned fixed, uint64_t mask)
{
    struct cleared c = {.t = t, .fixed = fixed, .mask = mask};

    for (c.field = 0; c.field < fixed; c.field++) {
        if (!smi_guard(t, clear_field, &c, NULL))
            return;
        WITH_PREFIX (t,
                     "IA32_FIXED_CTR_CTRL (38DH)[%u:%u] written with 0, and "
                     "with 3 again",
                     4 * c.field + 3, 4 * c.field)
            for (unsigned n = 0; n < fixed; n++)
                check_reads(t, n, value_of(&c, n), &c.reads[n]);
    }
    set_msr_again(t, IA32_FIXED_CTR_CTRL, 0);
}

TEST(fixed_counter_writes,
     .asks = "Do the fixed counters hold every bit of their width, and no "
             "other?",
     .cite = "SDM 3B, \"Fixed-function Performance Counters\"; SDM 2B, RDPMC",
     .needs = {.features = NEED_INTEL | NEED_PMU})
{
    const struct identity *id = test_cpu(t);
    const unsigned fixed = bank_fixed(id);
    const uint64_t mask = bank_mask(id, PLACE_FIXED0);

    if (fixed == 0) {
        skip(t, "needs a fixed counter; CPUID.0AH:EDX[4:0] is 0");
        return;
    }
    if (!counters_claim(t))
        return;
    for (unsigned n = 0; n < fixed; n++)
        if (!write_within(t, n, mask) || !write_beyond(t, n, mask))
            return;
    try_fields(t, fixed, mask);
}
