/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_clock.c - follows the timing packets of a trace. */
#include "host/pt_clock.h"

/* CTC's ticks as ticks of the TSC. */
static uint64_t from_ctc(const struct pt_clock *clock, uint64_t ctc)
{
    const unsigned eax = clock->config.eax, ebx = clock->config.ebx;

    return ctc / eax * ebx + ctc % eax * ebx / eax;
}

static void set_tsc(struct pt_clock *clock, uint64_t tsc)
{
    clock->tsc = tsc;
    clock->cycles = 0;
}

/* "TMA Packet Definition": CTC[15:0], and FastCounter, which runs at the TSC's
 * speed from the edge of CTC to the TSC packet before. */
static void tma(struct pt_clock *clock, uint64_t payload)
{
    clock->ctc = payload & 0xffff;
    clock->ctc_bits = 0xffff;
    clock->ctc_ticks = 0;
    clock->ctc_tsc = clock->tsc - (payload >> 24 & 0x1ff);
    clock->has_ctc = clock->has_tsc && clock->config.eax != 0;
}

/* "MTC Packet Definition": CTC[MTCFreq + 7:MTCFreq]; the next time that CTC has
 * these bits. */
static void mtc(struct pt_clock *clock, uint64_t payload)
{
    const uint64_t ctc = payload << clock->config.mtc_freq;
    const uint64_t bits = (UINT64_C(0x100) << clock->config.mtc_freq) - 1;

    if (!clock->has_ctc)
        return;
    clock->ctc_ticks += (ctc - clock->ctc) & bits & clock->ctc_bits;
    clock->ctc = ctc;
    clock->ctc_bits = bits;
    set_tsc(clock, clock->ctc_tsc + from_ctc(clock, clock->ctc_ticks));
}

static void cyc(struct pt_clock *clock, uint64_t cycles)
{
    const uint64_t nominal = cycles * clock->config.nominal;

    if (clock->cbr != 0)
        clock->cycles += (nominal / clock->cbr << 16) +
                         (nominal % clock->cbr << 16) / clock->cbr;
}

static void handle(struct pt_clock *clock, const struct pt_packet *packet)
{
    switch (packet->kind) {
    case PT_TSC: /* 56 bits */
        set_tsc(clock, packet->payload);
        clock->has_tsc = true;
        clock->has_ctc = false;
        break;
    case PT_TMA:
        tma(clock, packet->payload);
        break;
    case PT_MTC:
        mtc(clock, packet->payload);
        break;
    case PT_CBR:
        clock->cbr = packet->payload & 0xff;
        break;
    case PT_CYC:
        cyc(clock, packet->payload);
        break;
    default:
        break;
    }
}

void pt_clock_open(struct pt_clock *clock, const struct pt_clock_config *config)
{
    *clock = (struct pt_clock){.config = *config};
    pt_open(&clock->reader);
}

void pt_clock_read(struct pt_clock *clock, uint64_t offset)
{
    struct pt_packet packet;
    enum pt_result result = PT_OK;

    while (pt_offset(&clock->reader) < offset && result != PT_MORE &&
           result != PT_END) {
        result = pt_next(&clock->reader, &packet);
        if (result == PT_OK)
            handle(clock, &packet);
    }
}
