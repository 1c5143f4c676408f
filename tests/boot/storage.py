# SPDX-License-Identifier: BSD-2-Clause
"""Boots of a stick on which a run was interrupted, or that takes no report."""

import re
import subprocess
import tempfile

import ktap
import qemu
import volume
from boots import ALL, Boot, all_of, clean, has, lacks, restored, verdicts

# Short tests in a row, on plain QEMU: they last for some seconds.
GOLDEN = "tests=pebs_decode_golden"
MANY = f"{ALL} repeats=2"
CUT = {"expect": (("# running 20:", qemu.Expect.QUIT),)}


def file_matches_serial(report, outcome):
    """The report on the volume is that of the serial port."""
    if volume.last_report(outcome.stick) not in report.text or not report.results:
        yield "the report on the volume is not that of the serial port"


def count_is(wanted):
    """So many reports on the volume."""
    def want(report, outcome):
        names = list(volume.reports(outcome.stick))
        if len(names) != wanted:
            yield f"{len(names)} reports, not {wanted}: {names}"
        for name in names:
            if not re.match(r"tsxpmu/\d{8}-\d{4}-[0-9A-F]{2}_[0-9A-F]{2}_[0-9A-F]-"
                            r"([0-9A-F]+|none)(-\d+)?\.log$", name):
                yield "not a report's name: " + name
    return want


def one_lost(report, outcome):
    """At most one test is in error, by the reset and then not tried again."""
    lost = [test.name for test, _ in ktap.results(report.text)
            if test.reason == ktap.RESET]
    names = {name.split("/")[0] for name in report.with_verdict("ERROR")}
    if len(lost) > 1 or names != {name.split("/")[0] for name in lost}:
        yield f"in error: {names}, by the reset: {lost}"


def changed_options(stick):
    volume.write(stick, "tsxpmu.cfg", "countdown=0 exit=poweroff "
                      "tests=pebs_decode_golden\n")


def fill(stick):
    """Not a byte is free."""
    output = subprocess.run(["mdir", "-i", stick + "@@1M", "::/"], check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    free = int(re.search(r"([\d ]+) bytes free", output)[1].replace(" ", ""))
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(free)
        subprocess.run(["mcopy", "-i", stick + "@@1M", file.name, "::/full"],
                       check=True)


def folder(stick):
    subprocess.run(["mdel", "-i", stick + "@@1M", "::/tsxpmu.cfg"], check=True)
    subprocess.run(["mmd", "-i", stick + "@@1M", "::/tsxpmu.cfg"], check=True)


def damaged_state(stick):
    subprocess.run(["mmd", "-i", stick + "@@1M", "::/tsxpmu"], check=True)
    volume.write(stick, "tsxpmu/state.bin", "no record")


def boots():
    yield Boot("a reset in a test: it is an ERROR, and the next start goes on",
               all_of(restored, file_matches_serial, count_is(1),
                      verdicts({"always_abort_default": "SKIP",
                                "counter3_counts_alone": "ERROR",
                                "pt_decode_golden": "PASS"}),
                      has(r"^not ok 2 - counter3_counts_alone # ERROR machine reset$")),
               {"cpu": "skylake-2018"}, "tests=always_abort_default,"
               "counter3_counts_alone,pt_decode_golden trials=20000",
               before=({"expect": (("# running 2:", qemu.Expect.QUIT_LATER),)},))
    yield Boot("the next start offers to continue, and does without a key",
               all_of(restored, file_matches_serial, count_is(1), one_lost,
                      has(r"\.log: interrupted (in test|after) \d+ of \d+"),
                      has(r"any key: continues")),
               default_options=False, silicon=False, before=(CUT,),
               options="countdown=1 exit=poweroff " + MANY)
    yield Boot("a new run instead", all_of(clean, file_matches_serial, count_is(2),
                                           lacks("^# .*machine was reset")),
               default_options=False, silicon=False, before=(CUT,),
               options="countdown=5 exit=poweroff " + MANY,
               expect=(("n: a new one", b"n"), ("any key: menu", b"")))
    yield Boot("a run with other options is not continued",
               all_of(clean, file_matches_serial, count_is(2),
                      has(r"^# warning: .*\.log is incomplete: not continued, because "
                          "made with other options$")),
               silicon=False, options=MANY, before=(CUT,), change=changed_options)
    yield Boot("a run of another processor is not continued",
               all_of(clean, file_matches_serial, count_is(2),
                      has(r"^# warning: .*\.log is incomplete: not continued, because "
                          "made with another processor or microcode$")),
               silicon=False, options=MANY,
               before=(CUT | {"machine": {"cpu": "Skylake-Client"}},))
    yield Boot("a full stick",
               all_of(clean, count_is(0), has("^# warning: the report is .*: the volume "
                                              "is full")),
               silicon=False, change=fill)
    yield Boot("a read-only stick",
               all_of(clean, count_is(0), has(
                   r"^# warning: the report is not written to a file: the volume "
                   r"is write-protected \(EFI_WRITE_PROTECTED\)$")),
               silicon=False, machine={"read_only": True, "bus": "usb"})
    yield Boot("\\tsxpmu is a file",
               all_of(clean, has(r"^# warning: the report is not written to a file: \\tsxpmu is a "
                                 "file, and a folder is wanted$")),
               silicon=False, stick={"tsxpmu": "not a folder"}, options=GOLDEN)
    yield Boot("tsxpmu.cfg is a folder",
               all_of(clean, has("^# warning: tsxpmu.cfg: no option is read: it is a folder$")),
               silicon=False, change=folder,
               expect=(("# END ", b""), ("PgUp", qemu.Expect.QUIT)))
    yield Boot("state.bin is none",
               all_of(clean, count_is(1), has("^# warning: state.bin cannot be read, so that an "
                                              "interrupted run is not continued: ")),
               silicon=False, options=GOLDEN, change=damaged_state)
    yield Boot("no stick",
               all_of(clean, has("^# warning: the report is not written to a file: ")),
               silicon=False,
               machine={"extra": ("-kernel", "build/tsxpmu.efi", "-append",
                                  "countdown=0 exit=poweroff")})
