# SPDX-License-Identifier: BSD-2-Clause
"""One thing goes wrong in each of many runs: the n-th access to an MSR faults, an
exception comes after the n-th, the n-th write to a file fails, or a processor
never comes up. Each run has to end by itself, with a whole report, and with the
machine as it was; what could not be restored has to be reported.
"""

import os
import re

import boots
import expected
import ktap

ROUND = re.compile(r"^# silicon: sweep: number (\d+) of (\d+) went wrong$", re.M)
CPU = "skylake-2018"
counts = {"runs": 0, "compared": 0}


def rounds(text):
    """(number, text of that run) of each."""
    start = 0
    text = text.replace("\r", "")
    for end in ROUND.finditer(text):
        yield int(end[1]), text[start:end.end()]
        start = end.end()
    if text.find(ktap.START, start) >= 0:
        yield 0, text[start:]


def swept(report, outcome):
    """Every run of a boot with sweep= is whole, and leaves all as found."""
    if outcome.failure:
        yield outcome.failure
    number = 0
    for number, text in rounds(outcome.text):
        one = ktap.Report(text)
        counts["runs"] += 1
        counts["compared"] += sum(
            int(n) for n in re.findall(r"(\d+) (?:MSRs|registers|pages)", text))
        for problem in one.problems:
            yield f"number {number}: {problem}"
        if not re.search("not restored|restored to", one.text):
            for problem in one.not_restored:
                yield f"number {number}: {problem}"
    if number == 0:
        yield "the last run did not end"


# The first accesses identify the processor before there are jobs; an exception
# there is one line and a reset.
FIRST = {"msr": 1, "exception": 8, "write": 1}


def sweep(kind, tests, step):
    return boots.Boot(f"sweep of {kind}, {tests}, each {step}", swept,
                      {"cpu": CPU, "sweep": kind, "sweep_step": step,
                       "sweep_first": FIRST[kind], "memory": "off"},
                      f"tests={tests} trials=1", timeout=3600)


def lost(processor, processors):
    def want(report, outcome):
        yield from boots.complete(report, outcome)
        if not re.search(rf"processor {processor} .*(never|not answer)",
                         report.text):
            yield f"processor {processor} is not reported as lost"
    return boots.Boot(f"processor {processor} of {processors} never comes up",
                      want, {"cpu": CPU, "lost": processor},
                      "tests=counter3* trials=5", smp=processors)


def sample():
    """A few of each, for every run of the checks."""
    yield sweep("msr", "pebs_tsc", 16)
    yield sweep("msr", "force_abort_thread_scope", 16)
    yield sweep("exception", "tsx_commit", 16)
    yield sweep("exception", "pt_rtm_commit", 16)
    yield sweep("write", "force_abort_enumeration", 1)
    yield lost(1, 4)


def everything():
    """Each access of each test that runs there, or each STEP-th."""
    step = int(os.environ.get("STEP") or 1)
    for kind in ("msr", "exception"):
        for test in expected.tests_of(CPU, "on"):
            yield sweep(kind, test, step)
    yield sweep("write", "force_abort_enumeration", 1)
    for processor in (1, 2, 3):
        yield lost(processor, 4)
