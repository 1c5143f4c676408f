#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The README's commands on clean systems: a root by debootstrap, in it a user
with sudo but no sbin in PATH, and a clone of what is committed; `make run`
there. The last lines are a table. Needs root, and a network."""

import argparse
import collections
import dataclasses
import os
import re
import signal
import subprocess
import sys
import time

import ktap

import figures

FOLDER = "build/distributions"  # a root is there while it is used, the logs stay
KEYRINGS = "/usr/share/keyrings"
UBUNTU_KEYS = "ubuntu-keyring"  # the package
ROOT_SECONDS = 600
GOAL_SECONDS = {"run": 1200, "test": 5400}
PROGRESS_SECONDS = 60  # so often, while nothing else is printed


@dataclasses.dataclass
class Distribution:
    title: str
    suite: str
    origin: str  # as apt names whose packages a mirror has
    components: str
    script: str  # debootstrap's, which may not know the suite yet

    def mirror(self):
        """By the environment, else as apt of this machine, else "": debootstrap
        has one of its own."""
        named = os.environ.get(self.origin.upper() + "_MIRROR")
        return named or mirrors().get(self.origin, "")


DISTRIBUTIONS = [
    Distribution("Debian 12", "bookworm", "Debian", "main", "sid"),
    Distribution("Debian 13", "trixie", "Debian", "main", "sid"),
    Distribution("Ubuntu 24.04", "noble", "Ubuntu", "main,universe", "gutsy")]

Row = collections.namedtuple("Row", "title qemu gcc result seconds good")

BOOTSTRAP = """
scripts=/usr/share/debootstrap/scripts
exec debootstrap --variant=minbase "--keyring=$1" "--components=$2" \
    "--include=$3" $4 "$5" "$6" "$7" "$scripts/$8"
"""
# One file of a package.
UNPACK = """
dpkg-deb --fsys-tarfile "$1"/var/cache/apt/archives/"$2"_*.deb >"$1/files.tar"
tar -xOf "$1/files.tar" ".$3" >"$4"
"""
# What a user has before the README's first command.
USER = """
chroot "$1" useradd --create-home user
echo 'user ALL=(ALL) NOPASSWD: ALL' >"$1/etc/sudoers.d/user"
git clone -q --no-hardlinks . "$1/home/user/tsxpmu"
chroot "$1" chown -R user: /home/user
"""
GOAL = """
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot --userspec=user:user "$1" env -i HOME=/home/user USER=user \
    PATH=/usr/local/bin:/usr/bin:/bin make -C /home/user/tsxpmu "$2"
"""
VERSIONS = """
chroot "$1" qemu-system-x86_64 --version | sed -n '1s/.*version \\([0-9.]*\\).*/\\1/p'
chroot "$1" gcc -dumpfullversion
"""


class Skipped(Exception):
    """There is no such system to be had here."""


class Failed(Exception):
    """What went wrong."""


def mirrors():
    """By origin, where apt of this machine has packages from."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(SUITE)|$(REPO_URI)",
         "Created-By: Packages"], check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split("|") for line in targets.stdout.splitlines()]
    return {origin: uri for origin, suite, uri in rows if "security" not in suite}


def last_line(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1] if lines else "nothing"


def end(process):
    """unshare ends when all processes of its child's namespace have."""
    if process.poll() is None:
        path = f"/proc/{process.pid}/task/{process.pid}/children"
        with open(path, encoding="ascii") as file:
            first = file.read().split()
        os.kill(int((first or [process.pid])[0]), signal.SIGKILL)
        process.wait()


def isolated(script, words, log, seconds):
    """Its status; None: it took longer. Mounts and processes are its own: none
    outlives it, nor it this program, whatever ends it."""
    with open(log, "ab") as file:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid",
             "--fork", "--kill-child", "sh", "-euc", script, "sh", *words],
            stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
    try:
        for left in range(seconds, 0, -PROGRESS_SECONDS):
            if left < seconds:
                print(f"  at most {left} s more; last printed: {last_line(log)}",
                      flush=True)
            try:
                return process.wait(min(PROGRESS_SECONDS, left))
            except subprocess.TimeoutExpired:
                pass
        return None
    finally:
        end(process)


