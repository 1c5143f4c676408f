# SPDX-License-Identifier: BSD-2-Clause
"""What a new user meets: scripts/setup on a machine that lacks something, what
make refuses, and `make run` without rights."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile

import kvm


def setup(fakes, words=("run",), path="/usr/bin:/bin"):
    """scripts/setup where PATH begins with these scripts, by name."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in fakes.items():
            with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n" + text + "\n")
            os.chmod(file.name, 0o755)
        return subprocess.run(["/bin/sh", "scripts/setup", *words], check=False,
                              env={"PATH": f"{directory}:{path}"}, timeout=60,
                              capture_output=True, text=True)


def without_rights():
    """No root, no sudo, nothing there: one line, and nothing is tried."""
    with tempfile.TemporaryDirectory() as tools:
        os.symlink(shutil.which("sh"), tools + "/sh")
        run = setup({"id": "echo 1000", "apt-get": "echo tried"}, path=tools)
    if (run.returncode != 1 or run.stdout or run.stderr.count("\n") != 1
            or not run.stderr.startswith("setup: needs root, or sudo, to install: gcc ")):
        yield f"status {run.returncode}: {run.stdout}{run.stderr}"


def all_there():
    """Nothing is done, without sbin in PATH."""
    for words in (("run",), ("test",), ()):
        run = setup({"sudo": "echo tried", "apt-get": "echo tried"}, words)
        if run.returncode or "tried" in run.stdout or run.stderr:
            yield f"{words}: status {run.returncode}: {run.stdout}{run.stderr}"


def unknown_version():
    run = setup({"qemu-system-x86_64": "echo QEMU emulator version 6.1.0"})
    if run.returncode or run.stdout.count("\n") != 1 or not (
            "with QEMU 6.1.0; known to work: Debian 12 and 13" in run.stdout):
        yield f"status {run.returncode}: {run.stdout}{run.stderr}"


# Goal, variable, value; what the line says is valid.
REFUSED = (
    ("run", "CPU", "sky%", "none"), ("run", "FAULT", "bogus", "msr_gp_surprise"),
    ("run", "SMT", "maybe", "on off"), ("run", "SEED", "abc", "up to 19 digits"),
    ("run", "SEED", "1" * 20, "up to 19 digits"), ("run", "SMP", "0", "1 to 64"),
    ("run", "SMP", "1000", "1 to 64"), ("run", "SMP", "", "1 to 64"),
    ("run", "TRIALS", "-1", "up to 9 digits"), ("run", "ACCEL", "xen", "tcg kvm"),
    ("run", "TESTS", "pebs_tsc,nothing_like*", "make list has them"),
    ("soak", "TRIALS", "many", "up to 9 digits"), ("soak", "SOLD", "3", "1,2,4 or some of them"),
    ("soak", "FROM", "0", "1 and more"), ("soak", "JOBS", "many", "1 to 64"),
    ("faults", "TESTS", "nothing_like*", "make list has them"),
    ("faults", "TESTS", "lbr", "make list has them"),
    ("powercut", "KILLS", "0", "1 and more"),
    ("powercut", "SEED", "1.5", "up to 19 digits"),
    ("sweep", "STEP", "0", "1 and more"),
    ("linux", "KERNEL", "Makefile", "an EFI stub"),
    ("linux", "KERNEL", "no such file", "an EFI stub"),
    ("distributions", "ONLY", "bogus", "trixie"),
    ("distributions", "GOAL", "clean", "run test"),
    ("new-test", "ROOM", "bogus", "counting hle lbr memory"),
    ("new-test ROOM=pebs", "NAME", "Pebs-New", "small letters"),
    ("new-test ROOM=pebs", "NAME", "pebs", "small letters"),
    ("new-test ROOM=tsx", "NAME", "pebs_reload", "src/cases/pebs/pebs_reload.c"))
