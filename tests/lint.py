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

import docs
import expected
import listing
import pefile
import rooms  # scripts/rooms.py

BUILD = "build"
APPLICATION = 10  # PE/COFF: IMAGE_SUBSYSTEM_EFI_APPLICATION
NX_COMPAT = 0x0100  # IMAGE_DLLCHARACTERISTICS_NX_COMPAT
# The subjects before it name their areas otherwise, or not.
SUBJECTS_SINCE = "4d1ddae93"
BOUNDS_MS = 60000  # a run with the usual trials
LINES = 400  # that a file of code may have
CLANG_FORMAT = 14
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


def release():
    """The version is said as the Makefile has it, by programs and documents."""
    with open(f"{BUILD}/gen/version.h", encoding="utf-8") as file:
        wanted = re.findall(r'TSXPMU_RELEASE "(.*)"', file.read())[0]
    rows = [s.get_data() for s in pefile.PE(f"{BUILD}/tsxpmu.efi").sections
            if s.Name.startswith(b".sbat")]
    said = {".sbat": re.findall(rb"^tsxpmu,.*,(.*),none", rows[0], re.M)[0].decode()}
    said["build/tsxpmu --version"] = subprocess.run(
        [f"{BUILD}/tsxpmu", "--version"], stdout=subprocess.PIPE, check=True,
        text=True).stdout.split()[-1]
    for path in docs.documents():
        found = re.findall(r"\btsxpmu (\d+\.\S+) \(git", docs.read(path))
        said |= {f"{path}, place {n + 1}": version for n, version in enumerate(found)}
    said["CHANGELOG.md"] = re.findall(r"^## ([\d.]+)", docs.read("CHANGELOG.md"), re.M)[0]
    for where, version in said.items():
        if version != wanted:
            yield f"{where} says {version}; RELEASE of the Makefile is {wanted}"


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


def arrows(top):
    """What a room includes is of a room that its table lets it."""
    table = rooms.read(rooms.TABLES[top])
    allowed = {name: rooms.may_include(table, name) for name in table}
    for path in sorted(glob.glob(f"{top}/**/*.[ch]", recursive=True) +
                       glob.glob(f"{top}/*.*")):
        room = os.path.relpath(path, top).split(os.sep)[0]
        if room not in table:
            yield f"{path}: {room} is no room of {rooms.TABLES[top]}"
            continue
        with open(path, encoding="utf-8") as file:
            for other in re.findall(rf'#include "{top}/(\w+)/', file.read()):
                if other not in allowed[room]:
                    yield f"{path}: {room} may not include {other}"


# What may write an MSR with no journal: that of a test itself, and two command
# registers that sessions use outside of tests.
WRITES_MSRS = {"src/base/hw.h", "src/harness/journal.c", "src/harness/context_msr.c",
               "src/cpu/identity.c", "src/session/microcode_update.c"}


def journaled():
    """MSRs are written through the test context, which can undo it."""
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as file:
            if path not in WRITES_MSRS and "hw_msr_write" in file.read():
                yield f"{path} calls hw_msr_write(); case.h has what is undone"


# A field of PEBS records, by its offset.
RECORD_FIELDS = {("IA32_PERF_GLOBAL_STATUS", 0x90)}


def defined_msrs(text):
    """Numbers by name, also those of registers in a row: IA32_PMC3."""
    numbers = {}
    for name, index, number in re.findall(
            r"^#define ((?:IA32|MSR|TSX)_\w+?)(\(n\))? +\(?(0x\w+?)u\b", text, re.M):
        for n in range(8) if index else [""]:
            numbers[f"{name}{n}"] = int(number, 16) + (n or 0)
    return numbers


def numbered():
    """Where a line of a report says the number beside a register's name, it is
    that of msr.h, or of the file's own definition."""
    with open("src/base/msr.h", encoding="utf-8") as file:
        known = defined_msrs(file.read())
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r'"\s*\n\s*"', "", file.read())
        numbers = known | defined_msrs(text)
        for name, said in re.findall(
                r"\b((?:IA32|MSR|TSX)_[A-Z]\w+) \(([0-9A-F]+)H\)", text):
            number = int(said, 16)
            if numbers.get(name) != number and (name, number) not in RECORD_FIELDS:
                yield (f"{path}: {name} ({said}H): " + (
                    f"{numbers[name]:X}H in msr.h" if name in numbers
                    else "no such name in msr.h"))


