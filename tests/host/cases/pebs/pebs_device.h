/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_device.h - a processor that makes records of format 3: what is otherwise
 * in it, its interrupt, and its registers. */
#ifndef TESTS_HOST_CASES_PEBS_PEBS_DEVICE_H
#define TESTS_HOST_CASES_PEBS_PEBS_DEVICE_H

#include "src/pebs/sampling.h"
#include "tests/host/cases/case_fixture.h"

#define COUNTERS 4
#define MASK     BITS(47, 0)

struct device {
    int late[2];          /* events: the first record, those after it */
    uint64_t over;        /* that a record counts too */
    unsigned lost;        /* this record is not made, from 1 */
    uint64_t field;       /* XORed to 90H */
    uint64_t tx_abort;    /* B8H */
    unsigned of;          /* of these counters alone, 0: of all; */
    unsigned only;        /* in this record alone, from 1, 0: in all: */
    int64_t rip, ip, tsc; /* added to RIP, EventingIP, TSC */
    uint64_t rax, rflags; /* bits that are lost */
    bool without_bit;     /* a counter without its bit makes them too */
    enum { NEVER, GLOBAL_OFF, SELECT_OFF, RING_OFF } counts_while;
    bool plain_reloads;    /* from the DS area */
    bool plain_silent;     /* no overflow in the status */
    bool status_stays;     /* of a counter, after its record */
    bool clears_all;       /* a record does, in the status */
    bool idle_moves;       /* a counter that does not overflow */
    unsigned misses;       /* events that a plain counter loses, */
    uint16_t misses_of;    /* with this select alone, 0: with any */
    bool outside_too;      /* IN_TX counts outside of transactions */
    bool any_kind;         /* selects of other branches make records */
    bool backwards;        /* the records' order */
    unsigned instructions; /* more, where records are made */
    enum { INSIDE, AT_BEGIN, AT_END, LOW_ZERO } time;
    bool disables;   /* clears its bit of IA32_PEBS_ENABLE */
    bool needs_stop; /* that makes no record where the counter counts */
    bool enabled;    /* .. and is written there */
    bool silent;     /* makes no record */
    int beyond;      /* bytes: where the end of the buffer is taken for */
    int threshold;   /* and the threshold */
    bool from_base;  /* a record, not at the index */
    bool goes_round; /* at the end of the buffer */
    bool cut;        /* by a page, behind which nothing is written */
    bool reloads_skipped, stays_armed, disables_full; /* by a full buffer: */
    bool moves_index;
    enum { AS_WRITTEN, OLD_AREA, OLD_END, OLD_THRESHOLD, OLD_RESET } holds;
    uint64_t clears_too; /* 390H does, of 38EH */
    unsigned after_stop; /* a record of so many events after 38FH = 0, */
    unsigned out_of;     /* in this window alone, from 1, 0: in all */
    bool overflow_lost;  /* of the window's last event */
    bool writes_late;    /* to a record that is there */
    bool no_nmi;         /* as an NMI no interrupt comes, and none freezes */
    bool no_pmi_beside;  /* while two counters make records */
    bool no_pmi, pmi_each, pmi_open, pmi_through, overflow_silent;
    bool not_highest; /* a counter with one event left makes no record */
    bool pmi_full;    /* of a record for which there is no room */
    enum {
        FREEZES,
        FREEZES_NOT,
        FREEZES_FIRST,
        FREEZES_UNSAID,
        FREEZES_OTHERS,
        FREEZES_LATE /* no deviation: after the last event */
    } freezes;
    enum {
        BRANCHES_FREEZE,
        BRANCHES_GO_ON,
        BRANCHES_FREEZE_UNASKED,
        BRANCHES_FREEZE_EARLY, /* below the threshold */
        BRANCHES_FREEZE_UNSAID,
        BRANCHES_OTHERWISE /* LBR = 0 with version 4, not so before */
    } branches;
    bool not_taken_recorded; /* as a branch, by the first record */
    bool no_apic;            /* it is disabled */
    bool pmi_behind;         /* what is measured */
    unsigned windows, made;
    unsigned recorded; /* windows with IA32_DEBUGCTL.LBR = 1 */
    unsigned third;    /* windows in which counter 3 counts */
    uint64_t nearest;  /* that IA32_PMC0 was to its overflow before one */
};
static struct device device;

/* The area that there was when records were enabled, and what it held. */
static uint64_t old_at;
static struct pebs_ds_area old;

static struct pmi {
    bool on, nmi, masked; /* the LVT entry's mask */
    unsigned came, found_masked;
} pmi;

static struct pebs_ds_area *area(void)
{
    return (struct pebs_ds_area *)(uintptr_t)(device.holds == OLD_AREA
                                                  ? old_at
                                                  : *msr(IA32_DS_AREA));
}

static const struct pebs_ds_area *held(int part)
{
    return (int)device.holds == part ? &old : area();
}

static void interrupt(void)
{
    if (!pmi.on || (pmi.nmi && device.no_nmi) ||
        (pmi.masked && !device.pmi_through))
        return;
    pmi.came++;
    pmi.found_masked += !device.pmi_open;
}

bool hw_pmi_begin(bool nmi)
{
    pmi = (struct pmi){.on = !device.no_apic, .nmi = nmi};
    return pmi.on;
}

void hw_pmi_mask(void)
{
    pmi.masked = true;
}

unsigned hw_pmi_count(void)
{
    return pmi.came;
}

unsigned hw_pmi_masked(void)
{
    return pmi.found_masked;
}

/* Amid the events, or after them. */
uint64_t hw_pmi_rip(void)
{
    const bool behind = device.pmi_behind || device.freezes == FREEZES_LATE;

    return (uintptr_t)pebs_events +
           (behind ? PEBS_EVENTS * PEBS_EVENT_BYTES : 0);
}

void hw_pmi_end(void)
{
    pmi.on = false;
}

static void enabled_later(uint64_t global);

static int access(uint32_t number, const uint64_t *written)
{
    /* Reserved before version 4. */
    if (number == 0x390 && written != NULL && t->cpu.perfmon_version < 4 &&
        (*written & BITS(60, 55)) != 0)
        return HW_GP;
    if (number == 0x390 && written != NULL)
        *msr(0x38e) &= ~(*written | device.clears_too);
    if (number == IA32_PERF_GLOBAL_CTRL && written != NULL)
        enabled_later(*written);
    if (number == IA32_PEBS_ENABLE && written != NULL) {
        device.enabled = *written != 0 && *msr(IA32_PERF_GLOBAL_CTRL) != 0;
        if (*written != 0) {
            old_at = *msr(IA32_DS_AREA);
            old = *(struct pebs_ds_area *)(uintptr_t)old_at;
        }
    }
    return HW_NO_FAULT;
}

/* RSP is 0, as in *state. */
static void plant(struct pebs_format3 *record, const struct pebs_state *state)
{
    static const enum pebs_field fields[] = {
        PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX, PEBS_RSI, PEBS_RDI, PEBS_RBP,
        PEBS_R8,  PEBS_R9,  PEBS_R10, PEBS_R11, PEBS_R12, PEBS_R13, PEBS_R14};
    const struct pebs_record form = {.format = 3};

    record->rflags = state->rflags & ~device.rflags;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t value =
            PEBS_PLANTED((uint64_t)(fields[i] - PEBS_RAX)) ^ state->complement;
        if (fields[i] == PEBS_RAX)
            value &= ~device.rax;
        memcpy((uint8_t *)record + pebs_field_offset(&form, fields[i]), &value,
               8);
    }
}

#endif
