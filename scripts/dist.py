#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the folder that is released, from what is committed: the programs, images
of sticks, the host tool as a package of Debian, the sources, what built them
(SPDX), and the sums of all. docs/release.md says how it is checked."""

import argparse
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

# Packages whose programs, headers or libraries the files depend on.
TOOLS = ("binutils", "debhelper", "dosfstools", "gcc", "gdisk", "gnu-efi", "help2man", "make",
         "mtools", "nasm", "python3", "xxd")
LIBRARIES = ("libc6", "libjansson4", "libsqlite3-0")
LICENCE = "BSD-2-Clause"


def run(*words: str, where: str = ".", **environment: str) -> str:
    """What it prints; where it fails, that is printed, and this ends."""
    done = subprocess.run(words, cwd=where, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment})
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        sys.exit(f"dist: {' '.join(words)} has failed: status {done.returncode}")
    return done.stdout


def compress(path: str, to: str) -> None:
    """Without a name and a time: the same bytes each time."""
    with open(path, "rb") as source, open(to, "wb") as target:
        with gzip.GzipFile("", "wb", 9, target, mtime=0) as packed:
            shutil.copyfileobj(source, packed, 1 << 20)


def archive(name: str, to: str) -> None:
    """The sources as committed, and which commit that is."""
    plain = to + ".tar"
    run("git", "-c", "core.abbrev=12", "archive", "--format=tar", f"--prefix={name}/",
        f"--output={plain}", "HEAD")
    compress(plain, to)
    os.remove(plain)


def sum_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def version_of(package: str) -> str:
    return run("dpkg-query", "-W", "-f", "${Version}", package)


def package(name: str, version: str) -> dict[str, Any]:
    return {"name": name, "SPDXID": "SPDXRef-" + name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False}


def bill(release: str, commit: str, folder: str) -> dict[str, Any]:
    """SPDX 2.3, as JSON: each file, what it was built by, what it is linked with."""
    created = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))
    files: list[dict[str, Any]] = [
        {"fileName": "./" + name, "SPDXID": f"SPDXRef-File-{n}",
         "checksums": [{"algorithm": "SHA256",
                        "checksumValue": sum_of(os.path.join(folder, name))}],
         "licenseConcluded": LICENCE, "copyrightText": "NOASSERTION"}
        for n, name in enumerate(sorted(os.listdir(folder)))]
    own = {**package("tsxpmu", f"{release} (git {commit})"), "licenseDeclared": LICENCE}
    pairs = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-tsxpmu")]
    pairs += [("SPDXRef-tsxpmu", "CONTAINS", file["SPDXID"]) for file in files]
    pairs += [("SPDXRef-" + tool, "BUILD_TOOL_OF", "SPDXRef-tsxpmu") for tool in TOOLS]
    pairs += [("SPDXRef-tsxpmu", "DEPENDS_ON", "SPDXRef-" + name) for name in LIBRARIES]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tsxpmu-{release}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tsxpmu-{release}-{commit}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created),
                         "creators": ["Tool: scripts/dist.py"]},
        "packages": [own] + [package(p, version_of(p)) for p in TOOLS + LIBRARIES],
        "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind,
                           "relatedSpdxElement": b} for a, kind, b in pairs]}


def make_package(sources: str, work: str, out: str) -> None:
    """Of the sources as they are released, not of this folder."""
    run("tar", "-xf", os.path.abspath(sources), "-C", work)
    tree = os.path.join(work, os.path.basename(sources).removesuffix(".tar.gz"))
    run("dpkg-buildpackage", "-b", "-us", "-uc", "-d", where=tree, DEB_BUILD_OPTIONS="noautodbgsym")
    for name in os.listdir(work):
        if name.endswith(".deb"):
            shutil.copy(os.path.join(work, name), out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", required=True, help="its number")
    parser.add_argument("--out", required=True, help="the folder, which is made anew")
    arguments = parser.parse_args()

    if run("git", "status", "--porcelain"):
        sys.exit("dist: there are changes that are not committed")
    commit = run("git", "rev-parse", "--short=12", "HEAD").strip()
    name, out = f"tsxpmu-{arguments.release}", arguments.out
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    for made in ("tsxpmu", "silicon"):
        shutil.copyfile(f"build/{made}.efi", f"{out}/{made}.efi")
        compress(f"build/{made}.img", f"{out}/{made}-{arguments.release}.img.gz")
    archive(name, f"{out}/{name}.tar.gz")
    with tempfile.TemporaryDirectory() as work:
        make_package(f"{out}/{name}.tar.gz", work, out)
    contents = bill(arguments.release, commit, out)
    with open(f"{out}/{name}.spdx.json", "w", encoding="utf-8") as file:
        json.dump(contents, file, indent=1)
        file.write("\n")
    sums = [f"{sum_of(os.path.join(out, made))}  {made}\n" for made in sorted(os.listdir(out))]
    with open(f"{out}/SHA256SUMS", "w", encoding="ascii") as file:
        file.writelines(sums)
    print("".join(sums), end="")


if __name__ == "__main__":
    main()
