# SPDX-License-Identifier: BSD-2-Clause
"""Reports that the checks of the host tool begin with: the golden one, others of its
lines, and files of them in a folder."""

import os
import subprocess
import tempfile
import zlib

import docs
import ktap
from tool import TOOL

GOLDEN = "tests/golden/session.report"
HEAD = "# made on: "
SIMULATED = HEAD + ("a SIMULATED processor, not silicon: nothing below says "
                    "anything about a real one")


def whole(lines):
    """A report of these lines, with its END line as they want it."""
    body = "".join(line + "\n" for line in lines if not line.startswith("# END"))
    count = {verdict: 0 for verdict in ("PASS", "FAIL", "ERROR", "SKIP", "KNOWN")}
    for result, _ in ktap.results(body):
        count[result.verdict] += 1
    totals = " ".join(f"{verdict.lower()}={n}" for verdict, n in count.items())
    return f"{body}# END {totals} crc={zlib.crc32(body.encode()):08X}\n"


def golden_lines(simulated=False):
    lines = docs.read(GOLDEN).splitlines()
    return [SIMULATED if simulated and line.startswith(HEAD) else line
            for line in lines]


class Files:
    """Files of these bytes, by name, in a folder for a while."""

    def __init__(self, **texts):
        self.directory = tempfile.TemporaryDirectory()
        for name, text in texts.items():
            with open(self.path(name), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def run(self, *words):
        """Status, output, errors; {name} in a word is a file's path."""
        names = {name: self.path(name) for name in os.listdir(self.directory.name)}
        run = subprocess.run([TOOL, *(word.format(**names) for word in words)],
                             check=False, capture_output=True, timeout=60)
        return (run.returncode, run.stdout.decode().replace(self.directory.name, "."),
                run.stderr.decode().replace(self.directory.name, "."))


def expect(got, status, *parts):
    """The status, and each part in what it printed."""
    if got[0] != status:
        yield f"status {got[0]}, wanted {status}: {got[1][-600:]}{got[2]}"
    for part in parts:
        if part not in got[1] + got[2]:
            yield f"does not say {part!r}: {got[1][-600:]}{got[2]}"


KNOWN = ["# KNOWN SKL018: got 0x1, wanted 0x2", "ok 4 - pebs_tsc # KNOWN SKL018",
         "# running 5 of 5: tsx_commit: \"<&>\"?",
         "not ok 5 - tsx_commit # ERROR machine reset, \"again\" <&>"]


def five():
    """One of each verdict, of the simulated processor."""
    lines = [line.replace("1..3", "1..5") for line in golden_lines(True)]
    at = next(i for i, line in enumerate(lines) if line.startswith("# summary"))
    return whole(lines[:at] + KNOWN + lines[at:])
