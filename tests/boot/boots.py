# SPDX-License-Identifier: BSD-2-Clause
"""The boots that `make test` makes in QEMU, and what each has to show.

personalities(): no test fails on a processor without a fault, and what has to
run there does run (expected.py). faults(): each named fault is caught
by the test that its entry names (tests/silicon/faults/). machine(): bad input,
and what else can go wrong.
"""

import concurrent.futures
import dataclasses
import functools
import os
import re
import tempfile
import time
import zlib
from typing import Any, Callable, Iterable, Iterator

import expected
import ktap
import listing
import qemu
import volume

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = "build"
ALL = "tests=*_*"  # "*" alone is nothing on plain QEMU, whose processor is not Intel's
CORES = os.cpu_count() or 1


@dataclasses.dataclass
class Outcome:
    text: str
    failure: str
    seconds: float
    stick: str  # the image afterwards


Want = Callable[[ktap.Report, Outcome], Iterable[str]]  # gives problems


@dataclasses.dataclass
class Boot:
    """One boot."""

    name: str
    want: Want
    config: dict[str, Any] = dataclasses.field(default_factory=dict)
    options: str = ""
    smp: int = 2
    machine: dict[str, Any] = dataclasses.field(default_factory=dict)
    whole: bool = False  # from power-on, not from a snapshot
    disk: bool = False  # silicon.efi is started from a disk, by the host's clock
    silicon: bool = True  # False: plain QEMU, options in tsxpmu.cfg
    file: bool = False  # silicon.efi is configured by a file, not by fw_cfg
    stick: dict[str, str | bytes] = dataclasses.field(default_factory=dict)  # files added to it
    default_options: bool = True  # options for a boot without a user
    before: tuple[dict[str, Any], ...] = ()  # earlier boots of the stick: {"expect": .., "machine": ..}
    change: Callable[[str], object] | None = None  # of the stick's path, before the last boot
    expect: tuple[qemu.Step, ...] = ()  # what a user does: see qemu.Expect
    timeout: int = 300  # s, of all of it
    app: str = ""  # a program of build/ on the stick, started instead
    firmware: str = ""  # letters of odd_firmware.c: what is odd about it
    started: Callable[[qemu.Process], object] | None = None  # of QEMU's process


def table(name: str) -> Iterator[list[str]]:
    """Rows of words of a text file; # starts a comment."""
    with open(os.path.join(HERE, name), encoding="ascii") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                yield words


def machine_of(item: Boot, stick: str,
               more: dict[str, Any] | None = None) -> qemu.Machine:
    choice = item.machine | (more or {})
    machine = qemu.Machine(stick, item.smp, **choice)
    if not item.silicon and "cpu" not in choice:
        machine.cpu = "qemu64"
    # Users, and drivers that give up a disk, go by the time of this machine.
    if qemu.Expect.types_anything(item.expect) or item.disk or choice.get("bus"):
        machine.icount = False
    if item.silicon and not item.disk:
        machine.silicon = f"{BUILD}/silicon.efi"
    if not item.whole and machine.silicon and machine.icount:
        state = f"{BUILD}/smp{item.smp}.state"
        if os.path.getsize(state):  # empty where QEMU cannot write its own
            machine.snapshot = state
    return machine


def boot_once(item: Boot) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        stick = os.path.join(directory, "stick.img")
        volume.make_stick(f"{BUILD}/{'silicon' if item.disk else 'tsxpmu'}.img", stick)
        for name, text in item.stick.items():
            volume.write(stick, name, text)
        if item.app:
            volume.copy(stick, item.app, f"{BUILD}/{item.app}")
        if item.firmware:
            volume.copy(stick, "tsxpmu.efi", f"{BUILD}/tsxpmu.efi")
            volume.copy(stick, "EFI/BOOT/BOOTX64.EFI", f"{BUILD}/odd_firmware.efi")
            volume.write(stick, "firmware.txt", item.firmware)
        config = None
        if item.silicon:
            config = "".join(f"{k}={v}\n" for k, v in
                             ({"memory": "on"} | item.config).items())
            config += f"app=\\{item.app}\n" if item.app else ""
            default_options = f"{qemu.UNATTENDED} {qemu.ALLOWED} " if item.default_options else ""
            config += f"options={default_options}{item.options}\n"
            if item.file:
                volume.write(stick, "silicon.cfg", config)
                config = None
        elif "tsxpmu.cfg" not in item.stick:
            default_options = "countdown=0 exit=poweroff " if item.default_options else ""
            volume.write(stick, "tsxpmu.cfg", f"{default_options}{item.options}\n")
        for early in item.before:
            qemu.boot(machine_of(item, stick, early.get("machine", {})), config,
                      expect=early["expect"])
        if item.change:
            item.change(stick)
        start = time.monotonic()
        text, failure = qemu.boot(machine_of(item, stick), config, expect=item.expect,
                                  timeout=item.timeout, started=item.started)
        outcome = Outcome(text, failure, time.monotonic() - start, stick)
        report = ktap.Report(text)
        problems = list(item.want(report, outcome))
        if problems:
            os.makedirs(f"{BUILD}/failed", exist_ok=True)
            log = f"{BUILD}/failed/" + re.sub(r"\W+", "-", item.name) + ".log"
            with open(log, "w", encoding="latin-1") as file:
                file.write(report.text)
            problems.append("see " + log)
        return problems


