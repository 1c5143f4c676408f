/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_record.c - the fields of a PEBS record.
 *
 * SDM volume 3B, tables "PEBS Record Format for Intel Core i7 Processor
 * Family", "PEBS Record Format for 4th Generation Intel Core Processor Family",
 * "PEBS Record Format for 6th Generation Intel Core Processor Family".
 */
#include "tests/silicon/model/pebs/pebs.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/tsx/tsx.h"

unsigned pebs_format(const struct processor *p)
{
    return (unsigned)(p->cpu->perf_capabilities >> 8) & 0xF;
}

static unsigned record_bytes(unsigned format)
{
    static const uint8_t bytes[] = {0x90, 0xB0, 0xC0, 0xC8};

    return bytes[format < 3 ? format : 3];
}

/* "Intel TSX and PEBS Support": of these records only EventingIP, TX Abort
 * Information and RIP are valid. */
static void fill_abort(struct processor *p, uint64_t counters, uint64_t *words)
{
    const struct last_abort *abort = &p->tsx.last_abort;

    if (p->choices.pebs_abort_garbles)
        for (unsigned n = 0; n < PEBS_WORDS_FIXED; n++)
            words[n] = random_next(&p->random);
    words[PEBS_RIP] = abort->resume_ip;
    words[WORD_EVENTING_IP] = abort->eventing_ip;
    words[WORD_TX_ABORT] = abort->information;
    if (p->faults.of_user && !faults_rule(p->machine, RING3_ABORT_INFO, true))
        words[WORD_TX_ABORT] &= ~(TX_INFO_HLE | TX_INFO_RTM);
    if ((counters & BIT(1)) != 0 &&
        !faults_rule(p->machine, ABORT_RECORD_OF_1, true))
        words[WORD_TX_ABORT] &= BITS(31, 0);
}

static uint64_t applicable(const struct processor *p, uint64_t counters)
{
    return faults_rule(p->machine, APPLICABLE_OVERFLOWED, true)
               ? counters
               : pebs_enabled(p);
}

static void fill_of_counter(const struct processor *p, uint64_t counters,
                            uint64_t *words)
{
    const struct machine *m = p->machine;
    bool access = words[WORD_ADDRESS] != 0;
    uint64_t first = counters != 0 ? (uint64_t)__builtin_ctzll(counters) : 0;
    bool inst = first >= 32 || (p->pmu.select[first] & BITS(7, 0)) == 0xC0;

    if ((access && !faults_rule(m, ACCESS_NAMES_COUNTER, true)) ||
        (inst && !faults_rule(m, INST_NAMES_COUNTER, true)))
        words[WORD_STATUS] = 0;
    if ((access && !faults_rule(m, ACCESS_HAS_TSC, true)) ||
        (inst && !faults_rule(m, INST_HAS_TSC, true)))
        words[WORD_TSC] = 0;
}

void pebs_fill_record(struct processor *p, const struct pebs_snapshot *s,
                      uint64_t counters, struct pebs_record *record)
{
    unsigned format = pebs_format(p);
    struct data_record data = memory_take_record(p, counters);
    uint64_t *words = record->words;

    *record = (struct pebs_record){.bytes = record_bytes(format)};
    for (unsigned n = 0; n < PEBS_REGISTERS; n++)
        words[n] = s->registers[n];
    for (unsigned n = 0; p->faults.of_user && n < PEBS_REGISTERS; n++)
        words[n] =
            faults_quantity(p->machine, RECORD_WORD_RING3, 8 * n, words[n]);
    words[WORD_STATUS] =
        format >= 3 ? applicable(p, counters) : p->pmu.global_status;
    words[WORD_ADDRESS] = data.address;
    if (p->faults.of_user &&
        !faults_rule(p->machine, RING3_ADDRESS_WHOLE, true))
        words[WORD_ADDRESS] &= ~BITS(2, 0);
    words[WORD_SOURCE] = data.status;
    words[WORD_LATENCY] = data.latency;
    words[WORD_EVENTING_IP] = s->eventing_ip;
    if ((s->not_taken && erratum_shows(p, ERRATUM_NOT_TAKEN_IP, 2)) ||
        erratum_shows(p, ERRATUM_EVENTING_IP, 64))
        words[WORD_EVENTING_IP] = s->before;
    words[WORD_TX_ABORT] = faults_rule(p->machine, INFO_OF_THIS_ONE, true)
                               ? p->tsx.cycles
                               : p->tsx.last_abort.information;
    words[WORD_TSC] = s->tsc;
    fill_of_counter(p, counters, words);
    if (p->pebs.of_abort)
        fill_abort(p, counters, words);
    faults_pebs_record(p, counters, record);
    for (unsigned n = 0; n < PEBS_WORDS_FIXED; n++)
        words[n] = faults_quantity(p->machine, RECORD_WORD, 8 * n, words[n]);
    if (pebs_is_adaptive(p))
        pebs_adapt_record(p, s, counters, record);
}
