/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cache.h - a small model of the data caches and of the TLBs: where an access
 * finds its line, whom it disturbs, how long it takes. The sizes are the
 * personality's. First and second level and the TLBs belong to a logical
 * processor; the last level to all of them, and holds what those above hold.
 * Lion Cove has two L1 data caches, the larger one behind the other.
 *
 * It sees the accesses that it is given and no others: those of
 * instructions stepped while something samples memory (memory_events.h).
 */
#ifndef SILICON_MODEL_MEMORY_CACHE_H
#define SILICON_MODEL_MEMORY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE_BYTES 64u

struct machine;
struct processor;

/* Sets times ways; all sets are powers of two but for those of TLBs. */
struct cache_shape {
    uint16_t sets;
    uint8_t ways;
};

struct cache_sizes {
    struct cache_shape l1, l2, llc; /* of lines of 64 bytes */
    struct cache_shape l1_behind;   /* no sets: there is none */
    struct cache_shape dtlb, stlb;  /* of pages of 4 KiB */
};

/* The most that a personality may have, in entries. */
#define CACHE_L1_MAX   768
#define CACHE_L1B_MAX  3072
#define CACHE_L2_MAX   49152
#define CACHE_LLC_MAX  131072
#define CACHE_DTLB_MAX 64
#define CACHE_STLB_MAX 2048

/* An entry: the number of a line or page, and two bits. 0: nothing. In a set
 * the latest used comes first. */
struct cache_private {
    uint64_t l1[CACHE_L1_MAX], l1_behind[CACHE_L1B_MAX], l2[CACHE_L2_MAX];
    uint64_t dtlb[CACHE_DTLB_MAX], stlb[CACHE_STLB_MAX];
    uint64_t pending;      /* line of the last load that missed */
    unsigned pending_left; /* accesses until it is there */
};

/* Memory of the model, all zero at the start: cache_bytes() of it. */
struct cache_state {
    volatile uint32_t lock;
    uint64_t llc[CACHE_LLC_MAX];
    uint8_t last[CACHE_LLC_MAX];    /* who last took such a line */
    struct cache_private private[]; /* one a processor */
};

enum cache_level {
    CACHE_L1,
    CACHE_L1_BEHIND,
    CACHE_PENDING, /* L1 miss, but the line is already on its way */
    CACHE_L2,
    CACHE_LLC,
    CACHE_DRAM,
    CACHE_NONE, /* uncacheable memory or I/O */
};

/* Of other processors' caches, by a request that has left the second level. */
enum cache_snoop {
    CACHE_SNOOP_NONE, /* none was necessary */
    CACHE_SNOOP_MISS, /* asked, and none had the line */
    CACHE_SNOOP_HIT,  /* one had it, unmodified */
    CACHE_SNOOP_HITM, /* one had it, modified */
};

struct cache_outcome {
    enum cache_level level;
    enum cache_snoop snoop;
    bool split; /* across two lines: the worse of both */
    bool dtlb_miss, stlb_miss;
    uint32_t latency; /* core cycles, from 4 on */
    /* Lines that had to be asked of the last level for this access, with where
     * they were; for off-core response and uncore. */
    unsigned requests;
    struct {
        uint64_t line; /* physical address of its first byte */
        enum cache_level level;
        enum cache_snoop snoop;
    } request[2];
};

size_t cache_bytes(unsigned processors);

/* memory: cache_bytes(m->processors), zero. Without this call, and where it is
 * NULL, every access hits the first level. */
void cache_start(struct machine *m, struct cache_state *memory);

/* One access. physical: of its first byte; it may reach into the next line,
 * of the same page. ram: write-back memory. */
void cache_access(struct processor *p, uint64_t linear, uint64_t physical,
                  unsigned bytes, bool store, bool ram,
                  struct cache_outcome *out);

/* CLFLUSH: the line leaves all caches. */
void cache_flush(struct processor *p, uint64_t physical);

/* INVLPG: the translation leaves this processor's TLBs. */
void cache_invalidate(struct processor *p, uint64_t linear);

#endif
