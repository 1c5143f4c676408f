# SPDX-License-Identifier: BSD-2-Clause
"""Firmware that refuses MP services in non-blocking mode (mp=blocking):
processors run one after another. What needs several at the same time is SKIP,
all else passes as it does elsewhere. And processors that firmware times out.
"""

import expected
import sweep
import usage
from boots import Boot, all_of, clean, complete, has, lacks, restored, verdicts

NEEDS_TWO = set(expected.needing("parallel"))
WHY = "needs two processors at the same time; firmware lets jobs only follow"
TRIALS = 10  # fewer, and some tests have too few for a verdict


def mp_blocking(tests):
    """What passes is what passes elsewhere, but for those that need two at once;
    these are SKIP, with that reason."""
    passing = set(tests) - NEEDS_TWO

    def want(report, outcome):
        got = set(report.with_verdict("PASS"))
        for name in sorted(passing ^ got):
            yield name + (" did not pass" if name in passing
                          else " passed: it was not expected to run")
        for name in sorted(NEEDS_TWO & set(tests)):
            if f" - {name} # SKIP {WHY}" not in report.text:
                yield f"{name} does not say that it needs two at once"
    return all_of(clean, want, lacks("^# silicon: error"),
                  has("^# warning: MP services refuse"),
                  has("^# processors: .* one after another(; |$)"),
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


def personalities(part):
    """Each personality once, with SMT and without in alternation: all its tests. Of a
    part one for every other suite."""
    settings = list(expected.alternating().items())
    for n in range(len(settings) if part is None else len(expected.SUITES)):
        cpu, smt = settings[(n if part is None else n * len(expected.SUITES) + part)
                            % len(settings)]
        suite = expected.suite(n, part)
        if not expected.drawn(n, part):
            continue
        yield Boot(f"MP services blocking, {cpu} smt={smt}: {suite}",
                   mp_blocking(expected.of_suite(suite, expected.tests_of(cpu, smt))),
                   {"cpu": cpu, "smt": smt, "mp": "blocking"},
                   f"trials={TRIALS} tests={suite}")
    suite = expected.suite(3, part)
    yield Boot(f"MP services blocking, 4 processors: {suite}",
               mp_blocking(expected.of_suite(suite, expected.tests_of("skylake-2018", "on"))),
               {"cpu": "skylake-2018", "smt": "on", "mp": "blocking"},
               f"trials={TRIALS} tests={suite}", smp=4)


def boots():
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
               "tests=counter3_counts_alone trials=4000")
    # A job that an exception ends has left a trace, or counters, on.
    for test, step in (("pt_rtm_commit", 11), ("counter3_counts_alone", 17)):
        one = sweep.sweep("exception", test, step)
        one.config["mp"] = "blocking"
        one.name += ", MP services blocking"
        yield one
