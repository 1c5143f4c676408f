/* SPDX-License-Identifier: BSD-2-Clause */
/* cache.c - sets of entries, the latest used first; and who has a line. */
#include "tests/silicon/model/memory/cache.h"

#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/personality.h"

/* An entry is number << 2 | MODIFIED | VALID. */
#define VALID      UINT64_C(1)
#define MODIFIED   UINT64_C(2)
#define PAGE_SHIFT 12
#define LINE_SHIFT 6

/* For how many accesses a line that missed is on its way. */
#define PENDING_ACCESSES 1

/* Core cycles, and by how many they vary. */
static const struct {
    uint16_t least, vary;
} latencies[] = {
    [CACHE_L1] = {4, 2},       [CACHE_L1_BEHIND] = {9, 2},
    [CACHE_PENDING] = {8, 6},  [CACHE_L2] = {12, 4},
    [CACHE_LLC] = {30, 16},    [CACHE_DRAM] = {180, 80},
    [CACHE_NONE] = {250, 100},
};
#define CYCLES_SNOOP     18 /* another processor had the line */
#define CYCLES_STLB_HIT  7
#define CYCLES_STLB_MISS 35

size_t cache_bytes(unsigned processors)
{
    return sizeof(struct cache_state) +
           processors * sizeof(struct cache_private);
}

void cache_start(struct machine *m, struct cache_state *memory)
{
    m->caches = memory;
}

static void lock(struct cache_state *c)
{
    while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE) != 0)
        __builtin_ia32_pause();
}

