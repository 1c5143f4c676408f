# SPDX-License-Identifier: BSD-2-Clause
"""Boots on firmware that does what real firmware does at times: odd_firmware.c
changes it under the program."""

import re
import subprocess

import qemu
from boots import BUILD, Boot, all_of, clean, has, lacks, restored, verdicts
from usage import GOLDEN, in_file


def pulled(report, outcome):
    warnings = re.findall("^# warning: .*", report.text, re.M)
    if len(warnings) != 1 or not re.match(r"# warning: the report is no longer written to .*\.log: "
                                          r"the volume does not answer \(EFI_NO_MEDIA\)$", warnings[0]):
        yield f"warnings: {warnings}"
    # Each call takes 3 s there: how many there were, by the machine's clock.
    ticks = [int(s) for s in re.findall(r"^# tick (\d+) s", report.text, re.M)]
    if ticks:
        yield f"it took {ticks[-1]} s and more"


def once(report, outcome):
    """The page after the report is written once."""
    if outcome.text.count("PgUp") != 1:
        yield f"{outcome.text.count('PgUp')} pages"


def offsets(*names):
    """Each ended by a blank, of functions of the program."""
    symbols = subprocess.run(["nm", f"{BUILD}/tsxpmu.so"], check=True,
                             stdout=subprocess.PIPE).stdout.decode()
    return "".join(re.search(f"^0*([0-9a-f]+) [tT] {name}$", symbols, re.M)[1] + " "
                   for name in names)


