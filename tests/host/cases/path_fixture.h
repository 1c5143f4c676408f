/* SPDX-License-Identifier: BSD-2-Clause */
/* path_fixture.h - a processor that retires one instruction after another, of
 * both rings, and makes records of them, as the manual says or with one thing
 * otherwise. */
#ifndef TESTS_HOST_CASES_PATH_FIXTURE_H
#define TESTS_HOST_CASES_PATH_FIXTURE_H

#include "asm/ring3_window.h"
#include "src/counting/bank.h"
#include "src/pebs/sampling.h"
#include "tests/host/cases/case_fixture.h"

#define PLACES       36
#define ADAPTIVE_MAX 1232
#define MASK         BITS(47, 0)

/* An instruction that has retired: its events (umask and event), and what a
 * record of it has. */
struct spot {
    uint64_t at, next;
    bool user;
    uint32_t events[4];
    struct pebs_format3 holds;
};

static struct path {
    unsigned skid[PLACES]; /* events from the overflow to the record's */
    unsigned more;         /* records of one overflow */
    bool silent;
    bool any_level;          /* OS and USR change nothing */
    bool full_unsaid;        /* OvfBuf */
    bool without_bit;        /* a counter without its bit makes records too */
    bool adaptive_of_1;      /* where that has Adaptive_Record = 1, too */
    uint64_t said;           /* places: an overflow stays after its record, */
    bool unsaid;             /* or without one it is not there */
    uint64_t more_reset;     /* added to what a record reloads */
    bool of_general;         /* a fixed counter reloads a general one's value */
    unsigned weight[PLACES]; /* what an instruction adds */
    /* What is otherwise in record n, from 1. */
    void (*change)(struct pebs_format3 *record, unsigned n);
    unsigned made;
    uint64_t xmm[32];
    uint64_t lbrs[32][3]; /* FROM, TO, INFO, the youngest first */
    uint64_t form;        /* XORed to the selection that a record names */
    /* Word `word` of its counters, from 1, of a record of this selection of
     * them: these bits are inverted. */
    unsigned word;
    uint64_t sets, bits;
} path;
static unsigned pending[PLACES];

static struct pebs_ds_area *area(void)
{
    return (struct pebs_ds_area *)(uintptr_t)*msr(IA32_DS_AREA);
}

/* Linux, struct pebs_cntr_header: which counters, whether metrics; the counters
 * in their order, slots and metrics. Where 3F2H has no counters, no sets. */
static size_t snapshot(uint64_t selection, uint64_t *words)
{
    const bool counters = (selection & BIT(4)) != 0;
    const bool metrics = (selection & BIT(5)) != 0;
    const uint64_t general = counters ? selection >> 32 & 0xffff : 0,
                   fixed = counters ? selection >> 48 & 0xff : 0;
    unsigned count = 0;

    words[count++] = general | fixed << 32;
    words[count++] = metrics ? 3 : 0;
    for (uint32_t n = 0; n < 16; n++)
        if ((general >> n & 1) != 0)
            words[count++] = *msr(IA32_PMC(n));
    for (uint32_t n = 0; n < 8; n++)
        if ((fixed >> n & 1) != 0)
            words[count++] = *msr(IA32_FIXED_CTR(n));
    if (metrics) {
        words[count++] = *msr(IA32_FIXED_CTR(3));
        words[count++] = *msr(MSR_PERF_METRICS);
    }
    if (path.word != 0 && (selection & PEBS_DATA_SETS) == path.sets)
        words[path.word - 1] ^= path.bits;
    return 8 * count;
}

/* SDM 3B, "Adaptive PEBS": the basic group, and those that MSR_PEBS_DATA_CFG
 * selects: memory, general-purpose registers, XMM, LBRs. */
