/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_json.c - by jansson. Addresses and payloads are hexadecimal strings: not
 * every reader keeps 64 bits of a number. */
#include "host/pt_json.h"

#include <inttypes.h>

static void set_hex(json_t *object, const char *name, uint64_t value)
{
    char text[19];

    snprintf(text, sizeof(text), "0x%" PRIx64, value);
    json_object_set_new(object, name, json_string(text));
}

static void set_number(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

void pt_json_line(json_t *object, FILE *out)
{
    json_dumpf(object, out, JSON_COMPACT);
    json_decref(object);
    fputc('\n', out);
}

void pt_json_packet(const struct pt_packet *packet, uint64_t offset,
                    uint64_t ip, FILE *out)
{
    json_t *object = json_object();

    set_number(object, "offset", offset);
    json_object_set_new(object, "packet",
                        json_string(pt_kind_name(packet->kind)));
    set_number(object, "length", packet->length);
    set_hex(object, "payload", packet->payload);
    if (packet->kind >= PT_TIP && packet->kind <= PT_FUP) {
        set_number(object, "ip_bytes", packet->detail);
        if (packet->detail != 0)
            set_hex(object, "ip", ip);
    } else if (packet->kind == PT_TNT_8 || packet->kind == PT_TNT_64) {
        set_number(object, "results", packet->detail);
    } else if (packet->detail != 0) {
        set_number(object, "detail", packet->detail);
    }
    pt_json_line(object, out);
}

void pt_json_event(const struct pt_tsx_event *event, bool has_tsc, uint64_t tsc,
                   FILE *out)
{
    json_t *object = json_object();

    set_number(object, "offset", event->offset);
    if (event->transition != PT_NO_TRANSITION)
        json_object_set_new(object, "transition",
                            json_string(pt_transition_name(event->transition)));
    if (event->transition == PT_STATE)
        json_object_set_new(object, "in_tx", json_boolean(event->in_tx));
    if (event->has_ip)
        set_hex(object, "ip", event->ip);
    if (event->has_target)
        set_hex(object, "target", event->target);
    if (event->has_region)
        set_hex(object, "region", event->region);
    if (has_tsc)
        set_number(object, "tsc", tsc);
    if (event->deviation != PT_NO_DEVIATION) {
        json_object_set_new(object, "deviation",
                            json_string(pt_deviation_text(event->deviation)));
        set_number(object, "seen_at", event->at);
    }
    pt_json_line(object, out);
}
