# SPDX-License-Identifier: BSD-2-Clause
"""The host tool's groups of events: what it prints, and what it says of events
that fit nowhere or are none."""

import subprocess

from tool import TOOL, misused


def plan(*words):
    run = subprocess.run([TOOL, "plan", *words], check=False,
                         capture_output=True, timeout=60)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def prints(words, text):
    got = plan(*words.split())
    if got != (0, text, ""):
        yield f"got {got}"


def refused(words, *lines):
    got = plan(*words.split())
    if got != (1, "", "".join(f"tsxpmu: {line}\n" for line in lines)):
        yield f"got {got}"


def groups(words, wanted):
    status, out, errors = plan(*words.split())
    if status or errors or out.count("group ") != wanted:
        yield f"status {status}, wanted {wanted} groups: {out}{errors}"


def run(result):
    four = "c4/00 c4/01 c4/02 c4/20"
    result("tool: plan", prints(
        "C4H/01H INST_RETIRED.ALL:pebs b7/01=10001H OFF_CORE_RESPONSE_0=0x10002"
        " c0/00 0xc0/00:in_txcp --counters=3 --fixed=1",
        "group 1\n"
        "  IA32_PMC0        C4H/01H\n"
        "  IA32_PMC1        INST_RETIRED.ALL:pebs\n"
        "  IA32_PMC2        b7/01=10001H, MSR 1A6H = 0x10001\n"
        "  IA32_FIXED_CTR0  c0/00\n"
        "group 2\n"
        "  IA32_PMC0        OFF_CORE_RESPONSE_0=0x10002, MSR 1A6H = 0x10002\n"
        "  IA32_PMC2        0xc0/00:in_txcp\n"))
    result("tool: plan of an event that is alone", prints(
        "c4/00 inst_retired.all:pebs --cpu 06_2DH",
        "group 1\n"
        "  IA32_PMC0        c4/00\n"
        "group 2\n"
        "  IA32_PMC1        inst_retired.all:pebs, all other counters of the "
        "core quiet\n"))
    result("tool: plan by counters, regime and processor", [
        p for words, wanted in (
            (four, 1), (four + " --counters 3", 2), (four + " --counters=1", 4),
            (four + " --regime B", 2), (four + " --regime=b --force-abort", 1),
            (four + " --regime B --cpu sandybridge", 1),
            (four + " " + four + " --counters 8", 1),
            (four + " " + four + " --counters 8 --regime B", 2),
            ("c0/00 3c/00 --counters 1", 2),
            ("c0/00 3c/00 --counters 1 --fixed 1", 1),
            ("c0/01 c0/01:in_tx --cpu haswell", 2),
            ("cd/01:pebs=3 cd/01:pebs=20H --cpu haswell", 2),
            ("cd/01:pebs=3 cd/01:pebs=3H --cpu haswell", 1),
            ("b7/01=1 bb/01=2 --counters 2", 1))
        for p in groups(words, wanted)])
    result("tool: plan of events that fit nowhere", refused(
        "cd/02:pebs c0/01:in_txcp c4/00 c0/01:in_tx --cpu ivybridge "
        "--counters 3",
        "cd/02:pebs: needs counter 3 (MEM_TRANS_RETIRED.PRECISE_STORE); there "
        "is counter 0 to 2",
        "c0/01:in_txcp: IN_TXCP needs a processor with HLE or RTM",
        "c0/01:in_tx: IN_TX needs a processor with HLE or RTM"))
    result("tool: plan of what is no event", refused(
        "c4 c4/00:fast c4/00=12 c4/00= c4/100 nonsense",
        *(f"{word}: not an event: a name in the manual, or EVENT/UMASK in "
          "hexadecimal" for word in ("c4", "c4/00:fast")),
        "c4/00=12: no MSR goes with this event",
        *(f"{word}: not an event: a name in the manual, or EVENT/UMASK in "
          "hexadecimal" for word in ("c4/00=", "c4/100", "nonsense"))))
    result("tool: wrong use of plan", [
        p for words in (("plan",), ("plan", "c4/00", "--counters=9"),
                        ("plan", "c4/00", "--counters=0"),
                        ("plan", "c4/00", "--fixed=3"),
                        ("plan", "c4/00", "--cpu=pentium"),
                        ("plan", "c4/00", "--cpu=06_"),
                        ("plan", "c4/00", "--regime=G"),
                        ("plan", "c4/00", "--tsx"),
                        ("plan", *["c4/00"] * 65),
                        ("decode", "pt", "x", "--regime=B"),
                        ("decode", "pt", "x", "--force-abort"))
        for p in misused(*words)])