TAKEN = (("run", "SMP", "64"), ("run", "SEED", "0"), ("run", "TRIALS", "0"),
         ("run", "TESTS", "counter3_*,*_tsc,pebs_*_layout"), ("run", "CPU", "none"),
         ("run", "TESTS", "lbr,counter3,parsers"),
         ("soak", "TRIALS", "7"), ("soak", "SOLD", "1,2"), ("faults", "FAULTS", "pt_*"), ("mutants", "ROOM", "pebs"), ("powercut", "KILLS", "3"), ("sweep", "STEP", "9"),
         ("distributions", "ONLY", "noble"), ("new-test ROOM=pebs", "NAME", "pebs_new"))


def make(goal, name, value):
    """What would be done, and printed, for this; nothing is done."""
    return subprocess.run(["make", "-n", *goal.split(), f"{name}={value}"], check=False,
                          env={"PATH": os.environ["PATH"], "NO_HEADERS": "1"}, timeout=60,
                          capture_output=True, text=True)


def refused(goal, name, value, valid):
    run = make(goal, name, value)
    if (run.returncode != 2 or run.stdout or run.stderr.count("\n") != 1
            or f'{name} "{value.split(",")[-1]}"; ' not in run.stderr
            or valid not in run.stderr):
        yield f"status {run.returncode}: {run.stdout[:200]}{run.stderr}"


def taken():
    for goal, name, value in TAKEN:
        run = make(goal, name, value)
        if run.returncode or run.stderr:
            yield f"{goal} {name}={value}: {run.stderr}"


def new_test():
    """The file that make writes for a beginner compiles, and has its row."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(".", copy, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("build", ".git"))
        for words in (["new-test", "NAME=pebs_new_one", "ROOM=pebs"],
                      ["build/bare/src/cases/pebs/pebs_new_one.c.o"]):
            run = subprocess.run(["make", "-s", *words], check=False, cwd=copy,
                                 env={"PATH": os.environ["PATH"]}, timeout=120,
                                 capture_output=True, text=True)
            if run.returncode or run.stderr:
                yield f"{words[0]}: status {run.returncode}: {run.stderr}"
        with open(f"{copy}/tests/boot/runs.txt", encoding="ascii") as file:
            if not re.search("^pebs_new_one +x x ", file.read(), re.M):
                yield "pebs_new_one has no row in runs.txt"


def unprivileged(directory):
    """Who runs it there: root is an ordinary user for this."""
    if os.geteuid():
        return {}
    user = pwd.getpwnam("nobody")
    subprocess.run(["chown", "-R", f"{user.pw_uid}:{user.pw_gid}", directory],
                   check=True)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def run_without_rights():
    """`make run` of a user who has no sbin in PATH, in a copy of the tree whose
    objects are there: one that passes, one that fails."""
    with tempfile.TemporaryDirectory() as directory:
        copy = directory + "/tsxpmu"
        shutil.copytree(".", copy, ignore=shutil.ignore_patterns("build", ".git"))
        for objects in ("bare", "gen"):
            shutil.copytree(f"build/{objects}", f"{copy}/build/{objects}")
        who = unprivileged(directory)
        for words, status, end in (
                ((), 0, "pass=1 fail=0 error=0 skip=0 known=0"),
                (("FAULT=tfa_readable_unenumerated", "CPU=skylake-2017"), 2,
                 "pass=0 fail=1 error=0 skip=0 known=0")):
            run = subprocess.run(
                ["make", "run", "TESTS=force_abort_enumeration", *words],
                check=False, cwd=copy, **who, timeout=300, text=True,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if run.returncode != status or f"\n# END {end} crc=" not in run.stdout:
                yield f"status {run.returncode}, wanted {status}: " + run.stdout[-500:]


def jobs():
    yield "make run without root, sudo and sbin in PATH", run_without_rights


def run_host(result):
    """What needs no boot."""
    result("setup: no rights to install: one line", without_rights())
    result("setup: all is there: nothing is done", all_there())
    result("setup: another QEMU: one line says which are known", unknown_version())
    for row in REFUSED:
        result(f'make: {row[0]} {row[1]}="{row[2]}" is refused', refused(*row))
    if kvm.refusal():
        result("make: ACCEL=kvm is refused where KVM cannot",
               refused("run", "ACCEL", "kvm", kvm.refusal()))
    result("make: values at the edges are taken", taken())
    result("make new-test: what it writes compiles", new_test())
