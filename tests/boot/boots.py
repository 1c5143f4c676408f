# SPDX-License-Identifier: BSD-2-Clause
"""A boot in QEMU, and what it may have to show. faults(): each named fault is caught
by the test that its entry names (tests/silicon/faults/). Others are in
personalities.py and machines.py."""

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
GOLDEN = "tests=pebs_decode_golden"  # runs on plain QEMU too
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


def in_file(*patterns: str) -> Want:
    """The report in the file on the stick is complete and has all of these."""
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        saved = ktap.Report(volume.last_report(outcome.stick))
        if not saved.complete:
            yield "the file: " + "; ".join(saved.problems)
        for pattern in patterns:
            if not re.search(pattern, saved.text, re.M):
                yield f"the file has nothing like: {pattern}"
    return want


def ended(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
    if outcome.failure:
        yield outcome.failure


def verdicts(wanted: dict[str, str]) -> Want:
    """Exactly these verdicts, by name of test."""
    def want(report: ktap.Report, outcome: Outcome) -> Iterator[str]:
        for name, verdict in wanted.items():
            got = report.results.get(name, "not there")
            if got != verdict:
                yield f"{name} is {got}, not {verdict}"
    return want


# --- Faults --------------------------------------------------------------------


TRIALS = 100  # of a test that has to catch a fault

# What is written on one processor, or by one name, is on another, or cannot be
# cleared, or changes while it is not enabled: it cannot be given its value back.
NOT_RESTORABLE = {"alias_split", "selects_of_core", "counters_of_core",
                  "global_ctrl_of_core", "global_ctrl_drops_6", "fixed_ctrl_of_core",
                  "select_3_of_core", "counter_3_of_core",
                  "debugctl_of_core", "pebs_enable_of_core", "ds_area_of_core", "overflow_of_core",
                  "ld_lat_of_core", "status_reset_refused", "reset_misses_fixed",
                  "reset_misses_ds", "reset_misses_lbr_frz",
                  "reset_misses_uncore", "reset_misses_topa",
                  "reset_misses_metrics",
                  "uncore_counts_disabled",
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
