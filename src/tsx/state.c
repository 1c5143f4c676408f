/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - plants registers, runs a transaction, compares. */
#include "src/tsx/state.h"

#include "asm/tsx_bodies.h"
#include "src/base/mem.h"
#include "src/base/names.h"

/* CF, PF, AF, ZF, SF, OF; DF; all that PUSHF stores, RF and VM left out. */
#define STATUS_FLAGS UINT64_C(0x8d5)
#define FLAG_DF      UINT64_C(0x400)
#define FLAGS_STORED UINT64_C(0x3c7fd5)
#define FLAGS_FIXED  UINT64_C(0x2)

/* SDM 1, "Instruction Based Considerations": SSE on XMM amid AVX on YMM may
 * abort; where a change of one into the other is an assist (OTHER_ASSISTS,
 * C1H/08H and 10H) the upper halves are not in use beside SSE. */
static uint64_t components_of(const struct test_context *t,
                              const struct state_row *row, uint64_t components)
{
    const bool sse =
        row->change == tsx_change_xmm || row->change == tsx_change_both;
    const bool assists = identity_generation(test_cpu(t)) <= BROADWELL;

    return sse && assists ? components & (XCR0_X87 | XCR0_SSE) : components;
}

/* What memory holds before. */
#define STORED_BEFORE UINT64_C(0x0f1e2d3c4b5a6978)

#define LINE_BYTES 64

#define RAX 0
#define RSP 4
#define RBP 5

/* SDM 1, tables "Format of an FXSAVE Area" and "Format of an XSAVE Area". */
#define AREA_FCW      0
#define AREA_FSW      2
#define AREA_FTW      4
#define AREA_MXCSR    24
#define AREA_ST       32
#define AREA_XMM      160
#define AREA_STATE_BV 512
#define MXCSR_BEFORE  0x5f95u /* masked, other rounding, some flags */
#define MXCSR_CHANGED 0xa06au /* tsx_change_xmm: each bit */
#define FCW_BEFORE    0x027fu /* masked, other precision than FNINIT's */
#define FSW_BEFORE    0x6f01u /* top 5; C3 to C0; IE, which is masked */
#define FEATURE_XSAVE (UINT32_C(1) << 26) /* CPUID.1:ECX */
#define KNOWN                                                        \
    (XCR0_X87 | XCR0_SSE | XCR0_AVX | XCR0_OPMASK | XCR0_ZMM_HI256 | \
     XCR0_HI16_ZMM)
#define ZMM (XCR0_OPMASK | XCR0_ZMM_HI256 | XCR0_HI16_ZMM)

