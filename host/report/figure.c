/* SPDX-License-Identifier: BSD-2-Clause */
/* figure.c - the shapes of evidence, in the order of docs/report.grammar. */
#include "host/report/figure.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef bool number_reader(struct span *rest, uint64_t *number);

static bool take_range(struct span *rest, number_reader *read,
                       struct range *out)
{
    struct span more;

    if (!read(rest, &out->least))
        return false;
    out->most = out->least;
    more = *rest;
    if (take(&more, "..") && read(&more, &out->most))
        *rest = more;
    else
        out->most = out->least;
    return true;
}

static bool count(struct span *rest, struct range *out)
{
    return take_range(rest, take_number, out);
}

/* Two numbers and what stands between them. */
static bool pair(struct span *rest, number_reader *read, const char *between,
                 struct figure *out)
{
    return take_range(rest, read, &out->a) && take(rest, between) &&
           take_range(rest, read, &out->b);
}

/* WORDS, then `after`, then what fits: at the first place where it does.
 * *line is moved past it. */
static bool words_then(struct span *line, const char *after,
                       bool (*fits)(struct span *rest, struct figure *out),
                       struct figure *out)
{
    struct span rest = *line, passed;

    while (take_until(&rest, after, &passed)) {
        struct span tail = rest;
        size_t bytes = (size_t)(passed.at - line->at) + passed.bytes;
        if (bytes != 0 && fits(&tail, out)) {
            out->what = (struct span){line->at, bytes};
            *line = tail;
            return true;
        }
        /* The next place may overlap with this one. */
        rest = (struct span){passed.at + passed.bytes + 1,
                             line->bytes - bytes - 1};
    }
    return false;
}

static bool a_of_b(struct span *rest, struct figure *out)
{
    return pair(rest, take_number, " of ", out);
}

static bool a_to_b(struct span *rest, struct figure *out)
{
    return pair(rest, take_number, " to ", out);
}

static bool before_after(struct span *rest, struct figure *out)
{
    return take(rest, "before ") && pair(rest, take_hex, ", after ", out);
}

static bool value(struct span *rest, struct figure *out)
{
    return take_range(rest, take_hex, &out->a);
}

static bool any(struct span *rest, struct figure *out)
{
    (void)out;
    return rest->bytes != 0;
}

static bool a_of_b_alone(struct span *rest, struct figure *out)
{
    return a_of_b(rest, out) && rest->bytes == 0;
}

/* "FAIL: " and its like: something follows. */
static bool text_after(struct span *line, const char *word, struct span *out)
{
    struct span rest = *line;

    if (!take(&rest, word) || rest.bytes == 0)
        return false;
    *out = rest;
    return true;
}

/* "KNOWN SKL018: ..": two or three capitals and three digits. */
static bool erratum(struct span *line, struct figure *out)
{
    struct span rest = *line, id;
    size_t letters = 0;

    if (!take(&rest, "KNOWN ") || !take_until(&rest, ": ", &id) ||
        rest.bytes == 0)
        return false;
    out->more = rest;
    rest = id;
    while (rest.bytes > 3 && *rest.at >= 'A' && *rest.at <= 'Z') {
        rest.at++;
        rest.bytes--;
        letters++;
    }
    for (unsigned n = 0; n < 3; n++, rest.at++, rest.bytes--)
        if (rest.bytes == 0 || *rest.at < '0' || *rest.at > '9')
            return false;
    out->what = (struct span){id.at, letters + 3};
    return (letters == 2 || letters == 3) &&
           (rest.bytes == 0 ||
            span_is(rest, " (inferred from the client processor)"));
}

static bool cut(struct span *line, struct figure *out)
{
    struct span rest = *line;

    return take_number(&rest, &out->a.least) &&
           span_is(rest, " more lines left out");
}

static bool few(struct span *line, struct figure *out)
{
    struct span rest = *line;

    return take(&rest, "trials=") && take_number(&rest, &out->a.least) &&
           take(&rest, " is fewer than the ") &&
           take_number(&rest, &out->b.least) &&
           span_is(rest, " that this test asks for");
}

static bool may(struct span *line, struct figure *out)
{
    struct span rest = *line;

    out->observed = take(&rest, "OBSERVED ");
    return (out->observed || take(&rest, "NOT OBSERVED ")) &&
           words_then(&rest, ": ", a_of_b_alone, out);
}

