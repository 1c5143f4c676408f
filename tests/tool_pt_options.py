# SPDX-License-Identifier: BSD-2-Clause
"""The host tool's options for traces, and traces in files of perf."""

import json
import struct

from tool_pt import PSB, PSBEND, decode, refused


def address(opcode, low):
    return bytes([1 << 5 | opcode]) + struct.pack("<H", low)


FUP, TIP = 0x1d, 0x0d
CBR, OVF = b"\x02\x03\x10\0", b"\x02\xf3"
TSC = b"\x19" + struct.pack("<Q", 4096)[:7]
TMA = b"\x02\x73\x10\0\0\x05\0"  # CTC 10H, 5 ticks before
HEAD = (PSB + b"\x99\x20\x7d\x00\x10\x40\0\0\0" + TSC + TMA + CBR + PSBEND)
ABORTED = (b"\x99\x21" + address(FUP, 0x1010) + b"\x06\x59\x12\x99\x22" +
           address(FUP, 0x1020) + address(TIP, 0x1030))
COMMITTED = (b"\x99\x21" + address(FUP, 0x1040) + b"\x06\x13\x99\x20" +
             address(FUP, 0x1050))
TRACE = HEAD + ABORTED + COMMITTED + OVF + address(FUP, 0x1060)


def summary():
    """Figures in all and by region, and what is lost, after the lines or alone;
    time by MTC (two ticks of CTC, of five each) and CYC (2 at half speed)."""
    wanted = [
        "# begins 2, commits 1, aborts 1: 50.00 % of those that end abort",
        "# region 0x0000000000401010: begins 1, commits 0, aborts 1 (100.00 %)",
        "# region 0x0000000000401040: begins 1, commits 1, aborts 0 (0.00 %)",
        "# lost: 1 overflows, 3 bytes passed over; 0 deviations, 2 errors"]
    status, lines, _ = decode(TRACE + b"\x02\x01\x06", "--summary")
    if status != 1 or lines != wanted:
        yield f"status {status}, {lines}"
    _, lines, _ = decode(TRACE, "--summary", "--tsx", "--time", "--art=10/2",
                         "--nominal=32")
    seen = [l.split("TSC ")[1] for l in lines if ", TSC " in l]
    if seen != ["4096", "4101", "4101", "4105", "4105"]:
        yield f"{lines}"
    if "# time in 2 transactions: 9 ticks of the TSC, 5 of them aborted" not in lines:
        yield f"{lines}"


def cyc(cycles):
    return bytes([(cycles & 31) << 3 | 7, cycles >> 5 << 1]) if cycles > 31 \
        else bytes([cycles << 3 | 3])


