# SPDX-License-Identifier: BSD-2-Clause
"""The host tool, as a user calls it: what it prints of the golden records, and
what it says of files that are not as they should be."""

import os
import subprocess
import tempfile

TOOL = "build/tsxpmu"
SIZES = {0: 144, 1: 176, 2: 192, 3: 200, 4: 512, 6: 120}


def golden(form):
    """A golden record: its bytes, and what the tool prints of it."""
    record, text = b"", ""
    with open(f"tests/golden/pebs-format{form}.txt", encoding="ascii") as file:
        for line in file:
            words = line.split()
            if not words or words[0] == "#":
                continue
            record += bytes.fromhex("".join(words[:8]))
            name, value = " ".join(words[9:]).split(" = ")
            value = value.replace(" : ", "  ")
            text += f"  {words[8]} {name:<24} {value}\n"
    return record, text


def decode(data, *options):
    """Status, output and error lines for a file with these bytes."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "records")
        with open(path, "wb") as file:
            file.write(data)
        run = subprocess.run([TOOL, "decode", "pebs", path, *options],
                             check=False, capture_output=True, timeout=60)
        return (run.returncode, run.stdout.decode(),
                run.stderr.decode().replace(path, "FILE").splitlines())


def whole(form):
    record, text = golden(form)
    status, out, errors = decode(record * 3, "--format", str(form))
    if len(record) != SIZES[form]:
        yield f"the golden record has {len(record)} bytes"
    want = "".join(f"record {i} at 0x{i * len(record):x}\n{text}"
                   for i in range(3))
    if out != want:
        yield f"printed:\n{out}wanted:\n{want}"
    if status or errors:
        yield f"status {status}, {errors}"


def refused(data, form, line):
    """Exactly this one line, and status 1; so where records are counted."""
    for options in ((), ("--count",)):
        status, _, errors = decode(data, "--format", str(form), *options)
        if status != 1 or errors != [line]:
            yield f"{options}: status {status}, {errors}"


def counted(form):
    """As many as there are, of the bits that are in the golden record's text; in
    more than one block."""
    record, text = golden(form)
    fields = {line[6:30].strip(): line[31:] for line in text.splitlines()}
    counters = int(fields.get("Applicable Counter", fields.get("IA32_PERF_GLOBAL_STATUS", "0"))
                   .split()[0], 16)
    counters &= (0xffffffffff if form >= 4 else 0xff)
    causes = fields.get("TX Abort Information", "").partition(", ")[2].split(", ")
    number = 3 * (1 << 20) // len(record)
    want = {"records", *(f"{'fixed ' * (n >= 32)}counter {n % 32}" for n in range(40)
                          if counters >> n & 1),
            *(["several counters"] if counters & (counters - 1) else []), *filter(None, causes)}
    got = decode(record * number, "--format", str(form), "--count")
    if got[0] or got[2] or {*got[1].splitlines()} != {f"{what}\t{number}" for what in want}:
        yield f"{got}, wanted {number} of {want}"


def record_of_fixed_counter():
    words = (0x20 << 48, 0x401147, 1 << 32, 0)
    return decode(b"".join(w.to_bytes(8, "little") for w in words), "--format=4", "--count")


def unreadable(path, line, *words):
    run = subprocess.run([TOOL, "decode", *(words or ("pebs", "--format=3")), path],
                         check=False, capture_output=True, timeout=60)
    if run.returncode != 2 or run.stderr.decode() != line + "\n" or run.stdout:
        yield f"status {run.returncode}, {run.stderr.decode()}"


def misused(*words):
    run = subprocess.run([TOOL, *words], check=False, capture_output=True,
                         timeout=60)
    if run.returncode != 2 or run.stdout or not run.stderr.startswith(b"tsxpmu"):
        yield f"{words}: status {run.returncode}, {run.stderr.decode()}"


def full(*words):
    """What cannot be printed is one line, and status 2."""
    with open("/dev/full", "wb") as out:
        run = subprocess.run([TOOL, *words], stdout=out, stderr=subprocess.PIPE,
                             check=False, timeout=60)
    want = b"tsxpmu: standard output: No space left on device\n"
    if run.returncode != 2 or run.stderr != want:
        yield f"{words}: status {run.returncode}, {run.stderr.decode()}"


def bounded():
    """A long input takes no more memory than a short one."""
    record, _ = golden(3)
    command = f"ulimit -v 16384; {TOOL} decode pebs - --format 3 | tail -n 26"
    run = subprocess.run(["sh", "-c", command], input=record * 200000,
                         check=False, capture_output=True, timeout=120)
    if not run.stdout.startswith(b"record 199999 at 0x2625938\n") or run.stderr:
        yield run.stdout[:80].decode() + run.stderr.decode()


def run(result):
    record, _ = golden(3)
    for form in SIZES:
        result(f"tool: golden record of format {form}", whole(form))
        result(f"tool: records of format {form}, counted", counted(form))
    fixed = record_of_fixed_counter()
    result("tool: records of a fixed counter, counted",
           [] if fixed == (0, "records\t1\nfixed counter 0\t1\n", []) else [str(fixed)])
    result("tool: empty file", refused(
        b"", 3, "tsxpmu: FILE: at 0x0: empty, no record"))
    result("tool: record cut short", refused(
        record * 2 + record[:-1], 3,
        "tsxpmu: FILE: record 2 at 0x190: record cut short after 199 bytes"))
    result("tool: garbage", refused(
        record + b"\xff" * 400, 3, "tsxpmu: FILE: record 1 at 0xc8: reserved "
        "bits [63:40] of TX Abort Information are set"))
    adaptive, _ = golden(4)
    result("tool: adaptive record cut short", refused(
        adaptive + adaptive[:511], 4,
        "tsxpmu: FILE: record 1 at 0x200: record cut short after 511 bytes"))
    result("tool: adaptive record of 4 bytes", refused(
        adaptive + adaptive[:4], 4,
        "tsxpmu: FILE: record 1 at 0x200: record cut short after 4 bytes"))
    result("tool: size that is not of the groups", refused(
        adaptive + adaptive[:6] + b"\xff\xff" + adaptive[8:], 4,
        "tsxpmu: FILE: record 1 at 0x200: Record Format [63:48] is not the "
        "size of the groups in [47:0]"))
    result("tool: zeros after the last record", refused(
        adaptive + bytes(600), 4,
        "tsxpmu: FILE: record 1 at 0x200: Record Format [63:48] is not the "
        "size of the groups in [47:0]"))
    result("tool: groups that are not known", refused(
        adaptive + b"\xff" * 600, 4, "tsxpmu: FILE: record 1 at 0x200: reserved "
        "bits of the selection of groups, [23:4] or [47:32], of format 6 [23:6] or "
        "[63:56], are set"))
    result("tool: later adaptive format", refused(
        record, 7, "tsxpmu: format 7: adaptive record format (7 or later), "
        "which is not decoded"))
    result("tool: records of format 5 are those of format 4",
           [option for option in ((), ("--count",))
            if decode(adaptive * 2, "--format", "5", *option)
            != decode(adaptive * 2, "--format", "4", *option)])
    result("tool: unknown format", refused(
        record, 16, "tsxpmu: format 16: unknown record format"))
    result("tool: no such file", unreadable(
        "build/no/such", "tsxpmu: build/no/such: No such file or directory"))
    result("tool: a directory", unreadable(
        "build", "tsxpmu: build: at 0x0: Is a directory"))
    result("tool: no trace to read", [
        p for path, why in (("build/no/such", "No such file or directory"),
                            ("build", "at 0x0: Is a directory"))
        for words in (("pt",), ("pt", "--tsx"), ("pt", "--count"))
        for p in unreadable(path, f"tsxpmu: {path}: {why}", *words)])
    result("tool: wrong use", [
        p for words in ((), ("decode",), ("decode", "pebs", "x"),
                        ("decode", "bts", "x", "--format=3"),
                        ("encode", "pebs", "x", "--format=3"),
                        ("decode", "pebs", "x", "--format=three"),
                        ("decode", "pebs", "x", "--format=-1"),
                        ("decode", "pebs", "x", "y", "--format=3"),
                        ("decode", "pebs", "x", "--format=3", "--tsx"))
        for p in misused(*words)])
    result("tool: a full disk", [
        p for words in (("--help",), ("--version",), ("decode", "pt", "--usage"),
                        ("plan", "cycles"))
        for p in full(*words)])
    result("tool: memory does not grow with the file", bounded())
