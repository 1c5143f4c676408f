# SPDX-License-Identifier: BSD-2-Clause
"""The host tool's database: what import adds, once, and what the ready
questions answer. What is of silicon is never counted with what is not."""

import os
import random
import re
import sqlite3
import subprocess

from reports import Files, expect, five, golden_lines, whole
from tool import TOOL

# Many reports in less than the time of 10,000 in 60 s, of the tool's own CPU.
MANY = 300
SECONDS = 60 / 10000 * MANY


def machine(number, lines):
    return [re.sub("machine: id: .*", f"machine: id: {number:016X} (machine=)", line)
            for line in lines]


def rows(files, *words):
    """The answer without the names of its columns, by words."""
    status, out, errors = files.run("query", "{db}", *words)
    return [line.split() for line in out.splitlines()[1:]] if not status else [status, errors]


def filled():
    """Two machines of silicon and one simulated; one of them with two runs."""
    update = [line.replace("microcode C6H", "microcode EAH").replace("regime B", "regime C")
              for line in golden_lines()]
    lines = [line.replace("windows: 50", "it counted 2..5 to 7..9") for line in golden_lines()]
    return Files(one=whole(machine(1, lines)), again=whole(machine(1, lines + ["# more"])),
                 two=whole(machine(2, update)), simulated=five(),
                 cut="\n".join(machine(3, lines)[:60]), db=b"", new=b"")


def imports():
    files = filled()
    words = ("{one}", "{again}", "{two}", "{simulated}", "{cut}")
    yield from expect(files.run("import", "{db}", *words), 0,
                      "5 added, 0 already there, 0 left out", "1 not whole")
    before = open(files.path("db"), "rb").read()
    yield from expect(files.run("import", "{db}", *reversed(words)), 0, "0 added, 5 already there")
    if open(files.path("db"), "rb").read() != before:
        yield "a second import changed the database"
    database = sqlite3.connect(files.path("db"))
    text = database.execute("SELECT text FROM report WHERE file LIKE '%/one'").fetchone()[0]
    with open(files.path("one"), encoding="ascii") as file:
        if text != file.read():
            yield "the text is another one"
    got = database.execute(
        "SELECT f.line, f.processors, w.shape, w.what, f.observed, f.a_least, f.a_most,"
        " f.b_least, f.b_most"
        " FROM figure f JOIN wording w ON w.id = f.wording JOIN result e ON e.id = f.result"
        " JOIN report r ON r.id = e.report WHERE r.file LIKE '%/one' ORDER BY f.line").fetchall()
    at = 1 + next(n for n, line in enumerate(golden_lines()) if "NOT OBSERVED a thing" in line)
    if got != [(at - 1, None, "counted", "it", None, 2, 5, 7, 9),
               (at, "0", "may", "a thing", 0, 0, 0, 3, 3),
               (at + 1, None, "fail", "IA32_PMC3 (C4H): got 0x4, wanted 0x5",
                None, None, None, None, None),
               (at + 2, "1", "may", "a thing", 1, 1, 1, 3, 3)]:
        yield f"figures: {got}"
    database.close()


