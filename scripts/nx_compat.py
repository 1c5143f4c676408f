#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Says in an image that its data need not be executable, nor its code writable:
objcopy has no option for it. usage: scripts/nx_compat.py FILE.efi

Microsoft PE/COFF specification, "DLL Characteristics".
"""

import sys

SIGNATURE_AT = 0x3C
CHARACTERISTICS_AT = 4 + 20 + 70  # signature, file header, optional header
NX_COMPAT = 0x0100

with open(sys.argv[1], "r+b") as file:
    file.seek(SIGNATURE_AT)
    at = int.from_bytes(file.read(4), "little") + CHARACTERISTICS_AT
    file.seek(at)
    value = int.from_bytes(file.read(2), "little") | NX_COMPAT
    file.seek(at)
    file.write(value.to_bytes(2, "little"))