def boots():
    """What odd_firmware.c changes, by its letters."""
    def one(name, letters, want, words="", **more):
        return Boot("odd firmware: " + name, want, silicon=False, firmware=letters,
                    options=f"{GOLDEN} {words}", **more)

    yield one("ACPI points nowhere", "a", all_of(clean, has(
        "^# warning: serial port of SPCR: a pointer in ACPI's tables leads nowhere")))
    yield one("SMBIOS points nowhere, no clock, and less is written than was to be", "bgw", all_of(
        clean, has("^# warning: SMBIOS: a pointer leads nowhere"),
        has("^# machine: date: its clock cannot be read$"),
        has("^# warning: the report is no longer written to .*: the volume is full$")))
    yield one("a processor of which MP services say nothing", "j", all_of(
        clean, has("^# warning: MP services say that 4 processors are enabled, and which for 3 "
                   "alone"), has("^# processors: 3, ")), smp=4)
    small = "tests=load_latency_threshold,pt_filter_context,pt_decode_golden trials=2"
    yield Boot("odd firmware: the others have stacks of 3 KB, of which tests take nothing",
               all_of(clean, has("^1 small stacks, overrun by 0$")), smp=2, firmware="t",
               app="odd_firmware.efi", stick={"tsxpmu.cfg": (
                   f"{qemu.UNATTENDED} {small}\n")},
               expect=(("overrun by", b""), ("\n", qemu.Expect.QUIT)),
               machine={"serial": False, "extra": (
                   "-chardev", "stdio,mux=on,id=c", "-serial", "chardev:c",
                   "-device", "isa-debugcon,iobase=0x402,chardev=c")})
    yield one("CR4.CET is 1", "i", all_of(clean, has("^# warning: firmware has set CR4.CET")),
              stick={"hang.txt": offsets("hw_cr4")})
    yield one("Stall does not wait; load options that are no text; no text mode", "ylo", all_of(
        clean, has(r"^# warning: firmware's Stall\(\) does not wait"),
        has("^# warning: the load options are not text: 16 bytes ignored$")))
    yield one("NMIs of a watchdog", "n", all_of(clean, has(
        "^# warning: [0-9]+ NMIs while no test ran")), "repeats=20")
    yield one("no console has a device path", "p",
              all_of(has("KTAP version 1"), in_file("^# END ")), "serial=off",
              machine={"extra": ("-device", "VGA")})
    yield one("no console has a device path, and it is slow", "ps",
              all_of(in_file("^# END "), has(r"\.\.\. [0-9]+ lines are not shown here")),
              "serial=off repeats=400", machine={"extra": ("-device", "VGA")})
    yield one("a screen: how far the run is, and what went wrong is red", "p",
              all_of(in_file("^not ok 1 - selection"), has("\x1b\\[2J.*KTAP version 1"),
                     has("\x1b\\[31m\x1b\\[40mnot ok 1 - selection")), "serial=off tests=none")
    yield one("a screen: a row below the report", "p",
              all_of(in_file("^# END "), has("0:0[0-9]  test 2 of 3: 1 passed, 0 failed, 0 in error, "
                                             "0 skipped, 0 known; pebs")), "serial=off repeats=3")
    yield one("a screen alone: its largest text mode, and back", "m",
              all_of(in_file("^# END "), has("^mode 1[0-9][0-9] by [3-9][0-9]\nmode 80 by 25$")),
              "exit=firmware", expect=(("mode 80 by 25", qemu.Expect.QUIT),),
              machine={"serial": False, "extra": (
                  "-device", "VGA", "-chardev", "stdio,id=c",
                  "-device", "isa-debugcon,iobase=0x402,chardev=c")})
    yield one("Flush is not supported: the file is whole", "f",
              all_of(clean, in_file("^# END "), lacks("^# warning")))
    yield one("the stick is pulled: one warning, and END in time", "x",
              all_of(clean, pulled), "repeats=200 verbosity=quiet", machine={"shift": 6})
    yield one("a serial port is given back as it was", "d",
              all_of(in_file("^# serial port: I/O port 2F8H, 9600"), has("^divisor 1, line control 3$")),
              "serial=0x2f8 speed=9600 exit=firmware", expect=(("line control 3", qemu.Expect.QUIT),),
              machine={"serial": False, "extra": (
                  "-serial", "null", "-serial", "null", "-chardev", "stdio,id=c",
                  "-device", "isa-debugcon,iobase=0x402,chardev=c")})
    yield one("a serial port of PCI decodes again as it did", "e",
              all_of(in_file(r"^# serial port: I/O port [0-9A-F]{4}H, 115200 bits a second "
                             r"\(PCI class 07/00\)$"), has("^decodes 0$")),
              "exit=firmware", timeout=60, expect=(("decodes ", b""), ("\n", qemu.Expect.QUIT)),
              machine={"serial": False, "extra": (
                  "-chardev", "null,id=n", "-device", "pci-serial,chardev=n",
                  "-chardev", "stdio,id=c", "-device", "isa-debugcon,iobase=0x402,chardev=c")})
    two = "tests=pebs_decode_golden,pt_decode_golden trials=1"
    yield one("the boot processor hangs in a test: an NMI ends it", "hc",
              all_of(restored, verdicts({"pebs_decode_golden": "ERROR",
                                         "pt_decode_golden": "PASS"}),
                     has("^# processor 0: ERROR: an NMI ended it: no answer in 30 s")),
              two, stick={"hang.txt": offsets("body_of_pebs_decode_golden")},
              machine={"icount": False})
    yield one("it hangs in the NMI too: the machine is reset, and the next start goes on", "hc",
              all_of(has("^not ok 1 - pebs_decode_golden # ERROR machine reset$"),
                     has("^ok 2 - pt_decode_golden$")),
              two, stick={"hang.txt": offsets("body_of_pebs_decode_golden", "exception_handle")},
              machine={"icount": False, "extra": ("-action", "reboot=reset")})
    yield one("a machine check in a test: it is an ERROR, and the run goes on", "k",
              all_of(restored, verdicts({"pebs_decode_golden": "ERROR",
                                         "pt_decode_golden": "PASS"}),
                     has("^# processor 0: ERROR: unexpected exception #MC: ")),
              two, stick={"hang.txt": offsets("body_of_pebs_decode_golden")})
    yield one("a machine check of all processors in a test of one", "h",
              all_of(restored, verdicts({"pebs_decode_golden": "ERROR",
                                         "pt_decode_golden": "PASS"}),
                     has("^# processor 0: ERROR: unexpected exception #MC: "),
                     has("^# warning: 1 machine checks while no test ran: ")),
              two, smp=2, stick={"hang.txt": offsets("body_of_pebs_decode_golden")},
              expect=(("running 1", qemu.Expect.MACHINE_CHECK),), machine={"icount": False})
    yield one("a machine check of all processors while the summary stands", "",
              all_of(has("# END (.|\n)*KTAP version 1(.|\n)*^# warning: 2 machine checks while no "
                         "test ran: (.|\n)*# END "), lacks("did not answer")),
              "exit=menu", smp=2, expect=(
                  ("# END ", b""), ("PgUp", qemu.Expect.MACHINE_CHECK), ("m: menu", b"m"),
                  ("> Start", b""), ("Options: ", b"\r"), ("KTAP version 1", b""), ("# END ", b""),
                  ("PgUp", qemu.Expect.QUIT)))
    yield one("a key that repeats for ever opens the menu", "r", all_of(
        clean, has("Type an option")), "countdown=20", smp=1)
    yield one("a terminal that sends back what it gets: no menu, one run", "v",
              all_of(restored, has("PgUp"), lacks("Type an option"), once), "countdown=2 exit=menu",
              expect=(("# END ", b""), ("PgUp", qemu.Expect.QUIT_LATER)))
    # Noise opens the menu; a minute later the run starts, ten times as fast here.
    yield one("noise of a console opens the menu", "q", all_of(
        clean, has("Type an option")), "countdown=20", expect=(("starts in", b"x"),))
    yield one("noise that is no key does not", "", all_of(
        clean, lacks("Type an option")), "countdown=2", expect=(("starts in", b"\x11"),))
