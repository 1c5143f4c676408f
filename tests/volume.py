# SPDX-License-Identifier: BSD-2-Clause
"""The FAT volume of a stick's image, at 1 MiB: its files, by mtools."""

import os
import subprocess
import tempfile



def copy_image(image: str, path: str) -> None:
    """Most of it is holes, which cp does not fill."""
    subprocess.run(["cp", image, path], check=True)


def make_stick(image: str, path: str) -> None:
    """A copy of the image, as large as memory that is shared has to be."""
    copy_image(image, path)
    grow(path)


def grow(path: str) -> None:
    """Memory that QEMU shares is a power of 2."""
    os.truncate(path, 1 << (os.path.getsize(path) - 1).bit_length())


def read(image: str, name: str) -> bytes:
    """A file of the image's volume, b"" where there is none."""
    return subprocess.run(["mtype", "-i", image + "@@1M", "::/" + name],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout


def reports(image: str) -> dict[str, str]:
    """The reports on the image's volume, by name, the youngest last."""
    names = subprocess.run(["mdir", "-b", "-i", image + "@@1M", "::/tsxpmu"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           check=False).stdout.decode("latin-1").split()
    names = [name[len("::/"):] for name in names if name.endswith(".log")]
    return {name: read(image, name).decode("latin-1") for name in names}


def last_report(image: str) -> str:
    """The text of the youngest report, "" where there is none."""
    return (list(reports(image).values()) or [""])[-1]


def copy(image: str, name: str, path: str) -> None:
    subprocess.run(["mcopy", "-o", "-i", image + "@@1M", path, "::/" + name],
                   check=True)


def write(image: str, name: str, data: str | bytes) -> None:
    """A folder in the name is made."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data if isinstance(data, bytes) else data.encode())
        file.flush()
        if "/" in name:
            subprocess.run(["mmd", "-D", "s", "-i", image + "@@1M",
                            "::/" + name.rsplit("/", 1)[0]], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        copy(image, name, file.name)
