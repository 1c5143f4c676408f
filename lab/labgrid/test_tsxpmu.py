# SPDX-License-Identifier: BSD-2-Clause
"""A run of tsxpmu on a machine of labgrid: its power is switched on, its serial
port followed to the end of the report; each result of the report is one of
pytest. SKIP and KNOWN (as xfail, with the erratum) are kept apart.

    pytest-3 --lg-env qemu.yaml test_tsxpmu.py
"""

import os
import sys

import pexpect
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests"))

import ktap

# tsxpmu prints a line at least every ten seconds: after a minute without any the
# machine hangs. The first takes as long as its firmware does.
SILENCE_S = 60
FIRMWARE_S = 300


@pytest.fixture(name="report", scope="session")
def fixture_report(target):
    """ktap.Report of the run."""
    power = target.get_driver("PowerProtocol")
    console = target.get_driver("ConsoleProtocol")
    power.on()
    lines = []
    try:
        console.expect("KTAP version 1\r*\n", timeout=FIRMWARE_S)
        while not lines or not lines[-1].startswith("# END "):
            _, before, _, _ = console.expect("\r*\n", timeout=SILENCE_S)
            lines.append(before.decode("latin-1"))
    except pexpect.TIMEOUT:
        pytest.fail(f"the machine is silent; its last line: {(lines or ['none'])[-1]}")
    finally:
        power.off()
        if "TSXPMU_REPORT" in os.environ:
            with open(os.environ["TSXPMU_REPORT"], "w", encoding="latin-1") as file:
                file.write("\n".join(["KTAP version 1", *lines, ""]))
    return ktap.Report(ktap.START + "\n".join([*lines, ""]))


def test_whole(report):
    """The report: plan, results, END and its CRC agree."""
    assert not report.problems


def test_results(report, subtests):
    """Each test of tsxpmu."""
    for result, _ in ktap.results(report.body):
        with subtests.test(result.name):
            if result.verdict == "SKIP":
                pytest.skip(result.reason)
            if result.verdict == "KNOWN":
                pytest.xfail(result.reason)
            assert result.verdict == "PASS", result.reason or "see its lines in the report"
