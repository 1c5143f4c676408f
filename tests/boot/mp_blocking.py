# SPDX-License-Identifier: BSD-2-Clause
"""Firmware that refuses MP services in non-blocking mode (mp=blocking):
processors run one after another. What needs several at the same time is SKIP,
all else passes as it does elsewhere. And processors that firmware times out.
"""

import sweep
import usage
from boots import Boot, all_of, clean, complete, has, lacks, restored, table, verdicts

NEEDS_TWO = {"hle_lock_unseen", "pebs_tx_conflict", "tsx_conflict_read",
             "tsx_conflict_retry", "tsx_conflict_write", "tsx_lock_elision"}
WHY = "needs two processors at the same time; firmware lets jobs only follow"
TRIALS = 10  # fewer, and some tests have too few for a verdict


def mp_blocking(row):
    """What passes is what runs.txt says, but for those that need two at once;
    these are SKIP, with that reason."""
    passing = set(row[2:]) - NEEDS_TWO

    def want(report, outcome):
        got = set(report.with_verdict("PASS"))
        for name in sorted(passing ^ got):
            yield name + (" did not pass" if name in passing
                          else " passed: it was not expected to run")
        for name in sorted(NEEDS_TWO & set(row[2:])):
            if f" - {name} # SKIP {WHY}" not in report.text:
                yield f"{name} does not say that it needs two at once"
    return all_of(clean, want, lacks("^# silicon: error"),
                  has("^# warning: MP services refuse"),
                  has("^# processors: .* one after another$"),
                  has("^# silicon: left as found"))


def never_returns(how, answers, config):
    """The processor does not answer, its tests are ERROR, and what it may write
    to is not given back: the machine is reset. silicon.efi, which would compare,
    does not run again."""
    tests = ("counter3_counts_alone", "tsx_commit", "uncore_pmi")
    return Boot(f"a processor never comes back, {how}: the machine is reset",
                all_of(complete, has(answers),
                       has("^tsxpmu: a processor is stuck in a test: reset"),
                       lacks("^# silicon: (left as found|compared|error)"),
                       verdicts(dict.fromkeys(tests, "ERROR"))),
                {"cpu": "skylake-2018", "stuck": 1} | config,
                f"tests={','.join(tests)} trials=2")


def personalities():
    """Each personality once, with SMT and without in alternation."""
    rows = {}
    for row in table("runs.txt"):
        rows.setdefault(row[0], []).append(row)
    for number, (cpu, of_cpu) in enumerate(rows.items()):
        row = of_cpu[number % len(of_cpu)]
        yield Boot(f"MP services blocking, {cpu} smt={row[1]}", mp_blocking(row),
                   {"cpu": cpu, "smt": row[1], "mp": "blocking"},
                   f"trials={TRIALS}")
    row = rows["skylake-2018"][0]
    yield Boot("MP services blocking, 4 processors", mp_blocking(row),
               {"cpu": row[0], "smt": row[1], "mp": "blocking"},
               f"trials={TRIALS}", smp=4)


def boots():
    yield from personalities()
    yield never_returns("and firmware ends it", "processor 1 did not answer in 10 s",
                        {"mp": "blocking"})
    yield never_returns("nor up", "processor 1 never came up", {})
    yield Boot(
        "MP services blocking, a processor that firmware does not start",
        all_of(restored, has("processor 1 never came up"),
               verdicts({"counter3_counts_alone": "ERROR"})),
        {"cpu": "skylake-2018", "mp": "blocking", "lost": 1},
        "tests=counter3_counts_alone trials=2")
    # Also while firmware waits for the other processor.
    yield Boot("MP services blocking, a long test: ticks", all_of(clean, usage.ticks),
               {"cpu": "skylake-2018", "mp": "blocking"},
               "tests=counter3_counts_alone trials=8000")
    # A job that an exception ends has left a trace, or counters, on.
    for test, step in (("pt_rtm_commit", 11), ("counter3_counts_alone", 7)):
        one = sweep.sweep("exception", test, step)
        one.config["mp"] = "blocking"
        one.name += ", MP services blocking"
        yield one