def remove(root):
    subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


def bootstrap(distribution, keyring, packages, option, root, log):
    remove(root)
    words = [keyring, distribution.components, packages, option, distribution.suite,
             root, distribution.mirror(), distribution.script]
    status = isolated(BOOTSTRAP, words, log, ROOT_SECONDS)
    last = last_line(log)
    if "Failed getting release" in last or status is None and "Retrieving" in last:
        raise Skipped(f"no mirror answers: {last}")
    if status != 0:
        raise Failed(f"debootstrap: {last}")


def keyring(distribution, log):
    """What its packages are signed with. Ubuntu's is not on every Debian; that
    of Debian 13 has it in a package."""
    path = f"{KEYRINGS}/{distribution.origin.lower()}-archive-keyring.gpg"
    if os.path.exists(path):
        return path
    root, fetched = f"{FOLDER}/keys", f"{FOLDER}/{os.path.basename(path)}"
    try:
        bootstrap(DISTRIBUTIONS[1], f"{KEYRINGS}/debian-archive-keyring.gpg",
                  UBUNTU_KEYS, "--download-only", root, log)
        if isolated(UNPACK, [root, UBUNTU_KEYS, path, fetched], log, 60):
            raise Failed(last_line(log))
    finally:
        remove(root)
    return fetched


def outcome(goal, text):
    """The result that the run prints."""
    ends = ([ktap.end_line(text)] if goal == "run" else
            re.findall(r"^\d+ passed, \d+ failed$", text, re.M))
    bad = ktap.failures(text)
    bad += re.findall(r"^run: (?!\d)(.*)|^FAILED  (.*)", text, re.M)
    return "; ".join(["".join(part) for part in ends[-1:] + bad]) or "no result"


def run(distribution, goal):
    """A row of the table."""
    log = f"{FOLDER}/{distribution.suite}.log"
    root = f"{FOLDER}/{distribution.suite}"
    start = time.monotonic()
    qemu = gcc = "-"
    open(log, "wb").close()
    try:
        print(f"{distribution.title}: a root, in at most {ROOT_SECONDS} s", flush=True)
        bootstrap(distribution, keyring(distribution, log), "make,git,sudo", "",
                  root, log)
        if isolated(USER, [root], log, 60):
            raise Failed(last_line(log))
        limit = GOAL_SECONDS[goal]
        print(f"{distribution.title}: make {goal}, in at most {limit} s", flush=True)
        status = isolated(GOAL, [root, goal], log, limit)
        with open(log, encoding="utf-8", errors="replace") as file:
            result = outcome(goal, file.read())
        versions = subprocess.run(["sh", "-c", VERSIONS, "sh", root], check=False,
                                  stdout=subprocess.PIPE, text=True)
        qemu, gcc = (versions.stdout.split() + ["-", "-"])[:2]
        result += {None: f"; still running after {limit} s", 0: ""}.get(
            status, f"; exit status {status}")
    except Skipped as why:
        status, result = 0, f"SKIP: {why}"
    except Failed as why:
        status, result = 1, str(why)
    finally:
        remove(root)
    return Row(distribution.title, qemu, gcc, result,
               f"{time.monotonic() - start:.0f}", status == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[d.suite for d in DISTRIBUTIONS])
    parser.add_argument("--goal", choices=GOAL_SECONDS, default="run")
    arguments = parser.parse_args()
    if os.geteuid():
        sys.exit("distributions: needs root, for debootstrap and chroot")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(FOLDER, exist_ok=True)
    rows = [run(d, arguments.goal) for d in DISTRIBUTIONS
            if arguments.only in (None, d.suite)]
    print(f"{'distribution':14}{'QEMU':9}{'gcc':9}{'s':>5}  result")
    for row in rows:
        print(f"{row.title:14}{row.qemu:9}{row.gcc:9}{row.seconds:>5}  {row.result}")
    good = all(row.good for row in rows)
    if figures.wanted() and good and not arguments.only:
        figures.distributions(arguments.goal, [row[:5] for row in rows])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