static void unlock(struct cache_state *c)
{
    __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

static uint64_t *set_of(uint64_t *entries, struct cache_shape shape,
                        uint64_t number)
{
    return &entries[number % shape.sets * shape.ways];
}

/* The entry, or NULL. */
static uint64_t *find_entry(uint64_t *entries, struct cache_shape shape,
                            uint64_t number)
{
    if (shape.sets == 0)
        return NULL;
    uint64_t *set = set_of(entries, shape, number);

    for (unsigned n = 0; n < shape.ways; n++)
        if ((set[n] & VALID) != 0 && set[n] >> 2 == number)
            return &set[n];
    return NULL;
}

static void evict(uint64_t *entries, struct cache_shape shape, uint64_t number)
{
    uint64_t *entry = find_entry(entries, shape, number);

    if (entry != NULL)
        *entry = 0;
}

/* Makes it the latest used, whether it was there or not. Returns the entry
 * that has to go, or 0. */
static uint64_t insert(uint64_t *entries, struct cache_shape shape,
                       uint64_t number, uint64_t modified)
{
    uint64_t *set = set_of(entries, shape, number);
    uint64_t *entry = find_entry(entries, shape, number), victim = 0;
    uint64_t value = number << 2 | modified | VALID;
    size_t at = shape.ways - 1u;

    if (entry != NULL) {
        value |= *entry & MODIFIED;
        at = (size_t)(entry - set);
    } else {
        for (size_t n = 0; n < shape.ways; n++)
            if ((set[n] & VALID) == 0) {
                at = n;
                break;
            }
        victim = set[at];
    }
    for (; at > 0; at--)
        set[at] = set[at - 1];
    set[0] = value;
    return victim;
}

static void evict_private(struct cache_private *private,
                          const struct cache_sizes *sizes, uint64_t line)
{
    evict(private->l1, sizes->l1, line);
    evict(private->l1_behind, sizes->l1_behind, line);
    evict(private->l2, sizes->l2, line);
}

static uint64_t private_state(struct cache_private *private,
                              const struct cache_sizes *sizes, uint64_t line)
{
    const uint64_t *l1 = find_entry(private->l1, sizes->l1, line);
    const uint64_t *l2 = find_entry(private->l2, sizes->l2, line);

    return (l1 != NULL ? *l1 & (VALID | MODIFIED) : 0) |
           (l2 != NULL ? *l2 & (VALID | MODIFIED) : 0);
}

/* Whose first and second level a processor uses: where they are as sold,
 * threads of a core have them together. */
static unsigned owner(const struct processor *p)
{
    return p->cpu->as_sold && p->sibling != NULL && p->sibling->index < p->index
               ? p->sibling->index
               : p->index;
}

static const struct cache_sizes *sizes_of(const struct machine *m, unsigned n)
{
    return &m->processor[n]->cpu->caches;
}

/* What the others had of the line. A store takes it from them, a load leaves
 * it unmodified there. */
static uint64_t snoop(struct processor *p, uint64_t line, bool store)
{
    struct cache_state *c = p->machine->caches;
    uint64_t had = 0;

    for (unsigned n = 0; n < p->machine->processors; n++) {
        const struct cache_sizes *sizes;
        uint64_t state;

        if (n == owner(p))
            continue;
        sizes = sizes_of(p->machine, n);
        state = private_state(&c->private[n], sizes, line);
        if (state == 0)
            continue;
        had |= state;
        if (store) {
            evict_private(&c->private[n], sizes, line);
        } else if ((state & MODIFIED) != 0) {
            uint64_t *l1 = find_entry(c->private[n].l1, sizes->l1, line);
            uint64_t *l2 = find_entry(c->private[n].l2, sizes->l2, line);

            if (l1 != NULL)
                *l1 &= ~MODIFIED;
            if (l2 != NULL)
                *l2 &= ~MODIFIED;
        }
    }
    return had;
}

/* The last level holds what the others hold: what leaves it leaves them. */
static void fill_line(struct processor *p, uint64_t line, bool store)
{
    struct cache_state *c = p->machine->caches;
    const struct cache_sizes *sizes = &p->cpu->caches;
    struct cache_private *private = &c->private[owner(p)];
    uint64_t modified = store ? MODIFIED : 0;
    uint64_t victim = insert(c->llc, sizes->llc, line, 0);

    if ((victim & VALID) != 0)
        for (unsigned n = 0; n < p->machine->processors; n++)
            evict_private(&c->private[n], sizes_of(p->machine, n), victim >> 2);
    c->last[line % CACHE_LLC_MAX] = (uint8_t)owner(p);
    insert(private->l2, sizes->l2, line, 0);
    if (sizes->l1_behind.sets != 0)
        insert(private->l1_behind, sizes->l1_behind, line, 0);
    victim = insert(private->l1, sizes->l1, line, modified);
    if ((victim & MODIFIED) != 0) /* written back to the second level */
        insert(private->l2, sizes->l2, victim >> 2, MODIFIED);
}

struct line_outcome {
    enum cache_level level;
    enum cache_snoop snoop;
    bool request;
};

/* A request that the second level could not serve, or a store to a line that
 * others may have. */
static enum cache_snoop request_line(struct processor *p, uint64_t line,
                                     bool store, bool in_llc)
{
    struct cache_state *c = p->machine->caches;
    uint64_t had = snoop(p, line, store);

    if ((had & MODIFIED) != 0)
        return CACHE_SNOOP_HITM;
    if (had != 0)
        return CACHE_SNOOP_HIT;
    return in_llc && c->last[line % CACHE_LLC_MAX] != (uint8_t)owner(p)
               ? CACHE_SNOOP_MISS
               : CACHE_SNOOP_NONE;
}

static struct line_outcome access_line(struct processor *p, uint64_t line,
                                       bool store)
{
    struct cache_state *c = p->machine->caches;
    const struct cache_sizes *sizes = &p->cpu->caches;
    struct cache_private *private = &c->private[owner(p)];
    struct line_outcome out = {.snoop = CACHE_SNOOP_NONE};
    bool in_llc = find_entry(c->llc, sizes->llc, line) != NULL;

    if (find_entry(private->l1, sizes->l1, line) != NULL) {
        out.level =
            private->pending_left > 0 && private->pending == line && !store
                ? CACHE_PENDING
                : CACHE_L1;
        if (private->pending_left > 0)
        private->pending_left--;
    } else if (find_entry(private->l1_behind, sizes->l1_behind, line) != NULL) {
        out.level = CACHE_L1_BEHIND;
    } else if (find_entry(private->l2, sizes->l2, line) != NULL) {
        out.level = CACHE_L2;
    } else {
        out.level = in_llc ? CACHE_LLC : CACHE_DRAM;
        out.request = true;
        private->pending = line;
        private->pending_left = store ? 0 : PENDING_ACCESSES;
    }
    if (out.request || store)
        out.snoop = request_line(p, line, store, in_llc);
    if (!out.request && out.snoop >= CACHE_SNOOP_HIT)
        out.request = true; /* for ownership */
    if (!out.request)
        out.snoop = CACHE_SNOOP_NONE;
    fill_line(p, line, store);
    return out;
}

static void translate(struct processor *p, uint64_t page,
                      struct cache_outcome *out)
{
    struct cache_private *private = &p->machine->caches->private[owner(p)];
    const struct cache_sizes *sizes = &p->cpu->caches;

    out->dtlb_miss = find_entry(private->dtlb, sizes->dtlb, page) == NULL;
    out->stlb_miss =
        out->dtlb_miss && find_entry(private->stlb, sizes->stlb, page) == NULL;
    insert(private->dtlb, sizes->dtlb, page, 0);
    if (out->dtlb_miss)
        insert(private->stlb, sizes->stlb, page, 0);
}

static void add_line(struct cache_outcome *out, uint64_t line,
                     const struct line_outcome *result)
{
    if (result->level > out->level)
        out->level = result->level;
    if (result->snoop > out->snoop)
        out->snoop = result->snoop;
    if (!result->request)
        return;
    out->request[out->requests].line = line << LINE_SHIFT;
    out->request[out->requests].level = result->level;
    out->request[out->requests].snoop = result->snoop;
    out->requests++;
}

static void add_latency(struct processor *p, struct cache_outcome *out)
{
    out->latency = latencies[out->level].least;
    out->latency +=
        (uint32_t)(random_next(&p->memory.random) % latencies[out->level].vary);
    if (out->snoop >= CACHE_SNOOP_HIT)
        out->latency += CYCLES_SNOOP;
    if (out->dtlb_miss)
        out->latency += out->stlb_miss ? CYCLES_STLB_MISS : CYCLES_STLB_HIT;
}

void cache_access(struct processor *p, uint64_t linear, uint64_t physical,
                  unsigned bytes, bool store, bool ram,
                  struct cache_outcome *out)
{
    struct cache_state *c = p->machine->caches;
    uint64_t first = physical >> LINE_SHIFT;
    uint64_t last = (physical + bytes - 1) >> LINE_SHIFT;

    *out = (struct cache_outcome){.level = CACHE_L1, .split = last != first};
    if (c != NULL) {
        lock(c);
        translate(p, linear >> PAGE_SHIFT, out);
        for (uint64_t line = first; ram && line <= last; line++) {
            struct line_outcome result = access_line(p, line, store);

            add_line(out, line, &result);
        }
        unlock(c);
    }
    if (!ram)
        out->level = CACHE_NONE;
    add_latency(p, out);
}

void cache_flush(struct processor *p, uint64_t physical)
{
    struct cache_state *c = p->machine->caches;
    const struct cache_sizes *sizes = &p->cpu->caches;
    uint64_t line = physical >> LINE_SHIFT;

    if (c == NULL)
        return;
    lock(c);
    evict(c->llc, sizes->llc, line);
    for (unsigned n = 0; n < p->machine->processors; n++) {
        evict_private(&c->private[n], sizes, line);
        if (c->private[n].pending == line)
            c->private[n].pending_left = 0;
    }
    unlock(c);
}

void cache_invalidate(struct processor *p, uint64_t linear)
{
    struct cache_state *c = p->machine->caches;
    const struct cache_sizes *sizes = &p->cpu->caches;

    if (c == NULL)
        return;
    evict(c->private[owner(p)].dtlb, sizes->dtlb, linear >> PAGE_SHIFT);
    evict(c->private[owner(p)].stlb, sizes->stlb, linear >> PAGE_SHIFT);
}
