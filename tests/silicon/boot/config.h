/* SPDX-License-Identifier: BSD-2-Clause */
/* config.h - the configuration text: lines of key=value, # for comments. */
#ifndef SILICON_BOOT_CONFIG_H
#define SILICON_BOOT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/equipment/sweep_config.h"
#include "tests/silicon/model/machine.h"

#define CONFIG_APP_MAX     128
#define CONFIG_ERRATA_MAX  128
#define CONFIG_OPTIONS_MAX 512
#define CONFIG_MESSAGE_MAX 8192

struct config {
    struct machine_config machine;
    bool turns;      /* processors run one at a time */
    uint64_t offset; /* ns that the run begins later */
    bool figures;    /* print what the simulation cost */
    bool memory;     /* compare memory, too, before and after */
    struct sweep_config sweep;
    uint64_t lost;    /* this AP never starts; 0: all do */
    uint64_t stuck;   /* this AP never returns from its procedure */
    bool mp_blocking; /* MP services: blocking mode alone */
    bool late_timer;  /* APs' timers have interrupted before they were masked */
    char errata[CONFIG_ERRATA_MAX]; /* published ids, with commas between */
    char app[CONFIG_APP_MAX];       /* what is started; empty: the usual */
    char options[CONFIG_OPTIONS_MAX];
    char message[CONFIG_MESSAGE_MAX]; /* warnings or the error, a line each */
};

/*
 * Reads the text into *config, which starts from the defaults. False: there is
 * an error and config->message is one line that says which. True: message is
 * empty or one line per unknown key. Lines end with \n; a missing last \n, \r
 * before it and blanks around keys and values do not matter.
 */
bool config_parse(struct config *config, const char *text, size_t length);

#endif
