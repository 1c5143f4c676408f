# SPDX-License-Identifier: BSD-2-Clause
"""QEMU: Machine is what is booted, boot() runs it to its end, snapshot() up to
where silicon.efi waits for its configuration."""

import dataclasses
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from typing import IO, Any, Callable, Iterator, Sequence

import ktap
import volume

FIRMWARE = "/usr/share/ovmf/OVMF.fd"
READY = "# silicon: ready"
CONFIG = "opt/tsxpmu/silicon"
FIRMWARE_EXCEPTION = ktap.FIRMWARE_EXCEPTION.encode()
# No user is at a keyboard; silicon.efi powers the machine off.
UNATTENDED = "countdown=0 exit=firmware"
# On a simulated processor everything is allowed.
ALLOWED = "allow=sdv_enable_rtm"
LOOK_SECONDS = 1  # between two looks at what QEMU uses: for patience of a minute
# An instruction takes 2 ns to the power of these: of a machine that simulates
# another one, which takes a thousand for one of its own; and of one that waits
# for most of the time.
SHIFT_STEPPED, SHIFT_PLAIN = 4, 8
# Of one that runs an operating system, and steps little: an instruction takes
# about as many ticks of the TSC as cycles.
SHIFT_OS = 2
# What the simulated processors have, too: silicon.efi hides what QEMU refuses to
# execute. QEMU takes some of AVX for the older set that it widens, and refuses
# CR4.OSXSAVE, which firmware sets, to a guest of AMD-V that has nothing of
# CPUID.0DH.1: XSAVEOPT is for that.
INSTRUCTION_SETS = ("+ssse3,+sse4.1,+sse4.2,+popcnt,+aes,+pclmulqdq,+movbe,+rdrand,"
                    "+fsgsbase,+bmi1,+bmi2,+abm,+adx,+erms,+smap,+rdtscp,+clflushopt,+xsave,+xsaveopt,+avx")


Process = subprocess.Popen[bytes]
Step = tuple[str, bytes | str]  # of Expect


@dataclasses.dataclass
class Machine:
    """What is booted. config: the text for silicon.efi, None without it."""

    image: str  # "": no disk
    smp: int = 2
    # silicon.efi, where firmware is to start it: the image is then the stick of
    # the simulated machine, in memory that it shares. "": the image is a disk.
    silicon: str = ""
    cpu: str = f"qemu64,+svm,+npt,{INSTRUCTION_SETS}"
    memory: int = 0  # MiB; 0: what so many processors need
    snapshot: str = ""  # state file made by snapshot(); "" is a whole boot
    extra: tuple[str, ...] = ()  # further arguments of QEMU
    serial: bool = True
    serial_file: str = ""  # where the serial port goes; "" is standard output
    cache: str = "unsafe"  # of the image, QEMU's word
    read_only: bool = False
    bus: str = "virtio"  # how the image is attached: virtio, usb or ahci
    firmware: tuple[str, ...] = ("-bios", FIRMWARE)
    # Time is counted in instructions, by one thread for all processors: whatever
    # else runs here, the machine does the same. Not so: the time of this machine,
    # and a thread for each processor.
    icount: bool = True
    kvm: bool = False  # in place of TCG, by the time of this machine
    shift: int = -1  # as SHIFT_STEPPED; -1: as usual

    def _shift(self) -> int:
        if self.shift >= 0:
            return self.shift
        return SHIFT_STEPPED if self.silicon else SHIFT_PLAIN

    def command(self, directory: str, config: str | None) -> list[str]:
        memory = f"{self.memory or (128 if self.smp <= 4 else 256)}M"
        # Made before the stick: QEMU 10.0, when it writes its state, takes each
        # piece of memory to begin where the first does, and asserts where that
        # is shorter.
        cpu = "host,+svm" if self.kvm else self.cpu
        line = ["qemu-system-x86_64", "-M", "q35,memory-backend=memory",
                "-object", "memory-backend-ram,id=memory,size=" + memory,
                "-m", memory, "-cpu", cpu, "-smp", str(self.smp),
                "-nodefaults", "-no-user-config", "-no-reboot",
                "-display", "none"] + list(self.firmware)
        if self.kvm:
            line += ["-accel", "kvm"]
        elif self.icount:
            line += ["-accel", "tcg,thread=single", "-icount",
                     f"shift={self._shift()},sleep=off",
                     "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"]
        else:
            line += ["-accel", "tcg,thread=multi"]
        if self.silicon:
            line += ["-kernel", self.silicon, "-device", "ivshmem-plain,memdev=stick,master=on",
                     "-object", "memory-backend-file,id=stick,share=on,"
                     f"size={os.path.getsize(self.image)},mem-path={self.image}"]
        elif self.image:
            line += ["-drive", f"if=none,id=stick,format=raw,cache={self.cache},"
                     f"readonly={'on' if self.read_only else 'off'},file="
                     + self.image]
            line += {"virtio": ["-device", "virtio-blk-pci,drive=stick"],
                     "ahci": ["-device", "ide-hd,drive=stick"],
                     "usb": ["-device", "qemu-xhci",
                             "-device", "usb-storage,drive=stick"]}[self.bus]
        if self.serial:
            line += ["-serial", "file:" + self.serial_file
                     if self.serial_file else "stdio"]
        if config is not None:
            path = os.path.join(directory, "config")
            with open(path, "w", encoding="ascii") as file:
                file.write(config)
            line += ["-fw_cfg", f"name={CONFIG},file={path}"]
        if self.snapshot:
            line += ["-S", "-incoming", "exec:cat " + self.snapshot]
        return line + list(self.extra)


