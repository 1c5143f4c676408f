# SPDX-License-Identifier: BSD-2-Clause
"""Boots with a microcode update on the stick.

The updates are synthetic: what is encrypted in a real one is here the name of
the personality that the simulated processor becomes.

SDM 3A, "Microcode Update Facilities", table "Microcode Update Field Definitions".
"""

import re
import struct

import qemu
import volume
from boots import Boot, all_of, complete, has, lacks, restored, verdicts

SIGNATURE = 0x506E3
PLATFORMS = 1 << 1
BYTES = 2048
DATE = 0x01012026  # BCD, mmddyyyy
REVISIONS = {"skylake-2017": 0xBA, "skylake-2018": 0xCC, "skylake-2021": 0xEA}

FILE = {"option": "microcode=/ucode/06-5e-03 allow=microcode,sdv_enable_rtm",
        "path": "ucode/06-5e-03"}
TESTS = ("tests=force_abort_*,counter3_counts_under_rtm,sdv_enable_rtm,"
         "always_abort_default,pebs_decode_golden trials=50 ")


def update(personality, signature=SIGNATURE, platforms=PLATFORMS):
    """The bytes of one update; its revision is that personality's."""
    data = (b"TSXPMU SIMULATED" + personality.encode()).ljust(BYTES - 48, b"\0")

    def whole(checksum):
        header = struct.pack("<9I12x", 1, REVISIONS[personality], DATE, signature,
                             checksum, 1, platforms, len(data), BYTES)
        return header + data

    total = sum(struct.unpack(f"<{BYTES // 4}I", whole(0)))
    return whole(-total & 0xFFFFFFFF)


def as_found(report, outcome):
    """But for what the update itself changes: the revision, and the registers
    that it brings or gives another value to."""
    for line in report.not_restored:
        if not re.search(r"MSR (8BH|10FH) ", line):
            yield line


def only_reset_lost(report, outcome):
    """At most the test that ran is lost."""
    lost = report.with_verdict("ERROR")
    if len(lost) > report.text.count("# ERROR machine reset"):
        yield f"in error: {lost}"


def moved(before, after, first, second, *more):
    """From one personality to another: the update, and both passes."""
    old, new = REVISIONS[before], REVISIONS[after]
    return Boot(
        f"microcode from {before} to {after}: tested before and after",
        all_of(complete, as_found, has(r"^ok \d+ - microcode_update$"),
               has(rf"^# GenuineIntel .* microcode {new:X}H, "),
               has(rf"^# summary: microcode {old:X}H: regime "),
               has(rf"^# summary: microcode {new:X}H: regime "),
               has(rf"^# summary: side by side: microcode {old:X}H \| {new:X}H$"),
               verdicts(first | {f"{name}@{new:X}H": verdict
                                 for name, verdict in second.items()}), *more),
        {"cpu": before}, TESTS + FILE["option"], stick={FILE["path"]: update(after)})


def refused(what, file, reason, cpu="skylake-2018", options=FILE["option"]):
    """Nothing is written: the machine is as it was, and there is one pass."""
    return Boot("microcode refused: " + what,
                all_of(restored, has(r"^not ok \d+ - microcode_update # ERROR refused, and "
                                     r"nothing written: .*" + reason),
                       lacks("@"), verdicts({"force_abort_enumeration": "PASS"})),
                {"cpu": cpu}, "tests=force_abort_enumeration " + options,
                stick={FILE["path"]: file} if file is not None else {})


def faulty(fault):
    return Boot(f"fault {fault}: microcode_update",
                all_of(restored if fault == "microcode_not_taken" else complete,
                       verdicts({"microcode_update": "FAIL"})),
                {"cpu": "skylake-2018", "fault": fault}, TESTS + FILE["option"],
                stick={FILE["path"]: update("skylake-2021")})


def boots():
    yield moved("skylake-2017", "skylake-2018",
                {"force_abort_aborts_all": "SKIP", "pebs_decode_golden": "PASS"},
                {"force_abort_aborts_all": "PASS", "pebs_decode_golden": "PASS"},
                has(r"^# summary: side by side: regime A \| B$"),
                has(r"^# summary: side by side: force_abort_aborts_all: "
                    r"SKIP \| PASS$"))
    yield moved("skylake-2018", "skylake-2021",
                {"force_abort_aborts_all": "PASS", "sdv_enable_rtm": "SKIP"},
                {"force_abort_aborts_all": "SKIP", "sdv_enable_rtm": "PASS"},
                has(r"^# summary: side by side: regime B \| C$"))
    good = update("skylake-2021")
    yield Boot("a reset in the second pass: the update is loaded again",
               all_of(complete, as_found, only_reset_lost,
                      has(r"^# the microcode update is loaded again$"),
                      has(r"^# summary: side by side: regime B \| C$"),
                      verdicts({"microcode_update": "PASS",
                                "force_abort_aborts_all": "PASS",
                                "sdv_enable_rtm@EAH": "PASS"})),
               {"cpu": "skylake-2018"}, TESTS + FILE["option"],
               stick={FILE["path"]: good},
               before=({"expect": (("# running 12:", qemu.Expect.QUIT),)},))
    yield Boot("a reset in the second pass, and the update is gone",
               all_of(restored, has(r"^not ok 19 - .*@EAH # ERROR the file has changed$"),
                      has(r"^# summary: side by side: microcode CCH \| CCH$"),
                      verdicts({"microcode_update": "PASS"})),
               {"cpu": "skylake-2018"}, TESTS + FILE["option"],
               stick={FILE["path"]: good},
               before=({"expect": (("# running 12:", qemu.Expect.QUIT),)},),
               change=lambda stick: volume.write(stick, FILE["path"], "none"))
    yield refused("no such file", None, "there is no such file on the volume")
    yield refused("an empty file", b"", "the file is empty")
    yield refused("cut short", good[:-4], "the file ends inside it")
    yield refused("a bit has changed", good[:100] + bytes([good[100] ^ 1])
                  + good[101:], "its checksum is wrong")
    yield refused("older", update("skylake-2017"),
                  "of revision BAH, and the processor has CCH")
    yield refused("the same", update("skylake-2018"),
                  "of revision CCH, and the processor has CCH")
    yield refused("for another processor", update("skylake-2021", 0x906EA),
                  "no update of the file is for processor signature 506E3H")
    yield refused("for another platform", update("skylake-2021", platforms=1),
                  "platform 1; the last one is for 506E3H, platforms 0x1")
    yield refused("a text", b"tests=*\n" * 100, "this is no update")
    yield refused("processors= leaves one out", good, "processors= excludes some",
                  options=FILE["option"] + " processors=0")
    yield Boot("microcode without allow=microcode",
               all_of(restored, lacks("microcode_update"),
                      has(r"^# warning: microcode=: not loaded without "
                          "allow=microcode$")),
               {"cpu": "skylake-2018"},
               "tests=pebs_decode_golden microcode=/ucode/06-5e-03",
               stick={FILE["path"]: good})
    yield faulty("microcode_not_taken")
    yield faulty("microcode_one_thread")