/* A kind of register in an area: so many, so far apart. */
struct kind {
    const char *name;
    unsigned component; /* of the area: where it begins is CPUID.0DH's affair */
    unsigned at, count, step, bytes;
};
static const struct kind kinds[] = {
    {"FCW", 0, AREA_FCW, 1, 0, 2},           {"FSW", 0, AREA_FSW, 1, 0, 2},
    {"FTW", 0, AREA_FTW, 1, 0, 1},           {"ST", 0, AREA_ST, 8, 16, 10},
    {"MXCSR", 1, AREA_MXCSR, 1, 0, 4},       {"XMM", 1, AREA_XMM, 16, 16, 16},
    {"upper half of YMM", 2, 0, 16, 16, 16}, {"K", 5, 0, 8, 8, 8},
    {"upper half of ZMM", 6, 0, 16, 32, 32}, {"ZMM16 +", 7, 0, 16, 64, 64},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Registers that are not as they must be; the first is named. */
struct differences {
    unsigned tries, registers;
    char first[40];
    uint64_t got, want;
};

uint64_t state_components(const struct identity *id)
{
    struct hw_cpuid leaf;

    hw_cpuid(1, 0, &leaf);
    if ((leaf.ecx & FEATURE_XSAVE) == 0 || id->leaf_max < 0xd)
        return 0;
    hw_cpuid(0xd, 0, &leaf);
    uint64_t all = leaf.eax & KNOWN;
    return (all & ZMM) == ZMM ? all : all & ~ZMM;
}

/* Where a kind begins; components from 2 on by CPUID.0DH.n:EBX. */
static unsigned begin_of(const struct kind *kind)
{
    struct hw_cpuid leaf;

    if (kind->component < 2)
        return kind->at;
    hw_cpuid(0xd, kind->component, &leaf);
    return leaf.ebx;
}

static bool has_kind(const struct kind *kind, uint64_t components)
{
    return kind->component < 2 || (components >> kind->component & 1) != 0;
}

static void put(uint8_t *area, unsigned at, uint64_t value, unsigned bytes)
{
    memcpy(area + at, &value, bytes);
}

static void plant_area(struct test_context *t, struct tsx_state *s)
{
    memset(s->x_before, 0, TSX_STATE_AREA);
    for (unsigned k = 0; k < KINDS; k++) {
        if (!has_kind(&kinds[k], s->components))
            continue;
        unsigned begin = begin_of(&kinds[k]);
        for (unsigned n = 0; n < kinds[k].count; n++)
            for (unsigned i = 0; i < kinds[k].bytes; i++)
                s->x_before[begin + n * kinds[k].step + i] =
                    (uint8_t)test_random(t);
    }
    /* Numbers as an x87 has them: the integer bit set, no special exponent. */
    for (unsigned n = 0; n < 8; n++) {
        s->x_before[AREA_ST + 16 * n + 7] |= 0x80;
        s->x_before[AREA_ST + 16 * n + 9] = 0x3f;
    }
    put(s->x_before, AREA_FCW, FCW_BEFORE, 2);
    put(s->x_before, AREA_FSW, FSW_BEFORE, 2);
    put(s->x_before, AREA_FTW, 0xff, 1);
    put(s->x_before, AREA_MXCSR, MXCSR_BEFORE, 4);
    put(s->x_before, AREA_STATE_BV, s->components, 8);
}

static void plant(struct test_context *t, struct tsx_state *s, unsigned turn)
{
    for (unsigned n = 0; n < TSX_STATE_REGISTERS; n++) {
        s->before[n] = test_random(t);
        s->after[n] = ~s->before[n];
    }
    s->flags_before = FLAGS_FIXED | ((turn & 1) != 0 ? STATUS_FLAGS : 0) |
                      ((turn & 2) != 0 ? FLAG_DF : 0);
    s->flags_after = ~s->flags_before;
    s->stored_inner = STORED_BEFORE;
    memcpy(s->stored, &s->stored_inner, sizeof(s->stored));
    plant_area(t, s);
    memset(s->x_after, 0xa5, TSX_STATE_AREA);
}

static void add(struct differences *d, const char *name, unsigned n,
                unsigned count, uint64_t got, uint64_t want)
{
    if (d->registers++ != 0)
        return;
    if (count > 1)
        text_format(d->first, sizeof(d->first), "%s%u", name, n);
    else
        text_format(d->first, sizeof(d->first), "%s", name);
    d->got = got;
    d->want = want;
}

static void compare_general(const struct tsx_state *s, bool committed,
                            struct differences *d)
{
    static const char *const names[] = {
        "RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
        "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    bool changed = committed && (s->change == tsx_change_general ||
                                 s->change == tsx_change_both);
    uint64_t flags = s->flags_before ^ (changed ? STATUS_FLAGS : 0);

    if (committed && s->change == tsx_change_direction)
        flags ^= FLAG_DF;
    for (unsigned n = 0; n < TSX_STATE_REGISTERS; n++) {
        uint64_t want = changed ? ~s->before[n] : s->before[n];
        if (changed && n == RSP)
            want = s->before[n] + TSX_STATE_POPPED;
        /* XCHG has put there what the lock was; after an abort it is what the
         * XCHG that is executed again has stored. */
        if (s->begin == tsx_begin_hle && n == RAX)
            want = committed ? 0 : s->before[n];
        /* What changes DF goes by way of RAX. */
        else if (n == RAX && committed && s->change == tsx_change_direction)
            continue;
        /* The abort status, a write of EAX: the upper half is 0, or as it was.
         */
        else if (n == RAX && !committed)
            want =
                (s->after[n] >> 32 != 0 ? s->before[n] & ~UINT64_C(0xffffffff)
                                        : 0) |
                (uint32_t)s->after[n];
        if (s->after[n] != want)
            add(d, names[n], 0, 1, s->after[n], want);
    }
    if (((s->flags_after ^ flags) & FLAGS_STORED) != 0)
        add(d, "RFLAGS", 0, 1, s->flags_after & FLAGS_STORED,
            flags & FLAGS_STORED);
}

/* What a transaction that committed has made of one byte. */
static uint8_t changed_byte(const struct tsx_state *s, const struct kind *kind,
                            uint8_t byte, unsigned i)
{
    const bool xmm =
        s->change == tsx_change_xmm || s->change == tsx_change_both;

    if (xmm && kind->at == AREA_MXCSR)
        return (uint8_t)(MXCSR_CHANGED >> 8 * i);
    if ((xmm || s->change == tsx_change_ymm) && kind->at == AREA_XMM)
        return (uint8_t)~byte;
    return s->change == tsx_change_ymm && kind->component == 2 ? (uint8_t)~byte
                                                               : byte;
}

static void compare_register(const struct tsx_state *s, const struct kind *kind,
                             unsigned n, bool committed, struct differences *d)
{
    unsigned at = begin_of(kind) + n * kind->step, wrong = kind->bytes;
    uint8_t want[64];

    for (unsigned i = kind->bytes; i-- != 0;) {
        want[i] = s->x_before[at + i];
        if (committed)
            want[i] = changed_byte(s, kind, want[i], i);
        if (s->x_after[at + i] != want[i])
            wrong = i;
    }
    if (wrong == kind->bytes)
        return;
    /* The quadword in which the first byte differs. */
    unsigned from = wrong / 8 * 8;
    unsigned bytes = kind->bytes - from < 8 ? kind->bytes - from : 8;
    uint64_t got_value = 0, want_value = 0;
    memcpy(&got_value, &s->x_after[at + from], bytes);
    memcpy(&want_value, &want[from], bytes);
    add(d, kind->name, n, kind->count, got_value, want_value);
}

/* What tsx_change_memory and _stored have inverted, unless that was undone. */
static void compare_memory(const struct tsx_state *s, bool committed,
                           struct differences *d)
{
    const bool inner = committed && s->change == tsx_change_memory,
               changed = inner || (committed && s->change == tsx_change_stored);
    const uint64_t want = changed ? ~STORED_BEFORE : STORED_BEFORE,
                   want_inner = inner ? ~STORED_BEFORE : STORED_BEFORE;
    uint64_t stored;

    memcpy(&stored, s->stored, sizeof(stored));
    if (stored != want)
        add(d, "a quadword on two lines", 0, 1, stored, want);
    if (s->stored_inner != want_inner)
        add(d, "a quadword of an inner transaction", 0, 1, s->stored_inner,
            want_inner);
}

static void compare_area(const struct tsx_state *s, bool committed,
                         struct differences *d)
{
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned n = 0;
             has_kind(&kinds[k], s->components) && n < kinds[k].count; n++)
            compare_register(s, &kinds[k], n, committed, d);
}

