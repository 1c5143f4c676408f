# SPDX-License-Identifier: BSD-2-Clause
"""The host tool on traces, as a user calls it: the golden streams, traces of
real processors where they are at hand, and files that are not as they should
be."""

import collections
import glob
import os
import subprocess
import tempfile

TOOL = "build/tsxpmu"
PSB = b"\x02\x82" * 8
PSBEND = b"\x02\x23"


def decode(data, *options, sparse=0, memory=16384):
    """Status, output lines and error lines for a file with these bytes after
    a hole of `sparse` bytes, in little memory."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "trace")
        with open(path, "wb") as file:
            file.seek(sparse)
            file.write(data)
        return call(path, *options, memory=memory)


def call(path, *options, memory=16384):
    command = f'ulimit -v {memory}; exec {TOOL} decode pt "$@"'
    run = subprocess.run(["sh", "-c", command, "sh", path, *options],
                         check=False, capture_output=True, timeout=120)
    return (run.returncode, run.stdout.decode().splitlines(),
            run.stderr.decode().replace(path, "FILE").splitlines())


def golden(path):
    """The bytes; offset and name of each packet; offset, transition and
    addresses of each event."""
    data, packets, events = b"", [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if not words or words[0] == "#":
                continue
            if words[0] == ">":
                events.append([int(words[2], 16), words[1]] +
                              [w for w in words[4::2] if w != "-"])
                continue
            count = next(i for i, w in enumerate(words) if len(w) != 2)
            packets.append((len(data), words[count]))
            data += bytes.fromhex("".join(words[:count]))
    return data, packets, events


def golden_stream(path):
    data, packets, events = golden(path)
    status, lines, errors = decode(data)
    got = [(int(l.split()[0], 16), l.split()[1]) for l in lines]
    if got != packets or status or errors:
        yield f"status {status}, {errors}, printed:"
        yield from lines
    status, lines, errors = decode(data, "--tsx")
    got = [[int(l.split()[0], 16), l.split()[1]] +
           [hex(int(w, 16)) for w in l.replace(",", "").split()[2:]
            if w.startswith("0x")] for l in lines]
    if got != events or status or errors:
        yield f"--tsx: status {status}, {errors}, printed:"
        yield from lines
    status, lines, errors = decode(data, "--count")
    if status or errors or dict(l.split("\t") for l in lines) != {
            k: str(n) for k, n in
            collections.Counter(name for _, name in packets).items()}:
        yield f"--count: status {status}, {errors}, {lines}"


def real_trace(path, wanted):
    """The counts are those of libipt; and no transition is against the manual.
    A buffer that was full ends inside a packet."""
    status, lines, errors = call(path, "--count")
    got = dict(l.split("\t") for l in lines)
    got.pop("pad", None)
    if got != wanted:
        yield f"counted {got}, wanted {wanted}"
    if [e for e in errors if "inside a packet" not in e] or status != bool(errors):
        yield f"status {status}, {errors}"
    status, lines, _ = call(path, "--tsx")
    if not lines or [l for l in lines if "DEVIATION" in l]:
        yield from lines or ["no line"]


def real_traces(result, skip):
    folder = os.environ.get("PT_TRACES") or "../shared/pt-traces"
    table = os.path.join(folder, "counts.tsv")
    if not os.path.exists(table):
        skip("tool: traces of real processors",
             f"no {table}; PT_TRACES names the folder")
        return
    counts = collections.defaultdict(dict)
    with open(table, encoding="ascii") as file:
        for line in file.read().splitlines()[1:]:
            name, packet, count = line.split("\t")
            counts[name][packet] = count
    for name, wanted in sorted(counts.items()):
        result("tool: trace " + name,
               real_trace(os.path.join(folder, name), wanted))


def refused(data, *lines, packets=0, options=()):
    """These error lines, so many packets before them, and status 1."""
    status, out, errors = decode(data, *options)
    if status != 1 or len(out) != packets or errors != [
            "tsxpmu: FILE: " + line for line in lines]:
        yield f"status {status}, {len(out)} lines, {errors}"


def payloads():
    """What is printed of each kind of payload."""
    rows = [("04", "tnt.8     N"), ("02a30d00 00000000", "tnt.64    TNT"),
            ("4d78563412", "tip       IPBytes 2, 0x0000000012345678"),
            ("1d", "fup       IPBytes 0, suppressed"),
            ("9902", "mode.exec CS.L&LMA 0, CS.D 1, IF 0"),
            ("9905", "mode.exec CS.L&LMA 1, CS.D 0, IF 1"),
            ("9922", "mode.tsx  InTX 0, TXAbort 1"),
            ("024301301200 0000", "pip       CR3 0x1230000, NR 1"),
            ("02c87856341200", "vmcs      base 0x12345678000"),
            ("020318ff", "cbr       ratio 24"),
            ("02733412eecd03", "tma       CTC 0x1234, FC 0x1cd"),
            ("59a5", "mtc       0xa5"), ("ff fe", "cyc       4095"),
            ("1901020304050607", "tsc       0x7060504030201"),
            ("02f3", "ovf"), ("0283", "stop"), ("0223", "psbend"),
            ("02c3880100000000000000", "mnt       0x1"),
            ("029204030201", "ptw       0x1020304, IP 1"),
            ("02e2", "exstop    IP 1"),
            ("02c2210000000100 0000", "mwait     hints 0x21, EXT 1"),
            ("02228021", "pwre      HW 1, C-state 2, sub C-state 1"),
            ("02a2750400 0000", "pwrx      last core C-state 7, deepest 5, "
             "wake reason 0x4"),
            ("026384", "bbp       SZ 1, type 0x4"),
            ("2c01020304", "bip       ID 0x5, 0x4030201"),
            ("0233", "bep       IP 0"),
            ("02138120", "cfe       type 0x1, vector 32, IP 1"),
            ("0253c70100000000 000000", "evd       type 0x7, 0x1"),
            ("d98001", "trig      0x180, IP 1"), ("0000", "pad       x 2"),
            ("0282" * 8, "psb"), ("000000", "pad       x 3"),
            ("3d3412", "fup       IPBytes 1, 0x0000000000001234")]
    data = PSB + PSBEND + b"".join(bytes.fromhex(row) for row, _ in rows)
    status, lines, errors = decode(data)
    if status or errors or [l[11:] for l in lines[2:]] != [r for _, r in rows]:
        yield f"status {status}, {errors}"
        yield from (f"{l[11:]}, wanted {w}" for l, (_, w) in
                    zip(lines[2:], rows) if l[11:] != w)


def huge():
    """A hole of 4 GiB, then a transaction: quickly, and in 16 MB."""
    data = PSB + PSBEND + b"\x99\x21\x7d\x10\x10\x40\0\0\0"
    status, lines, errors = decode(data, "--tsx", sparse=1 << 32)
    if lines != ["0x100000012 begin     IP 0x0000000000401010"]:
        yield f"printed {lines}"
    if status != 1 or errors != ["tsxpmu: FILE: at 0x0: 4294967296 bytes "
                                 "passed over: then a PSB"]:
        yield f"status {status}, {errors}"


BEGIN = PSB + b"\x99\x20\x7d\x00\x10\x40\0\0\0" + PSBEND + b"\x99\x21\x3d\x10\x10"


def overflow():
    """No deviation, and yet not a clean trace."""
    status, lines, errors = decode(BEGIN + b"\x02\xf3\x3d\x20\x10", "--tsx")
    if status or errors or lines[2:] != [
            "0x00000020 overflow  packets lost, InTX unknown"]:
        yield f"status {status}, {lines}, {errors}"


def limited():
    """A thousand lines of the kind, then one with the number of others."""
    data = PSB + PSBEND
    for options, more, lines in (((), b"\x99\x23", 2), (("--count",), b"\x99\x23", 2),
                                 (("--tsx",), b"\x99\x22\x06", 6000)):
        status, out, errors = decode(data + more * 5000, *options)
        complaints = [l for l in out if "DEVIATION" in l] + errors
        if status != 1 or len(complaints) != 1001 or len(out) != lines or \
                errors[-1] != "tsxpmu: FILE: 4000 more of these":
            yield (f"{options}: status {status}, {len(complaints)} complaints, "
                   f"{len(out)} lines, {errors[-1:]}")


def errata():
    """The branch before an abort (BDM064); an OVF in a CYC (SKD007)."""
    data = BEGIN + b"\x2d\x30\x10\x99\x22\x3d\x20\x10\x2d\x40\x10\x3f\x02\xf3"
    seen = {}
    for cpu in ("haswell", "broadwell", "06_5EH"):
        _, lines, _ = decode(data, "--cpu", cpu)
        seen[cpu] = (any("BDM064" in l for l in lines), lines[-1].split()[1])
    if seen != {"haswell": (False, "cyc"), "broadwell": (True, "cyc"),
                "06_5EH": (False, "ovf")}:
        yield f"{seen}"


def bounded():
    """A long input takes no more memory than a short one, also through a
    pipe."""
    block = PSB + PSBEND + b"\x06\x0d" * 2039
    command = f"ulimit -v 16384; {TOOL} decode pt - | tail -n 1"
    run = subprocess.run(["sh", "-c", command], input=block * 2000, check=False,
                         capture_output=True, timeout=120)
    if run.stdout != b"0x007cffff tip       IPBytes 0, suppressed\n":
        yield f"{run.stdout} {run.stderr}"


def misused(*words):
    run = subprocess.run([TOOL, *words], check=False, capture_output=True,
                         timeout=60)
    if run.returncode != 2 or run.stdout or not run.stderr.startswith(b"tsxpmu"):
        yield f"{words}: status {run.returncode}, {run.stderr.decode()}"


def run(result, skip):
    for path in sorted(glob.glob("tests/golden/pt-*.txt")):
        result("tool: golden trace " + os.path.basename(path),
               golden_stream(path))
    real_traces(result, skip)
    result("tool: every payload of a trace", payloads())
    result("tool: empty trace", refused(b"", "at 0x0: empty, no packet"))
    result("tool: garbage instead of a trace", refused(
        b"\xa5\x82\x02" * 700000,
        "at 0x0: 2100000 bytes passed over: no PSB to the end"))
    result("tool: trace cut short", refused(
        PSB + PSBEND + b"\x06\x7d\x00",
        "at 0x13: the data end inside a packet, after 2 bytes of it",
        packets=3))
    result("tool: damaged trace", refused(
        b"\x06" + PSB + PSBEND + b"\x02\x01" + PSB + PSBEND + b"\x99\x23\x06",
        "at 0x0: 1 bytes passed over: then a PSB",
        "at 0x13: undefined opcode 02H 01H",
        "at 0x13: 2 bytes passed over: then a PSB",
        "at 0x27: MODE.TSX with InTX and TXAbort both set", packets=5))
    status, lines, errors = decode(
        PSB + PSBEND + b"\x99\x21\x3d\x10\x10\x99\x22\x3d\x20\x10\x2d\x30\x10"
        b"\x99\x21\x06", "--tsx")
    result("tool: a deviation", [] if (status, lines, errors) == (1, [
        "0x00000012 begin     IP 0x0000000000001010",
        "0x00000017 abort     IP 0x0000000000001020, target 0x0000000000001030,"
        " region 0x0000000000001010",
        "0x0000001f begin     IP unknown",
        "0x0000001f DEVIATION MODE.TSX without its FUP, seen at 0x21"], [])
        else [f"status {status}, {lines}, {errors}"])
    result("tool: lost packets are seen", overflow())
    result("tool: a limit on complaints", limited())
    result("tool: errata of the traced processor", errata())
    result("tool: trace of 4 GiB", huge())
    result("tool: memory does not grow with the trace", bounded())
    result("tool: wrong use with traces", [
        p for words in (("decode", "pt"), ("decode", "pt", "x", "y"),
                        ("decode", "pt", "x", "--format=3"),
                        ("decode", "pt", "x", "--tsx", "--count"),
                        ("decode", "pebs", "x", "--format=3", "--tsx"))
        for p in misused(*words)])
