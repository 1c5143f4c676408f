/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one whole run: identify, decide the regimes, run the tests, write
 * the report. The only entry into the core that the application calls.
 */
#ifndef SRC_SESSION_SESSION_H
#define SRC_SESSION_SESSION_H

#include "src/cpu/machine.h"
#include "src/options/options.h"
#include "src/report/ktap.h"

struct session_setup {
    const struct options *options;
    const struct sink *sinks;
    unsigned sinks_count;
    const char *program;         /* "tsxpmu 0.1 (git 1234567)" */
    uint32_t image_crc;          /* CRC-32 of the image's code as loaded */
    const char *const *warnings; /* found before the session; reported */
    unsigned warnings_count;
    /* The file that microcode= names, MICROCODE_ALIGNED; NULL:
     * microcode_missing says why there is none. Where the options do not ask
     * for it, these are not read. */
    const void *microcode;
    size_t microcode_bytes;
    const char *microcode_missing;
    const struct machine *machine; /* as firmware names it; NULL: not known */
    const char *serial; /* which port the report goes to; NULL: none */
    struct store
        *store;      /* opened; its report is one of the sinks. NULL: none */
    void *workspace; /* session_workspace() bytes, 16-byte aligned */
};

/* Bytes of workspace for so many processors. */
size_t session_workspace(unsigned processors);

/* Runs everything; returns what the END line says. */
struct ktap_totals session_run(const struct session_setup *setup);

#endif
