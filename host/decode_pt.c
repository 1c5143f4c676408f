/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pt.c - prints packets or transitions of a trace, read by blocks. */
#include "host/decode_pt.h"

#include "host/pt_input.h"
#include "host/pt_text.h"
#include "src/pt/ip.h"

#include <inttypes.h>

/* The result after the packets decoded last. False: there is no more. */
static bool handle_result(struct pt_input *input, struct pt_reader *reader,
                          enum pt_result result, FILE *out)
{
    if (result == PT_MORE)
        return pt_read_block(input, reader);
    if (result != PT_OK && result != PT_END) {
        if (input->complaints < PT_COMPLAINTS)
            fflush(out); /* so that the line comes last on a terminal */
        pt_complain(input, reader, result);
    }
    if (result == PT_END && pt_offset(reader) == 0) {
        if (pt_complains(input))
            fprintf(stderr, "tsxpmu: %s: at 0x0: empty, no packet\n",
                    input->name);
    }
    return result != PT_END && !ferror(out);
}

/* The state of print_packets() from one call to the next. */
struct printer {
    uint64_t ip, pads, pads_at;
    bool bdm064, after_branch;
};

/* The branch before an abort may be wrong: BDM064. */
static void print_bdm064(struct printer *printer,
                         const struct pt_packet *packet, FILE *out)
{
    const bool aborts = packet->kind == PT_MODE_TSX &&
                        (packet->payload & PT_MODE_TSX_TXABORT) != 0;

    if (aborts && printer->after_branch)
        fputs(", BDM064: the branch before may be wrong", out);
    if (packet->kind != PT_CYC && packet->kind != PT_MTC)
        printer->after_branch = packet->kind == PT_TIP ||
                                packet->kind == PT_TNT_8 ||
                                packet->kind == PT_TNT_64;
}

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
        pt_print_packet(packet, printer->ip, out);
        if (printer->bdm064)
            print_bdm064(printer, packet, out);
        fputc('\n', out);
    }
}

static void decode_packets(struct pt_input *input, bool print, unsigned errata,
                           FILE *out)
{
    static struct pt_packet packets[PT_ROOM];
    static uint64_t counts[PT_KINDS];
    struct printer printer = {.bdm064 = (errata & PT_BDM064) != 0};
    struct pt_reader reader;
    enum pt_result result;

    pt_open(&reader);
    reader.errata = (uint8_t)errata;
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

static void decode_transitions(struct pt_input *input, unsigned errata,
                               FILE *out)
{
    static struct pt_tsx tsx;
    struct pt_tsx_event event;
    enum pt_result result;

    pt_tsx_open(&tsx);
    tsx.reader.errata = (uint8_t)errata;
    do {
        result = pt_tsx_next(&tsx, &event);
        if (result != PT_OK)
            continue;
        if (event.transition != PT_NO_TRANSITION)
            pt_print_transition(&event, out);
        if (event.deviation != PT_NO_DEVIATION && pt_complains(input))
            pt_print_deviation(&event, out);
    } while (handle_result(input, &tsx.reader, result, out));
}

bool decode_pt(FILE *in, const char *name, enum decode_pt_what what,
               unsigned errata, FILE *out)
{
    static struct pt_input input;

    input.file = in;
    input.name = name;
    input.good = true;
    if (what == DECODE_PT_TSX)
        decode_transitions(&input, errata, out);
    else
        decode_packets(&input, what == DECODE_PT_PACKETS, errata, out);
    pt_end_complaints(&input);
    return input.good;
}
