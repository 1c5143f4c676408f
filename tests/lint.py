# SPDX-License-Identifier: BSD-2-Clause
"""What firmware asks of a PE image, and what the project promises of its own:
each image is laid out so that strict firmware loads it; one tsxpmu.efi goes
everywhere; the two readings of the manual share nothing."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

import faults
import pefile
import rooms

BUILD = "build"
APPLICATION = 10  # PE/COFF: IMAGE_SUBSYSTEM_EFI_APPLICATION
NX_COMPAT = 0x0100  # IMAGE_DLLCHARACTERISTICS_NX_COMPAT
EXECUTE, READ, WRITE = 0x20000000, 0x40000000, 0x80000000


def image(path):
    """Problems of one image."""
    pe = pefile.PE(path)
    header = pe.OPTIONAL_HEADER
    if pe.FILE_HEADER.Machine != 0x8664 or header.Subsystem != APPLICATION:
        yield "not an x86-64 EFI application"
    if pe.FILE_HEADER.TimeDateStamp:
        yield "has a time stamp: not reproducible"
    if not header.CheckSum or not pe.verify_checksum():
        yield f"checksum is {header.CheckSum:x}h, not {pe.generate_checksum():x}h"
    if header.SectionAlignment != 4096:
        yield f"sections aligned to {header.SectionAlignment}, not 4096"
    if not header.DllCharacteristics & NX_COMPAT:
        yield "is not NX_COMPAT"
    if not header.DATA_DIRECTORY[5].Size:
        yield "has no base relocations"
    end = header.SectionAlignment
    executable = None
    for section in sorted(pe.sections, key=lambda s: s.VirtualAddress):
        name = section.Name.rstrip(b"\0").decode()
        flags = section.Characteristics
        if flags & WRITE and flags & EXECUTE:
            yield f"{name} is writable and executable"
        if section.VirtualAddress % 4096 or section.VirtualAddress != end:
            yield f"{name} at {section.VirtualAddress:x}h: hole or overlap"
        end = -(-(section.VirtualAddress + section.Misc_VirtualSize) // 4096) * 4096
        if flags & EXECUTE:
            executable = section
    entry = header.AddressOfEntryPoint
    if not executable or not executable.contains_rva(entry):
        yield "the entry point is not in the executable section"
    if header.SizeOfImage < end:
        yield "SizeOfImage ends before the last section"


def sbat(path):
    """shim, SBAT.md: CSV of six columns, as long as the section says."""
    pe = pefile.PE(path)
    found = [s for s in pe.sections if s.Name.rstrip(b"\0") == b".sbat"]
    if len(found) != 1:
        yield f"{len(found)} sections .sbat"
        return
    data = found[0].get_data()[:found[0].Misc_VirtualSize]
    if b"\0" in data or not data.endswith(b"\n"):
        yield ".sbat is not exactly as long as its text"
    rows = [line.split(",") for line in data.decode("ascii", "replace").splitlines()]
    if [r[0] for r in rows] != ["sbat", "tsxpmu"]:
        yield f".sbat names {[r[0] for r in rows]}"
    for row in rows:
        if len(row) != 6 or not all(row) or not row[1].isdigit():
            yield f".sbat: not six columns: {','.join(row)}"


def same_everywhere():
    """tsxpmu.efi is the same file on the stick and beside silicon.efi."""
    with open(f"{BUILD}/tsxpmu.efi", "rb") as file:
        wanted = file.read()
    for disk, path in (("tsxpmu.img", "EFI/BOOT/BOOTX64.EFI"),
                       ("silicon.img", "tsxpmu.efi")):
        got = subprocess.run(["mtype", "-i", f"{BUILD}/{disk}@@1M", "::/" + path],
                             stdout=subprocess.PIPE, check=True).stdout
        if got != wanted:
            yield f"{path} of {disk} is not build/tsxpmu.efi"


def two_readings():
    """Neither side includes a file of the other."""
    for top, other in (("src", r'tests/silicon'), ("asm", r'tests/silicon'),
                       ("tests/silicon", r'(src|asm)/')):
        for directory, _, files in os.walk(top):
            for name in files:
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as file:
                    for line in file:
                        if re.match(rf'\s*[#%]\s*include\s+"[./]*{other}', line):
                            yield f"{path}: {line.strip()}"


def arrows():
    """What a room of src/ includes is of a room that docs/rooms.txt lets it."""
    table = rooms.read("docs/rooms.txt")
    allowed = {name: rooms.may_include(table, name) for name in table}
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True) +
                       glob.glob("src/*.*")):
        room = path.split("/")[1]
        if room not in table:
            yield f"{path}: {room} is no room of docs/rooms.txt"
            continue
        with open(path, encoding="utf-8") as file:
            for other in re.findall(r'#include "src/(\w+)/', file.read()):
                if other not in allowed[room]:
                    yield f"{path}: {room} may not include {other}"


def rebuilt():
    """The image of the stick is the same, byte for byte, when a copy of the
    sources elsewhere is built by another person, far away."""
    with open(f"{BUILD}/gen/version.h", encoding="utf-8") as file:
        version = file.read().split('"')[1]
    environment = {"TZ": "Pacific/Kiritimati", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
                   "PATH": os.environ["PATH"]}
    with tempfile.TemporaryDirectory() as directory:
        copy = directory + "/a folder with another name"
        shutil.copytree(".", copy, ignore=shutil.ignore_patterns(BUILD, ".git"))
        run = subprocess.run(["make", "-sj2", "VERSION=" + version,
                              BUILD + "/tsxpmu.img"], check=False, cwd=copy,
                             env=environment | {"HOME": directory}, umask=0o077,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not run.returncode:
            run = subprocess.run(["cmp", f"{copy}/{BUILD}/tsxpmu.img",
                                  f"{BUILD}/tsxpmu.img"], check=False,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            yield run.stdout.decode()


def words(path):
    with open(path, encoding="utf-8") as file:
        return {word for line in file for word in line.split("#")[0].split()}


def tables():
    """Every fault has a boot that catches it, every personality and every test
    is named where the boots say what has to run."""
    entries = list(faults.read())
    caught = {name for name, _, rows in entries if rows}
    for path in glob.glob("tests/boot/*.py"):
        with open(path, encoding="utf-8") as file:
            caught |= set(re.findall(r'(?:"fault": |faulty\()"(\w+)"', file.read()))
    for name in sorted({name for name, _, _ in entries} - caught):
        yield f"fault {name}: no boot shows that it is caught"
    runs = words("tests/boot/runs.txt")
    for files in ("src/cases/*/*.c", "tests/silicon/personalities/*.c"):
        for path in sorted(glob.glob(files)):
            name = os.path.basename(path).removesuffix(".c")
            if not {name, name.replace("_", "-")} & runs:
                yield f"{name} is not in tests/boot/runs.txt"


def licences():
    """Every source file says its licence in its first two lines."""
    listed = subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE,
                            check=True).stdout.decode().split()
    for path in listed:
        if not re.search(r"(\.(c|h|asm|inc|def|lds|py)|Makefile)$", path):
            continue
        with open(path, encoding="utf-8") as file:
            if "SPDX-License-Identifier: BSD-2-Clause" not in "".join(
                    file.readline() for _ in range(2)):
                yield f"{path} has no SPDX line"


def run(result):
    for name in ("tsxpmu.efi", "silicon.efi", "clang/tsxpmu.efi"):
        result("lint: " + name, image(f"{BUILD}/{name}"))
    for name in ("tsxpmu.efi", "clang/tsxpmu.efi"):
        result("lint: .sbat of " + name, sbat(f"{BUILD}/{name}"))
    result("lint: one tsxpmu.efi everywhere", same_everywhere())
    result("lint: rooms include what is below them", arrows())
    result("lint: the image is the same wherever it is built", rebuilt())
    result("lint: the two readings share no file", two_readings())
    result("lint: every fault, personality and test is in its table", tables())
    result("lint: licences", licences())
