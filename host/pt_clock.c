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
    clock->cycles = clock->count = 0;
    clock->counts = false;
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
    const uint64_t tsc = clock->ctc_tsc + from_ctc(clock, clock->ctc_ticks);
    if (clock->counts && clock->count != 0)
        clock->rate = ((tsc - clock->tsc) << 16) / clock->count;
    set_tsc(clock, tsc);
    clock->counts = true;
}

/* "Core:Bus Ratio Packet": the frequency may be another one from here on. */
static void cbr(struct pt_clock *clock, unsigned ratio)
{
    if (ratio == clock->cbr || ratio == 0)
        return;
    clock->cbr = ratio;
    clock->rate = ((uint64_t)clock->config.nominal << 16) / ratio;
    clock->counts = false;
}

/* The ticks from the last MTC, or TMA, to the one that has not come yet. */
static uint64_t to_next_mtc(const struct pt_clock *clock)
{
    const uint64_t period = UINT64_C(1) << clock->config.mtc_freq;
    const uint64_t next =
        clock->ctc_tsc + from_ctc(clock, clock->ctc_ticks + period -
                                             (clock->ctc & (period - 1)));

    return next > clock->tsc ? next - clock->tsc : 0;
}

static void cyc(struct pt_clock *clock, uint64_t cycles)
{
    clock->count += cycles;
    clock->cycles += cycles * clock->rate;
    if (clock->has_ctc && clock->cycles >> 16 > to_next_mtc(clock))
        clock->cycles = to_next_mtc(clock) << 16;
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
        cbr(clock, packet->payload & 0xff);
        break;
    case PT_CYC:
        cyc(clock, packet->payload);
        break;
    case PT_OVF: /* CYCs and MTCs may be lost */
        clock->counts = false;
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
