#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the EFI builds of kvm-unit-tests on plain QEMU and on the simulated
processor, one after another, and writes a table of what each said. They are
somebody else's: built elsewhere, nothing of them is here."""

import argparse
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, d) for d in ("tests", "scripts")]

import qemu
import volume

MEBIBYTES = 512
SECONDS, SILENCE = 60, 20  # of processor time, a test
DEVICES = ("-device", "pc-testdev", "-device", "isa-debug-exit,iobase=0xf4,iosize=0x4")
# What the simulated processor has as well, as far as QEMU plays it.
PLAIN = f"qemu64,{qemu.INSTRUCTION_SETS}"
# Those that ask of an Intel processor what QEMU or silicon plays at all; of the
# others, most are about nested virtualization or KVM's own interface.
USUAL = ("pmu", "pmu_lbr", "pmu_pebs", "debug", "syscall", "eventinj", "msr", "apic",
         "smptest", "tsx-ctrl", "idt_test", "sieve", "setjmp", "tsc", "tsc_adjust",
         "rdpru", "umip", "xsave", "intel-iommu", "ioapic", "rmap_chain", "cet",
         "memory", "pcid", "access_test")
# Where the usual is not one processor, and not so many seconds.
PROCESSORS = {"smptest": 2, "apic": 2}
LONG = {"pmu": 900, "pmu_pebs": 900}
# As many reference cycles as cycles: no more than three times as many are wanted.
SHIFTS = {"pmu": 0}
# Not the figures that pmu says before a failure.
SAID = re.compile(r"^(PASS|FAIL|XFAIL|SKIP):(?! ?-?\d+ <=)(.*)$", re.M)


def image(directory: str, program: str, where: str) -> str:
    path = os.path.join(directory, "stick")
    subprocess.run(["scripts/image", path, f"{program}={where}"], check=True)
    volume.grow(path)
    return path


def boot(program: str, cpu: str) -> tuple[str, str]:
    """(what it printed, what went wrong or ""). cpu: "" is plain QEMU."""
    with tempfile.TemporaryDirectory() as directory:
        stick = image(directory, program, "test.efi" if cpu else "EFI/BOOT/BOOTX64.EFI")
        name = os.path.basename(program).removesuffix(".efi")
        seconds = LONG.get(name, SECONDS)
        machine = qemu.Machine(stick, PROCESSORS.get(name, 1),
                               "build/silicon.efi" if cpu else "",
                               memory=MEBIBYTES, extra=DEVICES,
                               shift=SHIFTS.get(name, qemu.SHIFT_OS) if cpu else -1)
        # One thread of QEMU's would stay with a processor that spins.
        machine.icount = machine.smp == 1
        if not cpu:
            machine.cpu = PLAIN
        config = f"cpu={cpu}\nturns=off\nos=on\napp=\\test.efi\n" if cpu else None
        text, failure = qemu.boot(machine, config, timeout=seconds,
                                  silence=max(SILENCE, seconds // 10))
    # isa-debug-exit: an odd status is the test's own end.
    status = re.fullmatch(r"QEMU ended with status (\d+)", failure)
    if status and int(status[1]) % 2 == 1:
        failure = ""
    return text.replace("\r", ""), failure


def verdict(text: str, failure: str) -> str:
    """In a word: how many passed and failed, and whether it came to its end."""
    said = [kind for kind, _ in SAID.findall(text)]
    counts = f"{said.count('PASS')} passed, {said.count('FAIL')} failed"
    if not said:
        counts = "says nothing"
    if "SKIP" in said:
        counts += f", {said.count('SKIP')} skipped"
    silicon = re.search(r"# silicon: error: ([^;\n]*)", text)
    return counts + (f"; {silicon[1]}" if silicon else f"; {failure}" if failure else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kut", required=True, help="folder of *.efi")
    parser.add_argument("--cpu", default="skylake-2018")
    parser.add_argument("--tests", default="", help="patterns, with commas")
    arguments = parser.parse_args()
    patterns = arguments.tests.split(",") if arguments.tests else USUAL
    names = sorted(name.removesuffix(".efi") for name in os.listdir(arguments.kut)
                   if name.endswith(".efi")
                   and any(fnmatch.fnmatch(name.removesuffix(".efi"), p) for p in patterns))
    if not names:
        sys.exit(f"peer_tests: no *.efi of these in {arguments.kut}")
    os.makedirs("build/peer", exist_ok=True)
    print(f"| test | QEMU alone | {arguments.cpu} |\n|---|---|---|")
    for name in names:
        row = []
        for cpu in ("", arguments.cpu):
            text, failure = boot(os.path.join(arguments.kut, name + ".efi"), cpu)
            row.append(verdict(text, failure))
            with open(f"build/peer/{name}-{cpu or 'none'}.log", "w",
                      encoding="latin-1") as log:
                log.write(text + failure)
        print(f"| {name} | {row[0]} | {row[1]} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