def _stop(process: Process) -> None:
    process.kill()
    process.wait()


class Expect:
    """A user at the machine. steps: (what is waited for, what is done
    then): bytes are typed at the serial port, a word is a key of the keyboard
    by QEMU's name, QUIT ends QEMU, QUIT_LATER does so after some seconds, and so
    long after comes MACHINE_CHECK, which is told to both processors: of a bank of
    each, not corrected, and the interrupted program can go on. (`mce -b`, which
    tells all, newer QEMUs refuse where the processor is not one of Intel's.)"""

    QUIT, QUIT_LATER = "quit", "quit later"
    MACHINE_CHECK = "mce %u 1 0xb200000000000000 5 0 0"

    def __init__(self, steps: Sequence[Step], process: Process, monitor: str) -> None:
        self.steps, self.process, self.monitor = list(steps), process, monitor
        self.position = 0  # of the text

    @classmethod
    def types_anything(cls, steps: Sequence[Step]) -> bool:
        """Is anything typed?"""
        return any(action not in (b"", cls.QUIT, cls.QUIT_LATER, cls.MACHINE_CHECK) for _, action in steps)

    def feed(self, text: bytes | bytearray) -> None:
        while self.steps:
            at = text.find(self.steps[0][0].encode(), self.position)
            if at < 0:
                return
            wanted, action = self.steps.pop(0)
            self.position = at + len(wanted)
            if isinstance(action, bytes):
                assert self.process.stdin  # of who expects anything
                self.process.stdin.write(action)
                self.process.stdin.flush()
            elif action in (self.QUIT, self.QUIT_LATER):
                time.sleep(3 if action == self.QUIT_LATER else 0)
                list(_qmp(self.monitor, ["quit"]))
            elif action == self.MACHINE_CHECK:
                time.sleep(3)
                list(_qmp(self.monitor, [{"execute": "human-monitor-command", "arguments": {
                    "command-line": action % number}} for number in range(2)]))
            else:
                list(_qmp(self.monitor, [{"execute": "send-key", "arguments": {
                    "keys": [{"type": "qcode", "data": action}]}}]))


