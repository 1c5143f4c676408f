/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_text.h - packets and transitions as lines of text. */
#ifndef HOST_PT_TEXT_H
#define HOST_PT_TEXT_H

#include "src/pt/tsx_events.h"

#include <stdio.h>

/* Name, and the payload in the manual's words without reserved bits; neither
 * the offset nor the end of the line. ip: of a packet that has one. */
void pt_print_packet(const struct pt_packet *packet, uint64_t ip, FILE *out);

/* The transition, state or overflow, without the end of the line; a line for
 * the deviation. */
void pt_print_transition(const struct pt_tsx_event *event, FILE *out);
void pt_print_deviation(const struct pt_tsx_event *event, FILE *out);

#endif
