# SPDX-License-Identifier: BSD-2-Clause
"""The host tool and reports: what it reads is what ktap.py and the grammar of
docs/report.grammar read; reports as terminals and BMCs leave them; and what it says
of one, or of two."""

import json
import os
import re

import docs
import ktap
from reports import GOLDEN, HEAD, Files, expect, five, golden_lines, whole


# --- Two readings ---------------------------------------------------------------


def as_ktap(text):
    """Verdicts, and whether it is whole, as ktap.py reads them."""
    status, out, _ = Files(report=text).run("json", "{report}")
    read, report = json.loads(out)[0], ktap.Report(text)
    if status != (0 if report.complete else 1):
        yield f"status {status}"
    verdicts = {r["name"]: r["verdict"] for r in read["results"]}
    if verdicts != report.results:
        yield f"verdicts {verdicts}, ktap.py {report.results}"
    if read["whole"] != report.complete:
        yield f"problems {read['problems']}, ktap.py {report.problems}"
    for result, _ in ktap.results(report.body):
        mine = next(r for r in read["results"] if r["name"] == result.name)
        reason = (f"{mine['observed']} of {mine['of']}" if "observed" in mine
                  else mine.get("reason", ""))
        if (mine["number"], reason) != (result.number, result.reason):
            yield f"{result.line}: {mine['number']}, {reason}"


# The rules of lines that are evidence, in the order of the grammar.
SHAPES = ("fail trouble erratum skip cut few may counted change value share amount "
          "named sentence").split()


def as_grammar(lines):
    """The shape of each line of evidence is the rule that it fits."""
    grammar = docs.Grammar()
    lines = [line for line in lines if line.startswith("# ")
             and grammar.kind(line) in SHAPES]
    text = whole(["KTAP version 1", "1..1", "# running 1 of 1: a: b?", *lines,
                  "not ok 1 - a"])
    read = json.loads(Files(report=text).run("json", "{report}")[1])[0]
    figures = read["results"][0]["figures"]
    if len(figures) != len(lines) or len(lines) < 10:
        yield f"{len(lines)} lines, {len(figures)} figures"
    for line, figure in zip(lines, figures):
        if figure["shape"] != grammar.kind(line):
            yield f"{figure['shape']}, by the grammar {grammar.kind(line)}: {line}"
        said = re.match(r"# processors? ([\d,.-]+): ", line)
        if figure.get("processors", "") != (said[1] if said else ""):
            yield f"processors {figure.get('processors')}: {line}"


# Lines where a hasty reader goes wrong; the figures of each.
HARD = (
    ("# : 3 of 4", {"shape": "sentence", "what": ": 3 of 4"}),
    ("# a: b: 3 of 4", {"shape": "share", "what": "a: b", "a": 3, "b": 4}),
    ("# x of: 1 of y: 2..5 of 7 ways",
     {"shape": "share", "what": "x of: 1 of y", "a": [2, 5], "b": 7, "more": " ways"}),
    ("# processors 0-2,5: IA32_PMC0 (C1H) counted 8..9 to 18446744073709551615 in 2",
     {"shape": "counted", "processors": "0-2,5", "what": "IA32_PMC0 (C1H)",
      "a": [8, 9], "b": "18446744073709551615", "more": " in 2"}),
    ("# a counted 18446744073709551616 to 1",
     {"shape": "sentence", "what": "a counted 18446744073709551616 to 1"}),
    ("# v = 12: w = 0xffffffffffffffff (all)",
     {"shape": "value", "what": "v = 12: w", "a": "0xffffffffffffffff",
      "more": " (all)"}),
    ("# r: before 0x1, after 0x2..0x3",
     {"shape": "change", "what": "r", "a": "0x1", "b": ["0x2", "0x3"]}),
    ("# NOT OBSERVED it: 0 of 9",
     {"shape": "may", "what": "it", "observed": False, "a": 0, "b": 9}),
    ("# OBSERVED it: 1 of 9 and more",
     {"shape": "share", "what": "OBSERVED it", "a": 1, "b": 9, "more": " and more"}),
    ("# KNOWN SKL18: x", {"shape": "named", "what": "KNOWN SKL18", "more": "x"}),
    ("# KNOWN BDM064 (inferred from the client processor): got 1",
     {"shape": "erratum", "what": "BDM064", "more": "got 1"}),
    ("# 7 more lines left out", {"shape": "cut", "a": 7}),
    ("# 7 more lines left", {"shape": "amount", "what": "more lines left", "a": 7}),
    ("# processor x: y", {"shape": "named", "what": "processor x", "more": "y"}),
)


