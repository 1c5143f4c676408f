/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_text.c - packets and transitions as text, in the manual's words. */
#include "host/pt_text.h"

#include <inttypes.h>
#include <string.h>

static void print_results(const struct pt_packet *packet, FILE *out)
{
    char text[65];
    unsigned count = packet->detail;

    for (unsigned i = 0; i < count; i++)
        text[i] = (packet->payload >> (count - 1 - i) & 1) != 0 ? 'T' : 'N';
    text[count] = '\0';
    fputs(text, out);
}

static void print_ip(const struct pt_packet *packet, uint64_t ip, FILE *out)
{
    if (packet->detail == 0)
        fputs("IPBytes 0, suppressed", out);
    else
        fprintf(out, "IPBytes %u, 0x%016" PRIx64, packet->detail, ip);
}

/* Bits [high:low] of the payload. */
static uint64_t field(const struct pt_packet *packet, unsigned high,
                      unsigned low)
{
    return packet->payload >> low & (UINT64_MAX >> (63 - (high - low)));
}

void pt_print_packet(const struct pt_packet *packet, uint64_t ip, FILE *out)
{
#define FIELD(high, low) field(packet, high, low)
#define PRINT(...)       fprintf(out, __VA_ARGS__)
    switch (packet->kind) {
    case PT_PSB:
    case PT_PSBEND:
    case PT_OVF:
    case PT_TRACESTOP:
        fputs(pt_kind_name(packet->kind), out);
        return;
    default:
        PRINT("%-9s ", pt_kind_name(packet->kind));
    }
    switch (packet->kind) {
    case PT_TNT_8:
    case PT_TNT_64:
        print_results(packet, out);
        break;
    case PT_TIP:
    case PT_TIP_PGE:
    case PT_TIP_PGD:
    case PT_FUP:
        print_ip(packet, ip, out);
        break;
    case PT_CYC:
        PRINT("%" PRIu64, packet->payload);
        break;
    case PT_MODE_EXEC:
        PRINT("CS.L&LMA %" PRIu64 ", CS.D %" PRIu64 ", IF %" PRIu64,
              FIELD(0, 0), FIELD(1, 1), FIELD(2, 2));
        break;
    case PT_MODE_TSX:
        PRINT("InTX %" PRIu64 ", TXAbort %" PRIu64, FIELD(0, 0), FIELD(1, 1));
        break;
    case PT_PIP:
        PRINT("CR3 0x%" PRIx64 ", NR %" PRIu64, FIELD(47, 1) << 5, FIELD(0, 0));
        break;
    case PT_VMCS:
        PRINT("base 0x%" PRIx64, packet->payload << 12);
        break;
    case PT_CBR:
        PRINT("ratio %" PRIu64, FIELD(7, 0));
        break;
    case PT_TMA:
        PRINT("CTC 0x%" PRIx64 ", FC 0x%" PRIx64, FIELD(15, 0), FIELD(32, 24));
        break;
    case PT_MTC:
    case PT_TSC:
    case PT_MNT:
        PRINT("0x%" PRIx64, packet->payload);
        break;
    case PT_PTW:
        PRINT("0x%" PRIx64 ", IP %u", packet->payload, packet->detail);
        break;
    case PT_EXSTOP:
    case PT_BEP:
        PRINT("IP %u", packet->detail);
        break;
    case PT_MWAIT:
        PRINT("hints 0x%" PRIx64 ", EXT %" PRIu64, FIELD(7, 0), FIELD(33, 32));
        break;
    case PT_PWRE:
        PRINT("HW %" PRIu64 ", C-state %" PRIu64 ", sub C-state %" PRIu64,
              FIELD(7, 7), FIELD(15, 12), FIELD(11, 8));
        break;
    case PT_PWRX:
        PRINT("last core C-state %" PRIu64 ", deepest %" PRIu64
              ", wake reason 0x%" PRIx64,
              FIELD(7, 4), FIELD(3, 0), FIELD(11, 8));
        break;
    case PT_BBP:
        PRINT("SZ %" PRIu64 ", type 0x%" PRIx64, FIELD(7, 7), FIELD(4, 0));
        break;
    case PT_BIP:
        PRINT("ID 0x%x, 0x%" PRIx64, packet->detail, packet->payload);
        break;
    case PT_CFE:
        PRINT("type 0x%" PRIx64 ", vector %" PRIu64 ", IP %u", FIELD(4, 0),
              FIELD(15, 8), packet->detail);
        break;
    case PT_EVD:
        PRINT("type 0x%x, 0x%" PRIx64, packet->detail, packet->payload);
        break;
    case PT_TRIG:
        PRINT("0x%" PRIx64 ", IP %u", packet->payload, packet->detail);
        break;
    default:
        break;
    }
#undef FIELD
#undef PRINT
}

/* A line for each transition of a long trace: printf would be most of the
 * time. */
static char *put_hex(char *to, uint64_t value, unsigned least)
{
    unsigned digits = least;

    while (digits < 16 && value >> 4 * digits != 0)
        digits++;
    to = stpcpy(to, "0x");
    while (digits-- != 0)
        *to++ = "0123456789abcdef"[value >> 4 * digits & 0xf];
    return to;
}

static char *put_address(char *to, const char *before, bool has,
                         uint64_t address)
{
    to = stpcpy(to, before);
    return has ? put_hex(to, address, 16) : stpcpy(to, "unknown");
}

void pt_print_transition(const struct pt_tsx_event *event, FILE *out)
{
    char line[160];
    char *to = put_hex(line, event->offset, 8);
    const char *name = pt_transition_name(event->transition);

    *to++ = ' ';
    memset(to, ' ', 10);
    memcpy(to, name, strlen(name));
    to += 10;
    if (event->transition == PT_OVERFLOW) {
        to = stpcpy(to, "packets lost, InTX unknown");
    } else {
        if (event->transition == PT_STATE)
            to = stpcpy(to, event->in_tx ? "InTX 1, " : "InTX 0, ");
        to = put_address(to, "IP ", event->has_ip, event->ip);
    }
    if (event->transition == PT_ABORT)
        to = put_address(to, ", target ", event->has_target, event->target);
    if (event->transition == PT_COMMIT || event->transition == PT_ABORT)
        to = put_address(to, ", region ", event->has_region, event->region);
    fwrite(line, 1, (size_t)(to - line), out);
}

void pt_print_deviation(const struct pt_tsx_event *event, FILE *out)
{
    fprintf(out, "0x%08" PRIx64 " DEVIATION %s, seen at 0x%" PRIx64 "\n",
            event->offset, pt_deviation_text(event->deviation), event->at);
}
