#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Boots an image in QEMU, streams the report it writes to its serial port, and
judges it: exit status 0 only for a complete report with no FAIL and no ERROR.
"""

import argparse
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))

import ktap
import qemu
import volume


def config_text(arguments: argparse.Namespace) -> str:
    """The configuration of silicon.efi that the options of `make run` make."""
    options = " ".join(
        [qemu.UNATTENDED, qemu.ALLOWED]
        + [f"{key}={getattr(arguments, key)}" for key in ("tests", "trials")
           if getattr(arguments, key)] + [arguments.options])
    lines = [f"{key}={getattr(arguments, key)}"
             for key in ("cpu", "smt", "seed", "fault") if getattr(arguments, key)]
    lines += ["turns=off"] * arguments.kvm
    return "\n".join(lines + ["options=" + options, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--image", required=True, help="of the stick")
    parser.add_argument("--silicon", default="", help="silicon.efi")
    parser.add_argument("--report", help="where the report is saved")
    parser.add_argument("--snapshot", help="write a snapshot there and end")
    parser.add_argument("--cpu", default="", help="personality, or none")
    parser.add_argument("--smp", type=int, default=2)
    parser.add_argument("--kvm", action="store_true", help="in place of TCG")
    for key in ("smt", "seed", "fault", "tests", "trials", "options"):
        parser.add_argument("--" + key, default="")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as directory:
        stick = os.path.join(directory, "stick.img")
        volume.make_stick(arguments.image, stick)
        machine = qemu.Machine(stick, arguments.smp, arguments.silicon, kvm=arguments.kvm)
        if arguments.snapshot:
            qemu.snapshot(machine, arguments.snapshot)
            return 0
        config = None
        if arguments.cpu == "none":
            machine.silicon, machine.cpu = "", "qemu64"
            volume.write(stick, "tsxpmu.cfg",
                         config_text(arguments).split("options=")[1]
                         + "exit=poweroff\n")
        else:
            config = config_text(arguments)

        def show(part: bytes) -> None:
            sys.stdout.write(part.decode("latin-1").replace("\r", ""))
            sys.stdout.flush()

        start = time.monotonic()
        text, failure = qemu.boot(machine, config, show)
        seconds = time.monotonic() - start
        report = ktap.Report(text)
        if arguments.report:
            with open(arguments.report, "w", encoding="latin-1") as file:
                file.write(ktap.from_start(report.text) or report.text)
    for problem in [failure] * bool(failure) + report.problems + report.not_restored:
        print("run: " + problem)
    print(f"run: {seconds:.1f} s, {len(report.body)} bytes of report"
          + (f" in {arguments.report}" if arguments.report else ""))
    return 0 if report.good() and not failure else 1


if __name__ == "__main__":
    sys.exit(main())