static size_t adaptive(const struct pebs_format3 *r, bool groups,
                       uint8_t bytes[ADAPTIVE_MAX])
{
    const uint64_t selection = groups ? *msr(MSR_PEBS_DATA_CFG) : 0;
    const uint64_t memory[] = {r->data_linear_address, r->data_source,
                               r->latency, r->tx_abort};
    /* RSP and what is between it and RAX are in another order here. */
    const uint64_t general[] = {r->rax, r->rcx, r->rdx, r->rbx,
                                r->rsp, r->rbp, r->rsi, r->rdi};
    size_t size = 32;

    if ((selection & 1) != 0) {
        memcpy(bytes + size, memory, sizeof(memory));
        size += sizeof(memory);
    }
    if ((selection & 2) != 0) {
        memcpy(bytes + size, r, 144);
        memcpy(bytes + size + 16, general, sizeof(general));
        size += 144;
    }
    if ((selection & 4) != 0) {
        memcpy(bytes + size, path.xmm, sizeof(path.xmm));
        size += sizeof(path.xmm);
    }
    if ((selection & 8) != 0) {
        const size_t entries = 24 * ((selection >> 24 & 0xff) + 1);
        memcpy(bytes + size, path.lbrs, entries);
        size += entries;
    }
    if ((selection & BITS(5, 4)) != 0)
        size += snapshot(selection, (uint64_t *)(void *)(bytes + size));
    const uint64_t basic[] = {(uint64_t)size << 48 |
                                  ((selection & BITS(31, 0)) ^ path.form),
                              r->eventing_ip, r->applicable_counter, r->tsc};
    memcpy(bytes, basic, sizeof(basic));
    return size;
}

static bool is_adaptive(unsigned place)
{
    return path.without_bit ||
           (path.adaptive_of_1 &&
            (*msr(IA32_PERFEVTSEL(1)) & IA32_PERFEVTSEL_ADAPTIVE) != 0) ||
           (place < PLACE_FIXED0
                ? (*msr(IA32_PERFEVTSEL(place)) & IA32_PERFEVTSEL_ADAPTIVE) != 0
                : (*msr(IA32_FIXED_CTR_CTRL) &
                   IA32_FIXED_CTR_CTRL_ADAPTIVE(place - PLACE_FIXED0)) != 0);
}

static void make_record(const struct spot *s, unsigned place)
{
    static const size_t sizes[] = {144, 176, 192, 200};
    struct pebs_format3 record = s->holds;
    _Alignas(8) uint8_t bytes[ADAPTIVE_MAX];
    size_t size;

    record.rip = s->next;
    record.eventing_ip = s->at;
    record.applicable_counter = t->cpu.pebs_format >= 3 ? BIT(place) : 0;
    record.tsc = hw_tsc();
    path.made++;
    if (path.change != NULL)
        path.change(&record, path.made);
    if (t->cpu.pebs_format == 4)
        size = adaptive(&record, is_adaptive(place), bytes);
    else {
        size = sizes[t->cpu.pebs_format];
        memcpy(bytes, &record, size);
    }
    for (unsigned n = 0; n <= path.more && !path.silent; n++) {
        if (area()->pebs_index + size > area()->pebs_absolute_maximum)
            return;
        memcpy((void *)(uintptr_t)area()->pebs_index, bytes, size);
        area()->pebs_index += size;
        if (area()->pebs_index >= area()->pebs_interrupt_threshold &&
            !path.full_unsaid)
            *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(62);
    }
}

static bool counts(unsigned place, const struct spot *s)
{
    const uint64_t select =
        place < PLACE_FIXED0 ? *msr(IA32_PERFEVTSEL(place)) : 0xc0;
    const uint64_t level =
        place < PLACE_FIXED0
            ? select & (s->user ? IA32_PERFEVTSEL_USR : IA32_PERFEVTSEL_OS)
            : *msr(IA32_FIXED_CTR_CTRL) >> 4 * (place - PLACE_FIXED0) &
                  (s->user ? 2 : 1);

    if (place < PLACE_FIXED0 && (select & IA32_PERFEVTSEL_EN) == 0)
        return false;
    if (level == 0 && !path.any_level)
        return false;
    if ((select & 0xff) == 0xc0)
        return true;
    for (unsigned i = 0; i < 4; i++)
        if (s->events[i] != 0 && (select & 0xffff) == s->events[i])
            return true;
    return false;
}

static uint64_t reset_of(unsigned place)
{
    const unsigned fixed = place - PLACE_FIXED0;

    return (path.more_reset +
            (place < PLACE_FIXED0 ? area()->pebs_reset[place]
             : path.of_general
                 ? area()->pebs_reset[fixed]
                 : area()->pebs_reset[PEBS_DS_FIXED(t->cpu.pebs_area_5) +
                                      fixed])) &
           MASK;
}

static void count(unsigned place, const struct spot *s)
{
    uint64_t *value = msr(bank_msr(place));
    const uint64_t was = *value;

    *value = (*value + path.weight[place]) & MASK;
    if (pending[place] == 0 && *value < was) {
        const bool bit = (*msr(IA32_PEBS_ENABLE) >> place & 1) != 0;
        if ((path.said >> place & 1) != 0 || (!bit && !path.unsaid))
            *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(place);
        if (!bit && !path.without_bit)
            return;
        pending[place] = path.skid[place] + 1;
    }
    if (pending[place] == 0 || --pending[place] != 0)
        return;
    *value = reset_of(place);
    make_record(s, place);
}

