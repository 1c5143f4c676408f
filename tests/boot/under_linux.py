# SPDX-License-Identifier: BSD-2-Clause
"""Linux on the simulated processor: what its own driver for the counters says of
it. The kernel is the one that `make linux` has fetched."""

import os
import re
import shutil
from typing import Callable, Iterable, Iterator

import linux

ROUNDS = 1000  # of count: tests/linux/count.c
INSTRUCTIONS = 3 * ROUNDS + 5
BRANCHES = ROUNDS + 1
PMU = "/sys/bus/event_source/devices/cpu"

GROUP = "perf stat -x, -e '{r00c4:u,r00c4:u,r00c4:u,r00c4:u}'"
SCRIPT = f"""
dmesg | grep "Performance Events"
grep -o -w -E "hle|rtm|intel_pt" /proc/cpuinfo | sort -u
perf stat -x, -e instructions:u,branches:u count 2>&1
perf stat -x, -e instructions:u count $(seq 99) 2>&1
echo "compatibility mode"
perf stat -x, -e instructions:u,branches:u count32 2>&1
perf stat -x, -e instructions:u count32 $(seq 99) 2>&1
transactions32 && echo "undone there"
perf record -q -e cpu/mem-loads,ldlat=1/upp -c 1 -d -o /tmp/loads loads32 2>/dev/null
echo "precise"
for event in r00c4:up r00c4:upp instructions:uppp; do
    perf record -q -e $event -c 7 -o /tmp/precise count 2>/dev/null
    perf script -i /tmp/precise -F ip | sort | uniq -c | awk '$1 > 100 {{ print $2 }}'
done
echo "loads"; perf script -i /tmp/loads -F addr 2>/dev/null | sort -u
at=$(perf script -i /tmp/loads -F addr 2>/dev/null | sort -u | head -1 | tr -d ' ')
perf stat -x, -e mem:0x$at/8:rw:u loads32 2>&1
for allowed in 0 1; do
    echo "allowed $allowed"
    echo $allowed >{PMU}/allow_tsx_force_abort
    {GROUP} count 2>&1
done
echo 0 >{PMU}/allow_tsx_force_abort
perf stat -x, -e tx-start:u,tx-commit:u,tx-abort:u transactions 2>&1
"""
# Each branch of count, and each begin and abort of transactions, by perf's own
# decoder: the instructions are those of their listings.
SCRIPT_OF_TRACE = """
perf record -q -e intel_pt//u -o /tmp/count count
perf script -i /tmp/count --itrace=i1i -F ip | sort | uniq -c | awk '{print "times", $1}'
perf record -q -e intel_pt//u -o /tmp/tsx transactions
perf script -i /tmp/tsx --itrace=b -F flags,ip | grep -c abrt
perf script -i /tmp/tsx --itrace=b -F flags,ip | grep -c "(x)"
perf script -i /tmp/count --itrace=e; perf script -i /tmp/tsx --itrace=e
echo end
"""
WANTED_OF_TRACE = (rf"^(times 1\n){{2}}(times {ROUNDS}\n){{3}}(times 1\n){{3}}"
                   r"(transactions: .*\n)+50\n50\nend$",)

# All four counters, while transactions are begun: each is aborted.
SCRIPT_OF_FORCED = f"""
echo 1 >{PMU}/allow_tsx_force_abort
{GROUP} transactions 2>&1 || true
"""
FAULT = "counter3_garbles_though_forced"

WANTED = (
    r"Performance Events: PEBS fmt3\+, Skylake events",
    r"^hle\nintel_pt\nrtm$",
    rf"^{INSTRUCTIONS},,instructions:u,",
    rf"^{BRANCHES},,branches:u,",
    rf"^{3 * ROUNDS * 100 + 5},,instructions:u,",
    rf"^compatibility mode\n{INSTRUCTIONS},,instructions:u,.*\n{BRANCHES},,branches:u,.*\n"
    rf"{3 * ROUNDS * 100 + 5},,instructions:u,.*\nundone there$",
    r"^loads\n *(\w+)0 *\n *\1(?:4) *\n(?! *\w+ *\n)",  # word and the one after it
    r"^400,,mem:0x",  # each of them, by a breakpoint, beside the watchdog
    r"^allowed 0\n(<not \w+>,,r00c4:u,.*\n){4}",
    rf"^allowed 1\n({BRANCHES},,r00c4:u,.*\n){{4}}",
    r"^transactions: committed 50\n.*undone 50$",
    r"^50,,tx-commit:u,",
)


