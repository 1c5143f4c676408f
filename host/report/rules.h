/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules.h - what lines of evidence mean for a verdict, where a report says it
 * otherwise: rules that a user writes, a line each.
 *
 *   VERDICT [ids] | test | line [| a|b|share <|>|= number]
 *
 * test and line are patterns with "*"; the line is without "# " and without
 * the processors. a and b are the figures of docs/report.grammar, share is a of
 * b in percent. "#" begins a comment.
 */
#ifndef HOST_REPORT_RULES_H
#define HOST_REPORT_RULES_H

#include "host/report/report.h"

struct rule {
    enum verdict verdict;
    struct span ids; /* of KNOWN */
    char *test, *line;
    char field; /* 'a', 'b', 's', or 0: no condition */
    char operation;
    uint64_t number;
};

struct rules {
    char *text;
    struct rule *rules;
    size_t count;
};

/* False with the number of the line that is no rule, or 0 where the file cannot
 * be read (errno). */
bool rules_read(const char *path, struct rules *out, size_t *line);
void rules_free(struct rules *rules);

/* The first rule that fits the line of that test, or NULL. */
const struct rule *rules_find(const struct rules *rules,
                              const struct result *result, struct span line,
                              const struct figure *figure);

#endif