static void retire(uint64_t enable, const struct spot *s)
{
    for (unsigned place = 0; place < PLACES; place++)
        if ((enable >> place & 1) != 0 && counts(place, s))
            count(place, s);
}

/* One that has no event of its own. */
static inline void step(uint64_t enable, uint64_t at)
{
    retire(enable, &(struct spot){.at = at, .next = at + 1});
}

static inline void window_begins(void)
{
    memset(pending, 0, sizeof(pending));
}

static int access_status(uint32_t number, const uint64_t *written)
{
    if (number == IA32_PERF_GLOBAL_STATUS_RESET && written != NULL)
        *msr(IA32_PERF_GLOBAL_STATUS) &= ~*written;
    return HW_NO_FAULT;
}

/* --- Ring 3 -------------------------------------------------------------- */

static _Alignas(4096) uint64_t root[512];
static uint64_t gdt[1];
static struct ring3_registers loaded;

void ring3_read(struct ring3_registers *out)
{
    *out = (struct ring3_registers){.cr3 = (uintptr_t)root,
                                    .gdt.base = (uintptr_t)gdt};
    loaded = *out;
}

/* Are the firmware's tables the processor's? */
static inline bool is_firmware(void)
{
    return loaded.cr3 == (uintptr_t)root && loaded.gdt.base == (uintptr_t)gdt;
}

/* The IRET to ring 3 empties FS and GS: SDM 2, "IRET/IRETD/IRETQ". */
void ring3_load(const struct ring3_registers *in)
{
    loaded = *in;
    if (!is_firmware())
        *msr(IA32_FS_BASE) = *msr(IA32_GS_BASE) = 0;
}

/* --- Running a case ------------------------------------------------------ */

static void begin(const struct test *test, unsigned model, unsigned format)
{
    static const uint32_t msrs[] = {
        IA32_DS_AREA, IA32_PEBS_ENABLE, IA32_FS_BASE, IA32_GS_BASE,   IA32_EFER,
        IA32_STAR,    IA32_LSTAR,       IA32_FMASK,   MSR_PEBS_LD_LAT};
    const bool area_5 = format == 5;

    format -= area_5;
    fake_reset();
    for (size_t i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++)
        *msr(msrs[i]) = 0x100 * (i + 1);
    *msr(IA32_PEBS_ENABLE) = 0;
    if (format == 4)
        *msr(MSR_PEBS_DATA_CFG) = *msr(IA32_FIXED_CTR(3)) = 1;
    fake_processors(PROCESSORS);
    case_start(test, 0);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].cpu.model = (uint16_t)model;
        all[p].cpu.pebs_format = (uint8_t)format;
        all[p].cpu.pebs_area_5 = area_5;
        all[p].cpu.perf_capabilities = 0xc0 | format << 8;
        all[p].cpu.microcode_known = false;
        all[p].cpu.full_width_writes = false;
        all[p].cpu.fixed_set = format == 4 ? 0xf : 7;
    }
    fake_device = access_status;
    fake_tsc = UINT64_C(5) << 32;
    loaded.cr3 = (uintptr_t)root;
    loaded.gdt.base = (uintptr_t)gdt;
    path = (struct path){.more = 0};
    for (unsigned place = 0; place < PLACES; place++)
        path.skid[place] = path.weight[place] = 1;
}

/* What the case has written is as before. */
static enum verdict run_case(void)
{
    static const uint32_t msrs[] = {
        IA32_DS_AREA, IA32_FS_BASE,       IA32_GS_BASE,   IA32_EFER,
        IA32_STAR,    IA32_LSTAR,         IA32_FMASK,     IA32_PERFEVTSEL(0),
        IA32_PMC(1),  IA32_PERFEVTSEL(1), MSR_PEBS_LD_LAT};
    const size_t count = sizeof(msrs) / sizeof(msrs[0]);
    uint64_t before[sizeof(msrs) / sizeof(msrs[0])];

    for (size_t i = 0; i < count; i++)
        before[i] = *msr(msrs[i]);
    const enum verdict verdict = case_end();
    assert_true(is_firmware());
    for (size_t i = 0; i < count; i++)
        assert_int_equal(*msr(msrs[i]), before[i]);
    assert_int_equal(*msr(IA32_PEBS_ENABLE), 0);
    assert_int_equal(*msr(IA32_PERF_GLOBAL_CTRL), 0);
    return verdict;
}

#endif
