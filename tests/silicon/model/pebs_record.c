/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_record.c - the fields of a PEBS record.
 *
 * SDM volume 3B, tables "PEBS Record Format for Intel Core i7 Processor
 * Family", "PEBS Record Format for 4th Generation Intel Core Processor Family",
 * "PEBS Record Format for 6th Generation Intel Core Processor Family".
 */
#include "tests/silicon/model/pebs.h"

#include "tests/silicon/faults/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/tsx.h"

/* Byte offsets of a record after the registers, as words. */
#define WORD_STATUS       (0x90 / 8) /* format 3: applicable counter */
#define WORD_ADDRESS      (0x98 / 8) /* from format 1 on, these three */
#define WORD_SOURCE       (0xA0 / 8)
#define WORD_LATENCY      (0xA8 / 8)
#define WORD_EVENTING_IP  (0xB0 / 8) /* from format 2 on */
#define WORD_TX_ABORT     (0xB8 / 8)
#define WORD_TSC          (0xC0 / 8) /* from format 3 on */

unsigned pebs_format(const struct processor *p)
{
    return (unsigned)(p->cpu->perf_capabilities >> 8) & 0xF;
}

static unsigned record_bytes(unsigned format)
{
    static const uint8_t bytes[] = { 0x90, 0xB0, 0xC0, 0xC8 };

    return bytes[format < 3 ? format : 3];
}

/* "Intel TSX and PEBS Support": of these records only EventingIP, TX Abort
 * Information and RIP are valid. */
static void fill_abort(struct processor *p, uint64_t *words)
{
    const struct last_abort *abort = &p->tsx.last_abort;

    if (p->choices.pebs_abort_garbles)
        for (unsigned n = 0; n < PEBS_WORDS_MAX; n++)
            words[n] = random_next(&p->random);
    words[PEBS_RIP] = abort->resume_ip;
    words[WORD_EVENTING_IP] = abort->eventing_ip;
    words[WORD_TX_ABORT] = abort->information;
}

static void swap_words(uint64_t *a, uint64_t *b)
{
    uint64_t rest = *a;

    *a = *b;
    *b = rest;
}

static uint64_t swap_bits(uint64_t value, uint64_t a, uint64_t b)
{
    uint64_t rest = value & ~(a | b);

    return rest | ((value & a) != 0 ? b : 0) | ((value & b) != 0 ? a : 0);
}

static void falsify_abort(const struct processor *p, uint64_t *words)
{
    const struct machine *m = p->machine;
    uint64_t *information = &words[WORD_TX_ABORT];

    if (fault_is(m, FAULT_pebs_abort_rtm_always))
        *information |= TX_INFO_RTM;
    if (!p->pebs.of_abort)
        return;
    if (fault_is(m, FAULT_pebs_abort_rtm_is_hle))
        *information = swap_bits(*information, TX_INFO_HLE, TX_INFO_RTM);
    if (fault_is(m, FAULT_pebs_abort_conflict_swapped))
        *information = swap_bits(*information, TX_INFO_CONFLICT,
                                 TX_INFO_WRITES);
    if (fault_is(m, FAULT_pebs_abort_rip_wrong))
        words[PEBS_RIP] = words[WORD_EVENTING_IP];
    if (fault_is(m, FAULT_pebs_abort_eventing_ip_wrong))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
}

/* The faults that a record shows. */
static void falsify(struct processor *p, struct pebs_record *record,
                    unsigned format)
{
    const struct machine *m = p->machine;
    uint64_t *words = record->words;

    if (fault_is(m, FAULT_pebs_eventing_ip_off))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
    if (p->pebs.of_pdir && fault_is(m, FAULT_pdir_ip_off))
        words[WORD_EVENTING_IP] = words[PEBS_RIP];
    if (fault_is(m, FAULT_pebs_rip_is_eventing))
        words[PEBS_RIP] = words[WORD_EVENTING_IP];
    if (fault_is(m, FAULT_pebs_registers_swapped))
        swap_words(&words[PEBS_R8], &words[PEBS_R9]);
    if (fault_is(m, FAULT_pebs_record_short))
        record->bytes -= 8;
    if (format < 3 && fault_is(m, FAULT_pebs_status_image_empty))
        words[WORD_STATUS] = 0;
    if (format >= 3 && fault_is(m, FAULT_pebs_applicable_counter_zero))
        words[WORD_STATUS] = 0;
    if (format >= 3 && fault_is(m, FAULT_pebs_applicable_counter_first))
        words[WORD_STATUS] &= -words[WORD_STATUS];
    if (fault_is(m, FAULT_pebs_tsc_stale)) {
        if (p->pebs.first_tsc == 0)
            p->pebs.first_tsc = words[WORD_TSC];
        words[WORD_TSC] = p->pebs.first_tsc;
    }
}

void pebs_fill_record(struct processor *p, const struct pebs_snapshot *s,
                      uint64_t counters, struct pebs_record *record)
{
    unsigned format = pebs_format(p);
    struct data_record data = memory_take_record(p, counters);
    uint64_t *words = record->words;

    *record = (struct pebs_record){ .bytes = record_bytes(format) };
    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        words[n] = s->registers[n];
    words[WORD_STATUS] = format >= 3 ? counters : p->pmu.global_status;
    words[WORD_ADDRESS] = data.address;
    words[WORD_SOURCE] = data.status;
    words[WORD_LATENCY] = data.latency;
    words[WORD_EVENTING_IP] = s->eventing_ip;
    words[WORD_TX_ABORT] = p->tsx.cycles;
    words[WORD_TSC] = s->tsc;
    if (p->pebs.of_abort)
        fill_abort(p, words);
    falsify_abort(p, words);
    falsify(p, record, format);
}
