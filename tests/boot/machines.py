# SPDX-License-Identifier: BSD-2-Clause
"""Boots of a machine: bad input, what else can go wrong, and processors as they are
elsewhere; and everything that `make test` boots."""

import re
from typing import Iterator

import expected
import figures
import ktap
import microcode
import mp_blocking
import odd
import personalities
import storage
import usage
import volume
from boots import (ALL, BYTES, Boot, Outcome, all_of, at_most, clean, file_is_report, has, lacks,
                   restored, some_faults, verdicts)


def machine() -> Iterator[Boot]:
    def no_line_twice(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        lines = [l for l in report.body.splitlines() if re.match("(not )?ok ", l)]
        if len(lines) != len(set(lines)):
            yield "a result line stands twice"
        if "\x1b" in report.body:
            yield "escape sequences in the report"

    def says_simulated(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        if "SIMULATED" not in "\n".join(report.body.splitlines()[:6]):
            yield "the first lines do not say that the processor is simulated"

    def as_documents_show(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        """Each line that they show is in it still, but for its numbers."""
        for path in figures.SAMPLED:
            try:
                figures.renewed(path, report.text.replace(" trials=20", ""))
            except ValueError as error:
                yield f"{path}: {error}"

    def reports_all(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        reported = "\n".join(report.not_restored)
        for what in ("MSR 186H", "DR1", "IDTR limit", "memory at",
                     "pages that the application has taken was 0H, is 3H",
                     "LVT performance counters"):
            if what not in reported:
                yield f"{what} is not reported as changed"

    yield Boot("what an application does not restore is reported", reports_all,
               {"cpu": "skylake-2018"}, app="dirty.efi")
    quick = "tests=force_abort_enumeration"
    yield Boot("power-on to power-off, all tests, file on the volume",
               all_of(clean, file_is_report, no_line_twice, says_simulated,
                      as_documents_show, at_most(BYTES)),
               {"cpu": "skylake-2018"}, "trials=20", whole=True)
    yield Boot("configured by a file on the volume",
               all_of(clean, says_simulated, has(r"^# regime C|: regime C")),
               {"cpu": "skylake-2021"}, quick, whole=True, file=True)
    yield Boot("not an Intel processor: one line",
               all_of(clean, has(r"^1\.\.1$"), has("^ok 1 - selection # SKIP not an Intel "
                                                   "processor: nothing to test$")),
               silicon=False)
    yield Boot("plain QEMU, no simulated processor",
               all_of(clean, file_is_report, no_line_twice,
                      verdicts({"pebs_decode_golden": "PASS",
                                "pt_decode_golden": "PASS"})),
               silicon=False, options=ALL)
    yield Boot("no serial port: the file is complete",
               lambda report, outcome: () if "# END " in
               volume.last_report(outcome.stick)
               else ["the report on the volume has no END line"],
               silicon=False, machine={"serial": False}, options=ALL)
    yield Boot("as a USB stick", all_of(clean, file_is_report), silicon=False, options=ALL,
               machine={"bus": "usb"})
    yield Boot("an option that does not exist",
               all_of(clean, has(r"^# warning: .*frobnicate")),
               options=quick + " frobnicate=1")
    yield Boot("a pattern that fits no test",
               all_of(has(r"^# .*no test.*nothing_like_this"),
                      has(r"^# END .*error=1")), options="tests=nothing_like_this")
    for key in ("cpu", "fault", "smt", "mp"):
        yield Boot(f"unknown {key}",
                   all_of(has(rf'^# silicon: error: .*(unknown {key} "bogus"; valid: |'
                              rf'"bogus" for {key})'),
                          lacks("KTAP")), {key: "bogus"})
    yield Boot("SMIs hit measured windows: they are repeated",
               all_of(clean, has(r"^# .*SMI")),
               {"cpu": "skylake-2017", "smi": 7},
               "tests=counter3_counts_alone trials=50")
    yield Boot("an MSR that faults unexpectedly: one line, and the run goes on",
               all_of(restored, has(r"^# .*IA32_PERF_GLOBAL_CTRL \(38FH\).*(WRMSR|RDMSR).*#GP"),
                      verdicts({"force_abort_enumeration": "PASS",
                                "counter3_counts_alone": "ERROR"})),
               {"cpu": "skylake-2018", "fault": "msr_gp_surprise"},
               "tests=force_abort_*,counter3_* trials=20")
    yield Boot("a processor that never answers: its tests are ERROR, the run ends",
               all_of(restored, has(r"^# .*processor 1 did not answer|processor 1 .*never"),
                      verdicts({"counter3_counts_alone": "ERROR"})),
               {"cpu": "skylake-2018", "fault": "processor_lost"}, "tests=counter* trials=20")
    yield Boot("processors that differ are reported one by one",
               all_of(restored, has(r"^# processor 0:.*microcode"),
                      has(r"^# processor 1:.*microcode")),
               {"cpu": "skylake-2018", "fault": "microcode_differs"}, quick)


def variants() -> Iterator[Boot]:
    """Processors as they are elsewhere, and what firmware may leave."""
    part = expected.part()

    def runs_all(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        """What needs a performance-monitoring interrupt, above all."""
        for name in ("counter3_overflow", "pebs_threshold_pmi", "uncore_pmi"):
            if report.results.get(name) != "PASS":
                yield f"{name} is {report.results.get(name)}"

    yield Boot("1 processor", clean, {"cpu": "skylake-2018"},
               f"tests={expected.suite(1, part)} trials=20", smp=1)
    yield Boot("plain QEMU, 4 processors", clean, silicon=False, smp=4, options=ALL)
    yield Boot("simulated, from a disk, 2 processors that take turns",
               all_of(clean, file_is_report), {"cpu": "skylake-2018"},
               f"tests={expected.suite(2, part)} trials=20", whole=True, disk=True)
    for smp in 2, 4:
        yield personalities.threaded(smp, expected.suite(smp, part))
    for smp, tests in (2, expected.suite(4, part)), (4, "tsx_c*"):
        yield Boot(f"local APICs in x2APIC mode, {smp} processors",
                   all_of(clean, runs_all, has(r"^# processors: .* x2APIC mode; ")),
                   {"cpu": "haswell", "x2apic": "on"},
                   f"tests=*_pmi*,counter3_o*,{tests} trials=20", smp=smp)
    yield Boot("firmware's timer has interrupted other processors: its handler stays off them",
               clean, {"cpu": "skylake-2018", "late_timer": "on"},
               "tests=*pmi*,counter_thread*,lbr_f*,pebs_thr*,pt_t*,pt_w*,tsx_i* trials=20", smp=4)
    yield Boot("registers have values as firmware may leave them", clean,
               {"cpu": "sapphirerapids", "smt": "on", "leftovers": "on"},
               f"tests={expected.suite(3, part)} trials=20")
    yield Boot("PDist whatever the period: the event that overflows is recorded", clean,
               {"cpu": "sapphirerapids", "seed": 5},
               "tests=pebs_rel*,pebs_tx_a*,data_address,pt_sampled_aborts trials=20")


def everything() -> Iterator[Boot]:
    part = expected.part()
    yield from machine()
    others = (*variants(), *mp_blocking.boots(), *usage.boots(), *odd.boots(), *storage.boots(),
              *microcode.boots())
    yield from (boot for n, boot in enumerate(others) if expected.drawn(n, part))
    yield from mp_blocking.personalities(part)
    yield from personalities.observing(expected.suites(part))
    yield from personalities.as_sold((2,), personalities.TRIALS_AS_SOLD, part=part)
    yield from some_faults(part)
