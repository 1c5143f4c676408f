#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""build/tsxpmu on a trace in a file that has been read before: by one thread
and by one for each of two processors, in turn. What both print is the same, or
the program ends. Run by `make bench`.

Ratios: of time by the clock, which other work on the machine makes less; and of
processor time, that of one thread to half of that of both.

usage: tests/bench/threads.py TRACE
"""

import os
import statistics
import subprocess
import sys
import time

TOOL = "build/tsxpmu"
ROUNDS = 9


def run(words, processors, out):
    """Seconds by the clock, seconds of processors."""
    with subprocess.Popen([TOOL, "decode", "pt", *words], stdout=out, preexec_fn=lambda:
                          os.sched_setaffinity(0, processors)) as process:
        start = time.monotonic()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        sys.exit(f"{words}: status {status}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime


def same(words, sets):
    """By each set of processors the same is printed."""
    printed = []
    for processors in sets:
        out = os.memfd_create("out")
        run(words, processors, out)
        os.lseek(out, 0, os.SEEK_SET)
        with os.fdopen(out, "rb") as file:
            printed.append(file.read())
    if printed[0] != printed[1] or not printed[0]:
        sys.exit(f"{words}: not the same by one thread and by two")


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip())
        return 64
    both = sorted(os.sched_getaffinity(0))[:2]
    if len(both) < 2:
        print("threads               not measured: one processor")
        return 0
    sets = [set(both[:1]), set(both)]
    for what in ("--tsx", "--count"):
        words = [sys.argv[1], what]
        same(words, sets)
        clock, used, speed = [], [], []
        for _ in range(ROUNDS):
            (alone, cost), (pair, costs) = [
                run(words, processors, subprocess.DEVNULL) for processors in sets]
            clock.append(alone / pair)
            used.append(2 * cost / costs)
            speed.append(os.path.getsize(sys.argv[1]) / cost / 1e6)
        print(f"{what:<22} {statistics.median(speed):7.1f} MB/s a thread; by two, ratio "
              f"{statistics.median(clock):.2f} ({min(clock):.2f} to {max(clock):.2f}) "
              f"by the clock, {statistics.median(used):.2f} by processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