def processor_time(process: Process) -> tuple[float, bool]:
    """What it has used so far, in seconds; and is it stopped, or waiting for its
    turn here?"""
    threads = f"/proc/{process.pid}/task"
    ticks, states = 0, ""
    for thread in os.listdir(threads):
        with open(f"{threads}/{thread}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
        states += fields[0]
    return ticks / os.sysconf("SC_CLK_TCK"), bool(set(states) & set("RDTt"))


class Watchdog:
    """When a machine is given up. What it simulates is slow where this machine
    is busy: so what counts is the processor time that QEMU takes without output,
    and time on the wall only while it wants none."""

    def __init__(self, process: Process, timeout: float, silence: float) -> None:
        self.process, self.timeout, self.silence = process, timeout, silence
        self.quiet = 0.0  # seconds of either kind since the last output
        self.cpu, self.wall = 0.0, time.monotonic()

    def restart(self) -> None:
        self.quiet = 0.0

    def expired(self) -> str:
        """Why it is given up, "" while it is not. Looks once a second only."""
        wall = time.monotonic()
        if wall < self.wall + LOOK_SECONDS:
            return ""
        try:
            cpu, busy = processor_time(self.process)
        except (FileNotFoundError, ProcessLookupError, IndexError):
            return ""
        if cpu == self.cpu and not busy:
            self.quiet += wall - self.wall
        self.quiet += cpu - self.cpu
        self.cpu, self.wall = cpu, wall
        if cpu > self.timeout:
            return f"still running after {self.timeout} s of processor time"
        if self.silence and self.quiet > self.silence:
            return f"no output for {self.silence:.0f} s"
        return ""


def _output_of(process: Process, log: IO[bytes] | None) -> Iterator[bytes]:
    """Yields what QEMU and its serial port have printed meanwhile; b"" is nothing,
    and the generator ends with QEMU."""
    assert process.stdout
    os.set_blocking(process.stdout.fileno(), False)
    running = True
    while running:
        select.select([process.stdout], [], [], 0.02)
        running = process.poll() is None  # what is read then is the last
        yield (log.read() if log else b"") + (process.stdout.read() or b"")


def boot(machine: Machine, config: str | None = None,
         stream: Callable[[bytes], None] | None = None, timeout: float = 300,
         silence: float = 60, expect: Sequence[Step] = (), until: str | None = None,
         started: Callable[[Process], object] | None = None) -> tuple[str, str]:
    """Runs to the end of QEMU, or until the text has a line that this pattern
    fits. Returns (text of the serial port, what went wrong or ""). timeout,
    silence: seconds in all, and without output, as Watchdog counts them, the
    latter longer where more processors are simulated; expect:
    the steps of an Expect; started: is called with QEMU's process."""
    with tempfile.TemporaryDirectory() as directory:
        monitor = os.path.join(directory, "qmp")
        stick = os.path.join(directory, "stick")
        if machine.snapshot:
            volume.copy_image(machine.image, stick)
        log = None
        if machine.serial and not Expect.types_anything(expect):
            # A pipe's reader may be late, and the machine would see it.
            machine = dataclasses.replace(
                machine, serial_file=os.path.join(directory, "serial"))
            log = open(machine.serial_file, "w+b")
        process = subprocess.Popen(
            machine.command(directory, config)
            + ["-qmp", f"unix:{monitor},server=on,wait=off"],
            stdin=subprocess.PIPE if expect else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if machine.snapshot:
            try:
                _resume(machine, monitor, stick, process)
            except (OSError, ValueError) as error:
                _stop(process)
                return "", f"QEMU's monitor: {error}"
        if started:
            started(process)
        user = Expect(expect, process, monitor)
        # One thread runs all processors, and firmware starts all before it prints.
        patience = silence * (1 + machine.smp / 16) if machine.serial else 0
        watchdog = Watchdog(process, timeout, patience)
        text = bytearray()
        failure = ""
        for part in _output_of(process, log):
            text += part
            if part:
                watchdog.restart()
                if stream:
                    stream(part)
                user.feed(text)
                if until and re.search(until, text.decode("latin-1"), re.M):
                    _stop(process)
                    return text.decode("latin-1"), ""
            failure = watchdog.expired()
            if FIRMWARE_EXCEPTION in text and watchdog.quiet > 3:
                failure = "the firmware caught an exception and halts"
            if failure:
                _stop(process)
                break
        status = process.wait()
        if not failure and status != 0:
            failure = f"QEMU ended with status {status}"
        if not failure and user.steps:
            failure = f"never printed: {user.steps[0][0]!r}"
        return text.decode("latin-1"), failure


def _resume(machine: Machine, monitor: str, stick: str,
            process: subprocess.Popen[bytes]) -> None:
    """Lets a machine go on from its snapshot, which has come with the stick of
    then: its memory gets the bytes of the file `stick`."""
    _migrated(monitor, process)
    volume.copy_image(stick, machine.image)
    list(_qmp(monitor, ["cont"]))


def _migrated(monitor: str, process: subprocess.Popen[bytes]) -> bool:
    """Waits for the end of a migration, out or in. False: it has failed."""
    status = ""
    for _ in range(6000):
        if process.poll() is not None:
            return False
        answer = list(_qmp(monitor, ["query-migrate"], process))[-1]
        status = answer["return"].get("status", "")
        if status in ("completed", "failed"):
            break
        time.sleep(0.02)
    return status == "completed"


def _qmp(path: str, commands: Sequence[str | dict[str, Any]],
         process: subprocess.Popen[bytes] | None = None) -> Iterator[dict[str, Any]]:
    """Sends the commands to QEMU's monitor; yields each one's answer."""
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.settimeout(60)
        for tries in range(6000):
            try:
                monitor.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                # It ends, or after a minute does not listen.
                if tries == 5999 or (process and process.poll() is not None):
                    raise
                time.sleep(0.01)
        lines = monitor.makefile("rw")
        json.loads(lines.readline())  # greeting
        for command in ["qmp_capabilities", *commands]:
            if isinstance(command, str):
                command = {"execute": command}
            json.dump(command, lines)
            lines.write("\n")
            lines.flush()
            answer = {}
            while "return" not in answer and "error" not in answer:
                answer = json.loads(lines.readline())
            yield answer


def snapshot(machine: Machine, state: str) -> None:
    """Boots until silicon.efi waits for its configuration, and writes the
    machine's state to the file `state`, which is empty where QEMU cannot."""
    with tempfile.TemporaryDirectory() as directory:
        monitor = os.path.join(directory, "qmp")
        process = subprocess.Popen(
            machine.command(directory, "wait\n")
            + ["-qmp", f"unix:{monitor},server=on,wait=off"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert process.stdout
        try:
            seen = b""
            end = time.monotonic() + 120
            while READY.encode() not in seen:
                ready, _, _ = select.select([process.stdout], [], [], 1)
                part = os.read(process.stdout.fileno(), 4096) if ready else b"-"
                if not part or time.monotonic() > end:
                    sys.exit("QEMU: no snapshot: silicon.efi is not ready; "
                             "last printed: " + seen[-200:].decode("latin-1"))
                seen += part if ready else b""
            unfinished = state + ".part"
            try:
                # What runs meanwhile may write to memory that is not written again.
                list(_qmp(monitor, ["stop", {"execute": "migrate", "arguments":
                                             {"uri": "exec:cat >" + unfinished}}]))
                written = _migrated(monitor, process)
            except (OSError, ValueError):  # it has ended
                written = False
            if not written:
                print("This QEMU does not write its state: boots of "
                      f"{machine.smp} processors are made from power-on")
                open(unfinished, "wb").close()
            os.rename(unfinished, state)
        finally:
            _stop(process)
