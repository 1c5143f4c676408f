/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.c - finds a transaction in a trace, and says its packets. */
#include "host/page/trace.h"

#include "host/pt_text.h"
#include "src/pt/ip.h"
#include "src/pt/tsx_events.h"

#include <stdio.h>
#include <stdlib.h>

#define AROUND 24  /* bytes before and after it */
#define MOST   100 /* packets */

/* The first that begins and ends as it should. */
static bool find(const struct raw *raw, struct pt_tsx_event *begin,
                 struct pt_tsx_event *end)
{
    struct pt_tsx tsx;

    *begin = (struct pt_tsx_event){0};
    pt_tsx_open(&tsx);
    pt_feed(&tsx.reader, raw->bytes, raw->count, true);
    while (pt_tsx_next(&tsx, end) == PT_OK) {
        if (begin->transition == PT_BEGIN &&
            (end->transition == PT_COMMIT || end->transition == PT_ABORT))
            return true;
        *begin = *end;
    }
    return false;
}

static json_t *text_of(const struct pt_packet *packet, uint64_t ip)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    json_t *string = NULL;

    if (out != NULL) {
        pt_print_packet(packet, ip, out);
        if (fclose(out) == 0)
            string = json_stringn(text, bytes);
    }
    free(text);
    return string != NULL ? string : json_string("");
}

static json_t *packets_of(const struct raw *raw, uint64_t from, uint64_t to)
{
    json_t *packets = json_array();
    struct pt_reader reader;
    struct pt_packet packet;
    uint64_t ip = 0;

    pt_open(&reader);
    pt_feed(&reader, raw->bytes, raw->count, true);
    while (pt_next(&reader, &packet) == PT_OK &&
           json_array_size(packets) < MOST) {
        const uint64_t offset = pt_offset(&reader) - packet.length;
        if (packet.kind == PT_PSB)
            ip = 0;
        if (packet.kind >= PT_TIP && packet.kind <= PT_FUP)
            ip = pt_ip(ip, packet.detail, packet.payload);
        if (packet.kind != PT_PAD && offset + AROUND >= from &&
            offset <= to + AROUND)
            json_array_append_new(packets,
                                  json_pack("[I, i, s, o]", (json_int_t)offset,
                                            (int)packet.length,
                                            pt_kind_name(packet.kind),
                                            text_of(&packet, ip)));
    }
    return packets;
}

void trace_add(json_t *kind, const struct report *report,
               const struct result *result)
{
    static struct raw raw;
    struct pt_tsx_event begin, end;
    json_t *traces = json_object_get(kind, "traces");
    size_t line = result->first;

    if (json_object_getn(traces, result->test.at, result->test.bytes) != NULL)
        return;
    while (report_raw(report, result, &line, &raw)) {
        if (raw.damaged || !span_is(raw.what, "Processor Trace") ||
            !find(&raw, &begin, &end))
            continue;
        if (traces == NULL) {
            traces = json_object();
            json_object_set_new(kind, "traces", traces);
        }
        json_object_setn_new(traces, result->test.at, result->test.bytes,
                             json_pack("{s:o, s:I, s:I, s:s}", "packets",
                                       packets_of(&raw, begin.offset, end.at),
                                       "from", (json_int_t)begin.offset, "to",
                                       (json_int_t)end.at, "end",
                                       pt_transition_name(end.transition)));
        return;
    }
}
