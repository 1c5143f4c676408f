# SPDX-License-Identifier: BSD-2-Clause
"""The host tool and forms of a report: what it writes is read by the readers of
these, and raw bytes of a report go back through the decoders."""

import csv
import glob
import io
import os
import re
import subprocess
import sys
import zlib

import docs
import ktap
from reports import GOLDEN, Files, expect, five, golden_lines, whole
from tap.parser import Parser
from tool import golden


def read_by_prove():
    files = Files(report=five())
    status, out, _ = files.run("tap", "{report}")
    if status != 1:
        yield f"status {status}"
    with open(files.path("tap"), "w", encoding="ascii") as file:
        file.write(out)
    run = subprocess.run(["prove", "-v", "-e", "cat", files.path("tap")], check=False,
                         capture_output=True, text=True, timeout=60)
    for part in ("Failed tests:  2, 5", "Tests: 6 Failed: 2", "less 1 skipped"):
        if part not in run.stdout + run.stderr:
            yield f"prove does not say {part!r}: {run.stdout[-500:]}{run.stderr[-500:]}"
    got = [(line.ok, line.skip, line.todo) for line in Parser().parse_text(out)
           if line.category == "test"]
    if got != [(True, True, False), (False, False, False), (True, False, False),
               (False, False, True), (False, False, False), (True, False, False)]:
        yield f"python3-tap reads {got}"


# Where the kernel's sources are, if they are.
KUNIT = "/usr/src/linux-source-*/tools/testing/kunit"


def read_by_kunit(folder):
    """A report, as a log of a console has it, by the parser of the kernel's KUnit."""
    files = Files(report="\r\n".join(["firmware", *docs.read(GOLDEN).splitlines(), "more"]))
    run = subprocess.run(
        [sys.executable, "-c", "import sys, kunit_parser\n"
         "test = kunit_parser.parse_run_tests(open(sys.argv[1]).read().splitlines())\n"
         "print(*(f'{t.name} {t.status.name}' for t in test.subtests), sep='\\n')",
         files.path("report")], env={**os.environ, "PYTHONPATH": folder},
        check=False, capture_output=True, text=True, timeout=60)
    wanted = ["always_abort_default SKIPPED", "counter3_counts_alone FAILURE",
              "counter3_overflow SUCCESS"]
    if run.stdout.splitlines()[-3:] != wanted or "ERROR" in run.stdout:
        yield run.stdout + run.stderr


def read_by_xmllint():
    files = Files(report=five())
    status, out, _ = files.run("junit", "{report}")
    if status != 1:
        yield f"status {status}"
    run = subprocess.run(["xmllint", "--noout", "--relaxng", "tests/golden/junit.rng", "-"],
                         input=out, check=False, capture_output=True, text=True, timeout=60)
    if run.returncode:
        yield run.stderr
    for path, wanted in (("count(//testcase)", "6"), ("count(//failure)", "1"),
                         ("count(//error)", "1"), ("count(//skipped)", "1"),
                         ("string(//testsuite/@failures)", "1"),
                         ("string(//error/@message)", 'machine reset, "again" <&>'),
                         ("count(//testcase[@classname='SIMULATED'])", "6")):
        run = subprocess.run(["xmllint", "--xpath", path, "-"], input=out, check=False,
                             capture_output=True, text=True, timeout=60)
        if run.stdout.strip() != wanted:
            yield f"{path} is {run.stdout.strip()}, wanted {wanted}"


def read_as_csv():
    files = Files(report=five())
    rows = list(csv.DictReader(io.StringIO(files.run("csv", "{report}")[1])))
    report = ktap.Report(five())
    if {row["name"]: row["verdict"] for row in rows} != report.results:
        yield f"{rows}"
    if {row["made_on"] for row in rows} != {"SIMULATED"} or rows[4]["reason"] != \
            'machine reset, "again" <&>' or rows[0]["microcode"] != "C6H":
        yield f"{rows[4]}"
    rows = list(csv.DictReader(io.StringIO(files.run("csv", "--figures", "{report}")[1])))
    if not any(row["shape"] == "may" and row["a_most"] == "1" and row["b_most"] == "3"
               for row in rows):
        yield f"figures: {rows}"


def raw_bytes():
    """PEBS records and a trace in a report, back through the decoders."""
    record, text = golden(3)
    lines = golden_lines()
    at = next(i for i, line in enumerate(lines) if line.startswith("ok 3 "))

    def raw(processor, what, data):
        yield (f"# raw, processor {processor}: {what}: {len(data)} bytes, "
               f"crc {zlib.crc32(data):08X}"
               + (", the first 4096 of them" if len(data) > 4096 else ""))
        for start in range(0, min(len(data), 4096), 32):
            yield f"# raw {start:04x} {data[start:min(start + 32, 4096)].hex()}"

    trace = bytes.fromhex("0282" * 8 + "0223")
    lines[at:at] = [*raw(0, "PEBS records of format 3", record * 2),
                    *raw(1, "PEBS records of format 3", record * 30),
                    *raw(1, "Processor Trace", trace)]
    kinds = [line for line in lines if "GenuineIntel" in line]
    hybrid = [line for both in lines for line in (
        [both.replace("# ", "# processor 0: ").replace("06_5EH", "06_97H"),
         both.replace("# ", "# processors 1,3-4: ")] if both == kinds[0] else [both])]
    files = Files(report=whole(lines), none=whole(golden_lines()), hybrid=whole(hybrid),
                  damaged=whole([re.sub("^# raw 0020 .", "# raw 0020 f", line)
                                 for line in lines]))
    status, out, errors = files.run("decode", "report", "{report}")
    if status or errors:
        yield f"status {status}: {errors}"
    if out.count(text) != 2 + 4096 // 200 or " psb\n" not in out or "06_5EH, silicon" not in out:
        yield out[:2000]
    yield from expect(files.run("decode", "report", "--count", "--processor=1", "--test",
                                "*overflow", "{report}"), 0, "Processor Trace, 18 bytes")
    yield from expect(files.run("decode", "report", "{hybrid}"), 0,
                      "processor 0 (06_97H, silicon)", "processor 1 (06_5EH, silicon)")
    yield from expect(files.run("decode", "report", "{damaged}"), 1, "damaged: the CRC")
    yield from expect(files.run("decode", "report", "{none}"), 1, "no raw bytes")
    yield from expect(files.run("decode", "report", "--test=pebs_*", "{report}"), 1,
                      "no raw bytes")


def run(result, skip):
    result("tool: tap, read by prove and python3-tap", read_by_prove())
    folders = [os.environ["KUNIT"]] if "KUNIT" in os.environ else sorted(glob.glob(KUNIT))
    if folders:
        result("tool: a report, read by kunit_parser", read_by_kunit(folders[-1]))
    else:
        skip("tool: a report, read by kunit_parser", f"no {KUNIT}; KUNIT names the folder")
    result("tool: junit, read by xmllint", read_by_xmllint())
    result("tool: csv", read_as_csv())
    result("tool: decode report", raw_bytes())
