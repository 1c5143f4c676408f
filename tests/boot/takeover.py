# SPDX-License-Identifier: BSD-2-Clause
"""Boots a program of tests/boot that takes the machine over as an operating system
does: takeover.c."""

import os
import subprocess
import tempfile
from typing import Callable

import qemu
import volume

SILICON = "build/silicon.efi"
MEBIBYTES = 512
SECONDS = 60


def boot(program: str, cpu: str, seed: int = 1, smp: int = 1,
         stream: Callable[[bytes], None] | None = None) -> tuple[str, str]:
    """(what it printed, what went wrong or ""). stream: takes it as it comes."""
    with tempfile.TemporaryDirectory() as directory:
        stick = os.path.join(directory, "stick")
        subprocess.run(["scripts/image", stick, f"{program}=test.efi"], check=True)
        volume.grow(stick)
        machine = qemu.Machine(stick, smp, SILICON, memory=MEBIBYTES,
                               shift=qemu.SHIFT_OS, icount=smp == 1)
        text, failure = qemu.boot(
            machine, f"cpu={cpu}\nseed={seed}\nturns=off\nos=on\napp=\\test.efi\n",
            stream, timeout=SECONDS)
    return text.replace("\r", ""), failure
