# SPDX-License-Identifier: BSD-2-Clause
"""Where the application is started from, and by what firmware: disks and the
network, Secure Boot, memory that is mapped strictly, another compiler."""

import functools
import os
import shutil
import subprocess
import tempfile

import boots
import expected
import ktap
import qemu
import volume

OVMF = "/usr/share/OVMF/"
SNAKEOIL = "/usr/share/ovmf/PkKek-1-snakeoil"
IPXE_ROM = "efi-e1000.rom"  # QEMU knows where
GOLDEN = {"pebs_decode_golden": "PASS", "pt_decode_golden": "PASS"}
# An Intel processor by its name, without what the tests are of.
INTEL = "qemu64,vendor=GenuineIntel"
END = r"^# END .*\r?\n"


def start(machine, pattern=None):
    """Report, and problems of the boot itself."""
    text, failure = qemu.boot(machine, until=pattern)
    report = ktap.Report(text)
    return report, [failure] * bool(failure)


def whole(report, problems):
    yield from problems
    yield from report.problems
    yield from boots.verdicts(GOLDEN)(report, None)


def disk(bus):
    """The stick's image as it is made, with nothing added."""
    with tempfile.TemporaryDirectory() as directory:
        stick = os.path.join(directory, "stick.img")
        shutil.copy(f"{boots.BUILD}/tsxpmu.img", stick)
        yield from whole(*start(qemu.Machine(stick, cpu=INTEL, bus=bus,
                                             icount=False), END))


def network(files, bootfile, device, pattern):
    """A network card alone, and a TFTP server on its network."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(f"{boots.BUILD}/tsxpmu.efi", directory)
        for name, text in files.items():
            with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                file.write(text)
        net = ("-netdev", f"user,id=net,tftp={directory},bootfile={bootfile}",
               "-device", device + ",netdev=net",
               # New firmware has no network without random numbers.
               "-device", "virtio-rng-pci")
        return start(qemu.Machine("", cpu=INTEL, extra=net, icount=False),
                     pattern)


def pxe():
    """UEFI's own network boot. There is no volume to write to."""
    report, problems = network({}, "tsxpmu.efi", "virtio-net-pci", END)
    yield from whole(report, problems)


def ipxe():
    """iPXE puts the program's name before its arguments. Yields None where the
    firmware asks the server itself, before the card's iPXE can."""
    script = ("#!ipxe\nkernel tsxpmu.efi tsxpmu.efi "
              "tests=pebs_decode_golden countdown=0 exit=poweroff\nboot\n")
    report, problems = network({"boot.ipxe": script}, "boot.ipxe",
                               "e1000,romfile=" + IPXE_ROM, r"^# END .*\r?\n|Not Found")
    if "iPXE" not in report.text:
        yield None
        return
    yield from problems
    yield from report.problems
    if list(report.results) != ["pebs_decode_golden"]:
        yield f"the tests run are {', '.join(report.results)}"


def strict():
    with tempfile.TemporaryDirectory() as directory:
        stick = os.path.join(directory, "stick.img")
        shutil.copy(f"{boots.BUILD}/strict.img", stick)
        report, problems = start(qemu.Machine(stick, cpu=INTEL), END)
        yield from whole(report, problems)
        if "strict: memory is mapped strictly" not in report.text:
            yield "memory was not mapped strictly"


def secured(directory, image):
    """Firmware that starts what is signed with a key it has, and nothing else."""
    code, variables = OVMF + "OVMF_CODE_4M.secboot.fd", directory + "/vars.fd"
    shutil.copy(OVMF + "OVMF_VARS_4M.snakeoil.fd", variables)
    return qemu.Machine(image, cpu=INTEL, icount=False, firmware=(
        "-machine", "smm=on",
        "-global", "driver=cfi.pflash01,property=secure,value=on",
        "-drive", "if=pflash,unit=0,format=raw,readonly=on,file=" + code,
        "-drive", "if=pflash,unit=1,format=raw,file=" + variables))


def signed_image(directory):
    """The stick with tsxpmu.efi signed as `make sign` does."""
    key, stick = directory + "/key", directory + "/signed.img"
    subprocess.run(["openssl", "rsa", "-in", SNAKEOIL + ".key", "-out", key,
                    "-passin", "pass:snakeoil"], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run(["make", "-s", "sign", "KEY=" + key,
                    f"CERT={SNAKEOIL}.pem", "SIGNED=" + stick], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return stick


def secure_boot():
    with tempfile.TemporaryDirectory() as directory:
        machine = secured(directory, signed_image(directory))
        yield from whole(*start(machine, END))
        unsigned = os.path.join(directory, "unsigned.img")
        shutil.copy(f"{boots.BUILD}/tsxpmu.img", unsigned)
        report, problems = start(secured(directory, unsigned),
                                 r"Access Denied|^KTAP")
        yield from problems
        if "Access Denied" not in report.text:
            yield "the unsigned image was not refused"


def other_compiler():
    """By clang and lld, from the same sources: what passes elsewhere does."""
    wanted = {name: "PASS" for name in expected.tests_of("skylake-2018", "on")}
    with tempfile.TemporaryDirectory() as directory:
        stick = os.path.join(directory, "stick.img")
        volume.make_stick(f"{boots.BUILD}/tsxpmu.img", stick)
        volume.copy(stick, "EFI/BOOT/BOOTX64.EFI", boots.BUILD + "/clang/tsxpmu.efi")
        text, failure = qemu.boot(
            qemu.Machine(stick, silicon=f"{boots.BUILD}/silicon.efi"),
            f"cpu=skylake-2018\nmemory=on\noptions=trials=5 {qemu.UNATTENDED} "
            f"{qemu.ALLOWED}\n")
        report = ktap.Report(text)
        yield from [failure] * bool(failure)
        yield from report.problems + report.not_restored
        yield from boots.verdicts(wanted)(report, None)


def jobs():
    """The network's gives None where it cannot be tried."""
    yield "boot: built with clang and lld", other_compiler
    for bus in ("usb", "ahci", "virtio"):
        yield f"boot: the stick as it is, {bus}", functools.partial(disk, bus)
    yield "boot: over the network, PXE", pxe
    yield "boot: over the network, iPXE with arguments", ipxe
    yield "boot: memory mapped strictly", strict
    yield "boot: Secure Boot: signed, and unsigned", secure_boot
