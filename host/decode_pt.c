/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pt.c - prints packets or transitions of a trace, read by blocks. */
#include "host/decode_pt.h"

#include "src/pt/ip.h"
#include "src/pt/tsx_events.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK (1u << 20)

struct input {
    FILE *file;
    const char *name;
    bool good; /* nothing wrong so far */
    uint8_t bytes[PT_REST + BLOCK];
};

/* The next block, after what the reader left of the last one. False: the file
 * cannot be read. */
static bool read_block(struct input *input, struct pt_reader *reader)
{
    size_t rest = reader->size - reader->at, got;

    if (rest != 0)
        memmove(input->bytes, reader->bytes + reader->at, rest);
    got = fread(input->bytes + rest, 1, BLOCK, input->file);
    if (ferror(input->file)) {
        fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": %s\n", input->name,
                pt_offset(reader) + rest, strerror(errno));
        return input->good = false;
    }
    pt_feed(reader, input->bytes, rest + got, got < BLOCK);
    return true;
}

/* The opcode: one byte, or two from 02H on. */
static void print_opcode_error(const struct pt_reader *reader)
{
    const uint8_t *bytes = reader->bytes + reader->at;

    fprintf(stderr, "%s %02XH", pt_result_text(PT_UNDEFINED_OPCODE), bytes[0]);
    if (bytes[0] == 0x02)
        fprintf(stderr, " %02XH", bytes[1]);
    fputc('\n', stderr);
}

/* One line for a result that is no packet. */
static void print_error(struct input *input, const struct pt_reader *reader,
                        enum pt_result result)
{
    const uint64_t from = reader->where, to = pt_offset(reader);

    input->good = false;
    fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": ", input->name, from);
    if (result == PT_LOST)
        fprintf(stderr, "%" PRIu64 " bytes passed over: %s\n", to - from,
                reader->synced ? "then a PSB" : "no PSB to the end");
    else if (result == PT_CUT)
        fprintf(stderr, "%s, after %" PRIu64 " bytes of it\n",
                pt_result_text(result), to - from);
    else if (result == PT_UNDEFINED_OPCODE)
        print_opcode_error(reader);
    else
        fprintf(stderr, "%s\n", pt_result_text(result));
}

/* The result after the packets decoded last. False: there is no more. */
static bool handle_result(struct input *input, struct pt_reader *reader,
                          enum pt_result result, FILE *out)
{
    if (result == PT_MORE)
        return read_block(input, reader);
    if (result != PT_OK && result != PT_END) {
        fflush(out); /* so that the line comes last on a terminal */
        print_error(input, reader, result);
    }
    if (result == PT_END && pt_offset(reader) == 0) {
        fprintf(stderr, "tsxpmu: %s: at 0x0: empty, no packet\n", input->name);
        input->good = false;
    }
    return result != PT_END && !ferror(out);
}

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

/* Name, and the payload in the manual's words without reserved bits. */
static void print_packet(const struct pt_packet *packet, uint64_t ip, FILE *out)
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
        PRINT("CS.L&LMA %" PRIu64 ", CS.D %" PRIu64, FIELD(0, 0), FIELD(1, 1));
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

/* The state of print_packets() from one call to the next. */
struct printer {
    uint64_t ip, pads, pads_at;
};

static void end_pads(struct printer *printer, FILE *out)
{
    if (printer->pads != 0)
        fprintf(out, "0x%08" PRIx64 " pad       x %" PRIu64 "\n",
                printer->pads_at, printer->pads);
    printer->pads = 0;
}

static void print_packets(struct printer *printer,
                          const struct pt_packet *packets, size_t count,
                          uint64_t offset, FILE *out)
{
    for (size_t i = 0; i < count; offset += packets[i++].length) {
        const struct pt_packet *packet = &packets[i];
        if (packet->kind == PT_PAD) {
            if (printer->pads++ == 0)
                printer->pads_at = offset;
            continue;
        }
        end_pads(printer, out);
        if (packet->kind == PT_PSB)
            printer->ip = 0;
        if (packet->kind >= PT_TIP && packet->kind <= PT_FUP)
            printer->ip = pt_ip(printer->ip, packet->detail, packet->payload);
        fprintf(out, "0x%08" PRIx64 " ", offset);
        print_packet(packet, printer->ip, out);
        fputc('\n', out);
    }
}

static void decode_packets(struct input *input, bool print, FILE *out)
{
    static struct pt_packet packets[PT_ROOM];
    static uint64_t counts[PT_KINDS];
    struct printer printer = {0, 0, 0};
    struct pt_reader reader;
    enum pt_result result;

    pt_open(&reader);
    do {
        const uint64_t offset = pt_offset(&reader);
        size_t count = pt_decode(&reader, packets, PT_ROOM, &result);
        if (print)
            print_packets(&printer, packets, count, offset, out);
        else
            for (size_t i = 0; i < count; i++)
                counts[packets[i].kind]++;
        if (result != PT_OK && result != PT_MORE)
            end_pads(&printer, out);
    } while (handle_result(input, &reader, result, out));
    for (unsigned kind = 0; kind < PT_KINDS; kind++)
        if (counts[kind] != 0)
            fprintf(out, "%s\t%" PRIu64 "\n", pt_kind_name(kind), counts[kind]);
}

static void print_address(const char *before, bool has, uint64_t address,
                          FILE *out)
{
    if (has)
        fprintf(out, "%s0x%016" PRIx64, before, address);
    else
        fprintf(out, "%sunknown", before);
}

static void print_event(const struct pt_tsx_event *event, FILE *out)
{
    if (event->transition != PT_NO_TRANSITION) {
        fprintf(out, "0x%08" PRIx64 " %-9s ", event->offset,
                pt_transition_name(event->transition));
        if (event->transition == PT_STATE)
            fprintf(out, "InTX %d, ", event->in_tx);
        print_address("IP ", event->has_ip, event->ip, out);
        if (event->transition == PT_ABORT)
            print_address(", target ", event->has_target, event->target, out);
        if (event->transition == PT_COMMIT || event->transition == PT_ABORT)
            print_address(", region ", event->has_region, event->region, out);
        fputc('\n', out);
    }
    if (event->deviation != PT_NO_DEVIATION)
        fprintf(out, "0x%08" PRIx64 " DEVIATION %s, seen at 0x%" PRIx64 "\n",
                event->offset, pt_deviation_text(event->deviation), event->at);
}

static void decode_transitions(struct input *input, FILE *out)
{
    static struct pt_tsx tsx;
    struct pt_tsx_event event;
    enum pt_result result;

    pt_tsx_open(&tsx);
    do {
        result = pt_tsx_next(&tsx, &event);
        if (result != PT_OK)
            continue;
        print_event(&event, out);
        if (event.deviation != PT_NO_DEVIATION)
            input->good = false;
    } while (handle_result(input, &tsx.reader, result, out));
}

bool decode_pt(FILE *in, const char *name, enum decode_pt_what what, FILE *out)
{
    static struct input input;

    input.file = in;
    input.name = name;
    input.good = true;
    if (what == DECODE_PT_TSX)
        decode_transitions(&input, out);
    else
        decode_packets(&input, what == DECODE_PT_PACKETS, out);
    return input.good;
}
