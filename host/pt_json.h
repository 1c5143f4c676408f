/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_json.h - packets and transitions as JSON, an object a line. */
#ifndef HOST_PT_JSON_H
#define HOST_PT_JSON_H

#include "src/pt/tsx_events.h"

#include <jansson.h>
#include <stdio.h>

void pt_json_packet(const struct pt_packet *packet, uint64_t offset,
                    uint64_t ip, FILE *out);
void pt_json_event(const struct pt_tsx_event *event, bool has_tsc, uint64_t tsc,
                   FILE *out);

/* Writes the object and its end of line, and lets go of it. */
void pt_json_line(json_t *object, FILE *out);

#endif
