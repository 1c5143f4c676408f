/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_session.c - the list of cases, and a sink that keeps the report. */
#include "tests/host/fakes/fake_hw.h"

#include "src/session/session.h"

#include <stdlib.h>
#include <string.h>

const struct test *const *fake_cases;
char fake_report[65536];
unsigned fake_flushes;
static size_t report_bytes;

const struct test *const *case_list(void)
{
    static const struct test *const none[] = {NULL};

    return fake_cases != NULL ? fake_cases : none;
}

void fake_report_reset(void)
{
    report_bytes = 0;
    fake_flushes = 0;
    memset(fake_report, 0, sizeof(fake_report));
}

static void sink_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    if (bytes >= sizeof(fake_report) - report_bytes)
        abort();
    memcpy(fake_report + report_bytes, text, bytes);
    report_bytes += bytes;
}

static void sink_flush(void *self)
{
    (void)self;
    fake_flushes++;
}

void fake_sink(struct sink *out)
{
    *out = (struct sink){.write = sink_write, .flush = sink_flush};
}