static void judge(struct test_context *t, const struct state_row *row,
                  const struct differences *d, unsigned times,
                  const char *outcome, const char *want)
{
    check(t, d->tries == 0,
          "%s, %s: %s is 0x%lx, wanted 0x%lx %s; %u registers differ in %u of "
          "%u",
          row->what, outcome, d->first, d->got, d->want, want, d->registers,
          d->tries, times);
}

uint64_t *state_argument(struct test_context *t)
{
    struct tsx_state *s = test_buffer(t);

    return (uint64_t *)&s[1];
}

struct start {
    const uint8_t *begin;
    const void *from; /* of tsx_end_reads; NULL: of another end */
    uint64_t lines;
};

static unsigned try_row(struct test_context *t, const struct state_row *row,
                        const struct start *start, uint64_t components,
                        unsigned times)
{
    struct tsx_state *s = test_buffer(t);
    struct differences aborted = {0}, committed = {0};
    unsigned commits = 0, aborts = 0, inner = 0, faults = 0;
    int vector = HW_NO_FAULT;

    _Static_assert(sizeof(*s) < TEST_BUFFER_BYTES / 2, "and lines to store to");
    for (unsigned i = 0; i < times; i++) {
        *s = (struct tsx_state){.begin = start->begin,
                                .change = row->change,
                                .end = row->end,
                                .components = components_of(t, row, components),
                                .argument = (uintptr_t)state_argument(t)};
        if (start->from != NULL) {
            s->argument = (uintptr_t)start->from;
            s->count = start->lines;
        }
        plant(t, s, i);
        if (start->begin == tsx_begin_hle) {
            s->before[RBP] = s->argument;
            *(volatile uint64_t *)(uintptr_t)s->argument = 0;
            s->argument += LINE_BYTES;
        }
        hw_poll();
        int outcome = tsx_state(s);
        bool committed_now = outcome == TSX_COMMITTED;
        struct differences *d = committed_now ? &committed : &aborted;
        unsigned before = d->registers;
        commits += committed_now;
        aborts += outcome == TSX_ABORTED;
        inner += outcome == TSX_INNER;
        if (outcome >= 0) {
            faults++;
            vector = outcome;
        }
        if (!committed_now && outcome != TSX_ABORTED)
            continue;
        compare_general(s, committed_now, d);
        compare_area(s, committed_now, d);
        compare_memory(s, committed_now, d);
        d->tries += d->registers != before;
    }
    check(t, inner == 0,
          "%s: went on at the fallback address of the inner XBEGIN, %u of %u; "
          "wanted the outermost",
          row->what, inner, times);
    check(t, faults == 0, "%s: %s was delivered, %u of %u; wanted none",
          row->what, fault_name(vector), faults, times);
    judge(t, row, &aborted, aborts, "after the abort", "as at XBEGIN");
    judge(t, row, &committed, commits, "after the commit",
          "as the transaction left it");
    return commits;
}

unsigned state_try(struct test_context *t, const struct state_row *row,
                   uint64_t components, unsigned times)
{
    const struct start start = {.begin = tsx_state_begin};

    return try_row(t, row, &start, components, times);
}

unsigned state_try_outside(struct test_context *t, const struct state_row *row,
                           uint64_t components, unsigned times)
{
    const struct start start = {.begin = tsx_state_outside};

    return try_row(t, row, &start, components, times);
}

unsigned state_try_hle(struct test_context *t, const struct state_row *row,
                       uint64_t components, unsigned times)
{
    const struct start start = {.begin = tsx_begin_hle};

    return try_row(t, row, &start, components, times);
}

unsigned state_try_reads(struct test_context *t, const struct state_row *row,
                         uint64_t components, unsigned times, const void *from,
                         uint64_t lines)
{
    const struct start start = {tsx_state_begin, from, lines};

    return try_row(t, row, &start, components, times);
}
