/* SPDX-License-Identifier: BSD-2-Clause */
/* sweep_config.h - what goes wrong in the application, in each of many runs. */
#ifndef SILICON_EQUIPMENT_SWEEP_CONFIG_H
#define SILICON_EQUIPMENT_SWEEP_CONFIG_H

#include <stdint.h>

enum sweep { SWEEP_NONE, SWEEP_MSR, SWEEP_EXCEPTION, SWEEP_WRITE };

struct sweep_config {
    enum sweep kind;
    uint64_t first, step; /* number of the first, and from one to the next */
};

#endif