def hard_lines():
    text = whole(["KTAP version 1", "1..1", "# running 1 of 1: a: b?",
                  *(line for line, _ in HARD), "not ok 1 - a"])
    read = json.loads(Files(report=text).run("json", "{report}")[1])[0]
    for (line, wanted), got in zip(HARD, read["results"][0]["figures"]):
        if got != wanted:
            yield f"{line}: {got}"


# --- As they come ---------------------------------------------------------------


def wrapped(text, columns):
    return "".join(line[at:at + columns] + "\r\n" for line in text.splitlines()
                   for at in range(0, len(line), columns))


def noisy(lines):
    """As a BMC's console leaves it: colours, cursor, firmware beside it."""
    yield b"\xff\xfe\x00\x1b[2J\x1b[01;01HBdsDxe: loading Boot0001\x1b[0m KTAP version 1\r\n"
    for n, line in enumerate(lines[1:]):
        yield (b"\x1b[1m" + line[:7].encode() + b"\x1b[0;37;40m" + line[7:].encode()
               + b"\r\r\n")
        if n % 10 == 3:
            yield b"[SOL] keepalive\r\n\x1b]0;title\x07"
    yield b"\x1b[25;01Hreboot: Restarting system\r\n"


def carried():
    """(name, bytes, status of check, what it has to say)."""
    lines = golden_lines()
    text = whole(lines)
    good = "1 passed, 1 failed, 0 in error, 1 skipped"
    half = text[:len(text) // 2]
    yield "as written", text, 0, [good, "silicon"]
    yield "CRLF", text.replace("\n", "\r\n"), 0, [good]
    yield "LF and CR", text.replace("\n", "\n\r"), 0, [good]
    yield "UTF-16, as a UEFI shell writes it", b"\xff\xfe" + text.encode("utf-16-le"), 0, [good]
    yield "escape sequences and firmware", b"".join(noisy(text.splitlines())), 0, [
        good, "escape sequences", "lines inside it are of others: [SOL] keepalive"]
    for name, stamp in (("brackets", "[2026-11-25 09:05:{n:02}] "), ("seconds", "[{n:8}.25] "),
                        ("syslog", "Nov 25 09:05:{n:02} rack-7 ser2net[81]: "),
                        ("a mail", "> ")):
        logged = "".join(stamp.format(n=n % 60 if ":" in stamp else n * 1000) + line + "\n"
                         for n, line in enumerate(text.splitlines()))
        yield f"a log's stamps, {name}", "[x] boot\n" + logged, 0, [
            good, "a log's word before each line taken off: " + stamp.format(n=0)]
        yield f"a log's stamps, {name}, its beginning lost", "".join(
            logged.splitlines(True)[20:]), 1, [
                "its beginning is lost", "a log's word before each line taken off: "]
        yield f"a log's stamps, {name}, a byte lost", logged.replace(
            "stepping", "steping", 1), 1, ["damaged: the CRC"]
    yield "blanks at the end of each line", text.replace("\n", "  \n"), 0, [good]
    screen = wrapped(text, 80).splitlines()
    yield "a screen, copied", "".join(f"{line:80}\n" for line in screen), 0, [
        good, "a terminal of 80 columns"]
    for columns in (40, 80, 100, 132):
        # The second line of this one looks like a first.
        odd = f"# {'y' * (columns - 3)} # SKIP ok 1 - more"
        odd = whole([*lines[:40], odd, *lines[40:-1]])
        yield f"wrapped at {columns}", wrapped(odd, columns), 0, [
            good, f"a terminal of {columns} columns"]
    yield "two runs", text + "shell>\n" + whole(golden_lines(True)), 0, [
        "report#1: whole", "report#2: whole", "SIMULATED"]
    yield "the same twice", text + text, 0, ["report#2: repeated: the same as ./report#1"]
    yield "cut", half, 1, ["cut: no END line"]
    yield "cut in its last line", text[:-3], 1, ["cut: no END line"]
    yield "cut, then whole", half + text, 1, ["report#1: cut", "report#2: whole"]
    yield "its beginning lost", text[60:], 1, ["its beginning is lost"]
    yield "a byte lost", text.replace("stepping", "steping", 1), 1, ["damaged: the CRC"]
    yield "a line lost", text.replace("ok 3 - counter3_overflow\n", ""), 1, [
        "damaged", "planned 3 results, got 2"]
    yield "a result in the middle lost", re.sub("not ok 2 .*\n", "", text), 1, [
        "results 2 to 2 are missing", "END counts 1 FAIL, the report has 0"]
    yield "a result garbled", text.replace("ok 3 - ", "ok 3- "), 1, [
        "1 lines begin as results and are none: ok 3- counter3_overflow"]
    twice = text.splitlines()
    twice[40:40] = twice[38:40]
    at = next(i for i, l in enumerate(twice) if l.startswith("ok 1 "))
    twice[at:at] = [twice[at]]
    yield "lines repeated", "\n".join(twice) + "\n", 1, [
        "repeated or mixed: 2 results", "mixed: result 1 comes after result 1"]
    yield "two at once", "".join(
        a + "\n" + b + "\n" for a, b in zip(text.splitlines(), text.splitlines())), 1, [
            "cut", "repeated or mixed"]
    yield "nothing", "", 1, ["no report"]
    yield "noise", bytes(range(256)) * 40, 1, ["no report"]


def after_reset():
    """What the serial port has of a run that a reset interrupted."""
    lines = golden_lines()
    at = next(i for i, line in enumerate(lines) if line.startswith("# running 2"))
    again = lines[:at] + ["# the machine was reset here, or its power failed; "
                          "this is its next start"] + lines[at:]
    files = Files(report="\n".join(lines[:at + 3]) + "\n" + whole(again))
    yield from expect(files.run("check", "{report}"), 0, "report#2: whole",
                      "the next report goes on with this one after a reset")


def never_silicon():
    """A report whose fourth line is lost is not of silicon; and that of the
    simulated processor is so still."""
    lines = [line for line in golden_lines() if not line.startswith(HEAD)]
    brand = [line.replace('"Fake', '"Simulated Fake') for line in lines]
    files = Files(lost=whole(lines), brand=whole(brand), simulated=whole(golden_lines(True)))
    for name, wanted in (("lost", "unknown"), ("brand", "SIMULATED"),
                         ("simulated", "SIMULATED")):
        word = "{%s}" % name
        got = json.loads(files.run("json", word)[1])[0]["made_on"]
        if got != wanted:
            yield f"{name}: made on {got}, wanted {wanted}"
        for command in ("show", "check", "csv", "tap", "junit", "judge"):
            out = files.run(command, word)[1]
            if wanted not in out:
                yield f"{command} does not say {wanted}: {out[:300]}"
    out = files.run("diff", "{lost}", "{simulated}")[1]
    if "made on: unknown | SIMULATED" not in out:
        yield out


# --- What is said of them -------------------------------------------------------


def differences():
    lines = golden_lines()
    other = [line.replace("microcode C6H", "microcode EAH").replace(
        "not ok 2 - counter3_counts_alone", "ok 2 - counter3_counts_alone # OBSERVED 1 of 3"
    ).replace("NOT OBSERVED a thing: 0 of 3", "NOT OBSERVED a thing: 0 of 4")
             for line in lines]
    files = Files(a=whole(lines), b=whole(other), none="")
    yield from expect(files.run("diff", "{a}", "{a}"), 0)
    yield from expect(files.run("diff", "{a}", "{b}"), 1, "microcode: C6H | EAH",
                      "counter3_counts_alone: FAIL | PASS (OBSERVED 1 of 3)",
                      "< processor 0: NOT OBSERVED a thing: 0 of 3\n"
                      "  > processor 0: NOT OBSERVED a thing: 0 of 4\n")
    got = files.run("diff", "--verdicts", "{a}", "{b}")
    yield from expect(got, 1)
    if "<" in got[1]:
        yield f"figures: {got[1]}"
    yield from expect(files.run("diff", "{a}", "{none}"), 1, "no report")
    yield from expect(files.run("diff", "{a}", "build/no/such"), 2, "No such file")
    yield from repeated_figures(lines)


def repeated_figures(lines):
    """Lines of a result that say the same in other numbers are told apart."""
    at = next(n for n, line in enumerate(lines) if "NOT OBSERVED a thing: 0 of 3" in line)
    of = [[*lines[:at], *(lines[at].replace("of 3", f"of {count}") for count in counts),
           *lines[at + 1:]] for counts in ((3, 5, 7), (5, 3, 8))]
    files = Files(a=whole(of[0]), b=whole(of[1]))
    yield from expect(files.run("diff", "{a}", "{a}"), 0)
    got = files.run("diff", "{a}", "{b}")
    yield from expect(got, 1, "< processor 0: NOT OBSERVED a thing: 0 of 7\n"
                      "  > processor 0: NOT OBSERVED a thing: 0 of 8\n")
    if got[1].count("<") != 1:
        yield f"figures: {got[1]}"


def judged():
    text = five()
    rules = ("# a rule that was wrong\n"
             "KNOWN SKL194 | counter3_* | FAIL: IA32_PMC3 (C4H): got *, wanted 0x5\n")
    regime = text.replace("TSX_FORCE_ABORT (10FH) = 0x0", "TSX_FORCE_ABORT (10FH) = 0x4")
    files = Files(report=text, regime=regime, rules=rules, nothing="PASS | * | *other*\n",
                  better="PASS | * | FAIL: *\n", worse="FAIL | *alone | OBSERVED * | share > 32\n"
                  "ERROR | *alone | OBSERVED * | share > 33\n"
                  "ERROR | *alone | NOT OBSERVED * | a > 0\n",
                  wrong="\nFAIL x | a | b\n", known="KNOWN | a | b\n", odd="PASS | a | b | c > 1\n")
    yield from expect(files.run("judge", "{report}"), 0, "SIMULATED: 1 passed, 1 failed, "
                      "1 in error, 1 skipped, 1 known")
    yield from expect(Files(cut=text[:-30]).run("judge", "{cut}"), 1, "1 passed, 1 failed",
                      "not whole: cut")
    silent = files.run("judge", "--silent", "{report}")
    yield from expect(silent, 0, "counter3_overflow passed without a figure")
    if silent[1].count("passed without") != 1:
        yield f"judge --silent: {silent[1]}"
    yield from expect(files.run("judge", "{regime}"), 1, "regime was B, is D")
    yield from expect(files.run("judge", "--rules={rules}", "{report}"), 1,
                      "counter3_counts_alone was FAIL, is KNOWN SKL194", "0 failed")
    yield from expect(files.run("judge", "--rules={nothing}", "{report}"), 0)
    yield from expect(files.run("judge", "--rules={better}", "{report}"), 1, "was FAIL, is PASS",
                      "2 passed, 0 failed, 1 in error")
    yield from expect(files.run("judge", "--rules={worse}", "{report}"), 0)
    for name, line in (("wrong", 2), ("known", 1), ("odd", 1)):
        yield from expect(files.run("judge", "--rules={%s}" % name, "{report}"), 2,
                          f"./{name}:{line}: no rule")
    yield from expect(files.run("judge", "--rules={report}/x", "{report}"), 2, "Not a directory")


def shown():
    files = Files(report=five(), good=whole(
        [line for line in golden_lines() if not line.startswith(("not ok", "ok 3", "1.."))]
        [:1] + ["1..1"] + [line for line in golden_lines()[2:]
                           if not line.startswith(("not ok", "ok 3"))]))
    got = files.run("show", "{report}")
    yield from expect(got, 1, "a SIMULATED processor", "FAIL counter3_counts_alone",
                      "FAIL: IA32_PMC3 (C4H): got 0x4, wanted 0x5",
                      "KNOWN pebs_tsc: SKL018", "ERROR tsx_commit: machine reset",
                      "undecided: RTM: test force_abort_aborts_all is not run")
    if "\033" in got[1]:
        yield "colours, but on no terminal"
    yield from expect(files.run("show", "--color=always", "{report}"), 1, "\033[31m  FAIL\033[0m")
    yield from expect(files.run("show", "{good}"), 0)


def not_whole():
    """Converted as far as it goes; the status and one line say so."""
    files = Files(cut="\n".join(golden_lines()[:40]) + "\n", whole=whole(golden_lines()))
    for words in (("json",), ("csv",), ("csv", "--figures")):
        status, out, errors = files.run(*words, "{whole}", "{cut}")
        said = errors.splitlines()
        if status != 1 or len(said) != 1 or not said[0].startswith(
                "tsxpmu: ./cut: not whole: cut: no END line"):
            yield f"{words}: status {status}, {errors}"
        if "--figures" not in words and "/cut" not in out:
            yield f"{words}: nothing of it"
        status, _, errors = files.run(*words, "{whole}")
        if status or errors:
            yield f"{words} of a whole one: status {status}, {errors}"
    for command in ("show", "check", "tap", "junit"):
        if files.run(command, "{cut}")[0] != 1:
            yield f"{command}: not status 1"


def statuses():
    """As grep's: 2 for wrong use, and for what cannot be read."""
    files = Files(report=whole(golden_lines()))
    for command in ("show", "check", "json", "csv", "tap", "junit", "judge"):
        yield from expect(files.run(command), 2, "too few arguments")
        yield from expect(files.run(command, "--no-such", "{report}"), 2)
        yield from expect(files.run(command, "build/no/such", "{report}"), 2,
                          "build/no/such: No such file or directory")
        yield from expect(files.run(command, "--help"), 0, f"Usage: tsxpmu {command}")
        yield from expect(files.run(command, "--version"), 0, "tsxpmu ")
    yield from expect(files.run("show", "--color=blue", "{report}"), 2, "not a value for --color")
    yield from expect(files.run("diff", "{report}"), 2, "too few arguments")
    yield from expect(files.run("diff", "{report}", "{report}", "x"), 2, "one argument too many")
    yield from expect(files.run("decode", "report", "--processor=x", "{report}"), 2)


def run(result):
    lines = golden_lines()
    result("tool: reports as ktap.py reads them", [
        p for text in (whole(lines), whole(golden_lines(True)), five(),
                       "\n".join(lines[:60]) + "\n", docs.read(GOLDEN).replace("0x4", "0x5"))
        for p in as_ktap(text)])
    shown_lines = [line for path in docs.documents()
                   for _, language, block in docs.blocks(docs.read(path))
                   if language == "report" for line in block]
    own = "build/report.log"
    real = docs.read(own).splitlines() if os.path.exists(own) else []
    result("tool: lines have the shape that the grammar gives them",
           as_grammar(lines + shown_lines + real))
    result("tool: figures of lines that are hard to read", hard_lines())
    for name, text, status, parts in carried():
        result(f"tool: a report, {name}", expect(
            Files(report=text).run("check", "{report}"), status, *parts))
    result("tool: a report that a reset interrupted", after_reset())
    result("tool: what is not of silicon is never said to be", never_silicon())
    result("tool: diff", differences())
    result("tool: judge", judged())
    result("tool: show", shown())
    result("tool: forms of a report that is not whole", not_whole())
    result("tool: statuses of commands that read reports", statuses())
