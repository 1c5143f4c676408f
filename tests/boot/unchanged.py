# SPDX-License-Identifier: BSD-2-Clause
"""`make unchanged SINCE=commit`: moving and merging code changes no report.

Each personality is booted with the programs of both commits, at SMP=1 and with
the same seed, under one version. Two reports are the same when they are so byte
by byte, but for the masks: what depends on where code lies, and how long it
takes.
"""

import concurrent.futures
import os
import re
import subprocess
import tempfile

import boots
import expected
import ktap
import qemu
import volume

MASKS = (
    (r"image crc [0-9A-F]{8}|\bcrc=?[ =][0-9A-Fa-f]{8}", "CRC"),
    (r"^# tick .*\n", ""),
    (r"0x[0-9a-f]{6,16}\b", "ADDRESS"),  # of code and data of the program
    # Addresses are compressed in a trace: where code lies makes it longer.
    (r"\b\d+ bytes|\boffset \d+", "N bytes"),
    (r"\b[\d.]+ (cycles|MHz|ms|us|ns|ticks)\b", r"N \1"),
    # How long code takes, and which of its own pages are in the cache.
    (r"^# .*(?:latenc|\bMTC\b|\bCYC\b|occupancy|clock counts|a page apart).*",
     lambda line: re.sub(r"\d+", "N", line.group())),
)
DIRECTORY = f"{boots.BUILD}/since"


def masked(report):
    for pattern, text in MASKS:
        report = re.sub(pattern, text, report, flags=re.M)
    return report


def build(commit):
    """The programs of that commit, with the version of this tree's."""
    subprocess.run(["rm", "-rf", DIRECTORY], check=True)
    os.makedirs(DIRECTORY)
    archive = subprocess.run(["git", "archive", commit], check=True,
                             stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", DIRECTORY], input=archive, check=True)
    for directory in (".", DIRECTORY):
        subprocess.run(["make", "-sj2", "-C", directory, "VERSION=unchanged",
                        "build/tsxpmu.img", "build/silicon.efi"], check=True)


def report_of(directory, cpu, smt, trials):
    with tempfile.TemporaryDirectory() as scratch:
        stick = os.path.join(scratch, "stick.img")
        volume.make_stick(f"{directory}/build/tsxpmu.img", stick)
        machine = qemu.Machine(stick, 1, f"{directory}/build/silicon.efi")
        text, failure = qemu.boot(machine, (
            f"cpu={cpu}\nsmt={smt}\nseed=1\n"
            f"options={qemu.UNATTENDED} {qemu.ALLOWED} trials={trials}\n"))
        report = ktap.Report(text)
        return report.body, ([failure] if failure else []) + report.problems


def compare(cpu, smt, trials):
    """Lines that tell."""
    before, problems = report_of(DIRECTORY, cpu, smt, trials)
    after, more = report_of(".", cpu, smt, trials)
    if problems or more:
        return problems + more
    before, after = masked(before).splitlines(), masked(after).splitlines()
    if len(before) != len(after):
        return [f"{len(before)} lines were before, {len(after)} are now"]
    return [line for pair in zip(before, after) if pair[0] != pair[1]
            for line in ("- " + pair[0], "+ " + pair[1])]


def run(result, commit, trials):
    build(commit)
    rows = [(cpu, smt, trials) for cpu, smt, _ in expected.runs()]
    with concurrent.futures.ThreadPoolExecutor(boots.CORES) as pool:
        for row, lines in zip(rows, pool.map(lambda r: compare(*r), rows)):
            result(f"unchanged since {commit}: {row[0]} smt={row[1]}", lines)