def clock():
    """An MTC each 64 ticks, and transactions between them, at 24.5 cycles to 32
    ticks, said to be 24 or 25: from the second MTC on within a tick or two, and
    never back."""
    for ratio in (24, 25):
        data = (PSB + TSC + b"\x02\x73\0\0\0\0\0\x02\x03%c\0" % ratio +
                PSBEND)
        true, cycles = [], 0
        for tick in range(8, 8000, 8):
            count = int(tick * 24.5 / 32) - cycles
            data += cyc(count)
            cycles += count
            if tick % 64 == 0:
                data += b"\x59%c" % (tick // 64 % 256)
            data += (b"\x99\x20" if tick % 16 == 0 else b"\x99\x21") + address(FUP, 1)
            true.append(4096 + tick)
        _, lines, _ = decode(data, "--tsx", "--time", "--art=64/1", "--nominal=32")
        seen = [int(l.split("TSC ")[1]) for l in lines]
        off = [abs(a - b) for a, b in zip(true, seen)]
        if len(seen) != len(true) or sorted(seen) != seen or max(off[16:]) > 2:
            yield f"ratio {ratio}: {seen[:40]}, {max(off[16:])} off"


def as_json():
    """What the lines say, by a reader of JSON."""
    _, lines, _ = decode(TRACE, "--tsx", "--json", "--summary")
    objects = [json.loads(line) for line in lines]
    if [o.get("transition") for o in objects] != [
            "state", "begin", "abort", "begin", "commit", "overflow", None]:
        yield f"{objects}"
    if objects[2] != {"offset": len(HEAD) + 8, "transition": "abort",
                      "ip": "0x401020", "target": "0x401030",
                      "region": "0x401010"}:
        yield f"{objects[2]}"
    if objects[-1]["regions"][0]["aborts"] != 1 or objects[-1]["overflows"] != 1:
        yield f"{objects[-1]}"
    _, lines, _ = decode(TRACE, "--json")
    _, plain, _ = decode(TRACE)
    objects = [json.loads(line) for line in lines]
    if [(o["offset"], o["packet"]) for o in objects] != [
            (int(l.split()[0], 16), l.split()[1]) for l in plain]:
        yield f"{objects}"
    _, lines, _ = decode(TRACE, "--json", "--count")
    if json.loads(lines[0])["fup"] != 6:
        yield f"{lines}"


def parts():
    """--from, --to and --only are those lines of all; --quiet is none."""
    for options in ((), ("--tsx",)):
        _, whole, _ = decode(TRACE, *options)
        _, some, _ = decode(TRACE, *options, "--from=0x30", "--to", "0x40")
        if not some or some != [l for l in whole if 0x30 <= int(l.split()[0], 16) < 0x40]:
            yield f"{options}: {some}"
    _, whole, _ = decode(TRACE)
    _, some, _ = decode(TRACE, "--only=tip,mode.tsx")
    if len(some) != 6 or some != [l for l in whole if l.split()[1] in ("tip", "mode.tsx")]:
        yield f"{some}"
    _, some, _ = decode(TRACE, "--tsx", "--only=begin")
    if [l.split()[1] for l in some] != ["begin"] * 2:
        yield f"{some}"
    for data, wanted in ((TRACE, 0), (TRACE + b"\x02\x01", 1)):
        if decode(data, "--quiet") != (wanted, [], []):
            yield f"--quiet: {decode(data, '--quiet')}"
    for words, wanted in ((("--from=5", "--to=5"), "nothing is from --from to --to"),
                          (("--only=",), "no name for --only"),
                          (("--only=tnt",), "no such name for --only: tnt")):
        status, lines, errors = decode(TRACE, *words)
        if status != 2 or lines or wanted not in errors[0]:
            yield f"{words}: status {status}, {lines}, {errors}"


def auxtrace(cpu, offset, data, thread=0):
    return struct.pack("<IHH", 71, 0, 48) + struct.pack(
        "<QQQIIiI", len(data), offset, 0, 0, thread, cpu, 0) + data


def perf_file(*records):
    data = b"".join(records)
    return b"PERFILE2" + struct.pack("<QQQQQQ", 104, 0, 0, 0, 104, len(data)) + \
        bytes(48) + data


INFO = struct.pack("<IHHIIQ", 70, 0, 24, 1, 0, 0)
OTHER = struct.pack("<IHHQ", 1, 0, 16, 0)


def perf():
    """Two CPUs, pieces that go on and snapshots that overlap; and a gap."""
    half = len(HEAD) + 20
    data = perf_file(INFO, OTHER, auxtrace(1, 0, TRACE[:half]),
                     auxtrace(0, 4096, TRACE), OTHER,
                     auxtrace(1, half - 7, TRACE[half - 7:]),
                     auxtrace(0, 1 << 20, HEAD))
    status, lines, errors = decode(data, "--tsx")
    _, whole, _ = decode(TRACE, "--tsx")
    if status or errors or lines != [
            "# cpu 0, from 0x1000"] + whole + ["# cpu 0, from 0x100000", whole[0],
            "# cpu 1, from 0x0"] + whole:
        yield f"status {status}, {lines}, {errors}"


def perf_threads():
    """Each thread has a buffer of its own, from offset 0 on; of a CPU's there is
    one, whichever thread is named."""
    half = len(HEAD) + 20
    data = perf_file(INFO, auxtrace(-1, 0, TRACE[:half], 812), auxtrace(-1, 0, HEAD, 77),
                     auxtrace(-1, half, TRACE[half:], 812), auxtrace(2, 0, TRACE[:half], 1),
                     auxtrace(2, half, TRACE[half:], 2))
    status, lines, errors = decode(data, "--tsx")
    _, whole, _ = decode(TRACE, "--tsx")
    if status or errors or lines != ["# thread 77, from 0x0", whole[0], "# thread 812, from 0x0",
                                     *whole, "# cpu 2, from 0x0", *whole]:
        yield f"status {status}, {lines}, {errors}"
    status, _, errors = decode(perf_file(INFO, auxtrace(-1, 0, b"\x06", 5)), "--tsx")
    if status != 1 or not errors[0].startswith("tsxpmu: FILE: thread 5: at 0x0: "):
        yield f"status {status}, {errors}"


def perf_refused():
    """Anything else is one clear line."""
    good = perf_file(INFO, auxtrace(0, 0, TRACE))
    for data, why in (
            (good[:-9], "is cut short"), (good[:20], "is cut short"),
            (perf_file(INFO, OTHER), "has no trace (AUXTRACE)"),
            (b"PERFILE2" + struct.pack("<Q", 16) + INFO * 9,
             "was written to a pipe (perf record -o FILE)"),
            (perf_file(), "has no data; was perf ended?"),
            (perf_file(struct.pack("<IHH", 81, 0, 8)),
             "is compressed (perf record without -z)"),
            (perf_file(struct.pack("<IHHIIQ", 70, 0, 24, 3, 0, 0)),
             "has a trace, but not of Intel PT"),
            (perf_file(INFO, struct.pack("<IHH", 1, 0, 4)),
             "has a record that is none")):
        status, lines, errors = decode(data, "--tsx")
        if status != 1 or lines or errors != [f"tsxpmu: FILE: perf.data {why}"]:
            yield f"{why}: status {status}, {lines}, {errors}"


def threads():
    """By a thread a processor, through a pipe, and by packets: one number. So
    too where bytes inside packets look like the PSB at which a part begins, and
    where there is damage; and the errors are those of one thread."""
    block = TRACE + b"\x06" * 400
    false_psb = b"\x02\x12" + PSB[:4] + b"\x02\x32" + PSB[:8]
    inner = b"\x02\xb2" + PSB[:8] + b"\x02\x82" * 4 + b"\x06" * 2
    size = 20 << 20
    for odd in (b"", false_psb, inner, b"\x02\x01"):
        middle = size // 2 // len(block)
        data = block * middle + odd * 40 + block * middle
        got = decode(data, "--count", memory=1 << 20)
        one = decode(data, "--count")
        packets = decode(data, "--count", "--from=1", memory=1 << 20)
        if got != one or got[1][-1] != one[1][-1] or not got[1]:
            yield f"{odd.hex()}: {got}, by one thread {one}"
        counts = [dict(l.split("\t") for l in lines) for _, lines, _ in (got, packets)]
        counts[1]["psb"] = str(int(counts[1]["psb"]) + 1)
        if counts[0] != counts[1]:
            yield f"{odd.hex()}: {counts}"
        if odd in (inner, b"\x02\x01"):
            yield from same_by_threads(data)
    begin, end = b"\x99\x21" + address(FUP, 0x1010), b"\x99\x20" + address(FUP, 9)
    yield from same_by_threads((begin + b"\x06" * 900 + PSB + begin + PSBEND +
                                end + b"\x06" * 900) * 15000)


def same_by_threads(data):
    """Transitions, complaints and status, of parts that begin inside and
    outside of transactions."""
    data = HEAD + data
    for options in (("--tsx",), ("--tsx", "--json", "--only=commit,overflow")):
        got = decode(data, *options, memory=1 << 20)
        if got != decode(data, *options) or len(got[1]) < 1000:
            yield f"{options}: status {got[0]}, {got[1][-2:]}, {got[2][-2:]}"


def behind_damage():
    """Transitions between an undefined opcode and the next PSB, wherever a
    block ends, and not before the first PSB; which bytes are passed over is
    said as ever."""
    full = b"\x6d" + struct.pack("<Q", 0x401000)[:6]
    ends = b"\x06" * 20 + full + (b"\x06\x83\x0a" * 20 + COMMITTED) * 3
    for pads in (0, (1 << 20) - len(HEAD) - 40):
        data = HEAD + bytes(pads) + b"\x02\x01"
        status, lines, errors = decode(data + ends + HEAD, "--tsx")
        if (status != 1 or len(errors) != 2 or "%d bytes passed" % (
                2 + len(ends)) not in errors[1] or [
                l.split()[1] for l in lines] != ["state"] + [
                "begin", "commit"] * 3 + ["state"]):
            yield f"{pads}: status {status}, {lines}, {errors}"
    _, lines, _ = decode(ends + HEAD, "--tsx")
    if len(lines) != 1:
        yield f"{lines}"


def run(result):
    result("tool: transitions behind damage", behind_damage())
    result("tool: a trace by threads", threads())
    result("tool: a trace in figures", summary())
    result("tool: time in a trace", clock())
    result("tool: a trace as JSON", as_json())
    result("tool: parts of a trace", parts())
    result("tool: traces in a file of perf", perf())
    result("tool: threads in a file of perf", perf_threads())
    result("tool: files of perf that are refused", perf_refused())
    result("tool: empty trace in a file of perf", refused(
        perf_file(INFO, auxtrace(0, 0, b"\x06")),
        "cpu 0: at 0x0: 1 bytes passed over: no PSB to the end", packets=1))
