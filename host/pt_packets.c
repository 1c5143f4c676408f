/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_packets.c - prints or counts packets. */
#include "host/pt_packets.h"

#include "host/pt_count.h"
#include "host/pt_json.h"
#include "host/pt_text.h"
#include "host/pt_threads.h"
#include "src/pt/ip.h"

#include <inttypes.h>
#include <string.h>

/* The state of print_packets() from one call to the next. */
struct printer {
    const struct decode_pt_options *options;
    uint64_t from, to, kinds; /* bits: those to be printed */
    uint64_t ip, pads, pads_at;
    bool after_branch;
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

static void print_line(struct printer *printer, const struct pt_packet *packet,
                       uint64_t offset, FILE *out)
{
    if (printer->options->json) {
        pt_json_packet(packet, offset, printer->ip, out);
        return;
    }
    fprintf(out, "0x%08" PRIx64 " ", offset);
    pt_print_packet(packet, printer->ip, out);
    if ((printer->options->errata & PT_BDM064) != 0)
        print_bdm064(printer, packet, out);
    fputc('\n', out);
}

static void print_packets(struct printer *printer,
                          const struct pt_packet *packets, size_t count,
                          uint64_t offset, FILE *out)
{
    for (size_t i = 0; i < count; offset += packets[i++].length) {
        const struct pt_packet *packet = &packets[i];
        const bool print = offset >= printer->from && offset < printer->to &&
                           (printer->kinds >> packet->kind & 1) != 0;
        if (packet->kind == PT_PAD && !printer->options->json) {
            if (print && printer->pads++ == 0)
                printer->pads_at = offset;
            continue;
        }
        end_pads(printer, out);
        if (packet->kind == PT_PSB)
            printer->ip = 0;
        if (packet->kind >= PT_TIP && packet->kind <= PT_FUP)
            printer->ip = pt_ip(printer->ip, packet->detail, packet->payload);
        if (print)
            print_line(printer, packet, offset, out);
    }
}

/* So that no count waits for the one before. */
struct counts {
    uint64_t ways[4][PT_KINDS];
};

static void count_packets(struct counts *counts, const struct printer *printer,
                          const struct pt_packet *packets, size_t count,
                          uint64_t offset)
{
    if (printer->from == 0 && printer->to == UINT64_MAX) {
        for (size_t i = 0; i < count; i++)
            counts->ways[i % 4][packets[i].kind]++;
        return;
    }
    for (size_t i = 0; i < count; offset += packets[i++].length)
        if (offset >= printer->from && offset < printer->to)
            counts->ways[0][packets[i].kind]++;
}

static void print_counts(const struct counts *counts,
                         const struct printer *printer, FILE *out)
{
    json_t *object = printer->options->json ? json_object() : NULL;

    for (unsigned kind = 0; kind < PT_KINDS; kind++) {
        uint64_t count = 0;
        for (unsigned way = 0; way < 4; way++)
            count += counts->ways[way][kind];
        if (count == 0 || (printer->kinds >> kind & 1) == 0)
            continue;
        if (object != NULL)
            json_object_set_new(object, pt_kind_name(kind),
                                json_integer((json_int_t)count));
        else
            fprintf(out, "%s\t%" PRIu64 "\n", pt_kind_name(kind), count);
    }
    if (object != NULL)
        pt_json_line(object, out);
}

void pt_packets(struct pt_input *input, const struct decode_pt_options *options,
                FILE *out)
{
    static struct pt_packet packets[PT_ROOM];
    struct pt_counts fast = {.psbs = 0};
    struct counts counts = {0};
    struct printer printer = {.options = options,
                              .from = options->from,
                              .to = input->to,
                              .kinds = decode_pt_names(options)};
    struct pt_reader reader;
    enum pt_result result;
    const bool all =
        options->count && printer.from == 0 && printer.to == UINT64_MAX;

    if (all && options->errata == 0 && input->pieces == NULL &&
        pt_count_by_threads(input->file, counts.ways[0])) {
        print_counts(&counts, &printer, out);
        return;
    }
    pt_open(&reader);
    reader.errata = (uint8_t)options->errata;
    do {
        if (all)
            pt_count(&reader, &fast);
        const uint64_t offset = pt_offset(&reader);
        const size_t count =
            pt_decode(&reader, packets, all ? 1 : PT_ROOM, &result);
        if (options->count)
            count_packets(&counts, &printer, packets, count, offset);
        else if (!options->quiet)
            print_packets(&printer, packets, count, offset, out);
        if (result != PT_OK && result != PT_MORE)
            end_pads(&printer, out);
    } while (pt_go_on(input, &reader, result, out));
    end_pads(&printer, out);
    pt_count_kinds(&fast, counts.ways[0]);
    if (options->count)
        print_counts(&counts, &printer, out);
}
