/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - which processors have the errata that packet.h names. */
#include "src/pt/packet.h"

unsigned pt_errata(unsigned family, unsigned model)
{
    if (family != 6)
        return 0;
    switch (model) {
    case 0x3d:
    case 0x47:
    case 0x4f:
    case 0x56:
        return PT_BDM064;
    case 0x4e:
    case 0x5e:
    case 0x8e:
    case 0x9e:
    case 0xa5:
    case 0xa6:
        return PT_SKD007 | PT_SKD022;
    case 0x55:
        return PT_SKD022;
    default:
        return 0;
    }
}
