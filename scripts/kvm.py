#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Why KVM cannot run silicon.efi on this machine: one line, and exit status 1;
nothing, and 0, where as far as can be told it can."""

import fcntl
import os
import sys

KVM_CREATE_VM = 0xAE01  # linux/kvm.h


def read(path: str) -> str:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def refusal() -> str:
    """silicon.efi is a hypervisor by AMD-V: it takes an AMD processor, and guests
    that may be hypervisors themselves."""
    try:
        if "AuthenticAMD" not in read("/proc/cpuinfo"):
            return "the processor is not of AMD"
        if read("/sys/module/kvm_amd/parameters/nested").strip() not in ("1", "Y"):
            return "kvm_amd has not the parameter nested=1"
        with open("/dev/kvm", "r+b", buffering=0) as kvm:
            os.close(fcntl.ioctl(kvm, KVM_CREATE_VM, 0))
    except OSError as error:
        return f"{error.filename or 'KVM_CREATE_VM'}: {error.strerror}"
    return ""


if __name__ == "__main__":
    WHY = refusal()
    if WHY:
        print(WHY)
    sys.exit(bool(WHY))
