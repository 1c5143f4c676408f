#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/figures.md: what was measured, a section for each command. A section that
is measured again is written anew, the others stay as they are.

The lines that documents show of the default run are written with its figures:
each is replaced by that of the present report which differs in numbers alone.

usage: tests/figures.py bench FILE      (what make bench has printed)
       tests/figures.py samples FILE    (a report of the default run)
"""

import os
import re
import subprocess
import sys

PATH = "docs/figures.md"
SAMPLED = ("README.md", "docs/report.md")
SAMPLE = re.compile(r"(?<=<!-- make figures -->\n```report\n)(.*?)(?=^```$)", re.M | re.S)
HEAD = """# Figures

Written by the command that each section names, never by hand: `make figures` for what is quick, the others with `WRITE=1`. Another machine
gives others.
"""
# In this order: the heading, the command.
SECTIONS = {
    "run": ("The default run", "make figures"),
    "costs": ("The simulation under an operating system", "make figures"),
    "checks": ("All checks", "make test WRITE=1"),
    "scale": ("Processors", "make scale WRITE=1"),
    "distributions": ("Distributions", "make distributions WRITE=1"),
    "bench": ("Decoders", "make bench WRITE=1"),
    "powercut": ("Power cuts", "make powercut WRITE=1"),
}


def machine():
    """What the figures are of, without a date."""
    said = subprocess.run(["qemu-system-x86_64", "--version"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    version = re.search(r"version (\d+\.\d+\.\d+)", said)[1]
    return f"{os.cpu_count()} cores, QEMU {version} (TCG)"


def read(path=PATH):
    """The sections there are, by their headings."""
    try:
        with open(path, encoding="utf-8") as file:
            parts = re.split(r"^## (.*)\n", file.read(), flags=re.M)[1:]
    except FileNotFoundError:
        parts = []
    return dict(zip(parts[::2], (body.strip("\n") for body in parts[1::2])))


def write(section, lines, where=None, path=PATH):
    """Puts the lines into their section; where: machine() at another time."""
    there = read(path)
    heading, command = SECTIONS[section]
    there[heading] = "\n".join([f"`{command}`; {where or machine()}.", "", *lines])
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(HEAD)
        for heading, _ in SECTIONS.values():
            if heading in there:
                file.write(f"\n## {heading}\n\n{there[heading]}\n")
    os.rename(path + ".part", path)
    print(f"{path}: {SECTIONS[section][0]}")


def wanted():
    """Is what is measured now to be written?"""
    return os.environ.get("WRITE") == "1"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)]


def run(seconds, report_bytes, simulation):
    """simulation: what silicon.efi says of its cost."""
    rows = [("power-on to power-off, from built files", f"{seconds:.1f} s"),
            ("report", f"{report_bytes / 1000:.1f} KB")]
    rows += [(f"`{name}`", f"{os.path.getsize('build/' + name):,} bytes")
             for name in ("tsxpmu.efi", "silicon.efi")]
    rows += [("simulation, by its own clock", simulation)] if simulation else []
    write("run", table(("figure", "measured"), rows))


def skeleton(line):
    """Without numbers, of which some are hexadecimal, but those of processors."""
    return re.sub(r"(?<!processor )(?<!processors )"
                  r"\b((0x)?[0-9][0-9A-Fa-f]*H?|[0-9A-F]{1,3}H|[0-9A-F]{8}"
                  r"|[0-9a-f]{12}(-dirty)?)(?![\w-])", "N", line)


def sampled(lines, report):
    """The lines as the report has them now, in its order. Raises ValueError where
    it has none."""
    at = 0
    for line in lines:
        wanted = skeleton(line)
        for at in range(at, len(report)):
            if skeleton(report[at]) == wanted:
                break
        else:
            raise ValueError(f"a report has no such line any more: {line}")
        yield report[at]
        at += 1


def renewed(path, report):
    """The document with the lines of this report. Raises ValueError."""
    lines = report.splitlines()

    def now(block):
        return "".join(line + "\n" for line in sampled(block[1].splitlines(), lines))

    with open(path, encoding="utf-8") as file:
        return SAMPLE.sub(now, file.read())


def samples(report):
    """Writes what documents show of the default run anew."""
    for path in SAMPLED:
        text = renewed(path, report)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"{path}: lines of the default run")


def checks(seconds, passed, failed, skipped):
    write("checks", table(("figure", "measured"), [
        ("seconds", f"{seconds:.0f}"),
        ("passed, failed, skipped", f"{passed}, {failed}, {skipped}")]))


def scale(rows):
    """rows: (machine, tests, processors, seconds, bytes)."""
    kinds = list(dict.fromkeys((row[0], row[1]) for row in rows))
    cells = {(row[0], row[1], row[2]): f"{row[3]:.1f} s, {row[4] / 1000:.1f} KB"
             for row in rows}
    write("scale", ["Power-on to power-off, and size of the report. Tests of one "
                    "processor run on all at the same time, taking turns.", ""]
          + table(("processors", *(f"{kind}, `{tests}`" for kind, tests in kinds)),
                  [(n, *(cells.get((*kind, n), "") for kind in kinds))
                   for n in sorted({row[2] for row in rows})]))


def distributions(goal, rows):
    """rows: (title, QEMU, gcc, result, seconds)."""
    write("distributions", [
        "Seconds are from nothing to the end, root and packages included.", ""]
        + table(("system", "QEMU", "gcc", f"`make {goal}`", "s"), rows))


def bench(text):
    """text: what make bench prints."""
    write("bench", ["Decoding PEBS records of format 3 and classifying them against reading "
                    "the same memory once; a trace against", "libipt, its packet layer and "
                    "its query decoder. Medians of processor time; instructions by callgrind.",
                    "", "```text", *text.rstrip().splitlines(), "```"])


def powercut(lines):
    write("powercut", ["```text", *lines, "```"])


def main():
    write_by = {"bench": bench, "samples": samples}
    if len(sys.argv) != 3 or sys.argv[1] not in write_by:
        print(__doc__.strip())
        return 64
    with open(sys.argv[2], encoding="utf-8") as file:
        write_by[sys.argv[1]](file.read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
