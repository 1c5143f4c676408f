#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Boots Debian's kernel, or another, on the simulated processor, with perf and a shell, and
runs commands there. Exit status 0 where each of them gave 0."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, d) for d in ("tests", "scripts")]

import initramfs
import qemu
import volume

STICK = "build/linux/stick.img"  # with the kernel, and the archive
MEBIBYTES = 512
# The watchdog is what takes counters by itself.
OPTIONS = "initrd=\\files.cpio initrd=\\run.cpio console=ttyS0 quiet nokaslr"
DONE = r"^linux: status (\d+)"
SECONDS = 900  # of processor time


def machine(directory: str, script: str, smp: int, kvm: bool = False,
            image: str = STICK, files: str = "") -> qemu.Machine:
    """One whose initial files are the archive, this script, and a folder's."""
    stick = os.path.join(directory, "stick")
    volume.make_stick(image, stick)
    run: dict[str, str | bytes] = {"run": script.encode()}
    volume.write(stick, "run.cpio", initramfs.archive(initramfs.folder(files) | run))
    return qemu.Machine(stick, smp, "build/silicon.efi", memory=MEBIBYTES,
                        shift=qemu.SHIFT_OS, icount=smp == 1, kvm=kvm)


def config_text(cpu: str, fault: str, options: str) -> str:
    """For silicon.efi."""
    lines = ["cpu=" + cpu] * bool(cpu) + ["fault=" + fault] * bool(fault)
    return "\n".join(lines + ["turns=off", "os=on", "app=\\vmlinuz.efi",
                              f"options={OPTIONS} {options}", ""])


def boot(script: str, cpu: str = "skylake-2018", fault: str = "", smp: int = 1,
         options: str = "", stream=None, kvm: bool = False,
         image: str = STICK, files: str = "") -> tuple[str, str]:
    """(what is on the serial port, what went wrong or "")."""
    with tempfile.TemporaryDirectory() as directory:
        text, failure = qemu.boot(machine(directory, script, smp, kvm, image, files),
                                  config_text(cpu, fault, options), stream,
                                  timeout=SECONDS, silence=SECONDS)
    text = text.replace("\r", "")
    status = re.search(DONE, text, re.M)
    if not failure and not status:
        failure = "the commands did not come to their end"
    return text, failure or (f"status {status[1]}" if status and status[1] != "0" else "")


def console(arguments: argparse.Namespace) -> int:
    """A shell on the serial port, until poweroff or Ctrl-A X."""
    with tempfile.TemporaryDirectory() as directory:
        made = machine(directory, "exec sh -i", arguments.smp, arguments.kvm,
                       arguments.stick, arguments.files)
        made.serial = False
        text = config_text(arguments.cpu, arguments.fault, arguments.options)
        return subprocess.run(made.command(directory, text)
                              + ["-serial", "mon:stdio"], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", default="", help="commands, instead of the tour")
    parser.add_argument("--console", action="store_true", help="a shell")
    parser.add_argument("--kvm", action="store_true", help="in place of TCG")
    parser.add_argument("--smp", type=int, default=1)
    parser.add_argument("--stick", default=STICK, help="image with kernel and files")
    parser.add_argument("--files", default="", help="a folder whose files are there, too")
    for key in ("cpu", "fault", "options"):
        parser.add_argument("--" + key, default="")
    arguments = parser.parse_args()
    if arguments.console:
        return console(arguments)
    script = arguments.run
    if not script:
        with open("tests/linux/tour.sh", encoding="ascii") as file:
            script = file.read()

    def show(part: bytes) -> None:
        sys.stdout.write(part.decode("latin-1").replace("\r", ""))
        sys.stdout.flush()

    start = time.monotonic()
    try:
        _, failure = boot(script, arguments.cpu, arguments.fault, arguments.smp,
                          arguments.options, show, arguments.kvm, arguments.stick,
                          arguments.files)
    except OSError as error:
        failure = str(error)
    except subprocess.CalledProcessError:
        failure = "the stick has no room for these files"
    print(f"linux: {time.monotonic() - start:.1f} s" + (": " + failure if failure else ""))
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())
