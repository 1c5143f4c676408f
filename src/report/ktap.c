/* SPDX-License-Identifier: BSD-2-Clause */
/* ktap.c - writes the lines of a report. */
#include "src/report/ktap.h"

#include "src/base/crc.h"

static void warn_of_failures(struct ktap *out)
{
    for (unsigned s = 0; s < out->sinks_count; s++) {
        const struct sink *sink = &out->sinks[s];
        const char *why =
            sink->failure != NULL ? sink->failure(sink->self) : NULL;
        if (why != NULL)
            ktap_note(out, "warning: %s", why);
    }
}

/* line: room for KTAP_LINE_BYTES, `bytes` of them used, without "\n". */
static void write_line(struct ktap *out, char *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (line[i] < ' ' || line[i] > '~')
            line[i] = '?';
    line[bytes++] = '\n';
    out->at.crc = crc32(out->at.crc, line, bytes);
    for (unsigned s = 0; s < out->sinks_count; s++)
        out->sinks[s].write(out->sinks[s].self, line, bytes);
    if (!out->ended)
        warn_of_failures(out);
}

static void write_format(struct ktap *out, const char *format, ...)
    PRINTF_LIKE(2, 3);
static void write_format(struct ktap *out, const char *format, ...)
{
    char line[KTAP_LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    size_t bytes = text_format_list(line, sizeof(line), format, arguments);
    va_end(arguments);
    write_line(out, line, bytes);
}

void ktap_open(struct ktap *out, const struct sink *sinks, unsigned sinks_count,
               unsigned planned)
{
    *out = (struct ktap){.sinks = sinks, .sinks_count = sinks_count};
    write_format(out, "KTAP version 1");
    write_format(out, "1..%u", planned);
}

void ktap_reopen(struct ktap *out, const struct sink *sinks,
                 unsigned sinks_count, const struct ktap_point *written)
{
    *out = (struct ktap){
        .sinks = sinks, .sinks_count = sinks_count, .at = *written};
}

void ktap_note(struct ktap *out, const char *format, ...)
{
    char line[KTAP_LINE_BYTES] = "# ";
    va_list arguments;

    va_start(arguments, format);
    size_t bytes =
        text_format_list(line + 2, sizeof(line) - 2, format, arguments);
    va_end(arguments);
    write_line(out, line, bytes + 2);
}

void ktap_result(struct ktap *out, enum verdict verdict, const char *name,
                 const char *more)
{
    struct ktap_totals *totals = &out->at.totals;
    unsigned n = ++out->at.results;

    switch (verdict) {
    case VERDICT_PASS:
        totals->pass++;
        write_format(out, "ok %u - %s%s%s", n, name,
                     *more != '\0' ? " # OBSERVED " : "", more);
        break;
    case VERDICT_SKIP:
        totals->skip++;
        write_format(out, "ok %u - %s # SKIP %s", n, name, more);
        break;
    case VERDICT_KNOWN:
        totals->known++;
        write_format(out, "ok %u - %s # KNOWN %s", n, name, more);
        break;
    case VERDICT_FAIL:
        totals->fail++;
        write_format(out, "not ok %u - %s", n, name);
        break;
    case VERDICT_NONE:
    case VERDICT_ERROR:
        totals->error++;
        write_format(out, "not ok %u - %s # ERROR %s", n, name, more);
        break;
    }
}

void ktap_flush(struct ktap *out)
{
    for (unsigned s = 0; s < out->sinks_count; s++)
        out->sinks[s].flush(out->sinks[s].self);
}

void ktap_tick(struct ktap *out)
{
    for (unsigned s = 0; s < out->sinks_count; s++)
        if (out->sinks[s].tick != NULL)
            out->sinks[s].tick(out->sinks[s].self);
}

void ktap_end(struct ktap *out)
{
    const struct ktap_totals *totals = &out->at.totals;

    ktap_flush(out);
    warn_of_failures(out); /* nothing is said after the END line */
    out->ended = true;
    write_format(out,
                 "# END pass=%u fail=%u error=%u skip=%u known=%u crc=%08X",
                 totals->pass, totals->fail, totals->error, totals->skip,
                 totals->known, out->at.crc);
    ktap_flush(out);
}
