#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the files that a Linux kernel starts with: an archive of busybox, perf
and its libraries, and the files given. usage: scripts/initramfs.py OUT
PATH_THERE=FILE ...

Linux, Documentation/driver-api/early-userspace/buffer-format.rst.
"""

import os
import re
import subprocess
import sys

FOLDERS = ("bin", "dev", "etc", "lib", "lib64", "proc", "root", "sys", "tmp", "usr")
LINK, FOLDER, FILE, DEVICE = 0o120777, 0o040755, 0o100755, 0o020600
CONSOLE = (5, 1)


def member(name: str, mode: int, data: bytes = b"",
           device: tuple[int, int] = (0, 0)) -> bytes:
    """A file of an archive of the "newc" format."""
    path = name.encode() + b"\0"
    numbers = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + path
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def archive(files: dict[str, str | bytes]) -> bytes:
    """Files by their path there: the name of one here, or its bytes."""
    folders = set(FOLDERS)
    for path in files:
        while path := os.path.dirname(path):
            folders.add(path)
    made = [member(folder, FOLDER) for folder in sorted(folders)]
    made.append(member("dev/console", DEVICE, device=CONSOLE))
    for path, what in files.items():
        if isinstance(what, str):
            with open(what, "rb") as file:
                what = file.read()
        made.append(member(path, FILE, what))
    return b"".join(made) + member("TRAILER!!!", 0)


def libraries(program: str) -> dict[str, str | bytes]:
    """What the program is linked with, where it looks for it."""
    text = subprocess.run(["ldd", program], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    paths = re.findall(r"(/\S+) \(", text)
    return {path.lstrip("/"): os.path.realpath(path) for path in paths}


def folder(path: str) -> dict[str, str | bytes]:
    """All files of it, as they lie there; "": none."""
    found = [os.path.join(where, name)
             for where, _, names in os.walk(path) for name in sorted(names)]
    return {os.path.relpath(file, path): file for file in found}


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0
    busybox, perf = ("/bin/busybox", "/usr/bin/perf")
    files: dict[str, str | bytes] = {"bin/busybox": busybox, "bin/perf": perf}
    files |= libraries(perf)
    for word in sys.argv[2:]:
        path, _, name = word.partition("=")
        files[path] = name
    with open(sys.argv[1] + ".part", "wb") as out:
        out.write(archive(files))
    os.rename(sys.argv[1] + ".part", sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
