#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes into an image's header what objcopy does not: its data need not be
executable, nor its code writable; the checksum. usage: scripts/pe_header.py
FILE.efi

Microsoft PE/COFF specification, "Optional Header Windows-Specific Fields".
"""

import array
import struct
import sys

SIGNATURE_AT = 0x3C
OPTIONAL_HEADER = 4 + 20  # after signature and file header
CHECKSUM = OPTIONAL_HEADER + 64
CHARACTERISTICS = OPTIONAL_HEADER + 70
NX_COMPAT = 0x0100


def checksum(image):
    """The sum of 16-bit words with its carries added, and the size. The field
    itself counts as zero."""
    total = sum(array.array("H", image + b"\0" * (len(image) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total + len(image)


with open(sys.argv[1], "r+b") as file:
    image = bytearray(file.read())
    header, = struct.unpack_from("<I", image, SIGNATURE_AT)
    value, = struct.unpack_from("<H", image, header + CHARACTERISTICS)
    struct.pack_into("<H", image, header + CHARACTERISTICS, value | NX_COMPAT)
    struct.pack_into("<I", image, header + CHECKSUM, 0)
    struct.pack_into("<I", image, header + CHECKSUM, checksum(image))
    file.seek(0)
    file.write(image)
