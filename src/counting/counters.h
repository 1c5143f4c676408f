/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - the performance counters of this logical processor: taken over,
 * programmed with one event, read around a measured window.
 *
 * SDM 3B, "Performance Monitoring", "Architectural Performance Monitoring
 * Version 2" to "Version 4". Needs version 2: GLOBAL_CTRL.
 */
#ifndef SRC_COUNTING_COUNTERS_H
#define SRC_COUNTING_COUNTERS_H

#include "asm/counting_window.h"
#include "src/harness/case.h"
#include "src/counting/events.h"

#define COUNTERS_MAX 10 /* PMC0-9; CPUID.0AH:EAX[15:8] may say more */

struct counters {
    struct test_context *t;
    const struct pmu_event *event;
    unsigned count;               /* PMC0 to PMC(count - 1) count the event */
    bool fixed;                   /* and so does event->fixed */
    uint64_t gp_mask, fixed_mask; /* the counters' widths */
    uint64_t enable;              /* opens the window: goes into GLOBAL_CTRL */
    uint64_t select;              /* what each IA32_PERFEVTSELx holds */
    uint64_t last[COUNTERS_MAX], last_fixed; /* as read last */
    unsigned repeated; /* windows repeated because of an SMI */
    bool smi_told;     /* that one changed a register is said once */
    uint64_t smis;     /* MSR_SMI_COUNT before they were programmed; 0: none */
};

/* One window. */
struct sample {
    uint64_t gp[COUNTERS_MAX]; /* events that each counted, modulo its width */
    uint64_t fixed;            /* 0 without a fixed counter */
    uint64_t aborted;          /* transactions */
};

typedef uint64_t window_function(uint64_t enable, uint64_t cells[WINDOW_CELLS]);

/* General-purpose counters there are, at most COUNTERS_MAX. */
unsigned counters_available(const struct identity *id);

/* True where the event is enumerated (CPUID.0AH:EBX and EAX[31:24]). */
bool counters_have_event(const struct identity *id,
                         const struct pmu_event *event);

/* True where every bit, and every index, of the counters' registers that a
 * processor may have is known here, so that any other is reserved: up to
 * version 4, and on generations of version 5 and 6 in generation.h that tell
 * them all. */
bool counters_all_known(const struct identity *id);

/* A hybrid processor's core of the Core family: CPUID.0AH and 345H may tell no
 * more than what its cores of the Atom family have, too, and be silent of two
 * counters, fixed counter 3 and the metrics (06_97H_2 as read; Linux,
 * arch/x86/events/intel/core.c, adds them, for 97H to BFH). */
bool counters_told_in_part(const struct identity *id);

/* True where PC [19] of IA32_PERFEVTSELx can be set, after counters_claim(), or
 * has to be. Before the 2nd generation it drives pins. Later editions of SDM
 * 3B, "Architectural Performance Monitoring Version 1 Facilities", call it
 * "reserved (not writeable)" from there on, earlier ones do not: so it may be
 * one or the other, but not one on one counter of `places` and the other on
 * another. */
bool counters_have_pc(struct test_context *t, uint64_t places);

/* AnyThread, by version 3 and CPUID.0AH:EDX[15], "AnyThread deprecation" (SDM
 * 3B, "AnyThread Counting and Software Evolution"). Silvermont and Goldmont are
 * of versions 3 and 4 and have none in lists of their events (libpfm4,
 * INTEL_V2_ATTRS): identity_known() leaves them out. */
bool counters_enumerate_anythread(const struct identity *id);

/* True where CPUID.0AH:EDX says nothing of the three fixed counters, as on Core
 * 2 of 65 nm (SDM 3B, "Architectural Performance Monitoring Version 2", the
 * note; Linux, arch/x86/events/intel/core.c, assumes three). */
bool counters_fixed_untold(const struct identity *id);

/* False where a hypervisor refuses its guest FREEZE_PERFMON_ON_PMI of
 * IA32_DEBUGCTL, and before the microcode that mended it; on any other bare
 * machine its test is to say so. */
bool counters_can_freeze(struct test_context *t);

/* After counters_claim(): true where a status bit of `places` could not be
 * cleared, which an erratum of this processor says may last; KNOWN is said.
 * What is judged by that bit would be wrong. */
bool counters_overflow_stays(struct test_context *t, uint64_t places);

/* Takes the PMU over: says so where something else uses it, then stops all
 * counters, and clears every select, counter, status bit and freeze control.
 * All of it goes through the journal. IA32_PEBS_ENABLE (3F1H) is written only
 * where it is not 0: a PEBS counter of another program would write records to
 * memory that is no longer its own, while on a machine without PEBS there is
 * nothing to write. False where it could not (ERROR is said). */
bool counters_claim(struct test_context *t);

/* The counters of the 1st generation may count wrongly, or not at all, until
 * three events have been selected (errata AAK100, AAP53, BD53, as Linux has
 * them in arch/x86/events/intel/core.c, intel_pmu_nhm_workaround()). Leaves
 * selects and counters 0, and writes nothing elsewhere. While none counts. */
bool counters_clear_monitoring(struct test_context *t);

/* After counters_claim(): programs PMC0 to PMC(count - 1), and the fixed
 * counter where there is one, with the event; USR and OS, no AnyThread, no
 * interrupt. Reads every register back; what does not hold is FAIL, for counter
 * 3 only where `counter3_promised` (else a line). False where an access
 * faulted. */
bool counters_program(struct counters *c, struct test_context *t,
                      unsigned count, const struct pmu_event *event,
                      bool counter3_promised);

/* Writes select, counter and GLOBAL_CTRL again after a trial that went wrong.
 */
void counters_repair(struct counters *c);

/* Runs the window once, or again where an SMI hit it. False after
 * SMI_RETRIES_MAX (smi_guard.h) hits in a row (ERROR is said). */
bool counters_sample(struct counters *c, window_function *window,
                     struct sample *out);

/* Clears bits of IA32_PERF_GLOBAL_STATUS through 390H. Not journaled: the
 * register is a command, reads as 0, and has no state to give back. */
bool counters_clear_status(struct test_context *t, uint64_t bits);

#endif