static bool amount(struct span *line, struct figure *out)
{
    struct span rest = *line;

    return count(&rest, &out->a) && take(&rest, " ") &&
           text_after(&rest, "", &out->what);
}

static enum shape shape_of(struct span *line, struct figure *out)
{
    static const struct {
        const char *after;
        bool (*fits)(struct span *rest, struct figure *out);
        enum shape shape;
    } later[] = {
        {" counted ", a_to_b, SHAPE_COUNTED},
        {": ", before_after, SHAPE_CHANGE},
        {" = ", value, SHAPE_VALUE},
        {": ", a_of_b, SHAPE_SHARE},
    };

    if (text_after(line, "FAIL: ", &out->what))
        return SHAPE_FAIL;
    if (text_after(line, "ERROR: ", &out->what))
        return SHAPE_TROUBLE;
    if (erratum(line, out))
        return SHAPE_ERRATUM;
    out->more = (struct span){NULL, 0};
    if (text_after(line, "SKIP: ", &out->what))
        return SHAPE_SKIP;
    if (cut(line, out) || few(line, out)) {
        out->a.most = out->a.least;
        out->b.most = out->b.least;
        return *line->at == 't' ? SHAPE_FEW : SHAPE_CUT;
    }
    if (may(line, out))
        return SHAPE_MAY;
    for (size_t i = 0; i < COUNT(later); i++)
        if (words_then(line, later[i].after, later[i].fits, out)) {
            out->more = *line;
            return later[i].shape;
        }
    if (amount(line, out))
        return SHAPE_AMOUNT;
    if (words_then(line, ": ", any, out)) {
        out->more = *line;
        return SHAPE_NAMED;
    }
    out->what = *line;
    return SHAPE_SENTENCE;
}

/* "processor 3: " or "processors 0-2,5: ". */
static void take_processors(struct span *line, struct span *out)
{
    struct span rest = *line, set;

    if (!take(&rest, "processor"))
        return;
    take(&rest, "s");
    if (!take(&rest, " ") || !take_until(&rest, ": ", &set) || set.bytes == 0 ||
        *set.at < '0' || *set.at > '9')
        return;
    *out = set;
    if (set.bytes > 3 && memcmp(set.at + set.bytes - 3, ",..", 3) == 0)
        set.bytes -= 3; /* more than there was room for */
    for (size_t i = 0; i < set.bytes; i++)
        if ((set.at[i] < '0' || set.at[i] > '9') && set.at[i] != ',' &&
            set.at[i] != '-') {
            *out = (struct span){0};
            return;
        }
    *line = rest;
}

bool figure_read(struct span line, struct figure *out)
{
    static const char *const of_the_run[] = {
        "END ",   "summary: ", "running ",  "round ", "tick ",
        "soak: ", "raw ",      "options: ", "asks: ",
    };

    *out = (struct figure){0};
    if (!take(&line, "# "))
        return false;
    for (size_t i = 0; i < COUNT(of_the_run); i++)
        if (take(&line, of_the_run[i]))
            return false;
    take_processors(&line, &out->processors);
    out->shape = shape_of(&line, out);
    return true;
}

const char *figure_shape(enum shape shape)
{
    static const char *const names[] = {
        [SHAPE_FAIL] = "fail",       [SHAPE_TROUBLE] = "trouble",
        [SHAPE_ERRATUM] = "erratum", [SHAPE_SKIP] = "skip",
        [SHAPE_CUT] = "cut",         [SHAPE_FEW] = "few",
        [SHAPE_MAY] = "may",         [SHAPE_COUNTED] = "counted",
        [SHAPE_CHANGE] = "change",   [SHAPE_VALUE] = "value",
        [SHAPE_SHARE] = "share",     [SHAPE_AMOUNT] = "amount",
        [SHAPE_NAMED] = "named",     [SHAPE_SENTENCE] = "sentence",
    };

    return names[shape];
}

unsigned figure_numbers(enum shape shape, bool *hexadecimal)
{
    *hexadecimal = shape == SHAPE_CHANGE || shape == SHAPE_VALUE;
    switch (shape) {
    case SHAPE_FEW:
    case SHAPE_MAY:
    case SHAPE_COUNTED:
    case SHAPE_CHANGE:
    case SHAPE_SHARE:
        return 2;
    case SHAPE_CUT:
    case SHAPE_VALUE:
    case SHAPE_AMOUNT:
        return 1;
    default:
        return 0;
    }
}
