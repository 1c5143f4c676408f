# SPDX-License-Identifier: BSD-2-Clause
"""Boots with any serial port, and with none; with a reader that is slow."""

import fcntl
import os
import re
import select
import struct
import tempfile
import termios
import threading
import time

import qemu
from boots import BUILD, GOLDEN, Boot, all_of, clean, ended, has, in_file, lacks


def spcr(space, address, speed=7):
    """A table of revision 2; speed 7 is 115200. Its checksum is QEMU's doing
    where it is given whole, so it is made here."""
    body = struct.pack("<B3xBBBBQ", 0, space, 8, 0, 1, address)
    body += struct.pack("<BBIBBBBBBHHBBBIBI", 1, 4, 0, speed, 0, 1, 0, 3, 0,
                        0xffff, 0xffff, 0, 0, 0, 0, 0, 0)
    table = bytearray(struct.pack("<4sIBB6s8sI4sI", b"SPCR", 36 + len(body), 2, 0,
                                  b"TSXPMU", b"TESTSPCR", 1, b"TEST", 1) + body)
    table[9] = -sum(table) & 0xff
    return bytes(table)


def serial():
    second = ("-serial", "null", "-serial", "stdio")
    table = f"{BUILD}/spcr.bin"
    with open(table, "wb") as file:
        file.write(spcr(1, 0x2f8))
    wrong = f"{BUILD}/spcr-nowhere.bin"
    with open(wrong, "wb") as file:
        file.write(spcr(1, 0x268))

    def found(what):
        return all_of(clean, has(r"^# serial port: " + re.escape(what) + "$"))

    def one(name, want, extra, words="", **more):
        return Boot(name, want, silicon=False, options=f"{GOLDEN} {words}",
                    machine={"serial": False, "extra": extra}, **more)

    yield one("serial port by SPCR", found("I/O port 2F8H, 115200 bits a second (SPCR)"),
              second + ("-acpitable", "file=" + table))
    yield one("SPCR names a port that is not there: a warning, and the next is used",
              all_of(found("I/O port 3F8H, 115200 bits a second (COM1, probed)"),
                     has("^# warning: serial port of SPCR: nothing answers: I/O port 268H")),
              ("-serial", "stdio", "-acpitable", "file=" + wrong))
    yield one("serial port by PCI class",
              all_of(clean, has(r"^# serial port: I/O port [0-9A-F]{4}H, 115200 bits a "
                                r"second \(PCI class 07/00\)$")),
              ("-chardev", "stdio,id=c", "-device", "pci-serial,chardev=c"))
    engine = ("-device", "pci-testdev,addr=16.0,multifunction=on",
              "-device", "pci-serial,addr=16.3,chardev=c")
    yield one("COM1 before a port of PCI",
              found("I/O port 3F8H, 115200 bits a second (COM1, probed)"),
              ("-serial", "stdio", "-chardev", "null,id=c", "-device", "pci-serial,chardev=c"))
    yield one("the management engine's port is not taken by itself",
              all_of(ended, lacks("KTAP"), in_file("^# warning: no serial port: none in ")),
              ("-chardev", "stdio,id=c") + engine)
    yield one("serial port by probing: the third",
              found("I/O port 3E8H, 115200 bits a second (COM3, probed)"),
              ("-chardev", "stdio,id=c", "-device", "isa-serial,index=2,chardev=c"))
    yield one("serial=0x2f8 speed=9600",
              found("I/O port 2F8H, 9600 bits a second (serial=)"), second,
              "serial=0x2f8 speed=9600")
    yield one("serial=off", all_of(ended, lacks("KTAP"), in_file("^# END ")),
              ("-serial", "stdio"), "serial=off")
    # Beyond what the firmware maps: a page fault.
    yield one("serial= names memory where there is none",
              all_of(ended, lacks("KTAP"), in_file(
                  "^# warning: serial port of serial=: nothing answers: memory at "
                  "400000000000H, registers 4 bytes apart")),
              ("-serial", "stdio"), "serial=0x400000000000/4")
    # Mapped, and reads as zeros: a UART whose transmitter is never empty.
    yield one("a serial port that never gets ready: one warning, and the run goes on",
              all_of(ended, lacks("KTAP"), in_file(
                  "^# warning: the serial port is not ready in time, and is tried again "
                  "after each test: "
                  "memory at C000000000H, registers 4 bytes apart, 115200 bits")),
              ("-serial", "stdio"), "serial=0xC000000000/4")


class SlowReader:
    """Of a serial port that holds 4 KiB: reads on when it has been full for a
    second of QEMU's processor time, however long that takes here."""

    HOLDS = 4096

    def __init__(self) -> None:
        self.path = tempfile.mktemp(dir=BUILD)
        for end in (".in", ".out"):
            os.mkfifo(self.path + end)
        self.read_end = os.open(self.path + ".out", os.O_RDWR)
        fcntl.fcntl(self.read_end, fcntl.F_SETPIPE_SZ, self.HOLDS)

    def start(self, process) -> None:
        threading.Thread(target=self._read, args=(process,), daemon=True).start()

    def _read(self, process) -> None:
        full_at = 0.0
        while process.poll() is None:
            used = qemu.processor_time(process)[0]
            if full_at and used > full_at + 1:
                break
            held = fcntl.ioctl(self.read_end, termios.FIONREAD, bytes(4))
            if not full_at and struct.unpack("i", held)[0] == self.HOLDS:
                full_at = used
            time.sleep(0.02)
        while process.poll() is None:
            if select.select([self.read_end], [], [], 0.2)[0]:
                os.read(self.read_end, 65536)
        os.close(self.read_end)
        for end in (".in", ".out"):
            os.unlink(self.path + end)


def slow_reader():
    reader = SlowReader()
    yield Boot("a serial port that nobody reads for seconds: it is used again",
               all_of(ended, in_file("^# warning: the serial port is not ready in time, and is "
                                     "tried again after each test: I/O port 3F8H"),
                      in_file("^# warning: the serial port is ready again: [0-9]+ bytes are "
                              "missing there"), in_file("^# END ")),
               silicon=False, options=f"{GOLDEN} repeats=600 verbosity=quiet",
               machine={"serial": False, "icount": False,
                        "extra": ("-chardev", f"pipe,id=c,path={reader.path}",
                                  "-device", "isa-serial,chardev=c")},
               started=reader.start)


def boots():
    yield from serial()
    yield from slow_reader()
