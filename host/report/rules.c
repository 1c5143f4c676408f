/* SPDX-License-Identifier: BSD-2-Clause */
/* rules.c - reads rules and finds the one that fits. */
#include "host/report/rules.h"

#include "host/report/grow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct span trim(struct span text)
{
    while (text.bytes != 0 && *text.at == ' ') {
        text.at++;
        text.bytes--;
    }
    while (text.bytes != 0 && text.at[text.bytes - 1] == ' ')
        text.bytes--;
    return text;
}

/* What stands before the next "|"; all where there is none. */
static struct span field(struct span *rest)
{
    struct span out;

    if (!take_until(rest, "|", &out)) {
        out = *rest;
        rest->bytes = 0;
    }
    return trim(out);
}

static bool read_verdict(struct span text, struct rule *rule)
{
    static const enum verdict verdicts[] = {
        VERDICT_PASS, VERDICT_SKIP, VERDICT_KNOWN, VERDICT_FAIL, VERDICT_ERROR};

    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
        if (take(&text, verdict_name(verdicts[i]))) {
            rule->verdict = verdicts[i];
            rule->ids = trim(text);
            /* An erratum has a name, nothing else has. */
            return (rule->ids.bytes != 0) == (verdicts[i] == VERDICT_KNOWN);
        }
    return false;
}

static bool read_condition(struct span text, struct rule *rule)
{
    if (text.bytes == 0)
        return true;
    rule->field = take(&text, "share") ? 's'
                  : take(&text, "a")   ? 'a'
                  : take(&text, "b")   ? 'b'
                                       : '\0';
    text = trim(text);
    if (rule->field == '\0' || text.bytes == 0)
        return false;
    rule->operation = *text.at;
    text = trim((struct span){text.at + 1, text.bytes - 1});
    return strchr("<>=", rule->operation) != NULL &&
           (take_hex(&text, &rule->number) ||
            take_number(&text, &rule->number)) &&
           text.bytes == 0;
}

static bool read_rule(struct span line, struct rule *rule)
{
    const struct span verdict = field(&line), test = field(&line),
                      pattern = field(&line);

    *rule = (struct rule){0};
    if (test.bytes == 0 || pattern.bytes == 0 || !read_verdict(verdict, rule) ||
        !read_condition(trim(line), rule))
        return false;
    rule->test = strndup(test.at, test.bytes);
    rule->line = strndup(pattern.at, pattern.bytes);
    if (rule->test == NULL || rule->line == NULL)
        abort();
    return true;
}

bool rules_read(const char *path, struct rules *out, size_t *line)
{
    FILE *file = fopen(path, "r");
    size_t room = 0;
    struct span rest, text;

    *out = (struct rules){0};
    *line = 0;
    if (file == NULL)
        return false;
    errno = 0; /* what is wrong from here on may be a line */
    ssize_t bytes = getdelim(&out->text, &room, '\0', file);
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    errno = error;
    if (error != 0)
        return false;
    rest = (struct span){out->text, bytes < 0 ? 0 : (size_t)bytes};
    while (take_line(&rest, &text)) {
        struct rule rule;
        ++*line;
        text = trim(text);
        if (text.bytes == 0 || *text.at == '#')
            continue;
        if (!read_rule(text, &rule))
            return false;
        APPEND(out->rules, out->count, rule);
    }
    return true;
}

void rules_free(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->rules[i].test);
        free(rules->rules[i].line);
    }
    free(rules->rules);
    free(rules->text);
}

/* Of several processors' numbers the one that most fits. */
static bool holds(const struct rule *rule, const struct figure *figure)
{
    bool hexadecimal;
    const unsigned numbers = figure_numbers(figure->shape, &hexadecimal);
    struct range range = rule->field == 'b' ? figure->b : figure->a;

    if (rule->field == '\0')
        return true;
    if (numbers < (rule->field == 'a' ? 1u : 2u))
        return false;
    if (rule->field == 's') {
        if (figure->b.least == 0 || figure->b.most == 0)
            return false;
        range.least =
            (uint64_t)((__uint128_t)range.least * 100 / figure->b.most);
        range.most =
            (uint64_t)((__uint128_t)range.most * 100 / figure->b.least);
    }
    switch (rule->operation) {
    case '<':
        return range.least < rule->number;
    case '>':
        return range.most > rule->number;
    default:
        return range.least <= rule->number && rule->number <= range.most;
    }
}

const struct rule *rules_find(const struct rules *rules,
                              const struct result *result, struct span line,
                              const struct figure *figure)
{
    struct span passed;

    take(&line, "# ");
    if (figure->processors.bytes != 0)
        take_until(&line, ": ", &passed);
    for (size_t i = 0; i < rules->count; i++)
        if (span_match(result->test, rules->rules[i].test) &&
            span_match(line, rules->rules[i].line) &&
            holds(&rules->rules[i], figure))
            return &rules->rules[i];
    return NULL;
}