def rebuilt():
    """The image of the stick is the same, byte for byte, when a copy of the
    sources elsewhere is built by another person, far away."""
    with open(f"{BUILD}/gen/version.h", encoding="utf-8") as file:
        version = re.findall(r'TSXPMU_VERSION "(.*)"', file.read())[0]
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
    """Every fault has a boot that catches it; every personality and every test has
    its row, and passes somewhere."""
    entries = list(listing.faults())
    caught = {name for name, _, rows in entries if rows}
    for path in glob.glob("tests/boot/*.py"):
        with open(path, encoding="utf-8") as file:
            caught |= set(re.findall(r'(?:"fault": |faulty\()"(\w+)"', file.read()))
    for name in sorted({name for name, _, _ in entries} - caught):
        yield f"fault {name}: no boot shows that it is caught"
    for name, asks in listing.tests():
        if not asks.endswith("?"):
            yield f'{name} asks nothing: "{asks}"'
    if (most := sum(listing.bounds().values())) >= BOUNDS_MS:
        yield f"on a bare machine the tests may take {most} ms together"
    yield from expected.problems(
        [name for name, _ in listing.tests()], listing.personalities())


def subjects():
    """The last commits after SUBJECTS_SINCE name their area, in 72 characters."""
    run = subprocess.run(["git", "log", "--no-merges", "-20", "--format=%h %s",
                          SUBJECTS_SINCE + "..HEAD"], check=False, text=True,
                         capture_output=True)
    shallow = subprocess.run(["git", "rev-parse", "--is-shallow-repository"],
                             check=False, text=True, stdout=subprocess.PIPE)
    if run.returncode and shallow.stdout != "true\n":
        yield run.stderr
    for line in run.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > 72:
            yield f"{commit} has a subject of {len(subject)} characters: {subject}"
        if not re.match(r"[\w./-]+(,? [\w./-]+){0,2}: \S", subject):
            yield f"{commit} names no area: {subject}"


def files():
    """None that Python makes; include guards by path; lengths."""
    for path in listed():
        if path.endswith(".pyc"):
            yield f"{path} is made by Python"
        if not re.search(r"\.(c|h|asm|inc|py)$", path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".h"):
            guard = re.sub(r"\W", "_", re.sub("^tests/(?=silicon/)", "", path)).upper()
            if f"#ifndef {guard}\n#define {guard}\n" not in text:
                yield f"{path}: its guard is not {guard}"
        if text.count("\n") > LINES:
            yield f"{path} has {text.count(chr(10))} lines, more than {LINES}"


def says(*command):
    """What a checker prints; none is a pass. All of it where it ends otherwise."""
    run = subprocess.run(command, check=False, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if run.returncode or run.stdout:
        yield from run.stdout.splitlines() or [f"status {run.returncode}"]


def listed():
    """The files of the tree that git has."""
    return subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.split()


def shell():
    """Every script for sh, however it is named, and what bash completes by."""
    scripts = []
    for path in listed():
        with open(path, "rb") as file:
            if (file.readline().startswith(b"#!/bin/sh")
                    or path.endswith(".bash-completion")):
                scripts.append(path)
    yield from says("shellcheck", *scripts)


def formatted():
    """Each C file is as .clang-format has it; versions differ in what that is."""
    said = subprocess.run(["clang-format", "--version"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    if f"version {CLANG_FORMAT}." not in said:
        print(f"        not looked at: formatted for version {CLANG_FORMAT}, "
              f"this is {said.strip()}", flush=True)
        return
    sources = [path for path in listed() if re.search(r"\.[ch]$", path)]
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources],
                         check=False, stderr=subprocess.PIPE, text=True)
    yield from re.findall(r"^.*error: .*$", run.stderr, re.M)


def licences():
    """Every source file says its licence in its first two lines."""
    for path in listed():
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
    result("lint: one version", release())
    result("lint: one tsxpmu.efi everywhere", same_everywhere())
    for top in rooms.TABLES:
        result(f"lint: rooms of {top} include what is below them", arrows(top))
    result("lint: MSRs are written through the journal", journaled())
    result("lint: registers in lines have their numbers", numbered())
    result("lint: the image is the same wherever it is built", rebuilt())
    result("lint: the two readings share no file", two_readings())
    result("lint: every fault, personality and test is in its table", tables())
    result("lint: licences", licences())
    result("lint: subjects of commits", subjects())
    result("lint: guards by path, files of some length", files())
    result("lint: format of C", formatted())
    result("lint: pyflakes", says("pyflakes3", "tests", "scripts"))
    result("lint: mypy", says("mypy", "--config-file", "tests/mypy.ini",
                              "--no-error-summary"))
    result("lint: shellcheck", shell())