# The watchdog counts cycles meanwhile.
SCRIPT_OF_TWO = """
nproc
perf stat -x, -e instructions:u count 2>&1
cd /sys/devices/system/cpu/cpu1
echo 0 >online; nproc; echo 1 >online; nproc
dmesg | grep -o "NMI watchdog: Enabled"
"""
WANTED_OF_TWO = (rf"^2\n{INSTRUCTIONS},,instructions:u,.*\n1\n2\nNMI watchdog: Enabled$",)


# Of perf's own tests those that use counters, breakpoints, traces or the TSC, and what
# they say here. A processor of Intel has no watchpoint for loads alone.
PERF_TESTS = {
    "Read samples using the mmap interface": "Ok",
    "User space counter reading of instructions": "Ok",
    "User space counter reading of cycles": "Ok",
    "Breakpoint overflow signal handler": "Ok",
    "Breakpoint overflow sampling": "Ok",
    "Breakpoint accounting": "Ok",
    "Read Only Watchpoint": "Skip",
    "Write Only Watchpoint": "Ok",
    "Read / Write Watchpoint": "Ok",
    "Modify Watchpoint": "Ok",
    "Session topology": "Ok",
    "Event times": "Ok",
    "Read backward ring buffer": "Ok",
    "TSC support": "Ok",
    "Perf time to TSC": "Ok",
    "Sigtrap": "Ok",
    "Intel PT packet decoder": "Ok",
    "x86 bp modify": "Ok",
    "x86 Sample parsing": "Ok",
}
GROUPS = ("mmap interface", "User space counter", "Breakpoint", "Watchpoint",
          "Session topology", "Event times", "backward ring", "TSC support",
          "perf time to TSC", "Sigtrap", "Intel PT packet", "x86 bp", "x86 Sample")


def lacking(text: str, failure: str, wanted: Iterable[str]) -> Iterator[str]:
    if failure:
        yield failure
    for pattern in wanted:
        if not re.search(pattern, text, re.M):
            yield f"nothing like: {pattern}"


def works_with_two() -> Iterator[str]:
    yield from lacking(*linux.boot(SCRIPT_OF_TWO, smp=2), WANTED_OF_TWO)


def traces() -> Iterator[str]:
    yield from lacking(*linux.boot(SCRIPT_OF_TRACE), WANTED_OF_TRACE)


def works() -> Iterator[str]:
    text, failure = linux.boot(SCRIPT)
    yield from lacking(text, failure, WANTED)
    if not failure:
        starts, ends = (re.search(rf"^(\d+),,tx-{what}:u", text, re.M)
                        for what in ("start", "abort"))
        # Of the loop: after its branch, the branch itself, and each instruction.
        precise = [int(ip, 16) for ip in re.findall(
            r"^(\w+)$", text.partition("precise\n")[2].partition("loads\n")[0], re.M)]
        if [ip - precise[0] for ip in precise] != [0, 3, 0, 1, 3]:
            yield f"precise addresses are {precise}"
        if not starts or not ends or int(starts[1]) != 50 + int(ends[1]):
            yield "transactions begun are not those committed and aborted"


def passes_own_tests() -> Iterator[str]:
    names = " ".join(f'"{name}"' for name in GROUPS)
    text, failure = linux.boot(f"perf test {names} 2>&1 || true")
    if failure:
        yield failure
    said = dict(re.findall(r"^ *[\d.]+: (.+?) *:(?:\x1b\[\d*m)? *(Ok|Skip|FAILED)",
                           re.sub(r"\x1b\[m", "", text), re.M))
    for name in PERF_TESTS.keys() | said.keys():
        if said.get(name) != PERF_TESTS.get(name):
            yield f"{name}: {said.get(name)}, wanted {PERF_TESTS.get(name)}"


def shows_fault() -> Iterator[str]:
    """Without the fault the four are equal."""
    for fault in ("", FAULT):
        text, failure = linux.boot(SCRIPT_OF_FORCED, fault=fault)
        if failure:
            yield failure
        counts = re.findall(r"^(\d+),,r00c4:u", text, re.M)
        wrong = len(counts) == 4 and counts[3] != counts[0]
        if len(counts) != 4 or len(set(counts[:3])) != 1 or wrong != bool(fault):
            yield f"perf counts {counts}, fault {fault or 'none'}"


def run(result: Callable[[str, Iterable[str]], None],
        skip: Callable[[str, str], None]) -> None:
    checks = (("Linux: perf counts exactly, counter 3 and transactions", works),
              ("Linux: perf follows a trace, instruction by instruction", traces),
              ("Linux: perf's own tests", passes_own_tests),
              ("Linux: two processors, one goes and comes back", works_with_two),
              (f"Linux: perf shows the fault {FAULT}", shows_fault))
    for name, check in checks:
        if not os.path.exists(linux.STICK) or not shutil.which("perf"):
            skip("boot: " + name, "no kernel here: make linux fetches it")
        else:
            result("boot: " + name, check())
