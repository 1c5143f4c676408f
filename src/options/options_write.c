/* SPDX-License-Identifier: BSD-2-Clause */
/* options_write.c - options as words again, for the report and the menu. */
#include "src/options/options.h"
#include "src/base/text.h"

struct line {
    char *text;
    size_t at;
};

static void append(struct line *line, const char *format, ...)
    PRINTF_LIKE(2, 3);
static void append(struct line *line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line->at +=
        text_format_list(line->text + line->at, OPTIONS_LINE_BYTES - line->at,
                         format, arguments);
    va_end(arguments);
}

static void append_processors(struct line *line, const struct options *o)
{
    const char *between = " processors=";
    bool all = true;

    for (unsigned p = 0; p < OPTIONS_PROCESSORS_MAX; p++)
        all = all && options_want_processor(o, p);
    for (unsigned p = 0; !all && p < OPTIONS_PROCESSORS_MAX; p++) {
        unsigned last = p;
        if (!options_want_processor(o, p))
            continue;
        while (options_want_processor(o, last + 1))
            last++;
        append(line, "%s%u", between, p);
        if (last != p)
            append(line, "-%u", last);
        between = ",";
        p = last;
    }
}

static void append_serial(struct line *line, const struct options *o)
{
    if (o->serial == SERIAL_OFF)
        append(line, " serial=off");
    if (o->serial == SERIAL_AT && o->serial_stride == 1)
        append(line, " serial=0x%lx", o->serial_address);
    else if (o->serial == SERIAL_AT)
        append(line, " serial=0x%lx/%u", o->serial_address, o->serial_stride);
    if (o->speed != 0)
        append(line, " speed=%u", o->speed);
}

size_t options_write(const struct options *o, char text[OPTIONS_LINE_BYTES])
{
    struct line line = {text, 0};
    struct options usual;

    options_default(&usual);
    append(&line, "tests=%s", o->tests);
    if (o->trials != 0)
        append(&line, " trials=%u", o->trials);
    append(&line, " seed=%lu", o->seed);
    append_processors(&line, o);
    if (o->repeats != usual.repeats)
        append(&line, " repeats=%u", o->repeats);
    if (o->soak != 0)
        append(&line, o->soak % 60 == 0 ? " soak=%u" : " soak=%us",
               o->soak % 60 == 0 ? o->soak / 60 : o->soak);
    if (o->ht != usual.ht)
        append(&line, " ht=%s", options_hts[o->ht]);
    if (o->verbosity != usual.verbosity)
        append(&line, " verbosity=%s", options_verbosities[o->verbosity]);
    if (o->raw != usual.raw)
        append(&line, " raw=%s", options_raws[o->raw]);
    if (o->at_end != usual.at_end)
        append(&line, " exit=%s", options_ends[o->at_end]);
    if (o->countdown != usual.countdown)
        append(&line, " countdown=%u", o->countdown);
    append_serial(&line, o);
    if (o->allow != 0)
        append(&line, " allow=%s%s%s",
               (o->allow & ALLOW_SDV_ENABLE_RTM) != 0 ? "sdv_enable_rtm" : "",
               o->allow == (ALLOW_SDV_ENABLE_RTM | ALLOW_MICROCODE) ? "," : "",
               (o->allow & ALLOW_MICROCODE) != 0 ? "microcode" : "");
    if (o->microcode[0] != '\0')
        append(&line, " microcode=%s", o->microcode);
    if (o->machine[0] != '\0')
        append(&line, " machine=%s", o->machine);
    if (o->identity == IDENTITY_FULL)
        append(&line, " identity=full");
    if (o->send)
        append(&line, " send=tftp");
    return line.at;
}
