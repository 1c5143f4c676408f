# SPDX-License-Identifier: BSD-2-Clause
"""Reads KTAP, and the TAP of cmocka: a report of tsxpmu.efi, whole or cut short
anywhere, and the lines of results in any text. Imports nothing of the project.
"""

import re
import zlib
from typing import NamedTuple

START = "KTAP version 1\n"
RESULT = re.compile(r"(ok|not ok) (\d+) - (\S+)"
                    r"(?: # (OBSERVED|KNOWN|SKIP|ERROR) (.+))?$")
PLAN = re.compile(r"1\.\.(\d+)$")
RUNNING = re.compile(r"# running (?:\d+(?: of \d+)?: )?([^:\s]+)")
END = re.compile(r"# END pass=(\d+) fail=(\d+) error=(\d+) skip=(\d+) "
                 r"known=(\d+) crc=([0-9A-F]{8})$")
RESET = "machine reset"  # why a test is an ERROR that a reset ended
FIRMWARE_EXCEPTION = "!!!! X64 Exception"  # what OVMF prints before it halts


class Result(NamedTuple):
    number: int
    name: str
    verdict: str
    reason: str
    line: str


def result_of(line: str) -> Result | None:
    """The result that a line is, or None."""
    match = RESULT.match(line)
    if not match:
        return None
    verdict = {"ok": "PASS", "not ok": "FAIL"}[match[1]]
    if match[4] not in (None, "OBSERVED"):
        verdict = match[4]
    return Result(int(match[2]), match[3], verdict, match[5] or "", line)


def results(text: str) -> list[tuple[Result, list[str]]]:
    """(Result, the lines after it up to the next result) of each."""
    found: list[tuple[Result, list[str]]] = []
    for line in text.splitlines():
        result = result_of(line)
        if result:
            found.append((result, []))
        elif found:
            found[-1][1].append(line)
    return found


def from_start(text: str) -> str:
    """The text from the report's first line on, "" without one."""
    at = text.find(START)
    return text[at:] if at >= 0 else ""


def body(text: str) -> str:
    """The report in a text that may be cut short: whole lines, up to END."""
    lines = re.findall(r".*\n", from_start(text))
    ends = [n for n, line in enumerate(lines, 1) if line.startswith("# END ")]
    return "".join(lines[:ends[0]] if ends else lines)


def finished(text: str) -> tuple[list[str], str | None, str | None]:
    """Lines of results that another line of the report has followed; the last
    result, where none has; and the name of the test that was running."""
    lines: list[str] = []
    last: str | None = None
    running: re.Match[str] | None = None
    for line in text.splitlines():
        if RUNNING.match(line) or line.startswith("# summary"):
            lines += [last] if last else []
            last = None
            running = RUNNING.match(line)
        elif result_of(line):
            if last:
                lines.append(last)
            last = line
    return lines, last, running[1] if running else None


def end_line(text: str) -> str:
    """The last END line without its CRC, "" without one."""
    ends = re.findall(r"^# END (.*) crc=.*$", text, re.M)
    return ends[-1] if ends else ""


def failures(text: str) -> list[str]:
    """Names of the tests whose result is not ok."""
    return [r.name for r, _ in results(text) if r.line.startswith("not ok")]


class Report:
    """A report as text, and its contents."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r", "")
        self.results: dict[str, str] = {}  # verdicts by name
        self.problems: list[str] = []
        self.body = from_start(self.text)
        self.plan: int | None = None
        self.end: re.Match[str] | None = None
        for line in self.body.splitlines():
            result = result_of(line)
            if result:
                if result.name in self.results:
                    self.problems.append(f"{result.name} has two results")
                self.results[result.name] = result.verdict
            elif re.match(r"(not )?ok\b", line):
                self.problems.append(f"no result line: {line}")
            elif plan := PLAN.match(line):
                self.plan = int(plan[1])
            elif line.startswith("# END "):
                self.end = END.match(line)
                self.body = self.body[:self.body.index(line)]
                break
        self.problems += self._of_totals()
        if FIRMWARE_EXCEPTION in self.text:
            self.problems.append("the firmware caught an exception: "
                                 + self._exception())
        self.complete = not self.problems
        # What silicon.efi reports as not restored.
        self.not_restored = re.findall(
            r"^# silicon: error: (not left as found: .*)$", self.text, re.M)

    def _exception(self) -> str:
        """Which, on which processor and where, and the last line before it."""
        before, after = self.text.replace("\r", "").split(FIRMWARE_EXCEPTION, 1)
        where = re.search(r"RIP +- ([0-9A-F]+)", after)
        image = re.search(r"Find image.*", after)
        return "; ".join([
            after.splitlines()[0].strip(" !"),
            "RIP " + (where[1] if where else "unknown"),
            image[0].strip(" !") if image else "in no image",
            "after: " + (before.splitlines() or [""])[-1]])

    def _of_totals(self) -> list[str]:
        """Problems of its end, its CRC, its plan and its totals."""
        if not self.body:
            return ["no report"]
        if not self.end:
            return ["the report has no END line"]
        if zlib.crc32(self.body.encode()) != int(self.end[6], 16):
            return ["the report's CRC is wrong"]
        if self.plan != len(self.results):
            return [f"planned {self.plan}, got {len(self.results)}"]
        problems = []
        for verdict, count in zip(("PASS", "FAIL", "ERROR", "SKIP", "KNOWN"),
                                  map(int, self.end.groups()[:5])):
            got = len(self.with_verdict(verdict))
            if got != count and self.results:
                problems.append(f"END counts {count} {verdict}, "
                                f"the report has {got}")
        return problems

    def with_verdict(self, verdict: str) -> list[str]:
        return [n for n, v in self.results.items() if v == verdict]

    def good(self) -> bool:
        return self.complete and bool(self.results) and not (
            self.with_verdict("FAIL") or self.with_verdict("ERROR")
            or self.not_restored)
