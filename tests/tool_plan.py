# SPDX-License-Identifier: BSD-2-Clause
"""The host tool's groups of events: what it prints, and what it says of events
that fit nowhere or are none."""

import json
import re
import subprocess
import tempfile

from tool import TOOL, misused


def plan(*words):
    run = subprocess.run([TOOL, "plan", *words], check=False,
                         capture_output=True, timeout=60)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def prints(words, text):
    got = plan(*words.split())
    if got != (0, text, ""):
        yield f"got {got}"


def refused(words, *lines, status=1):
    got = plan(*words.split())
    if got != (status, "", "".join(f"tsxpmu: {line}\n" for line in lines)):
        yield f"got {got}"


def groups(words, wanted):
    status, out, errors = plan(*words.split())
    if status or errors or out.count("group ") != wanted:
        yield f"status {status}, wanted {wanted} groups: {out}{errors}"


def malformed():
    """Never another event than the one that was asked for."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        for key, value in (("EventCode", "0xZZ"), ("EventCode", ""), ("UMask", "0x100"),
                           ("UMask", 256), ("UMask", -1), ("UMask", [1]),
                           ("CounterMask", "x"), ("EventCode", "0xC0x")):
            event = {"EventName": "A.B", "EventCode": "0xC4", "UMask": "0x01", key: value}
            json.dump([event], file)
            file.flush()
            for p in refused(f"A.B --events {file.name}",
                             f"A.B: {key} in the list is none of an event's"):
                yield f"{key} {value!r}: {p}"
            file.seek(0)
            file.truncate()


LIST = "tests/golden/events.json"
OFFCORE = "OFFCORE_RESPONSE:request=DEMAND_DATA_RD:response=ANY_RESPONSE"


def same(words, ours):
    """The same events, but for their names, as those that we write so."""
    got, wanted = (plan(*line.split(), "--form=perf") for line in (words, ours))
    if got[0] or re.sub(",name=[^,/]*", "", got[1]) != re.sub(",name=[^,/]*", "", wanted[1]):
        yield f"{words}: {got}, wanted {wanted}"


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
            ("c4/00:in_tx --cpu 06_6AH", 1),
            ("c4/00:in_tx --cpu 06_ADH", 1),
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
    listed = f"--events {LIST} "
    result("tool: plan of events as perf writes them", [
        p for words, ours in (
            ("cycles instructions branches branch-misses cache-misses cpu-cycles",
             "3c/00 c0/00 c4/00 c5/00 2e/41 3c/00"),
            ("r01c4 cpu/event=0xc4,umask=1/ r3c", "c4/01 c4/01 3c/00"),
            ("r0200 r0100 cpu/config=0x200/ --fixed 2", "3c/00 c0/00 3c/00 --fixed 2"),
            ("cpu/event=0xc0,umask=1/p cpu/config=0x1c4,in_tx_cp/ r1c0:p",
             "c0/01:pebs c4/01:in_txcp c0/01:pebs"),
            (listed + "INST_RETIRED.ANY br_inst_retired.near_call cpu/L1D_PEND_MISS.PENDING/",
             listed + "c0/00 c4/02 L1D_PEND_MISS.PENDING"),
            (listed + OFFCORE + " OFFCORE_RESPONSE=2", "b7/01=10001 b7/01=2"))
        for p in same(words, ours)])
    result("tool: plan for perf", [
        p for words, text in (
            ("cycles:u instructions r01c4:p cpu/event=0xc4,umask=2,cmask=3,inv=1,name=FEW/uk "
             "c9/04:in_tx --regime B",
             "echo 0 >/sys/devices/cpu/allow_tsx_force_abort\n"
             "perf stat -e '{cpu/event=0x3c,umask=0x00,name=cycles/u,"
             "cpu/event=0xc0,umask=0x00,name=instructions/,"
             "cpu/event=0xc4,umask=0x01/p}'\n"
             "perf stat -e '{cpu/event=0xc4,umask=0x02,inv=1,cmask=3,name=FEW/uk,"
             "cpu/event=0xc9,umask=0x04,in_tx=1/}'\n"),
            ("r1c4 r2c4 r4c4 r8c4 --regime B --force-abort",
             "echo 1 >/sys/devices/cpu/allow_tsx_force_abort\nperf stat -e '{"
             + ",".join(f"cpu/event=0xc4,umask=0x0{n}/" for n in (1, 2, 4, 8))
             + "}'\n"),
            (f"--events {LIST} RS_EVENTS.EMPTY_END {OFFCORE} cd/01=20",
             "perf stat -e '{cpu/event=0x5e,umask=0x01,edge=1,inv=1,cmask=1,"
             "name=RS_EVENTS.EMPTY_END/,cpu/event=0xb7,umask=0x01,offcore_rsp=0x10001/,"
             "cpu/event=0xcd,umask=0x01,ldlat=0x20/}'\n"),
            ("cpu_core/cycles/k cpu_core/event=0xc4,umask=1/ instructions",
             "perf stat -e '{cpu_core/event=0x3c,umask=0x00,name=cycles/k,"
             "cpu_core/event=0xc4,umask=0x01/,cpu_core/event=0xc0,umask=0x00,name=instructions/}'\n"),
            ("cpu_atom/cycles/", "perf stat -e '{cpu_atom/event=0x3c,umask=0x00,name=cycles/}'\n"))
        for p in prints(words + " --form perf", text)])
    result("tool: plan for PCM and LIKWID", [
        p for words, text in (
            ("c4/04:in_txcp b7/01=10001 --form pcm --regime B --force-abort",
             "pcm-core -force-rtm-abort-mode -e cpu/event=0xb7,umask=0x01,offcore_rsp=0x10001/ "
             "-e cpu/event=0x3c,umask=0x00,name=unused/ "
             "-e cpu/event=0xc4,umask=0x04,in_tx_cp=1/\n"),
            ("cycles c4/01 --counters 1 --fixed 2 --form pcm",
             "pcm-core -e cpu/event=0xc4,umask=0x01/\n"),
            (f"RTM_RETIRED.COMMIT:in_tx c4/02 {OFFCORE} cycles:u --fixed 2 --form likwid "
             f"--regime B --counters 4 --events {LIST}",
             "# with RTM_FORCE_ABORT (10FH[0]) = 0 on each processor that counts\n"
             "likwid-perfctr -C 0 -g RTM_RETIRED_COMMIT:PMC0:IN_TRANS:KERNEL,"
             "BR_INST_RETIRED_NEAR_CALL:PMC1:KERNEL,"
             "OFFCORE_RESPONSE_0_OPTIONS:PMC2:MATCH0=0x1:MATCH1=0x1:KERNEL,"
             "CPU_CLK_UNHALTED_CORE:FIXC1\n"))
        for p in prints(words, text)])
    result("tool: plan of what another tool cannot say", [
        p for words, line in (
            ("c4/01:pebs --form pcm", "c4/01: PCM makes no PEBS records"),
            ("r1c4:u --form pcm", "r1c4: PCM counts all privilege levels"),
            ("cd/01=3 --form pcm", "cd/01: PCM writes its MSR for no event of this place"),
            ("r1c4 --form likwid",
             "r1c4: LIKWID takes names of its own alone, and the list has none"),
            ("cpu_core/cycles/ --form pcm",
             "cycles: PCM and LIKWID name no kind of core"),
            (f"cpu_core/BR_INST_RETIRED.NEAR_CALL/ --form likwid --events {LIST}",
             "BR_INST_RETIRED.NEAR_CALL: PCM and LIKWID name no kind of core"),
            ("cycles cpu_atom/cycles/ cpu_core/cycles/",
             "cpu_core/cycles/: other events are of cpu_atom, and each kind of core is planned "
             "by itself"),
            ("ref-cycles", "ref-cycles: needs a fixed counter that is not planned"),
            (f"CPU_CLK_UNHALTED.REF_TSC --events {LIST}",
             "CPU_CLK_UNHALTED.REF_TSC: needs a fixed counter that is not planned"),
            (f"L1D_PEND_MISS.PENDING --counters 2 --events {LIST}",
             "L1D_PEND_MISS.PENDING: the list has no counter for it that is there"))
        for p in refused(words, line)])
    result("tool: plan by a list that cannot be read", [
        p for words, line in (
            ("c4/00 --events build/no/such",
             "unable to open build/no/such: No such file or directory"),
            ("c4/00 --events README.md", "README.md:1: '[' or '{' expected near '#'"))
        for p in refused(words, line, status=2)])
    result("tool: plan by a list with numbers that are none", malformed())
    result("tool: plan of what perf takes for no event", [
        p for word in ("cpu//", "cpu/event=0x1c4/", "cpu/event=/", "cpu/what=1/", "cpu/event=1",
                       "cpu_core", "cpu_core/", "cpu_co/cycles/", "cpuu/cycles/", "/cycles/",
                       "r", "rx1", "cycles:x", "cycle", "r01c4:", "r01c4p")
        for p in refused(word, f"{word}: not an event: a name in the manual, or EVENT/UMASK "
                         "in hexadecimal")])
    result("tool: wrong use of plan", [
        p for words in (("plan",), ("plan", "c4/00", "--counters=9"),
                        ("plan", "c4/00", "--counters=0"),
                        ("plan", "c4/00", "--fixed=3"),
                        ("plan", "c4/00", "--cpu=pentium"),
                        ("plan", "c4/00", "--cpu=06_"),
                        ("plan", "c4/00", "--regime=G"),
                        ("plan", "c4/00", "--form=vtune"),
                        ("decode", "pt", "x", "--events=y"),
                        ("plan", "c4/00", "--tsx"),
                        ("plan", *["c4/00"] * 65),
                        ("decode", "pt", "x", "--regime=B"),
                        ("decode", "pt", "x", "--force-abort"))
        for p in misused(*words)])
