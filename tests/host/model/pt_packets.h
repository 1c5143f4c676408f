/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_packets.h - packets by their bytes, and a trace that begins. */
#ifndef TESTS_HOST_MODEL_PT_PACKETS_H
#define TESTS_HOST_MODEL_PT_PACKETS_H

#include "tests/host/model/pt_fixture.h"

#define PSB                                                                 \
    0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, \
        0x02, 0x82, 0x02, 0x82
#define CBR     0x02, 0x03, 30, 0
#define PIP     0x02, 0x43, 0x00, 0x01, 0, 0, 0, 0 /* 1000H >> 5 << 1 */
#define PSBEND  0x02, 0x23
#define CODE_48 0x00, 0x90, 0x78, 0x56, 0x34, 0x12

/* From here on a test looks at what it has done itself. */
static inline unsigned begin(const char *cpu, uint64_t ctl)
{
    start(cpu, "none");
    range_on(ctl);
    return offset_now();
}

#endif
