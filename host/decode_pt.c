/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pt.c - transitions of transactions; and which way a trace is shown. */
#include "host/decode_pt.h"

#include "host/perf_data.h"
#include "host/pt_json.h"
#include "host/pt_packets.h"
#include "host/pt_salvage.h"
#include "host/pt_text.h"
#include "host/pt_tsx_threads.h"

#include <inttypes.h>
#include <string.h>

/* "deviation" is the one after the names of transitions. */
int decode_pt_name(const char *name, size_t length, bool transitions)
{
    const int count = transitions ? PT_TRANSITIONS + 1 : PT_KINDS;

    for (int i = transitions ? 1 : 0; i < count; i++) {
        const char *known = !transitions ? pt_kind_name((unsigned)i)
                            : i == PT_TRANSITIONS
                                ? "deviation"
                                : pt_transition_name((enum pt_transition)i);
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return i;
    }
    return -1;
}

uint64_t decode_pt_names(const struct decode_pt_options *options)
{
    const bool transitions = options->tsx || options->summary;
    const char *word = options->only;
    uint64_t bits = 0;

    for (; word != NULL && *word != '\0';) {
        const size_t length = strcspn(word, ",");
        const int bit = decode_pt_name(word, length, transitions);
        if (bit >= 0)
            bits |= UINT64_C(1) << bit;
        word += length + (word[length] == ',');
    }
    return options->only == NULL ? UINT64_MAX : bits;
}

void decode_pt_event(struct pt_input *input,
                     const struct decode_pt_options *options, uint64_t names,
                     const struct pt_tsx_event *event,
                     const struct pt_clock *clock, FILE *out)
{
    uint64_t tsc = 0;
    const bool has_tsc =
        options->time && clock != NULL && pt_clock_tsc(clock, &tsc);
    const bool transition = event->transition != PT_NO_TRANSITION &&
                            (names >> event->transition & 1) != 0;
    const bool deviation = event->deviation != PT_NO_DEVIATION &&
                           pt_complains(input) &&
                           (names >> PT_TRANSITIONS & 1) != 0;

    if (!options->tsx || options->quiet)
        return;
    if (options->json && (transition || deviation))
        pt_json_event(event, has_tsc, tsc, out);
    if (options->json)
        return;
    if (transition) {
        pt_print_transition(event, out);
        if (has_tsc)
            fprintf(out, ", TSC %" PRIu64, tsc);
        fputc('\n', out);
    }
    if (deviation)
        pt_print_deviation(event, out);
}

void decode_pt_lost(struct pt_input *input,
                    const struct decode_pt_options *options, uint64_t names,
                    const struct pt_reader *reader, struct pt_summary *summary,
                    FILE *out)
{
    static struct pt_salvage salvage;
    struct pt_tsx_event event;

    if (!pt_salvage_open(&salvage, reader))
        return;
    while (pt_salvage_next(&salvage, &event)) {
        if (event.offset < options->from || event.offset >= input->to)
            continue;
        if (summary != NULL)
            pt_summary_event(summary, &event, false, 0);
        decode_pt_event(input, options, names, &event, NULL, out);
    }
}

/* The clock reads the same block, up to where the transitions are. */
static void read_clock(struct pt_clock *clock, const struct pt_reader *reader,
                       uint64_t offset)
{
    if (clock->reader.bytes != reader->bytes ||
        clock->reader.offset != reader->offset)
        pt_feed(&clock->reader, reader->bytes, reader->size, reader->last);
    pt_clock_read(clock, offset);
}

static void transitions(struct pt_input *input,
                        const struct decode_pt_options *options,
                        struct pt_summary *summary, FILE *out)
{
    static struct pt_tsx tsx;
    static struct pt_clock clock;
    const uint64_t names = decode_pt_names(options);
    struct pt_tsx_event event = {0};
    enum pt_result result;

    pt_tsx_open(&tsx);
    tsx.doubts = true;
    pt_clock_open(&clock, &options->clock);
    tsx.reader.errata = clock.reader.errata = (uint8_t)options->errata;
    if (!options->summary && !options->time && input->pieces == NULL &&
        options->from == 0 && !options->has_to)
        pt_tsx_by_threads(input, options, &tsx, out);
    do {
        result = pt_tsx_next(&tsx, &event);
        if (options->time && tsx.reader.size != 0)
            read_clock(&clock, &tsx.reader,
                       result == PT_MORE ? UINT64_MAX : event.offset);
        if (result == PT_OK && event.offset >= options->from &&
            event.offset < input->to) {
            uint64_t tsc;
            const bool has_tsc = options->time && pt_clock_tsc(&clock, &tsc);
            pt_summary_event(summary, &event, has_tsc, has_tsc ? tsc : 0);
            decode_pt_event(input, options, names, &event, &clock, out);
        }
        if (result == PT_LOST)
            decode_pt_lost(input, options, names, &tsx.reader, summary, out);
        if (result > PT_END && tsx.reader.where >= options->from)
            pt_summary_error(summary,
                             result == PT_LOST
                                 ? pt_offset(&tsx.reader) - tsx.reader.where
                                 : 0);
    } while (pt_go_on(input, &tsx.reader, result, out));
}

static void decode(struct pt_input *input,
                   const struct decode_pt_options *options, FILE *out)
{
    struct pt_summary summary = {0};

    if (!options->tsx && !options->summary) {
        pt_packets(input, options, out);
        return;
    }
    transitions(input, options, &summary, out);
    if (options->summary && options->json)
        pt_json_line(pt_summary_json(&summary), out);
    else if (options->summary)
        pt_summary_print(&summary, out);
    pt_summary_free(&summary);
}

bool decode_pt(FILE *in, const char *name,
               const struct decode_pt_options *options, FILE *out)
{
    static struct pt_input input;
    struct perf_data perf = {0};
    bool good = true;

    input = (struct pt_input){.file = in,
                              .name = name,
                              .good = true,
                              .quiet = options->quiet,
                              .from = options->from,
                              .to = options->has_to ? options->to : UINT64_MAX};
    if (!perf_data_is(in)) {
        decode(&input, options, out);
        pt_end_complaints(&input);
        return input.good;
    }
    if (!perf_data_read(in, name, &perf))
        return false;
    for (size_t i = 0; i < perf.count; i++) {
        char part[64];
        if (perf.streams[i].cpu >= 0)
            snprintf(part, sizeof(part), "cpu %" PRId32, perf.streams[i].cpu);
        else
            snprintf(part, sizeof(part), "thread %" PRIu32,
                     perf.streams[i].thread);
        if (!options->json && !options->quiet)
            fprintf(out, "# %s, from 0x%" PRIx64 "\n", part,
                    perf.streams[i].offset);
        input.part = part;
        input.pieces = perf.streams[i].pieces;
        input.piece_count = perf.streams[i].count;
        input.good = true;
        input.complaints = 0;
        decode(&input, options, out);
        pt_end_complaints(&input);
        good &= input.good;
    }
    perf_data_free(&perf);
    return good;
}