Job = tuple[str, Callable[[], Iterable[str]]]  # a check's name, and what gives problems


def job(item: Boot) -> Job:
    return "boot: " + item.name, functools.partial(boot_once, item)


def each(result: Callable[[str, Iterable[str]], None], jobs: Iterable[Job],
         meanwhile: Callable[[], None] = lambda: None) -> None:
    """As many at a time as there are processors; meanwhile() beside the first."""
    jobs = list(jobs)
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        outcomes = pool.map(lambda j: list(j[1]()), jobs)
        meanwhile()
        for (name, _), problems in zip(jobs, outcomes):
            result(name, problems)


def run(result: Callable[[str, Iterable[str]], None], boots: Iterable[Boot]) -> None:
    each(result, map(job, boots))


# --- What a boot has to show ---------------------------------------------------


def complete(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
    """A complete report, an orderly end."""
    if outcome.failure:
        yield outcome.failure
    yield from report.problems


def restored(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
    """The same, and everything is restored."""
    yield from complete(report, outcome)
    yield from report.not_restored


def clean(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
    yield from restored(report, outcome)
    for verdict in ("FAIL", "ERROR"):
        for name in report.with_verdict(verdict):
            yield f"{name} is {verdict}"


# Of the default list: where nothing is wrong with two processors; and with 16 of
# them, or with errata and SMIs (docs/lab.md).
BYTES, BYTES_MOST = 48_000, 65_536
BYTES_FOUND = 4_096  # of both: what stands before the first test, as it was found


def at_most(most: int) -> Want:
    """What a test adds is paid for by everybody who reads on a serial line."""
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        if len(report.body) > most:
            yield f"the report has {len(report.body)} bytes; at most {most} are promised"
        found = report.body.split("# running 1: ")[0]
        if len(found) > BYTES_FOUND:
            yield f"{len(found)} bytes before the first test; at most {BYTES_FOUND} are promised"
    return want


def clean_by_threads(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
    """Where processors take no turns, AnyThread is not played."""
    yield from (problem for problem in clean(report, outcome)
                if problem != "counter_any_thread is FAIL")


def has(pattern: str) -> Want:
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        if not re.search(pattern, outcome.text.replace("\r", ""), re.M):
            yield f"nothing like: {pattern}"
    return want


def lacks(pattern: str) -> Want:
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        if re.search(pattern, outcome.text.replace("\r", ""), re.M):
            yield f"unexpected: {pattern}"
    return want


def all_of(*wants: Want) -> Want:
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        for one in wants:
            yield from one(report, outcome)
    return want


def file_is_report(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
    saved = volume.last_report(outcome.stick)
    if not saved or saved not in report.text:
        yield "the report on the volume is not that of the serial port"


def verdicts(wanted: dict[str, str]) -> Want:
    """Exactly these verdicts, by name of test."""
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        for name, verdict in wanted.items():
            got = report.results.get(name, "not there")
            if got != verdict:
                yield f"{name} is {got}, not {verdict}"
    return want


# --- The boots -----------------------------------------------------------------


def left_out(report: ktap.Report, cpu: str) -> Iterator[str]:
    """A test that passes does so on each processor, but for those that the cores of
    a hybrid's second kind have to leave out."""
    skipped: list[str] = []
    excused = expected.second_kind(cpu)
    for line in report.body.splitlines():
        if re.match(r"# processors? \d.*: SKIP: ", line):
            skipped.append(line)
        elif result := ktap.result_of(line):
            left = skipped if result.verdict == "PASS" else []
            if result.name in excused and result.verdict == "PASS" and not left:
                yield f"{result.name} is not left out by any processor"
            for each in left if result.name not in excused else []:
                yield f"{result.name} is left out: {each}"
            skipped = []


def personalities(seeds: Iterable[int], trials: int, apart: int = 0,
                  suite: Callable[[str, str], str] = lambda cpu, smt: "*"
                  ) -> Iterator[Boot]:
    """Every personality, with and without SMT, nothing wrong with it, and what of
    the tests suite() says, if any; each seed begins so many nanoseconds after the one
    before."""
    for cpu, smt, all_passing in expected.runs():
        tests = suite(cpu, smt)
        if not tests:
            continue

        def runs(report: ktap.Report, outcome: Outcome,
                 passing: list[str] = expected.of_suite(tests, all_passing),
                 cpu: str = cpu
                 ) -> Iterator[str]:
            got = report.with_verdict("PASS")
            for name in sorted(set(passing) ^ set(got)):
                yield name + (" did not pass" if name in passing
                              else " passed: runs.txt does not expect it to run")
            yield from left_out(report, cpu)
        for seed in seeds:
            yield Boot(f"{cpu} smt={smt} seed={seed}", all_of(clean, runs),
                       {"cpu": cpu, "smt": smt, "seed": seed,
                        "offset": apart * seed}, f"trials={trials} tests={tests}")


APART = 137911  # ns between the starts of two seeds
SLICES = 24  # of the tests that a personality passes, for a short boot


def many(count: int) -> Iterator[Boot]:
    """So many short boots, each with another seed and another start: some tests of a
    personality, others the next time that it comes round."""
    runs = list(expected.runs())
    for n in range(count):
        *here, passing = runs[n % len(runs)]
        these = ",".join(passing[n // len(runs) % SLICES::SLICES])

        def suite(cpu: str, smt: str) -> str:
            return these if [cpu, smt] == here else ""
        yield from personalities([n + 1], 2, APART, suite)


def threaded(smp: int, tests: str, seed: int = 1) -> Boot:
    """Each processor is a thread of QEMU's, which knows no turns."""
    return Boot(f"simulated, {smp} processors, each a thread of QEMU's, seed={seed}: {tests}",
                clean_by_threads, {"cpu": "skylake-2018", "turns": "off", "seed": seed},
                f"tests={tests} trials=20", smp=smp, machine={"icount": False})


def with_threads(count: int) -> Iterator[Boot]:
    """So many of these, a suite each."""
    for n in range(count):
        yield threaded((2, 4)[n % 2], expected.SUITES[n // 2 % len(expected.SUITES)], n + 1)


TRIALS_AS_SOLD = 20
ERRATA = "tests/silicon/personalities/common/errata.c"


def as_sold(seeds: Iterable[int], trials: int, smp: int = 2,
            part: int | None = None) -> Iterator[Boot]:
    """Processors with their errata: what passes on the exact one passes, or is KNOWN
    by errata that the simulated processor has. part: which suite each runs."""
    with open(ERRATA, encoding="ascii") as file:
        published = set(re.findall(r'"([A-Z]{2,3}\d{3})"', file.read()))

    def known(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        for result, _ in ktap.results(report.body):
            if result.verdict == "KNOWN" and not set(result.reason.split()) <= published:
                yield f"{result.name} is KNOWN by {result.reason}: not one that is simulated"
        listed = set(re.findall(r"^# summary: KNOWN: (\w+)", report.text, re.M))
        for name in sorted(listed ^ set(report.with_verdict("KNOWN"))):
            yield f"{name}: the summary and its result differ in whether it is KNOWN"

    for n, (cpu, all_passing) in enumerate(expected.as_sold(smp)):
        tests = expected.suite(n, part)

        def runs(report: ktap.Report, outcome: Outcome,
                 passing: list[str] = expected.of_suite(tests, all_passing)
                 ) -> Iterator[str]:
            got = report.with_verdict("PASS") + report.with_verdict("KNOWN")
            wrong = (set(passing) ^ set(got)).union(report.with_verdict("FAIL"),
                                                    report.with_verdict("ERROR"))
            for name in sorted(wrong):
                yield f"{name} is {report.results.get(name, 'not there')}"
        for seed in seeds:
            yield Boot(f"{cpu} seed={seed}, {smp} processors",
                       all_of(restored, known, runs, at_most(BYTES_MOST)),
                       {"cpu": cpu, "seed": seed}, f"trials={trials} tests={tests}",
                       smp=smp, timeout=600)


def observing(suites: dict[tuple[str, str], str]) -> Iterator[Boot]:
    """Every personality, with SMT and without, and what is certain to be observed is.
    suites: what each runs of the tests."""
    import observed

    def suite(cpu: str, smt: str) -> str:
        return suites.get((cpu, smt), "")

    for boot in personalities(observed.SEEDS[:1], observed.TRIALS, suite=suite):
        def sees(report: ktap.Report, outcome: Outcome,
                 config: dict[str, Any] = boot.config) -> Iterator[str]:
            yield from observed.problems(report, config["cpu"], config["smt"])
        yield dataclasses.replace(boot, options=f"{boot.options} {observed.VERBOSE}",
                                  want=all_of(boot.want, sees))


TRIALS = 100  # of a test that has to catch a fault

# What is written on one processor, or by one name, is on another, or cannot be
# cleared, or changes while it is not enabled: it cannot be given its value back.
NOT_RESTORABLE = {"alias_split", "selects_of_core", "counters_of_core",
                  "global_ctrl_of_core", "global_ctrl_drops_6", "fixed_ctrl_of_core",
                  "select_3_of_core", "counter_3_of_core",
                  "debugctl_of_core", "pebs_enable_of_core", "ds_area_of_core",
                  "ld_lat_of_core", "status_reset_refused", "reset_misses_fixed",
                  "reset_misses_ds", "reset_misses_lbr_frz",
                  "reset_misses_uncore", "uncore_counts_disabled",
                  "uncore_fixed_read_only", "reset_clears_nothing",
                  "reset_misses_frozen", "reset_stores", "near_overflow_stays",
                  "near_overflow_always", "tsx_ctrl_clear_stuck",
                  "counter_2_garbles", "counter_4_garbles"}


def row_of_fault(fault: str, row: list[str]) -> Boot:
    """The boot that a row of a fault's entry is."""
    cpu, smt, smp, test, verdict, *trials = row
    # What no manual promises is OBSERVED, which is no verdict.
    caught = (has(rf"^ok \d+ - {test} # OBSERVED") if verdict == "OBSERVED"
              else verdicts({test: verdict}))
    return Boot(f"fault {fault} on {cpu}: {test}",
                all_of(complete if fault in NOT_RESTORABLE else restored, caught),
                {"cpu": cpu, "smt": smt, "seed": 1, "fault": fault},
                f"tests={test} trials={(trials or [str(TRIALS)])[0]}", smp=int(smp))


def faults() -> Iterator[Boot]:
    """Each boot that the entry of a fault says shows it caught."""
    for name, _, caught in listing.faults():
        for row in caught:
            yield row_of_fault(name, row)


def some_faults(part: int | None) -> Iterator[Boot]:
    """Those of this part, drawn by name; make faults has all."""
    for name, _, caught in listing.faults():
        if zlib.crc32(name.encode()) % expected.PARTS == (part or 0):
            for row in caught:
                yield row_of_fault(name, row)


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
               all_of(clean, file_is_report, no_line_twice, says_simulated, at_most(BYTES)),
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
        yield threaded(smp, expected.suite(smp, part))
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
    import microcode
    import mp_blocking
    import odd
    import storage
    import usage
    part = expected.part()
    yield from machine()
    others = (*variants(), *mp_blocking.boots(), *usage.boots(), *odd.boots(), *storage.boots(),
              *microcode.boots())
    yield from (boot for n, boot in enumerate(others) if expected.drawn(n, part))
    yield from mp_blocking.personalities(part)
    yield from observing(expected.suites(part))
    yield from as_sold((2,), TRIALS_AS_SOLD, part=part)
    yield from some_faults(part)


# --- Figures -------------------------------------------------------------------


def figures() -> list[str]:
    """What the default run takes, and how large things are; returns problems."""
    import figures as written

    def show(report: ktap.Report, outcome: Outcome) -> list[str]:
        problems = list(complete(report, outcome))
        said = re.search(r"^# silicon: figures: (.*)$", report.text, re.M)
        if not problems:
            written.run(outcome.seconds, len(report.body), said and said[1])
            try:
                written.samples(report.text)
            except ValueError as error:
                problems.append(str(error))
        return problems

    return boot_once(Boot("figures", show, {"cpu": "skylake-2018", "figures": "on"},
                          whole=True))
