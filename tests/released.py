# SPDX-License-Identifier: BSD-2-Clause
"""What is released is the same whoever makes it, in whichever folder; its sums are
right, its package is as Debian wants it, and can be installed and used."""

import glob
import json
import os
import subprocess
import tempfile
from typing import Callable, Iterable, Iterator

Result = Callable[[str, Iterable[str]], None]


def said(*words: str, where: str = ".") -> tuple[int, str]:
    done = subprocess.run(words, cwd=where, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1800)
    return done.returncode, done.stdout


def make(folder: str) -> Iterator[str]:
    """A clone there, and a release of it."""
    for words in (("git", "clone", "-q", ".", folder), ("make", "-s", "-C", folder, "dist")):
        status, text = said(*words)
        if status:
            yield f"{' '.join(words)}: status {status}: {text[-400:]}"
            return


def same(one: str, other: str) -> Iterator[str]:
    names = sorted(set(os.listdir(one)) | set(os.listdir(other)))
    if len(names) < 8:
        yield f"only {names}"
    for name in names:
        status, text = said("cmp", os.path.join(one, name), os.path.join(other, name))
        if status:
            yield text.strip()


def sums(folder: str) -> Iterator[str]:
    status, text = said("sha256sum", "--check", "--strict", "SHA256SUMS", where=folder)
    if status:
        yield text
    for name in set(os.listdir(folder)) - {"SHA256SUMS"}:
        if f"{name}: OK" not in text:
            yield f"{name} has no sum"


def bill(folder: str) -> Iterator[str]:
    """Each file that is there before it, and a version of each package."""
    path, = glob.glob(folder + "/*.spdx.json")
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    named = {entry["fileName"].removeprefix("./") for entry in read["files"]}
    wanted = set(os.listdir(folder)) - {"SHA256SUMS", os.path.basename(path)}
    if named != wanted:
        yield f"files: {sorted(named ^ wanted)}"
    for entry in read["packages"]:
        if not entry["versionInfo"]:
            yield f"{entry['name']} has no version"


def lintian(folder: str) -> Iterator[str]:
    package, = glob.glob(folder + "/*.deb")
    status, text = said("lintian", "--allow-root", "--fail-on", "error,warning,info",
                        "--display-info", package)
    if status or text.strip():
        yield text


def installed(folder: str) -> Iterator[str]:
    """What the package brings, where it would be."""
    package, = glob.glob(folder + "/*.deb")
    with tempfile.TemporaryDirectory() as root:
        said("dpkg-deb", "-x", package, root)
        status, text = said(root + "/usr/bin/tsxpmu", "show", "tests/golden/session.report")
        if status not in (0, 1) or not text:
            yield f"tsxpmu show: status {status}: {text[:200]}"
        for wanted in ("share/man/man1/tsxpmu-show.1.gz", "share/doc/tsxpmu/copyright",
                       "share/bash-completion/completions/tsxpmu"):
            if not os.path.exists(f"{root}/usr/{wanted}"):
                yield f"no /usr/{wanted}"


def run(result: Result) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = folder + "/one", folder + "/another/of-a-longer-name"
        problems = [*make(one), *make(other)]
        result("dist: is made of a clone", problems)
        if problems:
            return
        one, other = one + "/build/dist", other + "/build/dist"
        result("dist: the same in another folder", same(one, other))
        result("dist: sums", sums(one))
        result("dist: what built it", bill(one))
        result("dist: lintian", lintian(one))
        result("dist: the package's files", installed(one))
