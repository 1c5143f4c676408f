# SPDX-License-Identifier: BSD-2-Clause
"""Boots of a program in use: its options, wherever they come from; a user
at a keyboard, at a serial terminal, and none."""

import re
import subprocess

import qemu
import serial_ports
from boots import (BUILD, GOLDEN, Boot, all_of, clean, complete, ended, has, in_file, lacks,
                   restored, verdicts)

QUICK = "tests=force_abort_enumeration"
UP, DOWN, RIGHT, ENTER = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\r"


# --- Options -------------------------------------------------------------------


def ticks(report, outcome):
    """At least one, and none more than ten seconds after the one before."""
    seconds = [0] + [int(s) for s in
                     re.findall(r"^# tick (\d+) s: test 1$", report.text, re.M)]
    if len(seconds) < 2:
        yield "no tick"
    for before, after in zip(seconds, seconds[1:]):
        if after - before > 10:
            yield f"no tick between {before} s and {after} s"


def raw_decodes(report, outcome):
    """What stands there in hexadecimal is PEBS records that the tool reads."""
    head = re.search(r"^# raw, processor 0: PEBS records of format (\d): (\d+) bytes",
                     report.text, re.M)
    if not head:
        yield "no raw records"
        return
    rows = report.text[head.end():].split("\n")[1:]
    raw = b""
    for row in rows:
        match = re.match(r"# raw ([0-9a-f]{4}) ([0-9a-f]+)$", row)
        if not match:
            break
        raw += bytes.fromhex(match[2])
    if len(raw) != int(head[2]):
        yield f"{len(raw)} bytes of {head[2]}"
    run = subprocess.run([f"{BUILD}/tsxpmu", "decode", "pebs", "-", "--format",
                          head[1]], input=raw, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        yield "the tool does not read them: " + run.stdout.decode()[-200:]


# What disturbs counter 3 of the simulated processor; the test, the provocation
# that finds it, and one that may. No other does, nor a control.
DISTURBED = {
    "speculative": ("counter3_provoked", "XBEGIN in wrong speculation", ""),
    "overflow": ("counter3_provoked", "transactions, counter 3 short of overflow", ""),
    "long": ("counter3_provoked", "transactions of 600 lines", ""),
    "aborts": ("counter3_provoked", "transactions that abort", "transactions of 600 lines"),
    "sibling": ("counter3_other_processor", "transactions of another processor alone", ""),
}


def provoked_by(found, maybe):
    def want(report, outcome):
        yield from complete(report, outcome)
        wrong = {found: 0}
        rows = re.findall(r"^# (?:processors? [-0-9,]+: )?(.*): (\d+)(?:\.\.(\d+))? of \d+\S* "
                          r"windows wrong(?:: .*)?$", outcome.text.replace("\r", ""), re.M)
        for row, least, most in rows:
            wrong[row] = wrong.get(row, 0) + int(most or least)
        for row, number in wrong.items():
            if row != maybe and (number != 0) != (row == found):
                yield f"{row}: {number} windows wrong"
        if len(wrong) < 4:
            yield "not all provocations are there"
        if "FAIL" in report.results.values() or "ERROR" in report.results.values():
            yield "a FAIL or an ERROR"
    return want


def provocations():
    for kind, (test, found, maybe) in DISTURBED.items():
        yield Boot(f"counter 3 disturbed: {kind}", provoked_by(found, maybe),
                   {"cpu": "skylake-2018", "counter3": kind}, f"tests={test} trials=100")


def options():
    yield Boot("load options win over tsxpmu.cfg; both are read",
               all_of(clean, has(r"^# options: tests=force_abort_enumeration "
                                 r"trials=3 seed=7 "),
                      has(r"^# warning: option frobnicate=1: no such option")),
               options=QUICK + " seed=7",
               stick={"tsxpmu.cfg": "seed=5 trials=3 frobnicate=1 tests=pt_*\n"})
    yield Boot("tsxpmu.cfg as an editor of Windows writes it",
               all_of(clean, has(r"^# options: tests=pebs_decode_golden seed=5 "),
                      lacks("^# warning: option")), silicon=False,
               stick={"tsxpmu.cfg": "\ufeff# \u00fc\r\n" + GOLDEN + "\r\nseed=5"
                      " countdown=0 exit=poweroff\r\n"})
    yield Boot("load options with the program's name twice, and no volume",
               all_of(clean, has(r"^# options: tests=pebs_decode_golden seed=3 "),
                      has(r"^1\.\.1$")), silicon=False,
               machine={"extra": ("-kernel", f"{BUILD}/tsxpmu.efi", "-append",
                                  "BOOTX64.EFI BOOTX64.EFI " + GOLDEN +
                                  " seed=3 countdown=0 exit=poweroff")})
    yield Boot("repeats and processors",
               all_of(clean, has(r"^1\.\.4$"), has(r"^# round 2 of 2: seed=2$"),
                      has(r"^# excluded by processors=: processor 0$"),
                      has(r"^ok 3 - force_abort_enumeration/2$"),
                      has(r"^ok 4 - force_abort_thread_scope/2 # SKIP needs all"),
                      lacks(r"^# processors? 0[:-].*trials=")),
               {"cpu": "skylake-2018"},
               "tests=force_abort_enumeration,force_abort_thread_scope repeats=2 "
               "processors=1 trials=9")
    yield Boot("soak: again and again, one result each",
               all_of(clean, has(r"^1\.\.2$"),
                      has(r"^# soak: counter3_other_processor: counter 3 wrong in "
                          r"\d+ of \d+ windows beside transactions, in 0 of \d+ "
                          r"without; [1-9]\d* runs in "),
                      has(r"^# soak: counter3_provoked: counter 3 wrong in [1-9]"),
                      has(r"^# summary: counter 3 was provoked: .* in [1-9]\d* of "
                          r"\d+ windows .*, without transactions in 0 of ")),
               {"cpu": "skylake-2018"}, "soak=4s trials=20")
    yield Boot("soak of another test",
               all_of(clean, has(r"^1\.\.1$"),
                      has(r"^# soak: tsx_xabort_outside: OBSERVED in 0 of (\d+) "
                          r"runs; (?!1 )\1 runs in 2 s, the last with seed=(\d+), "
                          r"FAIL or ERROR in 0 of \1$")),
               {"cpu": "skylake-2018"}, "tests=tsx_xabort_outside soak=2s")
    yield Boot("a soak ends at the first FAIL",
               all_of(restored, has(r"^# soak: tsx_xabort_outside: .*; 1 runs in .*"
                                    r"FAIL or ERROR in 1 of 1$")),
               {"cpu": "skylake-2018", "fault": "xabort_outside_sets_eax"},
               "tests=tsx_xabort_outside soak=2s")
    found = "^# found: "
    yield Boot("the processors as they were found",
               all_of(clean, has(found + r"IA32_MISC_ENABLE \(1A0H\) = 0x[0-9a-f]+$"),
                      has(found + "LVT performance counters = 0x10000$"),
                      has(found + r"CPUID\.0AH\.0: EAX = 0x7300404, "),
                      has("^# processor 1: found: the tests' memory = 0x[0-9a-f]+, 100 KiB, "
                          "physically contiguous: "),
                      has(r"^# machine: date: 2026-01-01 00:0\d by its clock$"),
                      has("^# machine: id: none: ")),
               {"cpu": "skylake-2018"}, QUICK)
    yield Boot("machine: names and numbers, asked for",
               all_of(clean, has('^# machine: system: "Some Corp" "Model 5", board "" ""$'),
                      has("^# machine: id: [0-9A-F]{16} "),
                      has('^# machine: UUID 78563412341278561234.*: system "SN-1", ')),
               silicon=False, options=GOLDEN + " identity=full",
               machine={"extra": ("-smbios", "type=1,manufacturer=Some Corp,product=Model 5,"
                                  "serial=SN-1,uuid=12345678-1234-5678-1234-567812345678")})
    yield Boot("verbosity=quiet", all_of(clean, lacks("^# (?!summary: ).*OBSERVED"),
                                            has("^# summary: unexp.*OBSERVED")),
               {"cpu": "skylake-2018"}, "tests=counter3_* trials=20 verbosity=quiet")
    yield Boot("verbosity=verbose: citations and times",
               all_of(clean, has("^# rests on: "), has(r"^# took \d+ ms, \d+ checks$")),
               {"cpu": "skylake-2018"}, QUICK + " verbosity=verbose")
    yield Boot("raw=all: the records of a test that passes",
               all_of(clean, raw_decodes), {"cpu": "skylake-2018"},
               "tests=pebs_record_layout raw=all")
    yield Boot("a long test: ticks", all_of(clean, ticks), {"cpu": "skylake-2018"},
               "tests=counter3_counts_alone trials=4000")
    needs = "SKIP needs the option allow=sdv_enable_rtm"
    yield Boot("SDV_ENABLE_RTM is not touched without its option",
               all_of(clean, has(f"^ok .* sdv_enable_rtm # {needs}"),
                      has(f"^ok .* counter3_counts_sdv # {needs}"),
                      has(f"^ok .* tsx_nesting # {needs}"),
                      verdicts({"counter_count_constant": "PASS"})),
               {"cpu": "skylake-2021"}, "trials=20 allow=nothing "
               "tests=sdv_*,counter3_*,counter_count_constant,force_*,tsx_*")
    yield Boot("--help", all_of(has("^  trials=  0 to 4294967295"), lacks("KTAP")),
               silicon=False, machine={"extra": ("-kernel", f"{BUILD}/tsxpmu.efi", "-append",
                                                 "fs0:tsxpmu.efi --help")},
               stick={"EFI/BOOT/BOOTX64.EFI": "none: firmware has nothing else to start"},
               expect=(("countdown=0 exit=poweroff", b""), ("Boot", qemu.Expect.QUIT)))
    yield Boot("exit=reboot boots again", all_of(has(r"# END pass=1 (.|\n)*# END pass=1 ")),
               options="countdown=0 exit=reboot " + GOLDEN, silicon=False, default_options=False,
               machine={"extra": ("-action", "reboot=reset")},
               expect=(("# END ", b""), ("# END ", qemu.Expect.QUIT)))
    yield Boot("exit=firmware goes back to the firmware", clean, silicon=False,
               options="exit=firmware " + GOLDEN,
               expect=(("# END ", b""), ("Select Language", qemu.Expect.QUIT)))


# --- Users ---------------------------------------------------------------------


def pages(report, outcome):
    """Each page after the report fits 80 by 25; its rows are the report's
    lines, broken between words."""
    lines = set(report.body.splitlines()) | {
        l for l in report.text.splitlines() if l.startswith("# END ")}
    after_end = outcome.text[outcome.text.index("# END "):].replace("\r", "")
    screens = re.split(r"\x1b\[2J(?:\x1b\[[0-9;]*H)?", after_end)[1:]
    shown = [s for s in screens if "PgUp" in s]
    if len(shown) < 4:
        yield f"{len(shown)} pages were shown"
    # Home shows the first line; each key before it showed another page.
    if not any(page.startswith("KTAP version 1\n") for page in shown):
        yield "no page begins with the report"
    if len(set(shown)) < 4:
        yield f"{len(set(shown))} different pages"
    for page in shown:
        rows = re.sub(r"\x1b\[[0-9;]*[a-zA-Z]", "", page).split("\n")
        if len(rows) > 25 or max(map(len, rows)) > 79:
            yield f"a page of {len(rows)} rows, {max(map(len, rows))} columns"
        whole = []
        for row in rows[:-1]:
            if row.startswith("    ") and whole:
                whole[-1] += " " + row[4:]
            else:
                whole.append(row)
        # The first and the last may be cut by the page.
        for line in whole[1:-1]:
            if line not in lines:
                yield "no line of the report: " + line


def no_result_after_end(report, outcome):
    """The page that is shown then is the summary."""
    after_end = outcome.text[outcome.text.index("# END "):]
    if "# summary: " not in after_end:
        yield "no summary after END"
    if re.search(r"^(not )?ok ", re.sub(r"\x1b\[[0-9;]*[a-zA-Z]", "", after_end), re.M):
        yield "a result stands after END"


def user_interface():
    menu = "Type an option"  # below the menu's items
    mark = "Options: "  # its last row
    # A screen beside it makes the firmware's console 80 by 25.
    yield Boot("menu and pages at a serial terminal",
               all_of(restored, pages, has(r"^# options: tests=pt trials=4 seed=1 ")),
               default_options=False, silicon=False, options="countdown=60",
               machine={"extra": ("-device", "VGA,xres=640,yres=480")},
               expect=(("starts in", b" "), (mark, DOWN), ("> Tests", b""),
                       (mark, RIGHT), (mark, b"\x1b[D"), (mark, b"\x1b[D"),
                       ("< pt >", b""), (mark, UP), ("> Start", b""), (mark, UP),
                       ("> Back", b""), (mark, UP), (mark, UP), (mark, UP),
                       ("> Type", b""), (mark, ENTER), ("key=value", b"trials=4\r"),
                       ("trials=4 ", DOWN), (mark, DOWN), (mark, DOWN), (mark, DOWN),
                       ("> Start", ENTER), ("# END ", b""), ("PgUp", UP), ("PgUp", UP),
                       # What terminals send for Home is not the same for all firmware.
                       ("PgUp", "home"), ("PgUp", DOWN), ("PgUp", b"m"),
                       (menu, UP), ("> Back", UP), ("> Power", ENTER)))
    yield Boot("menu by a keyboard; a screen", clean, default_options=False, silicon=False,
               options="countdown=60 exit=poweroff " + GOLDEN,
               machine={"extra": ("-device", "VGA")},
               expect=(("starts in", "down"), (mark, "up"), ("> Back", "down"),
                       ("> Start", "ret")))
    yield Boot("another run from the menu, after processors rested",
               all_of(has("# END (.|\n)*KTAP version 1(.|\n)*# END "), lacks("did not answer")),
               default_options=False, silicon=False, smp=4, options="countdown=1 " + GOLDEN,
               machine={"cpu": "qemu64,+monitor"},
               expect=(("# END ", b""), ("PgUp", b"m"), ("> Start", b""), (mark, ENTER),
                       ("KTAP version 1", b""), ("# END ", b""), ("PgUp", qemu.Expect.QUIT)))
    yield Boot("no user: no screen, no keyboard, no serial port",
               all_of(ended, in_file("^# END ")), default_options=False, silicon=False,
               options="countdown=2 exit=poweroff " + GOLDEN,
               machine={"serial": False})
    yield Boot("exit=menu without a keyboard: the summary stays",
               all_of(restored, has("PgUp"), no_result_after_end), default_options=False, silicon=False,
               options="countdown=1 " + GOLDEN,
               expect=(("# END ", b""), ("PgUp", qemu.Expect.QUIT)))


def boots():
    yield from options()
    yield from provocations()
    yield from serial_ports.boots()
    yield from user_interface()
