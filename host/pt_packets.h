/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_packets.h - every packet of a trace, or the number of each. */
#ifndef HOST_PT_PACKETS_H
#define HOST_PT_PACKETS_H

#include "host/decode_pt.h"
#include "host/pt_input.h"

void pt_packets(struct pt_input *input, const struct decode_pt_options *options,
                FILE *out);

#endif
