#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The files of lab/, with QEMU as the machine: a job of LAVA, a test of labgrid,
and network boot beside a DHCP server that knows nothing of it. What each says is
compared with the report. Needs root and the packages of `scripts/setup lab-test`."""

import collections
import os
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree

import yaml  # type: ignore[import]

import ktap
import qemu

BUILD = "build"
SECONDS = 600
LAVA_OF = {"PASS": "pass", "FAIL": "fail", "SKIP": "skip", "ERROR": "unknown"}
# Every verdict there is.
RUNS = {
    "PASS, SKIP, KNOWN": ("cpu=haswell-real\nseed=2\n", "counter_*,pebs_e*"),
    "PASS, FAIL, ERROR": ("cpu=skylake-2018\nfault=msr_gp_surprise\n",
                          "force_abort_e*,counter3_counts_alone"),
    "FAIL": ("cpu=skylake-2018\nfault=force_abort_lets_commit\n", "force_abort_a*"),
}


def config_text(machine, tests):
    return f"{machine}options=countdown=0 exit=poweroff trials=5 tests={tests}\n"


def files(directory, machine, tests):
    """Paths of a stick with the simulated processor, and of its configuration."""
    stick, config = f"{directory}/stick.img", f"{directory}/config"
    shutil.copy(f"{BUILD}/silicon.img", stick)
    with open(config, "w", encoding="ascii") as file:
        file.write(config_text(machine, tests))
    return stick, config


def lava(machine, tests):
    """The job as it is, with these files."""
    with tempfile.TemporaryDirectory() as directory:
        stick, config = files(directory, machine, tests)
        with open("lab/lava/job.yaml", encoding="ascii") as file:
            job = file.read()
        with open(f"{directory}/job.yaml", "w", encoding="ascii") as file:
            file.write(job.replace("url: IMAGE", f"url: file://{stick}")
                       .replace("url: CONFIG", f"url: file://{config}"))
        run = subprocess.run(
            ["lava-run", "--job-id", "1", "--output-dir", f"{directory}/out", "--device",
             "lab/lava/qemu.yaml", f"{directory}/job.yaml"], check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    said = [yaml.load(line, yaml.BaseLoader) for line in run.stdout.splitlines()
            if line.startswith("{")]
    printed = "".join(line["msg"] + "\n" for line in said if line["lvl"] == "target")
    report = ktap.Report(printed)
    found = collections.defaultdict(dict)
    for line in said:
        if line["lvl"] == "results":
            found[line["msg"]["definition"]][line["msg"]["case"]] = line["msg"]["result"]
    if run.returncode or found["lava"].get("job") != "pass":
        yield f"status {run.returncode}: {run.stdout[-500:]}"
    wanted = {name: LAVA_OF[verdict] for name, verdict in report.results.items()
              if verdict != "KNOWN"}
    if not wanted or found["tsxpmu"] != wanted:
        yield f"LAVA has {found['tsxpmu']}, the report {wanted}"
    if set(found["tsxpmu-known"]) != set(report.with_verdict("KNOWN")):
        yield f"KNOWN are {report.with_verdict('KNOWN')}, LAVA has {found['tsxpmu-known']}"


def labgrid(machine, tests):
    """The test as it is; its results by JUnit."""
    with tempfile.TemporaryDirectory() as directory:
        stick, config = files(directory, machine, tests)
        run = subprocess.run(
            ["pytest-3", "-q", "-p", "no:cacheprovider", "--junitxml", f"{directory}/junit",
             "--lg-env", "lab/labgrid/qemu.yaml", "lab/labgrid/test_tsxpmu.py"],
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=SECONDS, env={**os.environ, "LG_STICK": stick, "LG_CONFIG": config,
                                  "TSXPMU_REPORT": f"{directory}/report"})
        with open(f"{directory}/report", encoding="latin-1") as file:
            report = ktap.Report(file.read())
        suite = next(xml.etree.ElementTree.parse(f"{directory}/junit").iter("testsuite"))
    kinds = collections.Counter(report.results.values())
    bad = kinds["FAIL"] + kinds["ERROR"]
    kept = kinds["SKIP"] + kinds["KNOWN"]
    if not report.results or report.problems:
        yield f"no whole report: {report.problems} {run.stdout[-500:]}"
    if (run.returncode != 0) != (bad != 0):
        yield f"status {run.returncode}, but {bad} tests failed"
    if int(suite.get("failures")) != bad or int(suite.get("skipped")) != kept:
        yield (f"pytest counts {suite.get('failures')} failed and {suite.get('skipped')} "
               f"skipped, the report {bad} and {kept}")


# A network of its own: a lab's server and the machine on a bridge, and, behind a
# pair of cards, a DHCP server that knows nothing of booting.
NETWORK = """
exec 2>&1
ip link set lo up
ip link add br0 type bridge
ip addr add 10.77.0.2/24 dev br0
ip link set br0 up
ip tuntap add tap0 mode tap
ip link set tap0 master br0 up
ip link add here type veth peer name there
unshare --net sleep 1000 &
dhcp=$!
until [ -e /proc/$dhcp/ns/net ] &&
      [ "$(readlink /proc/$dhcp/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
ip link set there netns $dhcp
ip link set here master br0 up
nsenter -t $dhcp -n sh -c 'ip addr add 10.77.0.1/24 dev there; ip link set there up'
nsenter -t $dhcp -n dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 \
    --interface=there --dhcp-range=10.77.0.100,10.77.0.200 --dhcp-leasefile=/dev/null \
    --pid-file= --user=root >/dev/null &
dnsmasq --keep-in-foreground --conf-file=lab/network/dnsmasq.conf --interface=br0 \
    --dhcp-range=10.77.0.0,proxy --pid-file= --user=root $MORE >$LOG &
in.tftpd --foreground --listen --address 10.77.0.2:69 --user root --create --secure $FILES &
exec "$@"
"""
CARD = "52:54:00:77:00:05"


def network(text, more=(), **others):
    """(report, the names of the files that the server then has and their texts)."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(f"{BUILD}/tsxpmu.efi", directory)
        shutil.copy("lab/network/tsxpmu.ipxe", directory)
        shutil.copy("/usr/lib/ipxe/snponly.efi", directory)
        with open(f"{directory}/tsxpmu.cfg", "w", encoding="ascii") as file:
            file.write(text)
        machine = qemu.Machine("", cpu="qemu64,vendor=GenuineIntel", icount=False, extra=(
            "-netdev", "tap,id=net,ifname=tap0,script=no,downscript=no",
            # The card's own iPXE would be the firmware's network.
            "-device", f"virtio-net-pci,netdev=net,mac={CARD},romfile=",
            "-device", "virtio-rng-pci"), **others)
        run = subprocess.run(
            ["unshare", "--net", "--mount", "--mount-proc", "--pid", "--fork", "--kill-child",
             "sh", "-c", NETWORK, "sh", *machine.command(directory, None)],
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
            env={**os.environ, "FILES": directory, "LOG": f"{directory}/log",
                 "MORE": " ".join(more)})
        found = {}
        for name in os.listdir(directory):
            if name.endswith(".log"):
                with open(f"{directory}/{name}", encoding="latin-1") as file:
                    found[name] = file.read()
    return run.stdout.decode("latin-1"), found


def by_network():
    """Options from the server, the report to it."""
    text, found = network("tests=pebs_decode_golden,pt_decode_golden countdown=0 "
                          "exit=poweroff send=tftp\n")
    report = ktap.Report(text)
    yield from report.problems
    if set(report.results.values()) != {"PASS"} or len(report.results) != 2:
        yield f"results: {report.results} {text[-500:]}"
    name = f"tsxpmu-{CARD.replace(':', '')}.log"
    if ktap.Report(found.get(name, "")).body != report.body or not report.body:
        yield f"{name} on the server is not the report: {list(found)}"
    if f"tsxpmu: the report is on the TFTP server: {name}" not in text:
        yield "it does not say where the report is"


def by_ipxe():
    """The script gives options and the machine's name; iPXE writes nothing."""
    text, found = network("send=tftp tests=pebs_decode_golden\n",
                          ["--pxe-service=tag:!ipxe,X86-64_EFI,iPXE,snponly.efi"])
    report = ktap.Report(text)
    yield from report.problems
    if not re.search(rf"^# options: .*machine={CARD.replace(':', '')}", report.text, re.M):
        yield f"no options by the script: {text[-800:]}"
    if found or "tsxpmu: the report was not sent: " not in text:
        yield f"files {list(found)}, or nothing is said of the report"


def run(result):
    for what, (machine, tests) in RUNS.items():
        result(f"lab: LAVA: {what}", lava(machine, tests))
        result(f"lab: labgrid: {what}", labgrid(machine, tests))
    result("lab: network boot: options from the server, the report to it", by_network())
    result("lab: network boot: iPXE", by_ipxe())
