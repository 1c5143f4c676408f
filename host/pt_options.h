/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_options.h - the options of `decode pt`, for argp. */
#ifndef HOST_PT_OPTIONS_H
#define HOST_PT_OPTIONS_H

#include "host/decode_pt.h"

#include <argp.h>

/* A child parser: its input is a struct decode_pt_options of zeros. */
extern const struct argp pt_options;

/* What does not fit together ends the program with a line. */
void pt_options_check(const struct decode_pt_options *options,
                      struct argp_state *state);

#endif