def answers():
    files = filled()
    files.run("import", "{db}", "{one}", "{again}", "{two}", "{simulated}", "{cut}")
    for words, wanted in (
            (["regimes"], [["SIMULATED", "06_5EH", "3", "C6H", "B", "1", "1"],
                           ["silicon", "06_5EH", "3", "C6H", "B", "1", "2"],
                           ["silicon", "06_5EH", "3", "EAH", "C", "1", "1"]]),
            (["counter3"], [[*kind, "counter3_counts_alone", machines, reports, "0", reports, "-"]
                            for kind, machines, reports in (
                                (["SIMULATED", "06_5EH", "3", "C6H", "B"], "1", "1"),
                                (["silicon", "06_5EH", "3", "C6H", "B"], "1", "2"),
                                (["silicon", "06_5EH", "3", "EAH", "C"], "1", "1"))])):
        if rows(files, *words) != wanted:
            yield f"{words}: {rows(files, *words)}"
    got = [row[:8] for row in rows(files, "failed")]
    sim = ["SIMULATED", "06_5EH", "3", "C6H"]
    if got != [[*sim, "counter3_counts_alone", "FAIL", "1", "1"],
               [*sim, "pebs_tsc", "KNOWN", "1", "1"], [*sim, "tsx_commit", "ERROR", "1", "1"],
               ["silicon", "06_5EH", "3", "C6H", "counter3_counts_alone", "FAIL", "1", "2"],
               ["silicon", "06_5EH", "3", "EAH", "counter3_counts_alone", "FAIL", "1", "1"]]:
        yield f"failed: {got}"
    if [row[1] for row in rows(files, "broken")] != ["0000000000000003"]:
        yield f"broken: {rows(files, 'broken')}"
    if len(rows(files, "machines")) != 3:
        yield f"machines: {rows(files, 'machines')}"


def refused():
    files = Files(report=whole(golden_lines()), none="", other=b"", text="no database at all" * 9)
    sqlite3.connect(files.path("other")).execute("CREATE TABLE mine (a)").connection.commit()
    for word in ("{other}", "{text}", "build/no/such/place"):
        yield from expect(files.run("import", word, "{report}"), 2)
        yield from expect(files.run("query", word, "failed"), 2)
    yield from expect(files.run("import", files.path("db"), "build/no/such"), 2, "0 added")
    yield from expect(files.run("import", "{db}", "{none}"), 1, "no report")
    yield from expect(files.run("query", "{db}", "failed"), 1)
    yield from expect(files.run("query", "{db}", "why"), 2, "no such question: why")
    yield from expect(files.run("query", "{db}"), 2, "too few arguments")
    yield from expect(files.run("import", "{db}"), 2, "too few arguments")


def at_once():
    """Imports at the same time, into a database that is not there yet: none is lost."""
    files = filled()
    names = ("one", "again", "two", "simulated", "cut")
    imports = [subprocess.Popen([TOOL, "import", files.path("new"), files.path(name)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
               for name in names]
    for process in imports:
        out = process.communicate(timeout=60)[0].decode()
        if process.returncode or not out.startswith("1 added"):
            yield f"status {process.returncode}: {out}"
    yield from expect(files.run("import", "{new}", *(f"{{{name}}}" for name in names)), 0,
                      "0 added, 5 already there")


def quick():
    """MANY reports as long as those of a whole run."""
    numbers = random.Random(1)
    text = golden_lines()
    at = next(n for n, line in enumerate(text) if line.startswith("ok 3 "))
    files = Files()
    for n in range(MANY):
        more = [f"# processors 0-1: windows {i}: IA32_PMC3 (C4H) counted {i} to "
                f"{numbers.randrange(9 ** 9)} in 1000 trials, 0 repeated for an SMI"
                for i in range(600)]
        with open(files.path(f"r{n}"), "w", encoding="ascii") as file:
            file.write(whole(machine(n, text[:at] + more + text[at:])))
    process = subprocess.Popen([TOOL, "import", files.path("db"),
                                *(files.path(f"r{n}") for n in range(MANY))],
                               stdout=subprocess.PIPE)
    out = process.stdout.read().decode()
    # Its own: other children of this process end meanwhile.
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    took = used.ru_utime + used.ru_stime
    if status or f"{MANY} added" not in out or took > SECONDS:
        yield f"{MANY} reports in {took:.1f} s, wanted {SECONDS:.1f}: {out}"


def run(result):
    result("tool: import, and again", imports())
    result("tool: imports at the same time", at_once())
    result("tool: questions to a database", answers())
    result("tool: what is no database, and what is not there", refused())
    result(f"tool: import of {MANY} reports", quick())
